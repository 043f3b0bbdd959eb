package flashsale

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"interlock/internal/flashsale/gate"
)

const (
	// soldOutTTL is how long this process rejects purchases from its sold-out cache.
	soldOutTTL = 500 * time.Millisecond
	// buyersTTL bounds the cache time of the buyers. They change only if purchases were
	// accepted since, or the gate's store was restored to an older state.
	buyersTTL = 5 * time.Second
	// lookUpsBeforeReadingAll is the number of single lookups of customers in the gate
	// after which all buyers are read; maxBuyers bounds the number of cached buyers, about
	// 10 MB.
	lookUpsBeforeReadingAll = 100
	maxBuyers               = 100_000
)

// soldOut is a cache entry: at this version of the sale, the gate had fewer units left (remaining)
// than a purchase requested (units).
type soldOut struct {
	version   int64
	units     int64
	remaining int64
	until     time.Time
	buyers    *buyers
}

// buyers are customers that may have units of a sold-out sale.
type buyers struct {
	ref     gate.Ref
	letIn   int64 // number of accepted units
	until   time.Time
	lookUps atomic.Int64
	users   atomic.Pointer[map[string]struct{}] // nil until all buyers were read
}

// rememberSoldOut caches that the gate rejected this number of units of a sale, unless it
// is cached. The cached buyers stay valid while no other purchase was accepted.
func (s *purchases) rememberSoldOut(snap *snapshot, units int64, a gate.Admission) {
	if _, exhausted := s.exhaustedFor(snap, units); exhausted {
		return
	}
	s.remembering.Lock()
	defer s.remembering.Unlock()
	now := s.clock.Now()
	known := &buyers{ref: snap.stock.ref(), letIn: a.LetIn, until: now.Add(buyersTTL)}
	if found, ok := s.exhausted.Load(snap.sale.ID); ok {
		if before := found.(soldOut).buyers; before.ref == known.ref && before.letIn == known.letIn && now.Before(before.until) {
			known = before
		}
	}
	until := now.Add(soldOutTTL)
	if ends := snap.sale.EndsTime; ends.Before(until) {
		until = ends
	}
	s.exhausted.Store(snap.sale.ID, soldOut{snap.sale.Version, units, a.Remaining, until, known})
}

// evictSoldOutUnlessBuyer evicts the cache entry of a sale if a customer with an accepted, or
// possibly accepted, purchase is not among its buyers: the buyers are read again.
func (s *purchases) evictSoldOutUnlessBuyer(sale int64, user string) {
	found, remembered := s.exhausted.Load(sale)
	if !remembered || found.(soldOut).buyers.has(user) {
		return
	}
	s.remembering.Lock()
	defer s.remembering.Unlock()
	s.exhausted.Delete(sale)
}

// exhaustedFor returns the cache entry by which a purchase of this number of units is
// rejected.
func (s *purchases) exhaustedFor(snap *snapshot, units int64) (memory soldOut, exhausted bool) {
	found, ok := s.exhausted.Load(snap.sale.ID)
	if !ok {
		return soldOut{}, false
	}
	memory = found.(soldOut)
	return memory, memory.version == snap.sale.Version && units >= memory.units && s.clock.Now().Before(memory.until)
}

// soldOutAdmission returns the verdict that the gate would return for a purchase with too few units
// left, without an admission: the customer's limit is checked first, and if no units remain, a
// customer with units also gets LimitReached. It reads the customer's units from the gate; if that
// fails, the verdict is sold out.
//
// A customer that another process has admitted since, because units were returned, is
// unknown here until the entry expires or the message about the returned units arrives
// (announceUnitsReturned).
func (s *purchases) soldOutAdmission(ctx context.Context, snap *snapshot, w PurchaseRequest, memory soldOut) gate.Admission {
	var held gate.Holding
	// While some units remain, concurrent purchases of fewer units can succeed.
	if memory.remaining > 0 || s.mayHold(ctx, memory.buyers, w.User) {
		held, _ = s.gate.Held(ctx, memory.buyers.ref, w.User)
	}
	if w.Units > snap.sale.PerUserLimit-held.Units || memory.remaining <= 0 && held.Units > 0 {
		return gate.Admission{Verdict: gate.LimitReached, Held: held.Units, Earlier: held.Ticket}
	}
	return gate.Admission{Verdict: gate.SoldOut, Remaining: memory.remaining}
}

// announceUnitsReturned makes every process query the gate again: units of a sold-out sale
// may be for sale again. If the message is lost, the others query it after soldOutTTL.
func (s *core) announceUnitsReturned(ctx context.Context, tenant, sale int64) {
	s.exhausted.Delete(sale)
	s.publishWorker(ctx, tenant, sale, workerMessage{Kind: unitsReturned})
}

// mayHold returns false only for a customer without units. The request that reaches the
// threshold reads all buyers. If they are too many, customers are queried one by one; if
// the read fails, for example because the caller disconnects, a later request repeats it.
func (s *purchases) mayHold(ctx context.Context, b *buyers, user string) bool {
	if b.users.Load() == nil && b.lookUps.Add(1) == lookUpsBeforeReadingAll {
		switch list, err := s.gate.Buyers(ctx, b.ref, maxBuyers); {
		case err == nil:
			users := make(map[string]struct{}, len(list))
			for _, user := range list {
				users[user] = struct{}{}
			}
			b.users.Store(&users)
		case !errors.Is(err, gate.ErrTooMany):
			b.lookUps.Store(0)
		}
	}
	return b.users.Load() == nil || b.has(user)
}

// has reports whether a customer is among the cached buyers.
func (b *buyers) has(user string) bool {
	users := b.users.Load()
	if users == nil {
		return false
	}
	_, known := (*users)[user]
	return known
}

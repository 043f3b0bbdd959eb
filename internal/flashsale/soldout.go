package flashsale

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"interlock/internal/flashsale/gate"
)

const (
	// soldOutLife is for how long this process answers by itself that a sale is sold
	// out.
	soldOutLife = 500 * time.Millisecond
	// buyersLife bounds how long it remembers who bought. They are others only when units
	// were let in since, or the store of the gate came back older than it was.
	buyersLife = 5 * time.Second
	// lookUpsBeforeReadingAll is how many customers are looked up in the gate, one by one, before
	// all buyers are read; mostBuyers is how many of them a process remembers at most, some
	// 10 MB.
	lookUpsBeforeReadingAll = 100
	mostBuyers              = 100_000
)

// soldOut remembers that so many units remained, fewer than were asked for, at this version
// of the sale.
type soldOut struct {
	version   int64
	units     int64
	remaining int64
	until     time.Time
	buyers    *buyers
}

// buyers are who may hold units of a sale that is sold out.
type buyers struct {
	ref     gate.Ref
	letIn   int64 // how many units had been let in
	until   time.Time
	lookUps atomic.Int64
	users   atomic.Pointer[map[string]struct{}] // nil until they were read
}

// rememberSoldOut remembers that the gate refused so many units of a sale, unless that is
// known. Who bought stays known while nobody else was let in.
func (s *purchases) rememberSoldOut(snap *snapshot, units int64, a gate.Admission) {
	if _, exhausted := s.exhaustedFor(snap, units); exhausted {
		return
	}
	s.remembering.Lock()
	defer s.remembering.Unlock()
	now := s.clock.Now()
	known := &buyers{ref: snap.stock.ref(), letIn: a.LetIn, until: now.Add(buyersLife)}
	if found, ok := s.exhausted.Load(snap.sale.ID); ok {
		if before := found.(soldOut).buyers; before.ref == known.ref && before.letIn == known.letIn && now.Before(before.until) {
			known = before
		}
	}
	until := now.Add(soldOutLife)
	if ends := snap.sale.EndsTime; ends.Before(until) {
		until = ends
	}
	s.exhausted.Store(snap.sale.ID, soldOut{snap.sale.Version, units, a.Remaining, until, known})
}

// forgetSoldOutUnlessBuyer forgets that a sale is sold out when a customer who was let in, or may have
// been, is not among its buyers: they are read again.
func (s *purchases) forgetSoldOutUnlessBuyer(sale int64, user string) {
	found, remembered := s.exhausted.Load(sale)
	if !remembered || found.(soldOut).buyers.has(user) {
		return
	}
	s.remembering.Lock()
	defer s.remembering.Unlock()
	s.exhausted.Delete(sale)
}

// exhaustedFor returns what this process remembers by which a purchase of so many units is
// refused.
func (s *purchases) exhaustedFor(snap *snapshot, units int64) (memory soldOut, exhausted bool) {
	found, ok := s.exhausted.Load(snap.sale.ID)
	if !ok {
		return soldOut{}, false
	}
	memory = found.(soldOut)
	return memory, memory.version == snap.sale.Version && units >= memory.units && s.clock.Now().Before(memory.until)
}

// answerSoldOut is what the gate would answer to a purchase for which too few units remain,
// without asking it to let anybody in: the limit of a customer comes first, and one who was let
// in is told the ticket when none remain. What the customer holds is read from the gate; when
// that cannot be read, the sale is still sold out.
//
// Whom another process has let in since the memory began, because units came back, is a stranger
// here, until the memory ends or the word of the units that came back is heard (announceUnitsReturned).
func (s *purchases) answerSoldOut(ctx context.Context, snap *snapshot, w PurchaseRequest, memory soldOut) gate.Admission {
	var held gate.Holding
	// While some remain, others buy fewer units at any moment.
	if memory.remaining > 0 || s.mayHold(ctx, memory.buyers, w.User) {
		held, _ = s.gate.Held(ctx, memory.buyers.ref, w.User)
	}
	if w.Units > snap.sale.PerUserLimit-held.Units || memory.remaining <= 0 && held.Units > 0 {
		return gate.Admission{Verdict: gate.LimitReached, Held: held.Units, Earlier: held.Ticket}
	}
	return gate.Admission{Verdict: gate.SoldOut, Remaining: memory.remaining}
}

// announceUnitsReturned has every process ask the gate again: units of a sale that was sold out may be
// for sale again. Should the word be lost, the others ask soldOutLife later.
func (s *core) announceUnitsReturned(ctx context.Context, tenant, sale int64) {
	s.exhausted.Delete(sale)
	s.publishWorker(ctx, tenant, sale, workerMessage{Kind: unitsReturned})
}

// mayHold is false only for a customer who holds no units. The request that finds it
// worthwhile reads all buyers. Where they are too many, customers go on being looked up; where
// that fails, as for a request whose caller hangs up, another one does it later.
func (s *purchases) mayHold(ctx context.Context, b *buyers, user string) bool {
	if b.users.Load() == nil && b.lookUps.Add(1) == lookUpsBeforeReadingAll {
		switch list, err := s.gate.Buyers(ctx, b.ref, mostBuyers); {
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

// has reports whether a customer is known to be among them.
func (b *buyers) has(user string) bool {
	users := b.users.Load()
	if users == nil {
		return false
	}
	_, known := (*users)[user]
	return known
}

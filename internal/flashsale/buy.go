package flashsale

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/flashsale/gate"
)

const (
	// snapshotLife bounds how long a sale is remembered when the news that it changed
	// did not come, and shutLife one that is not open. The gate has the last word on
	// everything but the sale's existence and its end.
	snapshotLife = 5 * time.Second
	shutLife     = time.Second
	// soldOutLife is for how long this process answers by itself that a sale is sold
	// out.
	soldOutLife = 500 * time.Millisecond
	// loadPatience bounds one look at the database on behalf of all that wait for it.
	loadPatience = 5 * time.Second
)

// snapshot is what buying needs of a sale.
type snapshot struct {
	sale   *Sale
	stock  *Stock // nil before it was opened
	loaded time.Time
}

// soldOut remembers that so many units remained, fewer than were asked for, at this version
// of the sale.
type soldOut struct {
	version   int64
	units     int64
	remaining int64
	until     time.Time
}

// snapshotOf returns a sale of the caller's tenant as it was a moment ago. Errors:
// NotFound.
func (s *Service) snapshotOf(ctx context.Context, id int64) (*snapshot, error) {
	p, _ := principal.From(ctx)
	if found, ok := s.snapshots.Load(id); ok {
		snap := found.(*snapshot)
		if s.clock.Now().Sub(snap.loaded) < snap.life() {
			return snap.of(p.TenantID, id)
		}
	}
	loaded, err, _ := s.loading.Do(strconv.FormatInt(id, 10), func() (any, error) {
		ctx, end := context.WithTimeout(storage.AcrossTenants(context.WithoutCancel(ctx)), loadPatience)
		defer end()
		return s.load(ctx, id)
	})
	if err != nil {
		return nil, err
	}
	return loaded.(*snapshot).of(p.TenantID, id)
}

func (s *Service) load(ctx context.Context, id int64) (*snapshot, error) {
	now := s.clock.Now()
	sale, err := findSale(s.db.Read(ctx), id)
	if storage.IsNotFound(err) {
		return nil, missing(id)
	}
	if err != nil {
		return nil, fmt.Errorf("read flash sale: %w", err)
	}
	stock, err := stockOf(s.db.Read(ctx), id)
	if err != nil {
		return nil, err
	}
	snap := &snapshot{sale, stock, now}
	s.snapshots.Store(id, snap)
	return snap, nil
}

func (snap *snapshot) of(tenant, id int64) (*snapshot, error) {
	if snap.sale.TenantID != tenant {
		return nil, missing(id)
	}
	return snap, nil
}

func (snap *snapshot) life() time.Duration {
	if snap.sale.Status == open.Code {
		return snapshotLife
	}
	return shutLife
}

// forget makes the next look at a sale a fresh one.
func (s *Service) forget(sale int64) {
	s.snapshots.Delete(sale)
	s.exhausted.Delete(sale)
}

// Wish is what a customer wants.
type Wish struct {
	Sale  int64
	User  string
	Units int64
	// Key makes the ticket: the request's idempotency key with who sent it, "" for a
	// ticket of its own for each request.
	Key string
	// Trace is the request's W3C trace context.
	Trace map[string]string
}

// Receipt says that a purchase was accepted.
type Receipt struct {
	// Ticket is as it was accepted: what became of it since, Follow tells.
	Ticket gate.Ticket
	// Replayed is whether an earlier request with the same key was accepted.
	Replayed bool
}

// Buy asks the gate to let a purchase in. It reads no SQL but once in a while.
//
// Errors: NotFound; ValidationFailed; SoldOut; SaleNotOpen, with the reason;
// LimitReached, with the customer's latest ticket; QueueFull; IdempotencyKeyReused when
// the key's ticket is for another number of units; Unavailable when the gate was not
// reached, and nothing was bought; OutcomeUnknown, with the ticket, when it was asked and
// did not answer.
func (s *Service) Buy(ctx context.Context, w Wish) (Receipt, error) {
	snap, err := s.snapshotOf(ctx, w.Sale)
	if err != nil {
		return Receipt{}, err
	}
	if w.Units < 1 {
		return Receipt{}, apperr.Invalid(apperr.Field{Pointer: "/quantity", Code: "min", Message: "must be at least 1"})
	}
	if snap.stock == nil {
		return s.refuse(snap, w, gate.Admission{Verdict: gate.NotOpen})
	}
	// A key may be of an earlier request that was let in, which only the gate knows.
	if w.Key == "" {
		if memory, exhausted := s.exhaustedFor(snap, w.Units); exhausted {
			return s.refuse(snap, w, s.turnAway(ctx, snap, w, memory))
		}
	}
	ticket, err := newTicket(snap.sale.Secret, w.User, w.Key, s.random)
	if err != nil {
		return Receipt{}, err
	}
	if snap.sale.Status != open.Code {
		return s.buyLate(ctx, snap, w, ticket)
	}
	answer, snap, err := s.admit(ctx, snap, w, ticket)
	switch {
	case errors.Is(err, gate.ErrNoGate):
		s.look()
		s.metrics.refused.WithLabelValues("rebuilding").Inc()
		s.arrived(snap.sale.TenantID, w.Sale, gate.NotOpen)
		return Receipt{}, rebuilding()
	case errors.Is(err, gate.ErrUnknown):
		s.metrics.refused.WithLabelValues("unknown").Inc()
		return Receipt{}, purchaseUnknown(ticket, err)
	case err != nil:
		s.metrics.refused.WithLabelValues("unavailable").Inc()
		return Receipt{}, gateError(err)
	}
	switch answer.Verdict {
	case gate.Accepted:
		s.metrics.accepted.Add(float64(w.Units))
		s.arrived(snap.sale.TenantID, w.Sale, gate.Accepted)
		return Receipt{Ticket: answer.Ticket}, nil
	case gate.Known:
		return s.replay(w, answer.Ticket)
	}
	return s.refuse(snap, w, answer)
}

// buyLate answers a purchase in a sale that is not open, without its gate, whose store may
// have come back from when it was: nobody is let in any more, and who was gets the answer
// of then.
func (s *Service) buyLate(ctx context.Context, snap *snapshot, w Wish, ticket string) (Receipt, error) {
	if w.Key != "" {
		// The gate, where it still knows the ticket, also knows how many waited before it.
		first, _ := s.gate.Ticket(ctx, snap.stock.ref(), ticket)
		if first == nil {
			var err error
			if first, err = s.find(ctx, snap, ticket); err != nil {
				return Receipt{}, err
			}
		}
		if first != nil {
			return s.replay(w, *first)
		}
	}
	return s.refuse(snap, w, gate.Admission{Verdict: gate.NotOpen})
}

// replay answers a request whose ticket was let in before.
func (*Service) replay(w Wish, first gate.Ticket) (Receipt, error) {
	// Nobody knows any more for how many units a lost ticket was.
	if first.Units != w.Units && first.Units != 0 || first.User != w.User {
		return Receipt{}, apperr.New(apperr.IdempotencyKeyReused, "The idempotency key was used for a purchase of %d units; nothing was bought now.", first.Units)
	}
	first.State, first.Units, first.OrderID, first.OrderNo, first.Reason = gate.Queued, w.Units, 0, "", ""
	// Without a key the earlier request was this one, whose reply the gate lost.
	return Receipt{first, w.Key != ""}, nil
}

// admit asks the gate, and once more with a fresh look at the sale when the gate is of
// another epoch than this process knew.
func (s *Service) admit(ctx context.Context, snap *snapshot, w Wish, ticket string) (gate.Admission, *snapshot, error) {
	ask := func() (gate.Admission, error) {
		return s.gate.Admit(ctx, gate.Purchase{
			Ref: snap.stock.ref(), Ticket: ticket, User: w.User, Units: w.Units, Time: s.clock.Now(), Trace: w.Trace,
		})
	}
	answer, err := ask()
	if !errors.Is(err, gate.ErrNoGate) {
		return answer, snap, err
	}
	s.forget(w.Sale)
	fresh, loadErr := s.snapshotOf(ctx, w.Sale)
	if loadErr != nil || fresh.stock == nil {
		return answer, snap, errors.Join(err, loadErr)
	}
	if fresh.stock.Epoch == snap.stock.Epoch {
		return answer, fresh, err
	}
	snap = fresh
	answer, err = ask()
	return answer, snap, err
}

// exhaustedFor returns what this process remembers by which a purchase of so many units is
// refused.
func (s *Service) exhaustedFor(snap *snapshot, units int64) (memory soldOut, exhausted bool) {
	found, ok := s.exhausted.Load(snap.sale.ID)
	if !ok {
		return soldOut{}, false
	}
	memory = found.(soldOut)
	return memory, memory.version == snap.sale.Version && units >= memory.units && s.clock.Now().Before(memory.until)
}

// turnAway is the gate's answer to a purchase for which too few units remain, without
// asking it to let anybody in. It is only read what the customer holds: one who was let in
// is told the ticket. When that cannot be read, the sale is still sold out.
func (s *Service) turnAway(ctx context.Context, snap *snapshot, w Wish, memory soldOut) gate.Admission {
	if memory.remaining <= 0 {
		if held, err := s.gate.Held(ctx, snap.stock.ref(), w.User); err == nil && held.Units > 0 {
			return gate.Admission{Verdict: gate.LimitReached, Held: held.Units, Earlier: held.Ticket}
		}
	}
	return gate.Admission{Verdict: gate.SoldOut, Remaining: memory.remaining}
}

// refuse tells a customer why the gate did not let it in.
func (s *Service) refuse(snap *snapshot, w Wish, a gate.Admission) (Receipt, error) {
	s.metrics.refused.WithLabelValues(string(a.Verdict)).Inc()
	s.arrived(snap.sale.TenantID, w.Sale, a.Verdict)
	sale := snap.sale
	switch a.Verdict {
	case gate.SoldOut:
		if _, exhausted := s.exhaustedFor(snap, w.Units); !exhausted {
			s.exhausted.Store(sale.ID, soldOut{sale.Version, w.Units, a.Remaining, s.clock.Now().Add(soldOutLife)})
		}
		return Receipt{}, apperr.New(apperr.SoldOut, "%s has fewer than %d units left.", sale.Label(), w.Units)
	case gate.LimitReached:
		detail := fmt.Sprintf("One customer can have %d units of %s, and you have %d.", sale.PerUserLimit, sale.Label(), a.Held)
		if a.Held+w.Units <= sale.PerUserLimit {
			detail = fmt.Sprintf("%s is sold out. You have %d of its units.", sale.Label(), a.Held)
		}
		return Receipt{}, apperr.New(apperr.LimitReached, "%s", detail).
			With("ticket", textOrNull(a.Earlier)).With("held", a.Held).With("perUserLimit", sale.PerUserLimit)
	case gate.QueueFull:
		return Receipt{}, apperr.New(apperr.QueueFull, "Too many wait already. Try again in a moment.").After(time.Second)
	}
	state := Machine.Of(sale.Status).Name
	reasons := map[gate.Verdict]string{gate.NotOpen: state, gate.NotStarted: "not_started", gate.Ended: "ended"}
	reason := reasons[a.Verdict]
	if a.Verdict == gate.NotOpen && sale.Status == open.Code {
		// The gate has heard of a pause before this process has.
		s.forget(sale.ID)
		reason = "paused"
	}
	return Receipt{}, apperr.New(apperr.SaleNotOpen, "%s takes no orders now (%s).", sale.Label(), reason).
		With("reason", reason).With("saleStatus", state).With("startsTime", sale.StartsTime).With("endsTime", sale.EndsTime)
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// look asks the worker of this process to look at the sales now.
func (s *Service) look() {
	select {
	case s.nudge <- struct{}{}:
	default:
	}
}

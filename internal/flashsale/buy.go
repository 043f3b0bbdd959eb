package flashsale

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"interlock/internal/apperr"
	"interlock/internal/principal"
	"interlock/internal/storage"
)

const (
	// snapshotLife bounds how long a sale is remembered when the news that it changed
	// did not come. The gate has the last word on everything but the sale's existence.
	snapshotLife = 5 * time.Second
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

// soldOut remembers that fewer than Units units remained, at this version of the sale.
type soldOut struct {
	version int64
	units   int64
	until   time.Time
}

// snapshotOf returns a sale of the caller's tenant as it was a moment ago. Errors:
// NotFound.
func (s *Service) snapshotOf(ctx context.Context, id int64) (*snapshot, error) {
	p, _ := principal.From(ctx)
	if found, ok := s.snapshots.Load(id); ok {
		snap := found.(*snapshot)
		if s.clock.Now().Sub(snap.loaded) < snapshotLife {
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

// forget makes the next look at a sale a fresh one.
func (s *Service) forget(sale int64) {
	s.snapshots.Delete(sale)
	s.exhausted.Delete(sale)
}

// Wish is what a customer wants.
type Wish struct {
	Sale  int64
	User  int64
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
	Ticket Ticket
	// Replayed is whether an earlier request with the same key was accepted.
	Replayed bool
}

// Buy asks the gate to let a purchase in. It reads no SQL but once in a while.
//
// Errors: NotFound; ValidationFailed; SoldOut; SaleNotOpen, with the reason;
// LimitReached, with the customer's latest ticket; QueueFull; IdempotencyKeyReused when
// the key's ticket is for another number of units; Unavailable when the gate cannot be
// reached.
func (s *Service) Buy(ctx context.Context, w Wish) (Receipt, error) {
	snap, err := s.snapshotOf(ctx, w.Sale)
	if err != nil {
		return Receipt{}, err
	}
	if w.Units < 1 {
		return Receipt{}, apperr.Invalid(apperr.Field{Pointer: "/quantity", Code: "min", Message: "must be at least 1"})
	}
	if snap.stock == nil {
		return s.refuse(snap, w, Admission{Verdict: NotOpen})
	}
	// A key may be of an earlier request that was let in, which only the gate knows.
	if w.Key == "" && s.isExhausted(snap, w.Units) {
		return s.refuse(snap, w, Admission{Verdict: SoldOut})
	}
	ticket, err := newTicket(snap.sale.Secret, w.User, w.Key, s.random)
	if err != nil {
		return Receipt{}, err
	}
	answer, snap, err := s.admit(ctx, snap, w, ticket)
	if errors.Is(err, ErrNoGate) {
		s.look()
		s.metrics.refused.WithLabelValues("rebuilding").Inc()
		s.arrived(w.Sale, refusedNotOpen)
		return Receipt{}, rebuilding()
	}
	if err != nil {
		s.metrics.refused.WithLabelValues("unavailable").Inc()
		return Receipt{}, gateError(err)
	}
	switch answer.Verdict {
	case Accepted:
		s.metrics.accepted.Add(float64(w.Units))
		s.arrived(w.Sale, letIn)
		return Receipt{Ticket: answer.Ticket}, nil
	case Known:
		if answer.Ticket.Units != w.Units || answer.Ticket.User != w.User {
			return Receipt{}, apperr.New(apperr.IdempotencyKeyReused, "The idempotency key was used for a purchase of %d units; nothing was bought now.", answer.Ticket.Units)
		}
		first := answer.Ticket
		first.State, first.OrderID, first.OrderNo, first.Reason = Queued, 0, "", ""
		// Without a key the earlier request was this one, whose reply the gate lost.
		return Receipt{first, w.Key != ""}, nil
	}
	return s.refuse(snap, w, answer)
}

// admit asks the gate, and once more with a fresh look at the sale when the gate is of
// another epoch than this process knew.
func (s *Service) admit(ctx context.Context, snap *snapshot, w Wish, ticket string) (Admission, *snapshot, error) {
	ask := func() (Admission, error) {
		return s.gate.Admit(ctx, Purchase{
			Sale: w.Sale, Epoch: snap.stock.Epoch, Ticket: ticket, User: w.User, Units: w.Units, Time: s.clock.Now(), Trace: w.Trace,
		})
	}
	answer, err := ask()
	if !errors.Is(err, ErrNoGate) {
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

func (s *Service) isExhausted(snap *snapshot, units int64) bool {
	found, ok := s.exhausted.Load(snap.sale.ID)
	if !ok {
		return false
	}
	memory := found.(soldOut)
	return memory.version == snap.sale.Version && units >= memory.units && s.clock.Now().Before(memory.until)
}

// refuse tells a customer why the gate did not let it in.
func (s *Service) refuse(snap *snapshot, w Wish, a Admission) (Receipt, error) {
	s.metrics.refused.WithLabelValues(string(a.Verdict)).Inc()
	s.arrived(w.Sale, fateOf(a.Verdict))
	sale := snap.sale
	switch a.Verdict {
	case SoldOut:
		if !s.isExhausted(snap, w.Units) {
			s.exhausted.Store(sale.ID, soldOut{sale.Version, w.Units, s.clock.Now().Add(soldOutLife)})
		}
		return Receipt{}, apperr.New(apperr.SoldOut, "%s has fewer than %d units left.", sale.Label(), w.Units)
	case LimitReached:
		return Receipt{}, apperr.New(apperr.LimitReached, "One customer can have %d units of %s, and you have %d.", sale.PerUserLimit, sale.Label(), a.Held).
			With("ticket", textOrNull(a.Earlier)).With("held", a.Held).With("perUserLimit", sale.PerUserLimit)
	case QueueFull:
		return Receipt{}, apperr.New(apperr.QueueFull, "Too many wait already. Try again in a moment.").After(time.Second)
	}
	state := Machine.Of(sale.Status).Name
	reasons := map[Verdict]string{NotOpen: state, NotStarted: "not_started", Ended: "ended"}
	reason := reasons[a.Verdict]
	if a.Verdict == NotOpen && sale.Status == open.Code {
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

// reasonLost is why a ticket is rejected that the gate's store has lost before it
// became an order.
const reasonLost = "lost"

// Follow returns a ticket of a customer; with user 0, of any. Errors: NotFound;
// Unavailable.
func (s *Service) Follow(ctx context.Context, id, user int64, ticket string) (*Ticket, error) {
	snap, err := s.snapshotOf(ctx, id)
	if err != nil {
		return nil, err
	}
	if snap.stock == nil {
		return nil, missingTicket(ticket)
	}
	found, err := s.ticket(ctx, snap, ticket)
	if err != nil {
		return nil, err
	}
	switch {
	case found != nil && (user == 0 || found.User == user):
		return found, nil
	case found == nil && user != 0 && genuine(snap.sale.Secret, user, ticket):
		return &Ticket{ID: ticket, User: user, State: Rejected, Reason: reasonLost}, nil
	}
	return nil, missingTicket(ticket)
}

// ticket looks in the gate, and then in SQL, where the orders are. nil when it is in
// neither.
func (s *Service) ticket(ctx context.Context, snap *snapshot, ticket string) (*Ticket, error) {
	found, gateErr := s.gate.Ticket(ctx, snap.sale.ID, snap.stock.Epoch, ticket)
	if found != nil {
		return found, nil
	}
	orders, err := s.orders.OfTickets(ctx, snap.sale.ID, []string{ticket})
	if err != nil {
		return nil, err
	}
	if order, ok := orders[ticket]; ok {
		return order.ticket(), nil
	}
	if gateErr == nil {
		return nil, nil
	}
	s.forget(snap.sale.ID)
	if errors.Is(gateErr, ErrNoGate) {
		s.look()
	}
	return nil, gateError(gateErr)
}

// ticket is an order as the gate would know it.
func (o Order) ticket() *Ticket {
	t := &Ticket{ID: o.Ticket, User: o.User, Units: o.Units, State: Confirmed, AcceptedTime: o.CreatedTime, OrderID: o.ID, OrderNo: o.Number}
	if !o.Live {
		t.State = Cancelled
	}
	return t
}

func missingTicket(ticket string) *apperr.Error { return apperr.MissingRow("ticket", ticket) }

// look asks the worker of this process to look at the sales now.
func (s *Service) look() {
	select {
	case s.nudge <- struct{}{}:
	default:
	}
}

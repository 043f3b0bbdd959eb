package flashsale

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/status"
	"interlock/internal/edge/httpapi"
	"interlock/internal/flashsale/gate"
)

// purchases implements purchases and the lookup of tickets for customers.
type purchases struct {
	*ticketEnds
	tallies sync.Map // sale id → *tally
	lookups sync.Map // sale id → *lookups
	// remembering guards changes of the sold-out cache.
	remembering sync.Mutex
}

// PurchaseRequest is a customer's purchase request.
type PurchaseRequest struct {
	Sale  int64
	User  string
	Units int64
	// Key determines the ticket: the request's idempotency key with its sender, "" for a
	// new ticket per request.
	Key string
	// Trace is the request's W3C trace context.
	Trace map[string]string
}

// Receipt is the result of an accepted purchase.
type Receipt struct {
	// Ticket is the ticket as accepted; Follow returns its current state.
	Ticket gate.Ticket
	// Replayed reports whether an earlier request with the same key was accepted.
	Replayed bool
}

// Buy requests the admission of a purchase from the gate. It usually runs no SQL.
//
// Errors: NotFound; ValidationFailed; SoldOut; SaleNotOpen, with the reason;
// LimitReached, with the customer's latest ticket; QueueFull; IdempotencyKeyReused when
// the key's ticket is for another number of units; Unavailable if the gate is unreachable, is
// being rebuilt, or has too few replicas, and nothing was bought; OutcomeUnknown, with the
// ticket, if it did not respond, or accepted the purchase on too few replicas.
func (s *purchases) Buy(ctx context.Context, w PurchaseRequest) (Receipt, error) {
	snap, err := s.snapshotOf(ctx, w.Sale)
	if err != nil {
		return Receipt{}, err
	}
	if w.Units < 1 {
		return Receipt{}, apperr.Invalid(apperr.Field{Pointer: "/quantity", Code: "min", Message: "must be at least 1"})
	}
	if snap.stock == nil {
		return s.rejection(snap, w, gate.Admission{Verdict: gate.NotOpen})
	}
	// With a key, an earlier request may have been accepted; only the gate has that record.
	if w.Key == "" {
		if memory, exhausted := s.exhaustedFor(snap, w.Units); exhausted {
			return s.rejection(snap, w, s.soldOutAdmission(ctx, snap, w, memory))
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
	if err != nil || answer.Verdict == gate.Accepted || answer.Verdict == gate.Known {
		s.evictSoldOutUnlessBuyer(w.Sale, w.User)
	}
	switch {
	case errors.Is(err, gate.ErrNoGate):
		s.wakeWorker()
		s.metrics.refused.WithLabelValues("rebuilding").Inc()
		return Receipt{}, rebuilding(snap.sale)
	case errors.Is(err, gate.ErrReplicas):
		s.metrics.refused.WithLabelValues("replicas").Inc()
		return Receipt{}, tooFewReplicas(snap.sale, ticket, err)
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
		s.countAttempt(snap.sale.TenantID, w.Sale, gate.Accepted)
		s.ticketQueued(snap.sale.TenantID, w.Sale)
		return Receipt{Ticket: answer.Ticket}, nil
	case gate.Known:
		return s.replay(w, answer.Ticket)
	case gate.SoldOut:
		s.rememberSoldOut(snap, w.Units, answer)
	}
	return s.rejection(snap, w, answer)
}

// buyLate handles a purchase in a sale that is not open, without an admission by the gate, because
// the gate's store may have been restored to an older state. No new purchase is accepted; a
// repeated request gets its original result.
func (s *purchases) buyLate(ctx context.Context, snap *snapshot, w PurchaseRequest, ticket string) (Receipt, error) {
	if w.Key != "" {
		// The gate, if it still has the ticket, also has the number of tickets ahead of it.
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
	return s.rejection(snap, w, gate.Admission{Verdict: gate.NotOpen})
}

// replay returns the result of an earlier request with the same ticket.
func (*purchases) replay(w PurchaseRequest, first gate.Ticket) (Receipt, error) {
	// The number of units of a lost ticket is unknown.
	if first.Units != w.Units && first.Units != 0 || first.User != w.User {
		return Receipt{}, apperr.New(apperr.IdempotencyKeyReused, "The idempotency key was used for a purchase of %d units; nothing was bought now.", first.Units)
	}
	first.State, first.Units, first.OrderID, first.OrderNo, first.Reason = gate.Queued, w.Units, 0, "", ""
	// Without a key the earlier request is this one: the gate's reply to it was lost.
	return Receipt{first, w.Key != ""}, nil
}

// admit queries the gate, and once more with a new snapshot if the gate has another epoch
// than the cached one.
func (s *purchases) admit(ctx context.Context, snap *snapshot, w PurchaseRequest, ticket string) (gate.Admission, *snapshot, error) {
	ask := func() (gate.Admission, error) {
		return s.gate.Admit(ctx, gate.Purchase{
			Ref: snap.stock.ref(), Ticket: ticket, User: w.User, Units: w.Units, Time: s.clock.Now(), Trace: w.Trace,
			Replicas: snap.sale.replicas(),
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

// rejection returns the error for a purchase that the gate rejected.
func (s *purchases) rejection(snap *snapshot, w PurchaseRequest, a gate.Admission) (Receipt, error) {
	s.metrics.refused.WithLabelValues(string(a.Verdict)).Inc()
	s.countAttempt(snap.sale.TenantID, w.Sale, a.Verdict)
	sale := snap.sale
	switch a.Verdict {
	case gate.SoldOut:
		return Receipt{}, apperr.New(apperr.SoldOut, "%s has fewer than %d units left.", sale.Label(), w.Units)
	case gate.LimitReached:
		detail := fmt.Sprintf("One customer can have %d units of %s, and you have %d.", sale.PerUserLimit, sale.Label(), a.Held)
		if a.Held+w.Units <= sale.PerUserLimit {
			detail = fmt.Sprintf("%s is sold out. You have %d of its units.", sale.Label(), a.Held)
		}
		return Receipt{}, apperr.New(apperr.LimitReached, "%s", detail).
			With("ticket", httpapi.OrNull(a.Earlier)).With("held", a.Held).With("perUserLimit", sale.PerUserLimit)
	case gate.QueueFull:
		return Receipt{}, apperr.New(apperr.QueueFull, "Too many customers are waiting already. Try again in a moment.").After(time.Second)
	}
	state := Machine.Of(sale.Status).Name
	reasons := map[gate.Verdict]string{gate.NotOpen: state, gate.NotStarted: "not_started", gate.Ended: "ended"}
	reason := reasons[a.Verdict]
	if a.Verdict == gate.NotOpen && sale.Status == open.Code {
		// The gate has a pause that this process has not received yet.
		s.forget(sale.ID)
		reason = "paused"
	}
	return Receipt{}, apperr.New(apperr.SaleNotOpen, "%s accepts no orders now (%s).", sale.Label(), reason).
		WithMembers(notOpenView{reason, status.NameOf[Sale](sale.Status), sale.StartsTime, sale.EndsTime})
}

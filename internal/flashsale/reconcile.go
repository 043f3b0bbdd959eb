package flashsale

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/status"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
	"interlock/internal/orders"
)

// reconciler makes a sale's gate and queue match SQL.
type reconciler struct {
	*core
	*ticketEnds
	*transitions
}

// Reconciliation lists the differences that were found and repaired.
type Reconciliation struct {
	// The gate was rebuilt from the database.
	Rebuilt bool `json:"rebuilt"`
	// The number of tickets that did not match their orders or rejections, or had no message in
	// the queue, and of dead letters without a ticket.
	Repaired int `json:"repaired" validate:"min=0"`
	// Unsold units of a closed sale that were returned to the item's stock.
	Released int64 `json:"released" validate:"min=0"`
	// Sold units in the database.
	Sold int64 `json:"sold" validate:"min=0"`
	// Units of orders that are not cancelled.
	LiveUnits int64 `json:"liveUnits" validate:"min=0"`
	// `sold` equals `liveUnits` and the gate's confirmed units, and the sale is balanced.
	Consistent bool  `json:"consistent"`
	Stats      Stats `json:"stats"`

	// confirmed is the gate's count at the time of Sold and LiveUnits.
	confirmed int64
	// unexplained reports whether the gate is not balanced although it has all orders, so
	// that a rebuild would help.
	unexplained bool
	// letters are dead letters without a ticket, or with a ticket that is already recorded
	// as lost, because the program ended before it deleted the letter.
	letters []string
}

// Reconcile compares the gate of a sale with SQL, ticket by ticket, and corrects it; and
// the tickets in flight with the messages of the queue, in both directions.
//
//	a missing gate                      is built from SQL
//	an order that the gate lost         is added to it, and so is a rejection
//	a ticket without a message          gets one
//	a dead letter without a ticket      is rejected as lost, and deleted; the consumer
//	                                    does so for any other such message
//	a gate that stays unexplained       is rebuilt when its queue is empty
//
// Before the corrections too, no unit is sold twice, because SQL counts the sold units. Each step
// waits at most wait for the inventory lock.
//
// Errors: NotFound; TransitionNotAllowed for a draft; lock.ErrNotAcquired if the inventory
// lock was not acquired in time, and earlier repairs remain; Unavailable.
func (s *reconciler) Reconcile(ctx context.Context, id int64, wait time.Duration) (Reconciliation, error) {
	var r Reconciliation
	sale, err := s.Sale(ctx, id)
	if err != nil {
		return r, err
	}
	if sale.Status == draft.Code {
		return r, refuseDraft(sale)
	}
	stock, err := stockOf(s.db.Read(ctx), id)
	if err != nil {
		return r, err
	}
	if stock == nil || !stock.Finished {
		err = s.reconcileActive(ctx, sale, wait, &r)
	} else {
		r.Sold, r.confirmed = stock.Sold, stock.Sold
		err = s.orders.EachOfSale(ctx, id, func(part []orders.SaleOrder) error {
			r.LiveUnits += liveUnits(part)
			return nil
		})
	}
	if err != nil {
		return r, gateError(err)
	}
	if r.Stats, err = s.Stats(ctx, sale); err != nil {
		return r, err
	}
	r.Consistent = r.Stats.Balanced && r.Sold == r.LiveUnits && r.Sold == r.confirmed
	if !r.Consistent {
		slog.ErrorContext(ctx, "flash sale: numbers are not balanced", "sale", id, "sold", r.Sold, "liveUnits", r.LiveUnits, "confirmed", r.confirmed, "stats", r.Stats)
	}
	return r, nil
}

func refuseDraft(sale *Sale) *apperr.Error {
	return apperr.New(apperr.TransitionNotAllowed, "%s is a draft: there is nothing to reconcile before it was opened.", sale.Label()).
		WithMembers(draftView{status.NameOf[Sale](draft.Code), Machine.Allowed(draft)})
}

// reconcileActive is the part of Reconcile that changes data.
func (s *reconciler) reconcileActive(ctx context.Context, sale *Sale, wait time.Duration, r *Reconciliation) error {
	var err error
	if r.Rebuilt, err = s.rebuild(ctx, sale, wait); err != nil {
		return err
	}
	if err = s.repair(ctx, sale, wait, r); err != nil {
		return err
	}
	if r.unexplained {
		if err = s.replace(ctx, sale, wait, r); err != nil {
			return err
		}
	}
	r.Released, err = s.settleClosed(ctx, sale, wait)
	return err
}

// replace rebuilds a gate with unexplained numbers, unless tickets wait in its
// queue, which would be lost: the gate's store checks that in the step that ends the gate.
func (s *reconciler) replace(ctx context.Context, sale *Sale, wait time.Duration, r *Reconciliation) error {
	stock, err := stockOf(s.db.Read(ctx), sale.ID)
	if err != nil {
		return err
	}
	if r.Rebuilt, err = s.replaceGate(ctx, sale, wait, stock.Epoch, true); err != nil || !r.Rebuilt {
		return err
	}
	repaired := r.Repaired
	err = s.repair(ctx, sale, wait, r)
	r.Repaired += repaired
	return err
}

// repair makes the rules and the tickets of the gate match SQL, and the queue match the
// tickets, and records in r the repairs and the resulting counts.
func (s *reconciler) repair(ctx context.Context, sale *Sale, wait time.Duration, r *Reconciliation) error {
	err := s.locked(ctx, sale, wait, func(ctx context.Context, stock *Stock) error {
		current, err := s.Sale(ctx, sale.ID)
		if err != nil {
			return err
		}
		r.Repaired, r.Sold, r.LiveUnits = 0, stock.Sold, 0
		if err := s.alignRules(ctx, current, stock); err != nil {
			return err
		}
		if err := s.alignEnds(ctx, stock, r); err != nil {
			return err
		}
		if err := s.alignQueue(ctx, stock, r); err != nil {
			return err
		}
		counts, err := s.gate.Counts(ctx, sale.ID)
		r.confirmed = counts.Confirmed
		r.unexplained = r.LiveUnits <= stock.Allotted && (!counts.Balanced() || counts.Confirmed != r.LiveUnits)
		return unreachable(err)
	})
	if err == nil {
		err = s.endLetters(ctx, sale, r)
	}
	s.metrics.repaired.Add(float64(r.Repaired))
	return err
}

// alignRules sends the rules to the gate. A running change of the allotment would own the lock, so
// withheld units are left over from an interrupted change, and alignRules releases them.
func (s *reconciler) alignRules(ctx context.Context, sale *Sale, stock *Stock) error {
	if err := s.gate.Apply(ctx, rulesOf(sale, stock)); err != nil {
		return unreachable(err)
	}
	if err := s.gate.Withhold(ctx, stock.ref(), stock.Version, 0); err != nil && !errors.Is(err, gate.ErrOutdated) {
		return unreachable(err)
	}
	return nil
}

// alignEnds updates settled tickets in the gate, and adds those that it lost.
func (s *reconciler) alignEnds(ctx context.Context, stock *Stock, r *Reconciliation) error {
	err := s.orders.EachOfSale(ctx, stock.SaleID, func(part []orders.SaleOrder) error {
		steps, tickets := make([]gate.Step, len(part)), make([]gate.Ticket, len(part))
		for i, order := range part {
			steps[i], tickets[i] = endOf(order), ticketOf(order)
			if !order.Live {
				steps[i].From = append([]gate.State{gate.Confirmed}, gate.InFlight...)
			}
		}
		r.LiveUnits += liveUnits(part)
		return s.align(ctx, stock, steps, tickets, r)
	})
	if err != nil {
		return err
	}
	return eachRejection(s.db.Read(ctx), stock.SaleID, func(part []Rejection) error {
		steps, tickets := make([]gate.Step, len(part)), make([]gate.Ticket, len(part))
		for i, rejection := range part {
			steps[i], tickets[i] = rejection.step(), rejection.ticket()
		}
		return s.align(ctx, stock, steps, tickets, r)
	})
}

func (s *reconciler) align(ctx context.Context, stock *Stock, steps []gate.Step, tickets []gate.Ticket, r *Reconciliation) error {
	moved, err := s.gate.Move(ctx, stock.ref(), steps)
	if err != nil {
		return unreachable(err)
	}
	var forgotten []gate.Ticket
	for i, m := range moved {
		switch {
		case m.Changed:
			r.Repaired++
		case m.Ticket == nil:
			forgotten = append(forgotten, tickets[i])
		}
	}
	if len(forgotten) == 0 {
		return nil
	}
	adopted, err := s.gate.Adopt(ctx, stock.ref(), forgotten)
	r.Repaired += adopted
	return unreachable(err)
}

func liveUnits(placed []orders.SaleOrder) (units int64) {
	for _, order := range placed {
		if order.Live {
			units += order.Units
		}
	}
	return units
}

// alignQueue reports messages that the queue itself made dead to the gate, and enqueues
// messages for tickets that have none.
func (s *reconciler) alignQueue(ctx context.Context, stock *Stock, r *Reconciliation) error {
	queue := s.queues.Queue(gate.QueueName(stock.SaleID))
	r.letters = nil
	for after, more := "", true; more; more = after != "" {
		dead, next, err := queue.Dead(ctx, after, mq.MaxListed)
		if err != nil {
			return unreachable(err)
		}
		after = next
		steps := make([]gate.Step, len(dead))
		for i, m := range dead {
			steps[i] = gate.Step{Ticket: m.ID, From: []gate.State{gate.Queued, gate.Processing}, To: gate.Buried}
		}
		moved, err := s.gate.Move(ctx, stock.ref(), steps)
		if err != nil {
			return unreachable(err)
		}
		for i, m := range moved {
			if m.Ticket != nil && m.Ticket.State == gate.Rejected && m.Ticket.Reason == reasonLost {
				r.letters = append(r.letters, dead[i].ID)
			}
		}
	}
	strays, err := s.gate.FindInconsistencies(ctx, stock.ref())
	if err != nil {
		return unreachable(err)
	}
	r.letters = append(r.letters, strays.DeadMessages...)
	if len(strays.Tickets) == 0 {
		return nil
	}
	slog.WarnContext(ctx, "flash sale: tickets without a message queued again", "sale", stock.SaleID, "tickets", len(strays.Tickets))
	queued, err := s.gate.Requeue(ctx, stock.ref(), strays.Tickets)
	r.Repaired += queued
	return unreachable(err)
}

// endLetters settles dead letters of tickets that the gate has lost: it records the losses in
// one unit, and then deletes the letters. If the program ends in between, the tickets are
// recorded as lost, and the next reconciliation deletes the rest.
func (s *reconciler) endLetters(ctx context.Context, sale *Sale, r *Reconciliation) error {
	// Letters that were never tickets need an operator's decision.
	ids := slices.DeleteFunc(r.letters, func(id string) bool { return !isTicket(id) })
	if len(ids) == 0 {
		return nil
	}
	letters, err := s.letters(ctx, sale.ID, ids...)
	if err != nil {
		return unreachable(err)
	}
	var lost []gate.Ticket
	for _, letter := range letters {
		if ticket, err := gate.TicketOf(letter.Message); err == nil {
			lost = append(lost, ticket)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	if _, err := s.recordLost(ctx, sale.ID, lost); err != nil {
		return err
	}
	stock, err := stockOf(s.db.Read(ctx), sale.ID)
	if err != nil {
		return err
	}
	for _, ticket := range lost {
		if err := s.gate.DiscardDead(ctx, stock.ref(), ticket.ID); err != nil && !errors.Is(err, mq.ErrNoSuchMessage) {
			return unreachable(err)
		}
		r.Repaired++
	}
	return nil
}

package flashsale

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
	"interlock/internal/orders"
)

// reconciler brings a sale's gate and queue to where SQL is.
type reconciler struct {
	*core
	*ticketEnds
	*transitions
}

// Reconciliation is what was found and repaired in a sale.
type Reconciliation struct {
	// Rebuilt is whether the gate was rebuilt from SQL.
	Rebuilt bool `json:"rebuilt"`
	// Repaired is how many tickets were not where their orders or rejections are, or
	// had no message in the queue, and how many dead letters had no ticket.
	Repaired int `json:"repaired"`
	// Released is how many unsold units of a closed sale went back to the item's stock.
	Released int64 `json:"released"`
	// Sold is how many units SQL counts as sold, LiveUnits how many are in live orders.
	Sold      int64 `json:"sold"`
	LiveUnits int64 `json:"liveUnits"`
	// Consistent is whether SQL's two numbers and what the gate counts as confirmed are
	// the same, and the sale is balanced.
	Consistent bool  `json:"consistent"`
	Stats      Stats `json:"stats"`

	// confirmed is what the gate counted at the moment of Sold and LiveUnits.
	confirmed int64
	// unexplained is whether the gate does not add up although it knows all orders
	// that it can, and a gate rebuilt would.
	unexplained bool
	// letters are dead letters without a ticket, and those whose ticket is on record as
	// lost already, because the program ended before the letter was removed.
	letters []string
}

// Reconcile compares the gate of a sale with SQL, ticket by ticket, and brings it to
// where SQL is; and the tickets in flight with the messages of the queue, both ways.
//
//	a gate that is missing               is built from SQL
//	an order that the gate has forgotten is adopted, as a rejection is
//	a ticket without a message           gets one
//	a dead letter without a ticket       is rejected as lost, and removed; any other such
//	                                     message is, by the consumer that comes upon it
//	a gate that stays unexplained        is rebuilt once nobody waits in its queue
//
// Until then nothing is sold twice either: what is sold is counted in SQL. Each step waits
// at most wait for the lock of the item's stock.
//
// Errors: NotFound; TransitionNotAllowed for a draft; lock.ErrNotAcquired when the item's
// stock was not had in time, and what was mended before stays so; Unavailable.
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
		slog.ErrorContext(ctx, "a flash sale does not add up", "sale", id, "sold", r.Sold, "liveUnits", r.LiveUnits, "confirmed", r.confirmed, "stats", r.Stats)
	}
	return r, nil
}

func refuseDraft(sale *Sale) *apperr.Error {
	return apperr.New(apperr.TransitionNotAllowed, "%s is a draft: there is nothing to reconcile before it was opened.", sale.Label()).
		With("currentStatus", draft.Name).With("allowedTransitions", Machine.Allowed(draft))
}

// reconcileActive is the part of Reconcile that changes something.
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

// replace rebuilds a gate that cannot be explained, unless somebody waits in its
// queue, who would be lost: that is for the gate's store to see, in the step that ends it.
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

// repair brings the rules and the tickets of the gate to where SQL is, and the queue to
// where the tickets are, and says in r what it moved and what all count then.
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

// alignRules tells the gate the rules. Nobody is about to change the allotment, who would
// have the lock, so what is withheld for that was left behind.
func (s *reconciler) alignRules(ctx context.Context, sale *Sale, stock *Stock) error {
	if err := s.gate.Apply(ctx, rulesOf(sale, stock)); err != nil {
		return unreachable(err)
	}
	if err := s.gate.Withhold(ctx, stock.ref(), stock.Version, 0); err != nil && !errors.Is(err, gate.ErrOutdated) {
		return unreachable(err)
	}
	return nil
}

// alignEnds moves the tickets that ended to where they ended, and has the gate adopt those
// that it has forgotten.
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

// alignQueue tells the gate of messages that the queue itself gave up, and gives tickets
// that have none a message.
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
	strays, err := s.gate.Strays(ctx, stock.ref())
	if err != nil {
		return unreachable(err)
	}
	r.letters = append(r.letters, strays.DeadMessages...)
	if len(strays.Tickets) == 0 {
		return nil
	}
	slog.WarnContext(ctx, "tickets of a flash sale had lost their messages and were queued again", "sale", stock.SaleID, "tickets", len(strays.Tickets))
	queued, err := s.gate.Requeue(ctx, stock.ref(), strays.Tickets)
	r.Repaired += queued
	return unreachable(err)
}

// endLetters ends dead letters whose ticket the gate has lost: it records the losses in one
// unit, and then removes the letters. Should the program end in between, the tickets are
// known as lost, and the next reconciliation removes what is left.
func (s *reconciler) endLetters(ctx context.Context, sale *Sale, r *Reconciliation) error {
	// What was never a ticket is for a person to decide on.
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

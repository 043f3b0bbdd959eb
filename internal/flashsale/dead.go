package flashsale

import (
	"context"
	"errors"
	"strconv"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
	"interlock/internal/orders"
)

// DeadLetter is a ticket that is no longer handled.
type DeadLetter struct {
	// The ticket, or a generated id for a message that cannot be read.
	MessageID string `json:"messageId" validate:"required"`
	// Empty if the message cannot be read.
	UserID   string `json:"userId"`
	Quantity int64  `json:"quantity"`
	// Why the ticket became a dead letter, for display.
	Error        string    `json:"error"`
	Attempts     int       `json:"attempts" validate:"min=0"`
	Crashes      int       `json:"crashes" validate:"min=0"`
	EnqueuedTime time.Time `json:"enqueuedTime"`
	DeadTime     time.Time `json:"deadTime"`
	AgeSeconds   float64   `json:"ageSeconds"`
}

// SchemaName returns the name in the contract.
func (DeadLetter) SchemaName() string { return "FlashSaleDead" }

// deadLetters implements the handling of dead letters by the back office.
type deadLetters struct{ *ticketEnds }

// DeadLetters returns a page of a sale's dead letters, oldest death first, the cursor of
// the next page, and the total number. Errors: MalformedRequest for an invalid cursor;
// Unavailable.
func (s *deadLetters) DeadLetters(ctx context.Context, sale *Sale, after string, limit int) ([]DeadLetter, string, int64, error) {
	queue := s.queues.Queue(gate.QueueName(sale.ID))
	stats, err := queue.Stats(ctx)
	if err != nil {
		return nil, "", 0, unavailable(err)
	}
	found, next, err := queue.Dead(ctx, after, limit)
	if errors.Is(err, mq.ErrCursor) {
		return nil, "", 0, apperr.Malformed("?cursor", "must be a nextCursor of this list")
	}
	if err != nil {
		return nil, "", 0, unavailable(err)
	}
	dead := make([]DeadLetter, len(found))
	for i, m := range found {
		// A letter with an undecodable body is listed without its customer.
		ticket, _ := gate.TicketOf(m.Message)
		dead[i] = DeadLetter{
			MessageID: m.ID, UserID: ticket.User, Quantity: ticket.Units, Error: m.Error, Attempts: m.Attempts, Crashes: m.Crashes,
			EnqueuedTime: m.EnqueuedTime, DeadTime: m.DeadTime, AgeSeconds: s.clock.Now().Sub(m.DeadTime).Seconds(),
		}
	}
	return dead, next, stats.Dead, nil
}

// RetryDead moves a dead letter to the tail of the queue, with its attempts reset. Errors:
// NotFound; Unavailable.
func (s *deadLetters) RetryDead(ctx context.Context, units orders.Units, sale *Sale, message string) error {
	return s.decide(ctx, units, sale, message, "retry_dead", func(ctx context.Context, d *decision) error {
		if err := d.record(ctx, nil); err != nil {
			return err
		}
		if err := s.gate.RetryDead(ctx, d.stock.ref(), message); err != nil {
			return err
		}
		s.ticketQueued(sale.TenantID, sale.ID)
		return nil
	})
}

// DiscardDead rejects the ticket of a dead letter and deletes the letter; its units are for sale
// again. A ticket that has become an order since, because another user retried it, remains an
// order. DiscardDead waits at most wait for the inventory lock. Errors: NotFound;
// lock.ErrNotAcquired if the lock was not acquired in time, and nothing was done; Unavailable.
func (s *deadLetters) DiscardDead(ctx context.Context, units orders.Units, sale *Sale, message string, wait time.Duration) error {
	return s.decide(ctx, units, sale, message, "discard_dead", func(ctx context.Context, d *decision) error {
		err := s.locked(ctx, d.sale, wait, func(ctx context.Context, stock *Stock) error {
			if err := d.record(ctx, func(ctx context.Context, u *uow.Unit, letter mq.Message) error {
				return s.discard(ctx, u, sale.ID, letter)
			}); err != nil {
				return err
			}
			return s.moveToEnd(ctx, stock, message)
		})
		if err != nil {
			return err
		}
		s.announceUnitsReturned(ctx, sale.TenantID, sale.ID)
		return s.gate.DiscardDead(ctx, d.stock.ref(), message)
	})
}

// discard rejects the ticket of a letter, unless it is settled, in the unit that records
// who discarded it.
func (s *deadLetters) discard(ctx context.Context, u *uow.Unit, id int64, letter mq.Message) error {
	ticket, err := gate.TicketOf(letter)
	if err != nil {
		return nil //nolint:nilerr // a message without a valid ticket is only removed
	}
	stock, err := stockOf(s.db.Read(ctx), id)
	if err != nil {
		return err
	}
	ends, err := s.ended(ctx, stock.SaleID, []string{ticket.ID})
	if err != nil {
		return err
	}
	if _, has := ends[ticket.ID]; has {
		return nil
	}
	if err := guard.Update[Stock](ctx, u, stock.Ref(), guard.Set{"rejected": stock.Rejected + 1}); err != nil {
		return overtakenIfStale(err, "discard a ticket")
	}
	return insertRejections(ctx, u, stock.SaleID, []Rejection{rejectionOf(ticket, reasonDiscarded)})
}

// moveToEnd updates the gate with the result of a ticket.
func (s *deadLetters) moveToEnd(ctx context.Context, stock *Stock, ticket string) error {
	ends, err := s.ended(ctx, stock.SaleID, []string{ticket})
	if err != nil {
		return err
	}
	end, has := ends[ticket]
	if !has {
		return nil
	}
	_, err = s.gate.Move(ctx, stock.ref(), []gate.Step{{
		Ticket: ticket, From: gate.InFlight, To: end.State, OrderID: end.OrderID, OrderNo: end.OrderNo, Reason: end.Reason,
	}})
	return err
}

// decision is a user's decision on a dead letter.
type decision struct {
	service         *deadLetters
	units           orders.Units
	sale            *Sale
	stock           *Stock
	message, action string

	// recorded is true once the decision is committed; byRepeat is true if an earlier request has
	// committed it.
	recorded, byRepeat bool
}

// decide executes a decision on a dead letter. act records the decision as a version of the sale,
// and then executes it. If the queue cannot be reached after the record was committed, the caller
// gets an error and repeats the request; the repeat executes the recorded decision. If it finds no
// letter, the first request had executed it.
func (s *deadLetters) decide(ctx context.Context, units orders.Units, sale *Sale, message, action string, act func(ctx context.Context, d *decision) error) error {
	stock, err := stockOf(s.db.Read(ctx), sale.ID)
	if err != nil {
		return err
	}
	if stock == nil {
		return apperr.MissingRow("dead letter", message)
	}
	d := &decision{service: s, units: units, sale: sale, stock: stock, message: message, action: action}
	err = act(ctx, d)
	switch {
	case errors.Is(err, mq.ErrNoSuchMessage) && d.byRepeat:
		return nil
	case errors.Is(err, mq.ErrNoSuchMessage):
		return apperr.MissingRow("dead letter", message)
	}
	return gateError(err)
}

// record commits the decision and, in the same unit, the changes of also. Once it has succeeded,
// further calls do nothing. Errors: NotFound if the letter is not dead.
func (d *decision) record(ctx context.Context, also func(ctx context.Context, u *uow.Unit, letter mq.Message) error) error {
	if d.recorded {
		return nil
	}
	s := d.service
	d.byRepeat = true
	err := d.units.Do(ctx, d.action, &struct{}{}, func(ctx context.Context, u *uow.Unit) error {
		d.byRepeat = false
		letter, err := s.letter(ctx, d.sale.ID, d.message)
		switch {
		case err != nil:
			return unavailable(err)
		case letter == nil:
			return apperr.MissingRow("dead letter", d.message)
		}
		if err := s.insertDecision(ctx, u, d.sale, d.message, d.action); err != nil || also == nil {
			return err
		}
		return also(ctx, u, letter.Message)
	})
	d.recorded = err == nil
	return err
}

// insertDecision records a decision as a version of the sale, with its audit entry.
func (s *deadLetters) insertDecision(ctx context.Context, u *uow.Unit, sale *Sale, message, action string) error {
	err := guard.Adjust[Sale](ctx, u, sale.ID, nil, "id = ?", sale.ID)
	named := errors.Is(err, guard.ErrProposed)
	if named {
		err = guard.AdjustProposed[Sale](ctx, u, sale.ID, nil, "id = ?", sale.ID)
	}
	if err != nil {
		return err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	after, err := findSale(tx, sale.ID)
	if err != nil {
		return err
	}
	if err := insertHistory(ctx, u, after, action, message); err != nil {
		return err
	}
	s.auditAndAnnounce(u, action, after, map[string]any{"version": after.Version, "messageId": message, "sale": strconv.FormatInt(sale.ID, 10)})
	return s.markApprovalsStale(ctx, u, named, sale)
}

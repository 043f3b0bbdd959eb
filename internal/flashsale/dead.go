package flashsale

import (
	"context"
	"errors"
	"strconv"
	"time"

	"interlock/internal/apperr"
	"interlock/internal/guard"
	"interlock/internal/mq"
	"interlock/internal/uow"
)

// DeadLetter is a ticket that was given up.
type DeadLetter struct {
	// MessageID is the ticket, or a name made up for bytes that are no message.
	MessageID    string    `json:"messageId"`
	UserID       int64     `json:"userId"`
	Quantity     int64     `json:"quantity"`
	Error        string    `json:"error"`
	Attempts     int       `json:"attempts"`
	Crashes      int       `json:"crashes"`
	EnqueuedTime time.Time `json:"enqueuedTime"`
	DeadTime     time.Time `json:"deadTime"`
	AgeSeconds   float64   `json:"ageSeconds"`
}

// DeadLetters returns a page of a sale's dead letters, longest dead first, the cursor of
// the next page, and how many there are. Errors: NotFound; Unavailable.
func (s *Service) DeadLetters(ctx context.Context, id int64, after string, limit int) ([]DeadLetter, string, int64, error) {
	if _, err := s.Sale(ctx, id); err != nil {
		return nil, "", 0, err
	}
	queue := s.queues.Queue(QueueName(id))
	stats, err := queue.Stats(ctx)
	if err != nil {
		return nil, "", 0, unavailable(err)
	}
	found, next, err := queue.Dead(ctx, after, limit)
	if err != nil {
		return nil, "", 0, unavailable(err)
	}
	dead := make([]DeadLetter, len(found))
	for i, m := range found {
		// A body that cannot be read is shown without its customer.
		l, _ := letterOf(m.Message)
		dead[i] = DeadLetter{
			MessageID: m.ID, UserID: l.User, Quantity: l.Units, Error: m.Error, Attempts: m.Attempts, Crashes: m.Crashes,
			EnqueuedTime: m.EnqueuedTime, DeadTime: m.DeadTime, AgeSeconds: s.clock.Now().Sub(m.DeadTime).Seconds(),
		}
	}
	return dead, next, stats.Dead, nil
}

// RetryDead puts a dead letter at the tail of the queue, with no attempts. Errors:
// NotFound; Unavailable.
func (s *Service) RetryDead(ctx context.Context, id int64, message string) error {
	return s.decide(ctx, id, message, func(ctx context.Context, sale *Sale, stock *Stock) error {
		if err := s.record(ctx, sale, message, "retry_dead"); err != nil {
			return err
		}
		err := s.queues.Queue(QueueName(id)).RetryDead(ctx, message)
		if err != nil {
			return err
		}
		// Should a consumer have it already, the ticket is not dead any more.
		_, err = s.gate.Move(ctx, id, stock.Epoch, []Step{{Ticket: message, From: []State{Buried}, To: Queued}})
		return err
	})
}

// reasonDiscarded is why a discarded ticket is rejected.
const reasonDiscarded = "discarded"

// DiscardDead rejects the ticket of a dead letter and removes the letter; its units
// remain for sale again. It waits at most wait for the lock of the item's stock. Errors:
// NotFound; lock.ErrNotAcquired when that was not had in time, and nothing was done;
// Unavailable.
func (s *Service) DiscardDead(ctx context.Context, id int64, message string, wait time.Duration) error {
	return s.decide(ctx, id, message, func(ctx context.Context, sale *Sale, _ *Stock) error {
		recorded := false
		err := s.locked(ctx, sale, wait, func(ctx context.Context, stock *Stock) error {
			if !recorded {
				if err := s.record(ctx, sale, message, "discard_dead"); err != nil {
					return err
				}
				recorded = true
			}
			return s.reject(ctx, stock, message)
		})
		if err != nil {
			return err
		}
		s.exhausted.Delete(id)
		return s.queues.Queue(QueueName(id)).DiscardDead(ctx, message)
	})
}

// reject ends a ticket that is given up, unless it is an order: somebody else may have
// retried it, and a consumer be at it. That one holds the lock of the caller's from its
// first look at the gate to its COMMIT. The letter goes after the ticket: should it stay,
// what is made of it is nothing.
func (s *Service) reject(ctx context.Context, stock *Stock, ticket string) error {
	made, err := s.orders.OfTickets(ctx, stock.SaleID, []string{ticket})
	if err != nil {
		return err
	}
	step := rejection(ticket, reasonDiscarded)
	if order, there := made[ticket]; there {
		step = settlement(order)
	}
	_, err = s.gate.Move(ctx, stock.SaleID, stock.Epoch, []Step{step})
	return err
}

// decide does to a dead letter what somebody decided. Act records it first, as a version
// of the sale; when the queue cannot be reached after the record was committed, the
// caller is told so and decides again.
func (s *Service) decide(ctx context.Context, id int64, message string, act func(ctx context.Context, sale *Sale, stock *Stock) error) error {
	sale, err := s.Sale(ctx, id)
	if err != nil {
		return err
	}
	stock, err := stockOf(s.db.Read(ctx), id)
	if err != nil {
		return err
	}
	there, err := s.isDead(ctx, id, message)
	if err != nil {
		return unavailable(err)
	}
	if stock == nil || !there {
		return apperr.MissingRow("dead letter", message)
	}
	err = act(ctx, sale, stock)
	if errors.Is(err, mq.ErrNoSuchMessage) {
		return apperr.MissingRow("dead letter", message)
	}
	return gateError(err)
}

func (s *Service) isDead(ctx context.Context, id int64, message string) (bool, error) {
	queue := s.queues.Queue(QueueName(id))
	for after, more := "", true; more; more = after != "" {
		var dead []mq.DeadMessage
		var err error
		if dead, after, err = queue.Dead(ctx, after, mq.MaxListed); err != nil {
			return false, err
		}
		for _, m := range dead {
			if m.ID == message {
				return true, nil
			}
		}
	}
	return false, nil
}

func (s *Service) record(ctx context.Context, sale *Sale, message, action string) error {
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		if err := guard.Adjust[Sale](ctx, u, sale.ID, nil, "id = ?", sale.ID); err != nil {
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
		if err := keep(ctx, u, after, action, message); err != nil {
			return err
		}
		s.trace(u, action, after, map[string]any{"version": after.Version, "messageId": message, "sale": strconv.FormatInt(sale.ID, 10)})
		return nil
	})
}

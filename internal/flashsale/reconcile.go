package flashsale

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"interlock/internal/apperr"
	"interlock/internal/guard"
	"interlock/internal/mq"
	"interlock/internal/uow"
)

// Reconciliation is what a look at a sale found and mended.
type Reconciliation struct {
	// Rebuilt is whether the gate was built anew from SQL.
	Rebuilt bool `json:"rebuilt"`
	// Repaired is how many tickets were not where their orders are.
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
	// that it can, and a gate built anew would.
	unexplained bool
}

// Reconcile compares the gate of a sale with SQL, ticket by ticket, and brings it to
// where SQL is. A gate that is missing is built from the orders; tickets that were
// accepted and had no order are lost with the store that they were in. Orders that the
// gate has forgotten, because its store came back a little older, are adopted; a gate
// whose numbers stay unexplained is built anew once nobody waits in its queue. Until
// then nothing is sold twice either: what is sold is counted in SQL.
//
// Each step waits at most wait for the lock of the item's stock.
//
// Errors: NotFound; TransitionNotAllowed for a draft; lock.ErrNotAcquired when the item's
// stock was not had in time, and what was mended before stays so; Unavailable.
func (s *Service) Reconcile(ctx context.Context, id int64, wait time.Duration) (Reconciliation, error) {
	var r Reconciliation
	sale, err := s.Sale(ctx, id)
	if err != nil {
		return r, err
	}
	if sale.Status == draft.Code {
		return r, refuseDraft(sale)
	}
	if r.Rebuilt, err = s.rebuild(ctx, sale, wait); err != nil {
		return r, gateError(err)
	}
	if err = s.repair(ctx, sale, wait, &r); err != nil {
		return r, gateError(err)
	}
	if r.unexplained {
		if err = s.replace(ctx, sale, wait, &r); err != nil {
			return r, gateError(err)
		}
	}
	if r.Released, err = s.release(ctx, sale, wait); err != nil {
		return r, gateError(err)
	}
	if r.Stats, err = s.Stats(ctx, id); err != nil {
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

// locked runs fn under the lock of the item's stock, outside of any transaction: no
// batch of the sale is between its first look at the gate and its COMMIT.
func (s *Service) locked(ctx context.Context, sale *Sale, wait time.Duration, fn func(ctx context.Context, stock *Stock) error) error {
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		ctx, err := s.stock.Lock(ctx, u, wait, sale.SKU)
		if err != nil {
			return err
		}
		stock, err := stockOf(s.db.Read(ctx), sale.ID)
		if err != nil {
			return err
		}
		if stock == nil {
			return fmt.Errorf("%s was opened and has no units", sale.Label())
		}
		return fn(ctx, stock)
	})
}

// rebuild builds the gate anew when it is missing or of an earlier epoch. The new epoch
// is committed first; until the gate is built it admits nobody, and should the program
// end in between, the next one begins with another epoch.
func (s *Service) rebuild(ctx context.Context, sale *Sale, wait time.Duration) (bool, error) {
	stock, err := stockOf(s.db.Read(ctx), sale.ID)
	if err != nil || stock == nil {
		return false, err
	}
	if gone, err := s.isGateGone(ctx, stock); !gone || err != nil {
		return false, err
	}
	return s.buildAnew(ctx, sale, wait, stock.Epoch)
}

func (s *Service) isGateGone(ctx context.Context, stock *Stock) (bool, error) {
	counts, err := s.gate.Counts(ctx, stock.SaleID)
	if errors.Is(err, ErrNoGate) {
		return true, nil
	}
	return err == nil && counts.Epoch != stock.Epoch, away(err)
}

// buildAnew ends an epoch, whose queue is lost, and builds the gate of the next.
func (s *Service) buildAnew(ctx context.Context, sale *Sale, wait time.Duration, epoch int64) (bool, error) {
	if err := s.nextEpoch(ctx, sale, epoch); err != nil {
		return false, err
	}
	rebuilt := false
	err := s.locked(ctx, sale, wait, func(ctx context.Context, stock *Stock) error {
		gone, err := s.isGateGone(ctx, stock)
		if err != nil || !gone {
			return err
		}
		// Whatever is left in the queue is of an epoch that has ended.
		if err := s.queues.Queue(QueueName(sale.ID)).Purge(ctx); err != nil {
			return away(err)
		}
		current, err := s.Sale(ctx, sale.ID)
		if err != nil {
			return err
		}
		var tickets []Ticket
		err = s.orders.EachOfSale(ctx, sale.ID, func(part []Order) {
			for _, order := range part {
				tickets = append(tickets, *order.ticket())
			}
		})
		if err != nil {
			return err
		}
		rebuilt = true
		return away(s.gate.Build(ctx, rulesOf(current, stock), tickets))
	})
	s.forget(sale.ID)
	if err != nil || !rebuilt {
		return false, err
	}
	s.metrics.rebuilt.Inc()
	slog.WarnContext(ctx, "the gate of a flash sale was built anew from the database", "sale", sale.ID)
	return true, nil
}

// replace builds a gate anew that cannot be explained, unless somebody waits in its
// queue, who would be lost. The gate is shut while that is looked up; should the program
// end then, the next repair opens it.
func (s *Service) replace(ctx context.Context, sale *Sale, wait time.Duration, r *Reconciliation) error {
	var epoch int64
	waits := false
	err := s.locked(ctx, sale, wait, func(ctx context.Context, stock *Stock) error {
		current, err := s.Sale(ctx, sale.ID)
		if err != nil {
			return err
		}
		epoch = stock.Epoch
		rules := rulesOf(current, stock)
		shut := rules
		shut.Open = false
		if err := s.gate.Apply(ctx, shut); err != nil {
			return away(err)
		}
		stats, err := s.queues.Queue(QueueName(sale.ID)).Stats(ctx)
		if err != nil {
			return away(err)
		}
		if waits = stats.Pending+stats.Claimed+stats.Delayed+stats.Dead > 0; waits {
			return away(s.gate.Apply(ctx, rules))
		}
		return nil
	})
	if err != nil || waits {
		return err
	}
	if r.Rebuilt, err = s.buildAnew(ctx, sale, wait, epoch); err != nil {
		return err
	}
	repaired := r.Repaired
	err = s.repair(ctx, sale, wait, r)
	r.Repaired += repaired
	return err
}

// nextEpoch begins an epoch, unless somebody else has:
//
//	UPDATE flash_sale_stocks SET epoch = epoch + 1, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND (epoch = ?)
func (s *Service) nextEpoch(ctx context.Context, sale *Sale, epoch int64) error {
	return s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		tx, err := u.Tx(ctx)
		if err != nil {
			return err
		}
		stock, err := stockOf(tx, sale.ID)
		if err != nil || stock == nil || stock.Epoch != epoch {
			return err
		}
		err = guard.Adjust[Stock](ctx, u, stock.ID, guard.Set{"epoch": guard.Add("epoch", 1)}, "epoch = ?", epoch)
		if errors.Is(err, guard.ErrRefused) {
			return nil
		}
		u.Audit(uow.Entry{
			Action: "flash_sale.rebuild", Resource: Topic + "/" + strconv.FormatInt(sale.ID, 10), Detail: map[string]any{"epoch": epoch + 1},
		})
		return err
	})
}

// repair brings the rules and the tickets of the gate to where SQL is, and says in r
// what it moved and what both count then.
func (s *Service) repair(ctx context.Context, sale *Sale, wait time.Duration, r *Reconciliation) error {
	if err := s.buryDead(ctx, sale); err != nil {
		return err
	}
	err := s.locked(ctx, sale, wait, func(ctx context.Context, stock *Stock) error {
		current, err := s.Sale(ctx, sale.ID)
		if err != nil {
			return err
		}
		if err := s.gate.Apply(ctx, rulesOf(current, stock)); err != nil {
			return away(err)
		}
		r.Repaired, r.Sold, r.LiveUnits = 0, stock.Sold, 0
		var broken error
		err = s.orders.EachOfSale(ctx, sale.ID, func(part []Order) {
			if broken != nil {
				return
			}
			var moved int
			moved, broken = s.align(ctx, sale.ID, stock.Epoch, part)
			r.Repaired += moved
			for _, order := range part {
				if order.Live {
					r.LiveUnits += order.Units
				}
			}
		})
		if err = errors.Join(err, broken); err != nil {
			return err
		}
		counts, err := s.gate.Counts(ctx, sale.ID)
		r.confirmed = counts.Confirmed
		r.unexplained = r.LiveUnits <= stock.Allotted && (!counts.Balanced() || counts.Confirmed != r.LiveUnits)
		return away(err)
	})
	s.metrics.repaired.Add(float64(r.Repaired))
	return err
}

// align moves the tickets of orders to where the orders are, and has the gate adopt
// those that it has forgotten.
func (s *Service) align(ctx context.Context, sale, epoch int64, part []Order) (int, error) {
	steps := make([]Step, len(part))
	for i, order := range part {
		steps[i] = settlement(order)
		if !order.Live {
			steps[i].From = append(steps[i].From, Confirmed)
		}
	}
	before, err := s.gate.Move(ctx, sale, epoch, nop(steps))
	if err != nil {
		return 0, away(err)
	}
	after, err := s.gate.Move(ctx, sale, epoch, steps)
	if err != nil {
		return 0, away(err)
	}
	moved := 0
	var forgotten []Ticket
	for i := range after {
		switch {
		case after[i] == nil:
			forgotten = append(forgotten, *part[i].ticket())
		case before[i] != nil && after[i].State != before[i].State:
			moved++
		}
	}
	if len(forgotten) == 0 {
		return moved, nil
	}
	adopted, err := s.gate.Adopt(ctx, sale, epoch, forgotten)
	return moved + adopted, away(err)
}

// nop are steps that move nothing, to read tickets by.
func nop(steps []Step) []Step {
	reading := make([]Step, len(steps))
	for i, step := range steps {
		reading[i] = Step{Ticket: step.Ticket, To: step.To}
	}
	return reading
}

// buryDead tells the gate of messages that the queue itself gave up.
func (s *Service) buryDead(ctx context.Context, sale *Sale) error {
	stock, err := stockOf(s.db.Read(ctx), sale.ID)
	if err != nil || stock == nil {
		return err
	}
	queue := s.queues.Queue(QueueName(sale.ID))
	for after, more := "", true; more; more = after != "" {
		var dead []mq.DeadMessage
		if dead, after, err = queue.Dead(ctx, after, mq.MaxListed); err != nil {
			return away(err)
		}
		steps := make([]Step, len(dead))
		for i, m := range dead {
			steps[i] = Step{Ticket: m.ID, From: []State{Queued, Processing}, To: Buried}
		}
		if len(steps) == 0 {
			return nil
		}
		if _, err := s.gate.Move(ctx, sale.ID, stock.Epoch, steps); err != nil {
			return away(err)
		}
	}
	return nil
}

// release returns what is left of a closed sale to the item's stock, once its queue has
// drained, and returns how many units that were.
func (s *Service) release(ctx context.Context, sale *Sale, wait time.Duration) (int64, error) {
	if sale.Status != closed.Code {
		return 0, nil
	}
	var released int64
	err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		released = 0
		ctx, err := s.stock.Lock(ctx, u, wait, sale.SKU)
		if err != nil {
			return err
		}
		stock, err := stockOf(s.db.Read(ctx), sale.ID)
		if err != nil || stock == nil {
			return err
		}
		// The gate first learns what an earlier release has taken.
		if err := s.gate.Apply(ctx, rulesOf(sale, stock)); err != nil {
			return away(err)
		}
		counts, err := s.gate.Counts(ctx, sale.ID)
		if err != nil {
			return away(err)
		}
		units := min(counts.Remaining, stock.Allotted-stock.Sold)
		if units <= 0 || counts.Queued+counts.Processing > 0 {
			return nil
		}
		released = units
		return s.giveUp(ctx, u, sale, stock, units)
	})
	if err == nil && released > 0 {
		err = away(s.apply(ctx, sale.ID))
	}
	return released, err
}

func (s *Service) giveUp(ctx context.Context, u *uow.Unit, sale *Sale, stock *Stock, units int64) error {
	if err := guard.Update[Stock](ctx, u, stock.Ref(), guard.Set{"allotted": stock.Allotted - units}); err != nil {
		if errors.Is(err, guard.ErrStale) {
			return uow.Again(err)
		}
		return fmt.Errorf("release the unsold: %w", err)
	}
	reference := fmt.Sprintf("@flash-sales/%d/release/%d", sale.ID, stock.Version)
	if err := s.stock.Return(ctx, u, sale.holder(), reference, map[string]int64{sale.SKU: units}); err != nil {
		return err
	}
	u.Audit(uow.Entry{
		Action: "flash_sale.release", Resource: Topic + "/" + strconv.FormatInt(sale.ID, 10), Detail: map[string]any{"units": units},
	})
	return nil
}

package flashsale

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/flashsale/gate"
)

// numbersRetention is how long the gate's store retains the numbers of a finished sale.
const numbersRetention = 7 * 24 * time.Hour

// settleClosed returns the unsold units of a closed sale to the inventory once its queue is
// empty, and finishes the sale when nothing of it is in flight. It returns the number of
// released units.
func (s *transitions) settleClosed(ctx context.Context, sale *Sale, wait time.Duration) (int64, error) {
	if sale.Status != closed.Code {
		return 0, nil
	}
	released, err := s.release(ctx, sale, wait)
	if err != nil {
		return released, err
	}
	return released, s.finish(ctx, sale)
}

func (s *transitions) release(ctx context.Context, sale *Sale, wait time.Duration) (int64, error) {
	var released int64
	err := s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		released = 0
		ctx, err := s.inventory.Lock(ctx, u, wait, sale.SKU)
		if err != nil {
			return err
		}
		stock, err := stockOf(s.db.Read(ctx), sale.ID)
		if err != nil || stock == nil || stock.Finished {
			return err
		}
		rest, err := s.unsold(ctx, sale, stock)
		if err != nil || rest <= 0 {
			return err
		}
		released = rest
		return s.returnUnsold(ctx, u, sale, stock, rest)
	})
	if err == nil && released > 0 {
		if err = s.apply(ctx, sale.ID); errors.Is(err, gate.ErrNoGate) {
			err = nil
		}
	}
	return released, unreachable(err)
}

// unsold returns the number of units of a closed sale that no customer can get any more. If the
// gate is lost or damaged, these are all units that are not sold in SQL.
func (s *transitions) unsold(ctx context.Context, sale *Sale, stock *Stock) (int64, error) {
	var counts gate.Counts
	// First report an earlier release to the gate.
	err := s.gate.Apply(ctx, rulesOf(sale, stock))
	if err == nil {
		counts, err = s.gate.Counts(ctx, sale.ID)
	}
	switch {
	case errors.Is(err, gate.ErrNoGate):
		return stock.Allotted - stock.Sold, nil
	case err != nil:
		return 0, unreachable(err)
	}
	if counts.Queued+counts.Processing > 0 {
		return 0, nil
	}
	return min(counts.Remaining, stock.Allotted-stock.Sold), nil
}

func (s *transitions) returnUnsold(ctx context.Context, u *uow.Unit, sale *Sale, stock *Stock, units int64) error {
	if err := guard.Update[Stock](ctx, u, stock.Ref(), guard.Set{"allotted": stock.Allotted - units}); err != nil {
		return overtakenIfStale(err, "release the unsold")
	}
	reference := fmt.Sprintf("@flash-sales/%d/release/%d", sale.ID, stock.Version)
	if err := s.inventory.Return(ctx, u, sale.holder(), reference, map[string]int64{sale.SKU: units}); err != nil {
		return err
	}
	u.Audit(uow.Entry{
		Action: "flash_sale.release", Resource: Topic + "/" + strconv.FormatInt(sale.ID, 10), Detail: map[string]any{"units": units},
	})
	return nil
}

// finish ends the supervision of a closed sale of which nothing is in flight in SQL, the gate or
// the queue. From then on its tickets are read only from SQL, and cancelled units go directly to
// the inventory. finish first sets an expiry in the gate's store; if the program ends after that,
// the next round finishes the sale.
//
//	UPDATE flash_sale_stocks SET finished = 1, version = version + 1 WHERE … AND version = ?
func (s *transitions) finish(ctx context.Context, sale *Sale) error {
	stock, err := stockOf(s.db.Read(ctx), sale.ID)
	if err != nil || stock == nil || stock.Finished || stock.Allotted != stock.Sold {
		return err
	}
	if idle, err := s.isIdle(ctx, sale, stock); err != nil || !idle {
		return err
	}
	if err := s.gate.Expire(ctx, sale.ID, numbersRetention); err != nil {
		return unreachable(err)
	}
	err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		if err := guard.Update[Stock](ctx, u, stock.Ref(), guard.Set{"finished": true}); err != nil {
			return err
		}
		u.Audit(uow.Entry{Action: "flash_sale.finish", Resource: Topic + "/" + strconv.FormatInt(sale.ID, 10)})
		u.AfterCommit(func(context.Context) { s.forget(sale.ID) })
		return nil
	})
	if errors.Is(err, guard.ErrStale) {
		// The units changed: the next round reads them again.
		return nil
	}
	return err
}

// isIdle reports whether neither the gate nor the queue of a closed sale contains anything
// unsettled. A gate that has not received the closing could still admit a purchase.
func (s *transitions) isIdle(ctx context.Context, sale *Sale, stock *Stock) (bool, error) {
	counts, err := s.gate.Counts(ctx, sale.ID)
	switch {
	case errors.Is(err, gate.ErrNoGate):
		counts = gate.Counts{Epoch: stock.Epoch, Version: sale.Version}
	case err != nil:
		return false, unreachable(err)
	}
	if counts.Epoch != stock.Epoch || counts.Version < sale.Version || counts.InFlight() > 0 || counts.Queued+counts.Processing+counts.Dead > 0 {
		return false, nil
	}
	queue, err := s.queues.Queue(gate.QueueName(sale.ID)).Stats(ctx)
	return err == nil && queue.Total() == 0, unreachable(err)
}

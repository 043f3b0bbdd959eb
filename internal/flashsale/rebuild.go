package flashsale

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/flashsale/gate"
	"interlock/internal/orders"
)

// isGateMissing reports whether the sale has no gate of the epoch that is current in SQL.
func (s *reconciler) isGateMissing(ctx context.Context, stock *Stock) (bool, error) {
	counts, err := s.gate.Counts(ctx, stock.SaleID)
	if errors.Is(err, gate.ErrNoGate) {
		return true, nil
	}
	return err == nil && counts.Epoch != stock.Epoch, unreachable(err)
}

// rebuild rebuilds the gate if there is none of the current epoch, and reports whether it
// did.
func (s *reconciler) rebuild(ctx context.Context, sale *Sale, wait time.Duration) (bool, error) {
	stock, err := stockOf(s.db.Read(ctx), sale.ID)
	if err != nil || stock == nil {
		return false, err
	}
	if gone, err := s.isGateMissing(ctx, stock); !gone || err != nil {
		return false, err
	}
	return s.replaceGate(ctx, sale, wait, stock.Epoch, false)
}

// replaceGate ends an epoch after the loss of its queue, and builds the gate of the next one:
//
//	the gate's store retires the epoch, unless it has a sound gate by now
//	SQL starts the next epoch
//	the gate is built from SQL, under the inventory lock of the item
//
// If the program ends in between, or is paused and resumes late, the next caller starts
// another epoch: no purchase is accepted before the last step, which the store accepts for
// the latest epoch only.
func (s *reconciler) replaceGate(ctx context.Context, sale *Sale, wait time.Duration, epoch int64, replace bool) (bool, error) {
	over, err := s.gate.Retire(ctx, gate.Ref{Sale: sale.ID, Epoch: epoch}, replace)
	if err != nil || !over {
		return false, unreachable(err)
	}
	if err := s.nextEpoch(ctx, sale, epoch); err != nil {
		return false, err
	}
	rebuilt := false
	err = s.locked(ctx, sale, wait, func(ctx context.Context, stock *Stock) error {
		if gone, err := s.isGateMissing(ctx, stock); err != nil || !gone {
			return err
		}
		current, err := s.Sale(ctx, sale.ID)
		if err != nil {
			return err
		}
		tickets, err := s.endedTickets(ctx, sale.ID)
		if err != nil {
			return err
		}
		if err := s.gate.Build(ctx, rulesOf(current, stock), tickets); err != nil {
			return unreachable(err)
		}
		// The store may have retired this epoch in the meantime, too.
		gone, err := s.isGateMissing(ctx, stock)
		rebuilt = err == nil && !gone
		return err
	})
	s.forget(sale.ID)
	if err != nil || !rebuilt {
		return false, err
	}
	s.metrics.rebuilt.Inc()
	slog.WarnContext(ctx, "flash sale: gate rebuilt from the database; tickets in flight are lost", "sale", sale.ID)
	return true, nil
}

// endedTickets returns all tickets of a sale in SQL.
func (s *reconciler) endedTickets(ctx context.Context, sale int64) ([]gate.Ticket, error) {
	var tickets []gate.Ticket
	err := s.orders.EachOfSale(ctx, sale, func(part []orders.SaleOrder) error {
		for _, order := range part {
			tickets = append(tickets, ticketOf(order))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachRejection(s.db.Read(ctx), sale, func(part []Rejection) error {
		for _, r := range part {
			tickets = append(tickets, r.ticket())
		}
		return nil
	})
	return tickets, err
}

// nextEpoch starts an epoch, unless another process has:
//
//	UPDATE flash_sale_stocks SET epoch = epoch + 1, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND (epoch = ?)
//
// The version prevents a delayed batch of the old epoch from selling anything in the new
// one.
func (s *reconciler) nextEpoch(ctx context.Context, sale *Sale, epoch int64) error {
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

package flashsale

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"interlock/internal/base/apperr"
	"interlock/internal/base/status"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/flashsale/gate"
)

// transitions moves sales between statuses, together with their units: from the inventory
// when a sale is opened, and back when it is closed and finished.
type transitions struct{ *core }

// Transition moves a sale that was just read; see change.Lifecycle for rejections. Opening
// reserves the sale's quantity in the inventory and builds the gate; after closing, unsold
// units are released once the queue is empty.
//
// Further errors, for open: ValidationFailed if the item is not for sale or the sale has
// already ended; InsufficientStock; lock.ErrNotAcquired if the inventory lock was not
// acquired in time.
func (s *transitions) Transition(ctx context.Context, u *uow.Unit, sale *Sale, action string, ifMatch *guard.Precondition) (*Sale, error) {
	if err := s.lifecycle().CheckPrecondition(sale, ifMatch); err != nil {
		return nil, err
	}
	opening, itemName := action == "open" && sale.Status == draft.Code, sale.ItemName
	if opening {
		var err error
		if ctx, err = s.inventory.Lock(ctx, u, lockWait, sale.SKU); err != nil {
			return nil, err
		}
		if !sale.EndsTime.After(u.Now()) {
			return nil, apperr.Invalid(apperr.Field{Pointer: "/endsTime", Code: "over", Message: "has passed, so the sale cannot be opened; set a later time first"})
		}
		if itemName, err = s.itemName(ctx, u, sale.SKU); err != nil {
			return nil, err
		}
	}
	var named bool
	after, err := s.lifecycle().Transition(ctx, u, sale, action, ifMatch, func(to status.State) (*Sale, error) {
		after := *sale
		after.Status, after.ItemName = to.Code, itemName
		err := guard.Transition[Sale](ctx, u, sale.Ref(), Machine.Of(sale.Status), to, guard.Set{"item_name": itemName})
		if named = errors.Is(err, guard.ErrProposed); named {
			err = guard.TransitionProposed[Sale](ctx, u, sale.Ref(), Machine.Of(sale.Status), to, guard.Set{"item_name": itemName})
		}
		if err != nil {
			return nil, err
		}
		return &after, guard.Advance(ctx, u, &after)
	})
	if err != nil {
		return nil, err
	}
	if opening {
		if err := s.allot(ctx, u, after); err != nil {
			return nil, err
		}
	}
	if err := insertHistory(ctx, u, after, action, ""); err != nil {
		return nil, err
	}
	s.auditAndAnnounce(u, action, after, map[string]any{
		"version": after.Version, "from": Machine.Of(sale.Status).Name, "to": Machine.Of(after.Status).Name,
	})
	u.AfterCommit(func(ctx context.Context) { s.applyCommitted(ctx, after.ID) })
	return after, s.markApprovalsStale(ctx, u, named, after)
}

// allot creates the units of a sale that is being opened.
func (s *transitions) allot(ctx context.Context, u *uow.Unit, sale *Sale) error {
	stock := &Stock{SaleID: sale.ID, Allotted: sale.Quantity, Epoch: 1}
	if err := guard.Insert(ctx, u, stock); err != nil {
		return fmt.Errorf("insert the sale's units: %w", err)
	}
	reference := fmt.Sprintf("@flash-sales/%d/open", sale.ID)
	if err := s.inventory.Reserve(ctx, u, sale.holder(), reference, map[string]int64{sale.SKU: sale.Quantity}); err != nil {
		return err
	}
	rules := rulesOf(sale, stock)
	u.AfterCommit(func(ctx context.Context) {
		// If the sale already has a gate, of this epoch or a later one, Build does nothing.
		if err := s.gate.Build(ctx, rules, nil); err != nil {
			slog.WarnContext(ctx, "flash sale: gate build failed; will retry", "sale", sale.ID, "error", err)
			s.wakeWorker()
		}
	})
	return nil
}

// ReturnUnits returns the units of a cancelled order to its sale, in the order's unit,
// which has the inventory lock: from the order's holder to the sale's. They are for sale
// again, or, if the sale is closed, are released to the inventory later; if it is finished,
// immediately.
func (s *transitions) ReturnUnits(ctx context.Context, u *uow.Unit, id int64, ticket, holder string, units int64) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	sale, err := findSale(tx, id)
	if err != nil {
		return fmt.Errorf("read the flash sale of an order: %w", err)
	}
	stock, err := stockOf(tx, id)
	if err != nil {
		return err
	}
	if stock == nil {
		return fmt.Errorf("%s has orders and no units", sale.Label())
	}
	if err := subtractSold(ctx, u, stock, units); err != nil {
		return overtakenIfStale(err, "return units")
	}
	if stock.Finished {
		reference := fmt.Sprintf("@flash-sales/%d/tickets/%s", id, ticket)
		return s.inventory.Return(ctx, u, holder, reference, map[string]int64{sale.SKU: units})
	}
	if err := s.inventory.TransferHold(ctx, u, sale.SKU, holder, map[string]int64{sale.holder(): units}); err != nil {
		return err
	}
	u.AfterCommit(func(ctx context.Context) {
		s.move(ctx, id, gate.Step{Ticket: ticket, From: []gate.State{gate.Queued, gate.Processing, gate.Buried, gate.Confirmed}, To: gate.Cancelled})
		s.announceUnitsReturned(ctx, sale.TenantID, id)
		s.wakeWorker()
	})
	return nil
}

// move sends one gate update after its cause was committed. If it fails, the reconciler
// detects the difference.
func (s *transitions) move(ctx context.Context, sale int64, step gate.Step) {
	stock, err := stockOf(s.db.Read(ctx), sale)
	if err == nil && stock != nil {
		_, err = s.gate.Move(ctx, stock.ref(), []gate.Step{step})
	}
	if err != nil {
		slog.WarnContext(ctx, "flash sale: gate update of a ticket failed; the reconciler will retry", "sale", sale, "ticket", step.Ticket, "error", err)
	}
}

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

// transitions moves sales from one status to the next, and their units with them: out of the
// item's stock when a sale is opened, back there when it is closed and finished.
type transitions struct{ *core }

// Transition moves a sale that was just read; see change.Lifecycle for what is refused. Opening
// reserves the sale's quantity of the item's stock and builds the gate; closing leaves
// what is unsold to be released once the queue has drained.
//
// Errors, besides, for open: ValidationFailed when the item is not for sale or the sale
// is over already; InsufficientStock; lock.ErrNotAcquired when the item's stock was not
// had in time.
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
			return nil, apperr.Invalid(apperr.Field{Pointer: "/endsTime", Code: "over", Message: "has passed, so the sale cannot be opened; move it first"})
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

// allot gives a sale that is being opened its units.
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
		// A gate that is there already is of a later epoch, or of this one.
		if err := s.gate.Build(ctx, rules, nil); err != nil {
			slog.WarnContext(ctx, "the gate of a new sale could not be built and will be tried again", "sale", sale.ID, "error", err)
			s.wakeWorker()
		}
	})
	return nil
}

// ReturnUnits takes the units of a cancelled order back into its sale, in the order's own
// unit, which has the lock of the item's stock: from the order's holder to the sale's.
// They are for sale again, or, when the sale is closed, released to the item's stock; once
// it is finished they go there at once.
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
		return overtakenIfStale(err, "take units back")
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

// move takes one step of the gate after its cause was committed. Should it fail, the
// reconciler finds the difference.
func (s *transitions) move(ctx context.Context, sale int64, step gate.Step) {
	stock, err := stockOf(s.db.Read(ctx), sale)
	if err == nil && stock != nil {
		_, err = s.gate.Move(ctx, stock.ref(), []gate.Step{step})
	}
	if err != nil {
		slog.WarnContext(ctx, "the gate has not heard of a ticket and will be told again", "sale", sale, "ticket", step.Ticket, "error", err)
	}
}

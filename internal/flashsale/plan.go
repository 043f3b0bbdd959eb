package flashsale

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/flashsale/gate"
)

// lockPatience is how long a change of the allotment waits for the item's stock.
const lockPatience = 3 * time.Second

// Plan adds a sale as a draft. Errors: ValidationFailed.
func (s *Service) Plan(ctx context.Context, u *uow.Unit, terms Terms) (*Sale, error) {
	if broken := terms.check(); len(broken) > 0 {
		return nil, apperr.Invalid(broken...)
	}
	secret, err := newSecret(s.random)
	if err != nil {
		return nil, err
	}
	sale := &Sale{Terms: terms, Status: draft.Code, Secret: secret}
	if sale.ItemName, err = s.itemName(ctx, u, terms.SKU); err != nil {
		return nil, err
	}
	if err := guard.Insert(ctx, u, sale); err != nil {
		return nil, fmt.Errorf("insert flash sale: %w", err)
	}
	s.trace(u, "create", sale, map[string]any{"version": sale.Version, "terms": terms})
	return sale, keep(ctx, u, sale, "create", "")
}

// itemName returns the name of the item that a sale is to sell. Errors:
// ValidationFailed when it cannot be ordered now.
func (s *Service) itemName(ctx context.Context, u *uow.Unit, sku string) (string, error) {
	found, name := false, ""
	err := s.items.ForSale(ctx, u, []string{sku}, func(_, item string, _ int64) { found, name = true, item })
	if err != nil {
		return "", err
	}
	if !found {
		return "", apperr.Invalid(apperr.Field{Pointer: "/sku", Code: "not_for_sale", Message: "names no item that is for sale"})
	}
	return name, nil
}

// Delete removes a draft that was just read. Errors: VersionConflict, InUse.
func (s *Service) Delete(ctx context.Context, u *uow.Unit, sale *Sale, ifMatch guard.Precondition) error {
	s.trace(u, "delete", sale, map[string]any{"version": sale.Version, "terms": sale.Terms})
	return change.Delete(ctx, u, s.editing(), sale, ifMatch, func() error {
		if sale.Status != draft.Code {
			return apperr.New(apperr.InUse, "%s was opened, so it cannot be deleted. Close it instead.", sale.Label())
		}
		return guard.Delete[Sale](ctx, u, sale.Ref())
	})
}

// Edit changes a sale that was just read; see change.Apply for what is refused. Of one
// that was opened the quantity moves the allotment: more is reserved of the item's
// stock, or units that nobody has bought go back there.
//
// Errors, besides: TransitionNotAllowed for a closed sale; InsufficientStock when there
// is not as much; SoldOut when fewer units remain than are to be taken away;
// lock.ErrNotAcquired when the item's stock was not had in time; Unavailable.
func (s *Service) Edit(ctx context.Context, u *uow.Unit, sale *Sale, edit change.Edit) (change.Edited[*Sale], error) {
	var none change.Edited[*Sale]
	if sale.Status == closed.Code && edit.IfMatch.Holds(sale.Ref()) {
		return none, change.Refusal(moving{s}, sale, apperr.TransitionNotAllowed, "be changed")
	}
	delta := quantityDelta(sale, edit)
	if sale.Status == draft.Code || delta == 0 || !edit.IfMatch.Holds(sale.Ref()) && !edit.MergeDisjoint {
		return change.Apply(ctx, u, s.editing(), sale, edit)
	}
	ctx, err := s.inventory.Lock(ctx, u, lockPatience, sale.SKU)
	if err != nil {
		return none, err
	}
	stock, err := stockOf(s.db.Read(ctx), sale.ID)
	if err != nil {
		return none, err
	}
	if stock == nil {
		return none, fmt.Errorf("%s was opened and has no units", sale.Label())
	}
	if delta < 0 {
		if err := s.withhold(ctx, sale, stock, -delta); err != nil {
			return none, err
		}
	}
	how := s.editing()
	how.stock = stock
	edited, err := change.Apply(ctx, u, how, sale, edit)
	if err != nil && delta < 0 {
		s.giveBack(ctx, stock)
	}
	return edited, err
}

// quantityDelta is by how much an edit changes the quantity.
func quantityDelta(sale *Sale, edit change.Edit) int64 {
	patch, _ := edit.Patch.(map[string]any)
	wanted, ok := patch["quantity"]
	if !ok {
		return 0
	}
	var quantity int64
	if merge.Decode(wanted, &quantity) != nil {
		return 0
	}
	return quantity - sale.Quantity
}

// withhold takes units out of the gate before SQL gives them away, so that no customer
// is let in on them meanwhile.
func (s *Service) withhold(ctx context.Context, sale *Sale, stock *Stock, units int64) error {
	if err := s.gate.Apply(ctx, rulesOf(sale, stock)); err != nil {
		return gateError(err)
	}
	err := s.gate.Withhold(ctx, stock.ref(), stock.Version, units)
	if errors.Is(err, gate.ErrTooFew) {
		return apperr.New(apperr.SoldOut, "Fewer than %d units of %s remain; nothing was changed.", units, sale.Label())
	}
	return gateError(err)
}

// giveBack has the gate sell again what was withheld for a change that SQL refused. Should
// it be away, or the change fail later than here, the reconciler does.
func (s *Service) giveBack(ctx context.Context, stock *Stock) {
	ctx = context.WithoutCancel(ctx)
	if err := s.gate.Withhold(ctx, stock.ref(), stock.Version, 0); err != nil {
		slog.WarnContext(ctx, "the gate withholds units that it may sell, until the sale is reconciled", "sale", stock.SaleID, "error", err)
	}
}

// editing tells package change how sales are edited.
type editing struct {
	*Service
	change.Rows[Sale]
	// stock is what the edit was decided by when it changes the allotment.
	stock *Stock
}

func (s *Service) editing() editing { return editing{Service: s, Rows: change.Rows[Sale]{DB: s.db}} }

func (editing) Label(sale *Sale) string { return sale.Label() }

func (editing) View(sale *Sale) any { return represent(*sale) }

// Document leaves out what is null, as a merge patch does that clears it.
func (editing) Document(sale *Sale) (any, error) {
	tree, err := merge.Tree(sale.Terms)
	if members, ok := tree.(map[string]any); ok {
		maps.DeleteFunc(members, func(_ string, value any) bool { return value == nil })
	}
	return tree, err
}

func (e editing) At(ctx context.Context, sale *Sale, version int64) (*Sale, error) {
	var revision Revision
	err := e.db.Read(ctx).Where("sale_id = ? AND version = ?", sale.ID, version).Take(&revision).Error
	if err != nil {
		return nil, err
	}
	return revision.restore(sale), nil
}

func (editing) Revise(sale *Sale, document any) (*Sale, guard.Set, error) {
	var terms Terms
	if err := merge.Decode(document, &terms); err != nil {
		return nil, nil, fmt.Errorf("read an edited flash sale: %w", err)
	}
	broken := terms.check()
	if sale.Status != draft.Code {
		broken = append(broken, sale.fixed(terms)...)
	}
	if len(broken) > 0 {
		return nil, nil, apperr.Invalid(broken...)
	}
	after := *sale
	after.Terms = terms
	return &after, terms.columns(), nil
}

func (e editing) Record(ctx context.Context, u *uow.Unit, before, after *Sale) error {
	switch {
	case before.Status == draft.Code && before.SKU != after.SKU:
		if _, err := e.itemName(ctx, u, after.SKU); err != nil {
			return err
		}
	case before.Status != draft.Code:
		if err := e.reallot(ctx, u, after, after.Quantity-before.Quantity); err != nil {
			return err
		}
	}
	e.trace(u, "update", after, map[string]any{
		"fromVersion": before.Version, "version": after.Version, "before": before.Terms, "after": after.Terms,
	})
	if before.Status != draft.Code {
		u.AfterCommit(func(ctx context.Context) { e.tell(ctx, after.ID) })
	}
	return keep(ctx, u, after, "update", "")
}

// reallot moves units between the item's stock and an opened sale. The unit has the lock
// of the item's stock, and goes through only if the sale's units are as they were when the
// gate was asked for them:
//
//	UPDATE flash_sale_stocks SET allotted = ?, version = version + 1 WHERE … AND version = ?
func (e editing) reallot(ctx context.Context, u *uow.Unit, sale *Sale, delta int64) error {
	if delta == 0 {
		return nil
	}
	allotted := e.stock.Allotted + delta
	if allotted < e.stock.Sold {
		return apperr.New(apperr.SoldOut, "More than %d units of %s are sold; nothing was changed.", allotted, sale.Label())
	}
	if err := guard.Update[Stock](ctx, u, e.stock.Ref(), guard.Set{"allotted": allotted}); err != nil {
		return staleAgain(err, "change the allotment")
	}
	reference := fmt.Sprintf("@flash-sales/%d/version/%d", sale.ID, sale.Version)
	if delta > 0 {
		return e.inventory.Reserve(ctx, u, sale.holder(), reference, map[string]int64{sale.SKU: delta})
	}
	return e.inventory.Return(ctx, u, sale.holder(), reference, map[string]int64{sale.SKU: -delta})
}

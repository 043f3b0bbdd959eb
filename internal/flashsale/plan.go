package flashsale

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"

	"gorm.io/gorm"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/flashsale/gate"
)

// planner implements planning and editing of sales.
type planner struct{ *core }

// Plan adds a sale as a draft. Errors: ValidationFailed.
func (s *planner) Plan(ctx context.Context, u *uow.Unit, terms Terms) (*Sale, error) {
	if err := terms.check(); err != nil {
		return nil, err
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
	s.auditAndAnnounce(u, "create", sale, map[string]any{"version": sale.Version, "terms": terms})
	return sale, insertHistory(ctx, u, sale, "create", "")
}

// Delete deletes a draft that was just read. Errors: VersionConflict, InUse.
func (s *planner) Delete(ctx context.Context, u *uow.Unit, sale *Sale, ifMatch guard.Precondition) error {
	s.auditAndAnnounce(u, "delete", sale, map[string]any{"version": sale.Version, "terms": sale.Terms})
	return s.editable(nil).Delete(ctx, u, sale, ifMatch, func() error {
		if sale.Status != draft.Code {
			return apperr.New(apperr.InUse, "%s was opened, so it cannot be deleted. Close it instead.", sale.Label())
		}
		err := guard.Delete[Sale](ctx, u, sale.Ref())
		if errors.Is(err, guard.ErrProposed) {
			if err = guard.DeleteProposed[Sale](ctx, u, sale.Ref()); err == nil {
				err = s.markApprovalsStale(ctx, u, true, sale)
			}
		}
		return err
	})
}

// Edit changes a sale that was just read; see change.Editable.Apply for rejections. After opening,
// a change of the quantity changes the allotment: Edit reserves more units of the inventory, or
// returns unsold units.
//
// Further errors: TransitionNotAllowed for a closed sale; InsufficientStock if the
// inventory has too few units; SoldOut if fewer units remain than are removed;
// lock.ErrNotAcquired if the inventory lock was not acquired in time; Unavailable.
func (s *planner) Edit(ctx context.Context, u *uow.Unit, sale *Sale, edit change.Edit) (change.Edited[*Sale], error) {
	var none change.Edited[*Sale]
	if sale.Status == closed.Code && edit.IfMatch.Matches(sale.Ref()) {
		return none, s.lifecycle().Refusal(ctx, sale, apperr.TransitionNotAllowed, "changed")
	}
	delta := quantityDelta(sale, edit)
	if sale.Status == draft.Code || delta == 0 || approvals.Scheduled(ctx) || !edit.IfMatch.Matches(sale.Ref()) && !edit.MergeDisjoint {
		return s.editable(nil).Apply(ctx, u, sale, edit)
	}
	ctx, stock, err := s.lockUnits(ctx, u, sale, delta)
	if err != nil {
		return none, err
	}
	return s.editable(stock).Apply(ctx, u, sale, edit)
}

// lockUnits prepares a change of the quantity of an opened sale, before the unit's
// transaction begins: it acquires the inventory lock, and withholds removed units in the
// gate.
func (s *planner) lockUnits(ctx context.Context, u *uow.Unit, sale *Sale, delta int64) (context.Context, *Stock, error) {
	ctx, err := s.inventory.Lock(ctx, u, lockWait, sale.SKU)
	if err != nil {
		return ctx, nil, err
	}
	stock, err := stockOf(s.db.Read(ctx), sale.ID)
	if err != nil {
		return ctx, nil, err
	}
	if stock == nil {
		return ctx, nil, fmt.Errorf("%s was opened and has no units", sale.Label())
	}
	if delta < 0 {
		if err := s.withhold(ctx, sale, stock, -delta); err != nil {
			return ctx, nil, err
		}
		u.AfterRollback(func(ctx context.Context) { s.releaseWithheld(ctx, stock) })
	}
	return ctx, stock, nil
}

// quantityDelta returns the change of the quantity by an edit.
func quantityDelta(sale *Sale, edit change.Edit) int64 {
	patch, _ := edit.Patch.(map[string]any)
	requested, ok := patch["quantity"]
	if !ok {
		return 0
	}
	var quantity int64
	if merge.Decode(requested, &quantity) != nil {
		return 0
	}
	return quantity - sale.Quantity
}

// withhold removes units from the gate before SQL does, so that no customer gets them in
// the meantime.
func (s *planner) withhold(ctx context.Context, sale *Sale, stock *Stock, units int64) error {
	if err := s.gate.Apply(ctx, rulesOf(sale, stock)); err != nil {
		return gateError(err)
	}
	err := s.gate.Withhold(ctx, stock.ref(), stock.Version, units)
	if errors.Is(err, gate.ErrTooFew) {
		return apperr.New(apperr.SoldOut, "Fewer than %d units of %s remain; nothing was changed.", units, sale.Label())
	}
	return gateError(err)
}

// releaseWithheld makes withheld units of a rolled-back change available again. If the gate
// is unreachable, or the program ends before, the reconciler does so.
func (s *planner) releaseWithheld(ctx context.Context, stock *Stock) {
	if err := s.gate.Withhold(ctx, stock.ref(), stock.Version, 0); err != nil {
		slog.WarnContext(ctx, "flash sale: withheld units not released; the reconciler will retry", "sale", stock.SaleID, "error", err)
	}
}

// editable declares sales to package change. stock is the basis of an edit that changes the
// allotment, otherwise nil.
func (s *planner) editable(stock *Stock) change.Editable[Sale, *Sale] {
	var named bool
	return change.Editable[Sale, *Sale]{
		Rows:           s.rows(),
		Document:       document,
		Revise:         revise,
		AtVersion:      s.at,
		ProposeInstead: s.proposeEdit,
		Write: func(ctx context.Context, u *uow.Unit, before *Sale, set guard.Set) error {
			err := guard.Update[Sale](ctx, u, before.Ref(), set)
			if named = errors.Is(err, guard.ErrProposed); named {
				err = guard.UpdateProposed[Sale](ctx, u, before.Ref(), set)
			}
			return err
		},
		Record: func(ctx context.Context, u *uow.Unit, before, after *Sale, _ *change.Overwrite) error {
			if err := s.recordEdit(ctx, u, stock, before, after); err != nil {
				return err
			}
			return s.markApprovalsStale(ctx, u, named, after)
		},
	}
}

// document omits null members, like a merge patch that clears them.
func document(sale *Sale) (any, error) {
	tree, err := merge.Tree(sale.Terms)
	if members, ok := tree.(map[string]any); ok {
		maps.DeleteFunc(members, func(_ string, value any) bool { return value == nil })
	}
	return tree, err
}

// at returns a sale at an earlier version.
func (s *planner) at(ctx context.Context, sale *Sale, version int64) (*Sale, error) {
	return versionOf(s.db.Read(ctx), sale, version)
}

func versionOf(db *gorm.DB, sale *Sale, version int64) (*Sale, error) {
	var revision Revision
	if err := db.Where("sale_id = ? AND version = ?", sale.ID, version).Take(&revision).Error; err != nil {
		return nil, err
	}
	return revision.restore(sale), nil
}

// revise returns the sale for an edited document, if it is valid.
func revise(sale *Sale, document any) (*Sale, guard.Set, error) {
	var terms Terms
	if err := merge.Decode(document, &terms); err != nil {
		return nil, nil, fmt.Errorf("read an edited flash sale: %w", err)
	}
	if err := terms.check(); err != nil {
		return nil, nil, err
	}
	if broken := sale.fixed(terms); sale.Status != draft.Code && len(broken) > 0 {
		return nil, nil, apperr.Invalid(broken...)
	}
	after := *sale
	after.Terms = terms
	return &after, terms.columns(), nil
}

func (s *planner) recordEdit(ctx context.Context, u *uow.Unit, stock *Stock, before, after *Sale) error {
	switch {
	case before.Status == draft.Code && before.SKU != after.SKU:
		if _, err := s.itemName(ctx, u, after.SKU); err != nil {
			return err
		}
	case before.Status != draft.Code:
		if err := s.reallot(ctx, u, stock, after, after.Quantity-before.Quantity); err != nil {
			return err
		}
	}
	detail := map[string]any{"fromVersion": before.Version, "version": after.Version, "before": before.Terms, "after": after.Terms}
	if u.Approval() != 0 {
		detail["approvalId"] = u.Approval()
	}
	s.auditAndAnnounce(u, "update", after, detail)
	if before.Status != draft.Code {
		u.AfterCommit(func(ctx context.Context) { s.applyCommitted(ctx, after.ID) })
	}
	return insertHistory(ctx, u, after, "update", "")
}

// reallot moves units between the inventory and an opened sale. The unit has the inventory
// lock, and commits only if the sale's units are unchanged since the gate withheld them:
//
//	UPDATE flash_sale_stocks SET allotted = ?, version = version + 1 WHERE … AND version = ?
func (s *planner) reallot(ctx context.Context, u *uow.Unit, stock *Stock, sale *Sale, delta int64) error {
	if delta == 0 {
		return nil
	}
	allotted := stock.Allotted + delta
	if allotted < stock.Sold {
		return apperr.New(apperr.SoldOut, "More than %d units of %s are sold; nothing was changed.", allotted, sale.Label())
	}
	if err := guard.Update[Stock](ctx, u, stock.Ref(), guard.Set{"allotted": allotted}); err != nil {
		return overtakenIfStale(err, "change the allotment")
	}
	reference := fmt.Sprintf("@flash-sales/%d/version/%d", sale.ID, sale.Version)
	if delta > 0 {
		return s.inventory.Reserve(ctx, u, sale.holder(), reference, map[string]int64{sale.SKU: delta})
	}
	return s.inventory.Return(ctx, u, sale.holder(), reference, map[string]int64{sale.SKU: -delta})
}

package flashsale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/storage"
	"interlock/internal/base/strictjson"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

const kindUpdate = "flash_sale.update"

// subject is the approvals.Subject of sales. Their changes can be scheduled, and need no votes.
type subject struct{ *planner }

// proposedEdit is the stored form of an edit in an approval: the merge patch of the terms,
// with the resulting quantity.
type proposedEdit struct {
	SaleID int64           `json:"saleId"`
	Patch  json.RawMessage `json:"patch"`
}

// proposeEdit proposes a scheduled edit, and reports whether it did. Conditions that depend
// on other data, such as available units, are checked when the edit is applied.
func (s *planner) proposeEdit(ctx context.Context, u *uow.Unit, before, after *Sale, _ *change.Overwrite) (bool, error) {
	if !approvals.Scheduled(ctx) {
		return false, nil
	}
	if before.SKU != after.SKU {
		if _, err := s.itemName(ctx, u, after.SKU); err != nil {
			return false, err
		}
	}
	p, err := proposalOf(before, after, "")
	if err != nil {
		return false, err
	}
	now, err := s.approvals.Propose(ctx, u, p)
	return !now, err
}

// markApprovalsStale makes the open approvals of a sale stale. It does nothing if named is false
// and the unit applies no approval, because no approval can then name the sale.
func (s *core) markApprovalsStale(ctx context.Context, u *uow.Unit, named bool, sale *Sale) error {
	if !named && u.Approval() == 0 {
		return nil
	}
	return s.approvals.MarkStale(ctx, u, sale.path())
}

// proposalOf returns the proposal of a change from one content of a sale to another.
func proposalOf(before, after *Sale, note string) (approvals.Proposal, error) {
	p := approvals.Proposal{
		Kind: kindUpdate, Resource: before.path(), BaseETag: before.Ref().ETag(), Targets: []string{before.path()}, Note: note, Unvoted: true,
		MarkTargets: func(ctx context.Context, u *uow.Unit) error { return guard.Propose[Sale](ctx, u, before.Ref()) },
	}
	from, err := document(before)
	if err != nil {
		return p, err
	}
	to, err := document(after)
	if err != nil {
		return p, err
	}
	patch, possible := merge.PatchBetween(from, to)
	if !possible {
		return p, fmt.Errorf("no merge patch makes the terms of %s", after.Label())
	}
	text, err := merge.Encode(patch)
	if err != nil {
		return p, err
	}
	p.Content, err = strictjson.Encode(proposedEdit{before.ID, text})
	return p, err
}

// decode decodes the content of a proposal for package change.
func decode(p approvals.Proposal) (id int64, edit change.Edit, err error) {
	var content proposedEdit
	if err := json.Unmarshal(p.Content, &content); err != nil {
		return 0, edit, fmt.Errorf("decode the proposed change of a sale: %w", err)
	}
	if edit.Patch, err = merge.Tree(content.Patch); err != nil {
		return 0, edit, err
	}
	edit.IfMatch, err = guard.ParsePrecondition(p.BaseETag)
	return content.SaleID, edit, err
}

// saleOf returns the sale of a proposal in the unit's transaction, and the edit. Errors:
// ErrStaleBase if the sale was deleted.
func saleOf(ctx context.Context, u *uow.Unit, p approvals.Proposal) (*Sale, change.Edit, error) {
	id, edit, err := decode(p)
	if err != nil {
		return nil, edit, err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, edit, err
	}
	sale, err := findSale(tx, id)
	switch {
	case storage.IsNotFound(err):
		return nil, edit, approvals.ErrStaleBase
	case err != nil:
		return nil, edit, fmt.Errorf("read the sale of a change: %w", err)
	}
	return sale, edit, nil
}

// Grants implements approvals.Subject.
func (subject) Grants() approvals.Grants {
	return approvals.Grants{Kind: "flash_sale", Path: Topic + "/", Read: ReadPermission, Write: writePermission}
}

type lockedUnits struct{}

// Lock implements approvals.Subject. The returned context contains the Stock on which an edit of an
// opened sale's quantity is based.
func (s subject) Lock(ctx context.Context, u *uow.Unit, p approvals.Proposal) (context.Context, error) {
	id, edit, err := decode(p)
	if err != nil {
		return ctx, err
	}
	sale, err := s.Sale(ctx, id)
	if apperr.Has(err, apperr.NotFound) {
		return ctx, nil
	}
	if err != nil {
		return ctx, err
	}
	delta := quantityDelta(sale, edit)
	if sale.Status == draft.Code || delta == 0 || !edit.IfMatch.Matches(sale.Ref()) {
		return ctx, nil
	}
	ctx, stock, err := s.lockUnits(ctx, u, sale, delta)
	return context.WithValue(ctx, lockedUnits{}, stock), err
}

// Apply implements approvals.Subject.
func (s subject) Apply(ctx context.Context, u *uow.Unit, p approvals.Proposal) error {
	sale, edit, err := saleOf(ctx, u, p)
	if err != nil {
		return err
	}
	if !edit.IfMatch.Matches(sale.Ref()) {
		return approvals.ErrStaleBase
	}
	stock, _ := ctx.Value(lockedUnits{}).(*Stock)
	if stock == nil && sale.Status != draft.Code && quantityDelta(sale, edit) != 0 {
		// The sale reached the version of the change after its locks were acquired.
		return uow.Overtaken("sale")
	}
	_, err = s.editable(stock).Apply(ctx, u, sale, edit)
	return err
}

// Revise implements approvals.Subject.
func (s subject) Revise(ctx context.Context, u *uow.Unit, p approvals.Proposal, patch json.RawMessage) (approvals.Proposal, error) {
	var body httpapi.Patch[Terms]
	if err := body.ReadBody(patch); err != nil {
		return p, httpapi.Unreadable(err)
	}
	sale, edit, err := saleOf(ctx, u, p)
	if err != nil {
		return p, err
	}
	if !edit.IfMatch.Matches(sale.Ref()) {
		return p, approvals.ErrStaleBase
	}
	from, err := document(sale)
	if err != nil {
		return p, err
	}
	to := merge.Patch(from, body.Tree())
	if merge.Equal(from, to) {
		return p, apperr.Invalid(apperr.Field{Pointer: "/patch", Code: "nothing", Message: "changes nothing; withdraw the approval instead"})
	}
	return proposed(sale, to, p.Note, "/patch")
}

// proposed returns the proposal that changes a sale to an edited document; error pointers
// are below prefix.
func proposed(sale *Sale, to any, note, prefix string) (approvals.Proposal, error) {
	after, _, err := revise(sale, to)
	var refused *apperr.Error
	if errors.As(err, &refused) {
		for i := range refused.Fields {
			refused.Fields[i].Pointer = prefix + refused.Fields[i].Pointer
		}
		return approvals.Proposal{}, apperr.Invalid(refused.Fields...)
	}
	if err != nil {
		return approvals.Proposal{}, err
	}
	return proposalOf(sale, after, note)
}

// Rebase implements approvals.Subject.
func (s subject) Rebase(ctx context.Context, u *uow.Unit, p approvals.Proposal) (approvals.Proposal, error) {
	sale, edit, err := saleOf(ctx, u, p)
	if err != nil {
		return p, err
	}
	if sale.Status == closed.Code {
		return p, approvals.ErrStaleBase
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return p, err
	}
	base, err := versionOf(tx, sale, edit.IfMatch.Ref.Version)
	if err != nil {
		return p, fmt.Errorf("read the base of a change of a sale: %w", err)
	}
	from, err := document(base)
	if err != nil {
		return p, err
	}
	theirs, err := document(sale)
	if err != nil {
		return p, err
	}
	merged := merge.ThreeWay(from, merge.Patch(from, edit.Patch), theirs)
	switch {
	case !merged.AutoMergeable:
		return p, approvals.ErrStaleBase
	case merge.Equal(merged.Merged, theirs):
		return p, approvals.ErrNoChange
	}
	return proposed(sale, merged.Merged, p.Note, "")
}

// Conflict implements approvals.Subject.
func (s subject) Conflict(ctx context.Context, p approvals.Proposal) (approvals.Conflict, error) {
	id, edit, err := decode(p)
	if err != nil {
		return approvals.Conflict{}, err
	}
	sale, err := s.Sale(ctx, id)
	if err == nil {
		if edit.IfMatch.Matches(sale.Ref()) {
			return approvals.Unchanged(sale.Label()), nil
		}
		err = s.editable(nil).Conflict(ctx, id, edit)
	}
	var refused *apperr.Error
	if !errors.As(err, &refused) {
		return approvals.Conflict{}, err
	}
	return approvals.Conflict{Stale: true, Detail: refused.Detail, Members: maps.Clone(refused.Members)}, nil
}

// Show implements approvals.Subject.
func (subject) Show(_ context.Context, p approvals.Proposal) (approvals.Rendered, error) {
	var content proposedEdit
	if err := json.Unmarshal(p.Content, &content); err != nil {
		return approvals.Rendered{}, fmt.Errorf("decode the proposed change of a sale: %w", err)
	}
	return approvals.Rendered{Patch: content.Patch}, nil
}

// Sides implements approvals.Subject.
func (s subject) Sides(ctx context.Context, p approvals.Proposal) ([]approvals.Comparison, error) {
	id, edit, err := decode(p)
	if err != nil {
		return nil, err
	}
	side := approvals.Comparison{Resource: p.Resource}
	sale, err := findSale(s.db.Read(ctx), id)
	switch {
	case storage.IsNotFound(err):
		sale = &Sale{}
		sale.ID = id
	case err != nil:
		return nil, fmt.Errorf("read the sale of a change: %w", err)
	default:
		side.Current = sale.Terms
	}
	base, err := versionOf(s.db.Read(ctx), sale, edit.IfMatch.Ref.Version)
	if err != nil {
		return nil, fmt.Errorf("read the base of a change of a sale: %w", err)
	}
	side.Base = base.Terms
	from, err := document(base)
	if err != nil {
		return nil, err
	}
	var terms Terms
	if err := merge.Decode(merge.Patch(from, edit.Patch), &terms); err != nil {
		return nil, fmt.Errorf("decode the proposed content of a sale: %w", err)
	}
	side.Proposed = terms
	return []approvals.Comparison{side}, nil
}

package orders

import (
	"context"
	"encoding/json"
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// update is the action of an edit in the history of an order.
const update = "update"

// orderContent is the details of an order as its representation and a patch state them: null is
// absent.
type orderContent struct {
	Email           *string            `json:"email" validate:"omitempty,email,max=254"`
	ShippingAddress *Address           `json:"shippingAddress"`
	BillingAddress  *Address           `json:"billingAddress"`
	Note            *string            `json:"note" validate:"omitempty,max=4000"`
	Tags            []string           `json:"tags" validate:"max=20,unique,dive,name=50"`
	Metadata        map[string]*string `json:"metadata" validate:"max=50,dive,keys,min=1,max=64,endkeys,omitempty,max=500"`
}

// document returns the details as a tree for editing. All members are present, so that the paths of a
// JSON Patch exist.
func (d Details) document() (any, error) {
	d.normalize()
	content := orderContent{
		Email: httpapi.OrNull(d.Email), ShippingAddress: d.ShippingAddress, BillingAddress: d.BillingAddress,
		Note: &d.Note, Tags: d.Tags, Metadata: make(map[string]*string, len(d.Metadata)),
	}
	for name, value := range d.Metadata {
		content.Metadata[name] = &value
	}
	return merge.Tree(content)
}

// detailsOf returns the details of a document.
func detailsOf(document any) (Details, error) {
	var d Details
	if err := merge.Decode(document, &d); err != nil {
		return d, fmt.Errorf("read the details of an order: %w", err)
	}
	d.normalize()
	return d, nil
}

// patchDetails applies a merge patch to a document and normalizes the result, so that a different
// spelling of the same details does not count as a change.
func patchDetails(document, patch any) any {
	patched := merge.Patch(document, patch)
	details, err := detailsOf(patched)
	if err != nil {
		return patched // reviseDetails reports the error
	}
	normalized, err := details.document()
	if err != nil {
		return patched
	}
	return normalized
}

// Edit changes the details of an order that was just read; see change.Editable.Apply for its errors.
func (s *Service) Edit(ctx context.Context, u *uow.Unit, order *Order, edit change.Edit) (change.Edited[*Order], error) {
	return s.editable().Apply(ctx, u, order, edit)
}

// editable declares the details of orders to package change. Their base is derived from the history;
// see at.
func (s *Service) editable() change.Editable[Order, *Order] {
	return change.Editable[Order, *Order]{
		Rows: change.Rows[Order, *Order]{
			DB: s.db, Label: (*Order).Label, View: func(ctx context.Context, order *Order) any { return viewOf(ctx, *order) },
			Find: func(db *gorm.DB, id int64) (*Order, error) { return find(db.Session(&gorm.Session{}), id) },
		},
		Document:   func(order *Order) (any, error) { return order.document() },
		ApplyPatch: patchDetails,
		Revise:     reviseDetails,
		AtVersion:  s.at,
		Record:     s.recordEdit,
		MergeQueue: s.merges,
	}
}

// reviseDetails returns the order of an edited document, if it is valid.
func reviseDetails(order *Order, document any) (*Order, guard.Set, error) {
	after := *order
	var err error
	if after.Details, err = detailsOf(document); err != nil {
		return nil, nil, err
	}
	if err := httpapi.Validate(after.Details); err != nil {
		return nil, nil, err
	}
	if order.FulfilmentStatus() != NoneShipped {
		var violations apperr.Fields
		const shipped = "cannot change, because units were shipped; correct it with the carrier, and record it in note"
		violations.Check(equalAddresses(order.ShippingAddress, after.ShippingAddress), "/shippingAddress", "shipped", shipped)
		violations.Check(equalAddresses(order.BillingAddress, after.BillingAddress), "/billingAddress", "shipped", shipped)
		if len(violations) > 0 {
			return nil, nil, apperr.Invalid(violations...)
		}
	}
	set, err := after.Details.columns()
	return &after, set, err
}

func equalAddresses(a, b *Address) bool { return a == b || a != nil && b != nil && *a == *b }

// columns returns the columns as GORM's serializers write them.
func (d Details) columns() (guard.Set, error) {
	set := guard.Set{"email": d.Email, "note": d.Note, "shipping_address": "", "billing_address": ""}
	columns := map[string]any{"tags": d.Tags, "metadata": d.Metadata}
	if d.ShippingAddress != nil {
		columns["shipping_address"] = d.ShippingAddress
	}
	if d.BillingAddress != nil {
		columns["billing_address"] = d.BillingAddress
	}
	for column, value := range columns {
		text, err := merge.Encode(value)
		if err != nil {
			return nil, fmt.Errorf("encode the details of an order: %w", err)
		}
		set[column] = string(text)
	}
	return set, nil
}

// editDetail is the detail of an edit in the history: the changed members before and after it.
type editDetail struct {
	Before map[string]any `json:"before"`
	After  map[string]any `json:"after"`
}

// recordEdit writes tags, history, audit entry and announcement of an edit.
func (s *Service) recordEdit(ctx context.Context, u *uow.Unit, before, after *Order, _ *change.Overwrite) error {
	detail, err := changesBetween(before.Details, after.Details)
	if err != nil {
		return err
	}
	if err := replaceTags(ctx, u, before, after); err != nil {
		return err
	}
	if err := insertHistory(ctx, u, after, update, &before.Status, detail); err != nil {
		return err
	}
	s.record(u, update, after, map[string]any{
		"fromVersion": before.Version, "version": after.Version, "before": detail.Before, "after": detail.After,
	})
	return nil
}

// changesBetween returns the members that differ.
func changesBetween(before, after Details) (editDetail, error) {
	detail := editDetail{Before: map[string]any{}, After: map[string]any{}}
	from, err := members(before)
	if err != nil {
		return detail, err
	}
	to, err := members(after)
	for name, value := range to {
		if !merge.Equal(from[name], value) {
			detail.Before[name], detail.After[name] = from[name], value
		}
	}
	return detail, err
}

// members returns the members of the document of details.
func members(d Details) (map[string]any, error) {
	document, err := d.document()
	if err != nil {
		return nil, err
	}
	members, _ := document.(map[string]any)
	return members, nil
}

// at returns an order with its details at an earlier version: the later edits are reverted, newest
// first. Its other members are the current ones.
//
//	SELECT * FROM order_histories WHERE tenant_id = ? AND order_id = ? AND version > ? AND version <= ? AND action = 'update' ORDER BY version DESC
func (s *Service) at(ctx context.Context, order *Order, version int64) (*Order, error) {
	history := s.db.Read(ctx)
	var base Event
	if err := history.Where("order_id = ? AND version = ?", order.ID, version).Take(&base).Error; err != nil {
		return nil, err
	}
	var edits []Event
	err := history.Where("order_id = ? AND version > ? AND version <= ? AND action = ?", order.ID, version, order.Version, update).
		Order("version DESC").Find(&edits).Error
	if err != nil {
		return nil, fmt.Errorf("read the edits of an order: %w", err)
	}
	content, err := members(order.Details)
	if err != nil {
		return nil, err
	}
	for _, edit := range edits {
		var detail editDetail
		if err := json.Unmarshal(edit.Detail, &detail); err != nil {
			return nil, fmt.Errorf("read an edit of an order: %w", err)
		}
		for name, value := range detail.Before {
			content[name] = value
		}
	}
	earlier := *order
	if earlier.Details, err = detailsOf(content); err != nil {
		return nil, err
	}
	base.Restore(&earlier.Row)
	return &earlier, nil
}

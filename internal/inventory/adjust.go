package inventory

import (
	"context"
	"fmt"
	"math"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
)

// Adjustment changes the number of an item's units in stock: by a delta, or to a counted number.
type Adjustment struct {
	// Not 0; absent for a count.
	Delta *int64 `json:"delta,omitempty" validate:"omitempty,nonzero"`
	// The new number of units in stock; absent for a delta.
	SetTo *int64 `json:"setTo,omitempty" validate:"omitempty,min=0"`
	// The number that you read; required with `setTo`.
	ChangeFrom *int64 `json:"changeFrom,omitempty" validate:"omitempty,min=0"`
	Reason     string `json:"reason" validate:"required,max=500"`
	// A unique name among all movements of the item.
	Reference string `json:"reference" validate:"reference"`
}

// movement returns the movement of the adjustment.
func (a Adjustment) movement() *Movement {
	m := &Movement{Kind: Adjusted, Reason: a.Reason, Reference: a.Reference}
	if a.SetTo == nil {
		m.OnHandDelta = *a.Delta
		return m
	}
	m.Kind, m.OnHandDelta, m.OnHand = Counted, *a.SetTo-*a.ChangeFrom, *a.SetTo
	return m
}

// Adjust makes an adjustment under the item's lock, for which it waits at most wait. It must be the
// first step of its unit. first is false if the same adjustment already existed: its movement is
// returned and nothing changes.
//
// Errors: lock.ErrNotAcquired if the lock is not acquired in time; NotFound if the item does not
// exist; PayloadMismatch if the reference was used with other content; StatusChanged, with the
// current stock and its last author, if on hand is not ChangeFrom; InsufficientStock if fewer units
// than are reserved would be in stock; ValidationFailed if the number would exceed an int64.
func (s *Service) Adjust(ctx context.Context, u *uow.Unit, sku string, a Adjustment, wait time.Duration) (m *Movement, first bool, err error) {
	if ctx, err = s.Lock(ctx, u, wait, sku); err != nil {
		return nil, false, err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, false, err
	}
	m = a.movement()
	seen, err := earlier(tx, []string{sku}, a.Reference)
	if err != nil {
		return nil, false, err
	}
	if before := seen[sku]; before != nil {
		if !before.same(m) {
			return nil, false, mismatch(before)
		}
		return before, false, nil
	}
	if err := s.items.Pin(ctx, u, sku); err != nil {
		return nil, false, err
	}
	stock, err := find(tx, sku)
	if err != nil {
		return nil, false, err
	}
	if err := a.check(stock); err != nil {
		return nil, false, err
	}
	if err := s.move(ctx, u, stock, m); err != nil {
		return nil, false, err
	}
	if err := inserted(storage.Insert(tx, m)); err != nil {
		return nil, false, err
	}
	u.Audit(uow.Entry{Action: "inventory." + string(m.Kind), Resource: Topic + "/" + sku, Note: a.Reason, Detail: map[string]any{
		"version": stock.Version, "delta": m.OnHandDelta, "onHand": stock.OnHand, "reserved": stock.Reserved, "reference": a.Reference,
	}})
	return m, true, nil
}

// check validates the adjustment against the stock.
func (a Adjustment) check(stock *Inventory) error {
	if a.SetTo != nil {
		if stock.OnHand != *a.ChangeFrom {
			return countedBefore(stock, *a.ChangeFrom)
		}
		if *a.SetTo < stock.Reserved {
			return insufficient(Shortage{SKU: stock.SKU, Requested: stock.OnHand - *a.SetTo, Available: stock.Free()})
		}
		return nil
	}
	delta := *a.Delta
	switch {
	case delta > math.MaxInt64-stock.OnHand:
		return apperr.Invalid(apperr.Field{Pointer: "/delta", Code: "overflow", Message: "makes the number of units exceed the largest possible number"})
	case delta == math.MinInt64 || stock.Free() < -delta:
		return insufficient(Shortage{SKU: stock.SKU, Requested: max(-delta, -(delta + 1)), Available: stock.Free()})
	}
	return nil
}

// countedBefore returns StatusChanged: on hand is not the number that was to be replaced.
func countedBefore(stock *Inventory, expected int64) *apperr.Error {
	current := viewOf(*stock)
	e := apperr.New(apperr.StatusChanged, "%d units of %q are in stock, not %d as you expected. Nothing was changed.", stock.OnHand, stock.SKU, expected).
		WithMembers(changedView{ChangeFrom: expected, Current: current, ChangedBy: current.UpdatedBy, ChangedTime: current.UpdatedTime})
	if current.UpdatedBy != nil {
		e.Detail += fmt.Sprintf(" %s changed it last.", current.UpdatedBy.Name)
	}
	return e
}

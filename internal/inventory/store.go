package inventory

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// find returns the stock of an item, zeros if it has no row.
func find(db *gorm.DB, sku string) (*Inventory, error) {
	var rows []Inventory
	if err := db.Where("sku = ?", sku).Limit(1).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read inventory: %w", err)
	}
	// MySQL compares "a " and "a" as equal; only the item's row is its stock.
	if len(rows) == 0 || rows[0].SKU != sku {
		return &Inventory{SKU: sku}, nil
	}
	return &rows[0], nil
}

// findEach returns the stock of each of the items, zeros for items without a row.
func findEach(tx *gorm.DB, skus []string) (map[string]*Inventory, error) {
	var rows []Inventory
	if err := tx.Where("sku IN ?", skus).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read inventories: %w", err)
	}
	found := make(map[string]*Inventory, len(skus))
	for _, sku := range skus {
		found[sku] = &Inventory{SKU: sku}
	}
	for i := range rows {
		if _, requested := found[rows[i].SKU]; requested {
			found[rows[i].SKU] = &rows[i]
		}
	}
	return found, nil
}

// earlier returns the movements with a reference, by sku.
func earlier(tx *gorm.DB, skus []string, reference string) (map[string]*Movement, error) {
	var rows []Movement
	if err := tx.Where("sku IN ? AND reference = ?", skus, reference).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("find the movements with a reference: %w", err)
	}
	found := make(map[string]*Movement, len(rows))
	for i := range rows {
		found[rows[i].SKU] = &rows[i]
	}
	return found, nil
}

// holdsOf returns a holder's holds with units, by sku.
func holdsOf(tx *gorm.DB, holder string) ([]Hold, error) {
	var held []Hold
	if err := tx.Where("holder = ? AND quantity > 0", holder).Order("sku").Find(&held).Error; err != nil {
		return nil, fmt.Errorf("read the holds of %s: %w", holder, err)
	}
	return held, nil
}

// apply changes an inventory that the unit has read, and inserts the movement, for which the caller
// sets kind, deltas, holder, reason and reference. apply sets the other fields of both, but not the
// movement's id. The guard is
//
//	UPDATE inventories SET on_hand = on_hand + ?, reserved = reserved + ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND version = ?
//	   AND reserved + ? >= 0 AND on_hand - reserved + ? >= 0
//
// and the first movement inserts the row. The caller has checked the bounds of the numbers, so a
// rejection by the guard means that the row has changed, and the unit is retried.
func (s *Service) apply(ctx context.Context, u *uow.Unit, stock *Inventory, m *Movement) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if err := s.move(ctx, u, stock, m); err != nil {
		return err
	}
	return inserted(storage.InsertDeferred(tx, *m))
}

// move is apply without the INSERT of the movement.
func (s *Service) move(ctx context.Context, u *uow.Unit, stock *Inventory, m *Movement) error {
	if err := write(ctx, u, stock, m.OnHandDelta, m.ReservedDelta); err != nil {
		return err
	}
	p, _ := principal.From(ctx)
	m.SKU, m.Version, m.OnHand, m.Reserved = stock.SKU, stock.Version, stock.OnHand, stock.Reserved
	m.CreatedBy, m.CreatedByName, m.CreatedTime = p.UserID, p.Name, u.Now()
	change.Announce(u, s.bus, Topic, stock.SKU, events.Change{Version: stock.Version, ETag: stock.Ref().ETag(), Action: string(m.Kind)})
	return nil
}

// inserted returns the error of the INSERT of a movement. If another unit inserted the movement
// first, which is only possible after the lock was lost, the unit is retried and finds that
// movement.
func inserted(err error) error {
	if storage.IsDuplicate(err, "uq_inventory_movements_reference") || storage.IsDuplicate(err, "uq_inventory_movements_version") {
		return uow.Overtaken("stock")
	}
	if err != nil {
		return fmt.Errorf("insert inventory movement: %w", err)
	}
	return nil
}

func write(ctx context.Context, u *uow.Unit, stock *Inventory, onHand, reserved int64) error {
	before := *stock
	stock.OnHand += onHand
	stock.Reserved += reserved
	if stock.ID == 0 {
		err := guard.Insert(ctx, u, stock)
		if storage.IsDuplicate(err, "uq_inventories_sku") {
			return uow.Overtaken("stock")
		}
		if err != nil {
			return fmt.Errorf("insert inventory: %w", err)
		}
		return nil
	}
	err := guard.Adjust[Inventory](ctx, guard.Deferred(u), before.ID,
		guard.Set{"on_hand": guard.Add("on_hand", onHand), "reserved": guard.Add("reserved", reserved)},
		"version = ? AND reserved + ? >= 0 AND on_hand - reserved + ? >= 0", before.Version, reserved, onHand-reserved)
	if errors.Is(err, guard.ErrRefused) {
		return uow.Overtaken("stock")
	}
	if err != nil {
		return fmt.Errorf("move inventory: %w", err)
	}
	return guard.Advance(ctx, u, stock)
}

package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Filter narrows a list of items. Fields with the zero value do not filter.
type Filter struct {
	// Search is a text to find in sku and name, case-insensitively.
	Search string
	Status Status
}

var itemSorts = storage.Sorts{
	Columns: map[string]string{"sku": "sku", "name": "name", "price": "price", "updatedTime": "updated_time"},
	Unique:  []string{"sku"},
	Default: "sku",
}

func find(db *gorm.DB, sku string) (*Item, error) {
	// MySQL treats "a " as "a", so only valid skus are queried.
	if !skuPattern.MatchString(sku) {
		return nil, apperr.MissingRow("item", sku)
	}
	var item Item
	err := db.Where("sku = ?", sku).Take(&item).Error
	return &item, storage.Found(err, "item", sku)
}

func (f Filter) filters() (filters []storage.Filter) {
	if f.Status != "" {
		filters = append(filters, storage.Equal("status", f.Status).OrderedBy("sku"))
	}
	return append(filters, storage.Containing(f.Search, "sku", "name"))
}

// insert adds an item. Errors: AlreadyExists for a used sku.
func insert(ctx context.Context, u *uow.Unit, item *Item) error {
	err := guard.Insert(ctx, u, item)
	if storage.IsDuplicate(err, "uq_items_sku") {
		return apperr.New(apperr.AlreadyExists, "There is an item %q already.", item.SKU)
	}
	if err != nil {
		return fmt.Errorf("insert item: %w", err)
	}
	return nil
}

func insertHistory(ctx context.Context, u *uow.Unit, item *Item, action string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if err := storage.InsertDeferred(tx, revisionOf(item, action)); err != nil {
		return fmt.Errorf("insert the version of an item: %w", err)
	}
	return nil
}

func (c Content) columns() guard.Set {
	return guard.Set{"name": c.Name, "price": c.Price, "owned_by_user_id": c.OwnedByUserID, "status": c.Status}
}

// Use prevents changes of some items until the unit ends, for a unit that depends on their current
// state and changes none of them:
//
//	UPDATE items SET uses = uses + 1 WHERE tenant_id = ? AND sku IN (?)
//
// An edit or a deletion writes the same row, so one of the two units waits for the other and then
// reads its effect, or is rolled back at COMMIT and retried. A lock alone would only exclude
// writers on one server of a cluster. The unit must call Use before it reads the items. The version
// does not change, so no edit becomes stale.
func (s *Service) Use(ctx context.Context, u *uow.Unit, skus ...string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	tenant, _ := principal.From(ctx)
	statement := "UPDATE items SET uses = uses + 1 WHERE tenant_id = ? AND sku IN ?"
	if s.db.Dialect == storage.MySQL {
		// With this index, all units lock their items in the same order.
		statement = "UPDATE items FORCE INDEX (uq_items_sku) SET uses = uses + 1 WHERE tenant_id = ? AND sku IN ?"
	}
	if err := storage.Deferred(tx).Exec(statement, tenant.TenantID, skus).Error; err != nil {
		return fmt.Errorf("use items: %w", err)
	}
	return nil
}

// ForSale returns the items that can be ordered now, by sku, as read by the unit. Prices are in
// minor units. A unit that sells items must call Use first.
func (s *Service) ForSale(ctx context.Context, u *uow.Unit, skus []string) (map[string]Item, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	var items []Item
	err = tx.Where("sku IN ? AND status = ?", slices.Compact(slices.Sorted(slices.Values(skus))), Active).Order("id").Find(&items).Error
	if err != nil {
		return nil, fmt.Errorf("read items for sale: %w", err)
	}
	found := make(map[string]Item, len(items))
	for _, item := range items {
		// MySQL treats "a " as "a", but "a " names no item.
		if slices.Contains(skus, item.SKU) {
			found[item.SKU] = item
		}
	}
	return found, nil
}

// Pin calls Use for one item, which must exist. Errors: NotFound.
func (s *Service) Pin(ctx context.Context, u *uow.Unit, sku string) error {
	if err := s.Use(ctx, u, sku); err != nil {
		return err
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	_, err = find(tx, sku)
	return err
}

// remove deletes an item that is not in use. It deletes the row before it checks for uses. A unit
// that orders the item has called Use, which writes the same row: either that unit has ended and
// remove finds its order line, or it waits and then finds no item. If the two units run on
// different servers of a cluster, one of them is retried.
func (s *Service) remove(ctx context.Context, u *uow.Unit, item *Item) error {
	if err := guard.Delete[Item](ctx, u, item.Ref()); err != nil {
		if errors.Is(err, guard.ErrDeleted) || errors.Is(err, guard.ErrStale) {
			return err
		}
		return fmt.Errorf("delete item: %w", err)
	}
	for _, inUse := range s.inUse {
		used, err := inUse(ctx, u, item.SKU)
		if err != nil {
			return err
		}
		if used {
			return apperr.New(apperr.InUse, "An order names item %q, or there is stock of it, so it cannot be deleted. Archive it instead: set its status to archived.", item.SKU)
		}
	}
	return nil
}

package inventory

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/catalog"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// Topic announces changes of stock, keyed by sku.
const Topic = "inventory"

// Deps are the dependencies of a Service.
type Deps struct {
	DB    *storage.DB
	Bus   events.Bus
	Items *catalog.Service
}

// Service implements the use cases of inventory. It is safe for concurrent use.
type Service struct {
	db    *storage.DB
	bus   events.Bus
	items *catalog.Service
}

// New returns a Service.
func New(d Deps) *Service { return &Service{db: d.DB, bus: d.Bus, items: d.Items} }

// Lock acquires the locks of the items' inventories, in sorted order, until the unit ends. A unit
// that moves stock calls it first, before the transaction starts, with all items that it will move,
// and continues with the returned context. Errors: lock.ErrNotAcquired if a lock is not acquired
// within wait.
func (s *Service) Lock(ctx context.Context, u *uow.Unit, wait time.Duration, skus ...string) (context.Context, error) {
	p, _ := principal.From(ctx)
	keys := make([]string, len(skus))
	for i, sku := range skus {
		keys[i] = fmt.Sprintf("inventory:%d:%s", p.TenantID, sku)
	}
	return u.Lock(ctx, wait, keys...)
}

// Inventory returns the stock of an existing item; zeros if it has no movement.
func (s *Service) Inventory(ctx context.Context, sku string) (*Inventory, error) {
	return find(s.db.Read(ctx), sku)
}

// Filter narrows a list of inventories. Fields with the zero value do not filter.
type Filter struct {
	// Search is searched in the sku, ignoring case.
	Search string
	SKU    string
	// MaxAvailable selects inventories with at most this many available units.
	MaxAvailable *int64
}

var inventorySorts = storage.Sorts{
	Columns: map[string]string{"sku": "sku", "available": "available", "updatedTime": "updated_time"},
	Unique:  []string{"sku"},
	Default: "sku",
}

// List returns one page of the inventories with movements.
func (s *Service) List(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Inventory], error) {
	var filters []storage.Filter
	if f.SKU != "" {
		filters = append(filters, storage.Equal("sku", f.SKU))
	}
	if f.MaxAvailable != nil {
		filters = append(filters, storage.Until("available", *f.MaxAvailable))
	}
	filters = append(filters, storage.Containing(f.Search, "sku"))
	return storage.List[Inventory](s.db.Read(ctx), page, inventorySorts, filters...)
}

var movementSorts = storage.Sorts{Columns: map[string]string{"id": "id"}, Default: "-id"}

// Movements returns one page of an item's ledger, newest first; with a reference, only the movement
// with it.
func (s *Service) Movements(ctx context.Context, sku, reference string, page storage.Page) (storage.Listing[Movement], error) {
	filters := []storage.Filter{storage.OwnedBy("sku", sku)}
	if reference != "" {
		filters = append(filters, storage.Equal("reference", reference))
	}
	return storage.List[Movement](s.db.Read(ctx), page, movementSorts, filters...)
}

// Held returns a holder's units by sku, without items of which the holder has none.
func (s *Service) Held(ctx context.Context, holder string) (map[string]int64, error) {
	held, err := holdsOf(s.db.Read(ctx), holder)
	if err != nil {
		return nil, err
	}
	quantities := make(map[string]int64, len(held))
	for _, hold := range held {
		quantities[hold.SKU] = hold.Quantity
	}
	return quantities, nil
}

// ItemInUse reports whether units of an item are in stock, as read by the unit.
func ItemInUse(ctx context.Context, u *uow.Unit, sku string) (bool, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return false, err
	}
	stock, err := find(tx, sku)
	if err != nil {
		return false, err
	}
	return stock.OnHand > 0, nil
}

package flashsale

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/flashsale/gate"
)

var saleSorts = storage.Sorts{
	Columns: map[string]string{
		"id": "id", "name": "name", "startsTime": "starts_time", "endsTime": "ends_time",
		"createdTime": "created_time", "updatedTime": "updated_time",
	},
	Default: "-id",
}

func findSale(db *gorm.DB, id int64) (*Sale, error) {
	var sale Sale
	if err := db.Where("id = ?", id).Take(&sale).Error; err != nil {
		return nil, err
	}
	return &sale, nil
}

// stockOf returns the state of a sale's units in SQL, nil before the opening.
func stockOf(db *gorm.DB, sale int64) (*Stock, error) {
	var rows []Stock
	if err := db.Where("sale_id = ?", sale).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("read the units of sale %d: %w", sale, err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return &rows[0], nil
}

func (f Filter) filters() (filters []storage.Filter) {
	if f.SKU != "" {
		filters = append(filters, storage.Equal("sku", f.SKU))
	}
	if f.Status != nil {
		filters = append(filters, storage.Equal("status", f.Status.Code))
	}
	return append(filters, storage.Containing(f.Search, "name"))
}

func insertHistory(ctx context.Context, u *uow.Unit, sale *Sale, action, note string) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	revision := Revision{
		SaleID: sale.ID, Revision: change.RevisionOf(sale.Row, action), Terms: sale.Terms, ItemName: sale.ItemName, Status: sale.Status, Note: note,
	}
	if err := storage.InsertDeferred(tx, revision); err != nil {
		return fmt.Errorf("insert flash sale history: %w", err)
	}
	return nil
}

func (t Terms) columns() guard.Set {
	return guard.Set{
		"name": t.Name, "sku": t.SKU, "price": t.Price, "quantity": t.Quantity, "per_user_limit": t.PerUserLimit,
		"starts_time": t.StartsTime, "ends_time": t.EndsTime, "queue_cap": t.QueueCap, "rate": t.Rate, "replicas": t.Replicas,
	}
}

// subtractSold subtracts the units of a cancelled order from the sold units. For a finished sale it
// also subtracts them from the allotment:
//
//	UPDATE flash_sale_stocks SET sold = sold - ?, allotted = allotted - ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND (sold >= ? AND finished = ?)
//
// Errors: guard.ErrRefused if the sale was finished concurrently.
func subtractSold(ctx context.Context, u *uow.Unit, stock *Stock, units int64) error {
	set := guard.Set{"sold": guard.Add("sold", -units)}
	if stock.Finished {
		set["allotted"] = guard.Add("allotted", -units)
	}
	return guard.Adjust[Stock](ctx, u, stock.ID, set, "sold >= ? AND finished = ?", units, stock.Finished)
}

// overtakenIfStale makes the unit run again if the sale's units have changed since they
// were read. It does not wrap the guard's error, which would be confused with an error of
// the sale's row.
func overtakenIfStale(err error, doing string) error {
	if errors.Is(err, guard.ErrStale) || errors.Is(err, guard.ErrRefused) {
		return uow.Overtaken("units")
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// ref returns the reference of the gate for the units.
func (k *Stock) ref() gate.Ref { return gate.Ref{Sale: k.SaleID, Epoch: k.Epoch} }

func rulesOf(sale *Sale, stock *Stock) gate.Rules {
	r := gate.Rules{
		Ref: stock.ref(), Version: sale.Version, StockVersion: stock.Version, Open: sale.Status == open.Code,
		Starts: sale.StartsTime, Ends: sale.EndsTime, PerUserLimit: sale.PerUserLimit, Allotted: stock.Allotted,
	}
	if sale.QueueCap != nil {
		r.QueueCap = *sale.QueueCap
	}
	return r
}

// active is an unfinished sale.
type active struct {
	sale  Sale
	stock Stock
}

// actives returns the opened and unfinished sales of all tenants, including closed and sold-out
// sales, because their tickets may still be in flight:
//
//	SELECT * FROM flash_sale_stocks WHERE finished = ? ORDER BY sale_id
//	SELECT * FROM flash_sales WHERE id IN (…)
func (s *core) actives(ctx context.Context) ([]active, error) {
	ctx = storage.AcrossTenants(ctx)
	var stocks []Stock
	if err := s.db.Read(ctx).Where("finished = ?", false).Order("sale_id").Find(&stocks).Error; err != nil {
		return nil, fmt.Errorf("find unfinished sales: %w", err)
	}
	if len(stocks) == 0 {
		return nil, nil
	}
	ids := make([]int64, len(stocks))
	for i, stock := range stocks {
		ids[i] = stock.SaleID
	}
	var sales []Sale
	if err := s.db.Read(ctx).Where("id IN ?", ids).Find(&sales).Error; err != nil {
		return nil, fmt.Errorf("read the sales that are not finished: %w", err)
	}
	byID := make(map[int64]Sale, len(sales))
	for _, sale := range sales {
		byID[sale.ID] = sale
	}
	found := make([]active, 0, len(stocks))
	for _, stock := range stocks {
		if sale, ok := byID[stock.SaleID]; ok {
			found = append(found, active{sale, stock})
		}
	}
	return found, nil
}

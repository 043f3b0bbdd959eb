package workorders

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Filter narrows a list of work orders. Fields with the zero value do not filter.
type Filter struct {
	// Search is searched in the title, ignoring case.
	Search string
	// Status and Priority are nil for all.
	Status   *status.State
	Priority *int
	// HolderID is the holder's user id.
	HolderID int64
	// Link is a linked record.
	Link string
	// DueBy selects work orders that are due at or before a time.
	DueBy *time.Time
}

var workOrderSorts = storage.Sorts{
	Columns: map[string]string{"id": "id", "priority": "priority", "createdTime": "created_time", "updatedTime": "updated_time"},
	Default: "-id",
}

func find(db *gorm.DB, id int64) (*WorkOrder, error) {
	var order WorkOrder
	if err := db.Where("id = ?", id).Take(&order).Error; err != nil {
		return nil, err
	}
	return &order, withLinks(db, []*WorkOrder{&order})
}

// withLinks reads the links of all work orders in one query.
func withLinks(db *gorm.DB, orders []*WorkOrder) error {
	return storage.Attach(db, "work_order_id", orders, func(o *WorkOrder) (int64, *[]Link) { return o.ID, &o.Links }, func(l Link) int64 { return l.WorkOrderID })
}

// filters returns the filters of a list, the most selective first.
func (f Filter) filters(tenant int64) (filters []storage.Filter) {
	if f.Link != "" {
		filters = append(filters, storage.InSubquery("SELECT l.work_order_id FROM work_order_links l WHERE l.tenant_id = ? AND l.resource = ?", tenant, f.Link))
	}
	if f.HolderID != 0 {
		filters = append(filters, storage.Equal("holder_id", f.HolderID).OrderedBy())
	}
	if f.DueBy != nil {
		filters = append(filters, storage.Until("due_time", *f.DueBy))
	}
	if f.Status != nil {
		filters = append(filters, storage.Equal("status", f.Status.Code))
	}
	if f.Priority != nil {
		filters = append(filters, storage.Equal("priority", *f.Priority).OrderedBy("id", "priority"))
	}
	return append(filters, storage.Containing(f.Search, "title"))
}

// candidatesRead is the maximum number of work orders that one claim-next request tries to claim.
const candidatesRead = 8

// candidates returns the first offered work orders, by priority and then by age.
//
//	SELECT * FROM work_orders
//	 WHERE tenant_id = ? AND (status = 0 OR status = 1 AND holder_id IN (…))
//	 ORDER BY priority, created_time, id LIMIT 8
func candidates(ctx context.Context, u *uow.Unit, unable []int64) ([]WorkOrder, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, err
	}
	query := tx.Where("status = ?", opened.Code)
	if len(unable) > 0 {
		query = tx.Where("(status = ? OR (status = ? AND holder_id IN ?))", opened.Code, claimed.Code, unable)
	}
	var offered []WorkOrder
	if err := query.Order("priority, created_time, id").Limit(candidatesRead).Find(&offered).Error; err != nil {
		return nil, fmt.Errorf("read offered work orders: %w", err)
	}
	pointers := make([]*WorkOrder, len(offered))
	for i := range offered {
		pointers[i] = &offered[i]
	}
	if len(offered) == 0 {
		return nil, nil
	}
	return offered, withLinks(tx, pointers)
}

// holders returns the holders of claimed work orders of the context's tenant:
//
//	SELECT DISTINCT holder_id FROM work_orders WHERE tenant_id = ? AND status = ?
func (s *Service) holders(ctx context.Context) ([]int64, error) {
	var holders []int64
	err := s.db.Read(ctx).Model(&WorkOrder{}).Where("status = ? AND holder_id IS NOT NULL", claimed.Code).Distinct().Pluck("holder_id", &holders).Error
	if err != nil {
		return nil, fmt.Errorf("read the holders of work orders: %w", err)
	}
	return holders, nil
}

// insertLinks inserts the links of a new work order.
func insertLinks(ctx context.Context, u *uow.Unit, order *WorkOrder) error {
	if len(order.Links) == 0 {
		return nil
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	for i := range order.Links {
		order.Links[i].WorkOrderID = order.ID
	}
	if err := tx.Create(&order.Links).Error; err != nil {
		return fmt.Errorf("insert the links of a work order: %w", err)
	}
	return nil
}

// holding returns the columns of a transition.
func holding(w *WorkOrder) guard.Set {
	return guard.Set{"holder_id": w.HolderID, "holder_name": w.HolderName, "held_time": w.HeldTime, "resolution": w.Resolution}
}

// hasChanged reports whether the error means that another caller has changed or deleted the candidate.
func hasChanged(err error) bool {
	return errors.Is(err, guard.ErrStale) || errors.Is(err, guard.ErrDeleted)
}

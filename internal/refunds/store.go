package refunds

import (
	"context"
	"fmt"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// Filter narrows a list of refunds. Fields with the zero value do not filter.
type Filter struct {
	// Status is nil for all.
	Status  *status.State
	OrderID int64
	UserID  principal.CustomerID
	// From and To bound the time of the request: From <= t < To.
	From, To *time.Time
}

var refundSorts = storage.Sorts{
	Columns: map[string]string{"id": "id", "createdTime": "created_time", "amount": "amount", "updatedTime": "updated_time"},
	Default: "-id",
}

func find(db *gorm.DB, id int64) (*Refund, error) {
	var refund Refund
	if err := db.Where("id = ?", id).Take(&refund).Error; err != nil {
		return nil, err
	}
	if err := withLines(db, []*Refund{&refund}); err != nil {
		return nil, err
	}
	return &refund, nil
}

// withLines reads the lines of all refunds in one query.
func withLines(db *gorm.DB, refunds []*Refund) error {
	return storage.Attach(db, "refund_id", refunds, func(r *Refund) (int64, *[]Line) { return r.ID, &r.Lines }, func(l Line) int64 { return l.RefundID })
}

// filters returns the filters of a list, the most selective first, and its sorts.
func (f Filter) filters() (filters []storage.Filter, sorts storage.Sorts) {
	if f.OrderID != 0 {
		filters = append(filters, storage.Equal("order_id", f.OrderID))
	}
	if f.UserID != "" {
		filters = append(filters, storage.Equal("user_id", f.UserID))
	}
	period := storage.Created(f.From, f.To)
	filters = append(filters, period)
	if f.Status != nil {
		filters = append(filters, storage.Equal("status", f.Status.Code))
	}
	return filters, refundSorts.Within(period)
}

// refundedPartsOf returns the parts of an order's lines that its refunds cover, by sku, without
// rejected and failed refunds:
//
//	SELECT sku, SUM(quantity), SUM(worth), SUM(…) FROM refund_lines JOIN refunds ON …
//	 WHERE refund_lines.tenant_id = ? AND refund_lines.order_id = ? AND refunds.status IN (…) GROUP BY sku
func refundedPartsOf(tx *gorm.DB, order int64) (map[string]refundedPart, error) {
	var rows []refundedPart
	err := tx.Model(&Line{}).Select("refund_lines.sku, SUM(refund_lines.quantity) AS quantity, SUM(refund_lines.worth) AS worth,"+
		" SUM(CASE WHEN refund_lines.restock THEN refund_lines.quantity - refund_lines.unshipped ELSE 0 END) AS returned").
		Joins("JOIN refunds ON refunds.tenant_id = refund_lines.tenant_id AND refunds.id = refund_lines.refund_id").
		Where("refund_lines.order_id = ? AND refunds.status IN ?", order, claiming).Group("refund_lines.sku").Scan(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("read the refunded parts of an order's lines: %w", err)
	}
	bySKU := make(map[string]refundedPart, len(rows))
	for _, row := range rows {
		bySKU[row.SKU] = row
	}
	return bySKU, nil
}

// insert adds a new refund with its lines.
func insert(ctx context.Context, u *uow.Unit, refund *Refund) error {
	if err := guard.Insert(ctx, u, refund); err != nil {
		return fmt.Errorf("insert refund: %w", err)
	}
	if len(refund.Lines) == 0 {
		return nil
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	for i := range refund.Lines {
		refund.Lines[i].RefundID = refund.ID
	}
	if err := tx.Create(&refund.Lines).Error; err != nil {
		return fmt.Errorf("insert refund lines: %w", err)
	}
	return nil
}

// insertHistory inserts the refund's current version into its history. from is nil for a new
// refund.
func insertHistory(ctx context.Context, u *uow.Unit, refund *Refund, action string, from *int, detail any) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	event, err := change.EncodeEvent(refund.Row, action, from, refund.Status, detail)
	if err != nil {
		return err
	}
	if err := storage.InsertDeferred(tx, Event{RefundID: refund.ID, Event: event}); err != nil {
		return fmt.Errorf("insert refund event: %w", err)
	}
	return nil
}

// updateStatus issues the guarded UPDATE of a transition:
//
//	UPDATE refunds SET status = ?, approved_by = ?, …, reference = ?, status_reason = ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND status = ? AND version = ? AND proposed = 0
//
// It reports whether open approvals may name the refund; the unit then makes those approvals stale.
// No other statement writes a refund's status, so only updateStatus checks whether the approval
// needs votes. Errors: errProposed if the unit has proposed the transition instead; guard.ErrStale,
// guard.ErrDeleted.
func (s *Service) updateStatus(ctx context.Context, u *uow.Unit, before, after *Refund) (named bool, err error) {
	if err := s.proposeIfRequired(ctx, u, before, after); err != nil {
		return false, err
	}
	from, to := Machine.Of(before.Status), Machine.Of(after.Status)
	set := guard.Set{
		"approved_by":      after.ApprovedBy,
		"approved_by_name": after.ApprovedByName,
		"approved_time":    after.ApprovedTime,
		"reference":        after.Reference,
		"status_reason":    after.StatusReason,
	}
	named, err = guard.TransitionNamed[Refund](ctx, u, before.Ref(), from, to, set)
	if storage.IsDuplicate(err, "uq_refunds_reference") {
		err = s.lifecycle().DuplicateReference(*after.Reference, "method = ? AND reference = ?", after.Method, *after.Reference)
	}
	return named, err
}

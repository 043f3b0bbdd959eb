package payments

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

// Filter narrows a list of payments. Fields with the zero value do not filter.
type Filter struct {
	// Status is nil for all.
	Status *status.State
	// OrderID also selects unmatched payments that name the order.
	OrderID int64
	UserID  principal.CustomerID
	Method  string
	// Provider is "" for all.
	Provider string
	// From and To bound the time of the recording: From <= t < To.
	From, To *time.Time
	// ReferencePrefix is a prefix of the reference.
	ReferencePrefix string
}

// Sorts are the sort orders of lists of payments.
var Sorts = storage.Sorts{
	Columns: map[string]string{"id": "id", "createdTime": "created_time", "amount": "amount", "updatedTime": "updated_time"},
	Default: "-id",
}

func find(db *gorm.DB, id int64) (*Payment, error) {
	var payment Payment
	if err := db.Where("id = ?", id).Take(&payment).Error; err != nil {
		return nil, err
	}
	return &payment, nil
}

// filters returns the filters of a list, the most selective first, and its sorts.
func (f Filter) filters() (filters []storage.Filter, sorts storage.Sorts) {
	if f.ReferencePrefix != "" {
		filters = append(filters, storage.HasPrefix("reference", f.ReferencePrefix))
	}
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
	if f.Provider != "" {
		filters = append(filters, storage.Equal("provider", f.Provider))
	}
	if f.Method != "" {
		filters = append(filters, storage.Equal("method", f.Method))
	}
	return filters, Sorts.Within(period)
}

// insertHistory inserts the payment's current version into its history. from is nil for a new
// payment.
func insertHistory(ctx context.Context, u *uow.Unit, payment *Payment, action string, from *int, detail any) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	event, err := change.EncodeEvent(payment.Row, action, from, payment.Status, detail)
	if err != nil {
		return err
	}
	if err := storage.InsertDeferred(tx, Event{PaymentID: payment.ID, Event: event}); err != nil {
		return fmt.Errorf("insert payment event: %w", err)
	}
	return nil
}

// update issues the guarded UPDATE of a payment:
//
//	UPDATE payments SET status = ?, order_id = ?, …, refund_reserved = ?, refunded = ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND status = ? AND version = ? AND proposed = 0
//
// It reports whether open approvals may name the payment; the unit then makes those approvals
// stale. No other statement writes a payment's status, so only update checks whether sending back
// needs votes. Errors: errProposed if the unit has proposed the transition instead; Forbidden;
// guard.ErrStale, guard.ErrDeleted.
func (s *Service) update(ctx context.Context, u *uow.Unit, before, after *Payment) (named bool, err error) {
	if err := s.proposeIfRequired(ctx, u, before, after); err != nil {
		return false, err
	}
	from, to := Machine.Of(before.Status), Machine.Of(after.Status)
	set := guard.Set{
		"order_id":        after.OrderID,
		"order_no":        after.OrderNo,
		"user_id":         after.UserID,
		"refund_reserved": after.RefundReserved,
		"refunded":        after.Refunded,
		"reason":          after.Reason,
		"reason_code":     after.ReasonCode,
		"applied_time":    after.AppliedTime,
	}
	return guard.TransitionNamed[Payment](ctx, u, before.Ref(), from, to, set)
}

// ByReference returns at most limit payments with a reference that starts with text.
func (s *Service) ByReference(ctx context.Context, text string, limit int) ([]Payment, error) {
	payments, err := storage.ByPrefix[Payment](s.db.Read(ctx), "reference", storage.Spellings(text), limit)
	if err != nil {
		return nil, fmt.Errorf("find payments by reference: %w", err)
	}
	return payments, nil
}

package orders

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/payments"
)

// Filter narrows a list of orders. Fields with the zero value do not filter.
type Filter struct {
	// Status is nil for all.
	Status *status.State
	UserID principal.CustomerID
	// From and To bound the time of creation: From <= t < To.
	From, To *time.Time
	// NumberPrefix is a prefix of the order number, ignoring case.
	NumberPrefix string

	ExternalID, Email, TrackingNo, CouponCode string
	// Reference is the reference of a payment.
	Reference string
	// SKU is an item of a line.
	SKU              string
	Tag              string
	SaleID           int64
	PaymentStatus    PaymentStatus
	FulfilmentStatus FulfilmentStatus
	// ToShip selects the orders that have units to ship and are paid or need no payment before, or
	// the other orders; nil for all.
	ToShip *bool
	// From <= t < To of the complete payment, and of the shipment of the last units.
	PaidFrom, PaidTo, ShippedFrom, ShippedTo *time.Time
}

var orderSorts = storage.Sorts{
	Columns: map[string]string{"id": "id", "createdTime": "created_time", "amount": "amount", "updatedTime": "updated_time"},
	Default: "-id",
}

func find(db *gorm.DB, id int64) (*Order, error) {
	var order Order
	if err := db.Where("id = ?", id).Take(&order).Error; err != nil {
		return nil, err
	}
	if err := withParts(db, []*Order{&order}); err != nil {
		return nil, err
	}
	return &order, nil
}

// withParts reads the lines of all orders in one query, and their payments, with unmatched ones that
// name them, in another.
func withParts(db *gorm.DB, orders []*Order) error {
	err := storage.Attach(db, "order_id", orders, func(o *Order) (int64, *[]Line) { return o.ID, &o.Lines }, func(l Line) int64 { return l.OrderID })
	if err != nil {
		return err
	}
	return storage.Attach(db, "order_id", orders,
		func(o *Order) (int64, *[]payments.Payment) { return o.ID, &o.Payments }, func(p payments.Payment) int64 { return *p.OrderID })
}

// filters returns the filters of a list of a tenant, the most selective first, and its sorts.
func (f Filter) filters(tenant int64) (filters []storage.Filter, sorts storage.Sorts) {
	for _, exact := range []struct{ column, value string }{
		{"external_id", f.ExternalID}, {"tracking_no", f.TrackingNo}, {"coupon_code", f.CouponCode}, {"email", f.Email},
		{"payment_status", string(f.PaymentStatus)}, {"fulfilment_status", string(f.FulfilmentStatus)},
	} {
		if exact.value != "" {
			filters = append(filters, storage.Equal(exact.column, exact.value))
		}
	}
	if f.Reference != "" {
		filters = append(filters, storage.InDistinctSubquery("SELECT order_id FROM payments WHERE tenant_id = ? AND order_id IS NOT NULL AND reference = ?",
			tenant, f.Reference))
	}
	if f.SKU != "" {
		filters = append(filters, storage.InDistinctSubquery("SELECT order_id FROM order_lines WHERE tenant_id = ? AND sku = ?", tenant, f.SKU).
			WithLookup("(SELECT COUNT(*) FROM order_lines l WHERE l.tenant_id = ? AND l.sku = ? AND l.order_id = orders.id) > 0"))
	}
	if f.Tag != "" {
		filters = append(filters, storage.InDistinctSubquery("SELECT order_id FROM order_tags WHERE tenant_id = ? AND tag = ?", tenant, f.Tag).
			WithLookup("(SELECT COUNT(*) FROM order_tags g WHERE g.tenant_id = ? AND g.tag = ? AND g.order_id = orders.id) > 0"))
	}
	if f.SaleID != 0 {
		filters = append(filters, storage.Equal("sale_id", f.SaleID))
	}
	if f.ToShip != nil {
		filters = append(filters, storage.Equal("shippable", *f.ToShip))
	}
	filters = append(filters, storage.Period("paid_time", f.PaidFrom, f.PaidTo), storage.Period("shipped_time", f.ShippedFrom, f.ShippedTo))
	if f.NumberPrefix != "" {
		filters = append(filters, storage.HasPrefix("order_no", strings.ToUpper(f.NumberPrefix)))
	}
	if f.UserID != "" {
		filters = append(filters, storage.Equal("user_id", f.UserID))
	}
	period := storage.Created(f.From, f.To)
	filters = append(filters, period)
	if f.Status != nil {
		filters = append(filters, storage.Equal("status", f.Status.Code))
	}
	return filters, orderSorts.Within(period)
}

// insert inserts a new order with its lines. A duplicate number retries the unit with another
// number, and a duplicate external id retries it to find the other order.
func insert(ctx context.Context, u *uow.Unit, order *Order) error {
	order.UnitsToShip = order.unitsToShip()
	err := guard.Insert(ctx, u, order)
	if storage.IsDuplicate(err, "uq_orders_no") {
		return uow.Retry(fmt.Errorf("draw a free order number: %w", err))
	}
	if storage.IsDuplicate(err, "uq_orders_external") {
		return uow.OvertakenBecause("order", err)
	}
	if err != nil {
		return fmt.Errorf("insert order: %w", err)
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	for i := range order.Lines {
		order.Lines[i].OrderID = order.ID
	}
	if err := storage.InsertDeferred(tx, order.Lines...); err != nil {
		return fmt.Errorf("insert order lines: %w", err)
	}
	return insertTags(tx, order.ID, order.Tags)
}

// tag is one tag of an order, for lists by tag.
type tag struct {
	TenantID, OrderID int64
	Tag               string
}

// TableName implements gorm's Tabler.
func (tag) TableName() string { return "order_tags" }

func insertTags(tx *gorm.DB, order int64, tags []string) error {
	if len(tags) == 0 {
		return nil
	}
	rows := make([]tag, len(tags))
	for i, text := range tags {
		rows[i] = tag{OrderID: order, Tag: text}
	}
	if err := storage.InsertDeferred(tx, rows...); err != nil {
		return fmt.Errorf("insert the tags of an order: %w", err)
	}
	return nil
}

// replaceTags replaces the rows of an order's tags, in the unit that has written the order.
func replaceTags(ctx context.Context, u *uow.Unit, before, after *Order) error {
	if slices.Equal(before.Tags, after.Tags) {
		return nil
	}
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	if err := storage.Deferred(tx).Where("order_id = ?", after.ID).Delete(&tag{}).Error; err != nil { //nolint:forbidigo // the version of the order is the guard
		return fmt.Errorf("delete the tags of an order: %w", err)
	}
	return insertTags(tx, after.ID, after.Tags)
}

// insertHistory inserts the order's current version into its history. from is nil for a new order.
func insertHistory(ctx context.Context, u *uow.Unit, order *Order, action string, from *int, detail any) error {
	tx, err := u.Tx(ctx)
	if err != nil {
		return err
	}
	event, err := change.EncodeEvent(order.Row, action, from, order.Status, detail)
	if err != nil {
		return err
	}
	if err := storage.InsertDeferred(tx, Event{OrderID: order.ID, Event: event}); err != nil {
		return fmt.Errorf("insert order event: %w", err)
	}
	return nil
}

// updateStatus issues the guarded UPDATE of a transition:
//
//	UPDATE orders SET status = ?, carrier = ?, …, paid = ?, refunded = ?, …, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND status = ? AND version = ?
//
// The amounts are computed from the order that was read. A concurrent refund increments the
// version, so the guard then rejects the UPDATE.
func updateStatus(ctx context.Context, u *uow.Unit, before, after *Order) error {
	return guard.Transition[Order](ctx, guard.Deferred(u), before.Ref(), Machine.Of(before.Status), Machine.Of(after.Status), guard.Set{
		"carrier":         after.Carrier,
		"tracking_no":     after.TrackingNo,
		"cancel_reason":   after.CancelReason,
		"payment_due":     after.PaymentDue,
		"paid":            after.Paid,
		"paid_time":       after.PaidTime,
		"shipped_time":    after.ShippedTime,
		"completed_time":  after.CompletedTime,
		"cancelled_time":  after.CancelledTime,
		"refund_reserved": after.RefundReserved,
		"refunded":        after.Refunded,
	})
}

// OwnerOf implements coupons.OrderOwner.
func OwnerOf(ctx context.Context, u *uow.Unit, id int64) (principal.CustomerID, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return "", err
	}
	var owners []principal.CustomerID
	if err := tx.Model(&Order{}).Where("id = ?", id).Pluck("user_id", &owners).Error; err != nil || len(owners) == 0 {
		return "", err
	}
	return owners[0], nil
}

// ItemInUse reports whether an order names an item, as read by the unit.
func ItemInUse(ctx context.Context, u *uow.Unit, sku string) (bool, error) {
	tx, err := u.Tx(ctx)
	if err != nil {
		return false, err
	}
	var lines []Line
	if err := tx.Where("sku = ?", sku).Limit(1).Find(&lines).Error; err != nil {
		return false, fmt.Errorf("find orders of an item: %w", err)
	}
	return len(lines) > 0, nil
}

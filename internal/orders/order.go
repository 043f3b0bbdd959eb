// Package orders moves orders from pending to completed or cancelled.
//
// Invariants:
//
//   - An order's lines, prices and amount never change after it was placed. The
//     prices are those of the catalog in the unit that placed it.
//   - amount = sum of price × quantity − discount + shipping + tax, in minor units, never
//     negative and never beyond an int64.
//   - An external id names one order of a tenant. The request that created the order, sent again,
//     returns the order.
//   - A status is left at most once and only along the machine in status.go.
//   - Version n of an order has exactly one row in order_histories, written in the
//     same transaction.
//   - A coupon is used by an order if and only if the order names the coupon and is not cancelled;
//     order and coupon change in one unit.
//   - Each line's units are accounted for, see Line. Unshipped units are reserved for the
//     order; shipping removes them from stock, and cancelling returns them, in the order's unit.
//   - A cancelled order has no refundable amount: its cancellation rejects the requested and failed
//     refunds, and refunds the rest of the payment.
//   - A ticket of a flash sale becomes at most one order. The order's cancellation returns the
//     units only to the sale, in the same unit of work.
//   - An order that is paid from a wallet has debited the wallet exactly once.
//   - 0 <= refund reserved + refunded <= paid. Refunds change these amounts only under that
//     condition; the cancellation of a paid order refunds the rest.
package orders

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

// Permissions to read and to change orders.
const (
	ReadPermission  = "orders:read"
	writePermission = "orders:write"
)

// Order is an order with its lines.
type Order struct {
	guard.Row
	OrderNo string
	UserID  principal.CustomerID
	Status  int
	// Discount and Amount are in minor units. Amount is the amount to pay.
	Discount int64
	Amount   int64
	// Paid is the paid amount, 0 before the payment; RefundReserved is its part that open refunds
	// have reserved, and Refunded its part that was refunded. See Refundable.
	Paid, RefundReserved, Refunded int64
	// CouponCode is "" without a coupon.
	CouponCode string
	// PaymentMethod is "" before the payment.
	PaymentMethod string
	// PaymentReference names the payment at its provider; nil before the payment, or if the payment
	// has no reference. It is unique per tenant and method.
	PaymentReference *string
	Carrier          string
	TrackingNo       string
	CancelReason     string
	// SaleID and Ticket name the flash-sale purchase that became the order; nil for other orders.
	SaleID *int64
	Ticket *string
	// PaymentDue is the time at which a pending order is cancelled; nil for never.
	PaymentDue *time.Time
	// Shipping and Tax are parts of Amount, in minor units.
	Shipping, Tax int64
	PaymentTerms  Terms
	// The times of the steps; nil before the step.
	PaidTime, ShippedTime, CompletedTime, CancelledTime *time.Time
	Details
	// ExternalID is the order's id in the storefront, unique per tenant; nil for none.
	ExternalID *string
	// ContentHash identifies the content of the request that created an order with an external id;
	// nil for other orders.
	ContentHash *string

	Lines []Line `gorm:"-"`

	// rest is the amount that the order's cancellation refunds, in minor units.
	rest int64
}

// Label returns a name for messages.
func (o *Order) Label() string { return fmt.Sprintf("order %q", o.OrderNo) }

// Holder is the order's holder name in stock.
func (o *Order) Holder() string { return fmt.Sprintf("orders/%d", o.ID) }

// reference returns the idempotency reference of an order's act at stock or a wallet.
func (o *Order) reference(act string) string { return fmt.Sprintf("@orders/%d/%s", o.ID, act) }

// quantities returns the units of an order by sku.
func (o *Order) quantities() map[string]int64 {
	units := make(map[string]int64, len(o.Lines))
	for _, line := range o.Lines {
		units[line.SKU] = line.Quantity
	}
	return units
}

// enter sets the status, and the times of the last steps.
func (o *Order) enter(to status.State, now time.Time) {
	o.Status = to.Code
	switch to {
	case completed:
		o.CompletedTime = &now
	case cancelled:
		o.CancelledTime = &now
	}
}

// Event is one row of an order's history.
type Event struct {
	ID       int64
	TenantID int64
	OrderID  int64
	change.Event
}

// TableName implements gorm's Tabler.
func (Event) TableName() string { return "order_histories" }

// total returns the sum of price × quantity. If the sum exceeds an int64, total returns false and
// the index of the line at which it does.
func total(lines []Line) (sum int64, tooMuch int, ok bool) {
	for i, line := range lines {
		high, low := bits.Mul64(uint64(line.Price), uint64(line.Quantity))
		if high != 0 || low > uint64(math.MaxInt64-sum) {
			return 0, i, false
		}
		sum += int64(low)
	}
	return sum, 0, true
}

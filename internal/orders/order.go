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
//   - The shipped units of a line are the sum of its units in the order's parcels.
//   - An order is shipped when units were shipped and none is left to ship or in an open refund: by
//     its last parcel, or by the refund that returns the last units to stock.
//   - A cancelled order has no refundable amount: its cancellation rejects the requested and failed
//     refunds, and refunds the rest of each payment.
//   - A ticket of a flash sale becomes at most one order. The order's cancellation returns the
//     units only to the sale, in the same unit of work.
//   - paid = sum of the order's applied payments <= amount. Payment and order change in one unit,
//     under the order's version; see package payments.
//   - 0 <= refund reserved + refunded <= paid. Refunds change these amounts only under that
//     condition; the cancellation of a paid order refunds the rest.
package orders

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/payments"
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
	// Paid is the sum of the applied payments; RefundReserved is its part that open refunds have
	// reserved, and Refunded its part that was refunded. See Refundable.
	Paid, RefundReserved, Refunded int64
	// CouponCode is "" without a coupon.
	CouponCode   string
	Carrier      string
	TrackingNo   string
	CancelReason string
	// SaleID and Ticket name the flash-sale purchase that became the order; nil for other orders.
	SaleID *int64
	Ticket *string
	// PaymentDue is the time at which a pending order is cancelled; nil for never, and if nothing is
	// due.
	PaymentDue *time.Time
	// Shipping and Tax are parts of Amount, in minor units.
	Shipping, Tax int64
	PaymentTerms  Terms
	// The times of the steps; nil before the step.
	PaidTime, ShippedTime, CompletedTime, CancelledTime *time.Time
	// UnitsToShip is the sum of ToShip of the lines, for the filter of lists: see moveLines.
	UnitsToShip int64
	Details
	// ExternalID is the order's id in the storefront, unique per tenant; nil for none.
	ExternalID *string
	// ContentHash identifies the content of the request that created an order with an external id;
	// nil for other orders.
	ContentHash *string

	Lines []Line `gorm:"-"`
	// Payments are in the order of their receipt, with unmatched ones that name the order.
	Payments []payments.Payment `gorm:"-"`

	// rests are the amounts that the order's cancellation refunds.
	rests []rest
	// parcel is the parcel that the order's shipment makes.
	parcel *Parcel
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

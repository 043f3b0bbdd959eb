// Package orders takes orders from pending to completed or cancelled.
//
// Invariants:
//
//   - An order's lines, prices and amount never change after it was placed. The
//     prices are those of the catalog at the moment of the unit that placed it.
//   - amount = sum of price × quantity − discount, in minor units, never negative
//     and never beyond an int64.
//   - A status is left at most once and only along the machine in status.go.
//   - Version n of an order has exactly one row in order_histories, written in the
//     same transaction.
//   - A coupon is used by an order if and only if the order names it and is not
//     cancelled: both change in one unit.
//   - Each line's units are accounted for, see Line. Units that are not shipped yet are reserved
//     for the order; shipping takes them from stock, and cancelling returns them, in the
//     order's unit.
//   - A cancelled order has nothing to refund: its cancellation takes over its open refunds.
//   - A ticket of a flash sale becomes at most one order. When that is cancelled its pieces
//     go back to the sale, in the order's own unit, and nowhere else.
//   - An order that is paid from a wallet has debited it once.
//   - 0 <= refund reserved + refunded <= paid. Refunds move the three under that condition;
//     the cancellation of a paid order refunds the rest.
package orders

import (
	"fmt"
	"math"
	"math/bits"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

// What it takes to read orders, and to change them.
const (
	ReadPermission  = "orders:read"
	writePermission = "orders:write"
)

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See orders and their history."},
	{Name: writePermission, Meaning: "Place orders, and pay, ship, complete and cancel them. Cancelling a paid one refunds the rest."},
}

// Order is an order with its lines.
type Order struct {
	guard.Row
	OrderNo string
	UserID  principal.CustomerID
	Status  int
	// Discount and Amount are in minor units. Amount is what is to be paid.
	Discount int64
	Amount   int64
	// Paid is what was paid, 0 before; RefundReserved what of it refunds have reserved that
	// are not settled yet, and Refunded what was given back. See Refundable.
	Paid, RefundReserved, Refunded int64
	// CouponCode is "" without a coupon.
	CouponCode string
	// What the transitions bring; "" before.
	PaymentMethod string
	// PaymentReference names the payment where it was taken; nil before, and without one. At most
	// one order of a tenant and method has it.
	PaymentReference *string
	Carrier          string
	TrackingNo       string
	CancelReason     string
	// SaleID and Ticket say which purchase of a flash sale became the order; nil for
	// every other order.
	SaleID *int64
	Ticket *string
	// PaymentDue is when an order that is still pending is cancelled; nil for never.
	PaymentDue *time.Time

	Lines []Line `gorm:"-"`

	// rest is the amount that the order's cancellation refunds, in minor units.
	rest int64
}

// Label names the order for people.
func (o *Order) Label() string { return fmt.Sprintf("order %q", o.OrderNo) }

// Holder is the name under which an order holds its pieces.
func (o *Order) Holder() string { return fmt.Sprintf("orders/%d", o.ID) }

// reference names what an act of an order does to stock or to a wallet, so that it is done
// once.
func (o *Order) reference(act string) string { return fmt.Sprintf("@orders/%d/%s", o.ID, act) }

// quantities are the units of an order by sku.
func (o *Order) quantities() map[string]int64 {
	pieces := make(map[string]int64, len(o.Lines))
	for _, line := range o.Lines {
		pieces[line.SKU] = line.Quantity
	}
	return pieces
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

// total returns the sum of price × quantity. When it does not fit an int64 it
// returns false and the index of the line that is too much.
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

// Package refunds repays payments of orders, in whole or in part. Each refund repays one payment.
//
// Invariants:
//
//   - No order has more refunded or reserved than was paid: the order's refundReserved is the sum
//     of its requested, approved and unknown refunds, its refunded is the sum of its settled
//     refunds, and both together never exceed the paid amount. The guarded UPDATE of the order
//     enforces this limit; see orders.MoveRefund. The same is true for each payment.
//   - A refund is inserted before any money moves, and is never deleted; its amount and its
//     lines never change, and its reference is set once, when it is settled.
//   - A payment by wallet is credited to the wallet exactly once for each settled refund, under
//     the reference @refunds/{id}, in the unit that settles it.
//   - An outside payment is settled only when its provider confirms. Until then its refund is
//     approved, or unknown if the provider did not respond, and retains its reservation.
//   - A user may not approve a refund that they requested, with any credential, unless the
//     tenant's setting selfApproval permits it.
//   - A refund above the tenant's threshold is approved only in a unit that applies an approval
//     with its votes; see gate.go.
//   - Units return to stock only for lines with restock, once, when the refund is settled. The
//     request distinguishes the units: unshipped units leave the order's ToShip immediately and
//     return to it if the refund is rejected or fails; shipped units return as returned goods.
//   - The cancellation of an order rejects its requested and failed refunds. A refund of a
//     cancelled order is never rejected, and retains its reservation when it fails: the
//     customer's money stays reserved until it is repaid.
//   - Version n of a refund has exactly one row in refund_histories.
//
// The refund, the order's amounts, the wallet's entry and the movements of stock are one unit, so a
// crash during a step leaves nothing of it. A crash between the approval of an outside refund and
// its provider's confirmation leaves it approved.
package refunds

import (
	"fmt"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/orders"
	"interlock/internal/payments"
)

// Permissions to read, to request and to decide on refunds.
const (
	ReadPermission    = "refunds:read"
	writePermission   = "refunds:write"
	approvePermission = "refunds:approve"
)

// The origins of refunds.
const (
	// Requested: a user requested it.
	Requested = "request"
	// Cancellation: it repays the rest of a cancelled order.
	Cancellation = "cancellation"
)

// Refund is one refund with its lines.
type Refund struct {
	guard.Row
	OrderID int64
	OrderNo string
	UserID  principal.CustomerID
	// PaymentID is the payment that it repays.
	PaymentID int64
	// Amount is in minor units, more than 0.
	Amount int64
	// Method is the method of the payment, "wallet" or "external", and also the way of repayment.
	Method string
	// Origin is Requested or Cancellation.
	Origin string
	Status int
	// Reason is the reason for the refund.
	Reason          string
	RequestedBy     int64
	RequestedByName string
	// RequesterCreatorID is the creator of the requester's API token; 0 for none.
	RequesterCreatorID int64
	// ApprovedBy is nil before the approval.
	ApprovedBy     *int64
	ApprovedByName string
	ApprovedTime   *time.Time
	// Reference names the wallet's entry or the provider's repayment; nil before it is settled. It
	// is unique per tenant and method.
	Reference *string
	// StatusReason is the reason of a rejection, a failure or an unknown outcome; "" otherwise.
	StatusReason string

	Lines []Line `gorm:"-"`
}

// Proposable implements guard.Proposable.
func (Refund) Proposable() {}

// Label returns a name for messages.
func (r *Refund) Label() string { return fmt.Sprintf("refund %d of order %q", r.ID, r.OrderNo) }

// byWallet reports whether the refund credits a wallet.
func (r *Refund) byWallet() bool { return r.Method == payments.FromWallet }

// path returns the path of the refund's representation.
func (r *Refund) path() string { return fmt.Sprintf("%s/%d", Topic, r.ID) }

// reference returns the refund's idempotency reference at wallets and stock.
func (r *Refund) reference() string { return fmt.Sprintf("@refunds/%d", r.ID) }

// restocked returns the units that return to stock when the refund is settled, by sku: units that
// the order had not shipped at the request, and units that the customer sends back.
func (r *Refund) restocked() (unshipped, returned map[string]int64) {
	unshipped, returned = map[string]int64{}, map[string]int64{}
	for _, line := range r.Lines {
		if line.Unshipped > 0 {
			unshipped[line.SKU] = line.Unshipped
		}
		if goods := line.returnedGoods(); goods > 0 {
			returned[line.SKU] = goods
		}
	}
	return unshipped, returned
}

// restockedSKUs returns the items of the lines with restock.
func (r *Refund) restockedSKUs() (skus []string) {
	for _, line := range r.Lines {
		if line.Restock {
			skus = append(skus, line.SKU)
		}
	}
	return skus
}

// moves returns the move of each line with restock.
func (r *Refund) moves(move func(line Line) orders.LineMove) (moves []orders.LineMove) {
	for _, line := range r.Lines {
		if line.Restock {
			m := move(line)
			m.SKU = line.SKU
			moves = append(moves, m)
		}
	}
	return moves
}

// Line is a refund's part of a line of its order.
type Line struct {
	ID       int64
	TenantID int64
	RefundID int64
	OrderID  int64
	SKU      string
	Name     string
	Quantity int64
	// Restock is true if the units return to stock at the settlement.
	Restock bool
	// Unshipped are the units of a line with Restock that the order had not shipped at the request;
	// the others are returned goods.
	Unshipped int64
	// Worth is the units' share of the payment, in minor units. The refund's amount may differ from
	// the sum of its lines.
	Worth int64
}

// returnedGoods returns the number of units that the customer sends back.
func (l Line) returnedGoods() int64 {
	if !l.Restock {
		return 0
	}
	return l.Quantity - l.Unshipped
}

// TableName implements gorm's Tabler.
func (Line) TableName() string { return "refund_lines" }

// Event is one row of a refund's history.
type Event struct {
	ID       int64
	TenantID int64
	RefundID int64
	change.Event
}

// TableName implements gorm's Tabler.
func (Event) TableName() string { return "refund_histories" }

// Package refunds pays back what was paid for orders, in whole or in parts.
//
// Invariants:
//
//   - No order has more refunded or reserved than was paid: its refundReserved is the sum of its
//     refunds that are requested, approved or unknown, its refunded the sum of those that are
//     settled, and both together never exceed its paid. The guarded UPDATE of the order decides;
//     see orders.MoveRefund.
//   - A refund is inserted before any money moves, and is never deleted; its amount and its
//     lines never change, and its reference is set once, when it is settled.
//   - A payment by wallet is credited to the wallet exactly once for each settled refund, under
//     the reference @refunds/{id}, in the unit that settles it.
//   - An outside payment is settled only when its provider confirms. Until then its refund is
//     approved, or unknown when the provider did not answer, and keeps its reservation.
//   - Nobody approves a refund that they have requested, with whatever credential.
//   - A refund above the tenant's threshold is approved only in a unit that applies an approval
//     with its votes; see gate.go.
//   - Units return to stock only for lines with restock, once, when the refund is settled. The
//     request decides which: units that are not shipped leave the order's ToShip at once and
//     return to it if the refund is rejected or fails; shipped units return as returned goods.
//   - The cancellation of an order takes over its refunds that are requested or failed. A refund
//     of a cancelled order is never rejected, and keeps its reservation when it fails: the
//     customer's money stays reserved until it is paid back.
//   - Version n of a refund has exactly one row in refund_histories.
//
// A crash in the middle of a step leaves nothing of it: the refund, the order's amounts, the
// wallet's entry and the movements of stock are one unit. A crash between the approval of an
// outside refund and its provider's confirmation leaves it approved.
package refunds

import (
	"fmt"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/orders"
)

// What it takes to read refunds, to request them, and to decide on them.
const (
	ReadPermission    = "refunds:read"
	writePermission   = "refunds:write"
	approvePermission = "refunds:approve"
)

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See refunds and their history."},
	{Name: writePermission, Meaning: "Request refunds of orders."},
	{Name: approvePermission, Meaning: "Approve and reject refunds that others have requested, and say what became of those paid outside.", Decides: true},
}

// The origins of refunds.
const (
	// Requested: somebody asked for it.
	Requested = "request"
	// Cancellation: its order was cancelled, and it is of the rest.
	Cancellation = "cancellation"
)

// Refund is one refund with its lines.
type Refund struct {
	guard.Row
	OrderID int64
	OrderNo string
	UserID  principal.CustomerID
	// Amount is in minor units, more than 0.
	Amount int64
	// Method is how the order was paid, "wallet" or "external", and so the way back.
	Method string
	// Origin is Requested or Cancellation.
	Origin string
	Status int
	// Reason is why the money goes back.
	Reason          string
	RequestedBy     int64
	RequestedByName string
	// RequesterCreatorID is the creator of the API token that requested it; 0 for none.
	RequesterCreatorID int64
	// ApprovedBy is nil until somebody has approved it.
	ApprovedBy     *int64
	ApprovedByName string
	ApprovedTime   *time.Time
	// Reference names the movement of the money: the wallet's entry, or what the provider
	// calls it; nil before it is settled. At most one refund of a tenant and method has it.
	Reference *string
	// StatusReason is why it was rejected, has failed or is unknown; "" otherwise.
	StatusReason string

	Lines []Line `gorm:"-"`
}

// Proposable implements guard.Proposable.
func (Refund) Proposable() {}

// Label names the refund for people.
func (r *Refund) Label() string { return fmt.Sprintf("refund %d of order %q", r.ID, r.OrderNo) }

// byWallet reports whether the money goes back to a wallet.
func (r *Refund) byWallet() bool { return r.Method == "wallet" }

// path is that of the refund's representation.
func (r *Refund) path() string { return fmt.Sprintf("%s/%d", Topic, r.ID) }

// reference is the refund's idempotency reference at wallets and stock.
func (r *Refund) reference() string { return fmt.Sprintf("@refunds/%d", r.ID) }

// restocked returns the units that return to stock when the refund is settled, by sku: units
// that its order had not shipped at the request, and units that the customer sends back.
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

// moves returns, for each line with restock, what move makes of it.
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
	// Restock is true when the units return to stock at the settlement.
	Restock bool
	// Unshipped are the units of a line with Restock that the order had not shipped at the
	// request; the others are returned goods.
	Unshipped int64
	// Worth is the pieces' share of the payment, in minor units. The refund's amount may differ
	// from what its lines are worth together.
	Worth int64
}

// returnedGoods returns how many units the customer sends back.
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

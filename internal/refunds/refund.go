// Package refunds gives back what was paid for orders, in whole or in parts.
//
// Invariants:
//
//   - Of no order is more given back or promised than was paid: an order's refundReserved is
//     the sum of its refunds that are requested, approved or unknown, its refunded that of
//     those which are settled, and both together never exceed its paid. The guarded UPDATE of
//     the order decides; see orders.MoveRefund.
//   - A refund is written down before any money moves, and is never deleted; its amount, its
//     lines and its name never change.
//   - What a wallet has paid is credited to it exactly once for each settled refund, under
//     the reference @refunds/{id}, in the unit that settles it.
//   - What was paid outside is settled only by its provider's word. Until that comes a refund
//     is approved, or unknown when the provider did not say, and keeps its reservation.
//   - Nobody approves a refund that he has requested, also not with a token.
//   - A refund above the tenant's threshold is approved only in a unit that applies an approval
//     with its votes; see gate.go.
//   - Pieces come back only for lines that say so, once, when the refund is settled, and
//     never more of an item than the order has of it.
//   - Version n of a refund has exactly one row in refund_histories.
//
// A crash in the middle of a step leaves nothing of it: the refund, the order's numbers, the
// wallet's entry and the movements of stock are one unit. A crash between the approval of an
// outside refund and its provider's word leaves it approved.
package refunds

import (
	"fmt"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
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
	{Name: approvePermission, Meaning: "Approve and reject refunds that others have requested, and say what became of those paid outside."},
}

// What a refund is the consequence of.
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
	// ApprovedBy is nil until somebody has approved it.
	ApprovedBy     *int64
	ApprovedByName string
	ApprovedTime   *time.Time
	// Reference names the movement of the money: the wallet's entry, or what the provider
	// calls it; "" before it is settled.
	Reference string
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

// reference names what the refund does to wallets and stock, so that it is done once.
func (r *Refund) reference() string { return fmt.Sprintf("@refunds/%d", r.ID) }

// restocked are the pieces that come back with the refund, by sku.
func (r *Refund) restocked() map[string]int64 {
	pieces := make(map[string]int64)
	for _, line := range r.Lines {
		if line.Restock {
			pieces[line.SKU] = line.Quantity
		}
	}
	return pieces
}

// Line is how many pieces of a line of its order a refund is of.
type Line struct {
	ID       int64
	TenantID int64
	RefundID int64
	OrderID  int64
	SKU      string
	Name     string
	Quantity int64
	// Restock is true when the pieces come back.
	Restock bool
	// Worth is the pieces' share of what was paid, in minor units. A refund can be of less
	// or more than its lines are worth.
	Worth int64
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

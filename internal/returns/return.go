// Package returns records goods that customers send back: requested, received, closed or rejected.
//
// Invariants:
//
//   - The returns and refunds of an order's line never have more units than the order shipped. Each
//     of them writes the order's row under its version, so that racing requests serialise.
//   - A received unit either goes back into stock, once, or is written off. The return, the units of
//     the order's lines and the movements of stock change in one unit.
//   - A return has at most one refund, unless the refund was rejected. The refund moves no goods.
//   - A status changes only along the machine in status.go.
//   - Version n of a return has exactly one row in return_histories; each comment is a version.
package returns

import (
	"fmt"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/orders"
)

// ReadPermission is the permission to read returns.
const (
	ReadPermission  = "returns:read"
	writePermission = "returns:write"
	// refundPermission is the permission of package refunds to request a refund.
	refundPermission = "refunds:write"
)

// Return is one return with its lines.
type Return struct {
	guard.Row
	OrderID int64
	OrderNo string
	UserID  principal.CustomerID
	Status  int
	Reason  string
	// StatusReason is the reason of a rejection; "" otherwise.
	StatusReason string
	// RefundID is the refund of the returned goods; nil for none.
	RefundID *int64
	// ExchangeOrderID is the order that replaces the goods; nil for none.
	ExchangeOrderID *int64
	// Comments is the number of comments.
	Comments int64

	Lines []Line `gorm:"-"`
}

// Label returns a name for messages.
func (r *Return) Label() string { return fmt.Sprintf("return %d of order %q", r.ID, r.OrderNo) }

// ShortName returns the name in announcements.
func (r *Return) ShortName() string { return r.OrderNo }

// StatusCode returns a pointer to the code of the status.
func (r *Return) StatusCode() *int { return &r.Status }

// Line is a return's part of a line of its order.
type Line struct {
	ID       int64
	TenantID int64
	ReturnID int64
	OrderID  int64
	// LineNo is the number of the line in its order, from 1.
	LineNo int64
	SKU    string
	Name   string
	// Quantity are the requested units, Received those that arrived, and Restocked those that are in
	// stock again: Quantity >= Received >= Restocked.
	Quantity, Received, Restocked int64
}

// TableName implements gorm's Tabler.
func (Line) TableName() string { return "return_lines" }

// moves returns the move of each line.
func (r *Return) moves(move func(line Line) orders.GoodsMove) []orders.GoodsMove {
	moves := make([]orders.GoodsMove, len(r.Lines))
	for i, line := range r.Lines {
		moves[i] = move(line)
		moves[i].SKU = line.SKU
	}
	return moves
}

// Event is one row of a return's history.
type Event struct {
	ID       int64
	TenantID int64
	ReturnID int64
	change.Event
}

// TableName implements gorm's Tabler.
func (Event) TableName() string { return "return_histories" }

// Package inventory says how many pieces of each item are in stock and how many
// of them are promised to somebody.
//
// Invariants:
//
//   - 0 <= reserved <= on hand, always. available = on hand − reserved.
//   - Version n of an item's inventory has exactly one movement, in the same
//     transaction. Movements are only ever added; their sums are on hand and reserved.
//   - The holds of an item add up to reserved: each reserved piece has one holder.
//   - A reference is had by at most one movement of an item.
//   - An item with pieces in stock, or one whose inventory a unit is moving, is not
//     deleted.
//
// On hand counts what is in stock, whoever it is promised to. Placing an order
// reserves; shipping it takes the pieces from stock and from reserved;
// cancelling it returns them. A flash sale reserves its allotment and passes pieces of
// it on to orders, which moves neither number.
//
// Each change takes the item's lock first, so that writers come one after the other.
// The lock can be lost without its holder noticing; then the guard refuses, because
// the version that the holder read is not there any more:
//
//	UPDATE inventories SET on_hand = on_hand + ?, reserved = reserved + ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND version = ?
//	   AND reserved + ? >= 0 AND on_hand - reserved + ? >= 0
package inventory

import (
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
)

// What it takes to read stock, and to change it.
const (
	ReadPermission   = "inventory:read"
	adjustPermission = "inventory:adjust"
)

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See stock and its movements."},
	{Name: adjustPermission, Meaning: "Add, take out and count stock."},
}

// Inventory is the stock of one item. One that nothing has touched has ID and
// version 0 and no row.
type Inventory struct {
	guard.Row
	SKU      string
	OnHand   int64
	Reserved int64
	// Available is what the engine makes of the two, so that lists can be ordered by
	// it. A row that this process has moved does not have it; ask Free.
	Available int64 `gorm:"->"`
}

// Free is the number of pieces that nobody was promised.
func (i *Inventory) Free() int64 { return i.OnHand - i.Reserved }

// Label names the inventory for people.
func (i *Inventory) Label() string { return fmt.Sprintf("the stock of %q", i.SKU) }

// The kinds of movements.
const (
	// Adjusted: pieces came in or went out.
	Adjusted = "adjust"
	// Counted: on hand was set to what was counted.
	Counted = "count"
	// Reserved: pieces were promised to a holder.
	Reserved = "reserve"
	// Returned: a holder gave its promise back.
	Returned = "return"
	// Consumed: a holder's pieces left the stock.
	Consumed = "consume"
	// Restocked: pieces that had left the stock came back.
	Restocked = "restock"
)

// Movement is one row of an item's ledger.
type Movement struct {
	ID       int64
	TenantID int64
	SKU      string
	// Version is that of the inventory since the movement.
	Version       int64
	Kind          string
	OnHandDelta   int64
	ReservedDelta int64
	// OnHand and Reserved are the numbers since the movement.
	OnHand   int64
	Reserved int64
	// Holder is who the pieces are or were promised to, such as "orders/41"; "" for
	// adjustments.
	Holder string
	Reason string
	// Reference names what caused the movement, once for each item. Those that begin
	// with @ are this service's own.
	Reference     string
	CreatedBy     int64
	CreatedByName string
	CreatedTime   time.Time
}

// TableName implements gorm's Tabler.
func (Movement) TableName() string { return "inventory_movements" }

// delta is what the movement did to the available pieces.
func (m *Movement) delta() int64 { return m.OnHandDelta - m.ReservedDelta }

// same reports whether two movements were asked for with the same content.
func (m *Movement) same(other *Movement) bool {
	same := m.Kind == other.Kind && m.Holder == other.Holder && m.Reason == other.Reason &&
		m.OnHandDelta == other.OnHandDelta && m.ReservedDelta == other.ReservedDelta
	return same && (m.Kind != Counted || m.OnHand == other.OnHand)
}

// Hold is how many pieces of an item are promised to a holder now.
type Hold struct {
	TenantID int64  `gorm:"primaryKey"`
	Holder   string `gorm:"primaryKey"`
	SKU      string `gorm:"primaryKey"`
	Quantity int64
}

// TableName implements gorm's Tabler.
func (Hold) TableName() string { return "inventory_holds" }

// Shortage is one item of which more was wanted than is available.
type Shortage struct {
	SKU       string `json:"sku"`
	Wanted    int64  `json:"wanted"`
	Available int64  `json:"available"`
}

// insufficient is InsufficientStock, with the items that are short as lines.
func insufficient(lines ...Shortage) *apperr.Error {
	first := lines[0]
	e := apperr.New(apperr.InsufficientStock, "%d pieces of %q are available, and %d are needed. Nothing was changed.",
		first.Available, first.SKU, first.Wanted)
	if len(lines) > 1 {
		e.Detail = fmt.Sprintf("%d items are not available in the quantities that are needed, among them %q. Nothing was changed.", len(lines), first.SKU)
	}
	return e.With("lines", lines)
}

// mismatch is PayloadMismatch: a reference comes again and means something else.
func mismatch(first *Movement) *apperr.Error {
	return apperr.New(apperr.PayloadMismatch, "Reference %q of item %q was already used for a movement with other content. Nothing was changed.", first.Reference, first.SKU).
		With("first", movementViewOf(*first))
}

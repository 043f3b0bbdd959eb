// Package inventory stores the units of each item in stock, and their reservations.
//
// Invariants:
//
//   - 0 <= reserved <= on hand, always. available = on hand − reserved.
//   - Version n of an item's inventory has exactly one movement, in the same
//     transaction. Movements are only added; on hand and reserved are their sums.
//   - The holds of an item add up to reserved: each reserved unit has one holder.
//   - A reference is unique among the movements of an item.
//   - An item with units in stock, or with an inventory that a unit of work is moving, is not
//     deleted.
//
// On hand counts the units in stock, reserved or not. Placing an order reserves units; shipping it
// removes them from stock and from reserved; cancelling it returns them. A flash sale reserves its
// allotment and transfers units of it to orders, which changes neither number.
//
// Each change first acquires the item's lock, so that writers run one after the other. The lock can
// be lost unnoticed; then the guard rejects the write, because the version has changed:
//
//	UPDATE inventories SET on_hand = on_hand + ?, reserved = reserved + ?, version = version + 1
//	 WHERE tenant_id = ? AND id = ? AND version = ?
//	   AND reserved + ? >= 0 AND on_hand - reserved + ? >= 0
package inventory

import (
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/core/guard"
)

// Permissions to read and to change stock.
const (
	ReadPermission   = "inventory:read"
	adjustPermission = "inventory:adjust"
)

// Inventory is the stock of one item. An item without movements has an Inventory with ID and
// version 0, and no row.
type Inventory struct {
	guard.Row
	SKU      string
	OnHand   int64
	Reserved int64
	// Available is computed by the engine, so that lists can be sorted by it. In a value that this
	// process has changed, Available is outdated; use Free.
	Available int64 `gorm:"->"`
}

// Free returns the number of units without a reservation.
func (i *Inventory) Free() int64 { return i.OnHand - i.Reserved }

// Label returns a name for messages.
func (i *Inventory) Label() string { return fmt.Sprintf("the stock of %q", i.SKU) }

// Kind is the kind of a movement.
type Kind string

// The kinds.
const (
	// Adjusted: units were added or removed.
	Adjusted Kind = "adjust"
	// Counted: on hand was set to a counted number.
	Counted Kind = "count"
	// Reserved: units were reserved for a holder.
	Reserved Kind = "reserve"
	// Returned: a holder's reservation ended.
	Returned Kind = "return"
	// Consumed: a holder's units left the stock.
	Consumed Kind = "consume"
	// Restocked: consumed units returned to stock.
	Restocked Kind = "restock"
)

// Enum returns the kinds.
func (Kind) Enum() []string {
	return []string{string(Adjusted), string(Counted), string(Reserved), string(Returned), string(Consumed), string(Restocked)}
}

// Movement is one row of an item's ledger.
type Movement struct {
	ID       int64
	TenantID int64
	SKU      string
	// Version is the inventory's version after the movement.
	Version       int64
	Kind          Kind
	OnHandDelta   int64
	ReservedDelta int64
	// OnHand and Reserved are the numbers after the movement.
	OnHand   int64
	Reserved int64
	// Holder is the holder of the reservation, such as "orders/41"; "" for adjustments.
	Holder string
	Reason string
	// Reference names the cause of the movement, unique per item. References that start with @ are
	// reserved for this service.
	Reference     string
	CreatedBy     int64
	CreatedByName string
	CreatedTime   time.Time
}

// TableName implements gorm's Tabler.
func (Movement) TableName() string { return "inventory_movements" }

// delta returns the change of the available units.
func (m *Movement) delta() int64 { return m.OnHandDelta - m.ReservedDelta }

// same reports whether two movements were requested with the same content.
func (m *Movement) same(other *Movement) bool {
	same := m.Kind == other.Kind && m.Holder == other.Holder && m.Reason == other.Reason &&
		m.OnHandDelta == other.OnHandDelta && m.ReservedDelta == other.ReservedDelta
	return same && (m.Kind != Counted || m.OnHand == other.OnHand)
}

// Hold is the number of an item's units that are reserved for a holder.
type Hold struct {
	TenantID int64  `gorm:"primaryKey"`
	Holder   string `gorm:"primaryKey"`
	SKU      string `gorm:"primaryKey"`
	Quantity int64
}

// TableName implements gorm's Tabler.
func (Hold) TableName() string { return "inventory_holds" }

// Shortage is one item with fewer available units than requested.
type Shortage struct {
	SKU       string `json:"sku"`
	Requested int64  `json:"wanted"`
	Available int64  `json:"available"`
}

// insufficient returns InsufficientStock, with the missing items as lines.
func insufficient(lines ...Shortage) *apperr.Error {
	first := lines[0]
	e := apperr.New(apperr.InsufficientStock, "%d units of %q are available, and %d are needed. Nothing was changed.",
		first.Available, first.SKU, first.Requested)
	if len(lines) > 1 {
		e.Detail = fmt.Sprintf("%d items are not available in the quantities that are needed, among them %q. Nothing was changed.", len(lines), first.SKU)
	}
	return e.With("lines", lines)
}

// mismatch returns PayloadMismatch: a reference is repeated with other content.
func mismatch(first *Movement) *apperr.Error {
	return apperr.New(apperr.PayloadMismatch, "Reference %q of item %q was already used for a movement with other content. Nothing was changed.", first.Reference, first.SKU).
		WithMembers(mismatchView{movementViewOf(*first)})
}

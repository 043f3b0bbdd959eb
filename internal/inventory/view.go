package inventory

import (
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/guard"
	"interlock/internal/edge/httpapi"
)

type inventoryView struct {
	SKU string `json:"sku" validate:"required"`
	// Units in stock, including reserved ones.
	OnHand int64 `json:"onHand" validate:"min=0"`
	// Units of `onHand` that unshipped orders and flash sales reserve.
	Reserved int64 `json:"reserved" validate:"min=0"`
	// `onHand` − `reserved`.
	Available int64 `json:"available" validate:"min=0"`
	guard.OptionalStamp
}

func viewOf(i Inventory) inventoryView {
	return inventoryView{SKU: i.SKU, OnHand: i.OnHand, Reserved: i.Reserved, Available: i.Free(), OptionalStamp: i.OptionalStamp()}
}

type movementView struct {
	ID  int64  `json:"id"`
	SKU string `json:"sku" validate:"required"`
	// `restock`: shipped units were returned to stock.
	Kind Kind `json:"kind"`
	// The change of `available`: `onHandDelta` − `reservedDelta`.
	Delta         int64 `json:"delta"`
	OnHandDelta   int64 `json:"onHandDelta"`
	ReservedDelta int64 `json:"reservedDelta"`
	// After the movement, like the next two.
	OnHand    int64 `json:"onHand" validate:"min=0"`
	Reserved  int64 `json:"reserved" validate:"min=0"`
	Available int64 `json:"available" validate:"min=0"`
	// The version of the stock after the movement.
	Version int64 `json:"version"`
	// The holder of the reservation, such as `orders/41`.
	Holder      *string          `json:"holder"`
	Reason      string           `json:"reason"`
	Reference   string           `json:"reference" validate:"required"`
	CreatedBy   principal.Person `json:"createdBy"`
	CreatedTime time.Time        `json:"createdTime"`
}

func movementViewOf(m Movement) movementView {
	return movementView{
		ID: m.ID, SKU: m.SKU, Kind: m.Kind, Delta: m.delta(), OnHandDelta: m.OnHandDelta, ReservedDelta: m.ReservedDelta,
		OnHand: m.OnHand, Reserved: m.Reserved, Available: m.OnHand - m.Reserved, Version: m.Version,
		Holder: httpapi.OrNull(m.Holder), Reason: m.Reason, Reference: m.Reference,
		CreatedBy: principal.Person{ID: m.CreatedBy, Name: m.CreatedByName}, CreatedTime: m.CreatedTime,
	}
}

// changedView has the members of a rejected count: the number in stock is not the expected one.
type changedView struct {
	// The number that you expected.
	ChangeFrom  int64             `json:"changeFrom"`
	Current     inventoryView     `json:"current"`
	ChangedBy   *principal.Person `json:"changedBy"`
	ChangedTime *time.Time        `json:"changedTime"`
}

// mismatchView has the members of a rejected reference: the movement that has it.
type mismatchView struct {
	First movementView `json:"first"`
}

// SchemaName returns the name in the contract.
func (mismatchView) SchemaName() string { return "MovementMismatch" }

// The examples of the contract.
var (
	example = viewOf(Inventory{
		Row: guard.Row{
			ID: 4, Version: 31, CreatedTime: time.Date(2025, time.November, 21, 8, 0, 0, 0, time.UTC), UpdatedTime: delivery.CreatedTime,
			UpdatedBy: delivery.CreatedBy, UpdatedByName: delivery.CreatedByName,
		},
		SKU: delivery.SKU, OnHand: delivery.OnHand, Reserved: delivery.Reserved,
	})
	delivery = Movement{
		ID: 812, SKU: "TEA-100", Version: 31, Kind: Adjusted, OnHandDelta: 100, OnHand: 120, Reserved: 7, Reason: "Delivery 4711", Reference: "delivery-4711",
		CreatedBy: 7, CreatedByName: "Li", CreatedTime: time.Date(2026, time.January, 31, 9, 30, 0, 123_456_000, time.UTC),
	}
)

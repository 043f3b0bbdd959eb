// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"net/http"
	"time"
)

// InventoryRecords calls the operations on inventory.
//
// Units of each item in stock (`onHand`), reserved (`reserved`) and available (`available`).
// Placing an order reserves its units, shipping removes them from stock, cancelling releases them.
// Operations acquire the lock of the item, and wait for it up to `wait`.
type InventoryRecords struct{ client *Client }

// Inventory is a row of [InventoryRecords.List].
type Inventory struct {
	// Increments with each change; 0 before the first one.
	Version int64 `json:"version"`
	// The strong entity tag, including the quotes. Opaque, and bound to the row, so that the tag of
	// a deleted and recreated row never matches.
	ETag        *string    `json:"etag"`
	CreatedTime *time.Time `json:"createdTime"`
	UpdatedTime *time.Time `json:"updatedTime"`
	UpdatedBy   *Person    `json:"updatedBy"`
	SKU         string     `json:"sku"`
	// Units in stock, including reserved ones.
	OnHand int64 `json:"onHand"`
	// Units of `onHand` that unshipped orders and flash sales reserve.
	Reserved int64 `json:"reserved"`
	// `onHand` − `reserved`.
	Available int64 `json:"available"`
}

// InventoryFilter selects rows of [InventoryRecords.List].
type InventoryFilter struct {
	Paging
	// Substring of the sku, ignoring case.
	Q string
	// The stock of this item.
	SKU string
	// Items with at most this number of available units.
	MaxAvailable *int64
}

// InventoryMovement is a row of [InventoryRecords.Movements].
type InventoryMovement struct {
	ID  int64  `json:"id"`
	SKU string `json:"sku"`
	// `restock`: shipped units were returned to stock.
	Kind InventoryKind `json:"kind"`
	// The change of `available`: `onHandDelta` − `reservedDelta`.
	Delta         int64 `json:"delta"`
	OnHandDelta   int64 `json:"onHandDelta"`
	ReservedDelta int64 `json:"reservedDelta"`
	// After the movement, like the next two.
	OnHand    int64 `json:"onHand"`
	Reserved  int64 `json:"reserved"`
	Available int64 `json:"available"`
	// The version of the stock after the movement.
	Version int64 `json:"version"`
	// The holder of the reservation, such as `orders/41`.
	Holder      *string   `json:"holder"`
	Reason      string    `json:"reason"`
	Reference   string    `json:"reference"`
	CreatedBy   Person    `json:"createdBy"`
	CreatedTime time.Time `json:"createdTime"`
}

// InventoryKind is part of [InventoryMovement].
type InventoryKind string

// The values of InventoryKind.
const (
	InventoryKindAdjust  InventoryKind = "adjust"
	InventoryKindCount   InventoryKind = "count"
	InventoryKindReserve InventoryKind = "reserve"
	InventoryKindReturn  InventoryKind = "return"
	InventoryKindConsume InventoryKind = "consume"
	InventoryKindRestock InventoryKind = "restock"
)

// InventoryMovementFilter selects rows of [InventoryRecords.Movements].
type InventoryMovementFilter struct {
	Paging
	// Only the one with this reference.
	Reference string
}

// InventoryAdjustment is the request body of [InventoryRecords.Adjust].
type InventoryAdjustment struct {
	// Not 0; absent for a count.
	Delta *int64 `json:"delta,omitzero"`
	// The new number of units in stock; absent for a delta.
	SetTo *int64 `json:"setTo,omitzero"`
	// The number that you read; required with `setTo`.
	ChangeFrom *int64 `json:"changeFrom,omitzero"`
	Reason     string `json:"reason"`
	// A unique name among all movements of the item.
	Reference string `json:"reference"`
}

// List lists stock.
//
// Items without any stock movement are not listed; their numbers are zero. `sort=available` lists
// the lowest stock first.
func (s *InventoryRecords) List(f InventoryFilter) List[Inventory] {
	return List[Inventory]{s.client, "/inventory", f.parameters().set("q", f.Q).set("sku", f.SKU).set("maxAvailable", f.MaxAvailable)}
}

// Get returns an item's stock.
//
// Zeros, version 0 and no `etag` before the first movement.
func (s *InventoryRecords) Get(ctx context.Context, sku string, options ...CallOption) (Inventory, error) {
	return call[Inventory](ctx, s.client, request{method: http.MethodGet, path: "/inventory/" + segment(sku)}, options)
}

// Movements lists an item's stock movements.
//
// The append-only ledger, newest first. The sums of `onHandDelta`, `reservedDelta` and `delta` of
// all movements are `onHand`, `reserved` and `available`.
func (s *InventoryRecords) Movements(sku string, f InventoryMovementFilter) List[InventoryMovement] {
	return List[InventoryMovement]{s.client, "/inventory/" + segment(sku) + "/movements", f.parameters().set("reference", f.Reference)}
}

// Adjust adjusts stock.
//
// `delta` adds or removes units. `setTo` with `changeFrom` replaces the number in stock with a
// counted one; 409 `status_changed` if the number is no longer `changeFrom`.
//
// `reference` identifies the adjustment among all movements of the item. A repeat with the same
// content returns 200 with the first movement and changes nothing; other content returns 409
// `payload_mismatch`. Retries are therefore safe.
func (s *InventoryRecords) Adjust(ctx context.Context, sku string, body InventoryAdjustment, options ...CallOption) (InventoryMovement, error) {
	return call[InventoryMovement](ctx, s.client, request{method: http.MethodPost, path: "/inventory/" + segment(sku) + "/adjustments", body: body}, options)
}

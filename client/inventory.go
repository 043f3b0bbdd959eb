package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// InventoryRecords are the stock of the items, in pieces.
type InventoryRecords struct{ client *Client }

// Inventory is the stock of one item. What nothing has touched is all zeros, without
// ETag and times.
type Inventory struct {
	SKU string `json:"sku"`
	// OnHand is in the house, Reserved of it promised to orders, Available the rest.
	OnHand      int64      `json:"onHand"`
	Reserved    int64      `json:"reserved"`
	Available   int64      `json:"available"`
	Version     int64      `json:"version"`
	ETag        string     `json:"etag"`
	CreatedTime *time.Time `json:"createdTime"`
	UpdatedTime *time.Time `json:"updatedTime"`
	UpdatedBy   *Person    `json:"updatedBy"`
}

// InventoryFilter narrows a list of stock.
type InventoryFilter struct {
	Paging
	// Text is looked for in the sku.
	Text string
	SKU  string
	// MaxAvailable keeps what has at most so many pieces available.
	MaxAvailable *int64
}

// Movement is an entry of an item's ledger.
type Movement struct {
	ID   int64  `json:"id"`
	SKU  string `json:"sku"`
	Kind string `json:"kind"`
	// Delta is what Available changed by.
	Delta         int64 `json:"delta"`
	OnHandDelta   int64 `json:"onHandDelta"`
	ReservedDelta int64 `json:"reservedDelta"`
	// OnHand, Reserved and Available are what was there after it.
	OnHand    int64 `json:"onHand"`
	Reserved  int64 `json:"reserved"`
	Available int64 `json:"available"`
	Version   int64 `json:"version"`
	// Holder is the order or sale that the pieces are for, if any.
	Holder      *string   `json:"holder"`
	Reason      string    `json:"reason"`
	Reference   string    `json:"reference"`
	CreatedBy   Person    `json:"createdBy"`
	CreatedTime time.Time `json:"createdTime"`
}

// MovementFilter narrows a list of movements.
type MovementFilter struct {
	Paging
	Reference string
}

func inventoryPath(sku string) string { return "/inventory/" + url.PathEscape(sku) }

// List lists stock by sku, or as the filter's Sort says.
func (s *InventoryRecords) List(f InventoryFilter) List[Inventory] {
	p := f.parameters().text("q", f.Text).text("sku", f.SKU)
	if f.MaxAvailable != nil {
		p.text("maxAvailable", strconv.FormatInt(*f.MaxAvailable, 10))
	}
	return List[Inventory]{s.client, "/inventory", p}
}

// Get reads the stock of an item.
func (s *InventoryRecords) Get(ctx context.Context, sku string, options ...CallOption) (Inventory, error) {
	return get[Inventory](ctx, s.client, inventoryPath(sku), options)
}

// Movements lists an item's ledger, newest first.
func (s *InventoryRecords) Movements(sku string, f MovementFilter) List[Movement] {
	return List[Movement]{s.client, inventoryPath(sku) + "/movements", f.parameters().text("reference", f.Reference)}
}

// Adjust adds pieces to what is on hand, or takes some with a negative delta. The
// reference is of the caller's books and unique for the item: the same adjustment again
// is answered with the first one, another under its reference with payload_mismatch.
func (s *InventoryRecords) Adjust(ctx context.Context, sku string, delta int64, reason, reference string, options ...CallOption) (Movement, error) {
	return s.adjust(ctx, sku, map[string]any{"delta": delta, "reason": reason, "reference": reference}, options)
}

// Count sets what is on hand to what was counted, if it still is changeFrom, the number
// that the one who counted saw; [InventoryChanged] otherwise.
func (s *InventoryRecords) Count(ctx context.Context, sku string, setTo, changeFrom int64, reason, reference string, options ...CallOption) (Movement, error) {
	return s.adjust(ctx, sku, map[string]any{"setTo": setTo, "changeFrom": changeFrom, "reason": reason, "reference": reference}, options)
}

func (s *InventoryRecords) adjust(ctx context.Context, sku string, body map[string]any, options []CallOption) (Movement, error) {
	return call[Movement](ctx, s.client, request{method: http.MethodPost, path: inventoryPath(sku) + "/adjustments", body: body}, options)
}

// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Items calls the operations on items.
//
// Goods for sale. Orders copy the name and price of an item, so a later change of the item does not
// affect them.
type Items struct{ client *Client }

// Item is a row of [Items.List].
type Item struct {
	Stamp
	originState
	SKU  string `json:"sku"`
	Name string `json:"name"`
	// In minor units.
	Price int64 `json:"price"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// The user who owns the item; null for none.
	OwnedByUserID *string `json:"ownedByUserId"`
	// Archived items can be read but not ordered.
	Status ItemStatus `json:"status"`
	Merged *Merged    `json:"merged,omitzero"`
}

func (*Item) editable() []string {
	return []string{"name", "price", "ownedByUserId", "status"}
}

// UnmarshalJSON decodes the value and stores it as the origin of the next Save.
func (v *Item) UnmarshalJSON(text []byte) error {
	type members Item
	var decoded members
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	*v = Item(decoded)
	return setOrigin(v)
}

// ItemStatus is part of [Item].
type ItemStatus string

// The values of ItemStatus.
const (
	ItemStatusActive   ItemStatus = "active"
	ItemStatusArchived ItemStatus = "archived"
)

// ItemFilter selects rows of [Items.List].
type ItemFilter struct {
	Paging
	// Substring of the sku or name, ignoring case.
	Q      string
	Status ItemStatus
}

// ItemCreate is the request body of [Items.Create].
type ItemCreate struct {
	// The permanent name of the item.
	SKU  string `json:"sku"`
	Name string `json:"name"`
	// In minor units.
	Price int64 `json:"price"`
	// A `CustomerId`. An integer is converted to its decimal text, `42` to `"42"`, and replies
	// contain the text.
	OwnedByUserID *string    `json:"ownedByUserId,omitzero"`
	Status        ItemStatus `json:"status,omitzero"`
}

// ItemRevision is a row of [Items.History].
type ItemRevision struct {
	Version int64              `json:"version"`
	Action  ItemRevisionAction `json:"action"`
	Name    string             `json:"name"`
	Price   int64              `json:"price"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// The shop's name of a customer, which is one of its users: 1 to 128 letters, digits and
	// `._:@+=/|-`. Compared byte for byte, so `Li` is not `li`. Percent-encoded in a path.
	OwnedByUserID *string    `json:"ownedByUserId"`
	Status        ItemStatus `json:"status"`
	ChangedBy     Person     `json:"changedBy"`
	ChangedTime   time.Time  `json:"changedTime"`
}

// ItemRevisionAction is part of [ItemRevision].
type ItemRevisionAction string

// The values of ItemRevisionAction.
const (
	ItemRevisionActionCreate ItemRevisionAction = "create"
	ItemRevisionActionUpdate ItemRevisionAction = "update"
)

// List lists items.
func (s *Items) List(f ItemFilter) List[Item] {
	return List[Item]{s.client, "/items", f.parameters().set("q", f.Q).set("status", f.Status)}
}

// Create creates an item.
func (s *Items) Create(ctx context.Context, body ItemCreate, options ...CallOption) (Item, error) {
	return call[Item](ctx, s.client, request{method: http.MethodPost, path: "/items", body: body}, options)
}

// Get returns an item.
func (s *Items) Get(ctx context.Context, sku string, options ...CallOption) (Item, error) {
	return call[Item](ctx, s.client, request{method: http.MethodGet, path: "/items/" + segment(sku)}, options)
}

// Save updates an item.
//
// A merge patch (RFC 7396): only the members sent are changed, and null clears an optional member.
// Placed orders retain their name and price. A patch without effect returns 200 with the same
// version.
//
// It sends the changes of value since it was read, and replaces value with the reply. If another
// writer was first, it returns a [Conflict].
func (s *Items) Save(ctx context.Context, value *Item, options ...CallOption) error {
	return save(ctx, s.client, "/items/"+segment(value.SKU), value, options)
}

// Delete deletes an item.
//
// An item that an order references cannot be deleted (409 `in_use`); archive it instead.
func (s *Items) Delete(ctx context.Context, read Item, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodDelete, path: "/items/" + segment(read.SKU), ifMatch: read.ETag}, nil, options)
}

// History lists the versions of an item.
//
// Newest first. Every version is retained.
func (s *Items) History(sku string, p Paging) List[ItemRevision] {
	return List[ItemRevision]{s.client, "/items/" + segment(sku) + "/history", p.parameters()}
}

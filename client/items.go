package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// Items are what the shop sells.
type Items struct{ client *Client }

// ItemStatus is active or archived.
type ItemStatus string

// The statuses of items.
const (
	ItemActive   ItemStatus = "active"
	ItemArchived ItemStatus = "archived"
)

// Item is one item. Read it, change Name, Price, OwnedByUserID or Status, and save it.
type Item struct {
	Stamp
	originState
	SKU  string `json:"sku"`
	Name string `json:"name"`
	// Price is in minor units.
	Price         int64      `json:"price"`
	Currency      string     `json:"currency"`
	OwnedByUserID *string    `json:"ownedByUserId"`
	Status        ItemStatus `json:"status"`
	Merged        *Merged    `json:"merged,omitempty"`
}

func (i *Item) editable() []string { return []string{"name", "price", "ownedByUserId", "status"} }

// UnmarshalJSON reads an item and remembers how it was read.
func (i *Item) UnmarshalJSON(text []byte) error {
	type members Item
	var fresh members
	if err := json.Unmarshal(text, &fresh); err != nil {
		return err
	}
	*i = Item(fresh)
	return setOrigin(i)
}

// NewItem is an item to create.
type NewItem struct {
	SKU           string  `json:"sku"`
	Name          string  `json:"name"`
	Price         int64   `json:"price"`
	OwnedByUserID *string `json:"ownedByUserId,omitempty"`
	// Status is ItemActive when it is "".
	Status ItemStatus `json:"status,omitempty"`
}

// ItemFilter narrows a list of items.
type ItemFilter struct {
	Paging
	// Text is looked for in sku and name.
	Text   string
	Status ItemStatus
}

// ItemRevision is one version of an item.
type ItemRevision struct {
	Version       int64      `json:"version"`
	Action        string     `json:"action"`
	Name          string     `json:"name"`
	Price         int64      `json:"price"`
	Currency      string     `json:"currency"`
	OwnedByUserID *string    `json:"ownedByUserId"`
	Status        ItemStatus `json:"status"`
	ChangedBy     Person     `json:"changedBy"`
	ChangedTime   time.Time  `json:"changedTime"`
}

func itemPath(sku string) string { return "/items/" + url.PathEscape(sku) }

// List lists items by sku, or as the filter's Sort says.
func (s *Items) List(f ItemFilter) List[Item] {
	return List[Item]{s.client, "/items", f.parameters().text("q", f.Text).text("status", string(f.Status))}
}

// Get reads an item.
func (s *Items) Get(ctx context.Context, sku string, options ...CallOption) (Item, error) {
	return get[Item](ctx, s.client, itemPath(sku), options)
}

// Create creates an item.
func (s *Items) Create(ctx context.Context, i NewItem, options ...CallOption) (Item, error) {
	return call[Item](ctx, s.client, request{method: http.MethodPost, path: "/items", body: i}, options)
}

// Save sends what was changed in i since it was read and makes i the saved item. A
// [Conflict] when somebody else saved meanwhile.
func (s *Items) Save(ctx context.Context, i *Item, options ...CallOption) error {
	return save(ctx, s.client, itemPath(i.SKU), i, options)
}

// Delete deletes the item as it was read. A [Conflict] when it was changed since.
func (s *Items) Delete(ctx context.Context, i Item, options ...CallOption) error {
	return remove(ctx, s.client, itemPath(i.SKU), i.ETag, options)
}

// History lists an item's versions, newest first.
func (s *Items) History(sku string, p Paging) List[ItemRevision] {
	return List[ItemRevision]{s.client, itemPath(sku) + "/history", p.parameters()}
}

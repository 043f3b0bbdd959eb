// Package catalog manages the items that orders contain.
//
// Invariants:
//
//   - A sku names one item of a tenant, and an item never changes its sku.
//   - Every version of an item is stored in item_histories, so that a stale edit can be
//     compared with its base.
//   - An item that a unit uses (Service.Use) is neither edited nor deleted until that unit
//     ends, also on a cluster. An item in use (by an order, or with units in stock) is never
//     deleted.
package catalog

import (
	"fmt"
	"regexp"
	"slices"

	"interlock/internal/base/apperr"
	"interlock/internal/base/naming"
	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

// Permissions to read and to change items.
const (
	ReadPermission  = "items:read"
	writePermission = "items:write"
)

// The statuses of an item. Archived items stay readable and cannot be ordered.
const (
	Active   = "active"
	Archived = "archived"
)

var statuses = []string{Active, Archived}

const longestName = 200

var skuPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Content is the part of an item that an edit may change.
type Content struct {
	Name string `json:"name"`
	// Price is in minor units.
	Price int64 `json:"price"`
	// OwnedByUserID is the user that owns the item; nil for none.
	OwnedByUserID *principal.CustomerID `json:"ownedByUserId,omitempty"`
	Status        string                `json:"status"`
}

// check returns the violated rules.
func (c Content) check() []apperr.Field {
	broken := naming.Check("/name", c.Name, longestName)
	broken.Check(c.Price >= 0, "/price", "min", "must be at least 0 minor units")
	if owner := c.OwnedByUserID; owner != nil {
		broken.Check(owner.Valid(), "/ownedByUserId", "pattern", owner.Rule())
	}
	broken.Check(slices.Contains(statuses, c.Status), "/status", "oneof", "must be one of active, archived")
	return broken
}

// Item is an item of the catalog.
type Item struct {
	guard.Row
	SKU string
	Content
}

// Label names the item for people.
func (i *Item) Label() string { return fmt.Sprintf("item %q", i.SKU) }

// Revision is one version of an item.
type Revision struct {
	ID       int64
	TenantID int64
	ItemID   int64
	// Its Action is create or update.
	change.Revision
	Content
}

// TableName implements gorm's Tabler.
func (Revision) TableName() string { return "item_histories" }

func revisionOf(item *Item, action string) *Revision {
	return &Revision{ItemID: item.ID, Revision: change.RevisionOf(item.Row, action), Content: item.Content}
}

// restore returns the item at the revision.
func (r Revision) restore(item *Item) *Item {
	then := *item
	then.Content = r.Content
	r.Restore(&then.Row)
	return &then
}

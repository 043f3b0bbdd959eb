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

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

// Permissions to read and to change items.
const (
	ReadPermission  = "items:read"
	writePermission = "items:write"
)

// Status is the status of an item. Archived items stay readable and cannot be ordered.
type Status string

// The statuses.
const (
	Active   Status = "active"
	Archived Status = "archived"
)

// Enum returns the statuses.
func (Status) Enum() []string { return []string{string(Active), string(Archived)} }

// SKU is the permanent name of an item.
type SKU string

const maxSKU = 64

var skuPattern = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Pattern returns the syntax of a sku and its maximum length, in characters.
func (SKU) Pattern() (expression string, maxLength int) { return skuPattern.String(), maxSKU }

// Valid reports whether the text has the syntax of a sku.
func (s SKU) Valid() bool { return skuPattern.MatchString(string(s)) }

// Rule describes the rule of Valid in a sentence without a subject.
func (SKU) Rule() string { return "must be 1 to 64 letters, digits, dots, underscores and hyphens" }

// Content is the part of an item that an edit may change.
type Content struct {
	Name string `json:"name" validate:"name=200"`
	// In minor units.
	Price int64 `json:"price" validate:"min=0"`
	// The user who owns the item; null for none.
	OwnedByUserID *principal.CustomerID `json:"ownedByUserId,omitempty" validate:"omitempty,pattern"`
	Status        Status                `json:"status" validate:"enum"`
}

// Item is an item of the catalog.
type Item struct {
	guard.Row
	SKU string
	Content
}

// Label returns a name for messages.
func (i *Item) Label() string { return fmt.Sprintf("item %q", i.SKU) }

// Revision is one version of an item.
type Revision struct {
	ID       int64
	TenantID int64
	ItemID   int64
	// Revision's Action is create or update.
	change.Revision
	Content
}

// TableName implements gorm's Tabler.
func (Revision) TableName() string { return "item_histories" }

func revisionOf(item *Item, action string) Revision {
	return Revision{ItemID: item.ID, Revision: change.RevisionOf(item.Row, action), Content: item.Content}
}

// restore returns the item at the revision.
func (r Revision) restore(item *Item) *Item {
	then := *item
	then.Content = r.Content
	r.Restore(&then.Row)
	return &then
}

// Package workorders keeps the tasks of the back office, each held by one user at a time.
//
// Invariants:
//
//   - A claimed work order has exactly one holder; of concurrent claims one wins, and the others
//     are told who holds it.
//   - claim-next gives the oldest work order of the highest priority, never the same one to two
//     callers, and passes none over for ever.
//   - Whoever resolves or comments on an open work order claims it in the same unit.
//   - A work order whose holder is disabled, or may not read work orders any more, is offered
//     again, like an open one. No claim times out: it ends when the holder releases it, another
//     user is assigned, or the holder cannot hold it any more.
//   - A status changes only along the machine in status.go.
//   - Version n of a work order has exactly one row in work_order_histories, comments too.
package workorders

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
)

// The permissions to read work orders, to work on them, and to assign them to others.
const (
	ReadPermission   = "work-orders:read"
	writePermission  = "work-orders:write"
	assignPermission = "work-orders:assign"
)

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See work orders, their comments and their history."},
	{Name: writePermission, Meaning: "Open work orders, claim, resolve and comment on them."},
	{Name: assignPermission, Meaning: "Give work orders to others, and release or resolve what others hold."},
}

// People looks up the users who can hold work orders. Package access implements it; app wires it.
type People interface {
	// UnableAmong returns those of some users of the context's tenant who are disabled or lack a
	// permission.
	UnableAmong(ctx context.Context, permission string, users ...int64) ([]int64, error)
	// Person returns a user of the context's tenant; false when there is none or the user is
	// disabled.
	Person(ctx context.Context, id int64) (principal.Person, bool, error)
}

// priorities are what a work order can have, by their codes: the lower comes first.
var priorities = []string{"urgent", "high", "normal", "low"}

// Resource names a record in a link, such as "orders/12": the path of its representation.
type Resource string

var resources = regexp.MustCompile(`^[a-z][a-z-]*/[!-~]+$`)

// Valid reports whether a record can be called this.
func (r Resource) Valid() bool { return len(r) <= 255 && resources.MatchString(string(r)) }

// Rule says in a sentence without a subject what Valid asks for.
func (Resource) Rule() string {
	return "must name a record by its path, such as orders/12, in at most 255 characters"
}

// WorkOrder is one task with its links.
type WorkOrder struct {
	guard.Row
	CreatedBy     int64
	CreatedByName string
	Title         string
	Body          string
	// Priority is an index of priorities.
	Priority int
	Status   int
	// DueTime is when it should be resolved, for display and filters only; nil for none.
	DueTime *time.Time
	// HolderID is who holds it, since HeldTime; nil for nobody. Resolving and closing keep it.
	HolderID   *int64
	HolderName string
	HeldTime   *time.Time
	// Resolution is "" before it is resolved.
	Resolution string
	// Comments counts them.
	Comments int64

	Links []Link `gorm:"-"`
}

// Label names the work order for people.
func (w *WorkOrder) Label() string { return fmt.Sprintf("work order %d (%q)", w.ID, w.Title) }

// heldBy reports whether a user holds it.
func (w *WorkOrder) heldBy(user int64) bool { return w.HolderID != nil && *w.HolderID == user }

// orphaned reports whether its holder is among the users who cannot hold work orders.
func (w *WorkOrder) orphaned(unable []int64) bool {
	return w.Status == claimed.Code && w.HolderID != nil && slices.Contains(unable, *w.HolderID)
}

// setHolder makes a user the holder.
func (w *WorkOrder) setHolder(user principal.Person, since time.Time) {
	w.HolderID, w.HolderName, w.HeldTime = &user.ID, user.Name, &since
}

// clearHolder leaves it without a holder.
func (w *WorkOrder) clearHolder() { w.HolderID, w.HolderName, w.HeldTime = nil, "", nil }

// Link is a record that a work order is about, such as "orders/12".
type Link struct {
	ID          int64
	TenantID    int64
	WorkOrderID int64
	Resource    string
}

// TableName implements gorm's Tabler.
func (Link) TableName() string { return "work_order_links" }

// Comment is a comment on a work order.
type Comment struct {
	WorkOrderID int64
	change.Comment
}

// TableName implements gorm's Tabler.
func (Comment) TableName() string { return "work_order_comments" }

// Event is one row of a work order's history.
type Event struct {
	ID          int64
	TenantID    int64
	WorkOrderID int64
	change.Event
}

// TableName implements gorm's Tabler.
func (Event) TableName() string { return "work_order_histories" }

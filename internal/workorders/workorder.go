// Package workorders says who does what: tasks of the back office, each held by one user at a
// time.
//
// Invariants:
//
//   - A work order that is claimed has exactly one holder; of however many claims at once one
//     wins, and the others are told whom the winner is.
//   - Whoever takes the next has the oldest of the highest priority, never the same as somebody
//     else, and none is passed over for ever.
//   - Who acts on an open one holds it from then on: resolving or commenting claims it in the
//     same unit.
//   - One whose holder is disabled is offered again, like an open one. There are no timed locks:
//     a holder holds until he releases, is relieved, or is disabled.
//   - A status is left only along the machine in status.go.
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

// What it takes to read work orders, to work on them, and to give them to others.
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

// People knows the users who can hold work orders. Users stand beside work orders, so they are
// given to them from outside.
type People interface {
	// DisabledAmong returns those of some users of the context's tenant who are disabled.
	DisabledAmong(ctx context.Context, users []int64) ([]int64, error)
	// Person returns a user of the context's tenant, and false when there is none or he is
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
	// DueTime is when it should be resolved; nil for no time. Nothing happens by itself then.
	DueTime *time.Time
	// HolderID is who holds it, since HeldTime; nil for nobody. It stays with who resolved it.
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

// orphaned reports whether its holder is among the users who are disabled.
func (w *WorkOrder) orphaned(disabled []int64) bool {
	return w.Status == claimed.Code && w.HolderID != nil && slices.Contains(disabled, *w.HolderID)
}

// hold makes a user the holder.
func (w *WorkOrder) hold(user principal.Person, since time.Time) {
	w.HolderID, w.HolderName, w.HeldTime = &user.ID, user.Name, &since
}

// letGo leaves it without a holder.
func (w *WorkOrder) letGo() { w.HolderID, w.HolderName, w.HeldTime = nil, "", nil }

// Link says which record a work order is about, such as "orders/12".
type Link struct {
	ID          int64
	TenantID    int64
	WorkOrderID int64
	Resource    string
}

// TableName implements gorm's Tabler.
func (Link) TableName() string { return "work_order_links" }

// Comment is what somebody said of a work order.
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

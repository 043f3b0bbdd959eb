// Package workorders stores the tasks of the back office, each claimed by one user at a time.
//
// Invariants:
//
//   - A claimed work order has exactly one holder; of concurrent claims one wins, and the others
//     get an error with the holder.
//   - claim-next returns the oldest work order of the highest priority, never the same one to two
//     callers, and eventually each one.
//   - Resolving or commenting on an open work order claims it in the same unit.
//   - A work order with a holder who is disabled, or may no longer read work orders, is offered
//     again, like an open one. No claim times out: it ends when the holder releases it, another
//     user is assigned, or the holder becomes unable.
//   - A status changes only along the machine in status.go.
//   - Version n of a work order has exactly one row in work_order_histories; each comment is a
//     version too.
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

// People reads the users who can have work orders. Package access implements it; app wires it.
type People interface {
	// UnableAmong returns the users, among those of the context's tenant, that are disabled or lack
	// the permission.
	UnableAmong(ctx context.Context, permission string, users ...int64) ([]int64, error)
	// Person returns a user of the context's tenant; false if the user does not exist or is
	// disabled.
	Person(ctx context.Context, id int64) (principal.Person, bool, error)
}

// Priority is the priority of a work order.
type Priority string

// priorities are the priorities by their codes in the database, the most urgent first.
var priorities = []string{"urgent", "high", "normal", "low"}

// Enum returns the priorities, the most urgent first.
func (Priority) Enum() []string { return priorities }

// code returns the code in the database; nil for "".
func (p Priority) code() *int {
	if p == "" {
		return nil
	}
	code := slices.Index(priorities, string(p))
	return &code
}

// Resource is the path of a linked record, such as "orders/12".
type Resource string

var resources = regexp.MustCompile(`^[a-z][a-z-]*/[!-~]+$`)

// maxResource is the length of the columns of paths: a config's key has at most 200 characters, each
// of which the path may escape.
const maxResource = 640

// Pattern returns the syntax of a resource and its maximum length, in characters.
func (Resource) Pattern() (expression string, maxLength int) { return resources.String(), maxResource }

// Valid reports whether the text has the syntax of a resource.
func (r Resource) Valid() bool { return len(r) <= maxResource && resources.MatchString(string(r)) }

// Rule describes the rule of Valid in a sentence without a subject.
func (Resource) Rule() string {
	return "must name a record by its path, such as orders/12, in at most 640 characters"
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
	// DueTime is the deadline, for display and filters only; nil for none.
	DueTime *time.Time
	// HolderID is the holder since HeldTime; nil for none. Resolving and closing retain it.
	HolderID   *int64
	HolderName string
	HeldTime   *time.Time
	// Resolution is "" before the resolution.
	Resolution string
	// Comments is the number of comments.
	Comments int64

	Links []Link `gorm:"-"`
}

// Label returns a name for messages.
func (w *WorkOrder) Label() string { return fmt.Sprintf("work order %d (%q)", w.ID, w.Title) }

// ShortName returns the name in announcements.
func (w *WorkOrder) ShortName() string { return w.Title }

// StatusCode returns a pointer to the code of the status.
func (w *WorkOrder) StatusCode() *int { return &w.Status }

// heldBy reports whether a user is the holder.
func (w *WorkOrder) heldBy(user int64) bool { return w.HolderID != nil && *w.HolderID == user }

// orphaned reports whether the work order is claimed and its holder is among the unable users.
func (w *WorkOrder) orphaned(unable []int64) bool {
	return w.Status == claimed.Code && w.HolderID != nil && slices.Contains(unable, *w.HolderID)
}

func (w *WorkOrder) setHolder(user principal.Person, since time.Time) {
	w.HolderID, w.HolderName, w.HeldTime = &user.ID, user.Name, &since
}

func (w *WorkOrder) clearHolder() { w.HolderID, w.HolderName, w.HeldTime = nil, "", nil }

// Link is a linked record, such as "orders/12".
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

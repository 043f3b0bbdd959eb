package workorders

import (
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/module"
)

// Step is a transition with its fields.
type Step interface {
	module.Action
	// fill sets the step's fields of the work order. person is the user that the step names, or the
	// caller.
	fill(w *WorkOrder, person principal.Person, now time.Time)
	// names returns the user that the step names, 0 for none.
	names() int64
	// ofHolder reports whether only the holder may make the step. On an open work order, such a
	// step first claims the work order for the caller.
	ofHolder() bool
}

// Claim makes the caller the holder.
type Claim struct{}

// Action implements module.Action.
func (Claim) Action() string { return "claim" }
func (Claim) names() int64   { return 0 }
func (Claim) ofHolder() bool { return false }

func (Claim) fill(w *WorkOrder, caller principal.Person, now time.Time) { w.setHolder(caller, now) }

// Release ends the holder's claim.
type Release struct{}

// Action implements module.Action.
func (Release) Action() string { return "release" }
func (Release) names() int64   { return 0 }
func (Release) ofHolder() bool { return true }

func (Release) fill(w *WorkOrder, _ principal.Person, _ time.Time) { w.clearHolder() }

// Assignment assigns a work order to a user, claimed or not.
type Assignment struct {
	UserID int64 `json:"userId" validate:"required,gt=0"`
}

// Action implements module.Action.
func (Assignment) Action() string { return "assign" }
func (a Assignment) names() int64 { return a.UserID }
func (Assignment) ofHolder() bool { return false }

func (Assignment) fill(w *WorkOrder, user principal.Person, now time.Time) { w.setHolder(user, now) }

// Resolution describes the solution. Resolving an open work order makes the caller its holder.
type Resolution struct {
	Resolution string `json:"resolution" validate:"required,max=5000"`
}

// Action implements module.Action.
func (Resolution) Action() string { return "resolve" }
func (Resolution) names() int64   { return 0 }
func (Resolution) ofHolder() bool { return true }

func (r Resolution) fill(w *WorkOrder, _ principal.Person, _ time.Time) { w.Resolution = r.Resolution }

// Reopening opens a resolved or closed work order again.
type Reopening struct{}

// Action implements module.Action.
func (Reopening) Action() string { return "reopen" }
func (Reopening) names() int64   { return 0 }
func (Reopening) ofHolder() bool { return false }

func (Reopening) fill(w *WorkOrder, _ principal.Person, _ time.Time) {
	w.clearHolder()
	w.Resolution = ""
}

// Closing closes a resolved work order.
type Closing struct{}

// Action implements module.Action.
func (Closing) Action() string                               { return "close" }
func (Closing) names() int64                                 { return 0 }
func (Closing) ofHolder() bool                               { return false }
func (Closing) fill(*WorkOrder, principal.Person, time.Time) {}

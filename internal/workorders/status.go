package workorders

import (
	"slices"

	"interlock/internal/base/status"
)

// The states of a work order.
var (
	opened   = status.State{Code: 0, Name: "open"}
	claimed  = status.State{Code: 1, Name: "claimed"}
	resolved = status.State{Code: 2, Name: "resolved"}
	closed   = status.State{Code: 3, Name: "closed"}
)

// Machine is the lifecycle of a work order. A claimed one can be claimed again only if its holder
// is unable, see allowed; an open one is claimed before it is resolved.
var Machine = status.New(status.Machine{
	Name:    "work order",
	Initial: opened,
	States:  []status.State{opened, claimed, resolved, closed},
	Verbs:   []string{"create", "comment"},
	Actions: []status.Action{
		{Name: "claim", Participle: "claimed", From: []status.State{opened, claimed}, To: claimed},
		{Name: "release", Participle: "released", From: []status.State{claimed}, To: opened},
		{Name: "assign", Participle: "assigned", From: []status.State{opened, claimed}, To: claimed},
		{Name: "resolve", Participle: "resolved", From: []status.State{opened, claimed}, To: resolved},
		{Name: "reopen", Participle: "reopened", From: []status.State{resolved, closed}, To: opened},
		{Name: "close", Participle: "closed", From: []status.State{resolved}, To: closed},
	},
})

// allowed returns the actions that a work order's status allows; unable are the users who cannot
// have work orders. allowed does not check permissions: only the holder, and users with
// assignPermission, may release or resolve a claimed one.
func allowed(w *WorkOrder, unable []int64) []string {
	state := Machine.Of(w.Status)
	actions := Machine.Allowed(state)
	if state == claimed && !w.orphaned(unable) {
		actions = slices.DeleteFunc(slices.Clone(actions), func(action string) bool { return action == "claim" })
	}
	return actions
}

// States returns the status machine.
func (WorkOrder) States() *status.Machine { return Machine }

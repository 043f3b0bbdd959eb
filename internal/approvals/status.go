package approvals

import (
	"slices"

	"interlock/internal/base/status"
)

// The states of an approval.
var (
	pending   = status.State{Code: 0, Name: "pending"}
	approved  = status.State{Code: 1, Name: "approved"}
	rejected  = status.State{Code: 2, Name: "rejected"}
	withdrawn = status.State{Code: 3, Name: "withdrawn"}
	stale     = status.State{Code: 4, Name: "stale"}
	expired   = status.State{Code: 5, Name: "expired"}
	bypassed  = status.State{Code: 6, Name: "bypassed"}
	reviewed  = status.State{Code: 7, Name: "reviewed"}
	scheduled = status.State{Code: 8, Name: "scheduled"}
)

// open are the states in which an approval may still be applied without a rebase.
var open = []int{pending.Code, scheduled.Code}

func isOpen(code int) bool { return slices.Contains(open, code) }

// Machine is the lifecycle of an approval. A change of a resource makes the approvals that name it
// stale; one sweeper expires overdue approvals, another applies scheduled approvals. A change that
// needs no votes is scheduled as soon as it is proposed, edited or rebased.
var Machine = status.New(status.Machine{
	Name:    "approval",
	Initial: pending,
	States:  []status.State{pending, approved, rejected, withdrawn, stale, expired, bypassed, reviewed, scheduled},
	Verbs:   []string{"propose", "vote", "comment"},
	Actions: []status.Action{
		{Name: "approve", Participle: "approved", From: []status.State{pending}, To: approved},
		{Name: "reject", Participle: "rejected", From: []status.State{pending, scheduled}, To: rejected},
		{Name: "withdraw", Participle: "withdrawn", From: []status.State{pending, scheduled, stale}, To: withdrawn},
		{Name: "rebase", Participle: "rebased", From: []status.State{stale}, To: pending},
		{Name: "review", Participle: "reviewed", From: []status.State{bypassed}, To: reviewed},
		{Name: "bypass", Participle: "bypassed", From: []status.State{pending}, To: bypassed, Internal: true},
		{Name: "outdate", Participle: "made stale", From: []status.State{pending, scheduled}, To: stale, Internal: true},
		{Name: "expire", Participle: "expired", From: []status.State{pending}, To: expired, Internal: true},
		{Name: "schedule", Participle: "scheduled", From: []status.State{pending}, To: scheduled, Internal: true},
		{Name: "apply", Participle: "applied", From: []status.State{scheduled}, To: approved, Internal: true},
		{Name: "edit", Participle: "edited", From: []status.State{pending, scheduled}, To: pending, Internal: true},
	},
})

// States returns the status machine.
func (Approval) States() *status.Machine { return Machine }

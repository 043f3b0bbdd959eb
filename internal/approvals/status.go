package approvals

import "interlock/internal/base/status"

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
)

// Machine is an approval's life. What changes a resource outdates the approvals that name
// it; the sweeper expires what its time has passed.
var Machine = status.New(status.Machine{
	Name:    "approval",
	Initial: pending,
	States:  []status.State{pending, approved, rejected, withdrawn, stale, expired, bypassed, reviewed},
	Actions: []status.Action{
		{Name: "approve", Participle: "approved", From: []status.State{pending}, To: approved},
		{Name: "reject", Participle: "rejected", From: []status.State{pending}, To: rejected},
		{Name: "withdraw", Participle: "withdrawn", From: []status.State{pending, stale}, To: withdrawn},
		{Name: "rebase", Participle: "rebased", From: []status.State{stale}, To: pending},
		{Name: "review", Participle: "reviewed", From: []status.State{bypassed}, To: reviewed},
		{Name: "bypass", Participle: "bypassed", From: []status.State{pending}, To: bypassed, Internal: true},
		{Name: "outdate", Participle: "made stale", From: []status.State{pending}, To: stale, Internal: true},
		{Name: "expire", Participle: "expired", From: []status.State{pending}, To: expired, Internal: true},
	},
})

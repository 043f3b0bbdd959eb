package returns

import "interlock/internal/base/status"

// The states of a return.
var (
	requested = status.State{Code: 0, Name: "requested"}
	received  = status.State{Code: 1, Name: "received"}
	closed    = status.State{Code: 2, Name: "closed"}
	rejected  = status.State{Code: 3, Name: "rejected"}
)

// Machine is the lifecycle of a return. A refund and a comment change the version and not the status.
var Machine = status.New(status.Machine{
	Name:    "return",
	Initial: requested,
	States:  []status.State{requested, received, closed, rejected},
	Verbs:   []string{"create", "comment", "refund"},
	Actions: []status.Action{
		{Name: "receive", Participle: "received", From: []status.State{requested}, To: received},
		{Name: "close", Participle: "closed", From: []status.State{received}, To: closed},
		{Name: "reject", Participle: "rejected", From: []status.State{requested}, To: rejected},
	},
})

// States returns the status machine.
func (Return) States() *status.Machine { return Machine }

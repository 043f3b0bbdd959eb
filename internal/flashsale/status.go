package flashsale

import "interlock/internal/base/status"

// The states of a sale.
var (
	draft  = status.State{Code: 0, Name: "draft"}
	open   = status.State{Code: 1, Name: "open"}
	paused = status.State{Code: 2, Name: "paused"}
	closed = status.State{Code: 3, Name: "closed"}
)

// Machine is the status machine of a sale. A pause stops admission only: accepted tickets
// are still handled. A closed sale stays closed: its unsold units return to the inventory.
var Machine = status.New(status.Machine{
	Name:    "flash sale",
	Initial: draft,
	States:  []status.State{draft, open, paused, closed},
	Verbs:   []string{"create", "update", "retry_dead", "discard_dead"},
	Actions: []status.Action{
		{Name: "open", Participle: "opened", From: []status.State{draft}, To: open},
		{Name: "pause", Participle: "paused", From: []status.State{open}, To: paused},
		{Name: "resume", Participle: "resumed", From: []status.State{paused}, To: open},
		{Name: "close", Participle: "closed", From: []status.State{open, paused}, To: closed},
	},
})

// States returns the machine of status.
func (Sale) States() *status.Machine { return Machine }

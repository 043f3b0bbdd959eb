package orders

import "interlock/internal/status"

// The states of an order.
var (
	pending   = status.State{Code: 0, Name: "pending"}
	paid      = status.State{Code: 1, Name: "paid"}
	shipped   = status.State{Code: 2, Name: "shipped"}
	completed = status.State{Code: 3, Name: "completed"}
	cancelled = status.State{Code: 4, Name: "cancelled"}
)

// Machine is an order's life. A paid order cannot be cancelled: its money was
// taken outside of this service, which could not give it back.
var Machine = status.New(status.Machine{
	Name:    "order",
	Initial: pending,
	States:  []status.State{pending, paid, shipped, completed, cancelled},
	Actions: []status.Action{
		{Name: "pay", From: []status.State{pending}, To: paid},
		{Name: "ship", From: []status.State{paid}, To: shipped},
		{Name: "complete", From: []status.State{shipped}, To: completed},
		{Name: "cancel", From: []status.State{pending}, To: cancelled},
	},
})

package orders

import (
	"slices"

	"interlock/internal/base/status"
)

// The states of an order.
var (
	pending   = status.State{Code: 0, Name: "pending"}
	paid      = status.State{Code: 1, Name: "paid"}
	shipped   = status.State{Code: 2, Name: "shipped"}
	completed = status.State{Code: 3, Name: "completed"}
	cancelled = status.State{Code: 4, Name: "cancelled"}
)

// Machine is the lifecycle of an order.
var Machine = status.New(status.Machine{
	Name:    "order",
	Initial: pending,
	States:  []status.State{pending, paid, shipped, completed, cancelled},
	Verbs:   []string{"create", update, RefundReserved, RefundReleased, RefundSettled},
	Actions: []status.Action{
		{Name: "pay", Participle: "paid", From: []status.State{pending}, To: paid},
		{Name: "ship", Participle: "shipped", From: []status.State{paid, shipped}, To: shipped},
		{Name: "complete", Participle: "completed", From: []status.State{shipped}, To: completed},
		{Name: "cancel", Participle: "cancelled", From: []status.State{pending, paid}, To: cancelled},
	},
})

// States returns the status machine.
func (Order) States() *status.Machine { return Machine }

// Allowed returns the currently possible transitions. Shipping needs units to ship, and completion
// needs all reserved units shipped or returned.
func (o *Order) Allowed() []string {
	return slices.DeleteFunc(Machine.Allowed(Machine.Of(o.Status)), func(action string) bool {
		return action == "ship" && o.unitsToShip() == 0 || action == "complete" && o.unitsHeld() > 0
	})
}

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

// Machine is an order's life. Of the paid orders only those can be cancelled whose
// money this service can give back; see allowed.
var Machine = status.New(status.Machine{
	Name:    "order",
	Initial: pending,
	States:  []status.State{pending, paid, shipped, completed, cancelled},
	Actions: []status.Action{
		{Name: "pay", Participle: "paid", From: []status.State{pending}, To: paid},
		{Name: "ship", Participle: "shipped", From: []status.State{paid}, To: shipped},
		{Name: "complete", Participle: "completed", From: []status.State{shipped}, To: completed},
		{Name: "cancel", Participle: "cancelled", From: []status.State{pending, paid}, To: cancelled},
	},
})

// allowed returns the actions that are possible for an order now. One that was paid
// outside of this service cannot be cancelled once it is paid: there are no refunds yet
// that could give the money back.
func allowed(o *Order) []string {
	state := Machine.Of(o.Status)
	actions := Machine.Allowed(state)
	if state == paid && !o.refundable() {
		actions = slices.DeleteFunc(slices.Clone(actions), func(action string) bool { return action == "cancel" })
	}
	return actions
}

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
	Verbs:   []string{"create", update, PaymentReceived, partShipment, RefundReserved, RefundReleased, RefundSettled, ReturnRequested, ReturnReceived, ReturnRejected},
	Actions: []status.Action{
		{Name: "pay", Participle: "paid", From: []status.State{pending}, To: paid, Within: []status.State{shipped}},
		{Name: "ship", Participle: "shipped", From: []status.State{pending, paid}, To: shipped},
		{Name: "complete", Participle: "completed", From: []status.State{shipped}, To: completed},
		{Name: "cancel", Participle: "cancelled", From: []status.State{pending, paid, shipped}, To: cancelled},
	},
})

// States returns the status machine.
func (Order) States() *status.Machine { return Machine }

// Allowed returns the currently possible transitions. The payment of a shipped order needs an amount
// that is due. Shipping needs units to ship, and the payment of a prepaid order; completion needs the
// whole payment; cancellation needs all shipped units returned.
func (o *Order) Allowed() []string {
	return slices.DeleteFunc(Machine.Allowed(Machine.Of(o.Status)), func(action string) bool {
		switch action {
		case "pay":
			return o.PaidTime != nil
		case "ship":
			return o.unitsToShip() == 0 || o.isUnpaidPrepaid()
		case "complete":
			return o.Due() > 0
		case "cancel":
			return !o.isCancellable()
		}
		return false
	})
}

// reaches reports whether an order is in the state to which a step leads, after the step. An order
// is shipped when units were shipped and none is left to ship or in an open refund.
func (o *Order) reaches(to status.State) bool {
	return to != shipped || o.unitsHeld() == 0 && o.unitsShipped() > 0
}

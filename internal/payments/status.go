package payments

import "interlock/internal/base/status"

// The states of a payment.
var (
	unmatched = status.State{Code: 0, Name: "unmatched"}
	applied   = status.State{Code: 1, Name: "applied"}
	refunded  = status.State{Code: 2, Name: "refunded"}
)

// The verbs of refunds in the history of a payment. A settled refund of the last part makes the
// payment refunded.
const (
	RefundReserved = "reserve-refund"
	RefundReleased = "release-refund"
	RefundSettled  = "settle-refund"
)

// Machine is the lifecycle of a payment. A payment that an order can take is applied in the unit
// that records it.
var Machine = status.New(status.Machine{
	Name:    "payment",
	Initial: unmatched,
	States:  []status.State{unmatched, applied, refunded},
	Verbs:   []string{"record", RefundReserved, RefundReleased},
	Actions: []status.Action{
		{Name: "apply", Participle: "applied", From: []status.State{unmatched}, To: applied},
		{Name: "refund", Participle: "refunded", From: []status.State{unmatched}, To: refunded},
		{Name: RefundSettled, Participle: "refunded", From: []status.State{applied}, To: refunded, Internal: true},
	},
})

// States returns the status machine.
func (Payment) States() *status.Machine { return Machine }

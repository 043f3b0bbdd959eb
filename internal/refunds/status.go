package refunds

import (
	"slices"

	"interlock/internal/base/status"
)

// The states of a refund.
var (
	requested = status.State{Code: 0, Name: "requested"}
	approved  = status.State{Code: 1, Name: "approved"}
	rejected  = status.State{Code: 2, Name: "rejected"}
	settled   = status.State{Code: 3, Name: "settled"}
	failed    = status.State{Code: 4, Name: "failed"}
	unknown   = status.State{Code: 5, Name: "unknown"}
)

// reserving are the codes of the states in which a refund reserves a part of the payment, and
// claiming those in which its lines count as refunded.
var (
	reserving = []int{requested.Code, approved.Code, unknown.Code}
	claiming  = append([]int{settled.Code}, reserving...)
)

// Machine is the lifecycle of a refund. A refund to a wallet is settled in the unit that approves
// it or cancels its order, so no reader finds it approved.
var Machine = status.New(status.Machine{
	Name:    "refund",
	Initial: requested,
	States:  []status.State{requested, approved, rejected, settled, failed, unknown},
	Verbs:   []string{"request"},
	Actions: []status.Action{
		{Name: "approve", Participle: "approved", From: []status.State{requested, failed}, To: approved},
		{Name: "reject", Participle: "rejected", From: []status.State{requested}, To: rejected},
		{Name: "settle", Participle: "settled", From: []status.State{approved, unknown}, To: settled},
		{Name: "fail", Participle: "called failed", From: []status.State{approved, unknown}, To: failed},
		{Name: "unknown", Participle: "called unknown", From: []status.State{approved}, To: unknown},
		{Name: "take-over", Participle: "rejected", From: []status.State{requested, failed}, To: rejected, Internal: true},
		{Name: "credit", Participle: "credited", From: []status.State{requested}, To: settled, Internal: true},
	},
})

// allowed returns the transitions that a caller may request now. The refund of a cancelled order's
// rest cannot be rejected, because the customer would lose the money.
func (r *Refund) allowed() []string {
	return slices.DeleteFunc(Machine.Allowed(Machine.Of(r.Status)), func(action string) bool {
		return action == "reject" && r.Origin == Cancellation
	})
}

// States returns the status machine.
func (Refund) States() *status.Machine { return Machine }

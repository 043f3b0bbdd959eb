package coupons

import "interlock/internal/base/status"

// The states of a coupon.
var (
	unused  = status.State{Code: 0, Name: "unused"}
	used    = status.State{Code: 1, Name: "used"}
	void    = status.State{Code: 2, Name: "void"}
	expired = status.State{Code: 3, Name: "expired"}
)

// Machine is the lifecycle of a coupon. The sweeper expires overdue coupons, and a cancelled order
// returns its coupon. Extending a campaign makes its expired coupons unused without a transition,
// see Coupon.state.
var Machine = status.New(status.Machine{
	Name:    "coupon",
	Initial: unused,
	States:  []status.State{unused, used, void, expired},
	Verbs:   []string{"issue"},
	Actions: []status.Action{
		{Name: "redeem", Participle: "redeemed", From: []status.State{unused}, To: used},
		{Name: "void", Participle: "voided", From: []status.State{unused}, To: void},
		{Name: "expire", Participle: "expired", From: []status.State{unused}, To: expired, Internal: true},
		{Name: "return", Participle: "returned", From: []status.State{used}, To: unused, Internal: true},
	},
})

// States returns the status machine.
func (Coupon) States() *status.Machine { return Machine }

package main

// ofPayments are breaks of payments.
var ofPayments = []mutant{
	{
		name: "a payment is applied to a cancelled order",
		file: "internal/orders/receive.go", old: `case o.Cancelled():`, new: `case o.Cancelled() && o.Amount < 0:`,
		caught: tests{"test/shop": {"TestPaymentWithoutAnAcceptingOrderIsUnmatched"}},
	},
	{
		name: "a payment is applied to an order that is paid in full",
		file: "internal/orders/receive.go", old: `case o.PaidTime != nil:`, new: `case o.PaidTime != nil && o.Amount < 0:`,
		caught: tests{"test/shop": {"TestPaymentWithoutAnAcceptingOrderIsUnmatched"}},
	},
	{
		name: "a payment exceeds the amount that is due",
		file: "internal/orders/receive.go", old: `case amount > o.Due():`, new: `case amount > o.Due()+1:`,
		caught: tests{"test/shop": {"TestPaymentWithoutAnAcceptingOrderIsUnmatched"}},
	},
	{
		name: "a payment of another amount is a repeat",
		file: "internal/payments/payment.go", old: `(amount == nil || *amount == p.Amount)`, new: `(amount == nil || *amount > 0)`,
		caught: tests{"test/shop": {"TestPaymentReferenceIsUniquePerProvider"}},
	},
	{
		name: "a payment of another order is a repeat",
		file: "internal/payments/payment.go", old: `return p.NamedOrderID == order &&`, new: `return order > 0 &&`,
		caught: tests{"test/shop": {"TestPaymentReferenceIsUniquePerProvider"}},
	},
	{
		name: "refunds exceed their payment",
		file: "internal/payments/service.go", old: `after.RefundReserved < 0 || after.Refundable() < 0`, new: `after.RefundReserved < 0`,
		also:   []edit{{"internal/refunds/request.go", `amount <= p.Refundable()`, `amount <= p.Amount`}},
		caught: tests{"test/shop": {"TestRefundsNeverExceedTheirPayment"}},
	},
	{
		name: "a payment stays applied when all of it was refunded",
		file: "internal/payments/service.go", old: `after.Refunded > 0 && after.Refunded == after.Amount`, new: `after.Refunded > after.Amount`,
		caught: tests{"test/shop": {"TestCancellationRefundsTheRestOfEachPayment"}},
	},
	{
		name: "a cancellation refunds a wallet payment as an outside one",
		file: "internal/orders/cancel.go", old: `if r.payment.ByWallet() {`, new: `if r.payment.ByWallet() && r.amount < 0 {`,
		caught: tests{"test/shop": {"TestCancellationRefundsTheRestOfEachPayment"}},
	},
	{
		name: "users send back payments that they recorded",
		file: "internal/payments/gate.go", old: `before.RecordedBy, before.RecorderCreatorID}, Time`, new: `before.RecorderCreatorID}, Time`,
		caught: tests{"test/shop": {"TestUnmatchedPaymentIsRefundedByAnotherUser"}},
	},
	{
		name: "a payment above the threshold is sent back without votes",
		file: "internal/payments/gate.go", old: `if err == nil && !now {`, new: `if err == nil && !now && before.Amount < 0 {`,
		caught: tests{"test/shop": {"TestAboveTheThresholdVotesSendAPaymentBack"}},
	},
	{
		name: "a shipped order that is paid can be paid again",
		file: "internal/orders/status.go", old: `return o.PaidTime != nil`, new: `return o.Amount < 0`,
		caught: tests{"test/shop": {"TestPaymentOfAShippedOrderLeavesItsStatus"}},
	},
}

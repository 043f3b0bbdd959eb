package main

// placing are breaks of the creation of orders, and of the deadline of their payment.
var placing = []mutant{
	{
		name: "an order is created at another total than the expected one",
		file: "internal/orders/place.go", old: `*p.ExpectedTotal != order.Amount`, new: `*p.ExpectedTotal < 0`,
		caught: tests{"test/shop": {"TestChangedTotalCreatesNoOrder"}},
	},
	{
		name: "other content under an external id returns the order",
		file: "internal/orders/place.go", old: `*order.ContentHash != hash`, new: `*order.ContentHash == ""`,
		caught: tests{"test/shop": {"TestOrderIsCreatedOncePerExternalID"}},
	},
	{
		name: "a concurrent order with the external id is a fault",
		file: "internal/orders/store.go", old: `storage.IsDuplicate(err, "uq_orders_external")`, new: `storage.IsDuplicate(err, "none")`,
		caught: tests{"test/shop": {"TestConcurrentRequestsWithAnExternalIDCreateOneOrder"}},
	},
	{
		name: "an order on terms is cancelled if it is unpaid",
		file: "internal/orders/place.go", old: `if order.PaymentTerms == Prepaid {`, new: `if order.PaymentTerms != "" {`,
		caught: tests{"test/shop": {"TestUnpaidPrepaidOrderIsCancelledAtItsDeadline"}},
	},
	{
		name: "an unpaid order is cancelled before its deadline",
		file: "internal/orders/cancel.go", old: `Where("payment_due <= ? AND status = ?", now, pending.Code)`, new: `Where("payment_due <= ? AND status = ?", now.Add(time.Minute), pending.Code)`,
		caught: tests{"test/shop": {"TestUnpaidPrepaidOrderIsCancelledAtItsDeadline"}},
	},
	{
		name: "an unmatched payment is applied to an order that cannot take it",
		file: "internal/orders/receive.go", old: `if code, reason := order.rejectionReason(payment.Amount); code != "" {`, new: `if code, reason := order.rejectionReason(payment.Amount); code == "-" {`,
		caught: tests{"test/shop": {"TestUnmatchedPaymentIsAppliedOnce"}},
	},
	{
		name: "the receipt of a return moves more units than requested",
		file: "internal/returns/steps.go", old: `violations.Check(arrived.Quantity <= left,`, new: `violations.Check(arrived.Quantity <= left+1000,`,
		caught: tests{ofReturns: {"TestReturnRequestsAreValidated"}},
	},
}

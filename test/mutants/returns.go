package main

const ofReturns = "internal/returns"

// sendingBack are breaks of returns.
var sendingBack = []mutant{
	{
		name: "units are in a return and in a refund",
		file: "internal/returns/service.go", old: `left := line.Shipped - line.InReturns - refunded[line.SKU]`, new: `left := line.Shipped - line.InReturns - 0*refunded[line.SKU]`,
		caught: tests{ofReturns: {"TestReturnsAndRestockingRefundsShareTheShippedUnits"}},
	},
	{
		name: "units are in two returns",
		file: "internal/returns/service.go", old: `left := line.Shipped - line.InReturns - refunded[line.SKU]`, new: `left := line.Shipped - refunded[line.SKU]`,
		caught: tests{ofReturns: {"TestConcurrentReturnsOfTheLastUnitHaveOneWinner", "TestRejectedReturnReleasesItsUnits"}},
	},
	{
		name: "a refund restocks the units of a return",
		file: "internal/refunds/request.go", old: `left := line.Shipped - line.InReturns - before.Returned`, new: `left := line.Shipped - before.Returned`,
		caught: tests{ofReturns: {"TestReturnsAndRestockingRefundsShareTheShippedUnits"}},
	},
	{
		name: "a return with a stale order is not run again",
		file: "internal/orders/goods.go", old: `errors.Is(err, guard.ErrStale)`, new: `err != nil && !errors.Is(err, guard.ErrStale)`,
		caught: tests{ofReturns: {"TestReturnWithAStaleOrderIsRunAgain"}},
	},
	{
		name: "a rejected return retains its units",
		file: "internal/returns/steps.go", old: `orders.GoodsMove{InReturns: -line.Quantity}`, new: `orders.GoodsMove{InReturns: 0 * line.Quantity}`,
		caught: tests{ofReturns: {"TestRejectedReturnReleasesItsUnits"}},
	},
	{
		name: "written-off units return to stock",
		file: "internal/returns/steps.go", old: `restocked[line.SKU] = line.Restocked`, new: `restocked[line.SKU] = line.Received`,
		caught: tests{ofReturns: {"TestReturnIsReceivedAndClosed"}},
	},
	{
		name: "a return is refunded twice",
		file: "internal/returns/steps.go", old: `case row.RefundID != nil:`, new: `case row.RefundID != nil && *row.RefundID < 0:`,
		caught: tests{ofReturns: {"TestReturnIsRefundedOnce"}},
	},
}

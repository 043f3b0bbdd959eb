package main

// refunding are breaks of refunds and of work orders.
var refunding = []mutant{
	{
		name: "more is reserved for refunds than is left of the payment",
		file: "internal/orders/refund.go", old: `"? >= -refund_reserved AND ? <= paid - refund_reserved - refunded", []any`, new: `"? >= -refund_reserved AND ? <= paid", []any`,
		caught: tests{
			"test/shop": {
				"TestConcurrentRefundsNeverExceedThePayment",
				"TestInvalidRefundIsRejectedByField",
				"TestConcurrentRefundsAndCancellationsNeverExceedThePayment",
			},
		},
	},
	{
		name: "a refund is decided on twice",
		file: "internal/core/guard/write.go", old: `return write[T](ctx, u, p, ref.ID, 1, columns, ErrStale, "status = ? AND version = ?", from.Code, ref.Version)`,
		new:    `return write[T](ctx, u, p, ref.ID, 1, columns, ErrStale, "? >= 0 AND ? > 0", from.Code, ref.Version)`,
		caught: tests{"test/shop": {"TestOnlyOneOfConcurrentApproversCreditsTheWallet"}},
	},
	{
		name: "refunds of one order have one reference",
		file: "internal/refunds/refund.go", old: `return fmt.Sprintf("@refunds/%d", r.ID)`, new: `return fmt.Sprintf("@refunds/%d", r.OrderID)`,
		caught: tests{"test/shop": {"TestCancellationReplacesOpenRefunds"}},
	},
	{
		name: "the requester of a refund approves it",
		file: "internal/refunds/gate.go", old: `Users: []int64{before.RequestedBy, before.RequesterCreatorID}`, new: `Users: []int64{}`,
		caught: tests{"test/shop": {"TestApprovalSettlesAWalletRefundImmediately", "TestCancellationReplacesOpenRefunds"}},
	},
	{
		name: "a failed refund retains its reservation",
		file: "internal/refunds/decide.go", old: `func (Failure) apply(ctx context.Context, u *uow.Unit, s *Service, _, after *Refund) (*Refund, error) {
	return after, s.release(ctx, u, after)`,
		new: `func (Failure) apply(ctx context.Context, u *uow.Unit, s *Service, _, after *Refund) (*Refund, error) {
	return after, nil`,
		caught: tests{"test/shop": {"TestExternalRefundWaitsForItsSettlement"}},
	},
	{
		name: "units of a line are refunded more than once",
		file: "internal/refunds/request.go", old: `left := line.Quantity - before[w.SKU].Quantity`, new: `left := line.Quantity + 0*before[w.SKU].Quantity`,
		caught: tests{"test/shop": {"TestConcurrentRefundsOfALineRefundUnitsOnce", "TestInvalidRefundIsRejectedByField"}},
	},
	{
		name: "a line is claimed on a stale state",
		file: "internal/orders/refund.go", old: `condition+" AND version = ?"`, new: `condition+" AND version >= ?"`,
		caught: tests{"test/shop": {"TestUnitsAreRefundedOnceWithoutALock"}},
	},
	{
		name: "units that a cancellation returned are returned again",
		file: "internal/refunds/transition.go", old: `	if order.Cancelled() {
		return nil
	}
	unshipped, returned`, new: `	if order.Cancelled() && refund == nil {
		return nil
	}
	unshipped, returned`,
		caught: tests{"test/shop": {"TestRefundRestocksUnitsOnceIfRequested"}},
	},
	{
		name: "units of an open refund can be shipped",
		file: "internal/refunds/request.go", old: `return orders.LineMove{ToShip: -line.Unshipped, InRefund: line.Unshipped}`, new: `return orders.LineMove{InRefund: line.Unshipped}`,
		caught: tests{"test/shop": {"TestAnySequenceOfStepsConservesMoneyAndStock", "TestShipmentSendsUnitsToShip"}},
	},
	{
		name: "a cancellation leaves open refunds reserved",
		file: "internal/orders/cancel.go", old: `Reserved: r.amount - r.released}`, new: `Reserved: r.amount - 0*r.released}`,
		caught: tests{"test/shop": {"TestAnySequenceOfStepsConservesMoneyAndStock", "TestCancellationReplacesOpenRefunds"}},
	},
	{
		name: "a failed refund of a cancelled order releases its reservation",
		file: "internal/refunds/transition.go", old: `	if err != nil || order.Cancelled() {
		return err
	}
	_, err = s.orders`, new: `	if err != nil {
		return err
	}
	_, err = s.orders`,
		caught: tests{"test/shop": {"TestAnySequenceOfStepsConservesMoneyAndStock"}},
	},
	{
		name: "the refund of a cancelled order's rest is rejected",
		file: "internal/refunds/status.go", old: `return action == "reject" && r.Origin == Cancellation`, new: `return action == "reject" && r.Origin == ""`,
		caught: tests{"test/shop": {"TestCancellationReplacesOpenRefunds"}},
	},
	{
		name: "an order that was paid since is cancelled as unpaid",
		file: "internal/orders/cancel.go", old: `if err != nil || order.Status != pending.Code {`, new: `if err != nil || order.Status > paid.Code {`,
		caught: tests{"test/shop": {"TestOrderPaidBeforeItsTimeoutStaysPaid"}},
	},
	{
		name: "a work order with a holder is claimed by another user",
		file: "internal/workorders/status.go", old: `if state == claimed && !w.orphaned(unable) {`, new: `if state == claimed && w.orphaned(unable) {`,
		caught: tests{"test/activity": {"TestOneOfAHundredClaimsWinsAndOthersReadTheHolder", "TestWorkOrdersOfADisabledHolderReopen"}},
	},
	{
		name: "a work order is assigned to a user who may not read it",
		file: "internal/workorders/transition.go", old: `(!exists || len(unable) > 0)`, new: `(!exists || len(unable) > 1)`,
		caught: tests{"test/activity": {"TestWorkOrdersOfADisabledHolderReopen"}, "test/e2e": {"TestHolderWithoutTheRightIsReplaced"}},
	},
	{
		name: "a holder without the permission retains the work order",
		file: "internal/access/users/people.go", old: `return !slices.Contains(disabled, id) && principal.Covers(`, new: `return !slices.Contains(disabled, id) || principal.Covers(`,
		caught: tests{"test/e2e": {"TestHolderWithoutTheRightIsReplaced"}},
	},
	{
		name: "a work order links to a record that does not exist",
		file: "internal/edge/httpapi/router.go", old: `return route.find(ctx, Path{c})`, new: `_ = route.find(ctx, Path{c}); return nil`,
		caught: tests{"test/activity": {"TestInvalidWorkOrderIsRejectedByField"}},
	},
	{
		name: "a link shows a record that its author may not read",
		file: "internal/edge/httpapi/router.go", old: `if Permitted(ctx, route.Permission) != nil {`, new: `if Permitted(ctx, "") != nil {`,
		caught: tests{"test/activity": {"TestInvalidWorkOrderIsRejectedByField"}},
	},
	{
		name: "an action on an open work order does not claim it",
		file: "internal/workorders/service.go", old: `if Machine.Of(order.Status) == opened {`, new: `if Machine.Of(order.Status) == closed {`,
		caught: tests{"test/activity": {"TestActionOnAnOpenWorkOrderClaimsIt"}},
	},
	{
		name: "a work order is resolved by a user other than its holder",
		file: "internal/workorders/transition.go", old: `!order.heldBy(caller.UserID) && !caller.May(assignPermission)`, new: `!order.heldBy(caller.UserID) && !caller.May(writePermission)`,
		caught: tests{"test/activity": {"TestWorkOrderFollowsItsMachineAndRecordsHistory"}},
	},
	{
		name: "two users claim one next work order",
		file: "internal/core/guard/write.go", old: `return write[T](ctx, u, p, ref.ID, 1, columns, ErrStale, "status = ? AND version = ?", from.Code, ref.Version)`,
		new:    `return write[T](ctx, u, p, ref.ID, 1, columns, ErrStale, "? >= 0 AND ? > 0", from.Code, ref.Version)`,
		caught: tests{"test/activity": {"TestFiftyClaimsOfTheNextAreDistinctAndSkipNone"}},
	},
}

package main

// refunding are breaks of refunds and of work orders.
var refunding = []mutant{
	{
		name: "more is reserved for refunds than is left of the payment",
		file: "internal/orders/refund.go", old: `"? >= -refund_reserved AND ? <= paid - refund_reserved - refunded", []any`, new: `"? >= -refund_reserved AND ? <= paid", []any`,
		caught: tests{
			"test/shop": {
				"TestTwoRefundsAtOnceNeverExceedThePayment",
				"TestWhatCannotBeRefundedIsRefusedAtItsPlace",
				"TestClientsThatRefundOneOrderInPartsWhileOthersCancelItNeverExceedItsPayment",
			},
		},
	},
	{
		name: "a refund is decided on twice",
		file: "internal/core/guard/write.go", old: `return write[T](ctx, u, p, ref.ID, 1, columns, ErrStale, "status = ? AND version = ?", from.Code, ref.Version)`,
		new:    `return write[T](ctx, u, p, ref.ID, 1, columns, ErrStale, "? >= 0 AND ? > 0", from.Code, ref.Version)`,
		caught: tests{"test/shop": {"TestOfManyApproversOneCreditsTheWalletAndTheOthersAreToldWho"}},
	},
	{
		name: "refunds of one order have one reference",
		file: "internal/refunds/refund.go", old: `return fmt.Sprintf("@refunds/%d", r.ID)`, new: `return fmt.Sprintf("@refunds/%d", r.OrderID)`,
		caught: tests{"test/shop": {"TestACancellationRefundsOnlyWhatIsLeft"}},
	},
	{
		name: "a refund is approved by who requested it",
		file: "internal/refunds/decide.go", old: `caller.UserID == refund.RequestedBy {`, new: `caller.UserID == -refund.RequestedBy {`,
		caught: tests{"test/shop": {"TestAWalletsRefundIsApprovedBySomebodyElseCreditedAndSettledAtOnce", "TestACancellationRefundsOnlyWhatIsLeft"}},
	},
	{
		name: "a refund that failed keeps its reservation",
		file: "internal/refunds/decide.go", old: `func (Failure) apply(ctx context.Context, u *uow.Unit, s *Service, _, after *Refund) (*Refund, error) {
	return after, s.release(ctx, u, after)`,
		new: `func (Failure) apply(ctx context.Context, u *uow.Unit, s *Service, _, after *Refund) (*Refund, error) {
	return after, nil`,
		caught: tests{"test/shop": {"TestARefundOfWhatWasPaidOutsideWaitsForItsProvidersWord"}},
	},
	{
		name: "pieces of a line are refunded more than once",
		file: "internal/refunds/request.go", old: `left := line.Quantity - before[w.SKU].Quantity`, new: `left := line.Quantity + 0*before[w.SKU].Quantity`,
		caught: tests{"test/shop": {"TestPiecesOfALineAreRefundedOnceHoweverManyAskAtOnce", "TestWhatCannotBeRefundedIsRefusedAtItsPlace"}},
	},
	{
		name: "a line is claimed on what others have changed since",
		file: "internal/orders/refund.go", old: `condition+" AND version = ?"`, new: `condition+" AND version >= ?"`,
		caught: tests{"test/shop": {"TestWithoutALockThatHoldsPiecesOfALineAreRefundedOnce"}},
	},
	{
		name: "what came back with the cancellation comes back again",
		file: "internal/refunds/transition.go", old: `	case order.HoldsPieces():
		return s.stock.Return(`, new: `	case !order.HoldsPieces():
		return s.stock.TakeBack(ctx, u, order.Holder(), refund.reference(), pieces)
	case order.HoldsPieces():
		return s.stock.Return(`,
		caught: tests{"test/shop": {"TestPiecesComeBackOnceWithTheMoneyForLinesThatSaySo"}},
	},
	{
		name: "an order that was paid meanwhile is cancelled as unpaid",
		file: "internal/orders/cancel.go", old: `if err != nil || order.Status != pending.Code {`, new: `if err != nil || order.Status > paid.Code {`,
		caught: tests{"test/shop": {"TestAnOrderThatIsPaidJustBeforeItIsCancelledAsUnpaidStaysPaid"}},
	},
	{
		name: "a work order that somebody holds is claimed by another",
		file: "internal/workorders/status.go", old: `if state == claimed && !w.orphaned(disabled) {`, new: `if state == claimed && w.orphaned(disabled) {`,
		caught: tests{"test/activity": {"TestOfAHundredAgentsWhoClaimOneWorkOrderOneHoldsItAndTheOthersAreToldWho", "TestADisabledHoldersWorkOrdersAreOfferedAgain"}},
	},
	{
		name: "who acts on an open work order does not hold it",
		file: "internal/workorders/service.go", old: `if Machine.Of(order.Status) == opened {`, new: `if Machine.Of(order.Status) == closed {`,
		caught: tests{"test/activity": {"TestWhoActsOnAnOpenOneHoldsIt"}},
	},
	{
		name: "what somebody holds is resolved by another",
		file: "internal/workorders/transition.go", old: `!order.heldBy(caller.UserID) && !caller.May(assignPermission)`, new: `!order.heldBy(caller.UserID) && !caller.May(writePermission)`,
		caught: tests{"test/activity": {"TestAWorkOrderGoesAlongItsMachineAndItsHistorySaysHow"}},
	},
	{
		name: "two take the next work order",
		file: "internal/core/guard/write.go", old: `return write[T](ctx, u, p, ref.ID, 1, columns, ErrStale, "status = ? AND version = ?", from.Code, ref.Version)`,
		new:    `return write[T](ctx, u, p, ref.ID, 1, columns, ErrStale, "? >= 0 AND ? > 0", from.Code, ref.Version)`,
		caught: tests{"test/activity": {"TestOfFiftyAgentsWhoTakeTheNextNoTwoHaveTheSameAndNoneIsSkipped"}},
	},
}

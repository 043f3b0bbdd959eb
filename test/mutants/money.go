package main

// money are breaks of wallets and stock.
var money = []mutant{
	{
		name: "the version predicate of wallets left out",
		file: "internal/wallets/store.go", old: `"version = ? AND balance + ? >= 0", wallet.Version, amount)`, new: `"? > 0 AND balance + ? >= 0", wallet.Version, amount)`,
		caught: tests{"test/shop": {"TestVersionRejectsAPausedHolderDespiteSufficientBalance"}},
	},
	{
		name: "the version predicate of inventory left out",
		file: "internal/inventory/store.go", old: `"version = ? AND reserved + ? >= 0 AND on_hand - reserved + ? >= 0", before.Version,`, new: `"? > 0 AND reserved + ? >= 0 AND on_hand - reserved + ? >= 0", before.Version,`,
		caught: tests{"test/shop": {"TestVersionRejectsAPausedHolderDespiteSufficientStock"}},
	},
	{
		name: "an entry of a wallet is made again under its reference",
		file: "internal/wallets/enter.go", old: `case before != nil:`, new: `case before != nil && before.ID < 0:`,
		caught: tests{"test/shop": {"TestConcurrentRetriesOfAReferenceAreAppliedOnce", "TestRepeatedEntryReferenceReplaysOrConflicts"}},
	},
	{
		name: "more units are released than a hold has",
		file: "internal/inventory/hold.go", old: `sku = ? AND quantity >= ?",`, new: `sku = ? AND quantity >= 0 AND ? > 0",`,
		caught: tests{"test/shop": {"TestReturnsAndConsumptionNeverExceedTheHold", "TestConcurrentConsumersRespectTheAllotment"}},
	},
	{
		name: "a cancelled order is not refunded to the wallet",
		file: "internal/orders/cancel.go", old: `range cancelled.rests {`, new: `range cancelled.rests[:0] {`,
		caught: tests{"test/shop": {"TestCancellationRefundsAWalletPaymentOnce"}},
	},
	{
		name: "manual entries have the kind of refunds",
		file: "internal/wallets/http.go", old: `slices.Contains([]kind{Paid, Refunded, Transferred}, in.Body.Kind)`, new: `slices.Contains([]kind{Paid, Transferred}, in.Body.Kind)`,
		also: []edit{{"internal/refunds/promises.go", "AND e.reference LIKE '@%')", "AND e.reference LIKE '%')"}},
		caught: tests{
			"test/shop": {"TestInvalidEntryIsRejectedAtItsField"},
			"test/e2e":  {"TestRandomLegalTrafficViolatesNoPromise"},
		},
	},
	{
		name: "a coupon that the sweeper expired stays so when its campaign is extended",
		file: "internal/coupons/coupon.go", old: `case c.Status == expired.Code:`, new: `case c.Status < 0:`,
		caught: tests{"test/shop": {"TestExtendedCampaignRevivesItsCoupons"}},
	},
	{
		name: "a coupon is redeemed for the order of another user",
		file: "internal/coupons/redeem.go", old: `case owner != r.UserID:`, new: `case owner == "":`,
		caught: tests{"test/shop": {"TestRedemptionIsRecordedInTheHistory"}},
	},
	{
		name: "a payment from outside needs no reference",
		file: "internal/orders/pay.go", old: `required_if=Method external,`, new: "",
		caught: tests{"test/shop": {"TestInvalidTransitionChangesNothing", "TestInvalidBatchChangesNoOrder"}},
	},
	{
		name: "another reference counts as the payment that an order has",
		file: "internal/orders/pay.go", old: `if p.Applied() && p.Same(o.ID, requested.Method, string(requested.Provider), requested.Reference, nil) {`, new: `if p.Applied() && p.Method == requested.Method {`,
		caught: tests{"test/shop": {"TestPaymentReferencePaysOneOrder"}},
	},
	{
		name: "a callback that is overtaken by its repeat is a conflict",
		file: "internal/core/change/transition.go", old: `l.Repeated != nil && l.Repeated(current)`, new: `l.Repeated != nil && !l.Repeated(current)`,
		caught: tests{"test/shop": {"TestOvertakenCallbackFindsItsPayment"}},
	},
	{
		name: "the repeated settlement of a refund is a conflict",
		file: "internal/refunds/decide.go", old: `return isSettlement && refund.Reference != nil`, new: `return isSettlement && refund.Reference == nil`,
		caught: tests{"test/shop": {"TestSettlementReferenceSettlesOneRefund"}},
	},
}

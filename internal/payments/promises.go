package payments

import "interlock/internal/module"

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "payment-versions", Guarantee: "G2", Table: "payments", Subject: "CONCAT('payments/', x.id)",
		Sentence: "The history of each payment is its versions 1 to the current one, each once.",
		Broken:   module.HistoryGap("payment_histories", "payment_id"),
		Tests:    []string{"TestPaymentOrCancellationLosesNoMoney"},
		Faults:   module.KilledAtCommit,
	},
	{
		Name: "order-payments", Guarantee: "G4", Table: "orders", Subject: "CONCAT('orders/', x.id)",
		Sentence: "The paid amount of an order is the sum of its applied payments, at most its amount, and the order has a time of payment if and only if it is paid in full.",
		Broken: `x.paid <> (SELECT COALESCE(SUM(p.amount), 0) FROM payments p WHERE p.tenant_id = x.tenant_id AND p.order_id = x.id AND p.applied_time IS NOT NULL)
			OR x.paid > x.amount OR x.paid_time IS NULL AND x.paid = x.amount AND x.amount > 0 OR x.paid_time IS NOT NULL AND x.paid <> x.amount`,
		Tests:  []string{"TestRacingPaymentsNeverExceedTheDueAmount"},
		Faults: module.KilledAtCommit,
	},
	{
		Name: "payment-status", Guarantee: "G4", Table: "payments", Subject: "CONCAT('payments/', x.id)",
		Sentence: "A payment is refunded exactly when all of it was repaid, an applied payment has an order, and an unmatched one has no refunds.",
		Broken: `x.amount < 0 OR x.refund_reserved < 0 OR x.refunded < 0 OR x.refund_reserved + x.refunded > x.amount
			OR (x.status = 2) <> (x.refunded > 0 AND x.refunded = x.amount)
			OR x.status = 1 AND (x.applied_time IS NULL OR x.order_id IS NULL)
			OR x.status = 0 AND (x.applied_time IS NOT NULL OR x.refund_reserved + x.refunded > 0)`,
		Tests:  []string{"TestAnySequenceOfStepsConservesMoneyAndStock"},
		Faults: module.KilledAtCommit,
	},
	{
		Name: "payment-debits", Guarantee: "G4", Table: "payments", Subject: "CONCAT('payments/', x.id)",
		Sentence: "A wallet payment debited its wallet exactly once.",
		Broken: `x.method = 'wallet' AND x.amount > 0 AND 1 <> (SELECT COUNT(*) FROM wallet_entries e
			WHERE e.tenant_id = x.tenant_id AND e.user_id = x.user_id AND e.kind = 'payment' AND e.amount = -x.amount AND e.reference = CONCAT('@payments/', x.id))`,
		Tests:  []string{"TestConcurrentStepsLeaveConsistentLedgers"},
		Faults: module.KilledAtCommit,
	},
	{
		Name: "debits-of-payments", Guarantee: "G4", Table: "wallet_entries", Subject: module.PathSQL("wallets", "x.user_id"),
		Sentence: "Each debit for a payment belongs to a wallet payment.",
		Broken: `x.kind = 'payment' AND x.reference LIKE '@payments/%' AND NOT EXISTS (SELECT 1 FROM payments p
			WHERE p.tenant_id = x.tenant_id AND p.id = CAST(SUBSTR(x.reference, 11) AS SIGNED) AND p.method = 'wallet' AND p.amount = -x.amount)`,
		Tests:  []string{"TestConcurrentStepsLeaveConsistentLedgers"},
		Faults: module.KilledAtCommit,
	},
	module.AuditedVersions("payments", "payment_histories", "CONCAT('payments/', x.payment_id)", "version of a payment", module.KilledAtCommit...),
}

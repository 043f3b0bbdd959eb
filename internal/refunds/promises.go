package refunds

import "interlock/internal/module"

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "refund-versions", Guarantee: "G2", Table: "refunds", Subject: "CONCAT('refunds/', x.id)",
		Sentence: "The history of each refund is its versions 1 to the current one, each once.",
		Broken:   module.HistoryGap("refund_histories", "refund_id"),
		Tests:    []string{"TestLastVoteOrRejectionWins"},
		Faults:   []string{killedOverRefunds},
	},
	{
		Name: "order-money", Guarantee: "G4", Table: "orders", Subject: "CONCAT('orders/', x.id)",
		Sentence: "The reserved and refunded amounts of an order do not exceed its payment, and equal its refunds.",
		Broken: `x.refund_reserved < 0 OR x.refunded < 0 OR x.refund_reserved + x.refunded > x.paid
			OR x.refund_reserved <> (SELECT COALESCE(SUM(r.amount), 0) FROM refunds r WHERE r.tenant_id = x.tenant_id AND r.order_id = x.id
				AND (r.status IN (0, 1, 5) OR r.status = 4 AND x.status = 4))
			OR x.refunded <> (SELECT COALESCE(SUM(r.amount), 0) FROM refunds r WHERE r.tenant_id = x.tenant_id AND r.order_id = x.id AND r.status = 3)`,
		Tests:  []string{"TestConcurrentRefundsNeverExceedThePayment"},
		Faults: []string{killedOverRefunds},
	},
	{
		Name: "payment-refunds", Guarantee: "G4", Table: "payments", Subject: "CONCAT('payments/', x.id)",
		Sentence: "The reserved and refunded amounts of an applied payment equal its refunds.",
		Broken: `x.applied_time IS NOT NULL AND (
			x.refund_reserved <> (SELECT COALESCE(SUM(r.amount), 0) FROM refunds r WHERE r.tenant_id = x.tenant_id AND r.payment_id = x.id
				AND (r.status IN (0, 1, 5) OR r.status = 4 AND EXISTS (SELECT 1 FROM orders o WHERE o.tenant_id = x.tenant_id AND o.id = x.order_id AND o.status = 4)))
			OR x.refunded <> (SELECT COALESCE(SUM(r.amount), 0) FROM refunds r WHERE r.tenant_id = x.tenant_id AND r.payment_id = x.id AND r.status = 3))`,
		Tests:  []string{"TestRefundsNeverExceedTheirPayment"},
		Faults: []string{killedOverRefunds},
	},
	{
		Name: "cancelled-orders", Guarantee: "G4", Table: "orders", Subject: "CONCAT('orders/', x.id)",
		Sentence: "A cancelled order has nothing left to refund.",
		Broken:   `x.status = 4 AND x.paid <> x.refund_reserved + x.refunded`,
		Tests:    []string{"TestAnySequenceOfStepsConservesMoneyAndStock"},
		Faults:   []string{killedOverRefunds},
	},
	{
		Name: "refund-credits", Guarantee: "G4", Table: "refunds", Subject: "CONCAT('refunds/', x.id)",
		Sentence: "A refund to a wallet credited it exactly once if it is settled, and otherwise never.",
		// A provider's reference may equal the reference of a manual wallet entry; references of
		// the service start with @.
		Broken: `(x.method = 'wallet' AND x.status = 3) <> (SELECT COUNT(*) FROM wallet_entries e
			WHERE e.tenant_id = x.tenant_id AND e.user_id = x.user_id AND e.kind = 'refund' AND e.amount = x.amount AND e.reference = x.reference
				AND e.reference LIKE '@%')`,
		Tests:  []string{"TestOnlyOneOfConcurrentApproversCreditsTheWallet"},
		Faults: []string{killedOverRefunds},
	},
	{
		Name: "credits-of-refunds", Guarantee: "G4", Table: "wallet_entries", Subject: module.PathSQL("wallets", "x.user_id"),
		Sentence: "Each credit for a refund belongs to a settled refund.",
		Broken: `x.kind = 'refund' AND x.reference LIKE '@%' AND NOT EXISTS (SELECT 1 FROM refunds r
			WHERE r.tenant_id = x.tenant_id AND r.user_id = x.user_id AND r.reference = x.reference AND r.status = 3)`,
		Tests:  []string{"TestOnlyOneOfConcurrentApproversCreditsTheWallet"},
		Faults: []string{killedOverRefunds},
	},
	{
		Name: "refund-lines", Guarantee: "G4", Table: "order_lines", Subject: "CONCAT('orders/', x.order_id)",
		Sentence: "The refunds of an order's line have at most its units.",
		Broken: `x.quantity < (SELECT COALESCE(SUM(l.quantity), 0) FROM refund_lines l JOIN refunds r ON r.tenant_id = l.tenant_id AND r.id = l.refund_id
			WHERE l.tenant_id = x.tenant_id AND l.order_id = x.order_id AND l.sku = x.sku AND r.status IN (0, 1, 3, 5))`,
		Tests:  []string{"TestConcurrentRefundsOfALineRefundUnitsOnce"},
		Faults: []string{killedOverRefunds},
	},
	{
		Name: "order-units", Guarantee: "G4", Table: "order_lines", Subject: "CONCAT('orders/', x.order_id)",
		Sentence: "Each unit of an order's line is to be shipped, in an open refund, shipped, or back in stock, and at most the shipped units were returned.",
		Broken: `x.to_ship < 0 OR x.in_refund < 0 OR x.returned < 0 OR x.returned + x.written_off > x.shipped
			OR x.in_refund <> CASE WHEN ` + ofOrder("4") + ` THEN 0 ELSE ` + unshipped("0, 1, 5") + ` END
			OR CASE WHEN ` + ofOrder("4") + ` THEN x.to_ship <> 0 ELSE x.quantity <> x.to_ship + x.in_refund + x.shipped + ` + unshipped("3") + ` END
			OR x.returned <> (SELECT COALESCE(SUM(l.quantity - l.unshipped), 0)` + refundLines("3") + ` AND l.restock)
				+ (SELECT COALESCE(SUM(l.restocked), 0) FROM return_lines l WHERE l.tenant_id = x.tenant_id AND l.order_id = x.order_id AND l.sku = x.sku)`,
		Tests:  []string{"TestAnySequenceOfStepsConservesMoneyAndStock"},
		Faults: []string{killedOverRefunds},
	},
	module.AuditedVersions("refunds", "refund_histories", "CONCAT('refunds/', x.refund_id)", "version of a refund", killedOverRefunds),
}

// refundLines returns the SQL clauses that select, for the order line x, the lines of refunds with
// one of the statuses.
func refundLines(statuses string) string {
	return ` FROM refund_lines l JOIN refunds r ON r.tenant_id = l.tenant_id AND r.id = l.refund_id
		WHERE l.tenant_id = x.tenant_id AND l.order_id = x.order_id AND l.sku = x.sku AND r.status IN (` + statuses + `)`
}

// unshipped returns SQL text for the number of units of such refund lines that the order had not
// shipped.
func unshipped(statuses string) string {
	return "(SELECT COALESCE(SUM(l.unshipped), 0)" + refundLines(statuses) + ")"
}

// ofOrder returns the SQL condition that the order of the order line x has the status.
func ofOrder(status string) string {
	return "EXISTS (SELECT 1 FROM orders o WHERE o.tenant_id = x.tenant_id AND o.id = x.order_id AND o.status = " + status + ")"
}

const killedOverRefunds = "TestRefundsOfAKilledProgramNeverExceedThePayment"

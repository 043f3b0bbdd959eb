package promises

// swept is true if retention may have removed rows of that time from a table: its limit is
// stored before the first row is removed, and never decreases (package retention).
func swept(table, time string) string {
	return "EXISTS (SELECT 1 FROM retention_sweeps w WHERE w.name = '" + table + "' AND w.until_time >= " + time + ")"
}

// audited is true for a row of versions, entries or movements without an audit row of the
// unit that wrote it: both have the same time stamp.
func audited(stamp string) string {
	return "NOT EXISTS (SELECT 1 FROM audit_entries a WHERE a.tenant_id = x.tenant_id AND a.created_time = x." + stamp + ") AND NOT " + swept("audit_entries", "x."+stamp)
}

const id = "id"

// versions is true if a row's history does not consist of versions 1 to its current one,
// except for removed ones: retention removes a version when its successor is older than the
// limit, so each younger version still has its predecessor.
func versions(history, of string) string {
	where := " FROM " + history + " h WHERE h.tenant_id = x.tenant_id AND h." + of + " = x.id"
	return `x.version <> (SELECT COALESCE(MAX(h.version), 0)` + where + `)
		OR x.version <> (SELECT COUNT(*)` + where + `) AND EXISTS (SELECT 1` + where + ` AND h.version > 1 AND NOT ` + swept(history, "h.changed_time") + `
			AND NOT EXISTS (SELECT 1 FROM ` + history + ` b WHERE b.tenant_id = h.tenant_id AND b.` + of + ` = h.` + of + ` AND b.version = h.version - 1))`
}

// refundLines are the lines of refunds with one of the statuses for the order line x.
func refundLines(statuses string) string {
	return ` FROM refund_lines l JOIN refunds r ON r.tenant_id = l.tenant_id AND r.id = l.refund_id
		WHERE l.tenant_id = x.tenant_id AND l.order_id = x.order_id AND l.sku = x.sku AND r.status IN (` + statuses + `)`
}

// unshipped is the number of their units that the order had not shipped.
func unshipped(statuses string) string {
	return "(SELECT COALESCE(SUM(l.unshipped), 0)" + refundLines(statuses) + ")"
}

// ofOrder is true if the order of the order line x has the status.
func ofOrder(status string) string {
	return "EXISTS (SELECT 1 FROM orders o WHERE o.tenant_id = x.tenant_id AND o.id = x.order_id AND o.status = " + status + ")"
}

// appliedOf counts the versions of a config that its approval x has created.
const appliedOf = "(SELECT COUNT(*) FROM config_histories h WHERE h.tenant_id = x.tenant_id AND h.`key` = SUBSTR(x.resource, 9) AND h.approval_id = x.id)"

// List contains the promises, in display order.
var List = []Promise{
	{
		Name: "config-versions", Guarantee: "G1", table: "configs", key: []string{id}, subject: "CONCAT('configs/', x.`key`)",
		Says:   "The history of each config is its versions 1 to the current one, each once.",
		broken: versions("config_histories", "config_id"),
		Tests:  []string{"TestOneOfFiftyEditsWinsOthersGetConflict", "TestRacingEditsAreLinearizable"},
		Faults: []string{"TestNoAcknowledgedEditOfAThousandIsLostHoweverOftenTheProgramIsKilled"},
	},
	{
		Name: "config-content", Guarantee: "G1", table: "configs", key: []string{id}, subject: "CONCAT('configs/', x.`key`)",
		Says: "Each config equals the newest version of its history.",
		broken: `EXISTS (SELECT 1 FROM config_histories h WHERE h.config_id = x.id AND h.version = x.version
			AND (h.value <> x.value OR h.remark <> x.remark OR h.value_type <> x.value_type OR h.value_schema <> x.value_schema OR h.protected <> x.protected
				OR h.secret <> x.secret OR h.value_key <> x.value_key OR COALESCE(h.sealed_value, '') <> COALESCE(x.sealed_value, '')))`,
		Tests:  []string{"TestFiftyDisjointEditsAllSucceed"},
		Faults: []string{"TestRejectedCommitsMatchTheirReplies"},
	},
	{
		Name: "order-versions", Guarantee: "G2", table: "orders", key: []string{id}, subject: "CONCAT('orders/', x.id)",
		Says:   "The history of each order is its versions 1 to the current one, each once.",
		broken: versions("order_histories", "order_id"),
		Tests:  []string{"TestOnlyOneOfFiftyShipOrCancelRequestsWins"},
		Faults: []string{"TestOfAThousandRacesOfShipmentsAndCancellationsEachHasOneWinner"},
	},
	{
		Name: "order-status", Guarantee: "G2", table: "orders", key: []string{id}, subject: "CONCAT('orders/', x.id)",
		Says: "Each order has the status of its history, which left no status twice.",
		broken: `EXISTS (SELECT 1 FROM order_histories h WHERE h.tenant_id = x.tenant_id AND h.order_id = x.id AND h.version = x.version AND h.to_status <> x.status)
			OR EXISTS (SELECT h.from_status FROM order_histories h WHERE h.tenant_id = x.tenant_id AND h.order_id = x.id AND h.from_status <> h.to_status
				GROUP BY h.from_status HAVING COUNT(*) > 1)`,
		Tests:  []string{"TestOnlyOneOfFiftyShipOrCancelRequestsWins"},
		Faults: []string{"TestOfAThousandRacesOfShipmentsAndCancellationsEachHasOneWinner"},
	},
	{
		Name: "refund-versions", Guarantee: "G2", table: "refunds", key: []string{id}, subject: "CONCAT('refunds/', x.id)",
		Says:   "The history of each refund is its versions 1 to the current one, each once.",
		broken: versions("refund_histories", "refund_id"),
		Tests:  []string{"TestOfTheLastVoteAndARejectionOneWins"},
		Faults: []string{killedOverRefunds},
	},
	{
		Name: "work-order-versions", Guarantee: "G2", table: "work_orders", key: []string{id}, subject: "CONCAT('work-orders/', x.id)",
		Says: "The history of each work order is its versions 1 to the current one, and ends with its status.",
		broken: versions("work_order_histories", "work_order_id") + ` OR EXISTS (SELECT 1 FROM work_order_histories h
			WHERE h.tenant_id = x.tenant_id AND h.work_order_id = x.id AND h.version = x.version AND h.to_status <> x.status)`,
		Tests:  []string{"TestOfAHundredAgentsWhoClaimOneWorkOrderOneHoldsItAndTheOthersAreToldWho"},
		Faults: killedAtACommit,
	},
	{
		Name: "work-order-holders", Guarantee: "G2", table: "work_orders", key: []string{id}, subject: "CONCAT('work-orders/', x.id)",
		Says:   "An open work order has no holder, and a claimed one has a holder.",
		broken: "(x.status = 0 AND x.holder_id IS NOT NULL) OR (x.status = 1 AND x.holder_id IS NULL)",
		Tests:  []string{"TestOfAHundredAgentsWhoClaimOneWorkOrderOneHoldsItAndTheOthersAreToldWho"},
		Faults: killedAtACommit,
	},
	{
		Name: "approval-versions", Guarantee: "G2", table: "approvals", key: []string{id}, subject: "CONCAT('approvals/', x.id)",
		Says:   "The history of each approval is its versions 1 to the current one, each once.",
		broken: versions("approval_histories", "approval_id"),
		Tests:  []string{"TestVotesEditsAndWithdrawalsAreLinearizable"}, Faults: []string{"TestApprovalOrConcurrentConfigEditWins"},
	},
	{
		Name: "approvals-applied", Guarantee: "G2", table: "approvals", key: []string{id}, subject: "CONCAT('approvals/', x.id)",
		Says: "An approval for one config was applied exactly once if it was approved or bypassed, and otherwise never.",
		broken: `x.resource LIKE 'configs/%' AND ((x.status IN (1, 6, 7)) < ` + appliedOf + ` OR (x.status IN (1, 6, 7)) > ` + appliedOf + `
			AND NOT ` + swept("config_histories", "x.created_time") + `)`,
		Tests:  []string{"TestLastVoteAppliesProtectedChangeInOneUnit"},
		Faults: []string{"TestSecondConcurrentApproverGetsConflict"},
	},
	{
		Name: "approval-votes", Guarantee: "G2", table: "approvals", key: []string{id}, subject: "CONCAT('approvals/', x.id)",
		Says: "Each approved change had the required votes for its content, none of them by its author.",
		broken: `x.status = 1 AND (x.required > (SELECT COUNT(DISTINCT v.user_id) FROM approval_votes v
				WHERE v.tenant_id = x.tenant_id AND v.approval_id = x.id AND v.verdict = 'approve' AND v.version >= x.content_version AND v.digest = x.digest)
			OR EXISTS (SELECT 1 FROM approval_votes v
				JOIN approval_histories h ON h.tenant_id = v.tenant_id AND h.approval_id = v.approval_id AND h.changed_by = v.user_id AND h.action IN ('propose', 'edit', 'rebase')
				WHERE v.tenant_id = x.tenant_id AND v.approval_id = x.id AND v.verdict = 'approve' AND v.version >= x.content_version AND v.digest = x.digest))`,
		Tests:  []string{"TestWriterOfContentCannotDecide", "TestVoteAppliesToReadVersionOnly"},
		Faults: []string{"TestVoteOrConcurrentProposalEditWins"},
	},
	{
		Name: "protected-configs", Guarantee: "G2", table: "config_histories", key: []string{id}, subject: "CONCAT('configs/', x.`key`)",
		Says: "No version of a config that was protected was followed by one without an approval.",
		broken: `x.approval_id = 0 AND EXISTS (SELECT 1 FROM config_histories b
			WHERE b.config_id = x.config_id AND b.version = x.version - 1 AND b.protected = 1)`,
		Tests:  []string{"TestProtectedConfigChangesOnlyByApproval", "TestProtectedRowRejectsWritesWithoutApproval"},
		Faults: killedAtACommit,
	},
	{
		Name: "aggregate-versions", Guarantee: "G3", table: "aggregates", key: []string{id}, subject: "CONCAT('aggregates/', x.type, '/', x.name)",
		Says: "Each aggregate has one version for each of its events and repairs.",
		broken: `x.version <> (SELECT COUNT(*) FROM aggregate_events e WHERE e.tenant_id = x.tenant_id AND e.aggregate_id = x.id)
			+ (SELECT COUNT(*) FROM audit_entries a WHERE a.tenant_id = x.tenant_id AND a.action = 'aggregate.rebuild'
				AND a.resource = CONCAT('aggregates/', x.type, '/', x.name))`,
		Tests:  []string{"TestWhateverIsSentIsAnsweredAsTheContractSaysAndCountsOnce"},
		Faults: []string{"TestEventsThatAreSentAgainToAProgramThatWasKilledAreCountedOnce"},
	},
	{
		Name: "aggregate-requests", Guarantee: "G3", table: "aggregates", key: []string{id}, subject: "CONCAT('aggregates/', x.type, '/', x.name)",
		Says: "The events of each aggregate were written with exactly one audit row a request.",
		broken: `(SELECT COUNT(DISTINCT e.batch_version) FROM aggregate_events e WHERE e.tenant_id = x.tenant_id AND e.aggregate_id = x.id
				AND NOT ` + swept("audit_entries", "e.created_time") + `)
			<> (SELECT COUNT(*) FROM audit_entries a WHERE a.tenant_id = x.tenant_id AND a.action = 'aggregate.append'
				AND a.resource = CONCAT('aggregates/', x.type, '/', x.name) AND NOT ` + swept("audit_entries", "a.created_time") + `)`,
		Tests:  []string{"TestWhateverIsSentIsAnsweredAsTheContractSaysAndCountsOnce"},
		Faults: []string{"TestEventsThatAreSentAgainToAProgramThatWasKilledAreCountedOnce"},
	},
	{
		Name: "aggregate-writers", Guarantee: "G3", table: "aggregates", key: []string{id}, subject: "CONCAT('aggregates/', x.type, '/', x.name)",
		Says: "The stored sequence of each writer of an aggregate is the highest one of its events.",
		broken: `EXISTS (SELECT 1 FROM aggregate_writers w WHERE w.tenant_id = x.tenant_id AND w.aggregate_id = x.id
			AND w.last_seq <> (SELECT COALESCE(MAX(e.client_seq), 0) FROM aggregate_events e
				WHERE e.tenant_id = w.tenant_id AND e.aggregate_id = w.aggregate_id AND e.client_id = w.client_id))`,
		Tests:  []string{"TestWhateverIsSentIsAnsweredAsTheContractSaysAndCountsOnce"},
		Faults: []string{"TestEventsThatAreSentAgainToAProgramThatWasKilledAreCountedOnce"},
	},
	{
		Name: "action-counts", Guarantee: "G3", table: "action_counts", key: []string{"tenant_id", "entity_type", "entity_id", "shard"},
		subject: "CONCAT(x.entity_type, '/', x.entity_id)",
		Says:    "The counts of likes, dislikes and bookmarks of each resource equal the number of rows.",
		// The first shard of a thing represents all of them.
		broken: `x.shard = (SELECT MIN(c.shard) FROM action_counts c WHERE ` + sameThing + `) AND (
			` + counted("likes", "like") + ` OR ` + counted("dislikes", "dislike") + ` OR ` + counted("bookmarks", "bookmark") + `)`,
		Tests:  []string{"TestCountsEqualTheRowsAfterARaceOfManyActors"},
		Faults: killedAtACommit,
	},
	{
		Name: "wallet-balances", Guarantee: "G4", table: "wallets", key: []string{id}, subject: "CONCAT('wallets/', x.user_id)",
		Says: "The entries of each wallet add up to its balance, which is never negative.",
		broken: `x.balance < 0
			OR x.balance <> (SELECT COALESCE(SUM(e.amount), 0) FROM wallet_entries e WHERE e.tenant_id = x.tenant_id AND e.user_id = x.user_id)
			OR x.version <> (SELECT COUNT(*) FROM wallet_entries e WHERE e.tenant_id = x.tenant_id AND e.user_id = x.user_id)`,
		Tests:  []string{"TestVersionRejectsAPausedHolderDespiteSufficientBalance"},
		Faults: []string{"TestDebitsThatAreSentAgainToAProgramThatWasKilledAreMadeOnce"},
	},
	{
		Name: "wallet-transfers", Guarantee: "G4", table: "wallet_entries", key: []string{id}, subject: "CONCAT('wallets/', x.user_id)",
		Says: "Each entry of a transfer has its counterpart in the other wallet.",
		broken: `x.other_user_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM wallet_entries o WHERE o.tenant_id = x.tenant_id
			AND o.user_id = x.other_user_id AND o.reference = x.reference AND o.other_user_id = x.user_id AND o.amount = -x.amount)`,
		Tests:  []string{"TestOppositeTransfersConserveTheTotalAndNoDeadlockReachesAClient"},
		Faults: killedAtACommit,
	},
	{
		Name: "order-money", Guarantee: "G4", table: "orders", key: []string{id}, subject: "CONCAT('orders/', x.id)",
		Says: "The reserved and refunded amounts of an order do not exceed its payment, and equal its refunds.",
		broken: `x.refund_reserved < 0 OR x.refunded < 0 OR x.refund_reserved + x.refunded > x.paid
			OR x.paid <> CASE WHEN x.payment_method = '' THEN 0 ELSE x.amount END
			OR x.refund_reserved <> (SELECT COALESCE(SUM(r.amount), 0) FROM refunds r WHERE r.tenant_id = x.tenant_id AND r.order_id = x.id
				AND (r.status IN (0, 1, 5) OR r.status = 4 AND x.status = 4))
			OR x.refunded <> (SELECT COALESCE(SUM(r.amount), 0) FROM refunds r WHERE r.tenant_id = x.tenant_id AND r.order_id = x.id AND r.status = 3)`,
		Tests:  []string{"TestConcurrentRefundsNeverExceedThePayment"},
		Faults: []string{killedOverRefunds},
	},
	{
		Name: "cancelled-orders", Guarantee: "G4", table: "orders", key: []string{id}, subject: "CONCAT('orders/', x.id)",
		Says:   "A cancelled order has nothing left to refund.",
		broken: `x.status = 4 AND x.paid <> x.refund_reserved + x.refunded`,
		Tests:  []string{"TestAnySequenceOfStepsConservesMoneyAndStock"},
		Faults: []string{killedOverRefunds},
	},
	{
		Name: "refund-credits", Guarantee: "G4", table: "refunds", key: []string{id}, subject: "CONCAT('refunds/', x.id)",
		Says: "A refund to a wallet credited it exactly once if it is settled, and otherwise never.",
		// A provider's reference may be that of an entry by hand; the service's begin with @.
		broken: `(x.method = 'wallet' AND x.status = 3) <> (SELECT COUNT(*) FROM wallet_entries e
			WHERE e.tenant_id = x.tenant_id AND e.user_id = x.user_id AND e.kind = 'refund' AND e.amount = x.amount AND e.reference = x.reference
				AND e.reference LIKE '@%')`,
		Tests:  []string{"TestOnlyOneOfConcurrentApproversCreditsTheWallet"},
		Faults: []string{killedOverRefunds},
	},
	{
		Name: "credits-of-refunds", Guarantee: "G4", table: "wallet_entries", key: []string{id}, subject: "CONCAT('wallets/', x.user_id)",
		Says: "Each credit for a refund belongs to a settled refund.",
		broken: `x.kind = 'refund' AND x.reference LIKE '@%' AND NOT EXISTS (SELECT 1 FROM refunds r
			WHERE r.tenant_id = x.tenant_id AND r.user_id = x.user_id AND r.reference = x.reference AND r.status = 3)`,
		Tests:  []string{"TestOnlyOneOfConcurrentApproversCreditsTheWallet"},
		Faults: []string{killedOverRefunds},
	},
	{
		Name: "refund-lines", Guarantee: "G4", table: "order_lines", key: []string{id}, subject: "CONCAT('orders/', x.order_id)",
		Says: "The refunds of an order's line have at most its units.",
		broken: `x.quantity < (SELECT COALESCE(SUM(l.quantity), 0) FROM refund_lines l JOIN refunds r ON r.tenant_id = l.tenant_id AND r.id = l.refund_id
			WHERE l.tenant_id = x.tenant_id AND l.order_id = x.order_id AND l.sku = x.sku AND r.status IN (0, 1, 3, 5))`,
		Tests:  []string{"TestConcurrentRefundsOfALineRefundUnitsOnce"},
		Faults: []string{killedOverRefunds},
	},
	{
		Name: "stock-movements", Guarantee: "G4", table: "inventories", key: []string{id}, subject: "CONCAT('inventory/', x.sku)",
		Says: "The movements of each item add up to its stock.",
		broken: `x.version <> (SELECT COUNT(*) FROM inventory_movements m WHERE m.tenant_id = x.tenant_id AND m.sku = x.sku)
			OR x.on_hand <> (SELECT COALESCE(SUM(m.on_hand_delta), 0) FROM inventory_movements m WHERE m.tenant_id = x.tenant_id AND m.sku = x.sku)
			OR x.reserved <> (SELECT COALESCE(SUM(m.reserved_delta), 0) FROM inventory_movements m WHERE m.tenant_id = x.tenant_id AND m.sku = x.sku)`,
		Tests:  []string{"TestVersionRejectsAPausedHolderDespiteSufficientStock"},
		Faults: []string{"TestGuardAloneReservesNoUnitTwice"},
	},
	{
		Name: "stock-holds", Guarantee: "G4", table: "inventories", key: []string{id}, subject: "CONCAT('inventory/', x.sku)",
		Says: "The stock of each item covers its reserved units, which equal its reservations.",
		broken: `x.reserved < 0 OR x.on_hand < x.reserved
			OR x.reserved <> (SELECT COALESCE(SUM(h.quantity), 0) FROM inventory_holds h WHERE h.tenant_id = x.tenant_id AND h.sku = x.sku)`,
		Tests:  []string{"TestConcurrentOrdersMatchTheStock"},
		Faults: []string{"TestGuardAloneReservesNoUnitTwice"},
	},
	{
		Name: "order-units", Guarantee: "G4", table: "order_lines", key: []string{id}, subject: "CONCAT('orders/', x.order_id)",
		Says: "Each unit of an order's line is to be shipped, in an open refund, shipped, or back in stock, and at most the shipped units were returned.",
		broken: `x.to_ship < 0 OR x.in_refund < 0 OR x.returned < 0 OR x.returned > x.shipped
			OR x.in_refund <> CASE WHEN ` + ofOrder("4") + ` THEN 0 ELSE ` + unshipped("0, 1, 5") + ` END
			OR CASE WHEN ` + ofOrder("4") + ` THEN x.to_ship <> 0 ELSE x.quantity <> x.to_ship + x.in_refund + x.shipped + ` + unshipped("3") + ` END
			OR x.returned <> (SELECT COALESCE(SUM(l.quantity - l.unshipped), 0)` + refundLines("3") + ` AND l.restock)`,
		Tests:  []string{"TestAnySequenceOfStepsConservesMoneyAndStock"},
		Faults: []string{killedOverRefunds},
	},
	{
		Name: "stock-shipped", Guarantee: "G4", table: "inventories", key: []string{id}, subject: "CONCAT('inventory/', x.sku)",
		Says: "The units of each item that left the stock for orders are the shipped ones less the returned ones.",
		broken: `(SELECT COALESCE(SUM(m.on_hand_delta), 0) FROM inventory_movements m WHERE m.tenant_id = x.tenant_id AND m.sku = x.sku AND m.kind IN ('consume', 'restock'))
			<> (SELECT COALESCE(SUM(l.returned - l.shipped), 0) FROM order_lines l WHERE l.tenant_id = x.tenant_id AND l.sku = x.sku)`,
		Tests:  []string{"TestAnySequenceOfStepsConservesMoneyAndStock"},
		Faults: killedAtACommit,
	},
	{
		Name: "order-holds", Guarantee: "G4", table: "order_lines", key: []string{id}, subject: "CONCAT('orders/', x.order_id)",
		Says: "An order has reserved exactly the units that it can ship and those of its open refunds.",
		broken: `COALESCE((SELECT h.quantity FROM inventory_holds h WHERE h.tenant_id = x.tenant_id AND h.sku = x.sku AND h.holder = CONCAT('orders/', x.order_id)), 0)
			<> x.to_ship + x.in_refund`,
		Tests:  []string{"TestConcurrentOrdersMatchTheStock"},
		Faults: killedAtACommit,
	},
	{
		Name: "sale-units", Guarantee: "G5", table: "flash_sale_stocks", key: []string{id}, subject: "CONCAT('flash-sales/', x.sale_id)",
		Says: "Each flash sale sold the units of its live orders, at most its allotment.",
		broken: `x.sold > x.allotted OR x.sold <> (SELECT COALESCE(SUM(l.quantity), 0) FROM orders o
			JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id
			WHERE o.tenant_id = x.tenant_id AND o.sale_id = x.sale_id AND o.status <> 4)`,
		Tests: []string{"TestConcurrentPurchasesMatchTheAllotment"}, Faults: []string{"TestTicketsStayConsistentThroughAStorm"},
	},
	{
		Name: "sale-holds", Guarantee: "G5", table: "flash_sale_stocks", key: []string{id}, subject: "CONCAT('flash-sales/', x.sale_id)",
		Says: "The unsold allotment of each flash sale is reserved for it.",
		broken: `x.allotted - x.sold <> COALESCE((SELECT h.quantity FROM flash_sales s
			JOIN inventory_holds h ON h.tenant_id = s.tenant_id AND h.sku = s.sku AND h.holder = CONCAT('flash-sale:', s.id)
			WHERE s.tenant_id = x.tenant_id AND s.id = x.sale_id), 0)`,
		Tests: []string{"TestConcurrentPurchasesMatchTheAllotment"}, Faults: []string{"TestTicketsStayConsistentThroughAStorm"},
	},
	{
		Name: "sale-limits", Guarantee: "G5", table: "flash_sales", key: []string{id}, subject: "CONCAT('flash-sales/', x.id)",
		Says: "No customer exceeds the highest limit that a flash sale had.",
		broken: `EXISTS (SELECT o.user_id FROM orders o JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id
			WHERE o.tenant_id = x.tenant_id AND o.sale_id = x.id AND o.status <> 4 GROUP BY o.user_id
			HAVING SUM(l.quantity) > (SELECT COALESCE(MAX(h.per_user_limit), 0) FROM flash_sale_histories h WHERE h.tenant_id = x.tenant_id AND h.sale_id = x.id))`,
		Tests: []string{"TestConcurrentPurchasesMatchTheAllotment"}, Faults: []string{"TestTicketsStayConsistentThroughAStorm"},
	},
	{
		Name: Gates, Guarantee: "G5",
		Says:  "In the gate of each flash sale every allotted unit is in exactly one state: for sale, queued, in work, dead or sold.",
		Tests: []string{"TestConcurrentPurchasesMatchTheAllotment"}, Faults: []string{"TestTicketsStayConsistentThroughAStorm"},
	},
	auditedVersions("configs", "config_histories", "CONCAT('configs/', x.`key`)", "version of a config", killedAtACommit...),
	auditedVersions("orders", "order_histories", "CONCAT('orders/', x.order_id)", "version of an order", killedAtACommit...),
	auditedVersions("refunds", "refund_histories", "CONCAT('refunds/', x.refund_id)", "version of a refund", killedOverRefunds),
	auditedVersions("work-orders", "work_order_histories", "CONCAT('work-orders/', x.work_order_id)", "version of a work order", killedAtACommit...),
	auditedVersions("approvals", "approval_histories", "CONCAT('approvals/', x.approval_id)", "version of an approval", killedAtACommit...),
	auditedRows("wallets", "wallet_entries", "CONCAT('wallets/', x.user_id)", "entry of a wallet", killedAtACommit...),
	auditedRows("stock", "inventory_movements", "CONCAT('inventory/', x.sku)", "movement of stock", killedAtACommit...),
	{
		Name: "orders-audited-once", Guarantee: "G6", table: "orders", key: []string{id}, subject: "CONCAT('orders/', x.id)",
		Says:   "No order has more audit rows than versions.",
		broken: "x.version < (SELECT COUNT(*) FROM audit_entries a WHERE a.tenant_id = x.tenant_id AND a.resource = CONCAT('orders/', x.id))",
		Tests:  []string{provesAudit},
		Faults: killedAtACommit,
	},
	{
		Name: "approvals-audited", Guarantee: "G6", table: "audit_entries", key: []string{id}, subject: "x.resource",
		Says: "A unit that applied an approval wrote the audit rows of the decision and of the change.",
		broken: `x.action IN ('approval.approve', 'approval.bypass')
			AND 2 <> (SELECT COUNT(*) FROM audit_entries a WHERE a.unit_id = x.unit_id) AND NOT ` + swept("audit_entries", "x.created_time"),
		Tests:  []string{"TestLastVoteAppliesProtectedChangeInOneUnit"},
		Faults: []string{"TestALastVoteThatMovesMoneyIsWholeOrNotThereWhereverTheProgramIsKilled"},
	},
}

// Gates is the promise about the gates of flash sales, in Redis or in tables.
const Gates = "sale-gates"

const (
	provesAudit       = "TestAUnitThatFailsLeavesNothing"
	killedOverRefunds = "TestRefundsOfAProgramThatIsKilledOverAndOverNeverExceedThePayment"
)

// killedAtACommit are tests that kill the program at the COMMIT of writes of every kind and
// then check every promise.
var killedAtACommit = []string{"TestCrashBeforeCommitReleasesTheKey", "TestAnEmbeddedProgramThatIsKilledAtAnyMomentHasDoneAllOrNothing"}

func auditedVersions(of, table, subject, what string, faults ...string) Promise {
	p := auditedRows(of, table, subject, what, faults...)
	p.broken = audited("changed_time")
	return p
}

func auditedRows(of, table, subject, what string, faults ...string) Promise {
	return Promise{
		Name: "audited-" + of, Guarantee: "G6", table: table, key: []string{id}, subject: subject,
		Says: "Each " + what + " has an audit row of its unit.", broken: audited("created_time"),
		Tests: []string{provesAudit}, Faults: faults,
	}
}

const sameThing = "c.tenant_id = x.tenant_id AND c.entity_type = x.entity_type AND c.entity_id = x.entity_id"

// counted is true if the counts of a thing in one column differ from those of the rows.
func counted(column, state string) string {
	return "(SELECT SUM(c." + column + ") FROM action_counts c WHERE " + sameThing + ") <> " +
		"(SELECT COUNT(*) FROM actions c WHERE " + sameThing + " AND c.state = '" + state + "')"
}

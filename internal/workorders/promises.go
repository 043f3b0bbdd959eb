package workorders

import "interlock/internal/module"

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "work-order-versions", Guarantee: "G2", Table: "work_orders", Subject: "CONCAT('work-orders/', x.id)",
		Sentence: "The history of each work order is its versions 1 to the current one, and ends with its status.",
		Broken: module.HistoryGap("work_order_histories", "work_order_id") + ` OR EXISTS (SELECT 1 FROM work_order_histories h
			WHERE h.tenant_id = x.tenant_id AND h.work_order_id = x.id AND h.version = x.version AND h.to_status <> x.status)`,
		Tests:  []string{"TestOneOfAHundredClaimsWinsAndOthersReadTheHolder"},
		Faults: module.KilledAtCommit,
	},
	{
		Name: "work-order-holders", Guarantee: "G2", Table: "work_orders", Subject: "CONCAT('work-orders/', x.id)",
		Sentence: "An open work order has no holder, and a claimed one has a holder.",
		Broken:   "(x.status = 0 AND x.holder_id IS NOT NULL) OR (x.status = 1 AND x.holder_id IS NULL)",
		Tests:    []string{"TestOneOfAHundredClaimsWinsAndOthersReadTheHolder"},
		Faults:   module.KilledAtCommit,
	},
	module.AuditedVersions("work-orders", "work_order_histories", "CONCAT('work-orders/', x.work_order_id)", "version of a work order", module.KilledAtCommit...),
}

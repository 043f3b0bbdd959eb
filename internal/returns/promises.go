package returns

import "interlock/internal/module"

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "return-versions", Guarantee: "G2", Table: "returns", Subject: "CONCAT('returns/', x.id)",
		Sentence: "The history of each return is its versions 1 to the current one, and ends with its status.",
		Broken: module.HistoryGap("return_histories", "return_id") + ` OR EXISTS (SELECT 1 FROM return_histories h
			WHERE h.tenant_id = x.tenant_id AND h.return_id = x.id AND h.version = x.version AND h.to_status <> x.status)`,
		Tests:  []string{"TestOneOfConcurrentReceiptsWins"},
		Faults: module.KilledAtCommit,
	},
	{
		Name: "return-units", Guarantee: "G4", Table: "order_lines", Subject: "CONCAT('orders/', x.order_id)",
		Sentence: "The units of a line that are in returns or written off are those of its returns, and with those of its refunds at most the shipped ones.",
		Broken: `x.in_returns <> ` + lines("CASE WHEN r.status = 0 THEN l.quantity WHEN r.status IN (1, 2) THEN l.received ELSE 0 END") + `
			OR x.written_off <> ` + lines("l.received - l.restocked") + `
			OR x.in_returns + (SELECT COALESCE(SUM(l.quantity - l.unshipped), 0) FROM refund_lines l JOIN refunds r ON r.tenant_id = l.tenant_id AND r.id = l.refund_id
				WHERE l.tenant_id = x.tenant_id AND l.order_id = x.order_id AND l.sku = x.sku AND l.restock AND r.status IN (0, 1, 3, 5)) > x.shipped`,
		Tests:  []string{"TestConcurrentReturnsOfTheLastUnitHaveOneWinner"},
		Faults: module.KilledAtCommit,
	},
	module.AuditedVersions("returns", "return_histories", "CONCAT('returns/', x.return_id)", "version of a return", module.KilledAtCommit...),
}

// lines returns SQL text for a sum over the returns' lines of the order line x.
func lines(term string) string {
	return `(SELECT COALESCE(SUM(` + term + `), 0) FROM return_lines l JOIN returns r ON r.tenant_id = l.tenant_id AND r.id = l.return_id
				WHERE l.tenant_id = x.tenant_id AND l.order_id = x.order_id AND l.sku = x.sku)`
}

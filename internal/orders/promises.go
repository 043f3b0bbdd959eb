package orders

import "interlock/internal/module"

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "order-versions", Guarantee: "G2", Table: "orders", Subject: "CONCAT('orders/', x.id)",
		Sentence: "The history of each order is its versions 1 to the current one, each once.",
		Broken:   module.HistoryGap("order_histories", "order_id"),
		Tests:    []string{"TestOnlyOneOfFiftyShipOrCancelRequestsWins"},
		Faults:   []string{"TestEachShipmentCancellationRaceHasOneWinner"},
	},
	{
		Name: "order-status", Guarantee: "G2", Table: "orders", Subject: "CONCAT('orders/', x.id)",
		Sentence: "Each order has the status of its history, which left no status twice.",
		Broken: `EXISTS (SELECT 1 FROM order_histories h WHERE h.tenant_id = x.tenant_id AND h.order_id = x.id AND h.version = x.version AND h.to_status <> x.status)
			OR EXISTS (SELECT h.from_status FROM order_histories h WHERE h.tenant_id = x.tenant_id AND h.order_id = x.id AND h.from_status <> h.to_status
				GROUP BY h.from_status HAVING COUNT(*) > 1)`,
		Tests:  []string{"TestOnlyOneOfFiftyShipOrCancelRequestsWins"},
		Faults: []string{"TestEachShipmentCancellationRaceHasOneWinner"},
	},
	{
		Name: "stock-shipped", Guarantee: "G4", Table: "inventories", Subject: "CONCAT('inventory/', x.sku)",
		Sentence: "The units of each item that left the stock for orders are the shipped ones less the returned ones.",
		Broken: `(SELECT COALESCE(SUM(m.on_hand_delta), 0) FROM inventory_movements m WHERE m.tenant_id = x.tenant_id AND m.sku = x.sku AND m.kind IN ('consume', 'restock'))
			<> (SELECT COALESCE(SUM(l.returned - l.shipped), 0) FROM order_lines l WHERE l.tenant_id = x.tenant_id AND l.sku = x.sku)`,
		Tests:  []string{"TestAnySequenceOfStepsConservesMoneyAndStock"},
		Faults: module.KilledAtCommit,
	},
	{
		Name: "order-holds", Guarantee: "G4", Table: "order_lines", Subject: "CONCAT('orders/', x.order_id)",
		Sentence: "An order has reserved exactly the units that it can ship and those of its open refunds.",
		Broken: `COALESCE((SELECT h.quantity FROM inventory_holds h WHERE h.tenant_id = x.tenant_id AND h.sku = x.sku AND h.holder = CONCAT('orders/', x.order_id)), 0)
			<> x.to_ship + x.in_refund`,
		Tests:  []string{"TestConcurrentOrdersMatchTheStock"},
		Faults: module.KilledAtCommit,
	},
	{
		Name: "order-shipments", Guarantee: "G4", Table: "order_lines", Subject: "CONCAT('orders/', x.order_id)",
		Sentence: "The shipped units of an order's line are the units of its shipments.",
		Broken: `x.shipped <> (SELECT COALESCE(SUM(l.quantity), 0) FROM shipment_lines l
			WHERE l.tenant_id = x.tenant_id AND l.order_id = x.order_id AND l.sku = x.sku)`,
		Tests:  []string{"TestRacingShipmentsNeverShipMoreThanOrdered"},
		Faults: module.KilledAtCommit,
	},
	{
		Name: "shipped-orders", Guarantee: "G2", Table: "orders", Subject: "CONCAT('orders/', x.id)",
		Sentence: "An order is shipped when units were shipped and none is left to ship or in an open refund.",
		Broken: `CASE WHEN x.status IN (2, 3) THEN EXISTS (SELECT 1` + linesOfOrder + ` AND l.to_ship + l.in_refund > 0)
			WHEN x.status IN (0, 1) THEN EXISTS (SELECT 1` + linesOfOrder + ` AND l.shipped > 0) AND NOT EXISTS (SELECT 1` + linesOfOrder + ` AND l.to_ship + l.in_refund > 0)
			ELSE 1 = 0 END`,
		Tests:  []string{"TestAnySequenceOfStepsConservesMoneyAndStock"},
		Faults: module.KilledAtCommit,
	},
	module.AuditedVersions("orders", "order_histories", "CONCAT('orders/', x.order_id)", "version of an order", module.KilledAtCommit...),
	{
		Name: "orders-audited-once", Guarantee: "G6", Table: "orders", Subject: "CONCAT('orders/', x.id)",
		Sentence: "No order has more audit rows than versions.",
		Broken:   "x.version < (SELECT COUNT(*) FROM audit_entries a WHERE a.tenant_id = x.tenant_id AND a.resource = CONCAT('orders/', x.id))",
		Tests:    []string{module.ProvesAudit},
		Faults:   module.KilledAtCommit,
	},
}

// linesOfOrder are the SQL clauses that select the lines of the order x.
const linesOfOrder = " FROM order_lines l WHERE l.tenant_id = x.tenant_id AND l.order_id = x.id"

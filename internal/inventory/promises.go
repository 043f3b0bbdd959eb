package inventory

import "interlock/internal/module"

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "stock-movements", Guarantee: "G4", Table: "inventories", Subject: "CONCAT('inventory/', x.sku)",
		Sentence: "The movements of each item add up to its stock.",
		Broken: `x.version <> (SELECT COUNT(*) FROM inventory_movements m WHERE m.tenant_id = x.tenant_id AND m.sku = x.sku)
			OR x.on_hand <> (SELECT COALESCE(SUM(m.on_hand_delta), 0) FROM inventory_movements m WHERE m.tenant_id = x.tenant_id AND m.sku = x.sku)
			OR x.reserved <> (SELECT COALESCE(SUM(m.reserved_delta), 0) FROM inventory_movements m WHERE m.tenant_id = x.tenant_id AND m.sku = x.sku)`,
		Tests:  []string{"TestVersionRejectsAPausedHolderDespiteSufficientStock"},
		Faults: []string{"TestGuardAloneReservesNoUnitTwice"},
	},
	{
		Name: "stock-holds", Guarantee: "G4", Table: "inventories", Subject: "CONCAT('inventory/', x.sku)",
		Sentence: "The stock of each item covers its reserved units, which equal its reservations.",
		Broken: `x.reserved < 0 OR x.on_hand < x.reserved
			OR x.reserved <> (SELECT COALESCE(SUM(h.quantity), 0) FROM inventory_holds h WHERE h.tenant_id = x.tenant_id AND h.sku = x.sku)`,
		Tests:  []string{"TestConcurrentOrdersMatchTheStock"},
		Faults: []string{"TestGuardAloneReservesNoUnitTwice"},
	},
	module.AuditedRows("stock", "inventory_movements", "CONCAT('inventory/', x.sku)", "movement of stock", module.KilledAtCommit...),
}

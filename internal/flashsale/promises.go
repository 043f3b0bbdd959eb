package flashsale

import "interlock/internal/module"

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "sale-units", Guarantee: "G5", Table: "flash_sale_stocks", Subject: "CONCAT('flash-sales/', x.sale_id)",
		Sentence: "Each flash sale sold the units of its live orders, at most its allotment.",
		Broken: `x.sold > x.allotted OR x.sold <> (SELECT COALESCE(SUM(l.quantity), 0) FROM orders o
			JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id
			WHERE o.tenant_id = x.tenant_id AND o.sale_id = x.sale_id AND o.status <> 4)`,
		Tests: []string{"TestConcurrentPurchasesMatchTheAllotment"}, Faults: []string{"TestTicketsStayConsistentThroughAStorm"},
	},
	{
		Name: "sale-holds", Guarantee: "G5", Table: "flash_sale_stocks", Subject: "CONCAT('flash-sales/', x.sale_id)",
		Sentence: "The unsold allotment of each flash sale is reserved for it.",
		Broken: `x.allotted - x.sold <> COALESCE((SELECT h.quantity FROM flash_sales s
			JOIN inventory_holds h ON h.tenant_id = s.tenant_id AND h.sku = s.sku AND h.holder = CONCAT('flash-sale:', s.id)
			WHERE s.tenant_id = x.tenant_id AND s.id = x.sale_id), 0)`,
		Tests: []string{"TestConcurrentPurchasesMatchTheAllotment"}, Faults: []string{"TestTicketsStayConsistentThroughAStorm"},
	},
	{
		Name: "sale-limits", Guarantee: "G5", Table: "flash_sales", Subject: "CONCAT('flash-sales/', x.id)",
		Sentence: "No customer exceeds the highest limit that a flash sale had.",
		Broken: `EXISTS (SELECT o.user_id FROM orders o JOIN order_lines l ON l.tenant_id = o.tenant_id AND l.order_id = o.id
			WHERE o.tenant_id = x.tenant_id AND o.sale_id = x.id AND o.status <> 4 GROUP BY o.user_id
			HAVING SUM(l.quantity) > (SELECT COALESCE(MAX(h.per_user_limit), 0) FROM flash_sale_histories h WHERE h.tenant_id = x.tenant_id AND h.sale_id = x.id))`,
		Tests: []string{"TestConcurrentPurchasesMatchTheAllotment"}, Faults: []string{"TestTicketsStayConsistentThroughAStorm"},
	},
	{
		Name: "sale-gates", Guarantee: "G5",
		Sentence: "In the gate of each flash sale every allotted unit is in exactly one state: for sale, queued, in work, dead or sold.",
		Tests:    []string{"TestConcurrentPurchasesMatchTheAllotment"}, Faults: []string{"TestTicketsStayConsistentThroughAStorm"},
	},
}

package workorders

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "work_order_comments", Stays: "comments stay with the work order",
		Columns:  []module.Column{{Name: "text", Erase: module.Blanked}, {Name: "created_by_name", Erase: module.Renamed}},
		Customer: linked("work_order_id"),
	},
	{
		Name: "work_order_histories", Plain: "action", Expires: module.Versions("work_order_histories", "work_order_id", "work_orders"),
		Columns:  []module.Column{{Name: "detail", Erase: module.JSONTexts}, {Name: "changed_by_name", Erase: module.Renamed}},
		Customer: linked("work_order_id"),
	},
	{
		Name: "work_orders", Stays: module.Current,
		Columns: []module.Column{
			{Name: "title", Erase: module.Blanked},
			{Name: "body", Erase: module.Blanked},
			{Name: "resolution", Erase: module.Blanked},
			{Name: "created_by_name", Erase: module.Renamed},
			{Name: "updated_by_name", Erase: module.Renamed},
			{Name: "holder_name", Erase: module.Renamed},
		},
		Customer: linked("id"),
	},
	{
		Name: "work_order_links", Stays: module.Current,
		Columns: []module.Column{{Name: "resource", Erase: module.Renamed}},
	},
}

// linked returns the SQL condition that the work order with the id in a column of x is linked to
// the customer's wallet or to an order of the customer.
func linked(column string) string {
	return `EXISTS (SELECT 1 FROM work_order_links l WHERE l.tenant_id = x.tenant_id AND l.work_order_id = x.` + column + ` AND (l.resource IN (##)
		OR EXISTS (SELECT 1 FROM orders o WHERE o.tenant_id = l.tenant_id AND o.user_id IN (??) AND o.id = CAST(SUBSTR(l.resource, 8) AS SIGNED) AND l.resource = CONCAT('orders/', o.id))))`
}

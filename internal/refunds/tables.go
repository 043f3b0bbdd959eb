package refunds

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "refunds", Plain: "order_no method origin", Stays: module.Current,
		Columns: []module.Column{
			{Name: "reason", Erase: module.Blanked},
			{Name: "status_reason", Erase: module.Blanked},
			{Name: "requested_by_name", Erase: module.Renamed},
			{Name: "approved_by_name", Erase: module.Renamed},
			{Name: "updated_by_name", Erase: module.Renamed},
			{Name: "user_id", Erase: module.Together},
			{Name: "reference", Erase: module.Together},
		},
		Customer: module.ByCustomer,
	},
	{Name: "refund_lines", Plain: "sku name", Stays: module.Proof},
	{
		Name: "refund_histories", Plain: "action", Expires: module.Versions("refund_histories", "refund_id", "refunds"),
		Columns:  []module.Column{{Name: "detail", Erase: module.JSONTexts}, {Name: "changed_by_name", Erase: module.Renamed}},
		Customer: module.OwnedBy("refunds", "refund_id"),
	},
}

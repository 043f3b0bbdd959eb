package payments

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "payments", Plain: "order_no method provider reason_code", Stays: module.Current,
		Columns: []module.Column{
			{Name: "reference", Erase: module.Renamed},
			{Name: "reason", Erase: module.Blanked},
			{Name: "recorded_by_name", Erase: module.Renamed},
			{Name: "updated_by_name", Erase: module.Renamed},
			{Name: "user_id", Erase: module.Together},
		},
		Customer: module.ByCustomer,
	},
	{
		Name: "payment_histories", Plain: "action", Expires: module.Versions("payment_histories", "payment_id", "payments"),
		Columns:  []module.Column{{Name: "detail", Erase: module.JSONTexts}, {Name: "changed_by_name", Erase: module.Renamed}},
		Customer: module.OwnedBy("payments", "payment_id"),
	},
}

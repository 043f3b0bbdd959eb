package returns

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "returns", Plain: "order_no", Stays: module.Current,
		Columns: []module.Column{
			{Name: "reason", Erase: module.Blanked},
			{Name: "status_reason", Erase: module.Blanked},
			{Name: "updated_by_name", Erase: module.Renamed},
			{Name: "user_id", Erase: module.Pseudonym},
		},
		Customer: module.ByCustomer,
	},
	{Name: "return_lines", Plain: "sku name", Stays: module.Proof},
	{
		Name: "return_comments", Stays: "comments stay with the return",
		Columns:  []module.Column{{Name: "text", Erase: module.Blanked}, {Name: "created_by_name", Erase: module.Renamed}},
		Customer: module.OwnedBy("returns", "return_id"),
	},
	{
		Name: "return_histories", Plain: "action", Expires: module.Versions("return_histories", "return_id", "returns"),
		Columns:  []module.Column{{Name: "detail", Erase: module.JSONTexts}, {Name: "changed_by_name", Erase: module.Renamed}},
		Customer: module.OwnedBy("returns", "return_id"),
	},
}

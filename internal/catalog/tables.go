package catalog

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "item_histories", Plain: "action status", Expires: module.Versions("item_histories", "item_id", "items"),
		Columns: []module.Column{
			{Name: "owned_by_user_id", Erase: module.Pseudonym},
			{Name: "changed_by_name", Erase: module.Renamed},
			{Name: "name", Erase: module.Renamed, Content: true},
		},
	},
	{
		Name: "items", Plain: "status", Stays: module.Current,
		Columns: []module.Column{
			{Name: "owned_by_user_id", Erase: module.Pseudonym},
			{Name: "updated_by_name", Erase: module.Renamed},
			{Name: "sku", Erase: module.Renamed, Content: true},
			{Name: "name", Erase: module.Renamed, Content: true},
		},
	},
}

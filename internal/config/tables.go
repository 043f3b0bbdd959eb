package config

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "config_histories", Plain: "action value_type value_key owners changed_by_name", Expires: module.Versions("config_histories", "config_id", "configs"),
		Columns: []module.Column{
			{Name: "key", Erase: module.Renamed, Content: true},
			{Name: "value", Erase: module.JSONTexts, Content: true},
			{Name: "value_schema", Erase: module.JSONTexts, Content: true},
			{Name: "remark", Erase: module.Blanked, Content: true},
			{Name: "note", Erase: module.Blanked, Content: true},
		},
	},
	{
		Name: "configs", Plain: "value_type value_key owners updated_by_name", Stays: module.Current,
		Columns: []module.Column{
			{Name: "key", Erase: module.Renamed, Content: true},
			{Name: "value", Erase: module.JSONTexts, Content: true},
			{Name: "value_schema", Erase: module.JSONTexts, Content: true},
			{Name: "remark", Erase: module.Blanked, Content: true},
		},
	},
}

package webhooks

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "webhooks", Plain: "topics payload saved_by_name updated_by_name pause_reason secret_key", Stays: module.Current,
		Columns: []module.Column{
			{Name: "url", Erase: module.Renamed, Content: true},
			{Name: "filter", Erase: module.JSONTexts, Content: true},
		},
	},
	{
		Name: "webhook_histories", Plain: "action topics payload changed_by_name pause_reason", Expires: module.Versions("webhook_histories", "webhook_id", "webhooks"),
		Columns: []module.Column{
			{Name: "url", Erase: module.Renamed, Content: true},
			{Name: "filter", Erase: module.JSONTexts, Content: true},
		},
	},
	{Name: "webhook_positions", Key: []string{"webhook_id"}, Stays: module.Current},
	{
		Name: "webhook_deliveries", Plain: "message_id type", Stays: module.OwnSweeper,
		Columns: []module.Column{
			{Name: "resource", Erase: module.Renamed},
			{Name: "reply", Erase: module.Blanked},
			{Name: "error", Erase: module.Blanked},
		},
		Customer: "x.resource IN (##)",
	},
}

package orders

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "orders", Plain: "order_no coupon_code payment_terms carrier tags fulfilment_status", Stays: module.Current,
		Columns: []module.Column{
			{Name: "ticket", Erase: module.NewTicket},
			{Name: "tracking_no", Erase: module.Blanked},
			{Name: "cancel_reason", Erase: module.Blanked},
			{Name: "external_id", Erase: module.Renamed},
			{Name: "content_hash", Erase: module.Emptied},
			{Name: "email", Erase: module.Emptied},
			{Name: "shipping_address", Erase: module.Emptied},
			{Name: "billing_address", Erase: module.Emptied},
			{Name: "note", Erase: module.Blanked},
			{Name: "metadata", Erase: module.JSONContent},
			{Name: "updated_by_name", Erase: module.Renamed},
			{Name: "user_id", Erase: module.Pseudonym},
		},
		Customer: module.ByCustomer,
	},
	{Name: "order_lines", Plain: "sku name", Stays: module.Proof},
	{Name: "order_tags", Plain: "tag", Stays: module.Current},
	{
		Name: "shipments", Plain: "carrier", Stays: module.Proof,
		Columns:  []module.Column{{Name: "tracking_no", Erase: module.Blanked}, {Name: "created_by_name", Erase: module.Renamed}},
		Customer: module.OwnedBy("orders", "order_id"),
	},
	{Name: "shipment_lines", Plain: "sku name", Stays: module.Proof},
	{
		Name: "order_histories", Plain: "action", Expires: module.Versions("order_histories", "order_id", "orders"),
		Columns:  []module.Column{{Name: "detail", Erase: module.JSONTexts}, {Name: "changed_by_name", Erase: module.Renamed}},
		Customer: module.OwnedBy("orders", "order_id"),
	},
}

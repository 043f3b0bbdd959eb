package flashsale

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "flash_sale_buyers", Key: []string{"sale_id", "user_id"}, Expires: &module.Expiry{Kind: module.TicketRows, When: ended},
		Columns:  []module.Column{{Name: "user_id", Erase: module.Pseudonym}, {Name: "ticket", Erase: module.NewTicket}},
		Customer: module.ByCustomer,
	},
	{
		Name: "flash_sale_tickets", Key: []string{"sale_id", "ticket"}, Plain: "state order_no reason", Expires: &module.Expiry{Kind: module.TicketRows, When: ended},
		Columns:  []module.Column{{Name: "ticket", Erase: module.NewTicket}, {Name: "user_id", Erase: module.Pseudonym}},
		Customer: module.ByCustomer,
	},
	{
		Name: "flash_sale_rejections", Key: []string{"tenant_id", "ticket"}, Plain: "reason", Expires: &module.Expiry{Kind: module.TicketRows, When: ended + " AND x.created_time <= ?"},
		Columns:  []module.Column{{Name: "ticket", Erase: module.NewTicket}, {Name: "user_id", Erase: module.Pseudonym}},
		Customer: module.ByCustomer,
	},
	{Name: "flash_sale_samples", Key: []string{"sale_id", "slot"}, Plain: "stats", Expires: &module.Expiry{Kind: module.TicketRows, When: ended}},
	{Name: "flash_sale_arrivals", Stays: module.Current},
	{Name: "flash_sale_gates", Stays: module.Current},
	{Name: "flash_sale_stocks", Plain: "updated_by_name", Stays: module.Current},
	{
		Name: "flash_sale_histories", Plain: "action sku changed_by_name", Stays: "the largest limit per customer that a sale ever had is part of a promise",
		Columns: []module.Column{
			{Name: "name", Erase: module.Renamed, Content: true},
			{Name: "item_name", Erase: module.Renamed, Content: true},
			{Name: "note", Erase: module.Blanked, Content: true},
		},
	},
	{
		Name: "flash_sales", Plain: "sku secret updated_by_name", Stays: module.Current,
		Columns: []module.Column{{Name: "name", Erase: module.Renamed, Content: true}, {Name: "item_name", Erase: module.Renamed, Content: true}},
	},
}

// ended is the SQL condition that the flash sale of a row was finished before a time. The tickets
// of a finished sale are read from its orders and rejections.
const ended = `EXISTS (SELECT 1 FROM flash_sale_stocks s WHERE s.tenant_id = x.tenant_id AND s.sale_id = x.sale_id AND s.finished AND s.updated_time <= ?)`

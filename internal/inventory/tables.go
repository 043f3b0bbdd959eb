package inventory

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "inventory_movements", Plain: "sku kind holder", Stays: module.Proof,
		Columns: []module.Column{
			{Name: "reason", Erase: module.Blanked},
			{Name: "reference", Erase: module.Renamed},
			{Name: "created_by_name", Erase: module.Renamed},
		},
	},
	{Name: "inventory_holds", Plain: "holder sku", Stays: module.Current},
	{Name: "inventories", Plain: "sku updated_by_name", Stays: module.Current},
}

package wallets

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "wallet_entries", Plain: "kind", Stays: module.Proof,
		Columns: []module.Column{
			{Name: "created_by_name", Erase: module.Renamed},
			{Name: "user_id", Erase: module.Together},
			{Name: "other_user_id", Erase: module.Together},
			{Name: "reference", Erase: module.Together},
		},
	},
	{
		Name: "wallets", Stays: module.Current,
		Columns: []module.Column{{Name: "updated_by_name", Erase: module.Renamed}, {Name: "user_id", Erase: module.Together}},
	},
}

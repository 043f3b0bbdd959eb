package promises

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "promise_violations", Plain: "name", Stays: module.Current,
		Columns: []module.Column{{Name: "subject", Erase: module.Renamed}},
	},
	{Name: "promise_keys", Stays: module.Current},
}

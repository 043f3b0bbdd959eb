package aggregates

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "aggregate_events", Plain: "event_type deltas", Stays: module.Proof,
		Columns: []module.Column{
			{Name: "client_id", Erase: module.Renamed},
			{Name: "event_id", Erase: module.Renamed},
			{Name: "payload", Erase: module.JSONContent},
			{Name: "created_by_name", Erase: module.Renamed},
		},
		Customer: "EXISTS (SELECT 1 FROM aggregates a WHERE a.tenant_id = x.tenant_id AND a.id = x.aggregate_id AND a.name IN (??))",
	},
	{
		Name: "aggregate_writers", Key: []string{"tenant_id", "aggregate_id", "client_id"}, Stays: module.Proof,
		Columns: []module.Column{{Name: "client_id", Erase: module.Together}},
	},
	{
		Name: "aggregates", Plain: "type counters", Stays: module.Current,
		Columns: []module.Column{{Name: "name", Erase: module.Together}, {Name: "updated_by_name", Erase: module.Together}},
	},
}

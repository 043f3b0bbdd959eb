package actions

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{
		Name: "actions", Key: []string{"tenant_id", "entity_type", "entity_id", "action_group", "actor_kind", "actor_id"}, Plain: "entity_type action_group last_action state", Stays: module.Current,
		Columns: []module.Column{{Name: "actor_kind", Erase: module.Unchanged}, {Name: "actor_id", Erase: module.Pseudonym, Kind: "actor_kind"}},
	},
	{Name: "action_counts", Plain: "entity_type", Stays: module.Current},
}

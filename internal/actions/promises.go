package actions

import "interlock/internal/module"

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "action-counts", Guarantee: "G3", Table: "action_counts", Key: []string{"tenant_id", "entity_type", "entity_id", "shard"},
		Subject:  "CONCAT(x.entity_type, '/', x.entity_id)",
		Sentence: "The counts of likes, dislikes and bookmarks of each resource equal the number of rows.",
		// The first shard of a resource represents all its shards.
		Broken: `x.shard = (SELECT MIN(c.shard) FROM action_counts c WHERE ` + sameThing + `) AND (
			` + counted("likes", "like") + ` OR ` + counted("dislikes", "dislike") + ` OR ` + counted("bookmarks", "bookmark") + `)`,
		Tests:  []string{"TestCountsEqualTheRowsAfterConcurrentActions"},
		Faults: module.KilledAtCommit,
	},
}

const sameThing = "c.tenant_id = x.tenant_id AND c.entity_type = x.entity_type AND c.entity_id = x.entity_id"

// counted returns the SQL condition that a resource's count in one column differs from the number
// of its rows with the state.
func counted(column, state string) string {
	return "(SELECT SUM(c." + column + ") FROM action_counts c WHERE " + sameThing + ") <> " +
		"(SELECT COUNT(*) FROM actions c WHERE " + sameThing + " AND c.state = '" + state + "')"
}

package aggregates

import "interlock/internal/module"

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "aggregate-versions", Guarantee: "G3", Table: "aggregates", Subject: "CONCAT('aggregates/', x.type, '/', x.name)",
		Sentence: "Each aggregate has one version for each of its events and repairs.",
		Broken: `x.version <> (SELECT COUNT(*) FROM aggregate_events e WHERE e.tenant_id = x.tenant_id AND e.aggregate_id = x.id)
			+ (SELECT COUNT(*) FROM audit_entries a WHERE a.tenant_id = x.tenant_id AND a.action = 'aggregate.rebuild'
				AND a.resource = CONCAT('aggregates/', x.type, '/', x.name))`,
		Tests:  []string{"TestRandomEventsFollowTheContractAndCountOnce"},
		Faults: []string{"TestRetriedEventsOfAKilledProgramCountOnce"},
	},
	{
		Name: "aggregate-requests", Guarantee: "G3", Table: "aggregates", Subject: "CONCAT('aggregates/', x.type, '/', x.name)",
		Sentence: "The events of each aggregate were written with exactly one audit row a request.",
		Broken: `(SELECT COUNT(DISTINCT e.batch_version) FROM aggregate_events e WHERE e.tenant_id = x.tenant_id AND e.aggregate_id = x.id
				AND NOT ` + module.Removed("audit_entries", "e.created_time") + `)
			<> (SELECT COUNT(*) FROM audit_entries a WHERE a.tenant_id = x.tenant_id AND a.action = 'aggregate.append'
				AND a.resource = CONCAT('aggregates/', x.type, '/', x.name) AND NOT ` + module.Removed("audit_entries", "a.created_time") + `)`,
		Tests:  []string{"TestRandomEventsFollowTheContractAndCountOnce"},
		Faults: []string{"TestRetriedEventsOfAKilledProgramCountOnce"},
	},
	{
		Name: "aggregate-writers", Guarantee: "G3", Table: "aggregates", Subject: "CONCAT('aggregates/', x.type, '/', x.name)",
		Sentence: "The stored sequence of each writer of an aggregate is the highest one of its events.",
		Broken: `EXISTS (SELECT 1 FROM aggregate_writers w WHERE w.tenant_id = x.tenant_id AND w.aggregate_id = x.id
			AND w.last_seq <> (SELECT COALESCE(MAX(e.client_seq), 0) FROM aggregate_events e
				WHERE e.tenant_id = w.tenant_id AND e.aggregate_id = w.aggregate_id AND e.client_id = w.client_id))`,
		Tests:  []string{"TestRandomEventsFollowTheContractAndCountOnce"},
		Faults: []string{"TestRetriedEventsOfAKilledProgramCountOnce"},
	},
}

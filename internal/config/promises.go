package config

import "interlock/internal/module"

// pathSQL is the path of the row x, or of one of its versions.
var pathSQL = module.PathSQL("configs", "x.`key`")

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "config-versions", Guarantee: "G1", Table: "configs", Subject: pathSQL,
		Sentence: "The history of each config is its versions 1 to the current one, each once.",
		Broken:   module.HistoryGap("config_histories", "config_id"),
		Tests:    []string{"TestOneOfFiftyEditsWinsOthersGetConflict", "TestRacingEditsAreLinearizable"},
		Faults:   []string{"TestKillsLoseNoneOfAThousandAcknowledgedEdits"},
	},
	{
		Name: "config-content", Guarantee: "G1", Table: "configs", Subject: pathSQL,
		Sentence: "Each config equals the newest version of its history.",
		Broken: `EXISTS (SELECT 1 FROM config_histories h WHERE h.config_id = x.id AND h.version = x.version
			AND (h.value <> x.value OR h.remark <> x.remark OR h.value_type <> x.value_type OR h.value_schema <> x.value_schema OR h.protected <> x.protected
				OR h.owners <> x.owners OR h.secret <> x.secret OR h.value_key <> x.value_key OR COALESCE(h.sealed_value, '') <> COALESCE(x.sealed_value, '')))`,
		Tests:  []string{"TestFiftyDisjointEditsAllSucceed"},
		Faults: []string{"TestRejectedCommitsMatchTheirReplies"},
	},
	{
		Name: "protected-configs", Guarantee: "G2", Table: "config_histories", Subject: pathSQL,
		Sentence: "No version of a config that was protected was followed by one without an approval.",
		Broken: `x.approval_id = 0 AND EXISTS (SELECT 1 FROM config_histories b
			WHERE b.config_id = x.config_id AND b.version = x.version - 1 AND b.protected = 1)`,
		Tests:  []string{"TestProtectedConfigChangesOnlyByApproval", "TestProtectedRowRejectsWritesWithoutApproval"},
		Faults: module.KilledAtCommit,
	},
	{
		Name: "approvals-applied", Guarantee: "G2", Table: "approvals", Subject: "CONCAT('approvals/', x.id)",
		Sentence: "An approval for one config was applied exactly once if it was approved or bypassed, and otherwise never.",
		Broken: `x.resource LIKE 'configs/%' AND ((x.status IN (1, 6, 7)) < ` + appliedOf + ` OR (x.status IN (1, 6, 7)) > ` + appliedOf + `
			AND NOT ` + module.Removed("config_histories", "x.created_time") + `)`,
		Tests:  []string{"TestLastVoteAppliesProtectedChangeInOneUnit"},
		Faults: []string{"TestSecondConcurrentApproverGetsConflict"},
	},
	module.AuditedVersions("configs", "config_histories", pathSQL, "version of a config", module.KilledAtCommit...),
}

// appliedOf is SQL text for the number of versions that the approval x has created of its config.
const appliedOf = "(SELECT COUNT(*) FROM config_histories h WHERE h.tenant_id = x.tenant_id AND h.`key` = " +
	"REPLACE(REPLACE(REPLACE(SUBSTR(x.resource, 9), '%2F', '/'), '%5B', '['), '%5D', ']') AND h.approval_id = x.id)"

package approvals

import "interlock/internal/module"

// promises are the conditions on the tables of this package that are true at any time; see package
// views/promises.
var promises = []module.Promise{
	{
		Name: "approval-versions", Guarantee: "G2", Table: "approvals", Subject: "CONCAT('approvals/', x.id)",
		Sentence: "The history of each approval is its versions 1 to the current one, each once.",
		Broken:   module.HistoryGap("approval_histories", "approval_id"),
		Tests:    []string{"TestVotesEditsAndWithdrawalsAreLinearizable"}, Faults: []string{"TestApprovalOrConcurrentConfigEditWins"},
	},
	{
		Name: "approval-votes", Guarantee: "G2", Table: "approvals", Subject: "CONCAT('approvals/', x.id)",
		Sentence: "Each approved change had the required votes for its content, none of them by its author.",
		Broken: `x.status = 1 AND (x.required > (SELECT COUNT(DISTINCT v.user_id) FROM approval_votes v
				WHERE v.tenant_id = x.tenant_id AND v.approval_id = x.id AND v.verdict = 'approve' AND v.version >= x.content_version AND v.digest = x.digest)
			OR EXISTS (SELECT 1 FROM approval_votes v
				JOIN approval_histories h ON h.tenant_id = v.tenant_id AND h.approval_id = v.approval_id AND h.changed_by = v.user_id AND h.action IN ('propose', 'edit', 'rebase')
				WHERE v.tenant_id = x.tenant_id AND v.approval_id = x.id AND v.verdict = 'approve' AND v.version >= x.content_version AND v.digest = x.digest))`,
		Tests:  []string{"TestWriterOfContentCannotDecide", "TestVoteAppliesToReadVersionOnly"},
		Faults: []string{"TestVoteOrConcurrentProposalEditWins"},
	},
	module.AuditedVersions("approvals", "approval_histories", "CONCAT('approvals/', x.approval_id)", "version of an approval", module.KilledAtCommit...),
	{
		Name: "approvals-audited", Guarantee: "G6", Table: "audit_entries", Subject: "x.resource",
		Sentence: "A unit that applied an approval wrote the audit rows of the decision and of the change.",
		Broken: `x.action IN ('approval.approve', 'approval.bypass')
			AND 2 <> (SELECT COUNT(*) FROM audit_entries a WHERE a.unit_id = x.unit_id) AND NOT ` + module.Removed("audit_entries", "x.created_time"),
		Tests:  []string{"TestLastVoteAppliesProtectedChangeInOneUnit"},
		Faults: []string{"TestLastVoteOfMoneyIsAtomicWhenKilled"},
	},
}

package main

// votes are breaks of approvals and of the gate that protects rows.
var votes = []mutant{
	{
		name: "a vote counts for the current content instead of the voted one",
		file: "internal/approvals/decide.go",
		old:  "if err := s.requireAllowed(ctx, a, \"approve\", ifMatch); err != nil {\n\t\treturn nil, err\n\t}\n\tcaller, err",
		new:  "ifMatch = guard.Precondition{Ref: a.Ref()}\n\tif err := s.requireAllowed(ctx, a, \"approve\", ifMatch); err != nil {\n\t\treturn nil, err\n\t}\n\tcaller, err",
		caught: tests{"internal/approvals": {
			"TestVoteAppliesToReadVersionOnly", "TestVoteOrConcurrentProposalEditWins", "TestVotesEditsAndWithdrawalsAreLinearizable",
		}},
	},
	{
		name: "votes outlive edits of their content",
		file: "internal/approvals/approval.go", old: "return v.Version >= a.ContentVersion && v.Digest == a.Digest", new: "return true",
		caught: tests{"internal/approvals": {"TestVoteAppliesToReadVersionOnly"}},
	},
	{
		name: "the requester of a refund votes for its approval",
		file: "internal/approvals/parties.go", old: "if a.PartyTime != nil {\n\t\tacts = append", new: "if false {\n\t\tacts = append",
		caught: tests{"test/shop": {"TestRefundAboveTheThresholdNeedsAllVotes"}},
	},
	{
		name: "the settings change without votes",
		file: "internal/access/tenantsettings/subject.go", old: "return !now, err", new: "return !now && false, err",
		caught: tests{"test/contract": {"TestSettingsChangeAsProtectedThingsDo"}},
	},
	{
		name: "entries of one author below the threshold do not count together",
		file: "internal/wallets/gate.go", old: "total := sum + math.Abs(float64(e.Amount))", new: "total := 0*sum + math.Abs(float64(e.Amount))",
		caught: tests{"test/shop": {"TestDailyEntriesOfAnAuthorCountTogether", "TestTransferAboveTheThresholdNeedsAllVotes"}},
	},
	{
		name: "the approval is attributed to the last voter",
		file: "internal/wallets/store.go", old: "created_time > ? AND approval_id = 0 AND", new: "created_time > ? AND approval_id >= 0 AND",
		caught: tests{"test/shop": {"TestDailyEntriesOfAnAuthorCountTogether"}},
	},
	{
		name: "the threshold of an entry is checked in the route only",
		file: "internal/wallets/gate.go", old: "if !entries[0].byHand() {", new: "if !entries[0].byHand() || entries[0].Kind != \"\" {",
		caught: tests{
			"test/shop":     {"TestEntryAboveTheThresholdNeedsAllVotes", "TestEveryEntryAboveTheThresholdIsProposed"},
			"test/contract": {"TestManualMoneyAboveThresholdsNeedsApproval"},
		},
	},
	{
		name: "a refund above the threshold is approved by one person",
		file: "internal/refunds/gate.go", old: "if after.Status != approved.Code {", new: "if after.Status != -approved.Code {",
		caught: tests{"test/shop": {"TestRefundAboveTheThresholdNeedsAllVotes", "TestLastVoteOrRejectionWins"}},
	},
	{
		name: "the last vote is recorded in a unit behind the one that moves its money",
		file: "internal/approvals/decide.go", old: "return &after, insertVote(ctx, u, *by.vote)\n\t})\n\tif errors.Is(err, ErrStaleBase)",
		new: `u.AfterCommit(func(ctx context.Context) {
			_ = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				u.Audit(entry("vote", &after, nil, ""))
				return insertVote(ctx, u, *by.vote)
			})
		})
		return &after, nil
	})
	if errors.Is(err, ErrStaleBase)`,
		caught: tests{"test/faults": {
			"TestLastVoteOfMoneyIsAtomicWhenKilled", "TestLastVoteOfMoneyIsAtomicAfterACrash",
		}},
		nightly: true,
	},
	{
		name: "an amount below zero is below every threshold",
		file: "internal/approvals/service.go", old: "(amount > n.Above || amount < -n.Above)", new: "amount > n.Above",
		caught: tests{"test/shop": {"TestEntryAboveTheThresholdNeedsAllVotes"}},
	},
	{
		name: "a refund that moves on leaves its approvals pending",
		file: "internal/refunds/transition.go", old: "\tif named {", new: "\tif named && after == nil {",
		caught: tests{"test/shop": {"TestRefundTransitionMakesApprovalsStaleInItsUnit", "TestRejectionOfARefundEndsItsApproval"}},
	},
	{
		name: "a comment replaces the decider",
		file: "internal/approvals/store.go", old: "if w.FromStatus == nil || *w.FromStatus != w.ToStatus {", new: "if true {",
		also:   []edit{{"internal/approvals/store.go", "(action IN ? OR from_status IS NULL OR from_status <> to_status)", "(action IN ? OR 1 = 1)"}},
		caught: tests{"internal/approvals": {"TestCommentRetainsDeciderOfStatus"}},
	},
	{
		name: "the author of a change may vote for it",
		file: "internal/approvals/parties.go", old: "acts := slices.Concat(a.Written, others)", new: "acts := slices.Clone(others)",
		caught: tests{"internal/approvals": {"TestWriterOfContentCannotDecide"}},
	},
	{
		name: "only the author of the newest version may not vote for it",
		file: "internal/approvals/parties.go", old: "acts := slices.Concat(a.Written, others)", new: "acts := slices.Concat(a.Written[len(a.Written)-1:], others)",
		caught: tests{"internal/approvals": {"TestWriterOfContentCannotDecide"}},
	},
	{
		name: "a user who reset an account since the request is not a party",
		file: "internal/approvals/parties.go", old: "all = append(all, reset.By...)", new: "_ = reset.By",
		caught: tests{"test/contract": {"TestOnePersonBehindTwoCredentialsPassesNoFourEyes"}},
	},
	{
		name: "a user who reset the account of a resetting user is not a party",
		file: "internal/approvals/parties.go", old: "slices.Contains(all, reset.UserID)", new: "slices.Contains(users, reset.UserID)",
		caught: tests{"test/contract": {"TestOnePersonBehindTwoCredentialsPassesNoFourEyes"}},
	},
	{
		name: "the creator of a token is not behind it",
		file: "internal/base/principal/principal.go", old: "[]int64{p.UserID, p.Via.CreatorID}", new: "[]int64{p.UserID}",
		also:   []edit{{"internal/approvals/store.go", "writtenBy([]int64{w.ChangedBy, w.CreatorID}", "writtenBy([]int64{w.ChangedBy}"}},
		caught: tests{"test/contract": {"TestOnePersonBehindTwoCredentialsPassesNoFourEyes"}},
	},
	{
		name: "the vote of a disabled user counts",
		file: "internal/approvals/decide.go", old: "func(user int64) bool { return !may[user] }", new: "func(int64) bool { return false }",
		caught: tests{"internal/approvals": {"TestDisabledVoterDoesNotCount"}},
	},
	{
		name: "an expired approval can be decided until the sweeper runs",
		file: "internal/approvals/approval.go", old: "if a.Status == pending.Code && !now.Before(a.ExpiresTime) {", new: "if false {",
		caught: tests{"internal/approvals": {"TestPendingApprovalIsWithdrawnRejectedOrExpires"}},
	},
	{
		name: "protected rows are checked in routes only",
		file: "internal/core/guard/protection.go", old: `return "protected = ? AND proposed = 0", []any{false}`, new: `return "proposed = 0 AND 1 = ?", []any{1}`,
		also:   []edit{{"internal/core/guard/protection.go", `return "protected = ?", []any{false}`, `return "1 = ?", []any{1}`}},
		caught: tests{"internal/approvals": {"TestProtectedRowRejectsWritesWithoutApproval"}},
	},
	{
		name: "a domain writes a protected row without a check",
		file: "internal/config/gate.go", old: "if !slices.ContainsFunc(writes, waits) {", new: "if slices.ContainsFunc(writes, waits) || true {",
		caught: tests{"test/contract": {"TestProtectedConfigChangesOnlyByApproval"}},
	},
	{
		name: "approvals stay pending when their resource has changed",
		file: "internal/config/gate.go", old: "return s.approvals.MarkStale(ctx, u, c.path())", new: "return nil",
		also: []edit{{"internal/config/batch.go", "return s.approvals.MarkStale(ctx, u, changed...)", "return nil"}},
		caught: tests{"internal/approvals": {
			"TestConfigChangeMakesItsApprovalsStale", "TestBatchWithProtectedMemberIsOneApproval",
		}},
	},
	{
		name: "a row that an approval names is not marked",
		file: "internal/core/guard/protection.go", old: `table+" SET proposed = proposed + 1 WHERE`, new: `table+" SET proposed = 0 WHERE`,
		caught: tests{"internal/approvals": {"TestBatchWithProtectedMemberIsOneApproval"}},
	},
	{
		name: "the second proposal on a row changes nothing of it",
		file: "internal/core/guard/protection.go", old: `table+" SET proposed = proposed + 1 WHERE`, new: `table+" SET proposed = 1 WHERE`,
		caught: tests{"internal/approvals": {"TestProposalWritesItsTargetRows"}},
	},
	{
		name: "a voter cannot complete an existing quorum",
		file: "internal/approvals/decide.go", old: "if voted && counted < a.Required {", new: "if voted {",
		caught: tests{"internal/approvals": {"TestPreviousVoterCompletesReachedQuorum"}},
	},
	{
		name: "a rebased rollback is recorded as the rollback that it is not any more",
		file: "internal/config/subject.go", old: "w.origin = origin{}\n\t}", new: "_ = w\n\t}",
		caught: tests{"internal/approvals": {"TestRebasedRollbackIsRecordedAsUpdate"}},
	},
	{
		name: "a failure for one tenant ends the work for all tenants",
		file: "internal/core/uow/batches.go", old: "failures = append(failures, fmt.Errorf(\"%s of tenant %d: %w\", job, tenant, err))\n\t\t\t\tbreak", new: "return fmt.Errorf(\"%s of tenant %d: %w\", job, tenant, errors.Join(append(failures, err)...))",
		caught: tests{"internal/approvals": {"TestExpiryFailureOfTenantDoesNotAffectOthers"}},
	},
	{
		name: "an author may have as many changes pending as he likes",
		file: "internal/approvals/propose.go", old: "if open < maxOpen {", new: "if open >= 0 {",
		caught: tests{"internal/approvals": {"TestAuthorHasLimitOfPendingChanges"}},
	},
	{
		name: "a stale approval describes all that has moved",
		file: "internal/config/subject.go", old: "if moved++; moved > approvals.MaxSides {", new: "if moved++; false {",
		caught: tests{"internal/approvals": {"TestLargeApprovalListsFirstResources"}},
	},
	{
		name: "lists of approvals name all that they change",
		file: "internal/approvals/service.go", old: "listing.Pointers(), MaxSides)", new: "listing.Pointers(), 1<<30)",
		also:   []edit{{"internal/approvals/view.go", "a.Targets[:min(len(a.Targets), MaxSides)]", "a.Targets"}},
		caught: tests{"internal/approvals": {"TestLargeApprovalListsFirstResources"}},
	},
	{
		name: "a replayed rejection contains the resource of a stale approval",
		file: "internal/edge/httpapi/redact.go", old: "if !publicApprovalMembers[name] {", new: "if false {",
		caught: tests{"internal/edge/httpapi": {"TestReplayOfStaleApprovalOmitsItsResource"}},
	},
	{
		name: "the decision's audit row is left out",
		file: "internal/core/uow/unit.go", old: "if u.decision != nil {", new: "if false {",
		caught: tests{"internal/approvals": {"TestLastVoteAppliesProtectedChangeInOneUnit"}},
	},
	{
		name: "a stale approval contains data that its reader may not read",
		file: "internal/approvals/view.go", old: "if !may(ctx, subject.Grants().Read) {\n\t\tfor _", new: "if false {\n\t\tfor _",
		caught: tests{"internal/approvals": {"TestConfigChangeMakesItsApprovalsStale"}},
	},
	{
		name: "its author's credentials may change an approval whatever their scope",
		file: "internal/approvals/decide.go", old: "return requirePermissions(ctx, subject.Grants().Write)", new: "_ = subject\n\treturn nil",
		caught: tests{"internal/approvals": {"TestReadPermissionAllowsNoApprovalChange"}},
	},
	{
		name: "a bypass requires no permission for its changes",
		file: "internal/approvals/decide.go", old: "if err := requirePermissions(ctx, subject.Grants().Write); err != nil {", new: "if _ = subject; false {",
		caught: tests{"internal/approvals": {"TestBypassNeedsWritePermissionOfResource"}},
	},
	{
		name: "an edit does not search for pending approvals of its author",
		file: "internal/approvals/edit.go", old: "if err := s.requireUnique(ctx, u, after); err != nil {", new: "if false {",
		caught: tests{"internal/approvals": {
			"TestEditIntoDuplicateProposalIsRejected", "TestOverdueApprovalDoesNotBlockDuplicate",
		}},
	},
	{
		name: "an approval with a silently changed base stays pending",
		file: "internal/approvals/decide.go", old: "if !conflict.Stale {", new: "if _ = conflict; err == nil {",
		caught: tests{"internal/approvals": {"TestUnnoticedBaseChangeMakesApprovalStaleOnApply"}},
	},
	{
		name: "an expired approval becomes stale and then pending",
		file: "internal/approvals/propose.go", old: "if a.state(u.Now()) == expired {", new: "if false {",
		caught: tests{"internal/approvals": {"TestConfigChangeExpiresOverdueApproval"}},
	},
	{
		name: "a rebase still names dropped members",
		file: "internal/approvals/store.go", old: "if err := retarget(tx, before, after); err != nil {", new: "if false {",
		caught: tests{"internal/approvals": {"TestUnnoticedBaseChangeMakesApprovalStaleOnApply"}},
	},
}

package main

// unlocked are breaks of the guards between two units when row locks exclude no caller.
var unlocked = []mutant{
	{
		name: "a sale or count of an item does not write its row",
		file: "internal/catalog/store.go", old: `	if err := storage.Deferred(tx).Exec(statement, tenant.TenantID, skus).Error; err != nil {`, new: `	if err := storage.Deferred(tx).Exec(statement, -tenant.TenantID, skus).Error; err != nil {`,
		caught: tests{"test/shop": {"TestItemIsLockedDuringItsSale", "TestDeletionAndDeliveryAreExclusiveWithoutLocks"}},
	},
	{
		name: "a caller is read before the changes that must be excluded",
		file: "internal/access/users/store.go", old: `	tx, err := s.tenants.BumpRevision(ctx, u)
	if err != nil {
		return nil, User{}, err
	}`, new: `	tx, err := u.Tx(ctx)
	if err != nil {
		return nil, User{}, err
	}`,
		caught: tests{"internal/access": {"TestSignInDuringPasswordChangeFailsWithoutLocks", "TestConcurrentFactorSetUpsLeaveOneWithoutLocks", "TestConcurrentUserChangeVoidsTheChallenge"}},
	},
	{
		name: "an action with a lower id can interleave",
		file: "internal/actions/store.go", old: "	AND last_action_id = ?`", new: "	AND last_action_id < ?`",
		also:   []edit{{"internal/actions/store.go", "row.ActorKind, row.ActorID, read)", "row.ActorKind, row.ActorID, row.LastActionID+0*read)"}},
		caught: tests{"test/activity": {"TestGuardedUpdateRejectsAnOvertakenAction"}},
	},
	{
		name: "a step at a gate in tables is applied to a stale state",
		file: "internal/flashsale/gate/sql_rows.go", old: `"sale_id = ? AND revision = ?", sale, from.revision)`, new: `"sale_id = ? AND revision >= 0*?", sale, from.revision)`,
		caught: tests{"internal/flashsale/gate": {"TestOneOfTwoProcessesAdmitsTheLastCustomerWithoutLocks"}},
	},
	{
		name: "a ticket that ends between two reads counts as a stray",
		file: "internal/flashsale/gate/sql_rows.go", old: `now.Revision != l.revision`, new: `now.Revision < l.revision`,
		caught: tests{"internal/flashsale/gate": {"TestTicketEndedBetweenReadsIsNoStrayWithoutLocks"}},
	},
	{
		name: "a queue in tables claims rows that others claimed since",
		file: "internal/mq/sql_queue.go", old: `WHERE id IN ? AND state = ?", rowClaimed, b.ID, b.rows, rowWaiting)`, new: `WHERE id IN ? AND state >= 0*?", rowClaimed, b.ID, b.rows, rowWaiting)`,
		caught: tests{"internal/mq": {"TestMariaDBFulfillsTheContractWithoutLocks"}},
	},
	{
		name: "a changed approval is reported as a conflict of its resource",
		file: "internal/approvals/propose.go", old: `return uow.Overtaken("approval")`, new: `return err`,
		caught: tests{"internal/approvals": {"TestConfigChangeRetriesConcurrentVoteWithoutLocks"}},
	},
	{
		name: "an overtaken overwrite is not retried",
		file: "internal/core/change/edit.go", old: "		edited, err := e.applyOverwrite(ctx, u, row, edit)\n		return edited, retryIfStale(err)", new: "		edited, err := e.applyOverwrite(ctx, u, row, edit)\n		return edited, err",
		caught: tests{"internal/config": {"TestMergeAndOverwriteRetryWithoutLocks"}},
	},
	{
		name: "an aggregate is read at two points in time",
		file: "internal/aggregates/rebuild.go", old: `now.Version != a.Version {`, new: `now.Version < a.Version {`,
		caught: tests{"test/activity": {"TestCheckDuringWritesFindsNoDifferenceWithoutLocks"}},
	},
}

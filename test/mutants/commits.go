package main

// commits are breaks around COMMIT.
var commits = []mutant{
	{
		name: "an engine's error of COMMIT counts as committed",
		file: "internal/core/uow/runner.go", old: "	switch {\n	case err == nil:", new: "	switch {\n	case !storage.Is(err, storage.ConnectionLost):",
		caught: tests{"internal/core/coretest": {
			"TestRejectedCommitIsRetriedAndNeverReappears", "TestUnitWithOnlyRejectedCommitsChangesNothing",
			"TestRolledBackCommitIsRetriedWithoutALookup", "TestCommitAfterADiskErrorSurvivesACrashOnce",
			"TestFullDiskIsReportedAndNothingReappears",
		}},
	},
	{
		name: "an engine's error of COMMIT counts as rolled back",
		file: "internal/core/uow/runner.go", old: `if !storage.Undecided(err) {`, new: `if !storage.Is(err, storage.ConnectionLost) {`,
		caught: tests{"internal/core/coretest": {
			"TestCommitThatFailedAfterItsEffectIsNotRetried", "TestUnverifiableCommitIsUnknownAndNotRetried",
			"TestFailedSyncIsUnknownAndNeverRolledBack",
		}},
	},
	{
		name: "the outcome of a COMMIT is read outside a transaction",
		file: "internal/core/uow/runner.go", old: "tx := db.Begin()", new: "tx := db",
		caught: tests{"internal/core/coretest": {"TestOutcomeOfACommitIsReadFromThePrimary"}},
	},
	{
		name: "every error number of MySQL counts as a rollback",
		file: "internal/base/storage/commit.go", old: `return mysqlClass(fromMySQL) == WriteConflict && fromMySQL.Number != 1105`, new: `return mysqlClass(fromMySQL) != ""`,
		caught: tests{"internal/base/storage": {"TestCommitErrorIsUndecidedUnlessEngineRolledBack"}},
	},
	{
		name: "a server that lost its cluster at work on a transaction is a fault of ours",
		file: "internal/base/storage/errors.go", old: "case 1040, 1047, 1129, 1180, 1203, 1226, 8501,", new: "case 1040, 1047, 1129, 1203, 1226,",
		caught: tests{
			"internal/core/coretest": {"TestEngineErrorsAreRetriedOrUnavailableNeverDoubled"},
			"test/e2e":               {"TestTransientDatabaseErrorsAreRetriedOrUnavailable"},
		},
	},
	{
		name: "a concurrently changed schema is not retried",
		file: "internal/base/storage/errors.go", old: `if strings.Contains(e.Message, "Information schema is changed") {`, new: `if strings.Contains(e.Message, "information_schema") {`,
		caught: tests{"internal/core/coretest": {"TestEngineErrorsAreRetriedOrUnavailableNeverDoubled"}},
	},
	{
		name: "a connection is reused after a failed BEGIN",
		file: "internal/base/storage/session.go", old: `s.unusable = s.unusable || s.bounded`, new: `s.unusable = s.unusable && s.bounded`,
		caught: tests{"internal/base/storage": {"TestRejectedBeginClosesConnection"}},
	},
	{
		name: "a failed sync of SQLite counts as a rollback",
		file: "internal/base/storage/commit.go", old: `fromSQLite.Code()&0xff == sqliteFull`, new: `fromSQLite.Code()&0xff != 0`,
		caught: tests{
			"internal/base/storage":  {"TestUnsyncedSQLiteCommitIsUndecidedUntilALaterCommit"},
			"internal/core/coretest": {"TestFailedSyncIsUnknownAndNeverRolledBack"},
		},
	},
	{
		name: "an unsynced COMMIT of SQLite is reported as rolled back before another replaces it",
		file: "internal/core/uow/runner.go", old: `return r.db.Supersede(tx)`, new: `return nil`,
		caught: tests{"internal/core/coretest": {"TestFailedSyncIsUnknownAndNeverRolledBack"}},
	},
	{
		name: "a connection is reused after a failed COMMIT or ROLLBACK",
		file: "internal/base/storage/session.go", old: "	s.unusable = true\n	return err\n", new: "	return err\n",
		caught: tests{
			"internal/base/storage":  {"TestRejectedEndIsNotCommittedByNextTransaction"},
			"internal/core/coretest": {"TestUnitWithOnlyRejectedCommitsChangesNothing"},
		},
	},
	{
		name: "the witness of a COMMIT only reads, so a late packet still commits",
		file: "internal/core/uow/runner.go", old: `err := u.insertTombstone(db); err == nil || !storage.IsDuplicate(err, auditKey)`, new: `err := ctx.Err(); err != nil`,
		caught:  tests{"test/faults": {"TestLateCommitOfAKeylessCreationExistsOnce"}},
		nightly: true,
	},
	{
		name: "a tombstone names a customer as long as audit entries exist",
		file: "internal/core/uow/audit.go", old: `r.clock.Now().Add(-tombstoneTTL), limit`, new: `r.clock.Now().Add(-9999*tombstoneTTL), limit`,
		caught: tests{"internal/core/coretest": {"TestTombstonesAreAnonymizedAfterAnHour"}},
	},
	{
		name: "a row that a replica lacks is reported as rolled back",
		file: "internal/base/storage/commit.go", old: `return fn(tx.WithContext(ctx), here.knowsOf(of.at))`, new: `return fn(tx.WithContext(ctx), here.knowsOf(here))`,
		caught:  tests{"test/faults": {"TestCommitMissingOnTheNewPrimaryIsUnknown"}},
		nightly: true,
	},
	{
		name: "a statement after a guarded write in a packet does not depend on it",
		file: "internal/base/storage/packet.go", old: "		if w.oneRow {\n			j.add(changedOne, nil)\n		}\n", new: "",
		caught: tests{
			"internal/base/storage": {"TestPacketWithFailedGuardCommitsNothing"},
		},
	},
	{
		name: "an error of COMMIT in a packet counts as one of an earlier statement",
		file: "internal/base/storage/packet_commit.go", old: `return err != nil || last >= commit`, new: `return err != nil || last > commit`,
		caught: tests{"internal/core/coretest": {"TestCommitThatFailedAfterItsEffectIsNotRetried"}},
	},
	{
		name: "a transaction continues after its packet failed",
		file: "internal/base/storage/packet.go", old: `	case s.packet.broken != nil:`, new: `	case s.packet == nil:`,
		caught: tests{"internal/base/storage": {"TestFailedPacketNeverCommits", "TestNothingIsSentAfterServerRollback"}},
	},
	{
		name: "a transaction commits after its packet failed",
		file: "internal/base/storage/packet_commit.go", old: `	case p.broken != nil:`, new: `	case p == nil:`,
		caught: tests{"internal/base/storage": {"TestFailedPacketNeverCommits"}},
	},
	{
		name: "the error of a lone waiting statement counts as one of the next",
		file: "internal/base/storage/packet.go", old: `answered && !alone && !conflicts(fromServer)`, new: `answered && alone && !conflicts(fromServer)`,
		caught: tests{"internal/base/storage": {"TestErrorOfSingleDeferredStatementIsItsOwn"}},
	},
	{
		name: "a connection over which a statement of a packet failed is used again with its transaction open",
		file: "internal/base/storage/packet_commit.go", old: `if _, err := s.link.ExecContext(ctx, "ROLLBACK", nil); err != nil {`, new: `if err := ctx.Err(); err != nil {`,
		caught: tests{"internal/base/storage": {"TestFailureAfterDeferredStatementsMarksPacketFailed"}},
	},
	{
		name: "a reply with an unacknowledged COMMIT is cached without its id and missed",
		file: "internal/edge/idempotency/store.go", old: `if record.ID == 0 {`, new: `if record.ID < 0 {`,
		caught: tests{"internal/edge/edgetest": {"TestReplyOfAnUnacknowledgedCommitIsNoLoss"}},
	},
	{
		name: "a text of several statements is sent",
		file: "internal/base/storage/session.go", old: `s.packets && strings.TrimSpace(more) != ""`, new: `s.packets && strings.TrimSpace(more) != "" && len(text) < 0`,
		caught: tests{"internal/base/storage": {"TestMultiStatementTextIsRejected"}},
	},
	{
		name: "waiting statements are not sent before a read",
		file: "internal/base/storage/packet.go", old: `rows, err := s.link.QueryContext(ctx, all.text.String(), all.args)`, new: `rows, err := s.link.QueryContext(ctx, text, args)`,
		caught: tests{"internal/base/storage": {"TestReadFlushesDeferredStatements"}},
	},
	{
		name: "AfterCommit runs before COMMIT",
		file: "internal/core/uow/runner.go", old: "	if err := r.commit(ctx, u); err != nil {\n		return err", new: "	u.runHooks(ctx, \"after-commit\", u.afterCommit)\n	if err := r.commit(ctx, u); err != nil {\n		return err",
		caught: tests{"internal/core/coretest": {"TestCommittedUnitWritesItsRowAndOneAuditRow", "TestUnverifiableCommitIsUnknownAndNotRetried"}},
	},
	{
		name: "the audit row is left out",
		file: "internal/core/uow/unit.go", old: `if err := u.writeAudit(ctx, u.entry, u.changes); err != nil {`, new: `if err := ctx.Err(); err != nil {`,
		caught: tests{
			"internal/core/coretest": {"TestCommittedUnitWritesItsRowAndOneAuditRow"},
			"test/shop":              {"TestCancellationRefundsAWalletPaymentOnce", "TestConcurrentRetriesOfAReferenceAreAppliedOnce"},
		},
	},
	{
		name: "an act on several records is filed under one",
		file: "internal/core/uow/unit.go", old: `if err := u.writeTargets(ctx); err != nil {`, new: `if err := ctx.Err(); err != nil {`,
		caught: tests{
			"internal/core/coretest": {"TestAuditRowIsFiledUnderEachFurtherRecord"},
			"test/e2e":               {"TestAuditLogListsActOnManyUnderEach"},
		},
	},
	{
		name: "a unit that changed rows commits without an audit entry",
		file: "internal/core/uow/unit.go", old: `case u.wrote.Load() && u.entry == nil:`, new: `case false:`,
		caught: tests{"internal/core/coretest": {"TestFailedUnitLeavesNoTrace"}},
	},
	{
		name: "a write does not mark its transaction as written",
		file: "internal/base/storage/writes.go", old: `if db.RowsAffected <= 0 {`, new: `if db.RowsAffected >= 0 {`,
		caught: tests{"internal/core/coretest": {"TestFailedUnitLeavesNoTrace"}},
	},
	{
		name: "an undecided COMMIT of bookkeeping is run again",
		file: "internal/base/storage/transact.go", old: "return !Undecided(err) && mayRunAgain(err)", new: "return mayRunAgain(err)",
		caught: tests{"internal/base/storage": {"TestUndecidedCommitIsRetriedOnlyIfIdempotent"}},
	},
	{
		name: "an undecided COMMIT is dropped when a later run fails",
		file: "internal/base/storage/transact.go", old: "return errors.Join(err, open)", new: "return err",
		caught: tests{"internal/base/storage": {"TestUndecidedCommitIsRetriedOnlyIfIdempotent"}},
	},
	{
		name: "the reply leaves before the sync of its group",
		file: "internal/base/storage/group_commit.go", old: "	g.leave()\n	<-in.ended\n	return in.err", new: "	g.leave()\n	return in.err",
		caught: tests{"internal/base/storage": {"TestCommitReturnsOnlyAfterDiskSync"}},
	},
	{
		name: "a rolled back unit returns unsynced data",
		file: "internal/base/storage/group_commit.go", old: "	<-in.ended\n	if in.err != nil {\n		return fmt", new: "	if false {\n		return fmt",
		caught: tests{"internal/base/storage": {"TestCommitReturnsOnlyAfterDiskSync"}},
	},
	{
		name: "one transaction's savepoint rolls back the work of another",
		file: "internal/base/storage/group_commit.go", old: `"ROLLBACK TO member", "RELEASE member"`, new: `"ROLLBACK", "BEGIN IMMEDIATE"`,
		caught: tests{"internal/base/storage": {"TestRollbackDoesNotAffectItsGroup"}},
	},
	{
		name: "members of a rolled back group are reported as committed",
		file: "internal/base/storage/group_commit.go", old: "	in.err = &Error{Class: WriteConflict,", new: "	_ = &Error{Class: WriteConflict,",
		caught: tests{"internal/base/storage": {"TestMembersOfRolledBackGroupRunAgain"}},
	},
	{
		name: "a rejection based on writes rolled back with its group is returned",
		file: "internal/base/storage/group_commit.go", old: "	if in.err != nil {\n		return fmt.Errorf(\"%w: %w\", ErrGroupRolledBack", new: "	if in.err != nil && false {\n		return fmt.Errorf(\"%w: %w\", ErrGroupRolledBack",
		caught: tests{"internal/base/storage": {"TestRejectionBasedOnRolledBackWritesIsRetried"}, "internal/core/coretest": {"TestNoReplyDependsOnARolledBackGroup"}},
	},
	{
		name: "a reply that depends on a rolled back group is returned",
		file: "internal/core/uow/runner.go", old: "	case !u.wrote.Load() && r.db.Dialect == storage.SQLite:", new: "	case false:",
		caught: tests{"internal/core/coretest": {"TestNoReplyDependsOnARolledBackGroup"}},
	},
	{
		name: "a caller that stops waiting for the writer gets success",
		file: "internal/base/storage/writer_queue.go", old: "		return false, context.Cause(ctx)", new: "		return false, nil",
		caught: tests{"internal/base/storage": {"TestCancelledBatchInQueueIsNotRun"}},
	},
	{
		name: "a batch is acknowledged before the sync of its group",
		file: "internal/base/storage/group_commit.go", old: "	if in.isEmpty() {", new: "	for _, w := range in.waiters {\n		close(w.ready)\n	}\n	in.waiters = nil\n	if in.isEmpty() {",
		caught: tests{"internal/base/storage": {"TestBatchReturnsOnlyAfterDiskSync", "TestFailedCommitFailsAllBatchesOfItsGroup"}},
	},
	{
		name: "the writes of a failed batch commit with its group",
		file: "internal/base/storage/group_batch.go", old: "	if !wrote {\n		return true\n	}\n", new: "	if !wrote || err != nil {\n		return true\n	}\n",
		caught: tests{"internal/base/storage": {"TestFailedBatchDoesNotAffectItsGroup", "TestConcurrentBatchesAndTransactionsLoseNothing"}},
	},
	{
		name: "the batches before a failed one are dropped with it",
		file: "internal/base/storage/group_batch.go", old: "		if b.failed != nil {\n			continue\n		}\n", new: "		if b.failed == nil {\n			continue\n		}\n",
		caught: tests{"internal/base/storage": {"TestFailedBatchDoesNotAffectItsGroup", "TestConcurrentBatchesAndTransactionsLoseNothing"}},
	},
	{
		name: "a batch behind work that cannot be run again has no savepoint",
		file: "internal/base/storage/group_batch.go", old: "	if in.savepoints {", new: "	if in.savepoints && false {",
		caught: tests{"internal/base/storage": {"TestFailedBatchDoesNotAffectItsGroup", "TestConcurrentBatchesAndTransactionsLoseNothing"}},
	},
	{
		name: "a batch with an unmatched guard commits without it",
		file: "internal/base/storage/group_batch.go", old: "		if err := w.done(result); err != nil {", new: "		if err := w.done(result); err != nil && false {",
		caught: tests{"internal/base/storage": {"TestFailedBatchDoesNotAffectItsGroup"}, "internal/core/coretest": {"TestMissedDeferredWriteIsRetriedAndReturnsTheReason"}},
	},
}

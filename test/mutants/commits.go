package main

// commits are breaks around COMMIT and of what belongs to it.
var commits = []mutant{
	{
		name: "an engine's error of COMMIT taken for committed",
		file: "internal/uow/runner.go", old: `if err == nil || !u.wrote.Load() {`, new: `if !storage.Is(err, storage.ConnectionLost) || !u.wrote.Load() {`,
		caught: tests{"internal/uow": {
			"TestACommitThatTheEngineRefusedIsRunAgainAndNeverComesBack", "TestAUnitWhoseCommitsAreAllRefusedSaysThatNothingWasChangedAndThatIsSo",
			"TestACommitThatTheEngineSaysIsUndoneIsRunAgainWithoutALook", "TestACommitThatTheDiskFailedOnceIsThereOnceAlsoAfterACrash",
			"TestAFullDiskIsSaidToBeFullAndNothingComesBack",
		}},
	},
	{
		name: "an engine's error of COMMIT taken for rolled back",
		file: "internal/uow/runner.go", old: `if !storage.Undecided(err) {`, new: `if !storage.Is(err, storage.ConnectionLost) {`,
		caught: tests{"internal/uow": {
			"TestACommitThatTookPlaceAndFailedAllTheSameIsCommittedAndNotRunAgain", "TestACommitThatNobodyCanLookUpIsSaidToBeUnknownAndNotRunAgain",
			"TestWhatADiskThatCannotSyncHasIsUnknownAndNeverCalledUndone",
		}},
	},
	{
		name: "every number of MySQL taken for a transaction that is undone",
		file: "internal/storage/commit.go", old: `return mysqlClass(fromMySQL) == WriteConflict`, new: `return mysqlClass(fromMySQL) != ""`,
		caught: tests{"internal/storage": {"TestAnErrorOfCommitLeavesItOpenUnlessTheEngineSaysThatItIsUndone"}},
	},
	{
		name: "a failed sync of SQLite taken for a transaction that is undone",
		file: "internal/storage/commit.go", old: `fromSQLite.Code()&0xff == sqlite3.SQLITE_FULL`, new: `fromSQLite.Code()&0xff != sqlite3.SQLITE_OK`,
		caught: tests{
			"internal/storage": {"TestACommitThatSQLiteCouldNotSyncIsUndecidedUntilOneAfterItSupersedesIt"},
			"internal/uow":     {"TestWhatADiskThatCannotSyncHasIsUnknownAndNeverCalledUndone"},
		},
	},
	{
		name: "a COMMIT that SQLite could not sync called undone before another has taken its place",
		file: "internal/uow/runner.go", old: `return r.db.Supersede(tx)`, new: `return nil`,
		caught: tests{"internal/uow": {"TestWhatADiskThatCannotSyncHasIsUnknownAndNeverCalledUndone"}},
	},
	{
		name: "a connection whose COMMIT or ROLLBACK failed is used again",
		file: "internal/storage/session.go", old: `s.spoiled = s.spoiled || err != nil`, new: ``,
		caught: tests{
			"internal/storage": {"TestATransactionWhoseEndWasRefusedIsNotCommittedByTheNextOneOfItsConnection"},
			"internal/uow":     {"TestAUnitWhoseCommitsAreAllRefusedSaysThatNothingWasChangedAndThatIsSo"},
		},
	},
	{
		name: "the witness of a COMMIT does not wait for a transaction that is still open",
		file: "internal/uow/runner.go", old: `query+" FOR UPDATE"`, new: `query`,
		caught: tests{"test/faults": {"TestAnEditWhoseCommitWasCutOffIsAnsweredByWhatBecameOfIt"}},
	},
	{
		name: "what is for after COMMIT is done before it",
		file: "internal/uow/runner.go", old: "	if err := r.commit(ctx, u); err != nil {\n		return err", new: "	u.publish(ctx)\n	if err := r.commit(ctx, u); err != nil {\n		return err",
		caught: tests{"internal/uow": {"TestACommittedUnitLeavesItsRowAndOneAuditRow", "TestACommitThatNobodyCanLookUpIsSaidToBeUnknownAndNotRunAgain"}},
	},
	{
		name: "the audit row is left out",
		file: "internal/uow/unit.go", old: `if err := u.writeAudit(ctx, u.tx); err != nil {`, new: `if err := ctx.Err(); err != nil {`,
		caught: tests{
			"internal/uow":     {"TestACommittedUnitLeavesItsRowAndOneAuditRow"},
			"internal/orders":  {"TestAnOrderIsPaidFromTheWalletAndItsCancellationGivesTheMoneyBackOnce"},
			"internal/wallets": {"TestOfManyRetriesOfOneReferenceOneIsMade"},
		},
	},
	{
		name: "a unit that changed rows commits without an audit entry",
		file: "internal/uow/unit.go", old: `case u.wrote.Load() && u.entry == nil:`, new: `case false:`,
		caught: tests{"internal/uow": {"TestAUnitThatFailsLeavesNothing"}},
	},
	{
		name: "a write does not mark its transaction as written",
		file: "internal/storage/writes.go", old: `if db.RowsAffected <= 0 {`, new: `if db.RowsAffected >= 0 {`,
		caught: tests{"internal/uow": {"TestAUnitThatFailsLeavesNothing"}},
	},
}

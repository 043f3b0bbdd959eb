package main

// clients are breaks of the Go client.
var clients = []mutant{
	{
		name: "the outbox of the Go client does not sync an entry",
		file: "client/outbox.go", old: `if err == nil && durable {`, new: `if err == nil && false {`,
		caught: tests{"client": {"TestEntryIsDurableBeforeItsOperation", "TestUnsyncableEntryIsAbsentAfterCrash"}},
	},
	{
		name: "the outbox of the Go client sends entries before their sync",
		file: "client/outbox.go", old: "	if err := o.file.Sync(); err != nil {\n		return err\n	}\n	return on", new: "	return on",
		caught: tests{"client": {"TestUnsyncedEntryIsSyncedBeforeItIsSent"}},
	},
	{
		name: "the outbox of the Go client removes an entry in the cache only",
		file: "client/outbox.go", old: `if undo == nil && durable {`, new: `if undo == nil && false {`,
		caught: tests{"client": {"TestUnsyncableEntryIsAbsentAfterCrash", "TestUnremovableEntryReturnsErrOutboxUnsure"}},
	},
	{
		name: "the Go client reports an unknown outcome as a failure",
		file: "client/retry.go", old: `x.unknown = x.unknown || x.request.mutates() && !neverSent(err)`, new: `_ = x`,
		caught: tests{"client": {"TestUnknownOutcomeIsReportedExactly"}},
	},
	{
		name: "the Go client loses the ticket of a purchase when later attempts get no reply",
		file: "client/retry.go", old: `x.undecided = problem`, new: `_ = problem`,
		caught: tests{"client": {"TestLostPurchaseIsFoundByTicket"}},
	},
	{
		name: "the Go client does not read the ticket of a rejected purchase",
		file: "client/flashsales.go", old: `if json.Unmarshal(problem.Body, &about) != nil {`, new: `if json.Unmarshal(problem.Body, &about) == nil {`,
		caught: tests{"client": {"TestLostPurchaseIsFoundByTicket"}},
	},
	{
		name: "a watch of the Go client applies a snapshot that lacks the announced change",
		file: "client/watch.go", old: `sequenceOf(revision) >= sequenceOf(change)`, new: `sequenceOf(revision) >= 0`,
		caught: tests{"client": {"TestStateBeforeItsChangeIsNotApplied", "TestRollbackBetweenTwoRunsIsReported"}},
	},
	{
		name: "a watch of the Go client does not report a rollback",
		file: "client/watch.go", old: `next.Rollback = before.Revision != ""`, new: `next.Rollback = before.Revision == "none"`,
		caught: tests{"client": {"TestRestoredDatabaseIsARollback", "TestUpdatesReportASkippedRollback"}},
	},
	{
		name: "the Go client never times out a silent stream",
		file: "client/events.go", old: `s.silence.Reset(s.maxSilence)`, new: `s.silence.Stop()`,
		caught: tests{"client": {"TestSilentStreamIsReplaced", "TestUnresponsiveServiceIsRetried"}},
	},
	{
		name: "the Go client renames a stored state before it is on the disk",
		file: "client/follow_file.go", old: `return file.Sync()`, new: `return nil`,
		caught: tests{"client": {"TestFileIsReplacedDurably", "TestCrashOfTheMachineLeavesACompleteFile"}},
	},
}

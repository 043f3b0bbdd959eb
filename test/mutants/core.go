package main

// core are breaks of the guarded writes themselves.
var core = []mutant{
	{
		name: "a sweep deletes a row that was extended since it was read",
		file: "internal/base/storage/sweep.go", old: "IN ? AND `\"+s.Column+\"` <= ?\", keys", new: "IN ? AND 0 <= ?\", keys",
		caught: tests{"internal/base/storage": {"TestSweepRetainsConcurrentlyExtendedRow"}},
	},
	{
		name: "a tag that a proxy weakened is another tag",
		file: "internal/core/guard/row.go", old: `strings.TrimPrefix(tag, "W/"), `, new: `tag, `,
		caught: tests{"internal/core/coretest": {"TestETagModifiedByAProxyMatches"}},
	},
	{
		name: "a tag that a proxy suffixed is another tag",
		file: "internal/core/guard/row.go", old: `(?:--?|;)[a-z]+"$`, new: `(?:--?|;)[A-Z]+"$`,
		caught: tests{"internal/core/coretest": {"TestETagModifiedByAProxyMatches"}},
	},
	{
		name: "guard.Update without its version predicate",
		file: "internal/core/guard/write.go", old: `ErrStale, "version = ?", ref.Version)`, new: `ErrStale, "? >= 0", ref.Version)`,
		caught: tests{
			"internal/core/coretest": {"TestMissedWriteChangesNothingAndReturnsTheReason", "TestOneOfFiftyUpdatesOfAVersionWins"},
			"internal/config":        {"TestMergeAndOverwriteRetryWithoutLocks"},
		},
	},
	{
		name: "guard.Transition without its version predicate",
		file: "internal/core/guard/write.go", old: `"status = ? AND version = ?", from.Code, ref.Version)`, new: `"status = ?", from.Code)`,
		caught: tests{"test/shop": {"TestStaleOrderStepRunsAgainOnTheNewestVersion", "TestStaleRedemptionRunsAgainOnTheNewestVersion"}},
	},
	{
		name: "guard.Transition without its status predicate",
		file: "internal/core/guard/write.go", old: `"status = ? AND version = ?", from.Code, ref.Version)`, new: `"version = ?", ref.Version)`,
		caught: tests{"internal/core/coretest": {"TestMissedWriteChangesNothingAndReturnsTheReason"}},
	},
	{
		name: "guard.Delete without its version predicate",
		file: "internal/core/guard/write.go", old: `"id = ? AND version = ?", ref.ID, ref.Version`, new: `"id = ?", ref.ID`,
		caught: tests{"internal/core/coretest": {"TestMissedWriteChangesNothingAndReturnsTheReason"}},
	},
	{
		name: "a guarded write that matched no row counts as done",
		file: "internal/core/guard/write.go", old: `case changed == 1:`, new: `case changed <= 1:`,
		caught: tests{
			"internal/core/coretest": {"TestMissedWriteChangesNothingAndReturnsTheReason", "TestOneOfFiftyUpdatesOfAVersionWins", "TestMissedDeferredWriteIsRetriedAndReturnsTheReason"},
		},
	},
	{
		name: "an alternative in a condition of guard.Adjust steps around the row",
		file: "internal/core/guard/write.go", old: `ErrRefused, "("+condition+")", args...)`, new: `ErrRefused, condition, args...)`,
		caught: tests{"internal/core/coretest": {"TestMissedWriteChangesNothingAndReturnsTheReason"}},
	},
	{
		name: "a merge is applied to pointers that both sides changed",
		file: "internal/core/change/edit.go", old: `if !result.AutoMergeable {`, new: `if false {`,
		caught: tests{"internal/config": {"TestConflictingMembersAreNotMerged"}},
	},
	{
		name: "the next merge gets the row of a rolled back unit",
		file: "internal/core/change/row_queues.go", old: `committed && slot.wrote`, new: `slot.wrote`,
		caught: tests{"internal/core/change": {"TestRolledBackRowIsNotPassedOn"}},
	},
	{
		name: "an overtaken merge never reads the row",
		file: "internal/core/change/edit.go", old: `first := u.Attempt() == 1`, new: `first := true`,
		caught: tests{"internal/core/change": {"TestOvertakenMergeAppliesToTheNewRow"}},
	},
	{
		name: "a merge is rejected for the previous unit's row instead of the stored row",
		file: "internal/core/change/edit.go", old: `		if u.HasStarted() {
			return edited, slot.setRow`, new: `		if err != nil || u.HasStarted() {
			return edited, slot.setRow`,
		caught: tests{"internal/core/change": {"TestRejectedMergeReadsTheRowAgain"}},
	},
	{
		name: "a merge reads the row that the previous unit has passed on",
		file: "internal/core/change/row_queues.go", old: `return s.queue.newest, s.queue.known`, new: `return s.queue.newest, false`,
		caught: tests{"internal/core/change": {"TestMergeReusesTheRowOfThePreviousUnit"}},
	},
	{
		name: "the log of configs is read by ids, which become visible in another order",
		file: "internal/config/log.go", old: `	if l.db.Capabilities().SequencedLogs {
		return "place"
	}
	return "id"`, new: `	return "id"`,
		caught: tests{"internal/config": {"TestLateCommitIsDeliveredInCommitOrder"}},
	},
	{
		name: "of two concurrent numberings of a log without a counter one fails",
		file: "internal/base/storage/log_sequence.go", old: `SET last = last WHERE name = ?"`, new: `SET last = last WHERE name = ? AND last < 0"`,
		also:   []edit{{"internal/base/storage/log_sequence.go", `	if Is(updated.Error, DuplicateKey) {`, `	if Is(updated.Error, DuplicateKey) && last < 0 {`}},
		caught: tests{"internal/config": {"TestConcurrentSequencingLeavesNoGaps"}},
	},
	{
		name: "a watcher continues after the database was replaced",
		file: "internal/config/feed.go", old: `if found.Epoch != t.at.Epoch || found.Position < t.at.Position {`, new: `if found.Position < t.at.Position {`,
		caught: tests{"internal/config": {"TestEpochChangeDisconnectsWatchers"}},
	},
	{
		name: "a snapshot is not of one moment",
		file: "internal/config/log.go", old: `	err := s.db.Snapshot(ctx, func(tx *gorm.DB) error {`, new: `	err := func(fn func(tx *gorm.DB) error) error { return fn(s.db.Read(ctx)) }(func(tx *gorm.DB) error {`,
		caught: tests{"internal/config": {"TestSnapshotIsConsistent"}},
	},
}

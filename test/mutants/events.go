package main

// events are breaks of things that a name or number from the client identifies: actions,
// and the events of aggregates.
var events = []mutant{
	{
		name: "keyed events without names count again when the stored reply has expired",
		file: "internal/aggregates/write.go", old: `e.EventID == nil && keyNames != ""`, new: `e.EventID == nil && keyNames == "-"`,
		caught: tests{"test/activity": {"TestKeyedEventsWithoutNamesCountOnce"}},
	},
	{
		name: "an action is accepted whatever its id is",
		file: "internal/actions/store.go", old: "	AND last_action_id = ?`", new: "	AND ? > 0`",
		caught: tests{"test/activity": {"TestGuardedUpdateRejectsAnOvertakenAction"}},
	},
	{
		name: "an event that has landed is written again",
		file: "internal/aggregates/append.go", old: "	if err := recorded.reject(rows, w.Enforce); err != nil {", new: "	if err := recorded.reject(rows[:0], w.Enforce); err != nil {",
		caught: tests{"test/activity": {"TestRepeatedSequenceIsDistinguishedByItsOutcome", "TestEventIDIsUniqueAcrossWriters", "TestTwentyConcurrentCopiesOfAnEventCountOnce"}},
	},
	{
		name: "a duplicate name of a new aggregate counts as a duplicate event",
		file: "internal/aggregates/append.go", old: "		if storage.IsDuplicate(err, \"uq_aggregates_name\") {\n			return changedConcurrently()", new: "		if storage.IsDuplicate(err, \"uq_aggregates_name\") {\n			return apperr.New(apperr.IdempotencyViolation, \"It has landed.\")",
		caught: tests{"test/activity": {"TestTwoConcurrentFirstEventsAreBothCounted", "TestSecondAttemptOfTheFirstEventIsAnAcknowledgedRepeat"}},
	},
	{
		name: "an already recorded event without a lookup is a fault",
		file: "internal/aggregates/store.go", old: `if storage.IsDuplicate(err, key) {`, new: `if storage.IsDuplicate(err, key+"?") {`,
		caught: tests{"test/activity": {"TestUniqueNamesStoreAnUncheckedEventOnce"}},
	},
	{
		name: "a reconnecting stream does not get the missed events",
		file: "internal/events/subscription.go", old: "	for _, event := range missed {", new: "	for _, event := range missed[:0] {",
		caught: tests{"internal/events": {"TestInProcessFulfillsTheContract"}, "internal/views/realtime": {"TestStreamResumesAtItsCursor"}},
	},
	{
		name: "a stream that reconnects with an unknown cursor is not notified",
		file: "internal/events/subscription.go", old: "		s.place = \"\"\n		s.lag()", new: "		s.place = \"\"",
		caught: tests{"internal/events": {"TestInProcessFulfillsTheContract"}},
	},
	{
		name: "streams continue across a gap of the bus",
		file: "internal/events/subscription.go", old: "	h.past = newPast()\n	for _, subscriptions := range h.topics {", new: "	for _, subscriptions := range h.topics {",
		caught: tests{"internal/events": {"TestReadersDoNotResumeAcrossAGap"}},
	},
}

package main

// scheduled are breaks of scheduled changes.
var scheduled = []mutant{
	{
		name: "a job sleeps past due work",
		file: "internal/base/background/background.go", old: `min(left, r.Every)`, new: `max(left, r.Every)`,
		caught: tests{"internal/base/background": {"TestServiceRunsWhenWorkIsDue"}},
	},
	{
		name: "a newly scheduled change does not wake a job",
		file: "internal/app/jobs.go", old: `case wake <- struct{}{}:`, new: `case make(chan struct{}) <- struct{}{}:`,
		caught: tests{"internal/app": {"TestEventsWakeAJobOnce"}},
	},
	{
		name: "a process acquires the lease of the promises when nothing is due",
		file: "internal/core/walk/walk.go", old: `if !otherWork && !w.anyDue(task, states) {`, new: `if w.anyDue(task, states) && false {`,
		caught: tests{"internal/views/promises": {"TestOneProcessChecksAndOthersShareItsResult"}},
	},
	{
		name: "a scheduled change is applied without a check of its time",
		file: "internal/approvals/due.go", old: "|| a.waitsForItsTime(u.Now()) {", new: "{",
		caught: tests{"internal/approvals": {"TestPostponedChangeIsNotApplied"}},
	},
	{
		name: "a scheduled change is found before its time",
		file: "internal/approvals/due.go", old: "scheduled.Code, s.clock.Now()).\n\t\tOrder(", new: "scheduled.Code, s.clock.Now().Add(maxAhead)).\n\t\tOrder(",
		also:   []edit{{"internal/approvals/due.go", "|| a.waitsForItsTime(u.Now()) {", "{"}},
		caught: tests{"internal/approvals": {"TestScheduledChangeIsAppliedAtItsTime"}},
	},
	{
		name: "a scheduled change that was made stays scheduled and is made again",
		file: "internal/approvals/status.go", old: "From: []status.State{scheduled}, To: approved, Internal: true}", new: "From: []status.State{scheduled}, To: scheduled, Internal: true}",
		caught: tests{"internal/approvals": {"TestScheduledChangeIsAppliedAtItsTime", "TestRejectedChangeBecomesStaleTransientFailureIsRetried"}},
	},
	{
		name: "a scheduled change is made on whatever version there is",
		file: "internal/config/subject.go", old: "if conflicts(c, rows[c.Key]) {", new: "if _ = c; false {",
		also: []edit{
			{"internal/approvals/status.go", "var open = []int{pending.Code, scheduled.Code}", "var open = []int{pending.Code}"},
			{"internal/core/guard/write.go", `ErrStale, "version = ?", ref.Version)`, `ErrStale, "? >= 0", ref.Version)`},
		},
		caught: tests{"internal/approvals": {"TestConcurrentEditMakesScheduledChangeStale", "TestDueChangeOrConcurrentEditWins"}},
	},
	{
		name: "an edit does not make a scheduled change stale",
		file: "internal/approvals/status.go", old: "var open = []int{pending.Code, scheduled.Code}", new: "var open = []int{pending.Code}",
		caught: tests{"internal/approvals": {"TestConcurrentEditMakesScheduledChangeStale"}},
	},
	{
		name: "a scheduled change is applied whatever the state of its author",
		file: "internal/approvals/schedule.go", old: "if !may[a.AuthorID] {", new: "if false {",
		caught: tests{"internal/approvals": {"TestScheduledChangeNeedsAuthorAndVotersPermissions"}},
	},
	{
		name: "the stale changes of a disabled author are not announced",
		file: "internal/approvals/store.go", old: "f.disabled, err = s.tenancy.Disabled(", new: "_, err = s.tenancy.Disabled(",
		caught: tests{"internal/approvals": {"TestStaleChangeOfDisabledAuthorWaitsForWriters"}},
	},
	{
		name: "any writer withdraws the stale change of another user",
		file: "internal/approvals/decide.go", old: "a.Abandoned && caller.UserID != 0 {", new: "a.Status == stale.Code && caller.UserID != 0 {",
		caught: tests{"internal/approvals": {"TestStaleChangeOfDisabledAuthorWaitsForWriters"}},
	},
	{
		name: "a scheduled change is applied whatever the state of its voters",
		file: "internal/approvals/schedule.go", old: "if counted < a.Required {", new: "if false {",
		caught: tests{"internal/approvals": {"TestScheduledChangeNeedsAuthorAndVotersPermissions"}},
	},
	{
		name: "scheduled changes are applied in the order of their requests",
		file: "internal/approvals/due.go", old: `Order("effective_time, id")`, new: `Order("id")`,
		caught: tests{"internal/approvals": {"TestOverdueChangesAreAppliedInTimeOrder"}},
	},
	{
		name: "a scheduled change overtakes one of the same that could not be made yet",
		file: "internal/approvals/due.go", old: "return slices.Contains(blocked, target) }", new: "return false }",
		caught: tests{"internal/approvals": {"TestRejectedChangeBecomesStaleTransientFailureIsRetried"}},
	},
	{
		name: "a scheduled change of a protected resource needs no votes",
		file: "internal/config/gate.go", old: "Unvoted: !slices.ContainsFunc(writes, plannedWrite.needsApproval)}", new: "Unvoted: true}",
		caught: tests{"internal/approvals": {"TestProtectedScheduledChangeNeedsVotesFirst"}},
	},
	{
		name: "votes for a scheduled change are for any time",
		file: "internal/approvals/subject.go", old: "if p.EffectiveTime != nil {", new: "if false {",
		caught: tests{"internal/approvals": {"TestScheduledChangeCanBeEditedWithdrawnAndRejected"}},
	},
	{
		name: "a step of a flash sale does not affect its scheduled changes",
		file: "internal/flashsale/transition.go", old: "return after, s.markApprovalsStale(ctx, u, named, after)", new: "return after, nil",
		caught: tests{"internal/flashsale": {"TestSaleTransitionMakesScheduledChangesStale"}},
	},
	{
		name: "a scheduled change of a sale's quantity releases units that the gate may sell",
		file: "internal/flashsale/plan.go", old: "\tif delta < 0 {\n\t\tif err := s.withhold", new: "\tif delta < -maxUnits {\n\t\tif err := s.withhold",
		caught: tests{"internal/flashsale": {"TestScheduledQuantityChangeMovesTheAllotment"}},
	},
}

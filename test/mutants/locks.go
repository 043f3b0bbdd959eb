package main

// around checks that aggregates acquire and release their locks outside the transaction.
const around = "TestLocksEncloseTheTransaction"

// locks are breaks of the locks and of the time during which they are held.
var locks = []mutant{
	{
		name: "locks released before COMMIT",
		file: "internal/core/uow/runner.go", old: "	if err := r.commit(ctx, u); err != nil {\n		return err", new: "	u.release(ctx)\n	if err := r.commit(ctx, u); err != nil {\n		return err",
		caught: tests{
			"internal/core/coretest": {"TestLocksAreReleasedOnlyWhenTheTransactionHasEnded"},
			"test/activity":          {around},
			"test/shop":              {"TestWalletLocksEncloseTheTransaction", "TestStockLocksEncloseTheTransaction", "TestOrderLocksEncloseTheTransaction"},
		},
	},
	{
		name: "locks are acquired after BEGIN",
		file: "internal/core/uow/unit.go", old: "	lease, err := u.runner.locks.Acquire(", new: "	if _, err := u.Tx(ctx); err != nil {\n		return ctx, err\n	}\n	lease, err := u.runner.locks.Acquire(",
		also: []edit{{"internal/core/uow/unit.go", "	if u.tx != nil {\n		return ctx, ErrLockAfterBegin\n	}\n", ""}},
		caught: tests{
			"internal/core/coretest": {"TestLocksAreReleasedOnlyWhenTheTransactionHasEnded"},
			"test/activity":          {around},
			"test/shop":              {"TestWalletLocksEncloseTheTransaction", "TestStockLocksEncloseTheTransaction", "TestOrderLocksEncloseTheTransaction"},
		},
	},
	{
		name: "a lock may be requested after BEGIN",
		file: "internal/core/uow/unit.go", old: "	if u.tx != nil {\n		return ctx, ErrLockAfterBegin\n	}\n", new: "",
		caught: tests{"internal/core/coretest": {"TestFailedUnitLeavesNoTrace"}},
	},
	{
		name: "a unit commits although its lock was lost",
		file: "internal/core/uow/unit.go", old: `if err := context.Cause(lease.Context()); err != nil {`, new: `if err := context.Cause(lease.Context()); err != nil && ctx.Err() != nil {`,
		caught: tests{"internal/core/coretest": {"TestUnavailableOrLostLocksPreventWrites"}},
	},
	{
		name: "any process extends a lock in Redis",
		file: "internal/lock/redis_script.go", old: `if state == ARGV[1] then return`, new: `if state then return`,
		caught: tests{"internal/lock": {"TestLateReleaseDoesNotReleaseTheNextHolder"}},
	},
	{
		name: "any process releases a lock in Redis",
		file: "internal/lock/redis_script.go", old: "if state == release then\n", new: "if state and release ~= '' then\n",
		caught: tests{"internal/lock": {"TestLateReleaseDoesNotReleaseTheNextHolder"}},
	},
	{
		name: "asking for a lock in Redis prolongs its holder's claim",
		file: "internal/lock/redis_script.go", old: `if token == '' then ends = 0 end`, new: `ends = token == '' and 0 or now + (ARGV[3] or 0) * 1000`,
		caught: tests{"internal/lock": {"TestWaitingForAHeldLockDoesNotExtendIt"}},
	},
}

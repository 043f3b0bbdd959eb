package main

// servers are breaks of who serves a database, and of what is said of the engines.
var servers = []mutant{

	// Which servers serve a database.
	{
		name: "a claim is taken over whatever became of its holder",
		file: "internal/base/claim/row.go", old: `return r.update(ctx, "(group_name = ? OR run_id = ? OR lease_ends_time <= UTC_TIMESTAMP(6))"`, new: `return r.update(ctx, "(group_name = ? OR run_id = ? OR lease_ends_time >= '2000-01-01')"`,
		caught: tests{"internal/base/claim": {"TestOfManyServersThatStartAtOnceOneServes"}},
	},
	{
		name: "a claim is not taken over when its lease has ended",
		file: "internal/base/claim/row.go", old: `return r.update(ctx, "(group_name = ? OR run_id = ? OR lease_ends_time <= UTC_TIMESTAMP(6))"`, new: `return r.update(ctx, "(group_name = ? OR run_id = ? OR lease_ends_time <= '2000-01-01')"`,
		caught: tests{"internal/base/claim": {"TestACrashElsewhereBlocksForItsLeaseAndNoLonger"}},
	},
	{
		name: "another process under the same id is taken for the holder",
		file: "internal/base/claim/process.go", old: `if !running || start != other.Start {`, new: `if !running || start < 0 {`,
		caught: tests{"internal/base/claim": {"TestAServerWhoseProcessIsGoneIsFollowedAtOnceOnItsMachine/its_PID_is_another's"}},
	},
	{
		name: "a process of another machine is looked for here",
		file: "internal/base/claim/process.go", old: `return p.Machine != "" && p.Machine == other.Machine`, new: `return p.Machine != "" || other.Machine == ""`,
		caught: tests{"internal/base/claim": {"TestAProcessOfAnotherMachineOrContainerIsNotTakenForGone"}},
	},
	{
		name: "a process that has ended and was not waited for is taken for alive",
		file: "internal/base/claim/process.go", old: `state == "Z" || state == "X"`, new: `state == "X"`,
		caught: tests{"internal/base/claim": {"TestAServerWhoseProcessIsGoneIsFollowedAtOnceOnItsMachine/a_zombie"}},
	},
	{
		name: "one of a group that is gone is taken for all of it",
		file: "internal/base/claim/row.go", old: `if gone && holder.Alone() {`, new: `if gone {`,
		caught: tests{"internal/base/claim": {"TestOneOfAGroupThatIsGoneIsNotTakenForAll"}},
	},
	{
		name: "a heartbeat takes the claim back",
		file: "internal/base/claim/row.go", old: `return r.update(ctx, "group_name = ?", r.group)`, new: `return r.update(ctx, "group_name <> CONCAT(?, '?')", r.group)`,
		caught: tests{"internal/base/claim": {"TestAPausedHolderThatWasOvertakenLosesItsClaimAndIsToldToWhom"}},
	},
	{
		name: "a server that ends well keeps its lease",
		file: "internal/base/claim/row.go", old: "if r.group == Shared {\n		return", new: "if r.group != \"\" {\n		return",
		caught: tests{"internal/base/claim": {"TestAServerThatEndedWellIsFollowedAtOnce"}},
	},
	{
		name: "a server that ends well ends the lease of its group",
		file: "internal/base/claim/row.go", old: "if r.group == Shared {\n		return", new: "if r.group == \"\" {\n		return",
		caught: tests{"internal/base/claim": {"TestServersWithARedisServeTogether"}},
	},
	{
		name: "a server that holds the claim is not heard of",
		file: "internal/base/claim/row.go", old: `held, err := r.extend(context.Background())`, new: `held, err := r.group != "", error(nil)`,
		caught: tests{"internal/base/claim": {"TestAServerElsewhereIsRefusedAsSoonAsTheHolderIsHeardOf"}},
	},
	{
		name: "a server that cannot reach the database ends",
		file: "internal/base/claim/row.go", old: `if err == nil && !held {`, new: `if !held {`,
		caught: tests{"internal/base/claim": {"TestADatabaseThatIsAwayEndsNobody"}},
	},
	{
		name: "a file is claimed by many",
		file: "internal/base/claim/file.go", old: `unix.LOCK_EX|unix.LOCK_NB`, new: `unix.LOCK_SH|unix.LOCK_NB`,
		caught: tests{"internal/base/claim": {"TestAFileIsClaimedByOneAndItsRefusalNamesTheHolder"}},
	},
	{
		name: "a server on a database server claims it with others",
		file: "internal/app/program.go", old: `Shared: s.RedisURL != "", Role: s.Role`, new: `Shared: true, Role: s.Role`,
		caught: tests{"test/e2e": {"TestASecondServerOnOneMariaDBWithoutRedisIsRefusedWhateverItsRole"}},
	},
	{
		name: "a server goes on whose database another has taken",
		file: "internal/app/program.go", old: "	case <-p.claim.Lost():\n		err = errors", new: "	case <-make(chan struct{}):\n		err = errors",
		caught: tests{"test/e2e": {"TestAServerWhoseDatabaseAnotherHasTakenEndsAtOnceAndSaysWhose"}},
	},

	// What is said of the engines.
	{
		name: "a service that could lose something is not ready",
		file: "internal/app/health.go", old: "		if !c.OK {\n			status", new: "		if !c.OK || len(h.services.Engines.Report().NotOK()) > 0 {\n			status",
		caught: tests{"test/e2e": {"TestWhatACrashCanLoseIsToldAndKeepsNobodyFromWorking"}},
	},
	{
		name: "a risk is logged with each look",
		file: "internal/views/engines/monitor.go", old: `case f.Level != OK && before != now:`, new: `case f.Level != OK && before != "never":`,
		caught: tests{"internal/views/engines": {"TestEachRiskIsLoggedOnceAsItComesAndAsItGoes"}},
	},
	{
		name: "the way to a clock is taken for its skew",
		file: "internal/views/engines/probe.go", old: `if away-c.Error > tolerance {`, new: `if away > tolerance {`,
		caught: tests{"internal/views/engines": {"TestASlowWayToAClockIsNotTakenForASkew"}},
	},
	{
		name: "a clock is taken to have answered when it was asked",
		file: "internal/views/engines/probe.go", old: `at.Sub(sent.Add(half))`, new: `at.Sub(sent)`,
		caught: tests{"internal/views/engines": {"TestASlowWayToAClockIsNotTakenForASkew"}},
	},
	{
		name: "one master of a cluster is read",
		file: "internal/views/engines/redis.go", old: `nodes = append(nodes, redisNode{node.Options().Addr, node})`, new: `nodes = []redisNode{{node.Options().Addr, node}}`,
		caught: tests{"internal/views/engines": {"TestEachMasterOfAClusterIsRead"}},
	},
	{
		name: "a node that does not answer hides the next",
		file: "internal/views/engines/probe.go", old: "r.Findings = append(r.Findings, silent(Redis, node.address, err))\n			continue", new: "r.Findings = append(r.Findings, silent(Redis, node.address, err))\n			return",
		caught: tests{"internal/views/engines": {"TestANodeThatDoesNotAnswerHidesNoOther"}},
	},
	{
		name: "a server that refuses CONFIG is taken for one that does not answer",
		file: "internal/views/engines/redis.go", old: "f.refused = err\n			return f, nil", new: "f.refused = err\n			return f, err",
		caught: tests{"internal/views/engines": {"TestARedisThatRefusesCONFIGOrINFOIsSaidToBeUnknown"}},
	},
}

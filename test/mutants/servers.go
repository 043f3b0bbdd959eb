package main

// servers are breaks of the registration of servers on a database, and of the status of the
// engines.
var servers = []mutant{

	// How a server ends, and the connections of a server that has too few.
	{
		name: "a caller gets an error although the pool has connections",
		file: "internal/base/storage/pool_limit.go", old: `if c.shrink(ctx) > 0 {`, new: `if c.shrink(ctx) < 0 {`,
		caught: tests{"internal/base/storage": {"TestPoolWaitsWhenTheServerHasNoFreeConnection"}},
	},
	{
		name: "the last connection of a pool is returned to a crowded server",
		file: "internal/base/storage/pool_limit.go", old: `!c.closed && c.live == 0`, new: `!c.closed && c.live < 0`,
		caught: tests{"internal/base/storage": {"TestLastConnectionIsRetained"}},
	},
	{
		name: "an idle pool opens another connection for each request",
		file: "internal/base/storage/pool_limit.go", old: `if clock.Since(spare.made) > connMaxLifetime ||`, new: `if clock.Since(spare.made) > 0 ||`,
		caught: tests{"internal/base/storage": {"TestRarelyUsedPoolReusesItsConnection"}},
	},
	{
		name: "a connection that is used again is still in the transaction that it was left in",
		file: "internal/base/storage/pool_limit.go", old: `spare.link.ExecContext(asking, "ROLLBACK", nil)`, new: `spare.link.ExecContext(asking, "DO 0", nil)`,
		caught: tests{"internal/base/storage": {"TestRarelyUsedPoolReusesItsConnection"}},
	},
	{
		name: "all jobs of a process run at the same time",
		file: "internal/app/jobs.go", old: `jobs[i].Every * time.Duration(i+1) / time.Duration(len(jobs))`, new: `jobs[i].Every`,
		caught: tests{"internal/app": {"TestPeriodicJobsAreSpread"}},
	},
	{
		name: "a pool that had to shrink stays small",
		file: "internal/base/storage/pool_limit.go", old: `c.setLimit(min(c.size, `, new: `c.setLimit(min(c.limit, `,
		caught: tests{"internal/base/storage": {"TestShrunkPoolGrowsAgain"}},
	},
	{
		name: "a pool that has lost its connections does not wait for one",
		file: "internal/base/storage/pool_limit.go", old: `clock.Since(start) > connectTimeout ||`, new: `clock.Since(start) >= 0 ||`,
		caught: tests{"internal/base/storage": {"TestPoolWithoutConnectionsWaitsForOne"}},
	},

	{
		name: "an ending process reports that it is ready",
		file: "internal/app/health.go", old: `if h.server.Draining() {`, new: `if h.server == nil {`,
		caught: tests{"test/e2e": {"TestDrainingProcessIsNotReadyAndStillServes"}},
	},
	{
		name: "connections stay open to an ending server",
		file: "internal/edge/httpapi/drain.go", old: `		if s.drain.isDraining() {`, new: `		if s.drain == nil {`,
		caught: tests{"internal/edge/edgetest": {"TestDrainingServerServesRequestsAndEndsStreamsInTurn"}},
	},
	{
		name: "all streams of a server end at the same time",
		file: "internal/edge/httpapi/drain.go", old: `rand.N(max(1, time.Duration(d.spread.Load())))`, new: `rand.N(max(1, time.Duration(d.spread.Load())/1000))`,
		caught: tests{"internal/edge/edgetest": {"TestDrainingServerServesRequestsAndEndsStreamsInTurn"}},
	},

	// The servers that serve a database.
	{
		name: "a claim is acquired whatever the state of its holder",
		file: "internal/base/claim/row.go", old: `return r.update(ctx, "(group_name = ? OR run_id = ? OR lease_ends_time <= UTC_TIMESTAMP(6))"`, new: `return r.update(ctx, "(group_name = ? OR run_id = ? OR lease_ends_time >= '2000-01-01')"`,
		caught: tests{"internal/base/claim": {"TestOnlyOneOfConcurrentServersClaims"}},
	},
	{
		name: "an expired claim is not acquired",
		file: "internal/base/claim/row.go", old: `return r.update(ctx, "(group_name = ? OR run_id = ? OR lease_ends_time <= UTC_TIMESTAMP(6))"`, new: `return r.update(ctx, "(group_name = ? OR run_id = ? OR lease_ends_time <= '2000-01-01')"`,
		caught: tests{"internal/base/claim": {"TestCrashedHolderBlocksOnlyForItsLease"}},
	},
	{
		name: "another process under the same id counts as the holder",
		file: "internal/base/claim/process.go", old: `if !running || start != other.Start {`, new: `if !running || start < 0 {`,
		caught: tests{"internal/base/claim": {"TestClaimOfADeadLocalProcessIsAcquiredImmediately/its_PID_is_another's"}},
	},
	{
		name: "a process of another machine is searched on this one",
		file: "internal/base/claim/process.go", old: `return p.Machine != "" && p.Machine == other.Machine`, new: `return p.Machine != "" || other.Machine == ""`,
		caught: tests{"internal/base/claim": {"TestRemoteProcessIsNotAssumedDead"}},
	},
	{
		name: "an ended process that was not waited for counts as alive",
		file: "internal/base/claim/process.go", old: `state == "Z" || state == "X"`, new: `state == "X"`,
		caught: tests{"internal/base/claim": {"TestClaimOfADeadLocalProcessIsAcquiredImmediately/a_zombie"}},
	},
	{
		name: "one dead member counts as its whole group",
		file: "internal/base/claim/row.go", old: `if gone && holder.Alone() {`, new: `if gone {`,
		caught: tests{"internal/base/claim": {"TestDeadMemberDoesNotReleaseItsGroup"}},
	},
	{
		name: "a heartbeat acquires the claim again",
		file: "internal/base/claim/row.go", old: `return r.update(ctx, "group_name = ?", r.group)`, new: `return r.update(ctx, "group_name <> CONCAT(?, '?')", r.group)`,
		caught: tests{"internal/base/claim": {"TestReplacedHolderLosesItsClaimAndReportsTheNewHolder"}},
	},
	{
		name: "a server that ends regularly retains its lease",
		file: "internal/base/claim/row.go", old: "if r.group == Shared {\n		return", new: "if r.group != \"\" {\n		return",
		caught: tests{"internal/base/claim": {"TestReleasedClaimIsAvailableImmediately"}},
	},
	{
		name: "a server that ends well ends the lease of its group",
		file: "internal/base/claim/row.go", old: "if r.group == Shared {\n		return", new: "if r.group == \"\" {\n		return",
		caught: tests{"internal/base/claim": {"TestServersWithARedisServeTogether"}},
	},
	{
		name: "the heartbeat of the claim's holder is ignored",
		file: "internal/base/claim/row.go", old: `held, err := r.extend(context.Background())`, new: `held, err := r.group != "", error(nil)`,
		caught: tests{"internal/base/claim": {"TestRemoteServerIsRejectedAfterTheHoldersHeartbeat"}},
	},
	{
		name: "a server that cannot reach the database ends",
		file: "internal/base/claim/row.go", old: `if err == nil && !held {`, new: `if !held {`,
		caught: tests{"internal/base/claim": {"TestUnreachableDatabaseDoesNotEndTheHolder"}},
	},
	{
		name: "a file is claimed by many",
		file: "internal/base/claim/file.go", old: `unix.LOCK_EX|unix.LOCK_NB`, new: `unix.LOCK_SH|unix.LOCK_NB`,
		caught: tests{"internal/base/claim": {"TestSecondFileClaimIsRejectedWithItsHolder"}},
	},
	{
		name: "a server on a database server claims it with others",
		file: "internal/app/program.go", old: `Shared: s.RedisURL != "", Role: s.Role`, new: `Shared: true, Role: s.Role`,
		caught: tests{"test/e2e": {"TestSecondServerWithoutRedisIsRejectedInAnyRole"}},
	},
	{
		name: "a server continues after another has claimed its database",
		file: "internal/app/program.go", old: "	case <-p.claim.Lost():\n		err = errors", new: "	case <-make(chan struct{}):\n		err = errors",
		caught: tests{"test/e2e": {"TestOvertakenServerEndsAndNamesTheNewHolder"}},
	},

	// The status of the engines.
	{
		name: "a server starts on an engine that cannot fulfil its promises",
		file: "internal/app/program.go", old: `for _, finding := range report.Fatal() {`, new: `for _, finding := range report.Fatal()[:0] {`,
		caught: tests{"test/faults": {"TestServerDoesNotStartOnAnUnfitDatabase"}},
	},
	{
		name: "the settings of a session are assumed instead of read",
		file: "internal/base/storage/cluster.go", old: `at.isolation != "" && at.isolation != IsolationLevel`, new: `at.isolation != "" && at.isolation == "none"`,
		caught: tests{"internal/base/storage": {"TestServerThatIgnoresSessionSettingsIsRejected"}},
	},
	{
		name: "tables are made in whatever the server makes them in",
		file: "internal/base/storage/mysql.go", old: `		"default_storage_engine": "'InnoDB'",
`, new: "",
		caught: tests{"test/faults": {"TestServerDoesNotStartOnAnUnfitDatabase"}},
	},
	{
		name: "a cluster of two counts as lossless on a machine failure",
		file: "internal/views/engines/durability.go", old: `const safeCopies = 3`, new: `const safeCopies = 2`,
		caught: tests{"internal/views/engines": {"TestLossOfClusterIsReportedForEachSetting"}},
	},
	{
		name: "a service that could lose something is not ready",
		file: "internal/app/health.go", old: "		if !c.OK {\n			status", new: "		if !c.OK || len(h.services.Engines.Report().NotOK()) > 0 {\n			status",
		caught: tests{"test/e2e": {"TestRisksAreReportedWithoutBlockingRequests"}},
	},
	{
		name: "a risk is logged at each check",
		file: "internal/views/engines/monitor.go", old: `case f.Level != OK && before != now:`, new: `case f.Level != OK && before != "never":`,
		caught: tests{"internal/views/engines": {"TestEachRiskIsLoggedOnceAndItsEnd"}},
	},
	{
		name: "the round trip to a clock counts as its skew",
		file: "internal/views/engines/probe.go", old: `if away-c.Error > tolerance {`, new: `if away > tolerance {`,
		caught: tests{"internal/views/engines": {"TestSlowConnectionIsNoClockSkew"}},
	},
	{
		name: "a clock counts as read when it was requested",
		file: "internal/views/engines/probe.go", old: `at.Sub(sent.Add(half))`, new: `at.Sub(sent)`,
		caught: tests{"internal/views/engines": {"TestSlowConnectionIsNoClockSkew"}},
	},
	{
		name: "one master of a cluster is read",
		file: "internal/views/engines/redis.go", old: `nodes = append(nodes, redisNode{node.Options().Addr, node})`, new: `nodes = []redisNode{{node.Options().Addr, node}}`,
		caught: tests{"internal/views/engines": {"TestEveryMasterOfAClusterIsRead"}},
	},
	{
		name: "an unresponsive node hides the next",
		file: "internal/views/engines/probe.go", old: "r.Findings = append(r.Findings, silent(Redis, node.address, err))\n			continue", new: "r.Findings = append(r.Findings, silent(Redis, node.address, err))\n			return",
		caught: tests{"internal/views/engines": {"TestSilentNodeDoesNotHideOthers"}},
	},
	{
		name: "a server that rejects CONFIG counts as unreachable",
		file: "internal/views/engines/redis.go", old: "f.refused = err\n			return f, nil", new: "f.refused = err\n			return f, err",
		caught: tests{"internal/views/engines": {"TestRejectedCONFIGOrINFOIsUnknown"}},
	},

	// The promise checks of running servers.
	{
		name: "a paused holder of the lease overwrites the result of the next one",
		file: "internal/core/walk/state.go", old: `" = ? WHERE kind = ? AND name = ? AND version = ?"`, new: `" = ? WHERE kind = ? AND name = ? AND version >= ?"`,
		caught: tests{"internal/views/promises": {"TestHolderPausedBeyondItsLeaseOverwritesNothing"}, "internal/views/retention": {"TestProcessPausedBeyondItsLeaseRemovesNothing"}},
	},
	{
		name: "a check ends after its first step",
		file: "internal/views/promises/check.go", old: `if len(rows) == limit {`, new: `if len(rows) > limit {`,
		caught: tests{"internal/views/promises": {"TestViolationAndRepairArePublishedOncePerPass"}},
	},
	{
		name: "a repaired violation stays open",
		file: "internal/views/promises/store.go", old: `if v.Pass < st.Passes {`, new: `if v.Pass < 0 {`,
		caught: tests{"internal/views/promises": {"TestViolationAndRepairArePublishedOncePerPass"}},
	},
	{
		name: "the newest version of an existing record is removed for its age",
		file: "internal/module/table.go", old: "AND n.version = x.version + 1\"", new: "AND n.version >= x.version\"",
		caught: tests{"internal/views/retention": {"TestOldVersionsAreRemovedExceptTheNewest"}},
	},
	{
		name: "versions are removed that a watcher of configs can resume from",
		file: "internal/views/retention/retention.go", old: "const watched = 10_000", new: "const watched = 1",
		caught: tests{"internal/views/retention": {"TestResumableConfigVersionsAreNotRemoved"}},
	},
	{
		name: "removals before a crash are in no audit entry",
		file: "internal/views/retention/store.go", old: `SET removed = removed + ? WHERE`, new: `SET removed = ? WHERE`,
		caught: tests{"internal/views/retention": {"TestInterruptedSweepCountsEachRowOnce"}},
	},
	{
		name: "the promises ignore removals",
		file: "internal/module/promise.go", old: "w.until_time >= \" + time", new: "w.until_time < \" + time",
		caught: tests{"test/e2e": {"TestPromisesHoldDuringAndAfterRetention"}},
	},
	{
		name: "an edit with a base removed for its age is reported as a deleted record",
		file: "internal/core/change/edit.go", old: "c.Expected = seen.Version\n", new: "_ = seen.Version\n",
		caught: tests{"internal/config": {"TestEditOfExpiredVersionReturnsConflict"}},
	},
	{
		name: "a wallet is erased and its transfers still name it",
		file: "internal/views/customers/together.go", old: `WHERE tenant_id = ? AND other_user_id = ? AND (" + others`, new: `WHERE tenant_id = ? AND other_user_id <> ? AND (" + others`,
		caught: tests{"test/e2e": {"TestErasedCustomerIsInNoRowAndSumsAreCorrect"}},
	},
	{
		name: "an erasure forfeits money paid in after its check",
		file: "internal/views/customers/open.go", old: "balance != 0 && !forfeit {", new: "balance != 0 && !forfeit && at != lastUnit {",
		caught: tests{"test/e2e": {"TestPaymentDuringErasureIsNotForfeited"}},
	},
	{
		name: "an erasure renames an order that is under way",
		file: "internal/views/customers/walk.go", old: `open != "" && row.own {`, new: `open != "" && row.own && false {`,
		caught: tests{"test/e2e": {"TestOrderPlacedDuringErasureStaysWithItsCustomer"}},
	},
	{
		name: "a wallet is joined to another without changing the balances of its entries",
		file: "internal/views/customers/wallet.go", old: "version = -(version + ?) WHERE tenant_id = ? AND user_id = ?\", []any{theirs.Balance, theirs.Version,", new: "version = -(version + ?) WHERE tenant_id = ? AND user_id = ?\", []any{0, theirs.Version,",
		caught: tests{"test/e2e": {"TestRefundDuringErasureCreditsTheCustomersWallet"}},
	},
	{
		name: "a run continues under a retention that was shorter",
		file: "internal/views/retention/service.go", old: "s.limit(t).Before(*st.UntilTime)", new: "s.limit(t).IsZero()",
		caught: tests{"internal/views/retention": {"TestLongerRetentionEndsARunningSweep"}},
	},
	{
		name: "the rows of a customer are counted in all tenants",
		file: "internal/views/customers/walk.go", old: "CASE WHEN x.tenant_id <> ? THEN 0 WHEN", new: "CASE WHEN x.tenant_id = -? THEN 0 WHEN",
		caught: tests{"internal/views/customers": {"TestWalkSkipsRowsOfOtherCustomers"}},
	},
	{
		name: "an erasure overwrites a concurrent write",
		file: "internal/views/customers/walk.go", old: "where = append(where, quoted(c.name)+\" = ?\")", new: "where = append(where, quoted(c.name)+\" <> ? OR 1 = 1\")",
		caught: tests{"internal/views/customers": {"TestConcurrentChangesAreNotOverwritten"}},
	},
	{
		name: "an interrupted erasure continues under another pseudonym",
		file: "internal/views/customers/customers.go", old: "if err != nil || len(rows) == 0 {\n\t\treturn nil, err\n\t}\n\treturn newErasure(customer, rows[0].Pseudonym", new: "if err != nil || len(rows) == 0 {\n\t\treturn nil, err\n\t}\n\treturn newErasure(customer, rows[0].Pseudonym+principal.CustomerID(s.clock.Now().Format(\"150405.000000\"))",
		caught: tests{"test/e2e": {"TestInterruptedErasureResumesAndPreservesSums"}},
	},
	{
		name: "an export skips an entry that commits late",
		file: "internal/core/changelog/changelog.go", old: "AND place IS NULL ORDER BY id LIMIT ?", new: "AND place IS NULL AND id > (SELECT COALESCE(MAX(l.id), 0) FROM audit_entries l WHERE l.tenant_id = audit_entries.tenant_id AND l.place IS NOT NULL) ORDER BY id LIMIT ?",
		caught: tests{"internal/views/viewstest": {"TestEntryCommittedAfterHigherIDsIsExported"}},
	},
	{
		name: "an export does not report earlier removals",
		file: "internal/views/audit/export.go", old: "now.Floor > max(after.Place, after.Floor)", new: "now.Floor > now.Last",
		caught: tests{"internal/views/viewstest": {"TestExportThatCannotResumeReturnsTheReason"}},
	},
	{
		name: "an export skips entries removed while it reads",
		file: "internal/views/audit/export.go", old: "exportBehind(ctx, tx, after, now)\n\t\treturn", new: "exportBehind(ctx, l.db.Read(ctx), after, now)\n\t\treturn",
		caught: tests{"internal/views/viewstest": {"TestExportSkipsNothingDuringRemoval"}},
	},
	{
		name: "an entry numbered during its removal is missing without a report",
		file: "internal/views/retention/store.go", old: `const upTo = " AND (place IS NULL OR place <= ?)"`, new: `const upTo = " AND (place IS NULL OR place > -?)"`,
		caught: tests{"internal/views/viewstest": {"TestEntryRemovedDuringNumberingIsReported"}},
	},
	{
		name: "checks and sweeps use all time of a connection",
		file: "internal/core/walk/walk.go", old: `(1/w.Share-1)`, new: `(0/w.Share)`,
		caught: tests{"internal/views/promises": {"TestChecksPauseInProportionToTheirDuration"}, "internal/views/retention": {"TestSweepsPauseInProportionToTheirDuration"}},
	},
	{
		name: "two processes check concurrently",
		file: "internal/core/walk/walk.go", old: "if errors.Is(err, lock.ErrNotAcquired) {\n\t\treturn nil", new: "if errors.Is(err, lock.ErrNotAcquired) {\n\t\treturn w.Work(ctx, task)",
		caught: tests{"internal/views/promises": {"TestOneProcessChecksAndOthersShareItsResult"}},
	},
	{
		name: "the sums of wallets are not checked",
		file: "internal/wallets/promises.go", old: "OR x.balance <> (SELECT COALESCE(SUM(e.amount), 0)", new: "OR x.balance < (SELECT -COALESCE(SUM(e.amount), 0)",
		caught: tests{"test/e2e": {"TestPromisesHoldAndManualDamageIsFound"}},
	},
	{
		name: "a command creates the database that it does not find",
		file: "internal/app/services.go", old: `stored.Existing = now, !o.Create`, new: `stored.Existing = now, false`,
		caught: tests{"cmd/admin": {"TestOnlyServeMigrateRestoreAndCopyCreateADatabase"}},
	},
	{
		name: "demo data is loaded over data",
		file: "cmd/admin/demo.go", old: `if used != "" && !c.Force {`, new: `if used == "" && !c.Force && len(used) > 0 {`,
		caught: tests{"cmd/admin": {"TestDemoRejectsATenantWithData"}},
	},
	{
		name: "a new tenant has the role admin only",
		file: "internal/access/create_tenant.go", old: `range s.readyRoles {`, new: `range s.readyRoles[:0] {`,
		caught: tests{"internal/access": {"TestNewTenantHasTheReadyMadeRoles"}},
	},
	{
		name: "a file that root creates in the data folder is of root",
		file: "internal/base/storage/open.go", old: `if os.Geteuid() != 0 {`, new: `if os.Geteuid() >= 0 {`,
		caught: tests{"internal/base/basetest": {"TestCommandFilesBelongToTheDataFolderOwner"}},
	},
	{
		name: "a backup is restored without its kind being checked",
		file: "internal/base/backup/backup.go", old: `case isEmbedded && of == storage.MySQL:`, new: `case isEmbedded && of == "":`,
		caught: tests{"internal/base/basetest": {"TestBackupOfTheOtherKindOfDatabaseIsNamed"}},
	},

	// Links to a database that is silent, read-only or has another password.
	{
		name: "connections to a server that rejects writes are reused",
		file: "internal/base/storage/server.go", old: `s.generation.Add(1)`, new: `s.generation.Add(0)`,
		caught: tests{"internal/base/storage": {"TestConnectionsToAReadOnlyServerAreReplaced", "TestLostConnectionsAreReplacedBeforeUse"}},
	},
	{
		name: "a vanished process retains its row locks",
		file: "internal/base/storage/mysql.go", old: `config.Params[idle] =`, new: `config.Params["wait_timeout"] = "28800"; _, _ = idle,`,
		caught: tests{"internal/base/storage": {"TestRowLocksOfAVanishedProcessExpireWithinSeconds"}},
	},
	{
		name: "a changed password is an unknown error",
		file: "internal/base/storage/errors.go", old: `case 1044, 1045, 1698,`, new: `case 1044, 1698,`,
		caught: tests{"internal/base/storage": {"TestChangedPasswordIsRereadFromItsFile"}},
	},
	{
		name: "a rejected password of Redis is an error of the command",
		file: "internal/base/redisconn/connect.go", old: `errors.As(err, &reply) && !redis.IsAuthError(err)`, new: `errors.As(err, &reply)`,
		caught: tests{"internal/base/redisconn": {"TestMissingPasswordIsAConnectionError", "TestPasswordFileIsReadForEachConnection"}},
	},
	{
		name: "the certificate of a provider is not noted",
		file: "internal/base/oidc/transport.go", old: `VerifyConnection: seen.Note`, new: `VerifyConnection: nil`,
		caught: tests{"internal/base/oidc": {"TestExpiryOfProviderCertificateIsReported"}},
	},
	{
		name: "a password is read from its file once",
		file: "internal/base/storage/mysql.go", old: `gomysql.BeforeConnect(readPassword)`, new: `gomysql.BeforeConnect(nil)`,
		caught: tests{"internal/base/storage": {"TestChangedPasswordIsRereadFromItsFile"}},
	},
	{
		name: "a certificate that is not trusted is an unknown error",
		file: "internal/base/storage/errors.go", old: `errors.As(err, &untrusted) ||`, new: `errors.As(err, &untrusted) && false ||`,
		caught: tests{"internal/base/storage": {"TestUntrustedCertificateIsUnavailable"}},
	},
	{
		name: "a replica on a read-only database is ready",
		file: "internal/app/health.go", old: `case storage.Is(err, storage.ReadOnly):`, new: `case storage.Is(err, storage.ReadOnly) && err == nil:`,
		also:   []edit{{"internal/app/health.go", "case err != nil:\n		return check{Name: \"writes\"", "case err != nil && !storage.Is(err, storage.ReadOnly):\n		return check{Name: \"writes\""}},
		caught: tests{"test/faults": {"TestReadOnlyDatabaseIsNotReadyAndRecovers"}},
	},
	{
		name: "traces go to the root of a collector",
		file: "internal/edge/telemetry/trace.go", old: `u.Path = "/v1/traces"`, new: `u.Path = "/"`,
		caught: tests{"internal/edge/telemetry": {"TestTracesAreSentToTheCollectorPath"}},
	},
	{
		name: "a variable that is no setting is not reported",
		file: "cmd/admin/serve.go", old: `&& !slices.Contains(known, name)`, new: `&& slices.Contains(known, "-")`,
		caught: tests{"cmd/admin": {"TestUnknownSettingsVariablesAreFound"}},
	},
	{
		name: "the used part of a quota is that of any tenant",
		file: "internal/edge/idempotency/quota.go", old: `parts[of.kind] = max(parts[of.kind], `, new: `parts[of.kind] = min(1-parts[of.kind], `,
		caught: tests{"internal/edge/idempotency": {"TestUsedPartOfTheQuotaIsExported"}},
	},
	{
		name: "a proxy that splits reads from writes is accepted",
		file: "internal/base/storage/splitting.go", old: `if reader != primary {`, new: `if reader != primary && splittingTries == 0 {`,
		caught: tests{"internal/base/storage": {"TestReadWriteSplittingProxyIsRejected"}},
	},
	{
		name: "a certificate that expires soon is no risk",
		file: "internal/views/engines/probe.go", old: `case left < expiresSoon:`, new: `case left < expiresSoon/100:`,
		caught: tests{"internal/views/engines": {"TestCertificatesAreReportedBeforeTheyExpire"}},
	},
}

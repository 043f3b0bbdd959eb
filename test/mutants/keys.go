package main

// keys are breaks of reading requests, and of the replies stored and cached under
// idempotency keys.
var keys = []mutant{
	{
		name: "no warning of a quota of keys that is almost full",
		file: "internal/edge/idempotency/quota.go", old: `return float64(keys) >= almostFull*float64(q.limit)`, new: `return keys > q.limit`,
		caught: tests{"cmd/admin": {"TestPromisesCheckWarnsOfQuotasThatAreAlmostFull"}},
	},
	// Documents, whose mutations are stored one by one.
	{
		name: "the stored outcome of a mutation is returned without its permission",
		file: "internal/edge/httpapi/document.go", old: "if err := Permitted(ctx, permission); err != nil {\n		return err\n	}\n	if d.kept == nil {", new: "permitted := Permitted(ctx, permission)\n	if permitted != nil && d.kept == nil {\n		return permitted\n	}\n	if d.kept == nil {",
		also:   []edit{{"internal/edge/httpapi/document.go", "	if !there {\n		err = withRecovery", "	if !there && permitted != nil {\n		return permitted\n	}\n	if !there {\n		err = withRecovery"}},
		caught: tests{"test/activity": {"TestStoredMutationIsHiddenAfterThePermissionIsRevoked"}},
	},
	{
		name: "an unavailable mutation is stored",
		file: "internal/edge/httpapi/document.go", old: `if ctx.Err() != nil || !d.kept.IsFinal(reply.kept(ctx)) {`, new: `if ctx.Err() != nil || !d.kept.IsFinal(reply.kept(ctx)) && reply.header == nil {`,
		caught: tests{"test/activity": {"TestRepeatExecutesAnUnavailableMutation"}},
	},
	{
		name: "a forbidden mutation is stored",
		file: "internal/edge/httpapi/document.go", old: "if err := Permitted(ctx, permission); err != nil {\n		return err", new: "if err := Permitted(ctx, permission); err != nil {\n		if d.kept != nil {\n			return d.refuse(ctx, name, err)\n		}\n		return err",
		also:   []edit{{"internal/edge/idempotency/store.go", `case reply.Status == http.StatusTooManyRequests, reply.Status == http.StatusUnauthorized, reply.Status == http.StatusForbidden, reply`, `case reply.Status == http.StatusUnauthorized, reply`}},
		caught: tests{"test/activity": {"TestForbiddenMutationIsExecutedOncePermitted"}},
	},
	{
		name: "a repeat executes a rejected mutation",
		file: "internal/edge/httpapi/document.go", old: "	d.refused[name] = text\n", new: ``,
		caught: tests{"test/activity": {"TestRejectedMutationIsRejectedAgainUnderItsKey"}},
	},
	{
		name: "a reply with Retry-After is stored",
		file: "internal/edge/idempotency/store.go", old: `case reply.Header.Get("Retry-After") != "":`, new: `case reply.Header.Get("Retry-After") == "never":`,
		caught: tests{"internal/edge/edgetest": {"TestRepliesWithRetryAfterAreNotStored"}},
	},
	{
		name: "a part counts as decided before its COMMIT",
		file: "internal/edge/idempotency/parts.go", old: `u.AfterCommit(func(context.Context) { a.partsCommitted(records) })`, new: `u.BeforeCommit(func(context.Context, *gorm.DB) error { a.partsCommitted(records); return nil })`,
		caught: tests{"internal/edge/edgetest": {"TestRolledBackPartOfADocumentIsNotRecorded"}},
	},

	// The cached replies, and the history of the database that they belong to.
	{
		name: "the record of a reply is written outside of the transaction of its effect",
		file: "internal/edge/idempotency/store.go", old: `u.BeforeCommit(func(_ context.Context, tx *gorm.DB) error { return a.inProgressIfExists(a.insert(tx, &record)) })`,
		new: `u.BeforeCommit(func(context.Context, *gorm.DB) error { return nil })
	u.AfterCommit(func(ctx context.Context) { _ = a.insertComplete(ctx, &record) })`,
		caught: tests{"internal/edge/edgetest": {"TestReplyIsRecordedInTheTransactionOfItsEffect"}},
	},
	{
		name: "a reply is cached before its COMMIT",
		file: "internal/edge/idempotency/store.go", old: `u.AfterCommit(func(context.Context) { a.recorded(record, reply) })`, new: `u.BeforeCommit(func(context.Context, *gorm.DB) error { a.recorded(record, reply); return nil })`,
		caught: tests{"internal/edge/edgetest": {"TestRepliesAreCachedOnlyAfterCommit"}},
	},
	{
		name: "an unrecorded rejection is cached",
		file: "internal/edge/idempotency/store.go", old: `slog.WarnContext(ctx, "idempotency: reply not recorded", "error", err)`, new: `slog.WarnContext(ctx, "", "error", err)
		record.ID = 1
		a.recorded(record, reply)`,
		caught: tests{"internal/edge/edgetest": {"TestUnrecordedRejectionIsNotCached"}},
	},
	{
		name: "a cached reply of another epoch is replayed",
		file: "internal/edge/idempotency/memory.go", old: "if m.epoch != in {\n		m.epoch, m.young", new: "if m.epoch == \"\" {\n		m.epoch, m.young",
		caught: tests{"internal/edge/edgetest": {"TestNewEpochClearsTheMemory"}},
	},
	{
		name: "the result of an attempt of an earlier epoch is cached",
		file: "internal/edge/idempotency/memory.go", old: `if in == "" || in != m.epoch {`, new: `if in == "" {`,
		caught: tests{"internal/edge/edgetest": {"TestAttemptOfAnEarlierEpochIsNotCached"}},
	},
	{
		name: "a record is known by its id alone",
		file: "internal/edge/idempotency/seen_records.go", old: `return r.ID == s.id && r.IdempotencyKey == s.key && r.CreatedTime.Equal(s.created) && bytes.Equal(r.Fingerprint, s.fingerprint[:])`, new: `return r.ID == s.id && !bytes.Equal(nil, s.fingerprint[:])`,
		caught: tests{"internal/edge/edgetest": {"TestLostReplyChangesTheEpoch"}},
	},
	{
		name: "a record that a reader lacks counts as lost",
		file: "internal/edge/idempotency/seen_records.go", old: `return firstMissing(s.db.Write(ctx).Clauses(clause.Locking{Strength: "UPDATE"}), ids, seen)`, new: `return firstMissing(s.db.Read(ctx).Clauses(clause.Locking{Strength: "UPDATE"}), ids, seen)`,
		caught: tests{"internal/edge/edgetest": {"TestLaggingReplicaIsNoLoss"}},
	},
	{
		name: "cached replies are used although the connections have changed",
		file: "internal/base/epoch/watch.go", old: `if w.links.Load() == w.db.LinkChanges() && (w.isFresh(staleAfter) || w.hasCheckedSince(called)) {`, new: `if w.current.Load() != nil || w.hasCheckedSince(called) {`,
		caught: tests{
			"internal/base/basetest": {"TestEpochIsUnconfirmedAfterALinkChangeUntilTheNextCheck"},
			"internal/edge/edgetest": {"TestMemoryIsNotUsedAfterAReconnect"},
		},
	},
	{
		name: "cached replies are used while a commit seems to be missing",
		file: "internal/base/epoch/watch.go", old: "\t\tw.links.Store(doubt)\n\t\tif !clock", new: "\t\tif !clock",
		caught: tests{"internal/base/basetest": {"TestCachesAreUnconfirmedWhileACommitSeemsMissing"}},
	},
	{
		name: "cached replies are not checked against the database",
		file: "internal/base/epoch/watch.go", old: `for _, witness := range w.witnesses {`, new: `for _, witness := range w.witnesses[:0] {`,
		caught: tests{
			"internal/base/basetest": {"TestWatchChangesTheEpochOnceAfterALoss"},
			"internal/edge/edgetest": {"TestLostReplyChangesTheEpoch"},
		},
	},
	{
		name: "an epoch is changed whatever it is",
		file: "internal/base/epoch/epoch.go", old: `const statement = "UPDATE installation SET epoch = ?, begun_time = ?, reason = ? WHERE id = 1 AND epoch = ?"`, new: `const statement = "UPDATE installation SET epoch = ?, begun_time = ?, reason = ? WHERE id = 1 AND ? <> ''"`,
		caught: tests{"internal/base/basetest": {"TestConcurrentEpochChangesHaveOneResult"}},
	},

	// The request that a key belongs to.
	{
		name: "a key identifies any request",
		file: "internal/edge/idempotency/attempt.go", old: `if stored.request != a.fingerprint {`, new: `if stored.request != a.fingerprint && a.replies == nil {`,
		caught: tests{
			"internal/edge/edgetest": {"TestRolledBackPartOfADocumentIsNotRecorded"},
			"test/activity":          {"TestDocumentKeyRejectsAnotherDocument"},
		},
	},

	// Secrets of requests and replies.
	{
		name: "a stored reply contains its secrets",
		file: "internal/edge/httpapi/idempotency.go", old: `Header: header, Body: e.stored}`, new: `Header: header, Body: e.body}`,
		caught: tests{"internal/access": {"TestReplayHasTheSameIDsAndNoSecret"}},
	},
	{
		name: "the fingerprint of a request is a fast hash of its password",
		file: "internal/edge/httpapi/secret.go", old: `secret == "" {`, new: `len(secret) >= 0 {`,
		caught: tests{"internal/access": {"TestReplayHasTheSameIDsAndNoSecret"}},
	},
	{
		name: "a key confirms guesses of the caller's password",
		file: "internal/edge/httpapi/secret.go", old: `delete(object, name)`, new: `_ = name`,
		caught: tests{"internal/access": {"TestKeyConfirmsNoGuessOfTheCallersPassword"}},
	},

	// Unknown members of a request.
	{
		name: "a parameter that a route does not know is ignored",
		file: "internal/edge/httpapi/request.go", old: `if !slices.ContainsFunc(s.query, func(f field) bool { return f.name == name }) {`, new: `if name == "" {`,
		caught: tests{"internal/edge/edgetest": {"TestUndeclaredParametersAreRejectedByName"}},
	},
	{
		name: "the lease of a caller that disconnects while acquiring it is never released",
		file: "internal/edge/idempotency/attempt.go", old: "	case err == nil:\n", new: "	case err == nil && ctx.Err() == nil:\n",
		caught: tests{"internal/edge/edgetest": {"TestDisconnectWhileAcquiringTheLeaseReleasesTheKey"}},
	},
}

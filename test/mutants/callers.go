package main

// callers are breaks of authentication, and of the number of statements that it needs.
var callers = []mutant{
	{
		name: "callers are loaded one by one",
		file: "internal/access/callers/service.go", old: `batcher.New(maxBatch, s.lookUpAll), batcher.New(maxBatch, s.lookUpAll)`, new: `batcher.New(1, s.lookUpAll), batcher.New(1, s.lookUpAll)`,
		caught: tests{"internal/access/callers": {"TestConcurrentCallersAreReadInBatches"}, "internal/access": {"TestManyStreamsEndWithTheirPermissions"}},
	},
	{
		name: "active callers are not refreshed before expiry",
		file: "internal/access/callers/refresh.go", old: `due := g.used(now.Add(-refreshAfter))`, new: `due := g.used(now.Add(-time.Hour))`,
		caught: tests{"internal/access/callers": {"TestActiveCallersAreRefreshedBeforeExpiry"}},
	},
	{
		name: "disconnected callers are refreshed forever",
		file: "internal/access/callers/refresh.go", old: `if c.used.Load() && !c.readTime.After(read) {`, new: `if !c.readTime.After(read) {`,
		caught: tests{"internal/access/callers": {"TestActiveCallersAreRefreshedBeforeExpiry"}},
	},
	{
		name: "active callers are loaded one by one after a change of permissions",
		file: "internal/access/callers/refresh.go", old: `	if before != g {`, new: `	if before == nil {`,
		caught: tests{"internal/access/callers": {"TestActiveCallersAreRefreshedTogetherAfterAChange"}},
	},
	{
		name: "callers without a credential in the refresh stay cached",
		file: "internal/access/callers/look_up.go", old: `		g.forget(hash)
`, new: ``,
		caught: tests{"internal/access/callers": {"TestRefreshEvictsDeletedCredentials"}},
	},
	{
		name: "callers read before a revocation stay cached",
		file: "internal/access/callers/look_up.go", old: `g.put(found.caller)`, new: `s.callers.current.Load().put(found.caller)`,
		caught: tests{"internal/access/callers": {"TestLookupBeforeRevocationIsNotCached"}},
	},
	{
		name: "callers of requests wait behind those of streams",
		file: "internal/access/callers/look_up.go", old: `	among := s.callers.requests
`, new: `	among := s.callers.streams
`,
		caught: tests{"internal/access/callers": {"TestRequestsDoNotWaitForStreamLookups"}},
	},
	{
		name: "callers are rejected because an earlier lookup failed",
		file: "internal/access/callers/look_up.go", old: `if errors.Is(err, batcher.ErrNotFlushed) && ctx.Err() == nil {`, new: `if errors.Is(err, batcher.ErrNotFlushed) && ctx.Err() != nil {`,
		caught: tests{"internal/access/callers": {"TestLookupAfterAFailedBatchSucceeds"}},
	},
	{
		name: "a panicking lookup blocks all later ones",
		file: "internal/base/batcher/batcher.go", old: `outs, err := b.flushed(ctx, ins)`, new: `outs, err := b.flush(ctx, ins)`,
		caught: tests{"internal/base/batcher": {"TestPanickingFlushFailsOnlyItsCalls"}},
	},
	{
		name: "callers become users of another tenant that their credential's row names",
		file: "internal/access/callers/store.go", old: `.user_id AND users.tenant_id = "+table+".tenant_id").`, new: `.user_id").`,
		caught: tests{"internal/access/callers": {"TestBatchedLookupReturnsEachCallersResult"}},
	},
	{
		name: "callers have the roles of another tenant",
		file: "internal/access/callers/store.go", old: `ON r.id = u.role_id AND r.tenant_id = u.tenant_id
		WHERE u.user_id IN ?`, new: `ON r.id = u.role_id
		WHERE u.user_id IN ?`,
		caught: tests{"internal/access/callers": {"TestBatchedLookupReturnsEachCallersResult"}},
	},
	{
		name: "callers have roles assigned by rows of another tenant",
		file: "internal/access/callers/store.go", old: `o := Owner{row.TenantID, row.UserID}`, new: `o := Owner{owners[slices.Index(ids, row.UserID)].TenantID, row.UserID}`,
		also:   []edit{{"internal/access/callers/store.go", `	"strconv"`, `	"slices"` + "\n" + `	"strconv"`}},
		caught: tests{"internal/access/callers": {"TestBatchedLookupReturnsEachCallersResult"}},
	},
	{
		name: "callers have permissions of roles of another tenant",
		file: "internal/access/callers/store.go", old: `			permissions[role{row.TenantID, row.RoleID}] = append(permissions[role{row.TenantID, row.RoleID}], row.Name)`, new: `			permissions[role{owners[0].TenantID, row.RoleID}] = append(permissions[role{owners[0].TenantID, row.RoleID}], row.Name)`,
		caught: tests{"internal/access/callers": {"TestBatchedLookupReturnsEachCallersResult"}},
	},
	{
		name: "disabled callers are admitted",
		file: "internal/access/callers/store.go", old: `.token_hash IN ? AND users.disabled = ? AND tenants.disabled_time IS NULL", hashes, false)`, new: `.token_hash IN ? AND tenants.disabled_time IS NULL", hashes)`,
		caught: tests{"internal/access/callers": {"TestBatchedLookupReturnsEachCallersResult"}, "internal/access": {"TestDisabledUserIsRejectedInAllProcesses"}},
	},
	{
		name: "a disabled tenant's users are admitted",
		file: "internal/access/callers/store.go", old: `.token_hash IN ? AND users.disabled = ? AND tenants.disabled_time IS NULL", hashes, false)`, new: `.token_hash IN ? AND users.disabled = ?", hashes, false)`,
		caught: tests{"internal/access": {"TestDisabledTenantRejectsCallersInAllProcesses"}, "internal/access/callers": {"TestBatchedLookupReturnsEachCallersResult"}},
	},
	{
		name: "a disabled tenant's customers are admitted",
		file: "internal/access/tenants/disable.go", old: `"id IN ? AND disabled_time IS NULL", ids`, new: `"id IN ?", ids`,
		caught: tests{"internal/access": {"TestDisabledTenantRejectsCallersInAllProcesses"}},
	},
	{
		name: "callers with an expired token are admitted",
		file: "internal/access/callers/store.go", old: `if row.ExpiresTime == nil || now.Before(*row.ExpiresTime) {`, new: `if row.ExpiresTime == nil || !now.IsZero() {`,
		caught: tests{"internal/access/callers": {"TestBatchedLookupReturnsEachCallersResult"}},
	},
	{
		name: "the last uses of callers' credentials are not written when the process ends",
		file: "internal/access/callers/refresh.go", old: `		Last: s.WriteUses,
`, new: ``,
		caught: tests{"internal/access/callers": {"TestLastUsesAreWrittenInBackgroundAndAtStop"}},
	},
	{
		name: "the uses of callers' credentials are written one by one",
		file: "internal/access/callers/use.go", old: `slices.Chunk(ids, maxBatch)`, new: `slices.Chunk(ids, 1)`,
		caught: tests{"internal/access/callers": {"TestLastUsesAreWrittenInBatches"}},
	},
}

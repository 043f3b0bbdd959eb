package coretest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
)

// attempt is the result of one unit that inserts a thing.
type attempt struct {
	err       error
	runs      int
	published int
	observed  *counts
}

// try inserts a thing in a unit of a runner that searches for a lost COMMIT for half a
// second.
func try(ctx context.Context, db *storage.DB, name string) attempt {
	a := attempt{observed: &counts{}}
	runner := uow.NewRunner(uow.Options{
		DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}, Observer: a.observed, CommitResolveTimeout: 500 * time.Millisecond,
	})
	a.err = runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		a.runs++
		u.AfterCommit(func(context.Context) { a.published++ })
		return insert(name)(ctx, u)
	})
	return a
}

// requireThings checks that exactly these things exist, each with one audit row.
func requireThings(t *testing.T, ctx context.Context, db *storage.DB, names ...string) {
	t.Helper()
	var things []storagetest.Thing
	require.NoError(t, db.Read(ctx).Order("name").Find(&things).Error)
	found := []string{}
	for _, thing := range things {
		found = append(found, thing.Name)
	}
	require.Equal(t, append([]string{}, names...), found)
	require.EqualValues(t, len(names), count[uow.AuditRow](t, ctx, db))
}

// inItsWords are errors of COMMIT that do not reveal the state of the transaction.
var inItsWords = map[string]storagetest.Refusal{
	"1047 of Galera":                   {Number: 1047, Message: "WSREP has not yet prepared node for application use"},
	"1105, the schema changed":         {Number: 1105, Message: "Information schema is changed. [try again later]"},
	"1180 of the engine":               {Number: 1180, Message: "Got error 1 during COMMIT"},
	"1205, the lock of a backup":       {Number: 1205, Message: "Lock wait timeout exceeded; try restarting transaction"},
	"8501, the result is undetermined": {Number: 8501, Message: "execution result undetermined"},
	"an unknown error number":          {Number: 4711, Message: "an unexpected error"},
}

// requireOnce lets the COMMIT of one unit after another fail, and checks that each unit
// returns success, exists once, and has run the expected number of times.
func requireOnce(t *testing.T, executed bool, runs int, retries, ends map[string]int) {
	t.Helper()
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	for name, refusal := range inItsWords {
		refusal.Executed = executed
		tap.RefuseNext("COMMIT", refusal)
		a := try(ctx, db, name)
		require.NoErrorf(t, a.err, name)
		require.Equal(t, [2]int{runs, 1}, [2]int{a.runs, a.published}, name)
		require.Equal(t, retries, a.observed.retries, name)
		require.Equal(t, ends, a.observed.ends, name)
	}
	requireThings(t, ctx, db, slices.Sorted(maps.Keys(inItsWords))...)
}

// Proves D3.
func TestRejectedCommitIsRetriedAndNeverReappears(t *testing.T) {
	requireOnce(t, false, 2, map[string]int{"commit_lost": 1}, map[string]int{"rolled_back": 1, "committed": 1})
}

// A tombstone needs only its unique key, and only for an hour: a customer's erasure
// searches only rows of the tenant.
// Proves E5.
func TestTombstonesAreAnonymizedAfterAnHour(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	before := time.Now()
	tap.RefuseNext("COMMIT", storagetest.Refusal{Number: 1180, Message: "Got error 1 during COMMIT"})
	require.NoError(t, try(ctx, db, "kim").err)
	everywhere := storage.AcrossTenants(t.Context())
	place := func(condition string, value any) (row uow.AuditRow) {
		t.Helper()
		var rows []uow.AuditRow
		require.NoError(t, db.Read(everywhere).Where("tenant_id = 0 AND created_time >= ? AND "+condition, before, value).Find(&rows).Error)
		require.Len(t, rows, 1)
		return rows[0]
	}
	held := place("resource = ?", "things/kim")
	require.Equal(t, uow.AuditRow{
		ID: held.ID, UnitID: held.UnitID, Action: "unit.lost", Resource: "things/kim", Detail: json.RawMessage("{}"), CreatedTime: held.CreatedTime,
	}, held)

	later := clock.NewFake(held.CreatedTime.Add(time.Hour))
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: later})
	require.NoError(t, runner.AnonymizeTombstones(t.Context(), 100))
	require.Equal(t, "things/kim", place("unit_id = ?", held.UnitID).Resource, "the tombstone may still be needed")
	later.Advance(time.Second)
	require.NoError(t, runner.AnonymizeTombstones(t.Context(), 100))
	require.Empty(t, place("unit_id = ?", held.UnitID).Resource)
	requireThings(t, ctx, db, "kim")
}

// Proves D3.
func TestCommitThatFailedAfterItsEffectIsNotRetried(t *testing.T) {
	requireOnce(t, true, 1, nil, map[string]int{"committed": 1})
}

// A replica behind a proxy may not have applied the commit yet.
// Proves D3.
func TestOutcomeOfACommitIsReadFromThePrimary(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	tap.RefuseNext("COMMIT", storagetest.Refusal{Number: 1180, Message: "Got error 1 during COMMIT", Executed: true})
	tap.Take()
	require.NoError(t, try(ctx, db, "kim").err)
	passed := tap.Take()
	look := slices.Index(passed, "SELECT audit_entries")
	require.Positive(t, look, passed)
	require.Equal(t, []string{"INSERT INTO audit_entries", "START TRANSACTION", "SELECT audit_entries", "ROLLBACK"}, passed[look-2:look+2])
}

// Proves D3.
func TestUnitWithOnlyRejectedCommitsChangesNothing(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	for name, refusal := range inItsWords {
		tap.Refuse(func(statement string) *storagetest.Refusal {
			if statement == "COMMIT" {
				return &refusal
			}
			return nil
		})
		a := try(ctx, db, name)
		require.Truef(t, apperr.Has(a.err, apperr.Unavailable), "%s: %v", name, a.err)
		require.Contains(t, a.err.Error(), "othing was changed", name)
		require.Equal(t, [2]int{5, 0}, [2]int{a.runs, a.published}, name)
	}
	tap.Refuse(nil)
	require.NoError(t, try(ctx, db, "afterwards").err)
	requireThings(t, ctx, db, "afterwards")
}

// Proves D3.
func TestUnverifiableCommitIsUnknownAndNotRetried(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	for _, executed := range []bool{true, false} {
		name := map[bool]string{true: "executed", false: "refused"}[executed]
		tap.Refuse(func(statement string) *storagetest.Refusal {
			switch {
			case statement == "COMMIT":
				return &storagetest.Refusal{Number: 1180, Message: "Got error 1 during COMMIT", Executed: executed}
			case strings.Contains(statement, "'unit.lost'"):
				return &storagetest.Refusal{Number: 1047, Message: "WSREP has not yet prepared node for application use"}
			}
			return nil
		})
		a := try(ctx, db, name)
		require.Truef(t, apperr.Has(a.err, apperr.OutcomeUnknown), "%v", a.err)
		require.Equal(t, [2]int{1, 0}, [2]int{a.runs, a.published}, name)
		require.Equal(t, map[string]int{"unknown": 1}, a.observed.ends, name)
	}
	tap.Refuse(nil)
	requireThings(t, ctx, db, "executed")
}

func TestRolledBackCommitIsRetriedWithoutALookup(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	tap.RefuseNext("COMMIT", storagetest.Refusal{Number: 1213, Message: "Deadlock found when trying to get lock; try restarting transaction"})
	tap.Take()
	a := try(ctx, db, "certified")
	require.NoError(t, a.err)
	require.Equal(t, map[string]int{"write_conflict": 1}, a.observed.retries)
	require.NotContains(t, tap.Take(), "SELECT audit_entries")
	requireThings(t, ctx, db, "certified")
}

// Proves D8.
func TestCommitAfterADiskErrorSurvivesACrashOnce(t *testing.T) {
	ctx := storagetest.Tenant(t)
	for name, fault := range map[string]struct {
		op   storagetest.Op
		code int32
	}{
		"the sync failed":   {storagetest.Sync, storagetest.SyncFailed},
		"a write failed":    {storagetest.Write, storagetest.WriteFailed},
		"the disk was busy": {storagetest.Sync, storagetest.DiskBusy},
	} {
		t.Run(name, func(t *testing.T) {
			db, disk := storagetest.SQLiteOnDisk(t)
			storagetest.CreateThings(t, ctx, db)
			disk.FailNext(fault.op, fault.code)
			a := try(ctx, db, name)
			require.NoError(t, a.err)
			require.Equal(t, [2]int{2, 1}, [2]int{a.runs, a.published})
			require.Equal(t, map[string]int{"commit_lost": 1}, a.observed.retries)
			requireThings(t, ctx, db, name)
			requireThings(t, ctx, disk.AfterACrash(t), name)
		})
	}
}

// whileTheDiskFails tries to insert a thing while every operation of a kind fails, and
// returns the result. It checks that the service recovers automatically, and that
// unacknowledged writes do not exist, not even after a crash.
func whileTheDiskFails(t *testing.T, op storagetest.Op, code int32) attempt {
	t.Helper()
	ctx := storagetest.Tenant(t)
	db, disk := storagetest.SQLiteOnDisk(t)
	storagetest.CreateThings(t, ctx, db)
	require.NoError(t, try(ctx, db, "before").err)
	disk.Fail(func(performed storagetest.Op, _ string) int32 {
		if performed == op {
			return code
		}
		return 0
	})
	failed := try(ctx, db, "meanwhile")
	if !apperr.Has(failed.err, apperr.OutcomeUnknown) {
		requireThings(t, ctx, disk.AfterACrash(t), "before")
	}
	disk.Fail(nil)
	require.NoError(t, try(ctx, db, "later").err)
	requireThings(t, ctx, db, "before", "later")
	requireThings(t, ctx, disk.AfterACrash(t), "before", "later")
	require.Equal(t, [2]int{1, 0}, [2]int{failed.runs, failed.published})
	return failed
}

// Proves D8.
func TestFailedSyncIsUnknownAndNeverRolledBack(t *testing.T) {
	failed := whileTheDiskFails(t, storagetest.Sync, storagetest.SyncFailed)
	require.Truef(t, apperr.Has(failed.err, apperr.OutcomeUnknown), "%v", failed.err)
}

// Proves D8.
func TestFullDiskIsReportedAndNothingReappears(t *testing.T) {
	failed := whileTheDiskFails(t, storagetest.Write, storagetest.DiskFull)
	require.Truef(t, apperr.Has(failed.err, apperr.Unavailable), "%v", failed.err)
	require.Contains(t, failed.err.Error(), "no room left to write; nothing was changed")
}

// A unit that shares a sync has read the writes of earlier units in its group, which are
// rolled back if the sync fails.
func TestNoReplyDependsOnARolledBackGroup(t *testing.T) {
	ctx := storagetest.Tenant(t)
	disk := storagetest.NewDisk(t)
	address := "sqlite://" + disk.Path
	require.NoError(t, storagetest.Migrate(address))
	// With a stopped clock, a group accepts every unit, however slow the machine is.
	db, err := storage.Open(t.Context(), storage.Options{URL: address, MaxConnections: 16, Clock: clock.NewFake(time.Now())})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	storagetest.CreateThings(t, ctx, db)
	syncing, held := make(chan struct{}), make(chan struct{})
	reached, let := sync.OnceFunc(func() { close(syncing) }), sync.OnceFunc(func() { close(held) })
	t.Cleanup(let)
	syncs := atomic.Int64{}
	disk.Fail(func(op storagetest.Op, file string) int32 {
		if op != storagetest.Sync || !strings.HasSuffix(file, "-wal") {
			return 0
		}
		switch syncs.Add(1) {
		case 1:
			reached()
			<-held
		case 2:
			return storagetest.SyncFailed
		}
		return 0
	})
	begin := func(run func() error) <-chan error {
		waiting := db.Pools()["write"].Stats().InUse
		ended := make(chan error, 1)
		go func() { ended <- run() }()
		require.Eventually(t, func() bool { return db.Pools()["write"].Stats().InUse > waiting }, 10*time.Second, time.Millisecond)
		return ended
	}
	runner := uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: clock.System{}})
	first := begin(func() error { return runner.Do(ctx, insert("first")) })
	<-syncing
	// The following units wait in the queue of writers, in the order in which they begin.
	queued := 0
	follow := func(run func() error) <-chan error {
		ended := begin(run)
		queued++
		require.Eventually(t, func() bool {
			stacks := make([]byte, 1<<20)
			return bytes.Count(stacks[:runtime.Stack(stacks, true)], []byte("(*writerQueue).lockOrRun(")) >= queued
		}, 10*time.Second, time.Millisecond)
		return ended
	}
	gaveUp := errors.New("gave up")
	var runs int
	undone := follow(func() error {
		return runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			if runs++; runs > 1 {
				return gaveUp
			}
			return insert("undone")(ctx, u)
		})
	})
	var seen [2][]int64
	look := func(i int, refusal error) func() error {
		return func() error {
			return runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				tx, err := u.Tx(ctx)
				if err != nil {
					return err
				}
				var found int64
				if err := tx.Model(&storagetest.Thing{}).Where("name = ?", "undone").Count(&found).Error; err != nil {
					return err
				}
				seen[i] = append(seen[i], found)
				return refusal
			})
		}
	}
	refusal := errors.New("refused")
	answered, refused := follow(look(0, nil)), follow(look(1, refusal))
	let()
	require.NoError(t, <-first)
	require.ErrorIs(t, <-undone, gaveUp)
	require.NoError(t, <-answered)
	require.ErrorIs(t, <-refused, refusal)
	for _, found := range seen {
		require.Zero(t, found[len(found)-1], "the result is of a run that read committed data: %v", found)
	}
	require.Contains(t, seen[0], int64(1), "the first run was in the group that was rolled back")
}

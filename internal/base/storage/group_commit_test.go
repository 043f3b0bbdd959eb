package storage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// busyDisk is a database with a disk that syncs one commit while others arrive.
type busyDisk struct {
	db   *storage.DB
	disk *storagetest.Disk
	// syncs counts syncs of the log, and goOn ends the blocked one.
	syncs atomic.Int64
	goOn  func()
	ended chan error
}

// newBusyDisk returns while the disk syncs the commit of a thing named "first".
func newBusyDisk(t *testing.T, ctx context.Context) *busyDisk {
	t.Helper()
	b := &busyDisk{ended: make(chan error, 1)}
	b.db, b.disk = storagetest.SQLiteOnDisk(t)
	b.db.SetMaxGroupAge(time.Minute)
	storagetest.CreateThings(t, ctx, b.db)
	syncing, held := make(chan struct{}), make(chan struct{})
	b.goOn = sync.OnceFunc(func() { close(held) })
	t.Cleanup(b.goOn)
	b.disk.Fail(func(op storagetest.Op, file string) int32 {
		if op == storagetest.Sync && strings.HasSuffix(file, "-wal") && b.syncs.Add(1) == 1 {
			close(syncing)
			<-held
		}
		return 0
	})
	go func() { b.ended <- b.db.Transact(ctx, life, addThing("first")) }()
	<-syncing
	return b
}

// queue starts a transaction and returns when it waits for the writer.
func (b *busyDisk) queue(t *testing.T, run func() error) <-chan error {
	t.Helper()
	before := b.db.Waiting()
	ended := make(chan error, 1)
	go func() { ended <- run() }()
	require.Eventually(t, func() bool { return b.db.Waiting() == before+1 }, life, 100*time.Microsecond)
	return ended
}

func (b *busyDisk) add(t *testing.T, ctx context.Context, name string) <-chan error {
	t.Helper()
	return b.queue(t, func() error { return b.db.Transact(ctx, life, addThing(name)) })
}

// Proves D7.
func TestTransactionsDuringASyncShareTheNextOne(t *testing.T) {
	ctx := storagetest.Tenant(t)
	b := newBusyDisk(t, ctx)
	want := []string{"first"}
	var others []<-chan error
	for i := range 20 {
		want = append(want, fmt.Sprint(i))
		others = append(others, b.add(t, ctx, want[i+1]))
	}
	b.goOn()
	require.NoError(t, <-b.ended)
	for _, ended := range others {
		require.NoError(t, <-ended)
	}
	require.EqualValues(t, 2, b.syncs.Load())
	require.ElementsMatch(t, want, names(t, ctx, b.db))
	require.ElementsMatch(t, want, crashed(t, ctx, b.disk))
	require.NoError(t, b.db.Transact(ctx, life, addThing("alone")))
	require.EqualValues(t, 3, b.syncs.Load(), "a single transaction does not wait")
}

func TestGroupSizeIsBounded(t *testing.T) {
	ctx := storagetest.Tenant(t)
	b := newBusyDisk(t, ctx)
	var others []<-chan error
	for i := range 70 {
		others = append(others, b.add(t, ctx, fmt.Sprint(i)))
	}
	b.goOn()
	for _, ended := range others {
		require.NoError(t, <-ended)
	}
	require.EqualValues(t, 3, b.syncs.Load(), "the first, 64, and the rest")
	b.db.SetMaxGroupAge(-1)
	others = nil
	for i := range 5 {
		others = append(others, async(func() error { return b.db.Transact(ctx, life, addThing(fmt.Sprint("old ", i))) }))
	}
	for _, ended := range others {
		require.NoError(t, <-ended)
	}
	require.EqualValues(t, 8, b.syncs.Load(), "an old group accepts no members")
}

func async(run func() error) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- run() }()
	return ended
}

// Proves D7.
func TestCommitReturnsOnlyAfterDiskSync(t *testing.T) {
	ctx := storagetest.Tenant(t)
	b := newBusyDisk(t, ctx)
	second := b.add(t, ctx, "second")
	undone := errors.New("rolled back by its caller")
	third := b.queue(t, func() error {
		return b.db.Transact(ctx, life, func(tx *gorm.DB) error {
			// It reads the write of the preceding member, and may return only after that is
			// committed.
			require.Error(t, addThing("second")(tx))
			return undone
		})
	})
	fourth := b.add(t, ctx, "fourth")
	syncing, held := make(chan struct{}), make(chan struct{})
	reached, let := sync.OnceFunc(func() { close(syncing) }), sync.OnceFunc(func() { close(held) })
	t.Cleanup(let)
	b.disk.Fail(func(op storagetest.Op, file string) int32 {
		if op == storagetest.Sync && strings.HasSuffix(file, "-wal") {
			reached()
			<-held
		}
		return 0
	})
	b.goOn()
	require.NoError(t, <-b.ended)
	<-syncing
	select {
	case err := <-second:
		require.Fail(t, "it returned before the sync", "%v", err)
	case err := <-third:
		require.Fail(t, "it returned data that is not synced", "%v", err)
	case err := <-fourth:
		require.Fail(t, "it returned before the sync", "%v", err)
	case <-time.After(50 * time.Millisecond):
	}
	let()
	require.NoError(t, <-second)
	require.ErrorIs(t, <-third, undone)
	require.NoError(t, <-fourth)
	require.ElementsMatch(t, []string{"first", "second", "fourth"}, names(t, ctx, b.db))
}

// Proves D7.
func TestRollbackDoesNotAffectItsGroup(t *testing.T) {
	ctx := storagetest.Tenant(t)
	b := newBusyDisk(t, ctx)
	undone := errors.New("rolled back by its caller")
	undo := func() error {
		return b.db.Transact(ctx, life, func(tx *gorm.DB) error {
			return errors.Join(addThing("undone")(tx), undone)
		})
	}
	committed := []<-chan error{}
	gone := []<-chan error{b.queue(t, undo)}
	for i := range 3 {
		committed = append(committed, b.add(t, ctx, fmt.Sprint(i)))
		gone = append(gone, b.queue(t, undo))
	}
	b.goOn()
	for _, ended := range committed {
		require.NoError(t, <-ended)
	}
	for _, ended := range gone {
		require.ErrorIs(t, <-ended, undone)
	}
	require.ElementsMatch(t, []string{"first", "0", "1", "2"}, crashed(t, ctx, b.disk))
}

// Proves D7.
func TestFailedCommitFailsItsWholeGroup(t *testing.T) {
	ctx := storagetest.Tenant(t)
	for name, refused := range map[string]struct {
		op        storagetest.Op
		code      int32
		undecided bool
	}{
		"the sync failed":   {storagetest.Sync, storagetest.SyncFailed, true},
		"there was no room": {storagetest.Write, storagetest.DiskFull, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBusyDisk(t, ctx)
			var others []<-chan error
			for i := range 5 {
				others = append(others, b.add(t, ctx, fmt.Sprint(i)))
			}
			b.disk.FailNext(refused.op, refused.code)
			b.goOn()
			require.NoError(t, <-b.ended)
			for _, ended := range others {
				err := <-ended
				require.Error(t, err)
				require.Equal(t, refused.undecided, storage.Undecided(err), "%v", err)
				require.Equal(t, !refused.undecided, storage.Is(err, storage.Full), "%v", err)
			}
			b.disk.Fail(nil)
			require.NoError(t, b.db.Transact(ctx, life, b.db.Supersede))
			require.Equal(t, []string{"first"}, crashed(t, ctx, b.disk))
		})
	}
}

// SQLite rolls back the whole transaction if a writing statement is interrupted.
// Proves D7.
func TestMembersOfRolledBackGroupRunAgain(t *testing.T) {
	ctx := storagetest.Tenant(t)
	b := newBusyDisk(t, ctx)
	runs := atomic.Int64{}
	before := b.queue(t, func() error {
		return b.db.Transact(ctx, life, func(tx *gorm.DB) error {
			runs.Add(1)
			return addThing("before")(tx)
		})
	})
	long, cancel := context.WithCancel(ctx)
	interrupted := b.queue(t, func() error {
		return b.db.Transact(ctx, life, func(tx *gorm.DB) error {
			time.AfterFunc(20*time.Millisecond, cancel)
			const endless = `INSERT INTO things (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, name, status, amount)
				WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT 1, 1, '', '', 1, '', i, 0, 0 FROM n`
			return tx.WithContext(long).Exec(endless).Error
		})
	})
	after := b.add(t, ctx, "after")
	b.goOn()
	require.ErrorIs(t, <-interrupted, context.Canceled)
	require.NoError(t, <-before)
	require.NoError(t, <-after)
	require.EqualValues(t, 2, runs.Load())
	require.ElementsMatch(t, []string{"first", "before", "after"}, crashed(t, ctx, b.disk))
}

func TestRejectionBasedOnRolledBackWritesIsRetried(t *testing.T) {
	ctx := storagetest.Tenant(t)
	b := newBusyDisk(t, ctx)
	before := b.add(t, ctx, "before")
	runs := atomic.Int64{}
	second := b.queue(t, func() error {
		return b.db.Transact(ctx, life, func(tx *gorm.DB) error {
			runs.Add(1)
			return addThing("before")(tx)
		})
	})
	single := b.queue(t, func() error { return addThing("before")(b.db.Write(ctx)) })
	b.disk.FailNext(storagetest.Sync, storagetest.SyncFailed)
	b.goOn()
	require.NoError(t, <-b.ended)
	require.True(t, storage.Undecided(<-before))
	require.NoError(t, <-second, "the one before it is not there")
	require.EqualValues(t, 2, runs.Load())
	require.True(t, storage.Is(<-single, storage.WriteConflict), "it is not known to be a duplicate")
	b.disk.Fail(nil)
	require.ElementsMatch(t, []string{"first", "before"}, crashed(t, ctx, b.disk))
}

func TestCloseEndsTheGroupFirst(t *testing.T) {
	ctx := storagetest.Tenant(t)
	b := newBusyDisk(t, ctx)
	second := b.add(t, ctx, "second")
	before := b.db.Waiting()
	closed := async(b.db.Close)
	require.Eventually(t, func() bool { return b.db.Waiting() == before+1 }, life, 100*time.Microsecond)
	third := async(func() error { return b.db.Transact(ctx, life, addThing("third")) })
	b.goOn()
	require.NoError(t, <-b.ended)
	require.NoError(t, <-second)
	require.Error(t, <-third)
	require.NoError(t, <-closed)
	require.ElementsMatch(t, []string{"first", "second"}, names(t, ctx, storagetest.Open(t, "sqlite://"+b.disk.Path)))
}

func TestAbandonedWaitPreservesQueueOrder(t *testing.T) {
	ctx := storagetest.Tenant(t)
	b := newBusyDisk(t, ctx)
	second := b.add(t, ctx, "second")
	impatient, leave := context.WithCancel(ctx)
	gone := b.queue(t, func() error {
		_, err := b.db.Begin(ctx, impatient)
		return err
	})
	third := b.add(t, ctx, "third")
	leave()
	require.ErrorIs(t, <-gone, context.Canceled)
	b.goOn()
	require.NoError(t, <-second)
	require.NoError(t, <-third)
	require.ElementsMatch(t, []string{"first", "second", "third"}, names(t, ctx, b.db))
}

func TestSingleStatementsTakePartInAGroup(t *testing.T) {
	ctx := storagetest.Tenant(t)
	b := newBusyDisk(t, ctx)
	before := b.add(t, ctx, "before")
	single := b.queue(t, func() error { return addThing("single")(b.db.Write(ctx)) })
	twice := b.queue(t, func() error { return addThing("single")(b.db.Write(ctx)) })
	var count int64
	counted := b.queue(t, func() error { return b.db.Write(ctx).Model(&storagetest.Thing{}).Count(&count).Error })
	pragma := b.queue(t, func() error { return b.db.Write(storage.AcrossTenants(ctx)).Exec("PRAGMA optimize").Error })
	after := b.add(t, ctx, "after")
	b.goOn()
	for _, ended := range []<-chan error{before, single, counted, pragma, after} {
		require.NoError(t, <-ended)
	}
	require.True(t, storage.Is(<-twice, storage.DuplicateKey))
	require.EqualValues(t, 3, count)
	require.ElementsMatch(t, []string{"first", "before", "single", "after"}, crashed(t, ctx, b.disk))
}

// Proves D7.
func TestManyWritersOfSQLiteLoseNothing(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, disk := storagetest.SQLiteOnDisk(t)
	storagetest.CreateThings(t, ctx, db)
	const writers, each = 16, 50
	var running sync.WaitGroup
	var reported sync.Map
	for w := range writers {
		running.Go(func() {
			for i := range each {
				name := fmt.Sprintf("%d-%d", w, i)
				err := db.Transact(ctx, life, func(tx *gorm.DB) error {
					if err := addThing(name)(tx); err != nil || i%5 > 0 {
						return err
					}
					return errors.New("rolled back by its caller")
				})
				if err == nil {
					reported.Store(name, true)
				}
			}
		})
	}
	running.Wait()
	var want []string
	reported.Range(func(name, _ any) bool {
		want = append(want, name.(string))
		return true
	})
	require.Len(t, want, writers*each*4/5)
	require.ElementsMatch(t, want, crashed(t, ctx, disk))
}

func BenchmarkTransactionsOnSQLite(b *testing.B) {
	for _, writers := range []int{1, 32} {
		b.Run(fmt.Sprint(writers), func(b *testing.B) {
			ctx := storage.AcrossTenants(b.Context())
			db, err := storage.Open(ctx, storage.Options{URL: "sqlite://" + b.TempDir() + "/bench.db"})
			require.NoError(b, err)
			defer db.Close()
			require.NoError(b, db.Write(ctx).Exec("CREATE TABLE counters (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)").Error)
			b.ReportAllocs()
			var n atomic.Int64
			var running sync.WaitGroup
			for range writers {
				running.Go(func() {
					for id := n.Add(1); id <= int64(b.N); id = n.Add(1) {
						err := db.Transact(ctx, life, func(tx *gorm.DB) error {
							return tx.Exec("INSERT INTO counters (id, n) VALUES (?, 1)", id).Error
						})
						if err != nil {
							b.Error(err)
						}
					}
				})
			}
			running.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "transactions/s")
		})
	}
}

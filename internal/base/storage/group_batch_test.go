package storage_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
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

const insertThing = `INSERT INTO things (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, name, status, amount)
	SELECT tenant_id, 1, created_time, updated_time, 7, 'Tester', ?, 0, 0 FROM things WHERE tenant_id > 0 AND name = 'first'`

// addBatch adds things in a packed transaction with all statements deferred to COMMIT.
// The names are unique, so it fails if one of them exists; "" is a guard that matches no
// row.
func addBatch(db *storage.DB, names ...string) error {
	ctx := storage.AcrossTenants(context.Background())
	bounded, end := context.WithTimeout(ctx, life)
	defer end()
	tx, err := db.BeginPacked(ctx, bounded, &storage.Packing{})
	if err != nil {
		return err
	}
	for _, name := range names {
		if name == "" {
			_, err = storage.ExecDeferredOneRow(tx, "UPDATE things SET amount = 1 WHERE name = 'nobody'")
		} else {
			err = storage.ExecDeferred(tx, insertThing, name)
		}
		if err != nil {
			return errors.Join(err, tx.Rollback().Error)
		}
	}
	return db.Commit(tx)
}

// batch queues such a transaction.
func (b *busyDisk) batch(t *testing.T, names ...string) <-chan error {
	t.Helper()
	return b.queue(t, func() error { return addBatch(b.db, names...) })
}

func TestFailedBatchDoesNotAffectItsGroup(t *testing.T) {
	ctx := storagetest.Tenant(t)
	interactive := func(b *busyDisk, t *testing.T, name string) <-chan error { return b.add(t, ctx, name) }
	batch := func(b *busyDisk, t *testing.T, name string) <-chan error { return b.batch(t, name+".1", name+".2") }
	for name, fails := range map[string][]string{
		"its guard matches nothing":         {"", "x"},
		"its first statement fails":         {"first", "x"},
		"a later statement fails":           {"x", "y", "first"},
		"a later statement matches nothing": {"x", ""},
	} {
		for mixture, others := range map[string][3]func(*busyDisk, *testing.T, string) <-chan error{
			"among batches":          {batch, batch, batch},
			"after an interactive":   {interactive, batch, batch},
			"before an interactive":  {batch, interactive, batch},
			"at the head of a group": {nil, batch, interactive},
			"without other members":  {},
		} {
			t.Run(name+", "+mixture, func(t *testing.T) {
				b := newBusyDisk(t, ctx)
				var committed []<-chan error
				add := func(i int) {
					if others[i] != nil {
						committed = append(committed, others[i](b, t, fmt.Sprint(i)))
					}
				}
				add(0)
				gone := b.batch(t, fails...)
				add(1)
				again := b.batch(t, fails...)
				add(2)
				b.goOn()
				require.NoError(t, <-b.ended)
				for _, ended := range committed {
					require.NoError(t, <-ended)
				}
				for _, ended := range []<-chan error{gone, again} {
					err := <-ended
					require.Error(t, err)
					require.False(t, storage.Undecided(err), "%v", err)
				}
				want := []string{"first"}
				for i, other := range others {
					if other == nil {
						continue
					}
					if mixed := fmt.Sprint(i); strings.Contains(mixture, "before") && i == 1 || strings.Contains(mixture, "after") && i == 0 || strings.Contains(mixture, "head") && i == 2 {
						want = append(want, mixed)
					} else {
						want = append(want, mixed+".1", mixed+".2")
					}
				}
				require.ElementsMatch(t, want, crashed(t, ctx, b.disk))
				require.EqualValues(t, min(len(committed), 1)+1, b.syncs.Load(), "they shared one sync")
			})
		}
	}
}

func TestBatchReturnsOnlyAfterDiskSync(t *testing.T) {
	ctx := storagetest.Tenant(t)
	b := newBusyDisk(t, ctx)
	reported := []<-chan error{b.batch(t, "a"), b.batch(t, "b"), b.batch(t, "first")}
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
	case err := <-reported[0]:
		require.Fail(t, "it returned before the sync", "%v", err)
	case err := <-reported[1]:
		require.Fail(t, "it returned before the sync", "%v", err)
	case err := <-reported[2]:
		require.Fail(t, "it returned data that is not synced", "%v", err)
	case <-time.After(50 * time.Millisecond):
	}
	let()
	require.NoError(t, <-reported[0])
	require.NoError(t, <-reported[1])
	require.Error(t, <-reported[2])
}

func TestFailedCommitFailsAllBatchesOfItsGroup(t *testing.T) {
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
			others := []<-chan error{b.batch(t, "1"), b.batch(t, "2"), b.add(t, ctx, "3"), b.batch(t, "4")}
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

func TestCancelledBatchInQueueIsNotRun(t *testing.T) {
	ctx := storagetest.Tenant(t)
	b := newBusyDisk(t, ctx)
	b.db.SetWriterTimeout(20 * time.Millisecond)
	gone := b.batch(t, "gone")
	require.True(t, storage.IsConflict(<-gone))
	b.db.SetWriterTimeout(life)
	other := b.batch(t, "other")
	b.goOn()
	require.NoError(t, <-other)
	require.ElementsMatch(t, []string{"first", "other"}, crashed(t, ctx, b.disk))
}

func TestClosedTransactionReleasesTheWriter(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db := storagetest.SQLite(t)
	storagetest.CreateThings(t, ctx, db)
	bounded, end := context.WithCancel(ctx)
	tx, err := db.BeginPacked(ctx, bounded, &storage.Packing{})
	require.NoError(t, err)
	var count int64
	require.NoError(t, tx.Model(&storagetest.Thing{}).Count(&count).Error)
	require.NoError(t, storage.Deferred(tx).Create(thingNamed("late")).Error)
	end()
	require.NoError(t, db.Transact(ctx, life, addThing("next")), "it waits for the one before no longer")
	require.Error(t, db.Commit(tx))
	require.Equal(t, []string{"next"}, names(t, ctx, db))
}

// Many concurrent writers of both kinds, some of which fail: after a crash exactly the
// acknowledged writes exist.
func TestConcurrentBatchesAndTransactionsLoseNothing(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, disk := storagetest.SQLiteOnDisk(t)
	storagetest.CreateThings(t, ctx, db)
	require.NoError(t, db.Transact(ctx, life, addThing("first")))
	const writers, each = 16, 40
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var running sync.WaitGroup
	var reported sync.Map
	var failed atomic.Int64
	for w := range writers {
		random := rand.New(rand.NewPCG(seed, uint64(w)))
		running.Go(func() {
			for i := range each {
				wrote := []string{fmt.Sprintf("%d.%d.a", w, i), fmt.Sprintf("%d.%d.b", w, i)}
				at := random.IntN(8)
				names := wrote
				if at <= 2 {
					names = append(append(append([]string{}, wrote[:at]...), "first"), wrote[at:]...)
				}
				var err error
				if random.IntN(3) > 0 {
					err = addBatch(db, names...)
				} else {
					err = db.Transact(ctx, life, func(tx *gorm.DB) error {
						for _, name := range names {
							if err := addThing(name)(tx); err != nil {
								return err
							}
						}
						return nil
					})
				}
				switch {
				case err != nil && at > 2:
					t.Errorf("%v: %v", names, err)
				case err != nil:
					failed.Add(1)
				default:
					reported.Store(wrote[0], true)
					reported.Store(wrote[1], true)
				}
			}
		})
	}
	running.Wait()
	require.Positive(t, failed.Load())
	want := []string{"first"}
	reported.Range(func(name, _ any) bool {
		want = append(want, name.(string))
		return true
	})
	require.ElementsMatch(t, want, crashed(t, ctx, disk))
}

package storage_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
)

const life = time.Minute

// addThing inserts a row in a transaction.
func addThing(name string) func(tx *gorm.DB) error {
	return func(tx *gorm.DB) error {
		now := time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)
		return tx.Create(&storagetest.Thing{Row: guard.Row{Version: 1, CreatedTime: now, UpdatedTime: now}, Name: name}).Error
	}
}

// A server that rejects COMMIT or ROLLBACK itself, as Galera does with 1047, leaves the
// transaction open, and START TRANSACTION on the same connection would commit it.
// Proves D5.
func TestRejectedEndIsNotCommittedByNextTransaction(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	undone := errors.New("rolled back by its caller")
	for statement, outcome := range map[string]error{"COMMIT": nil, "ROLLBACK": undone} {
		tap.RefuseNext(statement, storagetest.Refusal{Number: 1047, Message: "WSREP has not yet prepared node for application use"})
		err := db.Transact(ctx, life, func(tx *gorm.DB) error {
			return errors.Join(addThing("refused "+statement)(tx), outcome)
		})
		require.Error(t, err)
		for range 3 {
			require.NoError(t, db.Transact(ctx, life, func(*gorm.DB) error { return nil }))
		}
	}
	require.Empty(t, names(t, ctx, db))
}

// Later statements on its connection would be part of the transaction, and never be
// committed.
// Proves D2.
func TestRejectedBeginClosesConnection(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	tap.RefuseNext("START TRANSACTION", storagetest.Refusal{Number: 8501, Message: "execution result undetermined", Executed: true})
	_, err := db.Begin(ctx, ctx)
	require.True(t, storage.Is(err, storage.Unavailable), "%v", err)
	require.NoError(t, addThing("autocommitted")(db.Write(ctx)))
	require.Equal(t, []string{"autocommitted"}, names(t, ctx, db))
}

// Proves D5.
func TestCommitErrorIsUndecidedUnlessEngineRolledBack(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	for number, undone := range map[uint16]bool{
		1213: true, 3101: true, 8002: true, 8005: true, 8022: true, 8028: true, 9007: true,
		1205: false, 1047: false, 1180: false, 1105: false, 1021: false, 1114: false, 1053: false, 1290: false, 1030: false, 8501: false, 4711: false,
		9001: false, 9002: false, 9003: false, 9004: false, 9005: false, 9006: false,
	} {
		tap.RefuseNext("COMMIT", storagetest.Refusal{Number: number, Message: "refused"})
		tx, err := db.Begin(ctx, ctx)
		require.NoError(t, err)
		require.NoError(t, addThing(fmt.Sprint(number))(tx))
		err = db.Commit(tx)
		require.Error(t, err)
		require.Equal(t, !undone, storage.Undecided(err), "%v", err)
		require.Equal(t, undone, storage.Is(err, storage.WriteConflict), "%v", err)
	}
	require.Empty(t, names(t, ctx, db))
}

func TestCommitOfAnEndedTransactionIsNotUndecided(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		for _, late := range []bool{false, true} {
			bounded, end := context.WithCancel(ctx)
			tx, err := db.Begin(ctx, bounded)
			require.NoError(t, err)
			require.NoError(t, addThing(fmt.Sprint(late))(tx))
			end()
			if late {
				require.Eventually(t, func() bool { return db.Pools()["write"].Stats().InUse == 0 }, life, time.Millisecond)
			}
			err = db.Commit(tx)
			require.Error(t, err)
			require.False(t, storage.Undecided(err), "%v", err)
		}
		require.Empty(t, names(t, ctx, db))
	})
}

// crashed returns the names in a database after a crash of its program.
func crashed(t *testing.T, ctx context.Context, disk *storagetest.Disk) []string {
	t.Helper()
	return names(t, ctx, disk.AfterACrash(t))
}

// Proves D8.
func TestUnsyncedSQLiteCommitIsUndecidedUntilALaterCommit(t *testing.T) {
	ctx := storagetest.Tenant(t)
	for name, code := range map[string]int32{"the sync failed": storagetest.SyncFailed, "the disk was busy": storagetest.DiskBusy} {
		t.Run(name, func(t *testing.T) {
			db, disk := storagetest.SQLiteOnDisk(t)
			storagetest.CreateThings(t, ctx, db)
			disk.FailNext(storagetest.Sync, code)
			err := db.Transact(ctx, life, addThing("not synced"))
			require.True(t, storage.Undecided(err), "%v", err)
			require.Empty(t, names(t, ctx, db), "it appears to be rolled back")
			require.Equal(t, []string{"not synced"}, crashed(t, ctx, disk), "and a crash brings it back")

			require.NoError(t, db.Transact(ctx, life, db.Supersede))
			require.Empty(t, crashed(t, ctx, disk))
			require.NoError(t, db.Transact(ctx, life, addThing("synced")))
			require.Equal(t, []string{"synced"}, crashed(t, ctx, disk))
		})
	}
}

// Proves D8.
func TestCommitOnFullDiskIsRolledBackFinally(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, disk := storagetest.SQLiteOnDisk(t)
	storagetest.CreateThings(t, ctx, db)
	require.NoError(t, db.Transact(ctx, life, addThing("before")))
	refused := 0
	for room := 0; ; room++ {
		left := room
		disk.Fail(func(op storagetest.Op, file string) int32 {
			if op == storagetest.Write && strings.HasSuffix(file, "-wal") {
				if left--; left < 0 {
					return storagetest.DiskFull
				}
			}
			return 0
		})
		err := db.Transact(ctx, life, addThing("after"))
		disk.Fail(nil)
		if err == nil {
			break
		}
		refused++
		require.True(t, storage.Is(err, storage.Full), "%v", err)
		require.False(t, storage.Undecided(err), "%v", err)
		require.Equal(t, []string{"before"}, crashed(t, ctx, disk))
	}
	require.GreaterOrEqual(t, refused, 4, "a commit writes a head and a page for each of its frames")
	require.ElementsMatch(t, []string{"before", "after"}, crashed(t, ctx, disk))
}

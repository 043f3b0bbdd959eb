//go:build distributed

package distributedtest_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/distributedtest"
	"interlock/internal/base/storage/storagetest"
)

// life bounds a transaction of these tests.
const life = time.Minute

// withCheck returns a database with a table with CHECK (n >= 0) and one row, n = 0.
func withCheck(t *testing.T, table string) (context.Context, *storage.DB) {
	t.Helper()
	ctx, db := storage.AcrossTenants(t.Context()), storagetest.Open(t, storagetest.NewMariaDBURL(t))
	exec := func(text string) { require.NoError(t, db.Write(ctx).Exec(text).Error) }
	exec("CREATE TABLE " + table + " (id BIGINT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL CHECK (n >= 0))")
	exec("INSERT INTO " + table + " (id, n) VALUES (1, 0)")
	return ctx, db
}

// begin begins a transaction that is rolled back at the end of the test, if it is still
// open.
func begin(t *testing.T, ctx context.Context, db *storage.DB) *gorm.DB {
	t.Helper()
	bounded, end := context.WithTimeout(ctx, life)
	tx, err := db.Begin(ctx, bounded)
	require.NoError(t, err)
	t.Cleanup(func() {
		tx.Rollback()
		end()
	})
	return tx
}

func TestLockedRowExcludesNoWriterByDefault(t *testing.T) {
	for clause, keeps := range map[string]bool{" FOR UPDATE": true, " FOR UPDATE SKIP LOCKED": false, " FOR SHARE": false} {
		t.Run(clause, func(t *testing.T) {
			ctx, db := withCheck(t, "numbers")
			reader, writer := begin(t, ctx, db), begin(t, ctx, db)
			var ids []int64
			require.NoError(t, reader.Raw("SELECT id FROM numbers WHERE id = 1"+clause).Scan(&ids).Error)
			require.Equal(t, []int64{1}, ids)
			require.NoError(t, writer.Exec("SET SESSION innodb_lock_wait_timeout = 0").Error)
			err := writer.Exec("UPDATE numbers SET n = n + 1 WHERE id = 1").Error
			if keeps && os.Getenv(distributedtest.LocksVariable) == "update" {
				require.True(t, storage.Is(db.Classify(err), storage.LockTimeout), err)
				return
			}
			require.NoError(t, err)
		})
	}
}

func TestWrittenRowExcludesOtherWriters(t *testing.T) {
	ctx, db := withCheck(t, "numbers")
	first, second := begin(t, ctx, db), begin(t, ctx, db)
	require.NoError(t, first.Exec("UPDATE numbers SET n = n + 1 WHERE id = 1").Error)
	require.NoError(t, second.Exec("SET SESSION innodb_lock_wait_timeout = 0").Error)
	err := second.Exec("UPDATE numbers SET n = n + 1 WHERE id = 1").Error
	require.True(t, storage.Is(db.Classify(err), storage.LockTimeout), err)
}

func TestNamedLocksAndMultiStatementsAreRejected(t *testing.T) {
	ctx, db := withCheck(t, "numbers")
	err := db.Write(ctx).Exec("DO GET_LOCK('a', 1)").Error
	require.True(t, storage.Is(db.Classify(err), storage.Unsupported), err)
	require.ErrorContains(t, db.Write(ctx).Exec("UPDATE numbers SET n = 1; UPDATE numbers SET n = 2").Error, "8130")
}

// The identity of the server is queried too, because the lookup of a COMMIT depends on it.
func TestServerReportsMultipleWriters(t *testing.T) {
	ctx, db := withCheck(t, "numbers")
	begin(t, ctx, db)
	begin(t, ctx, db)
	require.Equal(t, storage.Capabilities{MigrationLease: true, SkipLocked: true, SequencedLogs: true}, db.Capabilities())
	require.Equal(t, 1, db.Servers())
}

func TestEngineIgnoresChecksAndAssignsIdsInSteps(t *testing.T) {
	ctx, db := withCheck(t, "numbers")
	tx := begin(t, ctx, db)
	for range 3 {
		require.NoError(t, tx.Exec("INSERT INTO numbers (n) VALUES (-1)").Error)
	}
	var ids []int64
	require.NoError(t, tx.Raw("SELECT id FROM numbers WHERE n = -1 ORDER BY id").Scan(&ids).Error)
	require.Len(t, ids, 3)
	require.Equal(t, []int64{7, 7}, []int64{ids[1] - ids[0], ids[2] - ids[1]})
}

// commits writes rows in times transactions, and returns how many conflicted,
// and how many had an unknown outcome and were committed or rolled back.
func commits(t *testing.T, ctx context.Context, db *storage.DB, table string, times int) (conflicts, committed, undone int) {
	t.Helper()
	for n := range times {
		bounded, end := context.WithTimeout(ctx, life)
		tx, err := db.Begin(ctx, bounded)
		require.NoError(t, err)
		require.NoError(t, tx.Exec("INSERT INTO "+table+" (n) VALUES (?)", n+1).Error)
		err = db.Commit(tx)
		end()
		var there int64
		require.NoError(t, db.Read(ctx).Raw("SELECT COUNT(*) FROM "+table+" WHERE n = ?", n+1).Scan(&there).Error)
		switch {
		case err == nil:
			require.EqualValues(t, 1, there)
		case storage.Undecided(err):
			require.NoError(t, db.ResolveUndecided(ctx, err, func(_ *gorm.DB, decides bool) error {
				require.True(t, decides)
				return nil
			}))
			committed, undone = committed+int(there), undone+1-int(there)
		default:
			require.True(t, storage.IsConflict(err), err)
			require.Zero(t, there)
			conflicts++
		}
	}
	return conflicts, committed, undone
}

// Of 2000, 60 conflict and 10 are of each other kind on average, with a large variance.
func TestSomeResolvableCommitOutcomesAreHidden(t *testing.T) {
	ctx, db := withCheck(t, "audit_entries")
	conflicts, committed, undone := commits(t, ctx, db, "audit_entries", 2000)
	require.InDelta(t, 60, conflicts, 50)
	require.Positive(t, committed)
	require.Positive(t, undone)
	require.Less(t, committed+undone, 60)
}

func TestUnresolvableCommitOutcomeIsAlwaysReported(t *testing.T) {
	ctx, db := withCheck(t, "numbers")
	conflicts, committed, undone := commits(t, ctx, db, "numbers", 2000)
	require.InDelta(t, 60, conflicts, 50)
	require.Zero(t, committed)
	require.Zero(t, undone)
}

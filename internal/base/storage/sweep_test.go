package storage_test

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// names returns the remaining things of a tenant.
func names(t *testing.T, ctx context.Context, db *storage.DB) []string {
	t.Helper()
	var left []string
	require.NoError(t, db.Read(ctx).Model(&storagetest.Thing{}).Order("amount").Pluck("name", &left).Error)
	return left
}

// sweepable adds things with the amounts 1 to n.
func sweepable(t *testing.T, ctx context.Context, db *storage.DB, n int) {
	t.Helper()
	for i := range n {
		add(t, ctx, db, fmt.Sprint("t", i+1), int64(i+1))
	}
}

// onOwnDatabase is for tests that access all tenants, including those of other tests.
func onOwnDatabase(t *testing.T, test func(t *testing.T, ctx context.Context, db *storage.DB)) {
	for engine, address := range map[string]func(t *testing.T) string{
		"sqlite":  func(t *testing.T) string { return "sqlite://" + t.TempDir() + "/sweep.db" },
		"mariadb": func(t *testing.T) string { return storagetest.NewMariaDBURL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			ctx := storagetest.Tenant(t)
			db, err := storage.Open(ctx, storage.Options{URL: address(t), MaxConnections: 8})
			require.NoError(t, err)
			t.Cleanup(func() { _ = db.Close() })
			storagetest.CreateThings(t, ctx, db)
			test(t, ctx, db)
		})
	}
}

func TestSweepDeletesOnlyExpiredRowsOfAllTenants(t *testing.T) {
	for name, s := range map[string]storage.Sweep{
		"by id":     {Table: "things", Column: "amount", Until: 7},
		"by a text": {Table: "things", Column: "amount", Until: 7, Key: "name"},
	} {
		for _, batch := range []int{1, 3, 7, 100} {
			t.Run(fmt.Sprintf("%s in batches of %d", name, batch), func(t *testing.T) {
				onOwnDatabase(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
					stranger := storagetest.Tenant(t)
					sweepable(t, ctx, db, 9)
					sweepable(t, stranger, db, 8)
					require.NoError(t, db.Sweep(t.Context(), s, batch))
					require.Equal(t, []string{"t8", "t9"}, names(t, ctx, db))
					require.Equal(t, []string{"t8"}, names(t, stranger, db))
					require.NoError(t, db.Sweep(t.Context(), s, batch), "with nothing to do")
				})
			})
		}
	}
}

func TestConcurrentSweepersDoNotFail(t *testing.T) {
	onOwnDatabase(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		sweepable(t, ctx, db, 60)
		errs := make([]error, 4)
		var running sync.WaitGroup
		for i := range errs {
			running.Go(func() {
				errs[i] = db.Sweep(ctx, storage.Sweep{Table: "things", Column: "amount", Until: 50}, 5)
			})
		}
		running.Wait()
		for _, err := range errs {
			require.NoError(t, err)
		}
		require.Len(t, names(t, ctx, db), 10)
	})
}

func TestSweepRetainsConcurrentlyExtendedRow(t *testing.T) {
	for _, key := range []string{"", "name"} {
		t.Run("by "+cmp.Or(key, "id"), func(t *testing.T) {
			onOwnDatabase(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
				sweepable(t, ctx, db, 3)
				extend := sync.OnceFunc(func() {
					require.NoError(t, db.Write(ctx).Exec("UPDATE things SET amount = 9 WHERE tenant_id > 0 AND name = 't2'").Error)
				})
				// Between the statement that reads the keys and the one that deletes.
				require.NoError(t, db.Read(ctx).Callback().Query().After("gorm:query").Register("extend", func(*gorm.DB) { extend() }))
				require.NoError(t, db.Sweep(ctx, storage.Sweep{Table: "things", Column: "amount", Until: 7, Key: key}, 10))
				require.Equal(t, []string{"t2"}, names(t, ctx, db))
			})
		})
	}
}

func TestSweepOfMissingTableFails(t *testing.T) {
	err := storagetest.SQLite(t).Sweep(t.Context(), storage.Sweep{Table: "nothing", Column: "amount", Until: 1}, 10)
	require.ErrorContains(t, err, "sweep nothing")
}

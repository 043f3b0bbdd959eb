package storage_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
)

func add(t *testing.T, ctx context.Context, db *storage.DB, name string, amount int64) {
	t.Helper()
	at := time.Date(2026, 11, 21, 8, 0, 0, 123456000, time.UTC).Add(time.Duration(amount) * time.Microsecond)
	require.NoError(t, db.Write(ctx).Create(&storagetest.Thing{
		Row: guard.Row{Version: 1, CreatedTime: at, UpdatedTime: at}, Name: name, Amount: amount,
	}).Error)
}

// Proves G7.2.
func TestEveryStatementIsBoundToItsTenant(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		stranger := storagetest.Tenant(t)
		add(t, ctx, db, "mine", 1)
		add(t, stranger, db, "theirs", 2)

		var found []storagetest.Thing
		for _, alternatives := range [][2]string{{"none", "mine"}, {"theirs", "mine"}, {"mine", "theirs"}} {
			require.NoError(t, db.Read(ctx).Where("name = ?", alternatives[0]).Or("name = ?", alternatives[1]).Find(&found).Error)
			require.Len(t, found, 1, "an OR does not step around the tenant")
			require.Equal(t, "mine", found[0].Name)
		}

		result := db.Write(ctx).Model(&storagetest.Thing{}).Where("amount = ? OR amount = ?", 1, 2).Updates(map[string]any{"status": 5})
		require.NoError(t, result.Error)
		require.EqualValues(t, 1, result.RowsAffected)

		result = db.Write(ctx).Where("amount > ?", 0).Delete(&storagetest.Thing{})
		require.NoError(t, result.Error)
		require.EqualValues(t, 1, result.RowsAffected)

		var left []storagetest.Thing
		require.NoError(t, db.Read(stranger).Find(&left).Error)
		require.Len(t, left, 1)
		require.Zero(t, left[0].Status)
	})
}

// Proves G7.2.
func TestStatementsWithoutTenantAreRejected(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		add(t, ctx, db, "mine", 1)
		withoutTenant := t.Context()
		var things []storagetest.Thing
		var names []struct{ Name string }
		refused := map[string]error{
			"query without a principal":   db.Read(withoutTenant).Find(&things).Error,
			"create without a principal":  db.Write(withoutTenant).Create(&storagetest.Thing{Name: "x"}).Error,
			"update without a principal":  db.Write(withoutTenant).Model(&storagetest.Thing{}).Where("1 = 1").Updates(map[string]any{"amount": 7}).Error,
			"delete without a principal":  db.Write(withoutTenant).Where("1 = 1").Delete(&storagetest.Thing{}).Error,
			"raw query without tenant_id": db.Read(ctx).Raw("SELECT * FROM things").Scan(&things).Error,
			"exec without tenant_id":      db.Write(ctx).Exec("DELETE FROM things").Error,
			"table without a model":       db.Read(ctx).Table("things").Find(&names).Error,
		}
		for name, err := range refused {
			require.ErrorIs(t, err, storage.ErrNoTenant, name)
		}
		require.NoError(t, db.Read(ctx).Find(&things).Error)
		require.Len(t, things, 1)
		require.EqualValues(t, 1, things[0].Amount)
	})
}

func TestRowOfAnotherTenantCannotBeCreated(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		forged := storagetest.Thing{Row: guard.Row{TenantID: 999, Version: 1, CreatedTime: time.Now(), UpdatedTime: time.Now()}, Name: "forged"}
		require.NoError(t, db.Write(ctx).Create(&forged).Error)
		var found storagetest.Thing
		require.NoError(t, db.Read(ctx).Take(&found).Error, "it was put under the caller's own tenant")
	})
}

func TestDuplicateErrorNamesItsKey(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		add(t, ctx, db, "mine", 1)
		err := db.Write(ctx).Create(&storagetest.Thing{Row: guard.Row{CreatedTime: time.Now(), UpdatedTime: time.Now()}, Name: "mine"}).Error
		require.True(t, storage.Is(err, storage.DuplicateKey), "%v", err)
		if db.Dialect == storage.MySQL {
			require.True(t, storage.IsDuplicate(err, "uq_things_name"), "%v", err)
		}
		auditRow := "INSERT INTO audit_entries (tenant_id, unit_id, actor_kind, actor_id, actor_name, action, resource, detail, created_time) VALUES (1, 'u1', '', 0, '', '', '', '{}', '2026-01-01')"
		require.NoError(t, db.Write(ctx).Exec("DELETE FROM audit_entries WHERE unit_id = 'u1' AND tenant_id = 1").Error)
		require.NoError(t, db.Write(ctx).Exec(auditRow).Error)
		require.True(t, storage.IsDuplicate(db.Write(ctx).Exec(auditRow).Error, "uq_audit_entries_unit"))
	})
}

func TestPagesHoldEachRowOnceInOrder(t *testing.T) {
	sorts := storage.Sorts{Columns: map[string]string{"name": "name", "status": "status", "updatedTime": "updated_time"}, Default: "name"}
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		for i := range int64(7) {
			add(t, ctx, db, string(rune('a'+(i*3)%7)), i)
		}
		for sort, want := range map[string]string{"": "abcdefg", "-name": "gfedcba", "updatedTime": "adgcfbe", "-updatedTime": "ebfcgda", "status": "adgcfbe"} {
			page, got := storage.Page{Limit: 3, Sort: sort}, ""
			for {
				listing, err := storage.List[storagetest.Thing](db.Read(ctx), page, sorts)
				require.NoError(t, err)
				require.EqualValues(t, 7, listing.Total)
				for _, row := range listing.Rows {
					got += row.Name
				}
				if listing.Next == nil {
					break
				}
				page.Cursor = *listing.Next
			}
			require.Equal(t, want, got, "sort %q", sort)
		}
	})
}

func TestForeignCursorsAndSortsAreRejected(t *testing.T) {
	sorts := storage.Sorts{Columns: map[string]string{"name": "name", "status": "status"}, Default: "name"}
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		add(t, ctx, db, "a", 1)
		add(t, ctx, db, "b", 2)
		first, err := storage.List[storagetest.Thing](db.Read(ctx), storage.Page{Limit: 1}, sorts)
		require.NoError(t, err)
		for name, page := range map[string]storage.Page{
			"noise":                    {Cursor: "!!"},
			"not JSON":                 {Cursor: "eHh4"},
			"another sort's":           {Cursor: *first.Next, Sort: "status"},
			"unknown sort":             {Sort: "tenant_id"},
			"sort with SQL":            {Sort: "name; DROP TABLE things"},
			"value of another type":    {Cursor: "eyJzIjoibmFtZSIsInYiOnt9LCJpIjoxfQ"},
			"descending of the cursor": {Cursor: *first.Next, Sort: "-name"},
		} {
			_, err := storage.List[storagetest.Thing](db.Read(ctx), page, sorts)
			require.True(t, apperr.Has(err, apperr.MalformedRequest), "%s: %v", name, err)
		}
	})
}

func TestSQLiteReadPoolRejectsWrites(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.SQLite(t)
	storagetest.CreateThings(t, ctx, db)
	require.Error(t, db.Read(ctx).Create(&storagetest.Thing{Name: "x"}).Error)
}

func TestSQLiteFilesArePrivateToTheirOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "interlock.db")
	db, err := storage.Open(t.Context(), storage.Options{URL: "sqlite://" + path})
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Migrate(t.Context())
	require.NoError(t, err)
	for name, mode := range map[string]os.FileMode{filepath.Dir(path): 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		info, err := os.Stat(name)
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), name)
	}
}

func TestMySQLSessionsAreSetAsTheGuardsNeed(t *testing.T) {
	db := storagetest.MariaDB(t)
	var session struct {
		Isolation string
		Zone      string
		Mode      string
	}
	err := db.Read(storage.AcrossTenants(t.Context())).Raw("SELECT @@tx_isolation AS isolation, @@time_zone AS zone, @@sql_mode AS mode").Scan(&session).Error
	require.NoError(t, err)
	require.Equal(t, "READ-COMMITTED", session.Isolation)
	require.Equal(t, "+00:00", session.Zone)
	require.Contains(t, session.Mode, "STRICT_ALL_TABLES")
}

func TestWrongAddressFailsImmediatelyWithoutPassword(t *testing.T) {
	for _, address := range []string{"postgres://u:hunter2@h/db", "mysql://u:hunter2@127.0.0.1:1/db", "mysql://u:hunter2@h", "sqlite://", "mysql://%zz"} {
		_, err := storage.Open(t.Context(), storage.Options{URL: address})
		require.Error(t, err, address)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestMigrationsRunWithTheSmallestPool(t *testing.T) {
	for name, address := range map[string]string{
		"sqlite":  "sqlite://" + filepath.Join(t.TempDir(), "small.db"),
		"mariadb": storagetest.NewMariaDBURL(t),
	} {
		t.Run(name, func(t *testing.T) {
			db, err := storage.Open(t.Context(), storage.Options{URL: address, MaxConnections: 2})
			require.NoError(t, err)
			defer db.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			_, err = db.Migrate(ctx)
			require.NoError(t, err)
			state, err := db.MigrationState(ctx)
			require.NoError(t, err)
			require.True(t, state.UpToDate())
		})
	}
}

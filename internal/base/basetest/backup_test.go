package basetest

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/backup"
	"interlock/internal/base/claim"
	"interlock/internal/base/clock"
	"interlock/internal/base/encryption"
	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// place is the location of a database, and of another one to which its backup can be
// restored.
type place struct{ from, to storage.Options }

// each runs a test on each engine.
func each(t *testing.T, test func(t *testing.T, at place)) {
	t.Run("sqlite", func(t *testing.T) {
		dir := t.TempDir()
		at := storage.Options{URL: "sqlite://" + filepath.Join(dir, "interlock.db")}
		require.NoError(t, storagetest.Migrate(at.URL))
		test(t, place{at, at})
	})
	t.Run("mariadb", func(t *testing.T) {
		at := place{storage.Options{URL: storagetest.NewMariaDBURL(t)}, storage.Options{URL: storagetest.NewMariaDBURL(t)}}
		require.NoError(t, storagetest.Migrate(at.from.URL))
		test(t, at)
	})
}

// awkward is text that a dump must quote.
const awkward = "O'Hara \\ \"x\"\n中文 \x00 ;"

// fill writes the data that a backup must contain, and returns the epoch.
func fill(t *testing.T, at storage.Options) epoch.Epoch {
	t.Helper()
	db := storagetest.Open(t, at.URL)
	ctx := storage.AcrossTenants(t.Context())
	for _, statement := range []string{
		"INSERT INTO tenants (id, name, currency, created_time) VALUES (7, 'shop', 'CNY', '2026-11-21 08:00:00')",
		"INSERT INTO sessions (tenant_id, user_id, token_hash, data, expires_time, created_time, last_used_time, user_agent, address) VALUES (7, 1, 'x', '', '2100-01-01 00:00:00', '2026-11-21 08:00:00', '2026-11-21 08:00:00', '', '')",
	} {
		require.NoError(t, db.Write(ctx).Exec(statement).Error)
	}
	audit(t, db, "first", time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC))
	now, err := epoch.Read(t.Context(), db)
	require.NoError(t, err)
	require.NoError(t, db.Close())
	return now
}

func audit(t *testing.T, db *storage.DB, unit string, at time.Time) {
	t.Helper()
	require.NoError(t, db.Write(storage.AcrossTenants(t.Context())).Exec(`INSERT INTO audit_entries
		(tenant_id, unit_id, actor_kind, actor_id, actor_name, action, resource, detail, created_time)
		VALUES (7, ?, 'user', '1', ?, 'config.create', 'configs/a', '{}', ?)`, unit, awkward, at).Error)
}

func units(t *testing.T, db *storage.DB) []string {
	t.Helper()
	var list []string
	require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw("SELECT unit_id FROM audit_entries WHERE actor_name = ? ORDER BY id", awkward).Scan(&list).Error)
	return list
}

func count(t *testing.T, db *storage.DB, statement string) (n int) {
	t.Helper()
	require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw(statement).Scan(&n).Error)
	return n
}

// Proves R3.
func TestRestoreRecoversTheDatabaseWithANewEpoch(t *testing.T) {
	each(t, func(t *testing.T, at place) {
		was := fill(t, at.from)
		file := filepath.Join(t.TempDir(), "backup")
		written, err := backup.Write(t.Context(), at.from, file)
		require.NoError(t, err)
		require.Equal(t, time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC), written.LastTime.UTC())
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, written.Size, info.Size())
		require.Equal(t, os.FileMode(0o600), info.Mode(), "business data is for its owner")
		require.NoFileExists(t, file+".part")

		later := storagetest.Open(t, at.from.URL)
		audit(t, later, "later", clock.System{}.Now())
		require.Equal(t, 1, count(t, later, "SELECT COUNT(*) FROM installation WHERE backup_time IS NOT NULL"), "its age can be watched")
		require.NoError(t, later.Close())

		restored, preserved, err := backup.Restore(t.Context(), at.to, file)
		require.NoError(t, err)
		require.Equal(t, written.LastTime.UTC(), restored.LastTime.UTC())
		require.Equal(t, written.Schema, restored.Schema)
		db := storagetest.Open(t, at.to.URL)
		require.Equal(t, []string{"first"}, units(t, db))
		now, err := epoch.Read(t.Context(), db)
		require.NoError(t, err)
		require.NotEqual(t, was, now)
		require.Zero(t, count(t, db, "SELECT COUNT(*) FROM sessions WHERE tenant_id = 7"))
		if db.Dialect == storage.SQLite {
			require.Equal(t, []string{"first", "later"}, units(t, storagetest.Open(t, "sqlite://"+preserved)), "the replaced database must be preserved")
		}
	})
}

func TestBackupOverwritesNoFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "backup")
	require.NoError(t, os.WriteFile(file, []byte("precious"), 0o600))
	_, err := backup.Write(t.Context(), storage.Options{URL: "sqlite://" + filepath.Join(t.TempDir(), "interlock.db")}, file)
	require.ErrorContains(t, err, "already exists")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "precious", string(text))
}

// Proves R3.
func TestIncompleteBackupIsRejectedAndChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, at place) {
		was := fill(t, at.from)
		file := filepath.Join(t.TempDir(), "backup")
		_, err := backup.Write(t.Context(), at.from, file)
		require.NoError(t, err)
		whole, err := os.ReadFile(file)
		require.NoError(t, err)
		for name, text := range map[string][]byte{
			"cut off":  whole[:len(whole)-len(whole)/3],
			"empty":    {},
			"anything": bytes.Repeat([]byte("no backup\n"), 1000),
		} {
			bad := filepath.Join(t.TempDir(), "bad")
			require.NoError(t, os.WriteFile(bad, text, 0o600))
			_, _, err := backup.Restore(t.Context(), at.to, bad)
			require.Error(t, err, name)
		}
		db := storagetest.Open(t, at.from.URL)
		require.Equal(t, []string{"first"}, units(t, db))
		now, err := epoch.Read(t.Context(), db)
		require.NoError(t, err)
		require.Equal(t, was, now)
		if db.Dialect == storage.SQLite {
			siblings, err := filepath.Glob(strings.TrimPrefix(at.from.URL, "sqlite://") + ".*")
			require.NoError(t, err)
			require.Equal(t, []string{strings.TrimPrefix(at.from.URL, "sqlite://") + ".serve"}, siblings)
		}
	})
}

func TestRestorePreservesTheDamagedDatabase(t *testing.T) {
	live := filepath.Join(t.TempDir(), "interlock.db")
	at := storage.Options{URL: "sqlite://" + live}
	require.NoError(t, storagetest.Migrate(at.URL))
	fill(t, at)
	file := filepath.Join(t.TempDir(), "backup")
	_, err := backup.Write(t.Context(), at, file)
	require.NoError(t, err)
	damaged := bytes.Repeat([]byte("a disk that is broken\n"), 1000)
	require.NoError(t, os.WriteFile(live, damaged, 0o600))
	require.NoError(t, os.WriteFile(live+"-wal", []byte("not in the database yet"), 0o600))
	_, preserved, err := backup.Restore(t.Context(), at, file)
	require.NoError(t, err)
	require.Equal(t, []string{"first"}, units(t, storagetest.Open(t, at.URL)))
	text, err := os.ReadFile(preserved)
	require.NoError(t, err)
	require.Equal(t, damaged, text)
	text, err = os.ReadFile(preserved + "-wal")
	require.NoError(t, err)
	require.Equal(t, "not in the database yet", string(text))
}

func TestBackupOfNewerProgramIsRejected(t *testing.T) {
	each(t, func(t *testing.T, at place) {
		fill(t, at.from)
		db := storagetest.Open(t, at.from.URL)
		require.NoError(t, db.Write(storage.AcrossTenants(t.Context())).Exec("INSERT INTO goose_db_version (version_id, is_applied) SELECT MAX(version_id) + 1, TRUE FROM goose_db_version").Error)
		require.NoError(t, db.Close())
		file := filepath.Join(t.TempDir(), "backup")
		_, err := backup.Write(t.Context(), at.from, file)
		require.NoError(t, err)
		_, _, err = backup.Restore(t.Context(), at.to, file)
		require.ErrorContains(t, err, "is from a newer program")
	})
}

func TestRestoreDoesNotReplaceUsedDatabase(t *testing.T) {
	each(t, func(t *testing.T, at place) {
		fill(t, at.from)
		file := filepath.Join(t.TempDir(), "backup")
		_, err := backup.Write(t.Context(), at.from, file)
		require.NoError(t, err)
		live, embedded := strings.CutPrefix(at.from.URL, "sqlite://")
		if embedded {
			held, err := claim.File(live, "all", clock.System{})
			require.NoError(t, err)
			t.Cleanup(held.Release)
		}
		_, _, err = backup.Restore(t.Context(), at.from, file)
		if embedded {
			require.ErrorContains(t, err, "another `admin serve` is running")
		} else {
			require.ErrorContains(t, err, "is not empty")
		}
		require.Equal(t, []string{"first"}, units(t, storagetest.Open(t, at.from.URL)))
	})
}

func TestBackupOfMissingDatabaseFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.db")
	_, err := backup.Write(context.Background(), storage.Options{URL: "sqlite://" + path}, path+".backup")
	require.ErrorContains(t, err, "no database at")
	require.NoFileExists(t, path)
}

func TestRestoreCreatesTheDataFolder(t *testing.T) {
	from := storage.Options{URL: "sqlite://" + filepath.Join(t.TempDir(), "interlock.db")}
	require.NoError(t, storagetest.Migrate(from.URL))
	fill(t, from)
	file := filepath.Join(t.TempDir(), "backup")
	_, err := backup.Write(t.Context(), from, file)
	require.NoError(t, err)
	to := storage.Options{URL: "sqlite://" + filepath.Join(t.TempDir(), "new", "data", "interlock.db"), Existing: true}
	_, preserved, err := backup.Restore(t.Context(), to, file)
	require.NoError(t, err)
	require.Empty(t, preserved)
	require.Equal(t, []string{"first"}, units(t, storagetest.Open(t, to.URL)))
}

// The service's user owns the data folder; root runs the commands. Without root the owner is the caller.
func TestCommandFilesBelongToTheDataFolderOwner(t *testing.T) {
	owner, folder := uint32(os.Getuid()), t.TempDir()
	if owner == 0 {
		owner = 65534
		require.NoError(t, os.Chown(folder, int(owner), int(owner)))
	}
	live := filepath.Join(folder, "interlock.db")
	at := storage.Options{URL: "sqlite://" + live}
	require.NoError(t, storagetest.Migrate(at.URL))
	db, err := storage.Open(t.Context(), at)
	require.NoError(t, err)
	_, err = encryption.MakeFile(live + ".keys")
	require.NoError(t, err)
	require.NoError(t, db.Close())
	file := filepath.Join(t.TempDir(), "backup")
	_, err = backup.Write(t.Context(), at, file)
	require.NoError(t, err)
	_, preserved, err := backup.Restore(t.Context(), at, file)
	require.NoError(t, err)
	require.NotEmpty(t, preserved)
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, entries, 4, "the database, its keys, its claim and the one before")
	for _, entry := range entries {
		info, err := entry.Info()
		require.NoError(t, err)
		require.Equal(t, owner, info.Sys().(*syscall.Stat_t).Uid, entry.Name())
	}
}

func TestBackupOfTheOtherKindOfDatabaseIsNamed(t *testing.T) {
	each(t, func(t *testing.T, at place) {
		fill(t, at.from)
		file := filepath.Join(t.TempDir(), "backup")
		_, err := backup.Write(t.Context(), at.from, file)
		require.NoError(t, err)
		other, want := storage.Options{URL: "mysql://u:p@127.0.0.1:1/interlock"}, "is a backup of an embedded database"
		if storage.DialectOf(at.from.URL) == storage.MySQL {
			other, want = storage.Options{URL: "sqlite://" + filepath.Join(t.TempDir(), "interlock.db")}, "is a backup of a database server"
		}
		_, _, err = backup.Restore(t.Context(), other, file)
		require.ErrorContains(t, err, want)
		err = backup.Try(t.Context(), other, file, func(context.Context, storage.Options, backup.Content) error { return nil })
		require.ErrorContains(t, err, want)
	})
}

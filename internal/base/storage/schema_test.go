package storage_test

import (
	"database/sql"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/migrations"
)

var update = flag.Bool("update", false, "write the golden schemas")

func TestMigrationsProduceTheGoldenSchema(t *testing.T) {
	dumps := map[string]func(*testing.T) string{
		"sqlite": func(t *testing.T) string {
			return dumpSQLite(t, pool(t, migrated(t, "sqlite://"+filepath.Join(t.TempDir(), "interlock.db"))))
		},
		"mysql": func(t *testing.T) string { return dumpMySQL(t, pool(t, migrated(t, storagetest.NewMariaDBURL(t)))) },
	}
	for dialect, dump := range dumps {
		t.Run(dialect, func(t *testing.T) {
			path := filepath.Join("..", "..", "..", "migrations", dialect, "schema.golden.sql")
			got := dump(t)
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(got), 0o600))
			}
			want, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, string(want), got, "after a migration: go run ./test/services -- go test ./internal/base/storage -run Golden -update")
		})
	}
}

// Indexes on virtual columns of MariaDB can lose entries; see docs/decisions/lists.md.
func TestMariaDBStoresGeneratedColumns(t *testing.T) {
	schema, err := os.ReadFile(filepath.Join("..", "..", "..", "migrations", "mysql", "schema.golden.sql"))
	require.NoError(t, err)
	require.Contains(t, string(schema), ") STORED,")
	require.NotContains(t, string(schema), ") VIRTUAL")
}

// Most tests run on a copy of a migrated database, so they cannot detect a difference of
// the copy.
func TestCopyOfMigratedDatabaseIsComplete(t *testing.T) {
	address := storagetest.NewMariaDBURL(t)
	require.NoError(t, storagetest.Migrate(address))
	copied, made := pool(t, storagetest.Open(t, address)), pool(t, migrated(t, storagetest.NewMariaDBURL(t)))
	require.Equal(t, dumpMySQL(t, made), dumpMySQL(t, copied))
	rows := func(pool *sql.DB) map[string]int {
		counts := map[string]int{}
		for _, table := range storagetest.Texts(t, pool, "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()") {
			var count int
			require.NoError(t, pool.QueryRow("SELECT COUNT(*) FROM "+table).Scan(&count))
			counts[table] = count
		}
		return counts
	}
	require.Equal(t, rows(made), rows(copied))
}

func TestBothDialectsHaveTheSameMigrations(t *testing.T) {
	names := func(dir string) []string {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", "migrations", dir, "0*.sql"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for i := range files {
			files[i] = filepath.Base(files[i])
		}
		return files
	}
	require.Equal(t, names("mysql"), names("sqlite"))
	for i, name := range names("mysql") {
		require.True(t, strings.HasPrefix(name, fmt.Sprintf("%05d_", i+1)), "%s: migrations are numbered without gaps", name)
	}
}

func TestUnreleasedSchemaIsRejected(t *testing.T) {
	storagetest.EachAddress(t, func(t *testing.T, address string) {
		db := migrated(t, address)
		_, err := pool(t, db).Exec("INSERT INTO goose_db_version (version_id, is_applied) SELECT MAX(version_id) + 1, TRUE FROM goose_db_version")
		require.NoError(t, err)
		_, err = db.Migrate(t.Context())
		require.NoError(t, err, "a newer schema")
		_, err = pool(t, db).Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (52, TRUE)")
		require.NoError(t, err)
		_, err = db.MigrationState(t.Context())
		require.ErrorContains(t, err, "created by an unreleased version")
		_, err = db.Migrate(t.Context())
		require.ErrorContains(t, err, "use an empty database")
	})
}

func TestMigrationsGoDownAndUpAgain(t *testing.T) {
	storages := map[goose.Dialect]func() *storage.DB{
		goose.DialectSQLite3: func() *storage.DB { return storagetest.SQLite(t) },
		goose.DialectMySQL:   func() *storage.DB { return migrated(t, storagetest.NewMariaDBURL(t)) },
	}
	for dialect, open := range storages {
		db := open()
		files := migrations.MySQL()
		if dialect == goose.DialectSQLite3 {
			files = migrations.SQLite()
		}
		provider, err := goose.NewProvider(dialect, pool(t, db), files)
		require.NoError(t, err)
		_, err = provider.DownTo(t.Context(), 0)
		require.NoError(t, err)
		state, err := db.MigrationState(t.Context())
		require.NoError(t, err)
		require.False(t, state.UpToDate())
		count, err := db.Migrate(t.Context())
		require.NoError(t, err)
		require.Len(t, provider.ListSources(), count)
		state, err = db.MigrationState(t.Context())
		require.NoError(t, err)
		require.True(t, state.UpToDate())
	}
}

// MariaDB commits each DDL statement separately, so a crash leaves the schema ahead of the version
// that goose stores.
func TestMigrationRunsAgainAfterACrash(t *testing.T) {
	db := migrated(t, storagetest.NewMariaDBURL(t))
	pool := pool(t, db)
	want := dumpMySQL(t, pool)
	provider, err := goose.NewProvider(goose.DialectMySQL, pool, migrations.MySQL())
	require.NoError(t, err)
	_, err = provider.DownTo(t.Context(), 0)
	require.NoError(t, err)
	for _, source := range provider.ListSources() {
		text, err := fs.ReadFile(migrations.MySQL(), source.Path)
		require.NoError(t, err)
		up, _, _ := strings.Cut(string(text), "-- +goose Down")
		statements := statement.FindAllString(up, -1)
		require.NotEmpty(t, statements)
		for _, crash := range []int{len(statements) / 2, len(statements)} {
			for _, statement := range statements[:crash] {
				_, err = pool.ExecContext(t.Context(), statement)
				require.NoError(t, err, source.Path)
			}
			rows := storagetest.Texts(t, pool, "SELECT epoch FROM installation")
			require.NotEmpty(t, rows)
			_, err = provider.UpTo(t.Context(), source.Version)
			require.NoError(t, err, source.Path)
			require.Equal(t, rows, storagetest.Texts(t, pool, "SELECT epoch FROM installation"))
			_, err = pool.ExecContext(t.Context(), "DELETE FROM goose_db_version WHERE version_id = ?", source.Version)
			require.NoError(t, err)
		}
		_, err = provider.UpTo(t.Context(), source.Version)
		require.NoError(t, err, source.Path)
	}
	require.Equal(t, want, dumpMySQL(t, pool))
}

// statement matches one statement of a migration, with the comments above it.
var statement = regexp.MustCompile(`(?ms).*?;$`)

func migrated(t *testing.T, address string) *storage.DB {
	t.Helper()
	db, err := storage.Open(t.Context(), storage.Options{URL: address})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	_, err = db.Migrate(t.Context())
	require.NoError(t, err)
	return db
}

// pool returns the pool on which migrations run.
func pool(t *testing.T, db *storage.DB) *sql.DB {
	t.Helper()
	if db.Dialect == storage.MySQL {
		return db.Pools()["read"]
	}
	return db.Pools()["write"]
}

func dumpSQLite(t *testing.T, pool *sql.DB) string {
	t.Helper()
	return strings.Join(storagetest.Texts(t, pool, `SELECT sql || ';' FROM sqlite_master
		WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%' ORDER BY tbl_name, type DESC, name`), "\n\n") + "\n"
}

var counter = regexp.MustCompile(` AUTO_INCREMENT=\d+`)

func dumpMySQL(t *testing.T, pool *sql.DB) string {
	t.Helper()
	tables := storagetest.Texts(t, pool, `SELECT table_name FROM information_schema.tables
		WHERE table_schema = DATABASE() AND table_name NOT LIKE 'goose_%' ORDER BY table_name`)
	for i, table := range tables {
		var name, create string
		require.NoError(t, pool.QueryRow("SHOW CREATE TABLE "+table).Scan(&name, &create))
		tables[i] = counter.ReplaceAllString(create, "") + ";"
	}
	return strings.Join(tables, "\n\n") + "\n"
}

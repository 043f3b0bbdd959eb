// Package storagetest provides tests with a database on each engine.
//
// SQLite: one file per test. MariaDB: one database per test package, on the server at
// INTERLOCK_TEST_MYSQL_URL; each test has its own tenant. A test that needs the server
// fails without it and names the command to run.
package storagetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite" // the driver of storage.SQLite

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/test/tier"
)

// MySQLVariable is the environment variable with the test server's address.
const MySQLVariable = "INTERLOCK_TEST_MYSQL_URL"

// Test is a test on a migrated database. Its context acts as an admin named "Tester" of a
// tenant that no other test uses.
type Test = func(t *testing.T, ctx context.Context, db *storage.DB)

// Both runs a test on SQLite and on MariaDB, for behaviour that depends on the engine: guards,
// locks, races, plans of lists, and one walk per domain.
func Both(t *testing.T, test Test) {
	t.Run("sqlite", func(t *testing.T) { test(t, Tenant(t), SQLite(t)) })
	t.Run("mariadb", func(t *testing.T) { test(t, Tenant(t), MariaDB(t)) })
}

// BothAlone is like Both, with databases that no other test uses, for a test that changes the
// schema or counts all rows.
func BothAlone(t *testing.T, test Test) {
	t.Run("sqlite", func(t *testing.T) { test(t, Tenant(t), SQLite(t)) })
	t.Run("mariadb", func(t *testing.T) { test(t, Tenant(t), migrated(t, NewMariaDBURL(t))) })
}

// Each runs a test on SQLite, and on MariaDB too if [WithMariaDB]. It is for rules,
// representations, paging and replays.
func Each(t *testing.T, test Test) {
	if WithMariaDB() {
		Both(t, test)
		return
	}
	t.Run("sqlite", func(t *testing.T) { test(t, Tenant(t), SQLite(t)) })
}

// EachAlone is like Each, with databases that no other test uses.
func EachAlone(t *testing.T, test Test) {
	if WithMariaDB() {
		BothAlone(t, test)
		return
	}
	t.Run("sqlite", func(t *testing.T) { test(t, Tenant(t), SQLite(t)) })
}

// EachAddress runs a test with the URL of an empty SQLite file and of an empty MariaDB
// database, for tests that migrate them.
func EachAddress(t *testing.T, test func(t *testing.T, address string)) {
	t.Run("sqlite", func(t *testing.T) { test(t, "sqlite://"+filepath.Join(t.TempDir(), "interlock.db")) })
	t.Run("mariadb", func(t *testing.T) { test(t, NewMariaDBURL(t)) })
}

// Tenant returns a context that acts as an admin of a new tenant.
func Tenant(t *testing.T) context.Context {
	return principal.With(t.Context(), principal.Principal{
		Kind: principal.Admin, TenantID: 1 + rand.Int64N(1<<50), Currency: "CNY", UserID: 7, Name: "Tester", Permissions: []string{"*"},
	})
}

// SQLite returns a migrated database in a new file.
func SQLite(t *testing.T) *storage.DB {
	t.Helper()
	return migrated(t, "sqlite://"+filepath.Join(t.TempDir(), "interlock.db"))
}

// sharedMariaDB is the address of the migrated database of the test package.
var sharedMariaDB = sync.OnceValues(func() (string, error) {
	address, err := createDatabase()
	if err != nil {
		return "", err
	}
	return address, Migrate(address)
})

// MariaDB returns the migrated database of the test package.
func MariaDB(t *testing.T) *storage.DB {
	t.Helper()
	tier.NeedServers(t)
	address, err := sharedMariaDB()
	require.NoError(t, err)
	return Open(t, address)
}

// NewMariaDBURL creates an empty database that only the caller uses, and returns
// its URL.
func NewMariaDBURL(t testing.TB) string {
	t.Helper()
	tier.NeedServers(t)
	address, err := createDatabase()
	require.NoError(t, err)
	return address
}

// Open opens a database without migrating it, for one test.
func Open(t *testing.T, address string) *storage.DB {
	t.Helper()
	db, err := storage.Open(t.Context(), storage.Options{URL: address, MaxConnections: 16})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// migrated migrates a database and opens it for one test.
func migrated(t *testing.T, address string) *storage.DB {
	t.Helper()
	require.NoError(t, Migrate(address))
	return Open(t, address)
}

func migrate(address string) error {
	ctx := context.Background()
	db, err := storage.Open(ctx, storage.Options{URL: address})
	if err != nil {
		return err
	}
	_, err = db.Migrate(ctx)
	// Closing the last SQLite connection moves the log into the file.
	return errors.Join(err, db.Close())
}

// DropIndex drops an index of a table, to prove that a guard works without it.
func DropIndex(t *testing.T, ctx context.Context, db *storage.DB, table, index string) {
	t.Helper()
	statement := "DROP INDEX " + index
	if db.Dialect == storage.MySQL {
		statement += " ON " + table
	}
	require.NoError(t, db.Write(storage.AcrossTenants(ctx)).Exec(statement).Error)
}

func createDatabase() (string, error) {
	u, err := testServer()
	if err != nil {
		return "", err
	}
	pool, err := poolOf(u)
	if err != nil {
		return "", err
	}
	defer pool.Close()
	program := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return '_'
	}, strings.TrimSuffix(filepath.Base(os.Args[0]), ".test"))
	name := fmt.Sprintf("test_%.30s_%d_%d", program, os.Getpid(), rand.Uint32())
	if _, err := pool.Exec("CREATE DATABASE " + name + collation); err != nil {
		return "", fmt.Errorf("create a test database: %w", err)
	}
	u.Path = "/" + name
	return u.String(), nil
}

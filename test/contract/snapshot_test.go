package contract_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// ownTraces are tables in which a refused request may leave something: what sign-in
// keeps to count attempts, and the count of conflicts.
var ownTraces = []string{"sign_in_attempts", "sessions", "conflict_counts"}

// snapshot says of each table how many rows it has and what their versions add up
// to, so that two snapshots are equal only when nothing was added, removed or
// edited between them.
func snapshot(t *testing.T, p *apptest.Program) []string {
	t.Helper()
	pool, dialect := anyPool(p.Services().DB), p.Services().DB.Dialect
	counting, _ := countings.LoadOrStore(dialect, sync.OnceValue(func() string { return countingOf(t, pool, dialect) }))
	return rows(t, pool, counting.(func() string)())
}

// countings are the statements of snapshot, by dialect: all programs have one schema.
var countings sync.Map

// countingOf writes the statement that counts every table.
func countingOf(t *testing.T, pool *sql.DB, dialect storage.Dialect) string {
	versioned := rows(t, pool, versionedOf[dialect])
	var parts []string
	for _, table := range rows(t, pool, tablesOf[dialect]) {
		if slices.Contains(ownTraces, table) {
			continue
		}
		versions := "0"
		if slices.Contains(versioned, table) {
			versions = "COALESCE(SUM(version), 0)"
		}
		part := fmt.Sprintf(joinedOf[dialect], table, versions, table)
		if table == "audit_entries" {
			// What was refused before is written once a minute, whatever is done then.
			part += " WHERE action NOT IN ('" + httpapi.RefusedSignIn + "', '" + httpapi.RefusedRequest + "')"
		}
		parts = append(parts, part)
	}
	require.Greater(t, len(parts), 5)
	return strings.Join(parts, " UNION ALL ")
}

// joinedOf is the part of a table.
var joinedOf = map[storage.Dialect]string{
	storage.SQLite: "SELECT '%s: ' || COUNT(*) || ' rows, versions ' || %s FROM %s",
	storage.MySQL:  "SELECT CONCAT('%s: ', COUNT(*), ' rows, versions ', %s) FROM %s",
}

var tablesOf = map[storage.Dialect]string{
	storage.SQLite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
	storage.MySQL:  "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()",
}

var versionedOf = map[storage.Dialect]string{
	storage.SQLite: "SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c ON c.name = 'version' WHERE m.type = 'table'",
	storage.MySQL:  "SELECT table_name FROM information_schema.columns WHERE table_schema = DATABASE() AND column_name = 'version'",
}

func anyPool(db *storage.DB) *sql.DB {
	for _, pool := range db.Pools() {
		return pool
	}
	return nil
}

func rows(t *testing.T, pool *sql.DB, query string) []string {
	t.Helper()
	found, err := pool.QueryContext(t.Context(), query)
	require.NoError(t, err)
	defer found.Close()
	var names []string
	for found.Next() {
		var name string
		require.NoError(t, found.Scan(&name))
		names = append(names, name)
	}
	require.NoError(t, found.Err())
	return names
}

package contract_test

import (
	"database/sql"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/test/apptest"
)

// ownTraces are tables in which a refused request may leave something: what sign-in
// keeps to count attempts, and the count of conflicts.
var ownTraces = []string{"sign_in_attempts", "sessions", "conflict_counts"}

// snapshot says of each table how many rows it has and what their versions add up
// to, so that two snapshots are equal only when nothing was added, removed or
// edited between them.
func snapshot(t *testing.T, p *apptest.Program) map[string]string {
	t.Helper()
	pool, versioned := anyPool(p.Services().DB), map[string]bool{}
	tables := rows(t, pool, tablesOf[p.Services().DB.Dialect])
	for _, table := range rows(t, pool, versionedOf[p.Services().DB.Dialect]) {
		versioned[table] = true
	}
	require.Greater(t, len(tables), 5)
	shot := map[string]string{}
	for _, table := range tables {
		if slices.Contains(ownTraces, table) {
			continue
		}
		columns := "COUNT(*), 0"
		if versioned[table] {
			columns = "COUNT(*), COALESCE(SUM(version), 0)"
		}
		var count, versions int64
		require.NoError(t, pool.QueryRowContext(t.Context(), "SELECT "+columns+" FROM "+table).Scan(&count, &versions))
		shot[table] = fmt.Sprintf("%d rows, versions %d", count, versions)
	}
	return shot
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

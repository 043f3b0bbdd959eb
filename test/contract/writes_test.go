package contract_test

import (
	"database/sql"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// unwatched are the tables that may be written during a rejected request: sign-in counts attempts,
// the service counts conflicts, and each process renews its claim at any time.
var unwatched = []string{"sign_in_attempts", "sessions", "conflict_counts", "server_claims", writeLog}

// writeLog is the table in which triggers record the committed writes to the other tables.
const writeLog = "contract_writes"

// watched are the databases that record their writes.
var watched sync.Map

// requireNoWrites returns a function that fails the test if a statement has inserted, updated or
// deleted a row of the program's database since requireNoWrites was called. A statement that was
// rolled back is not a write.
func requireNoWrites(t *testing.T, p *apptest.Program) (verify func(message ...any)) {
	t.Helper()
	db := p.Services().DB
	pool := db.Pools()["write"]
	record, _ := watched.LoadOrStore(db, sync.OnceFunc(func() { recordWrites(t, pool, db.Dialect) }))
	record.(func())()
	execute(t, pool, "DELETE FROM "+writeLog)
	return func(message ...any) {
		t.Helper()
		// The service writes the audit rows of rejected requests and the numbers of replays at any
		// time. A request updates the time at which its token was used last.
		require.Empty(t, rows(t, db.Pools()["read"], "SELECT DISTINCT statement FROM "+writeLog+
			" WHERE statement NOT IN ('UPDATE api_tokens', 'UPDATE idempotency_keys') AND action NOT IN ('"+httpapi.RefusedSignIn+"', '"+httpapi.RefusedRequest+"')"), message...)
	}
}

// recordWrites adds the triggers that record each write in writeLog.
func recordWrites(t *testing.T, pool *sql.DB, dialect storage.Dialect) {
	t.Helper()
	tables := rows(t, pool, tablesOf[dialect])
	require.Greater(t, len(tables), 50)
	execute(t, pool, "CREATE TABLE "+writeLog+" (statement VARCHAR(100) NOT NULL, action VARCHAR(100) NOT NULL)")
	for _, table := range tables {
		if slices.Contains(unwatched, table) {
			continue
		}
		for statement, row := range map[string]string{"INSERT": "NEW", "UPDATE": "NEW", "DELETE": "OLD"} {
			action := "''"
			if table == "audit_entries" {
				action = row + ".action"
			}
			insert := fmt.Sprintf("INSERT INTO %s VALUES ('%s %s', %s)", writeLog, statement, table, action)
			execute(t, pool, fmt.Sprintf("CREATE TRIGGER %s_%s_%s AFTER %[3]s ON %[2]s FOR EACH ROW "+triggered[dialect], writeLog, table, statement, insert))
		}
	}
}

// triggered is the body of a trigger that runs one statement.
var triggered = map[storage.Dialect]string{storage.SQLite: "BEGIN %[4]s; END", storage.MySQL: "%[4]s"}

var tablesOf = map[storage.Dialect]string{
	storage.SQLite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
	storage.MySQL:  "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()",
}

func TestEachWriteIsNoticed(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		pool := p.Services().DB.Pools()["write"]
		written := func() []string {
			return rows(t, p.Services().DB.Pools()["read"], "SELECT DISTINCT statement FROM "+writeLog)
		}

		verify := requireNoWrites(t, p)
		owner.Do(t, "GET", httpapi.Base+"/menus", nil)
		verify()
		id := newMenu(t, owner)
		require.Contains(t, written(), "INSERT menus")
		require.Contains(t, written(), "INSERT audit_entries")

		requireNoWrites(t, p)
		execute(t, pool, "UPDATE menus SET title = 'another' WHERE id = "+id)
		require.Equal(t, []string{"UPDATE menus"}, written())

		requireNoWrites(t, p)
		execute(t, pool, "DELETE FROM menus WHERE id = "+id)
		require.Equal(t, []string{"DELETE menus"}, written())
	})
}

func execute(t *testing.T, pool *sql.DB, statement string) {
	t.Helper()
	_, err := pool.ExecContext(t.Context(), statement)
	require.NoError(t, err, statement)
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

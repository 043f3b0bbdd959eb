package storagetest

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	gomysql "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"
)

// Past copies a database and returns a function that restores this state, including id
// counters, while a program uses it: like a restore, or a failover to a replica that lacks
// the last commits. It works once.
func Past(t *testing.T, address string) (goBack func()) {
	t.Helper()
	if path, embedded := strings.CutPrefix(address, "sqlite://"); embedded {
		return pastOfSQLite(t, path)
	}
	return pastOfMariaDB(t, address)
}

func pastOfSQLite(t *testing.T, path string) (goBack func()) {
	past := filepath.Join(t.TempDir(), "past.db")
	pool, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)")
	require.NoError(t, err)
	t.Cleanup(func() { pool.Close() })
	// An attached database is visible on one connection only.
	pool.SetMaxOpenConns(1)
	execute(t, pool, "VACUUM INTO '"+past+"'")
	return func() {
		t.Helper()
		execute(t, pool, "ATTACH '"+past+"' AS past")
		execute(t, pool, "BEGIN IMMEDIATE")
		for _, table := range Texts(t, pool, "SELECT name FROM past.sqlite_master WHERE type = 'table'") {
			execute(t, pool, "DELETE FROM main."+table)
			// Without generated columns.
			columns := strings.Join(Texts(t, pool, "SELECT '`' || name || '`' FROM pragma_table_info('"+table+"')"), ", ")
			execute(t, pool, fmt.Sprintf("INSERT INTO main.%s (%s) SELECT %[2]s FROM past.%[1]s", table, columns))
		}
		execute(t, pool, "COMMIT")
		execute(t, pool, "DETACH past")
	}
}

func pastOfMariaDB(t *testing.T, address string) (goBack func()) {
	u, err := url.Parse(address)
	require.NoError(t, err)
	config := gomysql.NewConfig()
	config.Net, config.Addr, config.User, config.DBName = "tcp", u.Host, u.User.Username(), strings.Trim(u.Path, "/")
	config.Passwd, _ = u.User.Password()
	connector, err := gomysql.NewConnector(config)
	require.NoError(t, err)
	pool := sql.OpenDB(connector)
	t.Cleanup(func() { pool.Close() })
	now, round := config.DBName, rand.Uint32()
	past, gone := fmt.Sprintf("%s_past_%d", now, round), fmt.Sprintf("%s_gone_%d", now, round)
	for _, name := range []string{past, gone} {
		execute(t, pool, "CREATE DATABASE "+name+" CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
	}
	copied := Texts(t, pool, "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()")
	swaps := make([]string, len(copied))
	for i, table := range copied {
		execute(t, pool, fmt.Sprintf("CREATE TABLE %s.%s LIKE %s.%[2]s", past, table, now))
		columns := strings.Join(Texts(t, pool, "SELECT CONCAT('`', column_name, '`') FROM information_schema.columns"+
			" WHERE table_schema = DATABASE() AND is_generated = 'NEVER' AND table_name = '"+table+"'"), ", ")
		execute(t, pool, fmt.Sprintf("INSERT INTO %s.%s (%s) SELECT %[3]s FROM %s.%[2]s", past, table, columns, now))
		swaps[i] = fmt.Sprintf("%s.%s TO %s.%[2]s, %[4]s.%[2]s TO %[1]s.%[2]s", now, table, gone, past)
	}
	return func() {
		t.Helper()
		execute(t, pool, "RENAME TABLE "+strings.Join(swaps, ", "))
	}
}

// Texts returns the single column of a query's rows.
func Texts(t *testing.T, pool *sql.DB, query string) (list []string) {
	t.Helper()
	rows, err := pool.Query(query)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(t, rows.Scan(&text))
		list = append(list, text)
	}
	require.NoError(t, rows.Err())
	return list
}

func execute(t *testing.T, pool *sql.DB, statement string) {
	t.Helper()
	_, err := pool.Exec(statement)
	require.NoError(t, err, statement)
}

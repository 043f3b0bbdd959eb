package storage_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	modernc "modernc.org/sqlite"

	"interlock/internal/base/storage"
)

// preparations counts the statements that an SQLite connection prepares and closes.
type preparations struct {
	driver.Connector
	prepared, closed atomic.Int64
}

func (p *preparations) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := p.Connector.Connect(ctx)
	return countedConn{conn.(storage.Link), p}, err
}

type countedConn struct {
	storage.Link
	by *preparations
}

func (c countedConn) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	stmt, err := c.Link.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	c.by.prepared.Add(1)
	return countedStmt{stmt.(storage.Runnable), c.by}, nil
}

type countedStmt struct {
	storage.Runnable
	by *preparations
}

func (s countedStmt) Close() error {
	s.by.closed.Add(1)
	return s.Runnable.Close()
}

// cached opens an in-memory database over one connection with a cache of most
// statements.
func cached(t *testing.T, most int) (*sql.DB, *preparations) {
	t.Helper()
	connector, err := modernc.NewConnector(":memory:")
	require.NoError(t, err)
	counted := &preparations{Connector: connector}
	pool := sql.OpenDB(storage.Preparing(counted, most))
	pool.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = pool.Close() })
	_, err = pool.Exec("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE)")
	require.NoError(t, err)
	require.Zero(t, counted.prepared.Load(), "statements that change the schema are not cached")
	return pool, counted
}

func TestStatementIsPreparedOnce(t *testing.T) {
	pool, counted := cached(t, 8)
	for i := range 10 {
		_, err := pool.Exec("INSERT INTO things (id, name) VALUES (?, ?)", i, fmt.Sprint("thing ", i))
		require.NoError(t, err)
		var name string
		require.NoError(t, pool.QueryRow("SELECT name FROM things WHERE id = ?", i).Scan(&name))
		require.Equal(t, fmt.Sprint("thing ", i), name)
	}
	require.EqualValues(t, 2, counted.prepared.Load())
}

func TestFailedStatementCanRunAgain(t *testing.T) {
	pool, counted := cached(t, 8)
	add := func(id int, name string) error {
		_, err := pool.Exec("INSERT INTO things (id, name) VALUES (?, ?)", id, name)
		return err
	}
	require.NoError(t, add(1, "one"))
	require.ErrorContains(t, add(2, "one"), "UNIQUE constraint failed")
	require.NoError(t, add(2, "two"))
	_, err := pool.Exec("INSERT INTO others (id) VALUES (?)", 1)
	require.ErrorContains(t, err, "no such table")
	require.EqualValues(t, 1, counted.prepared.Load())
}

func TestStatementRunsWhileItsRowsAreRead(t *testing.T) {
	pool, _ := cached(t, 8)
	for i := range 3 {
		_, err := pool.Exec("INSERT INTO things (id) VALUES (?)", i)
		require.NoError(t, err)
	}
	tx, err := pool.Begin()
	require.NoError(t, err)
	defer func() { _ = tx.Rollback() }()
	const query = "SELECT id FROM things WHERE id >= ? ORDER BY id"
	var pairs [][2]int
	eachID := func(from int, found func(id int)) {
		rows, err := tx.Query(query, from)
		require.NoError(t, err)
		defer rows.Close()
		for rows.Next() {
			var id int
			require.NoError(t, rows.Scan(&id))
			found(id)
		}
		require.NoError(t, rows.Err())
	}
	eachID(0, func(outer int) {
		eachID(1, func(inner int) { pairs = append(pairs, [2]int{outer, inner}) })
	})
	require.Equal(t, [][2]int{{0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 1}, {2, 2}}, pairs)
}

func TestCachedStatementSeesSchemaChange(t *testing.T) {
	pool, counted := cached(t, 8)
	columns := func() []string {
		rows, err := pool.Query("SELECT * FROM things")
		require.NoError(t, err)
		defer rows.Close()
		names, err := rows.Columns()
		require.NoError(t, errors.Join(err, rows.Err()))
		return names
	}
	require.Equal(t, []string{"id", "name"}, columns())
	_, err := pool.Exec("ALTER TABLE things ADD COLUMN size INTEGER")
	require.NoError(t, err)
	require.Equal(t, []string{"id", "name", "size"}, columns())
	_, err = pool.Exec("DROP TABLE things")
	require.NoError(t, err)
	var id int
	require.ErrorContains(t, pool.QueryRow("SELECT * FROM things").Scan(&id), "no such table")
	require.EqualValues(t, 1, counted.prepared.Load())
}

func TestConnectionCachesLatestStatements(t *testing.T) {
	pool, counted := cached(t, 3)
	ask := func(n int) {
		var got int
		require.NoError(t, pool.QueryRow(fmt.Sprintf("SELECT %d", n)).Scan(&got))
		require.Equal(t, n, got)
	}
	for _, n := range []int{1, 2, 3, 1, 4, 1, 2} {
		ask(n)
	}
	require.EqualValues(t, 5, counted.prepared.Load(), "1 and 2 ran lately when 4 came; 2 did not when it came again")
	require.EqualValues(t, 2, counted.closed.Load())
	require.NoError(t, pool.Close())
	require.EqualValues(t, 5, counted.closed.Load())
}

package storagetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	gomysql "github.com/go-sql-driver/mysql"
)

// All test packages of a run share one migrated database per engine and copy it. A copy saves 30 ms
// on SQLite. On MariaDB it saves time only under the race detector, which slows the parser of goose.
// Tests of migrations call storage.DB.Migrate, which copies nothing.

// SharedVariable is the environment variable with the folder that the test packages of one
// run share; without it, each package migrates separately.
const SharedVariable = "INTERLOCK_TEST_SHARED_DIR"

// templateName is the migrated database on the test server that others are copied from.
const templateName = "interlock_template"

// Migrate brings a database's schema up to date. A SQLite file that does not exist, and a
// database on the test server without tables, become a copy of a migrated one.
func Migrate(address string) error {
	if path, embedded := strings.CutPrefix(address, "sqlite://"); embedded {
		if _, err := os.Stat(path); err == nil {
			return migrate(address)
		}
		return copyFile(path)
	}
	copied, err := copyTemplate(address)
	if copied || err != nil {
		return err
	}
	return migrate(address)
}

func copyFile(path string) error {
	content, err := migratedFile()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, content, 0o600)
}

// migratedFile is the content of a migrated SQLite file. Two packages that create the
// shared file concurrently create the same content, and the file is renamed when it is
// complete.
var migratedFile = sync.OnceValues(func() ([]byte, error) {
	shared := os.Getenv(SharedVariable)
	dir, err := os.MkdirTemp(shared, "interlock-migrated-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	named, made := filepath.Join(shared, "interlock.db"), filepath.Join(dir, "interlock.db")
	if shared != "" {
		if content, err := os.ReadFile(named); !errors.Is(err, os.ErrNotExist) {
			return content, err
		}
	}
	if err := migrate("sqlite://" + made); err != nil {
		return nil, err
	}
	content, err := os.ReadFile(made)
	if err == nil && shared != "" {
		err = os.Rename(made, named)
	}
	return content, err
})

// copyTemplate makes an empty database on the test server a copy of the template. For a
// database that is not empty or on another server it does nothing, and copied is false.
func copyTemplate(address string) (copied bool, err error) {
	to, err := url.Parse(address)
	if err != nil {
		return false, err
	}
	server, err := testServer()
	if err != nil || to.Host != server.Host || to.RawQuery != "" {
		return false, nil
	}
	pool, err := poolOf(server)
	if err != nil {
		return false, err
	}
	defer pool.Close()
	name := strings.TrimPrefix(to.Path, "/")
	tables, err := columnsOf(pool, name)
	if err != nil || len(tables) > 0 {
		return false, err
	}
	if err := makeTemplate(); err != nil {
		return false, err
	}
	if tables, err = columnsOf(pool, templateName); err != nil {
		return false, err
	}
	var script strings.Builder
	for table, names := range tables {
		columns := strings.Join(names, ", ")
		from, to := templateName+".`"+table+"`", name+".`"+table+"`"
		fmt.Fprintf(&script, "CREATE TABLE %s LIKE %s; INSERT INTO %s (%s) SELECT %s FROM %s;\n", to, from, to, columns, columns, from)
	}
	if _, err := pool.Exec(script.String()); err != nil {
		return false, fmt.Errorf("copy the migrated database: %w", err)
	}
	return true, nil
}

// columnsOf returns the tables of a database with their writable columns.
func columnsOf(pool *sql.DB, name string) (map[string][]string, error) {
	rows, err := pool.Query(
		"SELECT table_name, column_name FROM information_schema.columns"+
			" WHERE table_schema = ? AND COALESCE(generation_expression, '') = '' ORDER BY table_name, ordinal_position", name)
	if err != nil {
		return nil, fmt.Errorf("read the columns of %s: %w", name, err)
	}
	defer rows.Close()
	tables := map[string][]string{}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, err
		}
		tables[table] = append(tables[table], "`"+column+"`")
	}
	return tables, rows.Err()
}

// makeTemplate migrates the template. One process does so while others wait; if it is
// killed, the next one resumes.
var makeTemplate = sync.OnceValue(func() error {
	server, err := testServer()
	if err != nil {
		return err
	}
	pool, err := poolOf(server)
	if err != nil {
		return err
	}
	defer pool.Close()
	ctx := context.Background()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	// Closing the connection releases the lock.
	var locked bool
	if err := conn.QueryRowContext(ctx, "SELECT GET_LOCK(?, 120)", templateName).Scan(&locked); err != nil {
		return fmt.Errorf("lock the template of test databases: %w", err)
	}
	if !locked {
		return fmt.Errorf("another process has been making %s for two minutes", templateName)
	}
	if _, err := conn.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS "+templateName+collation); err != nil {
		return fmt.Errorf("create the template of test databases: %w", err)
	}
	return migrate(server.JoinPath(templateName).String())
})

// collation is the collation of every test database.
const collation = " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"

// testServer returns the address of the test server.
func testServer() (*url.URL, error) {
	address := os.Getenv(MySQLVariable)
	if address == "" {
		return nil, fmt.Errorf("%s is not set: run the tests through `make test`, or go run ./test/services -- go test ./…", MySQLVariable)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", MySQLVariable, err)
	}
	return u, nil
}

// poolOf connects to the server of an address, without a database.
func poolOf(server *url.URL) (*sql.DB, error) {
	config := gomysql.NewConfig()
	config.Net, config.Addr, config.User = "tcp", server.Host, server.User.Username()
	config.Passwd, _ = server.User.Password()
	config.MultiStatements = true
	connector, err := gomysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

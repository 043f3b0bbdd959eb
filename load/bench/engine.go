package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// engine is the MariaDB of test/services with a separate database.
type engine struct {
	*sql.DB
	address string // host:port
	name    string // of the database
	pid     int
}

var errNoEngine = errors.New("INTERLOCK_TEST_MYSQL_URL and INTERLOCK_TEST_MYSQL_PID are not set: run it with `make bench`")

// openEngine creates the database. It is not dropped, because the runner removes the whole
// server.
func openEngine(ctx context.Context) (*engine, error) {
	at, err := url.Parse(os.Getenv("INTERLOCK_TEST_MYSQL_URL"))
	pid, pidErr := strconv.Atoi(os.Getenv("INTERLOCK_TEST_MYSQL_PID"))
	if err != nil || at.Host == "" || pidErr != nil {
		return nil, errNoEngine
	}
	e := &engine{address: at.Host, name: "interlock_bench_" + randomHex(4), pid: pid}
	server, err := sql.Open("mysql", e.dsn(""))
	if err != nil {
		return nil, err
	}
	defer server.Close()
	if _, err := server.ExecContext(ctx, "CREATE DATABASE "+e.name+" CHARACTER SET utf8mb4"); err != nil {
		return nil, fmt.Errorf("create the database: %w", err)
	}
	e.DB, err = sql.Open("mysql", e.dsn(e.name))
	return e, err
}

// redisServer is the Redis of test/services.
type redisServer struct {
	url string
	pid int
}

var errNoRedis = errors.New("INTERLOCK_TEST_REDIS_URL and INTERLOCK_TEST_REDIS_PID are not set: run it with `make bench`")

func openRedis() (redisServer, error) {
	pid, err := strconv.Atoi(os.Getenv("INTERLOCK_TEST_REDIS_PID"))
	at := os.Getenv("INTERLOCK_TEST_REDIS_URL")
	if err != nil || at == "" {
		return redisServer{}, errNoRedis
	}
	return redisServer{url: at, pid: pid}, nil
}

func (e *engine) dsn(database string) string {
	config := mysql.NewConfig()
	config.User, config.Net, config.Addr, config.DBName = "root", "tcp", e.address, database
	return config.FormatDSN()
}

func (e *engine) serviceURL() string {
	return "mysql://root@" + e.address + "/" + e.name
}

func (e *engine) count(ctx context.Context, query string, arguments ...any) (int64, error) {
	var n sql.NullInt64
	err := e.QueryRowContext(ctx, query, arguments...).Scan(&n)
	return n.Int64, err
}

// expectation is a number that must be in the store.
type expectation struct {
	what, query string
	want        int64
}

// holds fails with the first expectation that the store does not meet.
func (e *engine) holds(ctx context.Context, all []expectation) error {
	for _, expected := range all {
		got, err := e.count(ctx, expected.query)
		if err != nil {
			return fmt.Errorf("count %s: %w", expected.what, err)
		}
		if got != expected.want {
			return fmt.Errorf("%d %s, expected %d", got, expected.what, expected.want)
		}
	}
	return nil
}

// newest returns the columns of the table's newest row that matches the condition, without
// its id and generated columns: a row written by the product is the most realistic template.
func (e *engine) newest(ctx context.Context, table, where string) (row, error) {
	var list string
	err := e.QueryRowContext(ctx, "SELECT GROUP_CONCAT(COLUMN_NAME ORDER BY ORDINAL_POSITION) FROM information_schema.COLUMNS "+
		"WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ? AND COLUMN_NAME <> 'id' AND EXTRA NOT LIKE '% GENERATED'", table).Scan(&list)
	if err != nil {
		return row{}, err
	}
	columns := strings.Split(list, ",")
	rows, err := e.QueryContext(ctx, "SELECT `"+strings.Join(columns, "`,`")+"` FROM "+table+" WHERE "+where+" ORDER BY id DESC LIMIT 1")
	if err != nil {
		return row{}, err
	}
	defer rows.Close()
	if !rows.Next() {
		return row{}, fmt.Errorf("%s has none: %w", table, errors.Join(sql.ErrNoRows, rows.Err()))
	}
	cells := make([]any, len(columns))
	targets := make([]any, len(columns))
	for i := range cells {
		cell := new(sql.NullString)
		cells[i], targets[i] = cell, cell
	}
	if err := rows.Scan(targets...); err != nil {
		return row{}, err
	}
	return row{table: table, columns: columns, cells: cells}, rows.Err()
}

// row is a row that is inserted repeatedly with some cells changed.
type row struct {
	table   string
	columns []string
	cells   []any
}

// insert returns the statement for n rows.
func (r row) insert(n int) string {
	one := "(" + places(len(r.columns)) + ")"
	return "INSERT INTO " + r.table + " (`" + strings.Join(r.columns, "`,`") + "`) VALUES " + one + strings.Repeat(","+one, n-1)
}

// places returns n placeholders.
func places(n int) string { return "?" + strings.Repeat(",?", n-1) }

func (r row) set(column string, cell any) error {
	for i, name := range r.columns {
		if name == column {
			r.cells[i] = cell
			return nil
		}
	}
	return fmt.Errorf("%s has no column %s", r.table, column)
}

func randomHex(bytes int) string {
	random := make([]byte, bytes)
	_, _ = rand.Read(random) // never fails (crypto/rand)
	return hex.EncodeToString(random)
}

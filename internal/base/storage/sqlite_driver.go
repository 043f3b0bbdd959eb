package storage

import (
	"context"
	"database/sql"
	"database/sql/driver"
)

// The program imports modernc.org/sqlite, which registers itself as "sqlite". This package does
// not import it, so that test binaries without a database do not link SQLite.

// sqliteConnector opens connections through the registered driver.
type sqliteConnector struct {
	driver driver.Driver
	dsn    string
}

func newSQLiteConnector(dsn string) (driver.Connector, error) {
	pool, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	defer pool.Close()
	return sqliteConnector{pool.Driver(), dsn}, nil
}

func (c sqliteConnector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }

func (c sqliteConnector) Driver() driver.Driver { return c.driver }

// sqliteError is an error of SQLite. Code returns its extended result code.
type sqliteError interface {
	error
	Code() int
}

// Result codes of SQLite, https://sqlite.org/rescode.html. The low byte of an extended code is
// its primary code.
const (
	sqliteBusy                 = 5
	sqliteLocked               = 6
	sqliteReadOnly             = 8
	sqliteIOError              = 10
	sqliteFull                 = 13
	sqliteCannotOpen           = 14
	sqliteConstraint           = 19
	sqliteConstraintPrimaryKey = 1555
	sqliteConstraintUnique     = 2067
)

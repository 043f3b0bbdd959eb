package storage

import (
	"context"
	"crypto/tls"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	gomysql "github.com/go-sql-driver/mysql"
	"gorm.io/gorm"

	"interlock/internal/base/apperr"
)

// Class is the meaning of an engine's error for the sender of the statement.
type Class string

// The classes.
const (
	// DuplicateKey: the value violates a unique key; Error.Key names the key.
	DuplicateKey Class = "duplicate_key"
	// WriteConflict: the engine rolled this transaction back in favour of another one
	// (deadlock, conflict at COMMIT). A retry of the whole transaction may succeed.
	WriteConflict Class = "write_conflict"
	// LockTimeout: a row or the database stayed locked for too long. On MySQL only the
	// statement was rolled back; the caller must roll back the transaction.
	LockTimeout Class = "lock_timeout"
	// ReadOnly: the server rejects writes now.
	ReadOnly Class = "read_only"
	// ConnectionLost: the connection broke. The server rolls back an open transaction,
	// unless COMMIT had been sent.
	ConnectionLost Class = "connection_lost"
	// Unavailable: the server can be reached but rejects requests now.
	Unavailable Class = "unavailable"
	// Full is a kind of Unavailable: the disk is full. Reads still work.
	Full Class = "full"
	// Unsupported: the server does not support the statement, or a clause of it. On MySQL
	// the transaction stays open.
	Unsupported Class = "unsupported"
)

// Error is an engine's error with its class. It wraps the original error.
type Error struct {
	Class Class
	// Key is the name of the unique key, for DuplicateKey.
	Key string

	cause error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Key != "" {
		return fmt.Sprintf("%s (%s): %v", e.Class, e.Key, e.cause)
	}
	return fmt.Sprintf("%s: %v", e.Class, e.cause)
}

// Unwrap returns the engine's error.
func (e *Error) Unwrap() error { return e.cause }

// Is reports whether err has one of the classes.
func Is(err error, classes ...Class) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	for _, class := range classes {
		if e.Class == class || e.Class == Full && class == Unavailable {
			return true
		}
	}
	return false
}

// IsDuplicate reports whether err is a violation of the named unique key.
func IsDuplicate(err error, key string) bool {
	var e *Error
	return errors.As(err, &e) && e.Class == DuplicateKey && e.Key == key
}

// IsNotFound reports whether a query for one row found none.
func IsNotFound(err error) bool { return errors.Is(err, gorm.ErrRecordNotFound) }

// Found converts the error of reading one row by a caller's key: NotFound if the row does
// not exist.
func Found(err error, kind, name string) error {
	switch {
	case err == nil:
		return nil
	case IsNotFound(err):
		return apperr.MissingRow(kind, name)
	}
	return fmt.Errorf("read %s: %w", kind, err)
}

// classify returns err with its class, or err unchanged if it has no class. It counts errors that
// indicate a changed connection.
func (db *DB) classify(err error) error {
	var known *Error
	switch {
	case err == nil, errors.As(err, &known), errors.Is(err, gorm.ErrRecordNotFound), errors.Is(err, ErrNoTenant):
		return err
	}
	if err = db.classOf(err); Is(err, ConnectionLost, ReadOnly) {
		db.links.Add(1)
		db.servers.renew()
	}
	return err
}

// classOf returns an error of the engine or its driver with its class.
func (db *DB) classOf(err error) error {
	var fromMySQL *gomysql.MySQLError
	if errors.As(err, &fromMySQL) {
		if class := mysqlClass(fromMySQL); class == DuplicateKey {
			return &Error{Class: class, Key: mysqlKeyName(fromMySQL.Message), cause: err}
		} else if class != "" {
			return &Error{Class: class, cause: err}
		}
		return err
	}
	var fromSQLite sqliteError
	if errors.As(err, &fromSQLite) {
		return db.classifySQLite(fromSQLite, err)
	}
	// The transaction exceeded its time limit and was rolled back. For a COMMIT, this error means
	// that database/sql did not send the COMMIT.
	if errors.Is(err, sql.ErrTxDone) {
		return &Error{Class: Unavailable, cause: err}
	}
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) || errors.As(err, new(tls.RecordHeaderError)) || errors.Is(err, gomysql.ErrNoTLS) {
		return &Error{Class: Unavailable, cause: err}
	}
	if isLinkError(err) {
		return &Error{Class: ConnectionLost, cause: err}
	}
	return err
}

// mysqlClass returns the class of an error number, "" for none. Numbers from 8000 are
// TiDB's: write conflicts that require a retry of the transaction, and components that are
// unavailable or slow (9001 to 9006); 8501 is a statement that may have been executed. 3101
// is the write conflict of MySQL's Group Replication. 1047 and 1180 are Galera's, from a
// server that rejects requests, or that lost its cluster during a transaction.
func mysqlClass(e *gomysql.MySQLError) Class {
	switch e.Number {
	case 1062, 1586:
		return DuplicateKey
	case 1213, 3101, 8002, 8005, 8022, 8028, 9007:
		return WriteConflict
	case 1205, 3572:
		return LockTimeout
	case 1290, 1792, 1836:
		return ReadOnly
	case 1927, 1053, 1152, 1158, 1159, 1160, 1161:
		return ConnectionLost
	case 1040, 1047, 1129, 1180, 1203, 1226, 8501, 9001, 9002, 9003, 9004, 9005, 9006:
		return Unavailable
	case 1044, 1045, 1698, 1820, 1862, 3118, 3159, 4151:
		// The password or the account was changed, or the account demands TLS.
		return Unavailable
	case 1021, 1114:
		return Full
	case 1105: // unspecific; older TiDB servers use it in place of 8028
		if strings.Contains(e.Message, "Information schema is changed") {
			return WriteConflict
		}
	case 1064, 1235:
		return Unsupported
	case 1026, 1030:
		if strings.Contains(e.Message, "No space left on device") {
			return Full
		}
	}
	return ""
}

// mysqlKeyName extracts "uq_configs_key" from "Duplicate entry '1-a' for key
// 'configs.uq_configs_key'"; MariaDB omits the table.
func mysqlKeyName(message string) string {
	_, key, ok := cutLast(message, " for key '")
	if !ok {
		return ""
	}
	key = strings.TrimSuffix(key, "'")
	if _, name, ok := cutLast(key, "."); ok {
		return name
	}
	return key
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func (db *DB) classifySQLite(e sqliteError, err error) error {
	switch e.Code() {
	case sqliteConstraintUnique, sqliteConstraintPrimaryKey:
		return &Error{Class: DuplicateKey, Key: db.indexes.name(db, e.Error()), cause: err}
	}
	switch e.Code() & 0xff {
	case sqliteBusy, sqliteLocked:
		return &Error{Class: LockTimeout, cause: err}
	case sqliteReadOnly:
		return &Error{Class: ReadOnly, cause: err}
	case sqliteFull:
		return &Error{Class: Full, cause: err}
	case sqliteIOError, sqliteCannotOpen:
		return &Error{Class: Unavailable, cause: err}
	}
	return err
}

func isLinkError(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var network net.Error
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, gomysql.ErrInvalidConn) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, sql.ErrConnDone) ||
		errors.As(err, &network)
}

// uniqueIndexes maps the columns of SQLite's unique indexes to their names, because its
// message ("UNIQUE constraint failed: configs.tenant_id, configs.key") contains only the
// columns.
type uniqueIndexes struct {
	mu     sync.Mutex
	byCols map[string]string
}

func (u *uniqueIndexes) name(db *DB, message string) string {
	_, columns, ok := cutLast(message, "constraint failed: ")
	if !ok {
		return ""
	}
	columns, _, _ = strings.Cut(columns, " (")
	u.mu.Lock()
	defer u.mu.Unlock()
	if name, ok := u.byCols[columns]; ok {
		return name
	}
	if err := u.load(db); err != nil {
		return columns
	}
	if name, ok := u.byCols[columns]; ok {
		return name
	}
	return columns
}

func (u *uniqueIndexes) load(db *DB) error {
	const query = `SELECT m.name, m.tbl_name || '.' || c.name
		FROM sqlite_master m, pragma_index_list(m.tbl_name) l, pragma_index_info(m.name) c
		WHERE m.type = 'index' AND l.name = m.name AND l."unique" = 1 ORDER BY m.name, c.seqno`
	pool, err := db.read.DB()
	if err != nil {
		return err
	}
	rows, err := pool.Query(query)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns := make(map[string][]string)
	for rows.Next() {
		var index, column string
		if err := rows.Scan(&index, &column); err != nil {
			return err
		}
		columns[index] = append(columns[index], column)
	}
	u.byCols = make(map[string]string, len(columns))
	for index, list := range columns {
		u.byCols[strings.Join(list, ", ")] = index
	}
	return rows.Err()
}

// errorClasses classifies every error that GORM returns.
type errorClasses struct{ db *DB }

func (errorClasses) Name() string { return "error-classes" }

func (p errorClasses) Initialize(g *gorm.DB) error {
	classify := func(db *gorm.DB) {
		if db.Error != nil {
			db.Error = p.db.classify(db.Error)
		}
	}
	const name = "error-classes:classify"
	return errors.Join(
		g.Callback().Create().After("*").Register(name, classify),
		g.Callback().Query().After("*").Register(name, classify),
		g.Callback().Update().After("*").Register(name, classify),
		g.Callback().Delete().After("*").Register(name, classify),
		g.Callback().Row().After("*").Register(name, classify),
		g.Callback().Raw().After("*").Register(name, classify),
	)
}

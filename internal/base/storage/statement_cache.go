package storage

import (
	"container/list"
	"context"
	"database/sql/driver"
	"errors"
	"strings"
)

// Bounds of a statement cache. A prepared statement takes some 10 KiB of SQLite's memory.
const (
	writerStatements = 128
	readerStatements = 24
	longestPrepared  = 4 << 10
)

// preparing makes connections to SQLite that keep their statements prepared: preparing one takes
// SQLite about as long as running it. database/sql would keep them by connection too, but prepares
// them before it knows on which one they run.
type preparing struct {
	driver.Connector
	// most is how many statements each connection keeps.
	most int
}

// Connect implements driver.Connector.
func (p preparing) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	made, err := asLink(conn)
	if err != nil {
		return nil, err
	}
	return &statementCache{link: made, most: p.most, byText: make(map[string]*list.Element), recent: list.New()}, nil
}

// statementCache is a connection with the statements that ran on it last, prepared. SQLite prepares
// one anew by itself when the schema has changed. database/sql lets one goroutine at a time use it.
type statementCache struct {
	link
	most   int
	byText map[string]*list.Element
	// recent holds *preparedStatement, the one that ran last in front.
	recent *list.List
}

// runnable is what the statements of SQLite's driver have.
type runnable interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type preparedStatement struct {
	text string
	stmt runnable
	// isRead is set while its rows are open: it cannot run a second time until they are closed.
	isRead bool
}

// ExecContext implements driver.ExecerContext.
func (c *statementCache) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	prepared, err := c.prepared(ctx, text)
	switch {
	case err != nil:
		return nil, err
	case prepared == nil:
		return c.link.ExecContext(ctx, text, args)
	}
	return prepared.stmt.ExecContext(ctx, args)
}

// QueryContext implements driver.QueryerContext.
func (c *statementCache) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	prepared, err := c.prepared(ctx, text)
	switch {
	case err != nil:
		return nil, err
	case prepared == nil:
		return c.link.QueryContext(ctx, text, args)
	}
	rows, err := prepared.stmt.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	typed, ok := rows.(typedRows)
	if !ok {
		return nil, errors.Join(errLacksMethod(rows), rows.Close())
	}
	prepared.isRead = true
	return &preparedRows{typed, prepared}, nil
}

// prepared returns the statement with that text, prepared, or nil when it is not to be kept or its
// rows are open.
func (c *statementCache) prepared(ctx context.Context, text string) (*preparedStatement, error) {
	if at, ok := c.byText[text]; ok {
		c.recent.MoveToFront(at)
		if kept := at.Value.(*preparedStatement); !kept.isRead {
			return kept, nil
		}
		return nil, nil
	}
	if len(text) > longestPrepared || !runsOften(text) {
		return nil, nil
	}
	stmt, err := c.link.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	made, ok := stmt.(runnable)
	if !ok {
		return nil, errors.Join(errLacksMethod(stmt), stmt.Close())
	}
	prepared := &preparedStatement{text: text, stmt: made}
	c.byText[text] = c.recent.PushFront(prepared)
	return prepared, c.makeRoom()
}

// makeRoom closes statements that ran longest ago, while there are more than may be kept.
func (c *statementCache) makeRoom() (err error) {
	for at := c.recent.Back(); c.recent.Len() > c.most && at != nil; {
		before := at.Prev()
		if kept := at.Value.(*preparedStatement); !kept.isRead && before != nil {
			c.recent.Remove(at)
			delete(c.byText, kept.text)
			err = errors.Join(err, kept.stmt.Close())
		}
		at = before
	}
	return err
}

// runsOften reports whether a statement is of those that a service repeats, and is alone in its
// text: migrations are not.
func runsOften(text string) bool {
	verb, rest, _ := strings.Cut(strings.TrimSpace(text), " ")
	switch strings.ToUpper(verb) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "BEGIN", "SAVEPOINT", "RELEASE", "ROLLBACK", "COMMIT":
		return !strings.Contains(rest, ";")
	}
	return false
}

// Close implements driver.Conn.
func (c *statementCache) Close() (err error) {
	for at := c.recent.Front(); at != nil; at = at.Next() {
		err = errors.Join(err, at.Value.(*preparedStatement).stmt.Close())
	}
	return errors.Join(err, c.link.Close())
}

// typedRows is what the rows of SQLite's driver have.
type typedRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeLength
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
	driver.RowsColumnTypeScanType
}

// preparedRows are the rows of a statement that is kept.
type preparedRows struct {
	typedRows
	of *preparedStatement
}

// Close implements driver.Rows: the statement is free to run again.
func (r *preparedRows) Close() error {
	r.of.isRead = false
	return r.typedRows.Close()
}

package storage

import (
	"container/list"
	"context"
	"database/sql/driver"
	"errors"
	"strings"
)

// Bounds of a statement cache. A prepared statement needs about 10 KiB of SQLite's memory.
const (
	writerStatements = 128
	readerStatements = 24
	maxPrepared      = 4 << 10
)

// preparing creates SQLite connections that cache prepared statements: the preparation of a
// statement lasts about as long as its execution. database/sql would cache the statements per
// connection too, but prepares them before it chooses the connection.
type preparing struct {
	driver.Connector
	// most is the maximum number of cached statements per connection.
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

// statementCache is a connection with its most recent statements, prepared. SQLite prepares
// them again automatically after a change of the schema. It is used by one goroutine at a
// time.
type statementCache struct {
	link
	most   int
	byText map[string]*list.Element
	// recent contains *preparedStatement, the most recent first.
	recent *list.List
}

// runnable is the interface of the SQLite driver's statements.
type runnable interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type preparedStatement struct {
	text string
	stmt runnable
	// isRead is set while the rows of the statement are open; until they are closed, the statement
	// cannot run again.
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

// prepared returns the prepared statement for a text, or nil if the text is not cached or
// its rows are open.
func (c *statementCache) prepared(ctx context.Context, text string) (*preparedStatement, error) {
	if at, ok := c.byText[text]; ok {
		c.recent.MoveToFront(at)
		if stored := at.Value.(*preparedStatement); !stored.isRead {
			return stored, nil
		}
		return nil, nil
	}
	if len(text) > maxPrepared || !runsOften(text) {
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

// makeRoom closes the least recent statements that exceed the limit.
func (c *statementCache) makeRoom() (err error) {
	for at := c.recent.Back(); c.recent.Len() > c.most && at != nil; {
		before := at.Prev()
		if stored := at.Value.(*preparedStatement); !stored.isRead && before != nil {
			c.recent.Remove(at)
			delete(c.byText, stored.text)
			err = errors.Join(err, stored.stmt.Close())
		}
		at = before
	}
	return err
}

// runsOften reports whether a text is a single statement of a repeated kind; migrations are
// not.
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

// typedRows is the interface of the SQLite driver's rows.
type typedRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeLength
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
	driver.RowsColumnTypeScanType
}

// preparedRows are the rows of a cached statement.
type preparedRows struct {
	typedRows
	of *preparedStatement
}

// Close implements driver.Rows and makes the statement available again.
func (r *preparedRows) Close() error {
	r.of.isRead = false
	return r.typedRows.Close()
}

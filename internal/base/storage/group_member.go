package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"strings"
)

// member is a member of groups, as a connection of database/sql, which is used by one
// goroutine at a time.
type member struct {
	group *groupCommit
	// inTransaction is set while the member owns the writer.
	inTransaction, inSavepoint bool
	// packet contains the deferred statements of a packed transaction; nil outside of one.
	packet *packet
}

var (
	_ driver.ConnBeginTx        = (*member)(nil)
	_ driver.ConnPrepareContext = (*member)(nil)
	_ driver.ExecerContext      = (*member)(nil)
	_ driver.QueryerContext     = (*member)(nil)
	_ driver.Pinger             = (*member)(nil)
	_ driver.Tx                 = (*member)(nil)
)

// BeginTx implements driver.ConnBeginTx. A packed transaction does not request the writer
// yet.
func (m *member) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	if how, packed := ctx.Value(packingKey{}).(*Packing); packed {
		m.packet = &packet{how: how}
		return m, nil
	}
	if err := m.enter(ctx); err != nil {
		return nil, err
	}
	return m, nil
}

// Begin implements driver.Conn.
func (m *member) Begin() (driver.Tx, error) {
	return m.BeginTx(context.Background(), driver.TxOptions{})
}

func (m *member) enter(ctx context.Context) (err error) {
	m.inSavepoint, err = m.group.enter(ctx)
	m.inTransaction = err == nil
	return err
}

// Commit implements driver.Tx. Its error is a commitError when COMMIT was sent.
func (m *member) Commit() error {
	p := m.packet
	m.packet = nil
	if p != nil && p.broken == nil && !m.inTransaction {
		return m.commitBatch(p)
	}
	if p != nil && p.broken == nil {
		p.broken = m.runWaiting(p)
	}
	if p != nil && p.broken != nil {
		return m.reject(p.broken)
	}
	m.inTransaction = false
	return m.group.commit(m.inSavepoint)
}

// commitBatch commits a transaction that has not started.
func (m *member) commitBatch(p *packet) error {
	if len(p.waiting) == 0 {
		return nil
	}
	err := m.group.commitBatch(p.waiting)
	if isRefused(err) {
		return &rejected{p.fail(err)}
	}
	return err
}

// reject rolls back after the failure of a deferred statement, and returns its error.
func (m *member) reject(failed error) error {
	if m.inTransaction {
		failed = errors.Join(failed, m.Rollback())
	}
	return &rejected{failed}
}

// Rollback implements driver.Tx.
func (m *member) Rollback() error {
	m.packet = nil
	if !m.inTransaction {
		return nil
	}
	m.inTransaction = false
	return m.group.rollback(m.inSavepoint)
}

// flush runs the deferred statements in the member's transaction.
func (m *member) flush(ctx context.Context) error {
	if m.packet.broken != nil {
		return m.packet.broken
	}
	if !m.inTransaction {
		if err := m.enter(ctx); err != nil {
			m.packet.broken = err
			return err
		}
	}
	return m.runWaiting(m.packet)
}

func (m *member) runWaiting(p *packet) error {
	waited := batch{statements: p.waiting}
	p.waiting = nil
	if _, err := waited.run(m.group.link); err != nil {
		return p.fail(err)
	}
	return nil
}

// ExecContext implements driver.ExecerContext. Outside a transaction the statement is its
// own transaction.
func (m *member) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (result driver.Result, err error) {
	if m.packet != nil && m.packet.broken == nil && m.packet.waits(ctx, query, args, 0) {
		return deferredResult{}, nil
	}
	err = m.run(ctx, query, func(link link) error {
		result, err = link.ExecContext(m.toTheEnd(ctx), query, args)
		return err
	})
	return result, err
}

// QueryContext implements driver.QueryerContext. Outside a transaction it reads all rows
// before it releases the writer: an INSERT that returns rows ends with the last of them.
func (m *member) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (rows driver.Rows, err error) {
	err = m.run(ctx, query, func(link link) error {
		rows, err = link.QueryContext(m.toTheEnd(ctx), query, args)
		if err == nil && !m.inTransaction {
			rows, err = readAll(rows)
		}
		return err
	})
	return rows, err
}

// toTheEnd returns the context of a statement. The caller's cancellation does not interrupt
// a statement outside a transaction once it owns the writer: SQLite would roll back the
// whole group.
func (m *member) toTheEnd(ctx context.Context) context.Context {
	if m.inTransaction {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// run runs a statement in the open transaction, or in a separate one if none is open.
func (m *member) run(ctx context.Context, query string, statement func(link link) error) error {
	if m.packet != nil {
		if err := m.flush(ctx); err != nil {
			return err
		}
	}
	switch {
	case m.inTransaction:
		return statement(m.group.link)
	case isNonTransactional(query):
		return m.group.alone(ctx, statement)
	}
	inSavepoint, err := m.group.enter(ctx)
	if err != nil {
		return err
	}
	left := false
	defer func() {
		if !left {
			_ = m.group.rollback(inSavepoint)
		}
	}()
	err = statement(m.group.link)
	left = true
	if err == nil {
		return m.group.commit(inSavepoint)
	}
	if undone := m.group.rollback(inSavepoint); errors.Is(undone, ErrGroupRolledBack) {
		return &Error{Class: WriteConflict, cause: undone}
	}
	return err
}

// isNonTransactional reports whether SQLite rejects or ignores a statement within a transaction.
func isNonTransactional(query string) bool {
	verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	switch strings.ToUpper(verb) {
	case "PRAGMA", "VACUUM", "ATTACH", "DETACH":
		return true
	}
	return false
}

// PrepareContext implements driver.ConnPrepareContext. The statement is prepared at
// execution, because another member may own the writer now.
func (m *member) PrepareContext(_ context.Context, query string) (driver.Stmt, error) {
	return &prepared{m, query}, nil
}

// Prepare implements driver.Conn.
func (m *member) Prepare(query string) (driver.Stmt, error) {
	return m.PrepareContext(context.Background(), query)
}

// Ping implements driver.Pinger.
func (m *member) Ping(ctx context.Context) error {
	return m.group.alone(ctx, func(link link) error { return link.Ping(ctx) })
}

// Close implements driver.Conn.
func (m *member) Close() error { return m.Rollback() }

type prepared struct {
	member *member
	query  string
}

var (
	_ driver.StmtExecContext  = (*prepared)(nil)
	_ driver.StmtQueryContext = (*prepared)(nil)
)

func (p *prepared) Close() error  { return nil }
func (p *prepared) NumInput() int { return -1 }

func (p *prepared) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return p.member.ExecContext(ctx, p.query, args)
}

func (p *prepared) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return p.member.QueryContext(ctx, p.query, args)
}

// Exec and Query are never called, because database/sql prefers the context variants.
func (p *prepared) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }
func (p *prepared) Query([]driver.Value) (driver.Rows, error)  { return nil, driver.ErrSkip }

// readAll reads all rows and closes them.
func readAll(rows driver.Rows) (_ driver.Rows, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	all := &readRows{columns: rows.Columns()}
	for {
		row := make([]driver.Value, len(all.columns))
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all.rows = append(all.rows, row)
	}
}

// readRows are buffered rows.
type readRows struct {
	columns []string
	rows    [][]driver.Value
}

// Columns implements driver.Rows.
func (r *readRows) Columns() []string { return r.columns }

// Close implements driver.Rows.
func (r *readRows) Close() error { return nil }

// Next implements driver.Rows.
func (r *readRows) Next(row []driver.Value) error {
	if len(r.rows) == 0 {
		return io.EOF
	}
	copy(row, r.rows[0])
	r.rows = r.rows[1:]
	return nil
}

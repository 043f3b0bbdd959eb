package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"

	"interlock/internal/base/clock"
)

// Bounds of a group.
const (
	groupLife = 5 * time.Millisecond
	groupSize = 64
	// writerLinks is how many transactions can wait for their turn.
	writerLinks = 256
)

// groupCommit is SQLite's one writer, shared by many transactions: a sync of the disk takes
// longer than most of them, so those that come while it lasts share the next one.
//
// They have their turn one after the other. The first begins a transaction of the engine;
// each that follows does its work in a savepoint of it. Who has ended its work, and finds
// others waiting, hands them the turn and waits with its group; who finds nobody commits
// for all. So one that is alone waits for nobody. COMMIT returns, and ROLLBACK too, when
// the group's has: nobody is told of what is not on the disk, of others' work neither.
//
// Each has its own outcome. One that is rolled back goes back to its savepoint. A COMMIT
// that fails fails all who took part, each of whom finds out what became of its own work. An
// error for which SQLite undoes the whole transaction undoes the others' work as well:
// they get a WriteConflict, and run again. A crash leaves the whole group or nothing.
type groupCommit struct {
	connector driver.Connector
	// opened counts the connections that were made.
	opened *atomic.Uint64
	// life bounds a group: nobody comes into one that is older, because those before wait
	// for those behind.
	life  time.Duration
	clock clock.Clock

	turn turn
	// What follows belongs to who has the turn. link is nil until it is needed, and after
	// it was given up; open is nil while no transaction is.
	link   link
	open   *group
	closed bool
}

// group is a transaction of the engine.
type group struct {
	began time.Time
	// members are those who have ended their work in it.
	members int
	// ended is closed when it is committed or undone; err is set before.
	ended chan struct{}
	err   error
}

var (
	_ driver.Connector = (*groupCommit)(nil)
	_ io.Closer        = (*groupCommit)(nil)
)

// Connect implements driver.Connector: each connection takes part in groups.
func (g *groupCommit) Connect(context.Context) (driver.Conn, error) { return &member{group: g}, nil }

// Driver implements driver.Connector.
func (g *groupCommit) Driver() driver.Driver { return g.connector.Driver() }

// Close implements io.Closer; database/sql calls it when the pool is closed.
func (g *groupCommit) Close() error {
	if err := g.turn.take(context.Background()); err != nil {
		return err
	}
	defer g.turn.release()
	g.end()
	g.closed = true
	return g.drop()
}

// enter waits for the turn and begins a piece of work, in a savepoint unless it is the first
// of its group. Whoever enters leaves by commit or rollback.
func (g *groupCommit) enter(ctx context.Context) (inSavepoint bool, err error) {
	if err := g.turn.take(ctx); err != nil {
		return false, err
	}
	if g.open != nil {
		if err := g.execute(ctx, "SAVEPOINT member"); err != nil {
			g.leave()
			return false, err
		}
		return true, nil
	}
	if err := g.begin(ctx); err != nil {
		g.turn.release()
		return false, err
	}
	return false, nil
}

func (g *groupCommit) begin(ctx context.Context) error {
	if err := g.connect(ctx); err != nil {
		return err
	}
	if err := g.execute(ctx, "BEGIN IMMEDIATE"); err != nil {
		// It may have begun all the same.
		return errors.Join(err, g.drop())
	}
	g.open = &group{began: g.clock.Now(), ended: make(chan struct{})}
	return nil
}

// commit ends a piece of work, and returns when it is committed.
func (g *groupCommit) commit(inSavepoint bool) error {
	if inSavepoint {
		if err := g.execute(context.Background(), "RELEASE member"); err != nil {
			return g.undo(err)
		}
	}
	in := g.open
	in.members++
	g.leave()
	<-in.ended
	return in.err
}

// ErrGroupUndone is the error of a ROLLBACK whose transaction may have read what others of its
// group had written, and what was undone with the group: what it came to is not to be told.
var ErrGroupUndone = errors.New("the transactions before it were undone")

// rollback undoes a piece of work, and returns when that of those before it is decided: who
// is told of a conflict with them must find it committed. It is ErrGroupUndone otherwise.
func (g *groupCommit) rollback(inSavepoint bool) error {
	if !inSavepoint {
		defer g.turn.release()
		g.open = nil
		err := g.execute(context.Background(), "ROLLBACK")
		if err != nil {
			err = errors.Join(err, g.drop())
		}
		return err
	}
	for _, statement := range []string{"ROLLBACK TO member", "RELEASE member"} {
		if err := g.execute(context.Background(), statement); err != nil {
			return g.undo(err)
		}
	}
	in := g.open
	g.leave()
	<-in.ended
	if in.err != nil {
		return fmt.Errorf("%w: %w", ErrGroupUndone, in.err)
	}
	return nil
}

// leave hands the turn to the next of the group, or commits it.
func (g *groupCommit) leave() {
	if g.open.members < groupSize && g.clock.Now().Sub(g.open.began) < g.life && g.turn.hand() {
		return
	}
	g.end()
	g.turn.release()
}

// end commits what is open.
func (g *groupCommit) end() {
	in := g.open
	if in == nil {
		return
	}
	g.open = nil
	if err := g.execute(context.Background(), "COMMIT"); err != nil {
		// Its end undoes what it has open.
		in.err = &unconfirmed{errors.Join(err, g.drop())}
	} else if !g.link.IsValid() {
		_ = g.drop()
	}
	close(in.ended)
}

// undo gives up a transaction whose savepoint is gone: SQLite has undone all of it.
func (g *groupCommit) undo(cause error) error {
	in := g.open
	g.open = nil
	in.err = &Error{Class: WriteConflict, cause: fmt.Errorf("another transaction of the same group undid it: %w", cause)}
	err := errors.Join(cause, g.drop())
	close(in.ended)
	g.turn.release()
	return err
}

// alone runs what is no part of a transaction, such as a PRAGMA.
func (g *groupCommit) alone(ctx context.Context, run func(link link) error) error {
	if err := g.turn.take(ctx); err != nil {
		return err
	}
	defer g.turn.release()
	g.end()
	if err := g.connect(ctx); err != nil {
		return err
	}
	err := run(g.link)
	if !g.link.IsValid() {
		err = errors.Join(err, g.drop())
	}
	return err
}

func (g *groupCommit) execute(ctx context.Context, statement string) error {
	_, err := g.link.ExecContext(ctx, statement, nil)
	return err
}

func (g *groupCommit) connect(ctx context.Context) error {
	switch {
	case g.closed:
		return errClosed
	case g.link != nil:
		return nil
	}
	made, err := openLink(ctx, g.connector, g.opened)
	if err == nil {
		g.link = made
	}
	return err
}

var errClosed = errors.New("storage: the database is closed")

// drop gives the connection up, and with it whatever is open on it.
func (g *groupCommit) drop() error {
	if g.link == nil {
		return nil
	}
	dropped := g.link
	g.link = nil
	return dropped.Close()
}

// member is one who takes part, as a connection of database/sql, which lets one goroutine at
// a time use it.
type member struct {
	group *groupCommit
	// inTransaction says that it has the turn.
	inTransaction, inSavepoint bool
}

var (
	_ driver.ConnBeginTx        = (*member)(nil)
	_ driver.ConnPrepareContext = (*member)(nil)
	_ driver.ExecerContext      = (*member)(nil)
	_ driver.QueryerContext     = (*member)(nil)
	_ driver.Pinger             = (*member)(nil)
	_ driver.Tx                 = (*member)(nil)
)

// BeginTx implements driver.ConnBeginTx.
func (m *member) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	var err error
	if m.inSavepoint, err = m.group.enter(ctx); err != nil {
		return nil, err
	}
	m.inTransaction = true
	return m, nil
}

// Begin implements driver.Conn.
func (m *member) Begin() (driver.Tx, error) {
	return m.BeginTx(context.Background(), driver.TxOptions{})
}

// Commit implements driver.Tx. Its error is an unconfirmed when COMMIT was sent.
func (m *member) Commit() error {
	m.inTransaction = false
	return m.group.commit(m.inSavepoint)
}

// Rollback implements driver.Tx.
func (m *member) Rollback() error {
	m.inTransaction = false
	return m.group.rollback(m.inSavepoint)
}

// ExecContext implements driver.ExecerContext. Outside of a transaction the statement is one.
func (m *member) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (result driver.Result, err error) {
	err = m.run(ctx, query, func(link link) error {
		result, err = link.ExecContext(m.toTheEnd(ctx), query, args)
		return err
	})
	return result, err
}

// QueryContext implements driver.QueryerContext. Outside of a transaction its rows are read
// before the turn is given on: an INSERT that returns rows ends with the last of them.
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

// toTheEnd is the context of a statement. One that stands by itself is not interrupted by who
// hangs up, once it has its turn: SQLite would undo the work of the whole group.
func (m *member) toTheEnd(ctx context.Context) context.Context {
	if m.inTransaction {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// run runs a statement in the transaction, or, without one, in one of its own.
func (m *member) run(ctx context.Context, query string, statement func(link link) error) error {
	switch {
	case m.inTransaction:
		return statement(m.group.link)
	case standsAlone(query):
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
	if undone := m.group.rollback(inSavepoint); errors.Is(undone, ErrGroupUndone) {
		return &Error{Class: WriteConflict, cause: undone}
	}
	return err
}

// standsAlone reports whether SQLite refuses or ignores a statement within a transaction.
func standsAlone(query string) bool {
	verb, _, _ := strings.Cut(strings.TrimSpace(query), " ")
	switch strings.ToUpper(verb) {
	case "PRAGMA", "VACUUM", "ATTACH", "DETACH":
		return true
	}
	return false
}

// PrepareContext implements driver.ConnPrepareContext. The statement is prepared when it is
// run: another member may have the turn now.
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
func (m *member) Close() error {
	if !m.inTransaction {
		return nil
	}
	return m.Rollback()
}

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

// Exec and Query are what database/sql does not call where the others are there.
func (p *prepared) Exec([]driver.Value) (driver.Result, error) { return nil, driver.ErrSkip }
func (p *prepared) Query([]driver.Value) (driver.Rows, error)  { return nil, driver.ErrSkip }

// readAll reads rows to their end and closes them.
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

// readRows are rows that have been read.
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

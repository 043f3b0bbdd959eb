package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"interlock/internal/base/clock"
)

// Bounds of a group.
const (
	maxGroupAge = 5 * time.Millisecond
	groupSize   = 64
	// writerLinks is the maximum number of transactions that wait for the writer.
	writerLinks = 256
)

// groupCommit is SQLite's single writer, shared by many transactions: a sync of the disk
// lasts longer than most transactions, so the transactions that arrive during a sync share
// the next one.
//
// They own the writer in turn. The first one starts a transaction of the engine, and the
// following ones join it. An owner that has finished its statements while others wait
// passes the writer on and waits for the group; if none waits, it commits for all. So a
// single transaction never waits. COMMIT and ROLLBACK return after the commit of the group:
// no caller learns of data that is not durable, including the data of other transactions.
//
// There are two ways to join. A transaction that reads owns the writer from its first
// statement to its end, in a savepoint unless it is the first of the group. A transaction
// with only deferred statements (Deferred, DeferredOneRow) joins at its COMMIT as a
// batch: the owner runs its statements, and the caller does not block the writer while it
// computes. Batches need no savepoints while the group consists of batches only. If one of
// them fails halfway, the group is rolled back and the other batches are run again, since
// their statements are known.
//
// Each transaction has its own outcome. A rollback returns to its savepoint. A failed
// COMMIT fails all members, and each resolves its own outcome. An error on which SQLite
// rolls back the whole transaction also reverts the other members: they get a WriteConflict
// and run again. A crash preserves the whole group or nothing.
type groupCommit struct {
	connector driver.Connector
	// opened counts the created connections.
	opened *atomic.Uint64
	// maxAge bounds the age at which a group accepts members, because earlier members wait
	// for later ones.
	maxAge time.Duration
	// writerTimeout bounds the wait of a batch for the writer.
	writerTimeout time.Duration
	clock         clock.Clock

	queue writerQueue
	// The following fields belong to the owner. link is nil until first use, and after it
	// was dropped; open is nil outside a transaction.
	link   link
	open   *group
	closed bool
}

// group is a transaction of the engine.
type group struct {
	started time.Time
	// members counts the members that have finished their statements.
	members int
	// batches are the batches in the order of execution, and waiters their waiting callers.
	batches []*batch
	waiters []*waiter
	// savepoints is set if later members need a savepoint, because the group contains work
	// that cannot be run again.
	savepoints bool
	// ended is closed when the group is committed or rolled back; err is set before.
	ended chan struct{}
	err   error
}

var (
	_ driver.Connector = (*groupCommit)(nil)
	_ io.Closer        = (*groupCommit)(nil)
)

// Connect implements driver.Connector: each connection is a member of groups.
func (g *groupCommit) Connect(context.Context) (driver.Conn, error) { return &member{group: g}, nil }

// Driver implements driver.Connector.
func (g *groupCommit) Driver() driver.Driver { return g.connector.Driver() }

// Close implements io.Closer; database/sql calls it when the pool is closed.
func (g *groupCommit) Close() error {
	if err := g.queue.lock(context.Background()); err != nil {
		return err
	}
	defer g.queue.unlock()
	g.end()
	g.closed = true
	return g.drop()
}

// enter waits for the writer and starts a member's work, in a savepoint unless it is the
// first of its group. It must be followed by commit or rollback.
func (g *groupCommit) enter(ctx context.Context) (inSavepoint bool, err error) {
	if err := g.queue.lock(ctx); err != nil {
		return false, err
	}
	if g.open != nil {
		g.open.savepoints = true
		if err := g.execute(ctx, "SAVEPOINT member"); err != nil {
			g.leave()
			return false, err
		}
		return true, nil
	}
	if err := g.begin(ctx); err != nil {
		g.queue.unlock()
		return false, err
	}
	g.open.savepoints = true
	return false, nil
}

func (g *groupCommit) begin(ctx context.Context) error {
	if err := g.connect(ctx); err != nil {
		return err
	}
	if err := g.execute(ctx, "BEGIN IMMEDIATE"); err != nil {
		// The engine may have executed BEGIN.
		return errors.Join(err, g.drop())
	}
	g.open = &group{started: g.clock.Now(), ended: make(chan struct{})}
	return nil
}

// commit ends a member's work, and returns when the group is committed.
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

// ErrGroupRolledBack is the error of a ROLLBACK of a transaction that may have read writes of its
// group that were rolled back. The values that the transaction read must not be used.
var ErrGroupRolledBack = errors.New("the transactions before it in the group were rolled back")

// rollback reverts a member's work, and returns after the group has ended: a caller that
// gets a conflict with an earlier member must find that member committed. Otherwise the
// error is ErrGroupRolledBack.
func (g *groupCommit) rollback(inSavepoint bool) error {
	if !inSavepoint {
		defer g.queue.unlock()
		g.open = nil
		return g.rollBackAll()
	}
	if err := g.rollBackMember(); err != nil {
		return g.undo(err)
	}
	in := g.open
	g.leave()
	<-in.ended
	if in.err != nil {
		return fmt.Errorf("%w: %w", ErrGroupRolledBack, in.err)
	}
	return nil
}

func (g *groupCommit) rollBackMember() error {
	for _, statement := range []string{"ROLLBACK TO member", "RELEASE member"} {
		if err := g.execute(context.Background(), statement); err != nil {
			return err
		}
	}
	return nil
}

func (g *groupCommit) rollBackAll() error {
	err := g.execute(context.Background(), "ROLLBACK")
	if err != nil {
		err = errors.Join(err, g.drop())
	}
	return err
}

// leave lets waiting transactions join the group, and commits it if there are none: it runs
// the waiting batches, and makes the first waiter without a batch the owner.
func (g *groupCommit) leave() {
	for g.open.members < groupSize && g.clock.Now().Sub(g.open.started) < g.maxAge {
		w := g.queue.next()
		switch {
		case w == nil:
			g.end()
			g.queue.unlock()
			return
		case w.batch == nil:
			w.own()
			return
		}
		g.open.waiters = append(g.open.waiters, w)
		if !g.runInGroup(w.batch) {
			g.queue.unlock()
			return
		}
	}
	g.end()
	g.queue.unlock()
}

// end commits the open group, if any.
func (g *groupCommit) end() {
	in := g.open
	if in == nil {
		return
	}
	g.open = nil
	if in.isEmpty() {
		_ = g.rollBackAll()
	} else if err := g.execute(context.Background(), "COMMIT"); err != nil {
		// Closing the connection rolls back its open transaction.
		in.err = &commitError{cause: errors.Join(err, g.drop())}
	} else if !g.link.IsValid() {
		_ = g.drop()
	}
	in.notifyMembers()
}

// isEmpty reports whether the group contained only batches, all of which failed.
func (in *group) isEmpty() bool {
	return in.members == len(in.batches) && !slices.ContainsFunc(in.batches, func(b *batch) bool { return b.failed == nil })
}

// notifyMembers reports the outcome of the group to all members.
func (in *group) notifyMembers() {
	for _, b := range in.batches {
		b.setOutcome(in.err)
	}
	close(in.ended)
	for _, w := range in.waiters {
		close(w.ready)
	}
}

// undo ends a transaction without returning to its savepoint, because SQLite has rolled back the
// complete transaction.
func (g *groupCommit) undo(cause error) error {
	err := g.undoOpen(cause)
	g.queue.unlock()
	return err
}

// undoOpen is undo for a caller that remains the owner.
func (g *groupCommit) undoOpen(cause error) error {
	in := g.open
	g.open = nil
	in.err = &Error{Class: WriteConflict, cause: fmt.Errorf("another transaction of the same group rolled it back: %w", cause)}
	err := errors.Join(cause, g.drop())
	in.notifyMembers()
	return err
}

// alone runs a statement that cannot be part of a transaction, such as a PRAGMA.
func (g *groupCommit) alone(ctx context.Context, run func(link link) error) error {
	if err := g.queue.lock(ctx); err != nil {
		return err
	}
	defer g.queue.unlock()
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

// drop closes the connection, and thereby rolls back any open transaction.
func (g *groupCommit) drop() error {
	if g.link == nil {
		return nil
	}
	dropped := g.link
	g.link = nil
	return dropped.Close()
}

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
	groupLife = 5 * time.Millisecond
	groupSize = 64
	// writerLinks is how many transactions can wait for the writer.
	writerLinks = 256
)

// groupCommit is SQLite's one writer, shared by many transactions: a sync of the disk takes
// longer than most of them, so those that come while it lasts share the next one.
//
// They own the writer one after the other. The first begins a transaction of the engine, and
// those that follow take part in it. Whoever has ended its work, and finds others waiting, lets
// them do theirs and waits with the group; whoever finds nobody commits for all. So one that is
// alone waits for nobody. COMMIT returns, and ROLLBACK too, when the group's has: nobody is told
// of what is not on the disk, of others' work neither.
//
// There are two ways to take part. A transaction that reads what it stands on has the writer to
// itself from its first statement to its end, in a savepoint unless it is the first of the group.
// One whose statements all wait (Deferred, DeferredOneRow) comes with its COMMIT, as a batch: the owner runs
// it in a row, and its author does not hold the writer while it computes. Batches need no
// savepoints as long as there is nothing but batches in the group. When one of them fails in its
// middle, all is rolled back and the others are run again, since they are known.
//
// Each has its own outcome. One that is rolled back goes back to its savepoint. A COMMIT that
// fails fails all who took part, each of whom finds out what became of its own work. An error for
// which SQLite undoes the whole transaction undoes the others' work as well: they get a
// WriteConflict, and run again. A crash leaves the whole group or nothing.
type groupCommit struct {
	connector driver.Connector
	// opened counts the connections that were made.
	opened *atomic.Uint64
	// life bounds a group: nobody comes into one that is older, because those before wait
	// for those behind.
	life time.Duration
	// patience is how long a batch waits for the writer.
	patience time.Duration
	clock    clock.Clock

	queue writerQueue
	// What follows belongs to the owner. link is nil until it is needed, and after it was given
	// up; open is nil while no transaction is.
	link   link
	open   *group
	closed bool
}

// group is a transaction of the engine.
type group struct {
	began time.Time
	// members are those who have ended their work in it.
	members int
	// batches are those that were run, in their order, and waiters who waits for one of them.
	batches []*batch
	waiters []*waiter
	// savepoints says that who comes now needs one: there is work in the group that cannot be run
	// again.
	savepoints bool
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
	if err := g.queue.lock(context.Background()); err != nil {
		return err
	}
	defer g.queue.unlock()
	g.end()
	g.closed = true
	return g.drop()
}

// enter waits for the writer and begins a piece of work, in a savepoint unless it is the first
// of its group. Whoever enters leaves by commit or rollback.
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
		return fmt.Errorf("%w: %w", ErrGroupUndone, in.err)
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

// leave lets those who wait take part in the group, and commits it when there is nobody: it runs
// the batches of those who have one, and makes the first who has none the owner.
func (g *groupCommit) leave() {
	for g.open.members < groupSize && g.clock.Now().Sub(g.open.began) < g.life {
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

// end commits what is open, if there is something.
func (g *groupCommit) end() {
	in := g.open
	if in == nil {
		return
	}
	g.open = nil
	if in.isEmpty() {
		_ = g.rollBackAll()
	} else if err := g.execute(context.Background(), "COMMIT"); err != nil {
		// Its end undoes what it has open.
		in.err = &commitError{cause: errors.Join(err, g.drop())}
	} else if !g.link.IsValid() {
		_ = g.drop()
	}
	in.notifyMembers()
}

// isEmpty reports whether there were only batches, all of which failed.
func (in *group) isEmpty() bool {
	return in.members == len(in.batches) && !slices.ContainsFunc(in.batches, func(b *batch) bool { return b.failed == nil })
}

// notifyMembers wakes all who took part, with the outcome of the group.
func (in *group) notifyMembers() {
	for _, b := range in.batches {
		b.setOutcome(in.err)
	}
	close(in.ended)
	for _, w := range in.waiters {
		close(w.ready)
	}
}

// undo gives up a transaction whose savepoint is gone: SQLite has undone all of it.
func (g *groupCommit) undo(cause error) error {
	err := g.undoOpen(cause)
	g.queue.unlock()
	return err
}

// undoOpen is undo for who goes on as the owner.
func (g *groupCommit) undoOpen(cause error) error {
	in := g.open
	g.open = nil
	in.err = &Error{Class: WriteConflict, cause: fmt.Errorf("another transaction of the same group undid it: %w", cause)}
	err := errors.Join(cause, g.drop())
	in.notifyMembers()
	return err
}

// alone runs what is no part of a transaction, such as a PRAGMA.
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

// drop gives the connection up, and with it whatever is open on it.
func (g *groupCommit) drop() error {
	if g.link == nil {
		return nil
	}
	dropped := g.link
	g.link = nil
	return dropped.Close()
}

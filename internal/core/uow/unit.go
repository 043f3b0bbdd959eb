package uow

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/lock"
)

// Programming errors. Do rolls back and returns them, so that a test meets them
// before a customer does.
var (
	ErrLockAfterBegin = errors.New("uow: lock asked for after the transaction had begun")
	ErrNoAudit        = errors.New("uow: the unit changed rows and left no audit entry")
	ErrAuditTwice     = errors.New("uow: the unit left two audit entries")
)

// Unit is one atomic piece of work. It belongs to one run of one function and to
// one goroutine.
type Unit struct {
	runner *Runner
	// attempt is 1 in the first run of the unit's function.
	attempt int
	// id is a UUIDv7, new on each run, and the key of the unit's audit row.
	id  string
	now time.Time

	leases []lock.Lease
	tx     *gorm.DB
	endTx  context.CancelFunc
	wrote  atomic.Bool
	// packing is set for a run whose marked statements go in packets.
	packing *storage.Packing
	// txContext is what the transaction was begun for, and nearly always what it is
	// asked for again.
	txContext context.Context

	entry   *Entry
	audited int
	// decision is the entry of the approval that the unit applies, beside that of what is
	// applied.
	decision      *Entry
	approval      int64
	proposed      *Proposed
	beforeCommit  []func(context.Context, *gorm.DB) error
	afterCommit   []func(context.Context)
	afterRollback []func(context.Context)
	atEnd         []func(committed bool)
}

// Now returns the one time that everything in this unit is stamped with.
func (u *Unit) Now() time.Time { return u.now }

// Attempt counts the runs of the unit's function, from 1.
func (u *Unit) Attempt() int { return u.attempt }

// Begun reports whether the unit has begun its transaction; until then it has written nothing.
func (u *Unit) Begun() bool { return u.tx != nil }

// Lock takes the locks of all keys, in sorted order, and holds them until the
// transaction has ended. It must come before Tx. A lock that is not had within
// wait is a lock.ErrNotAcquired; wait = 0 fails at once; locks that cannot be reached
// are a lock.ErrUnavailable. The returned context is
// cancelled with lock.ErrLost when a lock is lost, and is the one to go on with.
func (u *Unit) Lock(ctx context.Context, wait time.Duration, keys ...string) (context.Context, error) {
	if u.tx != nil {
		return ctx, ErrLockAfterBegin
	}
	lease, err := u.runner.locks.Acquire(lock.WithOwner(ctx, owner(ctx)), wait, keys...)
	if err != nil {
		return ctx, err
	}
	u.leases = append(u.leases, lease)
	return lease.Context(), nil
}

// owner tells an operator who holds a lock.
func owner(ctx context.Context) string {
	actor, _ := principal.From(ctx)
	if request := principal.Request(ctx); request != "" {
		return actor.Name + ", request " + request
	}
	return actor.Name
}

// Tx returns the unit's transaction bound to the tenant of ctx; the first call
// begins it.
//
// Its statements do not end with ctx: MySQL's protocol can cancel a statement only
// by closing the connection, so each client that hangs up would cost a new one.
// They are bounded by the engine's lock wait and the link's time-outs, and a unit
// whose ctx has ended stops here or before COMMIT.
func (u *Unit) Tx(ctx context.Context) (*gorm.DB, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if u.tx != nil && ctx == u.txContext {
		return u.tx, nil
	}
	if u.tx != nil {
		return u.tx.WithContext(context.WithoutCancel(ctx)), nil
	}
	// The transaction outlives the caller's context: who hangs up during COMMIT
	// must not leave it undecided. Its own bound ends it if all else fails.
	life, end := context.WithTimeout(context.WithoutCancel(ctx), u.runner.maxTransactionTime)
	// Until it has begun, who hangs up stops waiting for a connection.
	begun := context.AfterFunc(ctx, end)
	tx, err := u.begin(context.WithoutCancel(ctx), life)
	if !begun() && err == nil {
		_ = tx.Rollback()
		err = context.Cause(ctx)
	}
	if err != nil {
		end()
		return nil, fmt.Errorf("begin: %w", err)
	}
	storage.MarkWrites(tx, &u.wrote)
	u.tx, u.endTx, u.txContext = tx, end, ctx
	return u.tx, nil
}

func (u *Unit) begin(ctx, life context.Context) (*gorm.DB, error) {
	if u.packing == nil {
		return u.runner.db.Begin(ctx, life)
	}
	return u.runner.db.BeginPacked(ctx, life, u.packing)
}

// Audit says what the unit did. A unit that changes rows says so exactly once.
func (u *Unit) Audit(e Entry) {
	u.entry = &e
	u.audited++
}

// AuditOnly adds an entry to the audit log in a unit that changes nothing else: of what was
// refused there is nothing but the entry, and of a long run whose rows other units change. The
// unit has begun its transaction.
func (u *Unit) AuditOnly(e Entry) {
	u.Audit(e)
	u.wrote.Store(true)
}

// Apply says which approval the unit applies: from here on it may change protected rows.
// Package approvals alone calls it, as the linter sees to, in the unit in which the approval
// is applied or bypassed, and leaves that decision's audit entry: the unit commits with both
// or not at all.
func (u *Unit) Apply(approval int64, decision Entry) { u.approval, u.decision = approval, &decision }

// Approval is the id of the approval that the unit applies; 0 for none.
func (u *Unit) Approval() int64 { return u.approval }

// Proposed is what a unit has asked for instead of changing what is protected.
type Proposed struct {
	// Path is where the proposal is, below the API's base, and Body its representation.
	Path string
	Body any
}

// Propose says that the unit asked for an approval instead of making its change. Whatever
// route it serves then answers with the proposal.
func (u *Unit) Propose(p Proposed) { u.proposed = &p }

// Proposed returns what the unit has asked for instead of its change; nil when it changes
// what it was asked to.
func (u *Unit) Proposed() *Proposed { return u.proposed }

// BeforeCommit adds a last statement to the transaction, such as the record of
// the reply under its idempotency key. It runs after the audit row is written; an
// error rolls everything back.
func (u *Unit) BeforeCommit(fn func(ctx context.Context, tx *gorm.DB) error) {
	u.beforeCommit = append(u.beforeCommit, fn)
}

// AfterCommit adds what is to happen once the unit is committed and its locks
// are released: events, caches, tickets. It runs under a context that does not
// end with the caller's, and cannot fail the unit.
func (u *Unit) AfterCommit(fn func(ctx context.Context)) {
	u.afterCommit = append(u.afterCommit, fn)
}

// AfterRollback adds what takes back, should the unit be rolled back, what it has done
// outside of its transaction. It runs while the unit's locks are still held, under a context
// that does not end with the caller's, and not when nobody can say whether the unit is
// committed.
func (u *Unit) AfterRollback(fn func(ctx context.Context)) {
	u.afterRollback = append(u.afterRollback, fn)
}

// AtEnd adds what is to happen when the unit has ended, whatever became of it: after its locks
// are released, and after what AfterCommit or AfterRollback has. committed is false too when
// nobody can say.
func (u *Unit) AtEnd(fn func(committed bool)) { u.atEnd = append(u.atEnd, fn) }

// finish writes what belongs to every unit, just before COMMIT.
func (u *Unit) finish(ctx context.Context) error {
	for _, lease := range u.leases {
		if err := context.Cause(lease.Context()); err != nil {
			return err
		}
	}
	if u.audited > 1 {
		return ErrAuditTwice
	}
	if u.tx == nil {
		return ctx.Err()
	}
	switch {
	case u.wrote.Load() && u.entry == nil:
		return ErrNoAudit
	case u.wrote.Load():
		if err := u.writeAudit(ctx, u.entry); err != nil {
			return err
		}
		if u.decision != nil {
			if err := u.writeAudit(ctx, u.decision); err != nil {
				return err
			}
		}
	}
	for _, fn := range u.beforeCommit {
		if err := fn(ctx, u.tx.WithContext(context.WithoutCancel(ctx))); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// rollback is storage.ErrGroupUndone when what the unit came to stands on what was undone.
// Every other error says that the transaction is gone already, or has closed its connection.
func (u *Unit) rollback() error {
	if u.tx == nil {
		return nil
	}
	defer u.endTx()
	return u.tx.Rollback().Error
}

func (u *Unit) release(ctx context.Context) {
	for i := len(u.leases) - 1; i >= 0; i-- {
		// A lease that cannot be released ends by its TTL.
		_ = u.leases[i].Release(context.WithoutCancel(ctx))
	}
}

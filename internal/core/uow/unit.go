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

// Programming errors. Do rolls back and returns them, so that tests detect them.
var (
	ErrLockAfterBegin = errors.New("uow: lock requested after the transaction began")
	ErrNoAudit        = errors.New("uow: the unit changed rows and left no audit entry")
	ErrAuditTwice     = errors.New("uow: the unit has two audit entries")
)

// Unit is one atomic unit of work. It belongs to one run of one function and to one
// goroutine.
type Unit struct {
	runner *Runner
	// attempt is 1 in the first run of the function.
	attempt int
	// id is a UUIDv7, new on each run, and the key of the unit's audit row.
	id  string
	now time.Time

	leases []lock.Lease
	tx     *gorm.DB
	endTx  context.CancelFunc
	wrote  atomic.Bool
	// packing is set for a run that sends marked statements in packets.
	packing *storage.Packing
	// txContext is the context of the first Tx call. Tx returns tx itself to calls with the same
	// context.
	txContext context.Context

	entry   *Entry
	audited int
	// targets are further resources under which the audit log lists the entry.
	targets []string
	// changes are the changes of records in the unit's audit row.
	changes []Change
	// decision is the audit entry of the applied approval, in addition to the entry of the
	// change.
	decision      *Entry
	approval      int64
	proposed      *Proposed
	beforeCommit  []func(context.Context, *gorm.DB) error
	afterCommit   []func(context.Context)
	afterRollback []func(context.Context)
	atEnd         []func(committed bool)
}

// Now returns the time that stamps every write of this unit.
func (u *Unit) Now() time.Time { return u.now }

// Attempt counts the runs of the unit's function, from 1.
func (u *Unit) Attempt() int { return u.attempt }

// HasStarted reports whether the unit has started its transaction; before that it has written
// nothing.
func (u *Unit) HasStarted() bool { return u.tx != nil }

// Lock acquires the locks of all keys, in sorted order, and releases them after the transaction has
// ended. It must be called before Tx. If a key is not acquired within wait, the error is
// lock.ErrNotAcquired; wait = 0 fails immediately. If the lock service cannot be reached, the error
// is lock.ErrUnavailable. The returned context is cancelled with lock.ErrLost when a lock is lost;
// the caller must use it from then on.
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

// owner is the label that identifies the holder of a lock to an operator.
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
// Its statements are not cancelled with ctx: MySQL's protocol can cancel a statement only by
// closing the connection, so each client that disconnects would cost a new connection. The engine's
// lock time-out and the network time-outs bound the statements. If ctx has ended, the unit stops in
// its next call of Tx or before COMMIT.
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
	// The transaction outlives the caller's context: a client that disconnects during COMMIT must
	// not leave the outcome undecided. maxTransactionTime ends the transaction at the latest.
	life, end := context.WithTimeout(context.WithoutCancel(ctx), u.runner.maxTransactionTime)
	// Before BEGIN, the end of ctx cancels the wait for a connection.
	stop := context.AfterFunc(ctx, end)
	tx, err := u.begin(context.WithoutCancel(ctx), life)
	if !stop() && err == nil {
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

// Audit sets the audit entry of the unit. The function of a unit that changes rows must call it
// exactly once.
func (u *Unit) Audit(e Entry) {
	u.entry = &e
	u.audited++
}

// AuditUnder files the unit's audit entry under further records that the unit changes, such as the
// configs of a batch: the log finds the entry under each path. Callers need not pass the resource
// of the entry; duplicates are ignored.
func (u *Unit) AuditUnder(paths ...string) { u.targets = append(u.targets, paths...) }

// Changed adds the change of a record to the unit's audit row. Followers of the log receive the
// changes of committed units in commit order (package changelog).
func (u *Unit) Changed(c Change) { u.changes = append(u.changes, c) }

// AuditOnly adds an audit entry in a unit that changes nothing else: for a rejected action,
// and for a long job whose rows other units change. The unit must have started its
// transaction.
func (u *Unit) AuditOnly(e Entry) {
	u.Audit(e)
	u.wrote.Store(true)
}

// Apply sets the approval that the unit applies; from then on, the unit may change protected rows.
// Only package approvals calls Apply (a linter checks this), in the unit that applies or bypasses
// the approval. decision is the audit entry of that decision: the unit commits both of its audit
// entries or neither.
func (u *Unit) Apply(approval int64, decision Entry) { u.approval, u.decision = approval, &decision }

// Approval returns the id of the approval that the unit applies; 0 for none.
func (u *Unit) Approval() int64 { return u.approval }

// Proposed is the approval request that a unit created instead of changing a protected row.
type Proposed struct {
	// Path is the URL path of the proposal below the API's base; Body is its
	// representation.
	Path string
	Body any
}

// Propose records that the unit created an approval request instead of making its change. The route
// that ran the unit then responds with the proposal.
func (u *Unit) Propose(p Proposed) { u.proposed = &p }

// Proposed returns the approval request of the unit; nil if the unit makes its change.
func (u *Unit) Proposed() *Proposed { return u.proposed }

// BeforeCommit adds a last statement to the transaction, such as the stored reply of an
// idempotency key. It runs after the audit row is written; on error the unit is rolled
// back.
func (u *Unit) BeforeCommit(fn func(ctx context.Context, tx *gorm.DB) error) {
	u.beforeCommit = append(u.beforeCommit, fn)
}

// AfterCommit adds a callback that runs after the unit has committed and released its locks:
// events, caches, tickets. Its context does not end with the caller's, and it cannot fail the unit.
func (u *Unit) AfterCommit(fn func(ctx context.Context)) {
	u.afterCommit = append(u.afterCommit, fn)
}

// AfterRollback adds a callback that reverts effects outside the transaction if the unit is
// rolled back. It runs while the unit's locks are still held, under a context that does not
// end with the caller's. It does not run if the outcome is unknown.
func (u *Unit) AfterRollback(fn func(ctx context.Context)) {
	u.afterRollback = append(u.afterRollback, fn)
}

// AtEnd adds a callback that runs when the unit has ended, whatever its outcome: after its
// locks are released and after AfterCommit or AfterRollback callbacks. committed is false
// too if the outcome is unknown.
func (u *Unit) AtEnd(fn func(committed bool)) { u.atEnd = append(u.atEnd, fn) }

// finish writes the audit rows and the BeforeCommit statements, just before COMMIT.
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
		if err := u.writeAudit(ctx, u.entry, u.changes); err != nil {
			return err
		}
		if err := u.writeTargets(ctx); err != nil {
			return err
		}
		if u.decision != nil {
			if err := u.writeAudit(ctx, u.decision, nil); err != nil {
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

// rollback returns storage.ErrGroupRolledBack if the result of the unit depends on writes that
// were rolled back. Any other error means that the transaction has already ended, or that
// its connection was closed.
func (u *Unit) rollback() error {
	if u.tx == nil {
		return nil
	}
	defer u.endTx()
	return u.tx.Rollback().Error
}

func (u *Unit) release(ctx context.Context) {
	for i := len(u.leases) - 1; i >= 0; i-- {
		// A lease that cannot be released expires with its TTL.
		_ = u.leases[i].Release(context.WithoutCancel(ctx))
	}
}

package uow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/panics"
	"interlock/internal/base/storage"
	"interlock/internal/lock"
)

const (
	// maxRuns bounds the runs of a unit before its write conflict is returned.
	maxRuns                   = 5
	defaultMaxTransactionTime = 30 * time.Second
	// defaultCommitResolveTimeout bounds the search for the outcome of a COMMIT, and
	// probeTimeout bounds one lookup.
	defaultCommitResolveTimeout = 8 * time.Second
	probeTimeout                = 2 * time.Second
	// retryHint is the Retry-After for clients when the database is unavailable.
	retryHint = time.Second
)

// Observer counts the retries and the outcomes of units. A reason is write_conflict, lock_timeout,
// lock_lost, again, packet or commit_lost; an outcome is committed, rolled_back or unknown.
type Observer interface {
	UnitRetried(reason string)
	UnitEnded(outcome string)
}

// Options are the dependencies and bounds of a Runner. Observer may be nil.
type Options struct {
	DB       *storage.DB
	Locks    lock.Locker
	Clock    clock.Clock
	Observer Observer
	// MaxTransactionTime bounds a transaction, from BEGIN to COMMIT; 0 means 30 s.
	MaxTransactionTime time.Duration
	// CommitResolveTimeout bounds the search for the outcome of an undecided COMMIT; 0
	// means 8 s.
	CommitResolveTimeout time.Duration
}

// Runner runs units of work. It is safe for concurrent use.
type Runner struct {
	db                   *storage.DB
	locks                lock.Locker
	clock                clock.Clock
	observer             Observer
	maxTransactionTime   time.Duration
	commitResolveTimeout time.Duration
}

// NewRunner returns a Runner.
func NewRunner(o Options) *Runner {
	if o.Observer == nil {
		o.Observer = silent{}
	}
	if o.MaxTransactionTime == 0 {
		o.MaxTransactionTime = defaultMaxTransactionTime
	}
	if o.CommitResolveTimeout == 0 {
		o.CommitResolveTimeout = defaultCommitResolveTimeout
	}
	return &Runner{db: o.DB, locks: o.Locks, clock: o.Clock, observer: o.Observer, maxTransactionTime: o.MaxTransactionTime, commitResolveTimeout: o.CommitResolveTimeout}
}

// WithClock returns a Runner that uses another clock.
func (r *Runner) WithClock(c clock.Clock) *Runner {
	other := *r
	other.clock = c
	return &other
}

// Func is the body of a unit. It may run several times, so it must not store state between
// runs or have effects outside the unit.
type Func func(ctx context.Context, u *Unit) error

// Do runs fn in a unit and commits it.
//
// On a write conflict of the engine (deadlock, lock time-out, conflict at COMMIT) and on an error
// marked with Retry, Do rolls back and runs the whole fn again, at most five times, with growing
// jittered pauses. If fn returns an error made by Explain, Do rolls back and returns the
// explanation instead. On panic, Do rolls back and panics again.
//
// Errors: the error of fn; Unavailable when the database is unavailable and nothing was
// changed; OutcomeUnknown when COMMIT was sent and its outcome is unknown.
func (r *Runner) Do(ctx context.Context, fn Func) error {
	var err error
	packed := true
	for run := 1; run <= maxRuns; run++ {
		var failed bool
		if failed, err = r.runOnce(ctx, run, packed && run < maxRuns, fn); failed {
			packed = false
		} else {
			err = explained(ctx, err)
		}
		if err == nil {
			return nil
		}
		reason, again := retryReason(err)
		if failed && !again && !apperr.Has(err, apperr.OutcomeUnknown) {
			// The error belongs to one of several statements; which one is not known yet.
			reason, again = "packet", true
		}
		if !again || ctx.Err() != nil {
			break
		}
		r.observer.UnitRetried(reason)
		if reason != "packet" && !storage.Backoff(ctx, run) {
			break
		}
	}
	return callerError(explained(ctx, err))
}

// runOnce runs fn once. If packed is true, it sends deferred statements in packets, otherwise one
// by one. failed reports whether a packet failed: its error does not identify the statement, but
// the error of a run without packets does.
func (r *Runner) runOnce(ctx context.Context, attempt int, packed bool, fn Func) (failed bool, err error) {
	u := &Unit{runner: r, attempt: attempt, id: uuid.Must(uuid.NewV7()).String(), now: r.clock.Now()}
	if packed {
		u.packing = new(storage.Packing)
	}
	err = r.run(ctx, u, fn)
	return packed && err != nil && u.packing.Failed(), err
}

func (r *Runner) run(ctx context.Context, u *Unit, fn Func) (err error) {
	committed := false
	defer func() {
		if !committed {
			if undone := u.rollback(); err != nil && errors.Is(undone, storage.ErrGroupRolledBack) {
				err = retryGroupUndone(undone)
			}
		}
		if !committed && !apperr.Has(err, apperr.OutcomeUnknown) {
			u.runHooks(ctx, "after-rollback", u.afterRollback)
		}
		u.release(ctx)
		if committed {
			u.runHooks(ctx, "after-commit", u.afterCommit)
		}
		for _, fn := range u.atEnd {
			fn(committed)
		}
	}()
	if err := fn(ctx, u); err != nil {
		r.observer.UnitEnded("rolled_back")
		return err
	}
	if err := u.finish(ctx); err != nil {
		r.observer.UnitEnded("rolled_back")
		return err
	}
	if err := r.commit(ctx, u); err != nil {
		return err
	}
	committed = true
	r.observer.UnitEnded("committed")
	return nil
}

// commit commits the unit's transaction. nil means that it is committed.
//
// An error of COMMIT either proves the rollback or leaves the outcome open. If it is open,
// resolveCommit searches for the unit's audit row. So an error with the text "nothing was changed"
// is reliable, also after a crash of the database.
func (r *Runner) commit(ctx context.Context, u *Unit) error {
	if u.tx == nil {
		return nil
	}
	defer u.endTx()
	err := r.db.Commit(u.tx)
	switch {
	case err == nil:
		return nil
	case !u.wrote.Load() && r.db.Dialect == storage.SQLite:
		r.observer.UnitEnded("rolled_back")
		return retryGroupUndone(err)
	case !u.wrote.Load():
		return nil
	}
	if !storage.Undecided(err) {
		r.observer.UnitEnded("rolled_back")
		return fmt.Errorf("commit: %w", err)
	}
	found, resolveErr := r.resolveCommit(ctx, u, err)
	switch {
	case resolveErr != nil:
		r.observer.UnitEnded("unknown")
		return apperr.New(apperr.OutcomeUnknown, "It is not known whether the change was saved. Check before you send it again.").
			After(retryHint).Because(errors.Join(err, resolveErr))
	case found:
		return nil
	default:
		r.observer.UnitEnded("rolled_back")
		return &retryError{reason: "commit_lost", cause: apperr.New(apperr.Unavailable, "The database did not save the change; nothing was changed. Try again.").
			After(retryHint).Because(err)}
	}
}

// retryGroupUndone returns an error that makes Do run the unit again. The unit depended on writes
// of other units in its commit group, and these writes were rolled back. The unit itself wrote
// nothing, or was rolled back too.
func retryGroupUndone(cause error) error {
	return &retryError{reason: "commit_lost", cause: apperr.New(apperr.Unavailable, "The database rolled back a change that this one depended on. Nothing was changed; try again.").
		After(retryHint).Because(cause)}
}

// errElsewhere reports that a lookup reached another server than the COMMIT, and that this server
// may lack committed transactions.
var errElsewhere = errors.New("uow: the lookup reached another server than the COMMIT, and that server may lack committed transactions")

// resolveCommit determines the outcome of an undecided COMMIT. If the unit's audit row
// exists, the unit is committed. If not, resolveCommit returns only after the unit can no
// longer commit, not even by statements that the server has yet to execute.
func (r *Runner) resolveCommit(ctx context.Context, u *Unit, open error) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.commitResolveTimeout)
	defer cancel()
	for run := 1; ; run++ {
		found, err := r.probeAuditRow(ctx, u, open)
		if err == nil {
			return found, nil
		}
		if !storage.Backoff(ctx, run) {
			return false, err
		}
	}
}

// probeAuditRow reports whether the unit's audit row is committed. If it is not,
// probeAuditRow prevents a late commit.
//
// On MySQL it inserts a tombstone: a row of no tenant under the same unique key, which stays. If
// the unit's row exists uncommitted, the insert waits for the end of that transaction. Statements
// still to be executed, from a partly read packet or on another node of a cluster, then violate the
// key and are rolled back. On a server that may lack committed transactions, only an existing row
// is evidence; without one the result is errElsewhere. There probeAuditRow inserts no tombstone,
// because the replication of the row may be in flight. On SQLite there is one writer, so the unit
// has ended. But after a crash its writes could be recovered from the log, until a later commit
// overwrites them; probeAuditRow makes such a commit.
func (r *Runner) probeAuditRow(ctx context.Context, u *Unit, open error) (found bool, err error) {
	everywhere := storage.AcrossTenants(ctx)
	if r.db.Dialect == storage.MySQL {
		err = r.db.ResolveUndecided(everywhere, open, func(db *gorm.DB, decides bool) error {
			if decides {
				if err := u.insertTombstone(db); err == nil || !storage.IsDuplicate(err, auditKey) {
					return err
				}
			}
			// A proxy that sends reads to replicas sends the reads of a transaction to the
			// writer.
			tx := db.Begin()
			if tx.Error != nil {
				return tx.Error
			}
			defer tx.Rollback()
			var err error
			if found, err = r.hasAuditRow(tx, u); err == nil && !found && !decides {
				return errElsewhere
			}
			return err
		})
		return found, err
	}
	err = r.db.Transact(everywhere, probeTimeout, func(tx *gorm.DB) (err error) {
		if found, err = r.hasAuditRow(tx, u); err != nil {
			return err
		}
		return r.db.Supersede(tx)
	})
	return found, err
}

// hasAuditRow reports whether the unit has audit rows, ignoring tombstones.
func (*Runner) hasAuditRow(db *gorm.DB, u *Unit) (bool, error) {
	var count int64
	err := db.Raw("SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0 AND unit_id = ?", u.id).Scan(&count).Error
	return count > 0, err
}

// runHooks runs the callbacks of an ended unit. It logs a panic and continues, because the
// outcome of the unit is already decided.
func (u *Unit) runHooks(ctx context.Context, when string, hooks []func(context.Context)) {
	detached := context.WithoutCancel(ctx)
	for _, fn := range hooks {
		func() {
			defer func() {
				if p := recover(); p != nil {
					slog.ErrorContext(ctx, "unit: callback panicked", "when", when, "unit", u.id, "error", panics.Error(p))
				}
			}()
			fn(detached)
		}()
	}
}

// Retry marks err such that Do runs the whole unit again, because a new run may succeed.
// After the last run Do returns err itself.
func Retry(err error) error { return &retryError{reason: "again", cause: err} }

// Overtaken is Retry for a unit that finds at its write that its row changed since the
// read, because its lock was lost. After the last run the response is ResourceLocked; subject
// names the row.
func Overtaken(subject string) error { return OvertakenBecause(subject, nil) }

// OvertakenBecause is Overtaken with a cause, which the response does not contain. Callers search
// for the cause with errors.Is, so it must not be the error of another row.
func OvertakenBecause(what string, cause error) error {
	return Retry(apperr.New(apperr.ResourceLocked, "Another user changed the same %s concurrently. Nothing was changed; try again.", what).
		After(time.Second).Because(cause))
}

type retryError struct {
	reason string
	cause  error
}

func (a *retryError) Error() string { return a.cause.Error() }
func (a *retryError) Unwrap() error { return a.cause }

// Explain returns an error that rolls the unit back and is then replaced by the result of
// fn. Conflict responses are built this way: after the rollback, from committed data,
// without locks. The result of fn may be marked with Retry.
func Explain(fn func(ctx context.Context) error) error { return &explanation{fn} }

type explanation struct {
	fn func(ctx context.Context) error
}

func (*explanation) Error() string { return "uow: rejected; to be explained after rollback" }

func explained(ctx context.Context, err error) error {
	var e *explanation
	if errors.As(err, &e) {
		return e.fn(ctx)
	}
	return err
}

// callerError returns the error for the caller of Do: the error of the last run, or Unavailable in
// its place.
func callerError(err error) error {
	switch {
	case apperr.Has(err, apperr.OutcomeUnknown):
		return err
	case storage.Is(err, storage.WriteConflict):
		return apperr.New(apperr.Unavailable, "Too many concurrent writers; nothing was changed. Try again.").After(retryHint).Because(err)
	case storage.Is(err, storage.LockTimeout):
		return apperr.New(apperr.Unavailable, "The database did not answer in time; another user may be changing the same record. Nothing was changed; try again.").After(retryHint).Because(err)
	case storage.Is(err, storage.Full):
		return apperr.New(apperr.Unavailable, "The database has no room left to write; nothing was changed. Try again when there is.").After(retryHint).Because(err)
	case storage.IsAway(err):
		return apperr.New(apperr.Unavailable, "The database cannot be reached; nothing was changed. Try again.").After(retryHint).Because(err)
	case errors.Is(err, lock.ErrUnavailable):
		return apperr.New(apperr.Unavailable, "The service cannot check right now whether another user is changing this. Nothing was changed; try again.").After(retryHint).Because(err)
	case errors.Is(err, lock.ErrLost):
		return apperr.New(apperr.Unavailable, "The change took too long and was not saved. Nothing was changed; try again.").After(retryHint).Because(err)
	case errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, lock.ErrNotAcquired):
		return apperr.New(apperr.Unavailable, "The request took too long. Nothing was changed; try again.").After(retryHint).Because(err)
	}
	var a *retryError
	if errors.As(err, &a) {
		return a.cause
	}
	return err
}

// retryReason inspects the causes of err, so it must check for an unknown outcome first: a
// unit that may be committed is never run again, whatever error the engine returned.
func retryReason(err error) (string, bool) {
	var a *retryError
	switch {
	case apperr.Has(err, apperr.OutcomeUnknown):
		return "", false
	case errors.As(err, &a):
		return a.reason, true
	case storage.Is(err, storage.WriteConflict):
		return "write_conflict", true
	case storage.Is(err, storage.LockTimeout):
		return "lock_timeout", true
	case errors.Is(err, lock.ErrLost):
		return "lock_lost", true
	}
	return "", false
}

type silent struct{}

func (silent) UnitRetried(string) {}
func (silent) UnitEnded(string)   {}

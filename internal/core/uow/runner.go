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
	// maxRuns is how often a unit is run before its write conflict is answered.
	maxRuns                   = 5
	defaultMaxTransactionTime = 30 * time.Second
	// defaultCommitResolveTimeout is how long the fate of a COMMIT is looked for, and probeTimeout bounds
	// one look.
	defaultCommitResolveTimeout = 8 * time.Second
	probeTimeout                = 2 * time.Second
	// retryHint is what a client is told to wait when the database is away.
	retryHint = time.Second
)

// Observer counts what happens to units. Reasons and outcomes are from a small
// fixed set: write_conflict, lock_timeout, lock_lost, again, packet, commit_lost; committed,
// rolled_back, unknown.
type Observer interface {
	UnitRetried(reason string)
	UnitEnded(outcome string)
}

// Options are what a Runner stands on. Observer may be nil.
type Options struct {
	DB       *storage.DB
	Locks    lock.Locker
	Clock    clock.Clock
	Observer Observer
	// MaxTransactionTime bounds a transaction, from BEGIN to COMMIT; 0 means 30 s.
	MaxTransactionTime time.Duration
	// CommitResolveTimeout bounds the look for what became of a COMMIT that did not say; 0 means 8 s.
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

// WithClock returns a Runner whose units are at the times of another clock.
func (r *Runner) WithClock(c clock.Clock) *Runner {
	other := *r
	other.clock = c
	return &other
}

// Func is the body of a unit. It may be run several times, so it keeps nothing
// between runs and does nothing outside the unit.
type Func func(ctx context.Context, u *Unit) error

// Do runs fn in a unit and commits it.
//
// A write conflict of the engine (deadlock, lock time-out, conflict at COMMIT)
// and an error marked with Retry roll back and run the whole of fn again, at most
// five times, with growing jittered pauses. An error made by Explain is turned
// into what it explains once the rollback is done. A panic rolls back and goes on.
//
// Errors: what fn returned; Unavailable when the database is away and nothing was
// done; OutcomeUnknown when COMMIT was sent and nobody can say what became of it.
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
			// It belongs to one of several statements, and to which is not known yet.
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

// runOnce runs fn once, with its marked statements in packets or one by one, and reports
// whether a packet failed as a whole: then the error says little, and a run without packets
// more.
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
			if undone := u.rollback(); err != nil && errors.Is(undone, storage.ErrGroupUndone) {
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
// What COMMIT fails with says for certain that it is undone, or leaves it open; then the unit's
// audit row is looked for (resolveCommit). A caller that is told that nothing was changed is told
// the truth, also after a crash.
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

// retryGroupUndone has a unit run again whose answer stands on what others of its group had written
// and what was undone with them. It wrote nothing, or was rolled back.
func retryGroupUndone(cause error) error {
	return &retryError{reason: "commit_lost", cause: apperr.New(apperr.Unavailable, "The database rolled back a change that this one depended on. Nothing was changed; try again.").
		After(retryHint).Because(cause)}
}

// errElsewhere is what a look ends with at a server that need not have what was committed at the
// one that was asked to.
var errElsewhere = errors.New("uow: another server answers than the one that was asked to commit, and it need not have all that this one had")

// resolveCommit finds out what became of a COMMIT that did not say. The unit's audit row is there
// if it is committed. If it is not, the unit must be undone for good before anybody is told
// so, also one whose statements the server has yet to execute.
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

// probeAuditRow asks for a unit's audit rows, and has them stay away if they are not there.
//
// On MySQL it takes their place: a row of no tenant under the same unique key, which stays.
// While the unit's row is there and not committed, the insert waits for the end of that
// transaction; and what is still to be executed, be it in a packet that the server has not
// read to its end or on another node of a cluster, meets the key and is undone. At a server
// that need not have what was committed, the row is evidence when it is there, and nothing is
// when it is not: errElsewhere. Its place is not taken there, where the replication of the row
// may be under way. On SQLite there is one writer, so the unit has ended, but what it wrote
// could come back after a crash until a later commit has taken its place.
func (r *Runner) probeAuditRow(ctx context.Context, u *Unit, open error) (found bool, err error) {
	everywhere := storage.AcrossTenants(ctx)
	if r.db.Dialect == storage.MySQL {
		err = r.db.LookInto(everywhere, open, func(db *gorm.DB, decides bool) error {
			if decides {
				if err := u.insertTombstone(db); err == nil || !storage.IsDuplicate(err, auditKey) {
					return err
				}
			}
			// A proxy that sends reads to replicas sends those of a transaction where it writes.
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

// hasAuditRow reports whether a unit has left audit rows, other than what holds their place.
func (*Runner) hasAuditRow(db *gorm.DB, u *Unit) (bool, error) {
	var count int64
	err := db.Raw("SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0 AND unit_id = ?", u.id).Scan(&count).Error
	return count > 0, err
}

// runHooks runs what was kept for after the end of the unit. A panic there is logged: it
// changes nothing of how the unit ended, and saying otherwise would be a lie.
func (u *Unit) runHooks(ctx context.Context, when string, kept []func(context.Context)) {
	detached := context.WithoutCancel(ctx)
	for _, fn := range kept {
		func() {
			defer func() {
				if p := recover(); p != nil {
					slog.ErrorContext(ctx, when+" work panicked", "unit", u.id, "error", panics.Error(p))
				}
			}()
			fn(detached)
		}()
	}
}

// Retry marks err such that Do runs the whole unit again: the caller has seen
// that a fresh run may succeed. After the last run err itself is returned.
func Retry(err error) error { return &retryError{reason: "again", cause: err} }

// Overtaken is Retry for a unit that finds changed, at its write, what it had read: its
// lock was lost. One that is overtaken each time is answered ResourceLocked; what names
// what it was about to move.
func Overtaken(what string) error { return OvertakenBecause(what, nil) }

// OvertakenBecause is Overtaken with its cause, which is never sent. Callers find it with errors.Is,
// so it is for a cause that none of them would take for one of another row.
func OvertakenBecause(what string, cause error) error {
	return Retry(apperr.New(apperr.ResourceLocked, "Somebody else changed the same %s at the same time. Nothing was changed; try again.", what).
		After(time.Second).Because(cause))
}

type retryError struct {
	reason string
	cause  error
}

func (a *retryError) Error() string { return a.cause.Error() }
func (a *retryError) Unwrap() error { return a.cause }

// Explain returns an error that rolls the unit back and is then replaced by what
// fn returns. A conflict's body is built so: after the rollback, from what is
// committed, and with no lock held.
// What fn returns may be marked with Retry.
func Explain(fn func(ctx context.Context) error) error { return &explanation{fn} }

type explanation struct {
	fn func(ctx context.Context) error
}

func (*explanation) Error() string { return "uow: refused, to be explained after rollback" }

func explained(ctx context.Context, err error) error {
	var e *explanation
	if errors.As(err, &e) {
		return e.fn(ctx)
	}
	return err
}

// callerError turns the last run's error into what the caller is told.
func callerError(err error) error {
	switch {
	case apperr.Has(err, apperr.OutcomeUnknown):
		return err
	case storage.Is(err, storage.WriteConflict):
		return apperr.New(apperr.Unavailable, "Too many writers at once; nothing was changed. Try again.").After(retryHint).Because(err)
	case storage.Is(err, storage.LockTimeout):
		return apperr.New(apperr.Unavailable, "The database did not answer in time; somebody else may be changing the same record. Nothing was changed; try again.").After(retryHint).Because(err)
	case storage.Is(err, storage.Full):
		return apperr.New(apperr.Unavailable, "The database has no room left to write; nothing was changed. Try again when there is.").After(retryHint).Because(err)
	case storage.IsAway(err):
		return apperr.New(apperr.Unavailable, "The database cannot be reached; nothing was changed. Try again.").After(retryHint).Because(err)
	case errors.Is(err, lock.ErrUnavailable):
		return apperr.New(apperr.Unavailable, "The service cannot check right now whether somebody else is changing this. Nothing was changed; try again.").After(retryHint).Because(err)
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

// retryReason reads the causes of err, so it must know an unknown outcome
// first: what may have been committed is never run again, whatever the engine said
// when it was asked.
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

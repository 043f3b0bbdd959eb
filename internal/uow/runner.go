package uow

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"interlock/internal/apperr"
	"interlock/internal/clock"
	"interlock/internal/lock"
	"interlock/internal/storage"
)

const (
	// maxRuns is how often a unit is run before its write conflict is answered.
	maxRuns        = 5
	defaultMaxLife = 30 * time.Second
	// witnessPatience is how long the fate of a lost COMMIT is looked for.
	witnessPatience = 8 * time.Second
	// retryHint is what a client is told to wait when the database is away.
	retryHint = time.Second
)

// Observer counts what happens to units. Reasons and outcomes are from a small
// fixed set: write_conflict, lock_timeout, again, commit_lost; committed,
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
	// MaxLife bounds a transaction, from BEGIN to COMMIT; 0 means 30 s.
	MaxLife time.Duration
}

// Runner runs units of work. It is safe for concurrent use.
type Runner struct {
	db       *storage.DB
	locks    lock.Locker
	clock    clock.Clock
	observer Observer
	maxLife  time.Duration
}

// NewRunner returns a Runner.
func NewRunner(o Options) *Runner {
	if o.Observer == nil {
		o.Observer = silent{}
	}
	if o.MaxLife == 0 {
		o.MaxLife = defaultMaxLife
	}
	return &Runner{db: o.DB, locks: o.Locks, clock: o.Clock, observer: o.Observer, maxLife: o.MaxLife}
}

// Func is the body of a unit. It may be run several times, so it keeps nothing
// between runs and does nothing outside the unit.
type Func func(ctx context.Context, u *Unit) error

// Do runs fn in a unit and commits it.
//
// A write conflict of the engine (deadlock, lock time-out, conflict at COMMIT)
// and an error marked with Again roll back and run the whole of fn again, at most
// five times, with growing jittered pauses. An error made by Explain is turned
// into what it explains once the rollback is done. A panic rolls back and goes on.
//
// Errors: what fn returned; Unavailable when the database is away and nothing was
// done; OutcomeUnknown when COMMIT was sent and nobody can say what became of it.
func (r *Runner) Do(ctx context.Context, fn Func) error {
	var err error
	for run := 1; run <= maxRuns; run++ {
		if err = explained(ctx, r.once(ctx, fn)); err == nil {
			return nil
		}
		reason, again := reasonToRunAgain(err)
		if !again || ctx.Err() != nil {
			break
		}
		r.observer.UnitRetried(reason)
		if !pause(ctx, run) {
			break
		}
	}
	return answer(err)
}

func (r *Runner) once(ctx context.Context, fn Func) (err error) {
	u := &Unit{runner: r, id: uuid.Must(uuid.NewV7()).String(), now: r.clock.Now()}
	committed := false
	defer func() {
		if !committed {
			u.rollback()
		}
		u.release(ctx)
		if committed {
			u.publish(ctx)
		}
	}()
	if err := fn(ctx, u); err != nil {
		r.observer.UnitEnded("rolled_back")
		return err
	}
	if err := u.seal(ctx); err != nil {
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

func (r *Runner) commit(ctx context.Context, u *Unit) error {
	if u.tx == nil {
		return nil
	}
	defer u.endTx()
	err := r.db.Classify(u.tx.Commit().Error)
	if err == nil {
		return nil
	}
	if !storage.Is(err, storage.ConnectionLost) {
		r.observer.UnitEnded("rolled_back")
		return fmt.Errorf("commit: %w", err)
	}
	if !u.wrote.Load() {
		return nil
	}
	found, witnessErr := r.witness(ctx, u)
	switch {
	case witnessErr != nil:
		r.observer.UnitEnded("unknown")
		return apperr.New(apperr.OutcomeUnknown, "The database was lost while the change was being saved. It may or may not have been saved: look before you send it again.").
			After(retryHint).Because(errors.Join(err, witnessErr))
	case found:
		return nil
	default:
		r.observer.UnitEnded("rolled_back")
		return &again{reason: "commit_lost", cause: err}
	}
}

// witness finds out what became of a COMMIT whose reply was lost. The audit row
// had been written before COMMIT was sent, so while the old transaction is still
// open its row is locked, and the locking read waits for it to end.
func (r *Runner) witness(ctx context.Context, u *Unit) (bool, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), witnessPatience)
	defer cancel()
	query := "SELECT COUNT(*) FROM audit_entries WHERE tenant_id >= 0 AND unit_id = ?"
	if r.db.Dialect == storage.MySQL {
		query += " FOR UPDATE"
	}
	for run := 1; ; run++ {
		var count int64
		err := r.db.Write(storage.AcrossTenants(ctx)).Raw(query, u.id).Scan(&count).Error
		if err == nil {
			return count == 1, nil
		}
		if !pause(ctx, run) {
			return false, err
		}
	}
}

// publish runs what was kept for after the commit. A panic there is logged: the
// unit is committed, and saying otherwise would be a lie.
func (u *Unit) publish(ctx context.Context) {
	detached := context.WithoutCancel(ctx)
	for _, fn := range u.afterCommit {
		func() {
			defer func() {
				if p := recover(); p != nil {
					slog.ErrorContext(ctx, "after-commit work panicked", "panic", p, "unit", u.id)
				}
			}()
			fn(detached)
		}()
	}
}

// Again marks err such that Do runs the whole unit again: the caller has seen
// that a fresh run may succeed. After the last run err itself is returned.
func Again(err error) error { return &again{reason: "again", cause: err} }

type again struct {
	reason string
	cause  error
}

func (a *again) Error() string { return a.cause.Error() }
func (a *again) Unwrap() error { return a.cause }

// Explain returns an error that rolls the unit back and is then replaced by what
// fn returns. A conflict's body is built so: after the rollback, from what is
// committed, and with no lock held.
// What fn returns may be marked with Again.
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

// answer turns the last run's error into what the caller is told.
func answer(err error) error {
	switch {
	case apperr.Has(err, apperr.OutcomeUnknown):
		return err
	case storage.Is(err, storage.WriteConflict, storage.LockTimeout):
		return apperr.New(apperr.Unavailable, "Too many writers at once; nothing was changed. Try again.").After(retryHint).Because(err)
	case storage.Is(err, storage.ConnectionLost, storage.Unavailable, storage.ReadOnly):
		return apperr.New(apperr.Unavailable, "The database cannot be reached; nothing was changed. Try again.").After(retryHint).Because(err)
	case errors.Is(err, lock.ErrUnavailable):
		return apperr.New(apperr.Unavailable, "The locks cannot be reached; nothing was changed. Try again.").After(retryHint).Because(err)
	case errors.Is(err, lock.ErrLost):
		return apperr.New(apperr.Unavailable, "The lock was lost before the change was saved; nothing was changed. Try again.").After(retryHint).Because(err)
	case errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, lock.ErrNotAcquired):
		return apperr.New(apperr.Unavailable, "It took too long and was given up; nothing was changed. Try again.").After(retryHint).Because(err)
	}
	if errors.Is(err, lock.ErrLost) {
		return apperr.New(apperr.Unavailable, "Its lock was lost again and again; nothing was changed. Try again.").After(retryHint).Because(err)
	}
	var a *again
	if errors.As(err, &a) {
		return a.cause
	}
	return err
}

// reasonToRunAgain reads the causes of err, so it must know an unknown outcome
// first: what may have been committed is never run again, whatever the engine said
// when it was asked.
func reasonToRunAgain(err error) (string, bool) {
	var a *again
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

// pause waits 1–4, 2–8, 4–16 … ms before the next run, and reports false when
// the context ended meanwhile.
func pause(ctx context.Context, run int) bool {
	shortest := time.Millisecond << min(run-1, 7)
	timer := time.NewTimer(shortest + rand.N(3*shortest))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

type silent struct{}

func (silent) UnitRetried(string) {}
func (silent) UnitEnded(string)   {}

package storage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"gorm.io/gorm"

	"interlock/internal/base/clock"
)

// MaxRuns is the maximum number of runs of a transaction; then its conflict is returned.
const MaxRuns = 8

// ErrRunAgain marks an error of a transaction's function, for example after a lost race for rows. A
// new run of the transaction may succeed.
var ErrRunAgain = errors.New("the transaction has to be run again")

// IsConflict reports whether err is a conflict with another transaction. The transaction is
// rolled back, and a new run of all of it may succeed.
func IsConflict(err error) bool { return Is(err, WriteConflict, LockTimeout) }

// IsAway reports whether the database was unreachable, or accepts no writes now.
func IsAway(err error) bool { return Is(err, ConnectionLost, Unavailable, ReadOnly) }

// Transact runs fn in a transaction that lasts at most life, and commits it; an error of fn
// rolls it back. After a conflict, or an error with ErrRunAgain, it runs the whole
// transaction again, with growing pauses and at most MaxRuns times. The end of ctx does not
// end the COMMIT, so that a disconnected caller leaves no undecided transaction. An
// undecided transaction is not run again, because its effects could then exist twice.
// Transact is for bookkeeping that needs no audit row; see Write. Errors have their class;
// the error of a COMMIT is that of Commit.
func (db *DB) Transact(ctx context.Context, life time.Duration, fn func(tx *gorm.DB) error) error {
	return db.transact(ctx, life, fn, func(err error) bool { return !Undecided(err) && mayRunAgain(err) })
}

// TransactRepeatable is Transact for a function that changes nothing if it is repeated
// after a committed run. So it also runs again if the connection was lost or the outcome of the
// COMMIT is unknown. The error is Undecided if the error of any run was.
func (db *DB) TransactRepeatable(ctx context.Context, life time.Duration, fn func(tx *gorm.DB) error) error {
	var open error
	err := db.transact(ctx, life, fn, func(err error) bool {
		if Undecided(err) {
			open = err
		}
		return Undecided(err) || mayRunAgain(err) || Is(err, ConnectionLost)
	})
	if err != nil && open != nil && !Undecided(err) {
		return errors.Join(err, open)
	}
	return err
}

func mayRunAgain(err error) bool { return IsConflict(err) || errors.Is(err, ErrRunAgain) }

func (db *DB) transact(ctx context.Context, life time.Duration, fn func(tx *gorm.DB) error, again func(error) bool) error {
	for run := 1; ; run++ {
		err := db.transactOnce(ctx, life, fn)
		if err == nil || !again(err) || run == MaxRuns || !Backoff(ctx, run) {
			return err
		}
	}
}

func (db *DB) transactOnce(ctx context.Context, life time.Duration, fn func(tx *gorm.DB) error) error {
	bounded, end := context.WithTimeout(context.WithoutCancel(ctx), life)
	defer end()
	tx, err := db.Begin(ctx, bounded)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := fn(tx); err != nil {
		if undone := tx.Rollback().Error; errors.Is(undone, ErrGroupRolledBack) {
			return fmt.Errorf("%w: %w", ErrRunAgain, undone)
		}
		return err
	}
	if err := db.Commit(tx); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// Backoff waits before the run after run, 1–4, 2–8, 4–16 … ms, and reports
// false if ctx ended during the wait.
func Backoff(ctx context.Context, run int) bool {
	shortest := time.Millisecond << min(run-1, 7)
	return clock.Sleep(ctx, shortest+rand.N(3*shortest))
}

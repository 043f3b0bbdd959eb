package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/google/uuid"
)

// The migration lock is one row with a lease, by the database's clock. It is a row and not
// GET_LOCK, which is local to one server of a cluster, and which some clusters reject. It
// creates its table, because it is needed before the first migration:
//
//	UPDATE migration_lock SET holder = ?, ends = NOW(6) + INTERVAL ? SECOND WHERE id = 1 AND (holder = '' OR holder = ? OR ends < NOW(6))
//
// The row count decides who owns it. The holder extends the lease while it migrates; the
// context of a holder that was paused and lost the lock ends. After a crash of the holder,
// other processes wait until its lease has expired.
const (
	migrationLease = 30 * time.Second
	// migrationLockWait bounds the wait for another migrating process.
	migrationLockWait = 3 * time.Minute
	migrationPoll     = 500 * time.Millisecond
)

var errMigrationLockLost = errors.New("storage: another process acquired the migration lock")

type migrationLock struct {
	db     *DB
	pool   *sql.DB
	holder string
}

// lockMigrations waits for the lock and returns a context that ends when it is lost.
func (db *DB) lockMigrations(ctx context.Context, pool *sql.DB) (held context.Context, release func(), err error) {
	host, _ := os.Hostname()
	lock := migrationLock{db, pool, fmt.Sprintf("%.80s:%d:%s", host, os.Getpid(), uuid.NewString())}
	if err := lock.prepare(ctx); err != nil {
		return nil, nil, fmt.Errorf("lock the migrations: %w", err)
	}
	if err := lock.wait(ctx); err != nil {
		return nil, nil, fmt.Errorf("lock the migrations: %w", err)
	}
	held, lose := context.WithCancelCause(ctx)
	extended := make(chan struct{})
	go func() {
		defer close(extended)
		lock.extendUntilDone(held, lose)
	}()
	return held, func() {
		lose(nil)
		<-extended
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), migrationLease)
		defer cancel()
		// If the release fails, the lease expires.
		_, _ = pool.ExecContext(ctx, "UPDATE migration_lock SET holder = '' WHERE id = 1 AND holder = ?", lock.holder)
	}, nil
}

// prepare creates the table and its row, concurrently with other processes.
func (l migrationLock) prepare(ctx context.Context) error {
	const table = `CREATE TABLE IF NOT EXISTS migration_lock (
		id TINYINT NOT NULL PRIMARY KEY, holder VARCHAR(160) NOT NULL, ends DATETIME(6) NOT NULL)`
	if _, err := l.pool.ExecContext(ctx, table); err != nil {
		return err
	}
	_, err := l.pool.ExecContext(ctx, "INSERT IGNORE INTO migration_lock (id, holder, ends) VALUES (1, '', NOW(6))")
	return err
}

// wait acquires the lock as soon as it is free.
func (l migrationLock) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, migrationLockWait)
	defer cancel()
	for {
		taken, err := l.acquire(ctx)
		if taken || err != nil && !IsConflict(err) {
			return err
		}
		select {
		case <-time.After(migrationPoll):
		case <-ctx.Done():
			return fmt.Errorf("another process, %s, has held them for %s: %w", l.heldBy(context.WithoutCancel(ctx)), migrationLockWait, ctx.Err())
		}
	}
}

// acquire acquires or extends the lock, and reports whether this process owns it. If two servers of
// a cluster grant it concurrently, one of them fails at COMMIT, with an error for which IsConflict
// is true.
func (l migrationLock) acquire(ctx context.Context) (bool, error) {
	const statement = "UPDATE migration_lock SET holder = ?, ends = NOW(6) + INTERVAL ? SECOND WHERE id = 1 AND (holder = '' OR holder = ? OR ends < NOW(6))"
	result, err := l.pool.ExecContext(ctx, statement, l.holder, int(migrationLease.Seconds()), l.holder)
	if err != nil {
		return false, l.db.classify(err)
	}
	changed, err := result.RowsAffected()
	return changed == 1, err
}

// extendUntilDone extends the lock until ctx ends, and calls lose when another process has
// it. It retries on errors, because no other process can have the lock while the lease
// lasts.
func (l migrationLock) extendUntilDone(ctx context.Context, lose context.CancelCauseFunc) {
	ticker := time.NewTicker(migrationLease / 5)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if held, err := l.acquire(ctx); err == nil && !held && ctx.Err() == nil {
			lose(errMigrationLockLost)
			return
		}
	}
}

func (l migrationLock) heldBy(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	holder := "unknown"
	_ = l.pool.QueryRowContext(ctx, "SELECT holder FROM migration_lock WHERE id = 1").Scan(&holder)
	return holder
}

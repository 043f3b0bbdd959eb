package storage

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/pressly/goose/v3"

	"interlock/migrations"
)

// migrationLockWait is how long one replica waits for another that migrates.
const migrationLockWait = 60 * time.Second

// Migrate brings the schema up to the one that the program was built with and
// returns how many migrations it ran. On MySQL one process migrates at a time
// (GET_LOCK). A crash in between leaves the schema at the last complete
// migration; the next call goes on from there. MySQL commits each DDL statement
// by itself, so a migration there holds one statement or may be run again.
func (db *DB) Migrate(ctx context.Context) (int, error) {
	provider, err := db.migrations()
	if err != nil {
		return 0, err
	}
	if db.Dialect == MySQL {
		// On a connection of the other pool: the one that migrates may have only one.
		pool, err := db.read.DB()
		if err != nil {
			return 0, err
		}
		release, err := lockMigrations(ctx, pool)
		if err != nil {
			return 0, err
		}
		defer release()
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return len(results), fmt.Errorf("migrate: %w", err)
	}
	return len(results), nil
}

// MigrationState says which schema the database has and which the program wants.
type MigrationState struct {
	Current int64
	Target  int64
}

// UpToDate reports whether the schema has what the program needs. A newer schema
// does: during a rolling upgrade the old replicas go on.
func (s MigrationState) UpToDate() bool { return s.Current >= s.Target }

// MigrationState asks the database for its schema's version.
func (db *DB) MigrationState(ctx context.Context) (MigrationState, error) {
	provider, err := db.migrations()
	if err != nil {
		return MigrationState{}, err
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return MigrationState{}, db.classify(fmt.Errorf("read the schema's version: %w", err))
	}
	return MigrationState{Current: current, Target: target}, nil
}

func (db *DB) migrations() (*goose.Provider, error) {
	dialect, files := goose.DialectMySQL, migrations.MySQL()
	if db.Dialect == SQLite {
		dialect, files = goose.DialectSQLite3, migrations.SQLite()
	}
	pool, err := db.write.DB()
	if err != nil {
		return nil, err
	}
	provider, err := goose.NewProvider(dialect, pool, files)
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return provider, nil
}

func lockMigrations(ctx context.Context, pool *sql.DB) (release func(), err error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("lock the migrations: %w", err)
	}
	var got sql.NullInt64
	row := conn.QueryRowContext(ctx, "SELECT GET_LOCK(CONCAT('interlock-migrate:', DATABASE()), ?)", int(migrationLockWait.Seconds()))
	if err := row.Scan(&got); err != nil || got.Int64 != 1 {
		conn.Close()
		return nil, fmt.Errorf("lock the migrations: another process has held them for %s (%w)", migrationLockWait, err)
	}
	// Closing would only hand the connection back to the pool with its lock.
	return func() {
		_, _ = conn.ExecContext(context.WithoutCancel(ctx), "DO RELEASE_ALL_LOCKS()")
		conn.Close()
	}, nil
}

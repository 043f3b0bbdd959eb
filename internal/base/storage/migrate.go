package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/pressly/goose/v3"

	"interlock/migrations"
)

// errUnreleased is returned for a database with a gap in its versions. The unreleased migrations
// before the baseline had no numbers 42 and 43; later migrations are numbered without gaps.
var errUnreleased = errors.New("the database was created by an unreleased version of this program and cannot be upgraded; use an empty database or another INTERLOCK_DATA_DIR")

// ProgressTable is the table in which package dbcopy stores the progress of a copy. It exists only while
// the database is an incomplete copy.
const ProgressTable = "copy_progress"

// ErrIncompleteCopy reports that a database is an incomplete copy of another one.
var ErrIncompleteCopy = errors.New("the database is an incomplete copy: run the same `admin copy` again, or use another database")

// Migrate runs the missing migrations and returns their number. On MySQL one process migrates at a
// time, whichever servers of a cluster they are connected to: see migrationLock. After a crash the
// next call resumes at the last complete migration. MySQL commits each DDL statement separately, so
// each migration there has one statement or can run twice. Errors: ErrIncompleteCopy.
func (db *DB) Migrate(ctx context.Context) (int, error) {
	provider, pool, err := db.migrations()
	if err != nil {
		return 0, err
	}
	if db.Capabilities().MigrationLease {
		// The lock needs the other pool: the pool of the migrations may have only one connection.
		lockPool, err := db.write.DB()
		if err != nil {
			return 0, err
		}
		held, release, err := db.lockMigrations(ctx, lockPool)
		if err != nil {
			return 0, err
		}
		defer release()
		ctx = held
	}
	if _, err := db.findSchema(ctx, pool); err != nil {
		return 0, err
	}
	if _, err := db.migrationState(ctx, provider, pool); err != nil {
		return 0, err
	}
	results, err := provider.Up(ctx)
	if err != nil {
		return len(results), fmt.Errorf("migrate: %w", err)
	}
	return len(results), nil
}

// MigrationState contains the schema version of the database and the one that the program needs.
type MigrationState struct {
	Current int64
	Target  int64
}

// UpToDate reports whether the schema has everything that the program needs. A newer schema does:
// during a rolling upgrade the old replicas run on it.
func (s MigrationState) UpToDate() bool { return s.Current >= s.Target }

// MigrationState reads the schema version of the database and changes nothing. Errors: ErrNoDatabase
// for an empty database, ErrIncompleteCopy.
func (db *DB) MigrationState(ctx context.Context) (MigrationState, error) {
	provider, pool, err := db.migrations()
	if err != nil {
		return MigrationState{}, err
	}
	// goose would create its table, so the tables are queried directly.
	found, err := db.findSchema(ctx, pool)
	if err != nil {
		return MigrationState{}, err
	}
	if !found {
		return MigrationState{}, NoDatabaseAt(db.URL)
	}
	return db.migrationState(ctx, provider, pool)
}

// findSchema reports whether the database has a schema version. Errors: ErrIncompleteCopy.
func (db *DB) findSchema(ctx context.Context, pool *sql.DB) (found bool, err error) {
	tables := "information_schema.tables WHERE table_schema = DATABASE() AND table_name"
	if db.Dialect == SQLite {
		tables = "sqlite_master WHERE name"
	}
	var versions, copies int
	statement := "SELECT (SELECT COUNT(*) FROM " + tables + " = 'goose_db_version'), (SELECT COUNT(*) FROM " + tables + " = '" + ProgressTable + "')"
	if err := pool.QueryRowContext(ctx, statement).Scan(&versions, &copies); err != nil {
		return false, db.classify(fmt.Errorf("read the schema version: %w", err))
	}
	if copies > 0 {
		return false, ErrIncompleteCopy
	}
	return versions > 0, nil
}

func (db *DB) migrationState(ctx context.Context, provider *goose.Provider, pool *sql.DB) (MigrationState, error) {
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return MigrationState{}, db.classify(fmt.Errorf("read the schema version: %w", err))
	}
	var applied int64
	err = pool.QueryRowContext(ctx, "SELECT COUNT(DISTINCT version_id) FROM goose_db_version WHERE version_id > 0").Scan(&applied)
	switch {
	case err != nil:
		return MigrationState{}, db.classify(fmt.Errorf("read the schema version: %w", err))
	case applied < current:
		return MigrationState{}, errUnreleased
	}
	return MigrationState{Current: current, Target: target}, nil
}

// migrations returns the migrations of the dialect and the pool that they run on.
func (db *DB) migrations() (*goose.Provider, *sql.DB, error) {
	dialect, files := goose.DialectMySQL, migrations.MySQL()
	if db.Dialect == SQLite {
		dialect, files = goose.DialectSQLite3, migrations.SQLite()
	}
	// On MySQL the write pool rejects texts with a semicolon, which the comments of migrations contain.
	over := db.write
	if db.Dialect == MySQL {
		over = db.read
	}
	pool, err := over.DB()
	if err != nil {
		return nil, nil, err
	}
	if db.Dialect == MySQL {
		var version Version
		if err := pool.QueryRow("SELECT VERSION()").Scan(&version); err != nil {
			return nil, nil, err
		}
		if !version.IsMariaDB() {
			files = migrations.OnMySQL()
		}
	}
	provider, err := goose.NewProvider(dialect, pool, files)
	if err != nil {
		return nil, nil, fmt.Errorf("read the migrations: %w", err)
	}
	return provider, pool, nil
}

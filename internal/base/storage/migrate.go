package storage

import (
	"context"
	"fmt"

	"github.com/pressly/goose/v3"

	"interlock/migrations"
)

// Migrate brings the schema up to the one that the program was built with and
// returns how many migrations it ran. On MySQL one process migrates at a time, whichever
// servers of a cluster they talk to: see migrationLock. A crash in between leaves the
// schema at the last complete migration; the next call goes on from there. MySQL commits
// each DDL statement by itself, so a migration there holds one statement or may be run
// again.
func (db *DB) Migrate(ctx context.Context) (int, error) {
	provider, err := db.migrations()
	if err != nil {
		return 0, err
	}
	if db.Capabilities().MigrationLease {
		// On connections of the other pool: the one that migrates may have only one.
		pool, err := db.read.DB()
		if err != nil {
			return 0, err
		}
		held, release, err := db.lockMigrations(ctx, pool)
		if err != nil {
			return 0, err
		}
		defer release()
		ctx = held
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
	// Migrations are files with comments, in which a semicolon is no reason to be refused.
	over := db.write
	if db.Dialect == MySQL {
		over = db.read
	}
	pool, err := over.DB()
	if err != nil {
		return nil, err
	}
	provider, err := goose.NewProvider(dialect, pool, files)
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return provider, nil
}

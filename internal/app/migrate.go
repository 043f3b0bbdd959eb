package app

import (
	"context"

	"interlock/internal/base/storage"
	"interlock/internal/settings"
)

// Migrate brings a database's schema up to date and returns how many migrations
// it took.
func Migrate(ctx context.Context, s settings.Storage) (int, error) {
	o := s.Options()
	o.Existing = false
	db, err := storage.Open(ctx, o)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	return db.Migrate(ctx)
}

// MigrationState tells which schema a database has and which this program wants.
func MigrationState(ctx context.Context, s settings.Storage) (storage.MigrationState, error) {
	db, err := storage.Open(ctx, s.Options())
	if err != nil {
		return storage.MigrationState{}, err
	}
	defer db.Close()
	return db.MigrationState(ctx)
}

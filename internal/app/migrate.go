package app

import (
	"context"

	"interlock/internal/base/storage"
	"interlock/internal/settings"
)

// Migrate updates a database's schema and returns the number of migrations that it ran.
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

// MigrationState returns the schema version of a database and the version that this program needs.
func MigrationState(ctx context.Context, s settings.Storage) (storage.MigrationState, error) {
	db, err := storage.Open(ctx, s.Options())
	if err != nil {
		return storage.MigrationState{}, err
	}
	defer db.Close()
	return db.MigrationState(ctx)
}

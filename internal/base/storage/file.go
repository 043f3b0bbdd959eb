package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// DialectOf returns the dialect of a database's URL.
func DialectOf(url string) Dialect {
	scheme, _, _ := strings.Cut(url, "://")
	return Dialect(scheme)
}

// SyncFolder makes the file names in a file's folder durable.
func SyncFolder(path string) error {
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}

// CopyTo writes a snapshot of an embedded database into an empty file, while the service
// runs.
func (db *DB) CopyTo(ctx context.Context, path string) error {
	if err := db.write.WithContext(AcrossTenants(ctx)).Exec("VACUUM INTO ?", path).Error; err != nil {
		return fmt.Errorf("copy the database to %s: %w", path, err)
	}
	return nil
}

// CheckFile reads an embedded database completely and fails if it is damaged.
func (db *DB) CheckFile(ctx context.Context) error {
	var found []string
	if err := db.read.WithContext(AcrossTenants(ctx)).Raw("PRAGMA quick_check(1)").Scan(&found).Error; err != nil {
		return fmt.Errorf("check the database: %w", err)
	}
	if len(found) != 1 || found[0] != "ok" {
		return fmt.Errorf("the database is damaged: %s", strings.Join(found, "; "))
	}
	return nil
}

// ErrInUse means that another connection reads or writes an embedded database.
var ErrInUse = errors.New("the database is in use: stop the processes that use it")

// Checkpoint moves the log of an embedded database into its file and empties the log.
// Errors: ErrInUse.
func (db *DB) Checkpoint(ctx context.Context) error {
	var result struct{ Busy, Log, Checkpointed int }
	if err := db.write.WithContext(AcrossTenants(ctx)).Raw("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&result).Error; err != nil {
		return fmt.Errorf("empty the database's log: %w", err)
	}
	if result.Busy != 0 {
		return ErrInUse
	}
	return nil
}

// Package epoch identifies the history of the database.
//
// A database can go back in time: it is restored from a backup, or a replica that lacks the last
// commits becomes the primary. Cached state of those commits, in a process or in Redis,
// then belongs to a history that no longer exists: the reply to a request with an effect that is
// lost, or a version number that is reused with other content. So the database stores a
// name of its history, the epoch, in the single row of installation, and caches are valid
// for one epoch.
//
// Invariants:
//
//   - An epoch is a random name that is never reused, so a database that goes back
//     before a change of its epoch does not have the epoch of the abandoned history.
//   - The epoch is changed by the restore, and by the first process that detects an
//     unannounced restore: Change is guarded by the epoch that it replaces, so of
//     several processes one changes it and the others read the new one.
//   - A Watch never confirms cached state without a check after the connections to
//     the database have changed; see Watch.
package epoch

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"interlock/internal/base/storage"
)

// Epoch identifies one history of the database. The zero Epoch is none.
type Epoch string

// row is the single row of installation.
type row struct {
	ID        int64
	Epoch     Epoch
	BegunTime time.Time
	Reason    string
	// BackupTime is when the last backup started; nil for none.
	BackupTime *time.Time
}

// TableName implements gorm's Tabler.
func (row) TableName() string { return "installation" }

// Global implements storage.Global.
func (row) Global() {}

// Read returns the epoch of the database.
func Read(ctx context.Context, db *storage.DB) (Epoch, error) {
	found, err := readRow(ctx, db)
	return found.Epoch, err
}

func readRow(ctx context.Context, db *storage.DB) (found row, err error) {
	if err := db.Read(ctx).Where("id = 1").Take(&found).Error; err != nil {
		return row{}, fmt.Errorf("read the database's epoch: %w", err)
	}
	return found, nil
}

// Change replaces one epoch of the database by a new one, with a reason for operators, and
// returns the current epoch: that of another process if from was no longer current.
//
//	UPDATE installation SET epoch = ?, begun_time = ?, reason = ? WHERE id = 1 AND epoch = ?
func Change(ctx context.Context, db *storage.DB, from Epoch, at time.Time, reason string) (Epoch, error) {
	const statement = "UPDATE installation SET epoch = ?, begun_time = ?, reason = ? WHERE id = 1 AND epoch = ?"
	next := Epoch(uuid.NewString())
	result := db.Write(storage.AcrossTenants(ctx)).Exec(statement, next, at, reason, from)
	if result.Error != nil {
		return "", fmt.Errorf("change the database's epoch: %w", result.Error)
	}
	if result.RowsAffected == 1 {
		return next, nil
	}
	return Read(ctx, db)
}

// Package epoch names the history that the database is on.
//
// A database can go back: it is restored from a backup, or a replica takes over that the
// last commits had not reached. What a process, or Redis, remembers of those commits is
// then of a history that the database is not on any more: the reply to a request whose
// effect is gone, a version that somebody else makes anew with other content. So the
// database has a name for its history, the epoch, in its one row of installation, and what
// is remembered is remembered for an epoch.
//
// What holds:
//
//   - An epoch is a random name that is never used again, so a database that goes back
//     behind a change of its epoch has not that of the history it has left.
//   - It is changed by whoever puts the database back, and by the first process that sees
//     that it went back unannounced: Change is guarded by the epoch that it is to replace,
//     so of several at once one changes it and the others learn of it.
//   - A Watch never takes what was remembered for good without having looked since the
//     links to the database changed; see Watch.
package epoch

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"interlock/internal/base/storage"
)

// Epoch names one history of the database. The zero Epoch names none.
type Epoch string

// row is the installation's one row.
type row struct {
	ID        int64
	Epoch     Epoch
	BegunTime time.Time
	Reason    string
	// BackupTime is when the last backup was begun; nil for none.
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

// Change gives the database a new epoch in place of one, for a reason that people will
// read, and returns the epoch that it has now: another's, when that one was not its epoch
// any more.
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

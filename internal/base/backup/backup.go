// Package backup writes a snapshot of a database to a file, and restores it.
//
// SQLite itself copies an embedded database while the server runs; MySQL and MariaDB are
// copied by their dump program, in one transaction with a consistent snapshot. A backup
// contains all business data in clear, except values that are encrypted in the database, so
// only its owner can read it.
//
// Invariants:
//
//   - A file under its final name is complete: it is written under another name and
//     renamed last.
//   - Nothing existing is overwritten. Write requires an unused name; Restore requires
//     an empty database on a server, and preserves the embedded one that it replaces.
//   - A restored database has a new epoch (package epoch), so that processes discard
//     cached state of lost rows, and no sessions: a session that was ended after the
//     backup would be valid again.
//
// Crash points: an interrupted Write leaves FILE.part, which the next one replaces. An
// interrupted Restore has not changed an embedded database, because its last step is a
// rename; on a server it leaves a database without a schema version, which no server
// serves. An interrupted Try leaves its copy, which is not used.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
)

// Content describes a database or a backup.
type Content struct {
	// Schema is the version of the database's last migration.
	Schema int64
	// LastTime is the time of the last audit entry; zero for none.
	LastTime time.Time
	Size     int64
	// older is set if migrations are missing.
	older bool
}

// Write backs the database up to a new file, and records the time in the database.
//
// Errors: the file exists; the database cannot be reached; a server's dump program is not
// installed, or failed.
func Write(ctx context.Context, o storage.Options, path string) (Content, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return Content{}, fmt.Errorf("%s already exists; choose a new file name", path)
	}
	o.Existing = true
	db, err := storage.Open(ctx, o)
	if err != nil {
		return Content{}, err
	}
	defer db.Close()
	started := clock.System{}.Now()
	content, err := contentOf(ctx, db)
	if err != nil {
		return Content{}, err
	}
	part := path + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Content{}, err
	}
	file, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return Content{}, err
	}
	defer os.Remove(part)
	defer file.Close()
	if db.Dialect == storage.SQLite {
		err = db.CopyTo(ctx, part)
	} else {
		err = dump(ctx, o.URL, file)
	}
	if err != nil {
		return Content{}, err
	}
	// The dump of a server contains the schema version.
	if state, err := db.MigrationState(ctx); err != nil || state.Current != content.Schema {
		return Content{}, errors.Join(errors.New("the schema was migrated during the backup: back up again"), err)
	}
	if content.Size, err = publish(file, part, path); err != nil {
		return Content{}, err
	}
	if content.older {
		return content, nil
	}
	return content, recordBackupTime(ctx, db, started)
}

// publish renames a complete file to its final name, and fails if that name exists.
func publish(file *os.File, part, path string) (size int64, err error) {
	if err := file.Sync(); err != nil {
		return 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	if err := os.Link(part, path); err != nil {
		return 0, err
	}
	return info.Size(), storage.SyncFolder(path)
}

// contentOf describes a database.
func contentOf(ctx context.Context, db *storage.DB) (Content, error) {
	state, err := db.MigrationState(ctx)
	if err != nil {
		return Content{}, err
	}
	content := Content{Schema: state.Current, older: !state.UpToDate()}
	if content.older {
		return content, nil
	}
	var last []time.Time
	err = db.Read(storage.AcrossTenants(ctx)).Raw("SELECT created_time FROM audit_entries WHERE tenant_id > 0 ORDER BY id DESC LIMIT 1").Scan(&last).Error
	if err != nil {
		return Content{}, fmt.Errorf("read the last audit entry: %w", err)
	}
	if len(last) == 1 {
		content.LastTime = last[0]
	}
	return content, nil
}

// recordBackupTime stores the start time of the last backup, for monitoring its age.
func recordBackupTime(ctx context.Context, db *storage.DB, started time.Time) error {
	err := db.Write(storage.AcrossTenants(ctx)).Exec("UPDATE installation SET backup_time = ? WHERE id = 1", started).Error
	if err != nil {
		return fmt.Errorf("the backup is written; record its time: %w", err)
	}
	return nil
}

// Restore restores a backup. It returns the content and, if an embedded database was
// replaced, the path of its copy.
//
// Errors: the file is not a complete backup, or is from a newer program; a server uses the
// embedded database; the database on a server is not empty.
func Restore(ctx context.Context, o storage.Options, path string) (content Content, preserved string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return Content{}, "", err
	}
	defer file.Close()
	if err := requireKind(file, storage.DialectOf(o.URL)); err != nil {
		return Content{}, "", err
	}
	if storage.DialectOf(o.URL) == storage.SQLite {
		return restoreFile(ctx, o, file)
	}
	content, err = load(ctx, o, file)
	return content, "", err
}

// requireKind rejects a backup of the other kind of database. It leaves the file at its start.
func requireKind(file *os.File, of storage.Dialect) error {
	const head = "SQLite format 3\x00"
	begin := make([]byte, len(head))
	if _, err := file.ReadAt(begin, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	isEmbedded := string(begin) == head
	_, notDump := requireComplete(file)
	switch {
	case isEmbedded && of == storage.MySQL:
		return fmt.Errorf("%s is a backup of an embedded database (SQLite) and cannot be restored on a database server: restore it as an embedded database (sqlite://PATH), then run `admin copy --from sqlite://PATH --to mysql://…`", file.Name())
	case notDump == nil && of == storage.SQLite:
		return fmt.Errorf("%s is a backup of a database server and cannot be restored into an embedded database, and `admin copy` supports only the other direction: set INTERLOCK_DATABASE_URL to an empty database on a server", file.Name())
	}
	return nil
}

// renew brings a database that was put back up to date, and begins its new history.
func renew(ctx context.Context, db *storage.DB) (Content, error) {
	state, err := db.MigrationState(ctx)
	switch {
	case errors.Is(err, storage.ErrNoDatabase), err == nil && state.Current == 0:
		return Content{}, errors.New("it is no backup of this service: it has no schema")
	case err != nil:
		return Content{}, err
	case state.Current > state.Target:
		return Content{}, fmt.Errorf("it is from a newer program: its schema is at version %d, and this program supports %d", state.Current, state.Target)
	}
	if _, err := db.Migrate(ctx); err != nil {
		return Content{}, err
	}
	content, err := contentOf(ctx, db)
	if err != nil {
		return Content{}, err
	}
	was, err := epoch.Read(ctx, db)
	if err != nil {
		return Content{}, err
	}
	if err := db.Write(storage.AcrossTenants(ctx)).Exec("DELETE FROM sessions WHERE tenant_id > 0").Error; err != nil {
		return Content{}, fmt.Errorf("end the sessions: %w", err)
	}
	return content, StartEpoch(ctx, db, was, "It was restored from a backup.")
}

// StartEpoch starts the epoch of a database that replaces the one of the epoch was, with a reason for
// operators. It invalidates the external state derived from that database. The epoch of a sale counts
// the builds of its gate; the new value is a time larger than any existing epoch, also that of a gate
// built after an earlier restore of the same backup. It can be repeated after a failure.
func StartEpoch(ctx context.Context, db *storage.DB, was epoch.Epoch, reason string) error {
	now := clock.System{}.Now()
	const rebuild = "UPDATE flash_sale_stocks SET epoch = ?, version = version + 1 WHERE tenant_id > 0 AND finished = ?"
	if err := db.Write(storage.AcrossTenants(ctx)).Exec(rebuild, now.Unix(), false).Error; err != nil {
		return fmt.Errorf("rebuild the gates of flash sales: %w", err)
	}
	_, err := epoch.Change(ctx, db, was, now, reason)
	return err
}

// copyTo copies from to a new file at path, which is complete and synced on return.
func copyTo(from io.Reader, path string) (err error) {
	to, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, storage.AssignToOwner(to), to.Sync(), to.Close())
}

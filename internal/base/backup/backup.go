// Package backup writes what a database holds at one moment to a file, and puts it back.
//
// An embedded database is copied by SQLite itself, beside the running server; a MySQL or
// MariaDB by its own dump program, in one transaction that sees one moment. A backup has all
// business data in it, in the clear but for what is encrypted in the database, and so is
// readable by its owner alone.
//
// What holds:
//
//   - A file under its name is whole: it is written beside and named last.
//   - Nothing that is there is overwritten. Write wants a name that is free; Restore wants an
//     empty database on a server, and keeps the embedded one that it replaces.
//   - A database that was put back has a new epoch (package epoch), so that no process
//     believes what it remembers of rows that are lost, and no sessions: one that was ended
//     since would come back.
//
// Crash points: a Write that dies leaves FILE.part, which the next one replaces. A Restore that
// dies has changed nothing of an embedded database, whose last step is a rename; on a server it
// leaves a database without a schema's version, which no server serves. A Try that dies leaves its
// copy, which nobody uses.
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

// Content is what a database holds.
type Content struct {
	// Schema is the version of its last migration.
	Schema int64
	// LastTime is when the last unit was committed that left an audit entry; zero for none.
	LastTime time.Time
	Size     int64
	// older is set where migrations are missing.
	older bool
}

// Write backs the database up to a new file, and notes in the database when.
//
// Errors: there is a file of that name; the database cannot be reached; a server's dump
// program is not installed, or failed.
func Write(ctx context.Context, o storage.Options, path string) (Content, error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return Content{}, fmt.Errorf("%s is there already; name a new file", path)
	}
	o.Existing = true
	db, err := storage.Open(ctx, o)
	if err != nil {
		return Content{}, err
	}
	defer db.Close()
	began := clock.System{}.Now()
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
	// A server's dump has the schema's version by itself.
	if state, err := db.MigrationState(ctx); err != nil || state.Current != content.Schema {
		return Content{}, errors.Join(errors.New("the schema was migrated meanwhile: back up again"), err)
	}
	if content.Size, err = publish(file, part, path); err != nil {
		return Content{}, err
	}
	if content.older {
		return content, nil
	}
	return content, recordBackupTime(ctx, db, began)
}

// publish gives a file that is whole its name, unless that was taken meanwhile.
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

// contentOf asks a database what it holds.
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

// recordBackupTime writes when the last backup was begun, for monitors of its age.
func recordBackupTime(ctx context.Context, db *storage.DB, began time.Time) error {
	err := db.Write(storage.AcrossTenants(ctx)).Exec("UPDATE installation SET backup_time = ? WHERE id = 1", began).Error
	if err != nil {
		return fmt.Errorf("the backup is written; note when: %w", err)
	}
	return nil
}

// Restore puts a backup back, and returns what it holds and, where there was an embedded
// database before, where that is kept.
//
// Errors: the file is no whole backup, or one of a newer program; a server uses the embedded
// database; the database on a server is not empty.
func Restore(ctx context.Context, o storage.Options, path string) (content Content, kept string, err error) {
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

// requireKind refuses a backup of the other kind of database, and leaves the file at its beginning.
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
		return fmt.Errorf("%s is a backup of an embedded database (SQLite) and cannot be restored on a database server: set INTERLOCK_DATABASE_URL to sqlite://PATH, or unset it", file.Name())
	case notDump == nil && of == storage.SQLite:
		return fmt.Errorf("%s is a backup of a database server and cannot be restored into an embedded database: set INTERLOCK_DATABASE_URL to an empty database on a server", file.Name())
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
		return Content{}, fmt.Errorf("it is of a newer program: its schema is at %d, and this one knows %d", state.Current, state.Target)
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
	now := clock.System{}.Now()
	for _, statement := range outdated {
		if err := db.Write(storage.AcrossTenants(ctx)).Exec(statement.text, statement.values(now)...).Error; err != nil {
			return Content{}, fmt.Errorf("%s: %w", statement.does, err)
		}
	}
	if _, err := epoch.Change(ctx, db, was, now, "It was restored from a backup."); err != nil {
		return Content{}, err
	}
	return content, nil
}

// outdated ends what outside of the database believes to be of it. The epoch of a sale counts
// how often its gate was built; the time is beyond any that a gate can have, also one that was
// built after an earlier restore of the same backup.
var outdated = []struct {
	does, text string
	values     func(now time.Time) []any
}{
	{"end the sessions", "DELETE FROM sessions WHERE tenant_id > 0", func(time.Time) []any { return nil }},
	{
		"have the gates of flash sales built anew", "UPDATE flash_sale_stocks SET epoch = ?, version = version + 1 WHERE tenant_id > 0 AND finished = ?",
		func(now time.Time) []any { return []any{now.Unix(), false} },
	},
}

// copyTo copies a file to a new one of this name, which is whole when it returns.
func copyTo(from io.Reader, path string) (err error) {
	to, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, storage.GiveToOwner(to), to.Sync(), to.Close())
}

package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"interlock/internal/base/claim"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
)

// restoreFile replaces an embedded database by a backup. It prepares a copy of the backup next to
// the database, and renames the copy last.
func restoreFile(ctx context.Context, o storage.Options, from io.Reader) (content Content, preserved string, err error) {
	live := strings.TrimPrefix(o.URL, "sqlite://")
	if err := storage.CreateFolder(live); err != nil {
		return Content{}, "", err
	}
	claimed, err := claim.File(live, "restore", clock.System{})
	if err != nil {
		return Content{}, "", err
	}
	defer claimed.Release()
	next := live + ".restoring"
	defer removeDatabase(next)
	removeDatabase(next)
	if content, err = prepareCopy(ctx, o, from, next); err != nil {
		return Content{}, "", err
	}
	if preserved, err = preserveExisting(ctx, o, live); err != nil {
		return Content{}, "", fmt.Errorf("preserve the existing database: %w", err)
	}
	if err := os.Rename(next, live); err != nil {
		return Content{}, "", err
	}
	return content, preserved, storage.SyncFolder(live)
}

// prepareCopy copies a backup to path, checks the copy and starts its new epoch.
func prepareCopy(ctx context.Context, o storage.Options, from io.Reader, path string) (Content, error) {
	if err := copyTo(from, path); err != nil {
		return Content{}, fmt.Errorf("copy the backup: %w", err)
	}
	o.URL = "sqlite://" + path
	db, err := storage.Open(ctx, o)
	if err != nil {
		return Content{}, fmt.Errorf("it is not a backup of an embedded database: %w", err)
	}
	content, err := func() (Content, error) {
		if err := db.CheckFile(ctx); err != nil {
			return Content{}, err
		}
		return renew(ctx, db)
	}()
	if err == nil {
		// The renamed file must contain everything.
		err = db.Checkpoint(ctx)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return Content{}, err
	}
	info, err := os.Stat(path)
	if err == nil {
		content.Size = info.Size()
	}
	return content, err
}

// preserveExisting links the existing database and its log under a second name, and returns
// that name; "" if there is no database. A damaged database, which may be the reason for
// the restore, is preserved unchanged: its log is linked before SQLite is opened, because
// SQLite deletes the log of a file that it cannot read.
func preserveExisting(ctx context.Context, o storage.Options, path string) (preserved string, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	preserved = path + ".before-" + clock.System{}.Now().Format("20060102T150405.000Z")
	if err := os.Link(path, preserved); err != nil {
		return "", err
	}
	if err := os.Link(path+"-wal", preserved+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", errors.Join(err, os.Remove(preserved))
	}
	if err := emptyLog(ctx, o); errors.Is(err, storage.ErrInUse) {
		removeDatabase(preserved)
		return "", err
	}
	removeCompanions(path)
	return preserved, nil
}

// emptyLog moves the log into the database file, so that the log can be removed.
func emptyLog(ctx context.Context, o storage.Options) error {
	db, err := storage.Open(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(db.Checkpoint(ctx), db.Close())
}

// removeDatabase removes an SQLite file with its log and index.
func removeDatabase(path string) {
	removeCompanions(path)
	_ = os.Remove(path)
}

// removeCompanions removes the log of a database and the log's index.
func removeCompanions(path string) {
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(path + suffix)
	}
}

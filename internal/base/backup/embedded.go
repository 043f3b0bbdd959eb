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

// restoreFile replaces an embedded database by a backup. All is done to a copy beside it,
// which takes its name last.
func restoreFile(ctx context.Context, o storage.Options, from io.Reader) (content Content, kept string, err error) {
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
	if kept, err = preserveExisting(ctx, o, live); err != nil {
		return Content{}, "", fmt.Errorf("keep the database that is there: %w", err)
	}
	if err := os.Rename(next, live); err != nil {
		return Content{}, "", err
	}
	return content, kept, storage.SyncFolder(live)
}

// prepareCopy copies a backup to path, checks the copy and begins its new history.
func prepareCopy(ctx context.Context, o storage.Options, from io.Reader, path string) (Content, error) {
	if err := copyTo(from, path); err != nil {
		return Content{}, fmt.Errorf("copy the backup: %w", err)
	}
	o.URL = "sqlite://" + path
	db, err := storage.Open(ctx, o)
	if err != nil {
		return Content{}, fmt.Errorf("it is no backup of an embedded database: %w", err)
	}
	content, err := func() (Content, error) {
		if err := db.CheckFile(ctx); err != nil {
			return Content{}, err
		}
		return renew(ctx, db)
	}()
	if err == nil {
		// All of it is to be in the one file that takes the name.
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

// preserveExisting gives the database that is there a second name, with the log beside it, and
// returns that name; "" when there is no database. One that is damaged, which may be why it is
// replaced, is kept as it is: its log gets its second name first, since SQLite removes that of a
// file that it does not understand.
func preserveExisting(ctx context.Context, o storage.Options, path string) (kept string, err error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	kept = path + ".before-" + clock.System{}.Now().Format("20060102T150405.000Z")
	if err := os.Link(path, kept); err != nil {
		return "", err
	}
	if err := os.Link(path+"-wal", kept+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", errors.Join(err, os.Remove(kept))
	}
	if err := emptyLog(ctx, o); errors.Is(err, storage.ErrInUse) {
		removeDatabase(kept)
		return "", err
	}
	removeBeside(path)
	return kept, nil
}

// emptyLog has all of a database in its one file, so that nobody misses the log when it goes.
func emptyLog(ctx context.Context, o storage.Options) error {
	db, err := storage.Open(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(db.Checkpoint(ctx), db.Close())
}

// removeDatabase removes a file of SQLite with those beside it.
func removeDatabase(path string) {
	removeBeside(path)
	_ = os.Remove(path)
}

// removeBeside removes the log of a database and the log's index.
func removeBeside(path string) {
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(path + suffix)
	}
}

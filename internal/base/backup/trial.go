package backup

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"interlock/internal/base/clip"
	"interlock/internal/base/storage"
)

// removalTimeout bounds the removal of a trial's database, which runs even if the caller is
// interrupted.
const removalTimeout = time.Minute

// maxDatabaseName is MySQL's limit for the length of a database name.
const maxDatabaseName = 64

// Visit inspects a database into which a backup was restored.
type Visit func(ctx context.Context, at storage.Options, content Content) error

// Try restores a backup into a temporary database next to the one at o, calls visit with
// its location, and removes it. Try neither reads nor changes the database at o, which may
// be in use or not exist.
//
//   - SQLite: a file in a new folder next to the database, or in the temporary folder
//     if the database has no folder yet.
//   - A server: a new database. Its user needs CREATE and DROP for it.
//
// An interrupted Try leaves the folder (.interlock-verify-…) or the database (…_verify_…),
// which are not used.
func Try(ctx context.Context, o storage.Options, path string, visit Visit) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := requireKind(file, storage.DialectOf(o.URL)); err != nil {
		return err
	}
	if storage.DialectOf(o.URL) == storage.SQLite {
		return tryAsFile(ctx, o, file, visit)
	}
	return tryOnServer(ctx, o, file, visit)
}

func tryAsFile(ctx context.Context, o storage.Options, from *os.File, visit Visit) (err error) {
	parent := filepath.Dir(strings.TrimPrefix(o.URL, "sqlite://"))
	if _, err := os.Stat(parent); err != nil {
		parent = os.TempDir()
	}
	folder, err := os.MkdirTemp(parent, ".interlock-verify-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	copied := filepath.Join(folder, "interlock.db")
	content, err := prepareCopy(ctx, o, from, copied)
	if err != nil {
		return err
	}
	o.URL = "sqlite://" + copied
	return visit(ctx, o, content)
}

func tryOnServer(ctx context.Context, o storage.Options, from *os.File, visit Visit) (err error) {
	// A truncated file is rejected before anything is created.
	if _, err := requireComplete(from); err != nil {
		return err
	}
	program, err := find("mariadb", "mysql")
	if err != nil {
		return err
	}
	link, err := linkOf(o.URL)
	if err != nil {
		return err
	}
	defer link.close()
	own := trialName(link.database)
	execute := func(ctx context.Context, statement string) error {
		return run(exec.CommandContext(ctx, program, "--defaults-extra-file="+link.file, "--execute="+statement), nil, io.Discard)
	}
	if err := execute(ctx, "CREATE DATABASE `"+own+"` CHARACTER SET utf8mb4"); err != nil {
		return fmt.Errorf("make a database for the trial: %w. Its user needs CREATE and DROP for databases of such names; "+
			"or restore into an empty database on any server, which INTERLOCK_DATABASE_URL names", err)
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removalTimeout)
		defer cancel()
		if failed := execute(ctx, "DROP DATABASE `"+own+"`"); failed != nil {
			err = errors.Join(err, fmt.Errorf("remove the database %s of the trial: %w", own, failed))
		}
	}()
	at, err := url.Parse(o.URL)
	if err != nil {
		return errors.New("the database's URL cannot be read")
	}
	at.Path = "/" + own
	o.URL = at.String()
	content, err := load(ctx, o, from)
	if err != nil {
		return err
	}
	return visit(ctx, o, content)
}

// trialName returns an unused name for a trial's database.
func trialName(database string) string {
	suffix := "_verify_" + strings.ToLower(rand.Text())[:8]
	return strings.ReplaceAll(clip.Bytes(database, maxDatabaseName-len(suffix)), "`", "_") + suffix
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"interlock/internal/app"
	"interlock/internal/base/backup"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/settings"
)

type backupCommand struct {
	settings.Storage `embed:""`
	File             string        `arg:"" help:"The file to write, which must not exist, or a folder, in which the file is named after the time. The backup of an embedded database is a database of SQLite, that of a database server its statements."`
	Keep             int           `help:"Keep this many backups in the folder and delete older ones. 0 keeps all." default:"0" placeholder:"N"`
	Every            time.Duration `help:"Back up into the folder again after this time, until a signal. 0 backs up once." default:"0s" placeholder:"DURATION"`
}

// retryBackup is the pause after a backup that failed, if the next one is not due earlier.
const retryBackup = 5 * time.Minute

// Run backs up once, or again and again.
func (c *backupCommand) Run(ctx context.Context) error {
	info, err := os.Stat(c.File)
	intoFolder := err == nil && info.IsDir()
	if !intoFolder && (c.Keep != 0 || c.Every != 0) {
		return fmt.Errorf("--keep and --every need a folder that exists; %s is none", c.File)
	}
	for {
		pause := c.Every
		err := c.write(ctx, intoFolder)
		if c.Every == 0 {
			return err
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "admin: the backup failed; will retry: %v\n", err)
			pause = min(pause, retryBackup)
		}
		if !clock.Sleep(ctx, pause) {
			return nil
		}
	}
}

func (c *backupCommand) write(ctx context.Context, intoFolder bool) (err error) {
	var content backup.Content
	path := c.File
	if intoFolder {
		path, content, err = backup.WriteInto(ctx, c.Options(), c.File, c.Keep)
	} else {
		content, err = backup.Write(ctx, c.Options(), path)
	}
	if err != nil {
		return err
	}
	fmt.Printf("%s has the whole database%s: %d bytes, schema %d.\n", path, until(content), content.Size, content.Schema)
	keys := "those of INTERLOCK_ENCRYPTION_KEYS"
	if path, embedded := c.KeyFile(); embedded {
		keys = path + ", or those of INTERLOCK_ENCRYPTION_KEYS"
	}
	fmt.Printf("It has no encryption keys. Keep a copy of them apart from it (%s): without them nobody can read what is encrypted in it.\n", keys)
	return nil
}

// Validate is called by kong after parsing.
func (c *backupCommand) Validate() error {
	if c.Keep < 0 || c.Every < 0 || c.Every > 0 && c.Every < time.Minute {
		return errors.New("--keep must not be negative, and --every must be a minute or longer")
	}
	return c.Storage.Validate()
}

type restoreCommand struct {
	settings.Storage `embed:""`
	File             string `arg:"" help:"A file that admin backup wrote." type:"existingfile"`
	Verify           bool   `help:"Look at every promise when it is restored, and fail when one does not hold. Without it do so later, beside the servers, with admin promises check." default:"true" negatable:""`
	VerifyOnly       bool   `help:"Restore into a database of its own beside that of the settings, look at every promise there, and remove it. The one of the settings is neither read nor changed."`
	RedisURL         string `help:"The Redis that the servers share, to look at the gates of flash sales as well." env:"INTERLOCK_REDIS_URL" placeholder:"URL"`
}

// Validate is called by kong after parsing.
func (c *restoreCommand) Validate() error {
	if c.VerifyOnly && !c.Verify {
		return errors.New("--verify-only and --no-verify leave nothing to do: choose one")
	}
	return c.Storage.Validate()
}

// Run restores, looks at all promises, and says what has not gone back with the database.
func (c *restoreCommand) Run(ctx context.Context) error {
	if c.VerifyOnly {
		return backup.Try(ctx, c.Options(), c.File, c.verify)
	}
	content, kept, err := backup.Restore(ctx, c.Options(), c.File)
	if err != nil {
		return err
	}
	fmt.Printf("The database is as it was%s.\n", until(content))
	if kept != "" {
		fmt.Printf("The one that was there before is kept as %s.\n", kept)
	}
	if err := sayMissingKeys(ctx, c.Storage); err != nil {
		return err
	}
	fmt.Print(`What was done since is gone from the database, and whoever was told of it should be told so.
 - Everybody has to sign in again. API tokens, passwords and disabled users are as the backup has
   them: what was revoked or changed since has to be revoked or changed again.
 - Redis has not gone back. Gates of flash sales are built anew when a server starts; tickets
   that were accepted since are rejected as lost.
 - What was paid, refunded or shipped elsewhere since has happened there all the same.
`)
	if !c.Verify {
		fmt.Println("Whether the promises hold was not looked at: run `admin promises check`.")
		return nil
	}
	check := promisesCheck{Storage: c.Storage, RedisURL: c.RedisURL}
	return check.Run(ctx)
}

// verify looks at a backup that was restored into a database of its own. Redis is of the other
// one, and is left out.
func (c *restoreCommand) verify(ctx context.Context, at storage.Options, content backup.Content) error {
	fmt.Printf("The backup is whole and was restored into a database of its own%s: %d bytes, schema %d.\n", until(content), content.Size, content.Schema)
	own := c.Storage
	own.DatabaseURL = at.URL
	if err := linkKeys(c.Storage, own); err != nil {
		return err
	}
	if err := sayMissingKeys(ctx, own); err != nil {
		return err
	}
	check := promisesCheck{Storage: own}
	return check.Run(ctx)
}

// linkKeys has the keys that were made for an embedded database be beside a copy of it too.
func linkKeys(from, to settings.Storage) error {
	path, embedded := from.KeyFile()
	if !embedded {
		return nil
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	link, _ := to.KeyFile()
	return os.Symlink(path, link)
}

// sayMissingKeys says which keys are not there that values in the database need.
func sayMissingKeys(ctx context.Context, s settings.Storage) error {
	missing, err := app.MissingKeys(ctx, s)
	if err == nil && missing != "" {
		fmt.Println(missing)
	}
	return err
}

// until says up to when there is something in a backup.
func until(content backup.Content) string {
	if content.LastTime.IsZero() {
		return ""
	}
	return ", up to what was done at " + content.LastTime.UTC().Format(time.RFC3339)
}

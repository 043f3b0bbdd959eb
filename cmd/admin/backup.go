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
	File             string        `arg:"" help:"The file to write, which must not exist, or a folder, in which the file is named after the time. The backup of an embedded database is a SQLite database, that of a database server a file of SQL statements."`
	Keep             int           `help:"Maximum number of backups in the folder; older ones are deleted. 0: no maximum." default:"0" placeholder:"N"`
	Every            time.Duration `help:"Interval of backups into the folder, until a signal. 0: one backup." default:"0s" placeholder:"DURATION"`
}

// retryBackup is the pause after a failed backup, unless the next one is due earlier.
const retryBackup = 5 * time.Minute

// Run backs up once, or periodically.
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
	fmt.Printf("%s contains the whole database%s: %d bytes, schema %d.\n", path, until(content), content.Size, content.Schema)
	keys := "those of INTERLOCK_ENCRYPTION_KEYS"
	if path, embedded := c.KeyFile(); embedded {
		keys = path + ", or those of INTERLOCK_ENCRYPTION_KEYS"
	}
	fmt.Printf("It does not contain the encryption keys. Store a copy of them separately (%s): without them the encrypted values are unreadable.\n", keys)
	return nil
}

// Validate implements kong's validation.
func (c *backupCommand) Validate() error {
	if c.Keep < 0 || c.Every < 0 || c.Every > 0 && c.Every < time.Minute {
		return errors.New("--keep must not be negative, and --every must be a minute or longer")
	}
	return c.Storage.Validate()
}

type restoreCommand struct {
	settings.Storage `embed:""`
	File             string `arg:"" help:"A file that admin backup wrote." type:"existingfile"`
	Verify           bool   `help:"Check every promise after the restore, and fail if one is violated. To check later, while servers run: admin promises check." default:"true" negatable:""`
	VerifyOnly       bool   `help:"Restore into a temporary database, check every promise there, and delete it. The database of the settings is neither read nor changed."`
	RedisURL         string `help:"The Redis that the servers share, to check the gates of flash sales too." env:"INTERLOCK_REDIS_URL" placeholder:"URL"`
}

// Validate implements kong's validation.
func (c *restoreCommand) Validate() error {
	if c.VerifyOnly && !c.Verify {
		return errors.New("--verify-only and --no-verify leave nothing to do: choose one")
	}
	return c.Storage.Validate()
}

// Run restores, checks all promises, and reports the state that the restore does not cover.
func (c *restoreCommand) Run(ctx context.Context) error {
	if c.VerifyOnly {
		return backup.Try(ctx, c.Options(), c.File, c.verify)
	}
	content, previous, err := backup.Restore(ctx, c.Options(), c.File)
	if err != nil {
		return err
	}
	fmt.Printf("The database is restored%s.\n", until(content))
	if previous != "" {
		fmt.Printf("The previous one is stored as %s.\n", previous)
	}
	if err := sayMissingKeys(ctx, c.Storage); err != nil {
		return err
	}
	fmt.Print(`Later changes are no longer in the database. Notify their users.
 - All users must sign in again. API tokens, passwords and disabled users have the state of the
   backup: revoke or change again those that were revoked or changed since.
 - Redis was not restored. Servers rebuild the gates of flash sales when they start; tickets that
   were accepted since are rejected as lost.
 - Payments, refunds and shipments in other systems remain.
`)
	if !c.Verify {
		fmt.Println("The promises were not checked: run `admin promises check`.")
		return nil
	}
	check := promisesCheck{Storage: c.Storage, RedisURL: c.RedisURL}
	return check.Run(ctx)
}

// verify checks a backup that was restored into a temporary database. It leaves out Redis, which
// belongs to the original database.
func (c *restoreCommand) verify(ctx context.Context, at storage.Options, content backup.Content) error {
	fmt.Printf("The backup is complete and was restored into a temporary database%s: %d bytes, schema %d.\n", until(content), content.Size, content.Schema)
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

// linkKeys links the generated keys of an embedded database next to its copy.
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

// sayMissingKeys prints the finding about missing encryption keys.
func sayMissingKeys(ctx context.Context, s settings.Storage) error {
	missing, err := app.MissingKeys(ctx, s)
	if err == nil && missing != "" {
		fmt.Println(missing)
	}
	return err
}

// until returns the time of the last change in a backup, as part of a sentence.
func until(content backup.Content) string {
	if content.LastTime.IsZero() {
		return ""
	}
	return ", up to the change at " + content.LastTime.UTC().Format(time.RFC3339)
}

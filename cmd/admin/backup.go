package main

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/app"
	"interlock/internal/base/backup"
	"interlock/internal/settings"
)

type backupCommand struct {
	settings.Storage `embed:""`
	File             string `arg:"" help:"The file to write; there must be none of that name. Of an embedded database it is a database of SQLite, of one on a server the statements that make it."`
}

// Run backs up.
func (c *backupCommand) Run(ctx context.Context) error {
	content, err := backup.Write(ctx, c.Options(), c.File)
	if err != nil {
		return err
	}
	fmt.Printf("%s has the whole database%s: %d bytes, schema %d.\n", c.File, until(content), content.Size, content.Schema)
	keys := "those of INTERLOCK_ENCRYPTION_KEYS"
	if path, embedded := c.KeyFile(); embedded {
		keys = path + ", or those of INTERLOCK_ENCRYPTION_KEYS"
	}
	fmt.Printf("It has no encryption keys. Keep a copy of them apart from it (%s): without them nobody can read what is encrypted in it.\n", keys)
	return nil
}

type restoreCommand struct {
	settings.Storage `embed:""`
	File             string `arg:"" help:"A file that admin backup wrote." type:"existingfile"`
	RedisURL         string `help:"The Redis that the servers share, to look at the gates of flash sales as well." env:"INTERLOCK_REDIS_URL" placeholder:"URL"`
}

// Run restores, looks at all promises, and says what has not gone back with the database.
func (c *restoreCommand) Run(ctx context.Context) error {
	content, kept, err := backup.Restore(ctx, c.Options(), c.File)
	if err != nil {
		return err
	}
	fmt.Printf("The database is as it was%s.\n", until(content))
	if kept != "" {
		fmt.Printf("The one that was there before is kept as %s.\n", kept)
	}
	missing, err := app.MissingKeys(ctx, c.Storage)
	if err != nil {
		return err
	}
	if missing != "" {
		fmt.Println(missing)
	}
	fmt.Print(`What was done since is gone from the database, and whoever was told of it should be told so.
 - Everybody has to sign in again. API tokens, passwords and disabled users are as the backup has
   them: what was revoked or changed since has to be revoked or changed again.
 - Redis has not gone back. Gates of flash sales are built anew when a server starts; tickets
   that were accepted since are rejected as lost.
 - What was paid, refunded or shipped elsewhere since has happened there all the same.
`)
	check := promisesCheck{Storage: c.Storage, RedisURL: c.RedisURL}
	return check.Run(ctx)
}

// until says up to when there is something in a backup.
func until(content backup.Content) string {
	if content.LastTime.IsZero() {
		return ""
	}
	return ", up to what was done at " + content.LastTime.UTC().Format(time.RFC3339)
}

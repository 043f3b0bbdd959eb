package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"interlock/internal/base/dbcopy"
	"interlock/internal/settings"
)

type copyCommand struct {
	From                string `help:"The embedded database, which no server may use: sqlite://PATH." required:"" placeholder:"URL"`
	To                  string `help:"An empty database on MySQL or MariaDB, or an interrupted copy: mysql://USER:PASSWORD@HOST:PORT/DATABASE, with the options of --database-url." required:"" placeholder:"URL"`
	DiscardMessages     bool   `help:"Copy although queues have messages. The messages are left out, and their flash-sale tickets are reported as lost."`
	Verify              bool   `help:"Check every promise on the copy, and fail if one is violated. The rows are always compared. To check later, while servers run: admin promises check." default:"true" negatable:""`
	settings.Encryption `embed:""`
}

// Run copies, checks all promises on the copy, and prints the remaining steps of the move.
func (c *copyCommand) Run(ctx context.Context) error {
	result, err := dbcopy.Copy(ctx, dbcopy.Options{
		From: c.From, To: c.To, DiscardMessages: c.DiscardMessages, Progress: printProgress,
	})
	if err != nil {
		return err
	}
	if result.Resumed {
		fmt.Println("The copy continued an interrupted one.")
	}
	fmt.Printf("The copy is complete and equals its source: %d rows in %d tables.\n", result.Rows, result.Tables)
	if result.Discarded > 0 {
		fmt.Printf("%d messages in queues were left out: their flash-sale tickets are reported as lost.\n", result.Discarded)
	}
	if err := c.printSteps(ctx, result.Keys); err != nil {
		return err
	}
	if !c.Verify {
		fmt.Println("The promises were not checked: run `admin promises check`.")
		return nil
	}
	check := promisesCheck{Storage: settings.Storage{DatabaseURL: c.To}}
	return check.Run(ctx)
}

// printSteps prints the settings and secrets that the database does not contain.
func (c *copyCommand) printSteps(ctx context.Context, keys []string) error {
	from := settings.Storage{DatabaseURL: c.From, Encryption: c.Encryption}
	fmt.Print("Before you start servers on the copy:\n - Set INTERLOCK_DATABASE_URL to the new URL and, for several replicas, INTERLOCK_REDIS_URL.\n")
	if len(keys) > 0 {
		path, _ := from.KeyFile()
		source := "the INTERLOCK_ENCRYPTION_KEYS of the old server"
		if _, err := os.Stat(path); err == nil {
			source = "a copy of " + path + " (INTERLOCK_ENCRYPTION_KEYS_FILE), after those of INTERLOCK_ENCRYPTION_KEYS of the old server, if it has any"
		}
		fmt.Printf(" - Values are encrypted with %s. Give each replica the keys: %s.\n", strings.Join(keys, ", "), source)
	}
	fmt.Print(` - Set all other INTERLOCK_… settings of the old server: the database contains no secret of them, such as
   INTERLOCK_CUSTOMER_JWT_SECRET, INTERLOCK_OIDC_PROVIDERS and INTERLOCK_PUBLIC_URL.
 - Never start a server on the old database again: move its files to an archive.
`)
	return sayMissingKeys(ctx, from)
}

// printProgress prints the progress of one table.
func printProgress(p dbcopy.Progress) {
	action := "copied"
	if p.Verifying {
		action = "verified"
	}
	fmt.Fprintf(os.Stderr, "%s %s: %d of %d rows, %.0f rows/s\n", action, p.Table, p.Rows, p.Total, p.Rate)
}

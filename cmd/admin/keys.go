package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"interlock/internal/app"
	"interlock/internal/settings"
)

type keysCommand struct {
	List      keysList      `cmd:"" help:"Say which encryption keys values in the database take; changes nothing."`
	Reencrypt keysReencrypt `cmd:"" help:"Encrypt with the current key what is encrypted with older ones, or in clear. Can be cut off and run again, beside running servers."`
}

type keysList struct {
	settings.Storage `embed:""`
}

// Run prints a line for each key.
func (c *keysList) Run(ctx context.Context) error {
	services, err := app.Open(ctx, c.Storage, app.Options{WithoutKeys: true})
	if err != nil {
		return err
	}
	defer services.Close()
	keys, clear, err := services.KeysInUse(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tIS\tENCRYPTS")
	for _, key := range keys {
		fmt.Fprintf(table, "%s\t%s\t%s\n", key.ID, standing(key), tablesOf(key.Rows))
	}
	if len(clear) > 0 {
		fmt.Fprintf(table, "%s\t%s\t%s\n", "(none)", "in clear", tablesOf(clear))
	}
	return table.Flush()
}

// standing says in a word what a key is here.
func standing(key app.KeyUse) string {
	switch {
	case key.Current:
		return "current"
	case !key.Here && len(key.Rows) > 0:
		return "MISSING"
	case !key.Here:
		return "gone"
	case len(key.Rows) > 0:
		return "needed"
	}
	return "not needed"
}

// tablesOf is how many rows of which tables.
func tablesOf(rows map[string]int) string {
	if len(rows) == 0 {
		return "nothing"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		parts = append(parts, fmt.Sprintf("%d of %s", rows[name], name))
	}
	return strings.Join(parts, ", ")
}

type keysReencrypt struct {
	settings.Storage `embed:""`
}

// Run encrypts again and says what it did and which keys are needed no more. It fails when something
// is left.
func (c *keysReencrypt) Run(ctx context.Context) error {
	services, err := app.Open(ctx, c.Storage, app.Options{WithoutKeys: true})
	if err != nil {
		return err
	}
	defer services.Close()
	done, err := services.Reencrypt(ctx)
	for _, name := range slices.Sorted(maps.Keys(done.Renewed)) {
		if rows := done.Renewed[name]; rows > 0 {
			fmt.Printf("%d rows of %s were encrypted again.\n", rows, name)
		}
	}
	if err != nil {
		return fmt.Errorf("%w (what was done stays done: run it again to go on)", err)
	}
	if len(done.Retired) > 0 {
		fmt.Printf("Nothing is encrypted any more with: %s. Once every server runs with the current key first, and another run says so again, these may be taken out of the settings. Keep them with the backups that were made until now.\n",
			strings.Join(done.Retired, ", "))
	}
	if done.Left.Rows() == 0 {
		fmt.Println("All that is encrypted is encrypted with the current key.")
		return nil
	}
	left := done.Left.ByKey()
	for _, id := range slices.Sorted(maps.Keys(left)) {
		fmt.Printf("Still with the key %q: %s.\n", id, tablesOf(left[id]))
	}
	for _, name := range slices.Sorted(maps.Keys(done.Unreadable)) {
		fmt.Printf("%d rows of %s cannot be decrypted: their key is not there, or they are damaged.\n", done.Unreadable[name], name)
	}
	return errors.New("not everything is encrypted with the current key: a server that runs with another one may go on writing with that; restart it and run this again")
}

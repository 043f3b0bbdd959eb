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
	List      keysList      `cmd:"" help:"Show which encryption keys the values in the database need."`
	Reencrypt keysReencrypt `cmd:"" help:"Encrypt values with the current key that are in clear or encrypted with older keys. Resumable, and safe while servers run."`
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

// standing returns the status of a key.
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

// tablesOf returns the number of rows of each table.
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

// Run encrypts values again and reports the keys that are no longer needed. It fails if values
// remain.
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
		return fmt.Errorf("%w (completed steps remain: run it again to continue)", err)
	}
	if len(done.Retired) > 0 {
		fmt.Printf("No values need: %s. Once every server has the current key first, and another run confirms this, remove these from the settings. Store them with the backups that exist now.\n",
			strings.Join(done.Retired, ", "))
	}
	if done.Left.Rows() == 0 {
		fmt.Println("All encrypted values use the current key.")
		return nil
	}
	left := done.Left.ByKey()
	for _, id := range slices.Sorted(maps.Keys(left)) {
		fmt.Printf("Remaining with the key %q: %s.\n", id, tablesOf(left[id]))
	}
	for _, name := range slices.Sorted(maps.Keys(done.Unreadable)) {
		fmt.Printf("%d rows of %s cannot be decrypted: their key is missing, or they are damaged.\n", done.Unreadable[name], name)
	}
	return errors.New("some values do not use the current key: a server with another current key may still write with it; restart it and run this again")
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"text/tabwriter"

	"interlock/internal/app"
	"interlock/internal/settings"
	"interlock/internal/views/promises"
)

type promisesCommand struct {
	Check promisesCheck `cmd:"" help:"Look once, at everything, whether each promise holds; changes nothing."`
	List  promisesList  `cmd:"" help:"List the promises and the tests behind them."`
}

type promisesCheck struct {
	settings.Storage `embed:""`
	RedisURL         string `help:"redis://…, redis+sentinel://… or redis+cluster://… with the gates of flash sales, to look at as well." env:"INTERLOCK_REDIS_URL" placeholder:"URL"`
}

// shownViolations bounds what is named of each promise.
const shownViolations = 20

// Run prints a line for each promise, the number of violations, of rows and its sentence, and
// fails when one does not hold.
func (c *promisesCheck) Run(ctx context.Context) error {
	services, err := app.Open(ctx, c.Storage, app.Options{RedisURL: c.RedisURL, WithoutKeys: true})
	if err != nil {
		return err
	}
	defer services.Close()
	totals, err := services.CheckPromises(ctx)
	if err != nil {
		return err
	}
	kept := true
	for _, total := range totals {
		fmt.Printf("%d\t%d\t%s\t%s\n", len(total.Found), total.Looked, total.Promise.Name, total.Promise.Says)
		for _, found := range total.Found[:min(len(total.Found), shownViolations)] {
			fmt.Fprintf(os.Stderr, "%s: %s of tenant %d\n", total.Promise.Name, found.Subject, found.TenantID)
		}
		kept = kept && len(total.Found) == 0
	}
	if !kept {
		return errors.New("a promise does not hold")
	}
	return nil
}

type promisesList struct{}

// Run prints the promises.
func (promisesList) Run() error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tGUARANTEE\tPROMISE")
	for _, p := range promises.List {
		fmt.Fprintf(table, "%s\t%s\t%s\n", p.Name, p.Guarantee, p.Says)
	}
	return table.Flush()
}

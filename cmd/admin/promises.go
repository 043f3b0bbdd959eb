package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"interlock/internal/access/tenants"
	"interlock/internal/app"
	"interlock/internal/settings"
)

type promisesCommand struct {
	Check promisesCheck `cmd:"" help:"Check every promise once, for all rows."`
	List  promisesList  `cmd:"" help:"List the promises and the tests behind them."`
}

type promisesCheck struct {
	settings.Storage `embed:""`
	RedisURL         string `help:"redis://…, redis+sentinel://… or redis+cluster://… with the gates of flash sales, to check too." env:"INTERLOCK_REDIS_URL" placeholder:"URL"`
	Idempotency      struct {
		settings.IdempotencyQuota `embed:""`
	} `embed:"" prefix:"idempotency-"`
}

// shownViolations bounds the violations that are printed for each promise.
const shownViolations = 20

// Run prints for each promise the numbers of violations and of checked rows, and its sentence. It
// fails if a promise is violated.
func (c *promisesCheck) Run(ctx context.Context) error {
	services, err := app.Open(ctx, c.Storage, app.Options{RedisURL: c.RedisURL, WithoutKeys: true, Idempotency: settings.Idempotency{IdempotencyQuota: c.Idempotency.IdempotencyQuota}})
	if err != nil {
		return err
	}
	defer services.Close()
	totals, err := services.CheckPromises(ctx)
	if err != nil {
		return err
	}
	violated := false
	for _, total := range totals {
		fmt.Printf("%d\t%d\t%s\t%s\n", len(total.Found), total.Looked, total.Promise.Name, total.Promise.Sentence)
		for _, found := range total.Found[:min(len(total.Found), shownViolations)] {
			fmt.Fprintf(os.Stderr, "%s: %s of tenant %d\n", total.Promise.Name, found.Subject, found.TenantID)
		}
		violated = violated || len(total.Found) > 0
	}
	if err := warnOfQuotas(ctx, services, os.Stderr); err != nil {
		return err
	}
	if violated {
		return errors.New("a promise is violated: standard error names the rows")
	}
	return nil
}

// warnOfQuotas prints the tenants that have used most of their quota of idempotency keys.
func warnOfQuotas(ctx context.Context, services *app.Services, out io.Writer) error {
	all, err := services.Access.Tenants.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range all {
		usages, err := services.Idempotency.Usage(tenants.AsOperator(ctx, tenant))
		if err != nil {
			return err
		}
		for _, usage := range usages {
			if usage.AlmostFull {
				fmt.Fprintf(out, "warning: tenant %s has %d of %d idempotency keys (%s): raise INTERLOCK_IDEMPOTENCY_QUOTA, at the quota keyed writes get 429\n",
					tenant.Name, usage.Keys, usage.Quota, usage.Holders)
			}
		}
	}
	return nil
}

type promisesList struct{}

// Run prints the promises.
func (promisesList) Run() error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tGUARANTEE\tPROMISE")
	for _, p := range app.Promises() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", p.Name, p.Guarantee, p.Sentence)
	}
	return table.Flush()
}

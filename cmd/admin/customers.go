package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"interlock/internal/app"
	"interlock/internal/base/principal"
	"interlock/internal/settings"
)

type customerCommand struct {
	Export customerExport `cmd:"" help:"Write all that is kept of one customer to standard output, as JSON lines."`
	Erase  customerErase  `cmd:"" help:"Replace one customer by a pseudonym that nobody can trace back, wherever they are named. Cannot be taken back."`
}

// oneCustomer is what a command about one customer takes.
type oneCustomer struct {
	settings.Storage `embed:""`
	Tenant           string `arg:"" help:"Name of the tenant."`
	UserID           string `arg:"" name:"user-id" help:"What the shop calls the customer."`
}

func (c oneCustomer) with(ctx context.Context, o app.Options, do func(ctx context.Context, sv *app.Services) error) error {
	services, err := app.Open(ctx, c.Storage, o)
	if err != nil {
		return err
	}
	defer services.Close()
	if ctx, err = services.Access.InTenant(ctx, c.Tenant); err != nil {
		return err
	}
	return do(ctx, services)
}

type customerExport struct {
	oneCustomer `embed:""`
}

// Run writes the export.
func (c *customerExport) Run(ctx context.Context) error {
	return c.with(ctx, app.Options{WithoutKeys: true}, func(ctx context.Context, sv *app.Services) error {
		out := bufio.NewWriter(os.Stdout)
		rows, err := sv.Customers.Export(ctx, principal.CustomerID(c.UserID), out, sv.Clock.Now())
		if err := errors.Join(err, out.Flush()); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%d rows.\n", rows)
		return nil
	})
}

type customerErase struct {
	oneCustomer    `embed:""`
	Yes            bool   `help:"Erase. Without it the rows are counted and nothing is changed."`
	ForfeitBalance bool   `help:"Erase the customer also when there is money in the wallet, which nobody can claim any more."`
	RedisURL       string `help:"redis://…, redis+sentinel://… or redis+cluster://… of the servers, whose copies of kept replies are deleted, and whose locks keep the wallet still meanwhile. Needed where they have one." env:"INTERLOCK_REDIS_URL" placeholder:"URL"`
}

// Run erases, or says what it would.
func (c *customerErase) Run(ctx context.Context) error {
	o := app.Options{RedisURL: c.RedisURL}
	return c.with(ctx, o, func(ctx context.Context, sv *app.Services) error {
		customer := principal.CustomerID(c.UserID)
		if !c.Yes {
			rows, err := sv.Customers.Known(ctx, customer)
			if err == nil {
				fmt.Printf("%d rows are about the customer or name them. Nothing was changed: add --yes to erase the customer, which cannot be taken back.\n", rows)
			}
			return err
		}
		done, err := sv.Customers.Erase(ctx, customer, c.ForfeitBalance)
		if err != nil {
			return fmt.Errorf("%w (what was done stays done: run it again to go on)", err)
		}
		if done.Pseudonym == "" {
			fmt.Println("Nothing is known of the customer; nothing was changed.")
		} else {
			fmt.Printf("Erased: %d rows were changed. The customer is now called %s.\n", done.Rows, done.Pseudonym)
		}
		if done.Replies.Records > 0 {
			fmt.Printf("%d kept replies were blanked or deleted.\n", done.Replies.Records)
		}
		if done.Replies.Kept > 0 {
			fmt.Printf("%d kept replies could not be looked into, or have the customer's id in their keys; the last of them ends at %s.\n", done.Replies.Kept, done.Replies.Until.Format(time.RFC3339))
		}
		for _, table := range slices.Sorted(maps.Keys(done.Left)) {
			fmt.Printf("The id is in %d rows of %s, which are the shop's own words and were not changed.\n", done.Left[table], table)
		}
		return nil
	})
}

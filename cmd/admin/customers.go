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
	Export customerExport `cmd:"" help:"Write all data of one customer to standard output, as JSON lines."`
	Erase  customerErase  `cmd:"" help:"Replace one customer by an untraceable pseudonym in all data. Irreversible."`
}

// oneCustomer contains the flags of commands about one customer.
type oneCustomer struct {
	settings.Storage `embed:""`
	Tenant           string `arg:"" help:"Name of the tenant."`
	UserID           string `arg:"" name:"user-id" help:"Id of the customer in the shop."`
}

func (c oneCustomer) with(ctx context.Context, o app.Options, do func(ctx context.Context, sv *app.Services) error) error {
	services, err := app.Open(ctx, c.Storage, o)
	if err != nil {
		return err
	}
	defer services.Close()
	if ctx, err = services.Access.Tenants.InTenant(ctx, c.Tenant); err != nil {
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
	Yes            bool   `help:"Erase. Without it the rows are only counted."`
	ForfeitBalance bool   `help:"Erase the customer also if the wallet has a balance, which can then no longer be claimed."`
	RedisURL       string `help:"redis://…, redis+sentinel://… or redis+cluster://… of the servers, to lock the wallet. Required if the servers use Redis." env:"INTERLOCK_REDIS_URL" placeholder:"URL"`
}

// Run erases the customer, or with no --yes counts the rows.
func (c *customerErase) Run(ctx context.Context) error {
	o := app.Options{RedisURL: c.RedisURL}
	return c.with(ctx, o, func(ctx context.Context, sv *app.Services) error {
		customer := principal.CustomerID(c.UserID)
		if !c.Yes {
			rows, err := sv.Customers.Known(ctx, customer)
			if err == nil {
				fmt.Printf("%d rows belong to or name the customer. Nothing was changed: add --yes to erase the customer, which is irreversible.\n", rows)
			}
			return err
		}
		done, err := sv.Customers.Erase(ctx, customer, c.ForfeitBalance)
		if err != nil {
			return fmt.Errorf("%w (completed steps remain: run it again to continue)", err)
		}
		if done.Pseudonym == "" {
			fmt.Println("The customer is unknown; nothing was changed.")
		} else {
			fmt.Printf("Erased: %d rows were changed. The customer is now called %s.\n", done.Rows, done.Pseudonym)
		}
		if done.Replies.Records > 0 {
			fmt.Printf("%d stored replies were blanked or deleted.\n", done.Replies.Records)
		}
		if done.Replies.Kept > 0 {
			fmt.Printf("%d stored replies could not be decrypted, or have the customer's id in their keys; the last of them expires at %s.\n", done.Replies.Kept, done.Replies.Until.Format(time.RFC3339))
		}
		for _, table := range slices.Sorted(maps.Keys(done.Left)) {
			fmt.Printf("The id is in %d rows of %s, which contain text of the shop and were not changed.\n", done.Left[table], table)
		}
		return nil
	})
}

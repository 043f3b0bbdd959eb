package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"interlock/internal/app"
	"interlock/internal/app/demo"
	"interlock/internal/settings"
)

type demoCommand struct {
	settings.Storage `embed:""`
	Tenant           string `help:"Tenant that gets the data." default:"default" placeholder:"NAME"`
}

// Run loads the demo data.
func (c *demoCommand) Run(ctx context.Context) error {
	return withServices(ctx, c.Storage, func(sv *app.Services) error {
		ctx, err := sv.Access.InTenant(ctx, c.Tenant)
		if err != nil {
			return err
		}
		loader := demo.Loader{
			Size:   demo.Full,
			Runner: sv.Runner, Clock: sv.Clock, Configs: sv.Configs, Catalog: sv.Catalog,
			Inventory: sv.Inventory, Wallets: sv.Wallets, Ledger: sv.Ledger,
			Orders: sv.Orders, Coupons: sv.Coupons, Sales: sv.FlashSales, Progress: &bar{},
		}
		if err := loader.Load(ctx); err != nil {
			return fmt.Errorf("%w (what is loaded stays; run it again to go on)", err)
		}
		fmt.Printf("\n%d configs, %d items, %d orders and a flash sale are there. Changes show in a running server at once.\n", demo.Full.Configs, demo.Full.Items, demo.Full.Orders)
		return nil
	})
}

// bar shows each part's progress on the terminal.
type bar struct{ current *progressbar.ProgressBar }

// Begin implements demo.Progress.
func (b *bar) Begin(what string, total int) {
	b.current = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetDescription(fmt.Sprintf("%-10s", what)),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(os.Stderr) }),
	)
}

// Step implements demo.Progress.
func (b *bar) Step() { _ = b.current.Add(1) }

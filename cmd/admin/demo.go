package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"

	"interlock/internal/access"
	"interlock/internal/access/users"
	"interlock/internal/app"
	"interlock/internal/app/demo"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/settings"
)

type demoCommand struct {
	settings.Data `embed:""`
	Tenant        string `help:"Tenant that receives the data." default:"default" placeholder:"NAME"`
	Force         bool   `help:"Load the data into a tenant that has data already. Existing records remain."`
	// size is the number of records; zero means all. Tests load fewer.
	size demo.Size
}

// Run loads the demo data.
func (c *demoCommand) Run(ctx context.Context) error {
	size := cmp.Or(c.size, demo.Full)
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		ctx, err := sv.Access.Tenants.InTenant(ctx, c.Tenant)
		if err != nil {
			return err
		}
		used, err := demo.FirstUsed(ctx, sv.DB)
		if err != nil {
			return err
		}
		if used != "" && !c.Force {
			return fmt.Errorf("the tenant %s has data already (%s), and demo data cannot be removed from it: create a tenant for it with `admin tenant create`, or add --force", c.Tenant, used)
		}
		planner, err := firstAdmin(ctx, sv.Access.Users)
		if err != nil {
			return err
		}
		loader := demo.Loader{
			Size:   size,
			Runner: sv.Runner, Clock: sv.Clock, Configs: sv.Configs, Catalog: sv.Catalog,
			Inventory: sv.Inventory, Wallets: sv.Wallets, Ledger: sv.Ledger,
			Orders: sv.Orders, Refunds: sv.Refunds, Returns: sv.Returns, WorkOrders: sv.WorkOrders, Coupons: sv.Coupons, Sales: sv.FlashSales, Approvals: sv.Approvals,
			Progress: progressOn(os.Stderr), Planner: planner,
		}
		if err := loader.Load(ctx); err != nil {
			return fmt.Errorf("%w (the loaded data stays; run it again with --force to continue)", err)
		}
		fmt.Printf("The demo has %d configs, %d items, %d orders and a flash sale. A running server shows them immediately.\n", size.Configs, size.Items, size.Orders)
		return nil
	})
}

// firstAdmin returns an enabled user of the context's tenant with the role admin; zero if there is
// none.
func firstAdmin(ctx context.Context, of *users.Service) (principal.Person, error) {
	disabled := false
	listing, err := of.Users(ctx, users.UserFilter{Role: access.AdminRole, Disabled: &disabled}, storage.Page{Limit: 1})
	if err != nil || len(listing.Rows) == 0 {
		return principal.Person{}, err
	}
	return principal.Person{ID: listing.Rows[0].ID, Name: listing.Rows[0].DisplayName}, nil
}

// progressOn returns a progress bar if out is a terminal, otherwise one line per part.
func progressOn(out *os.File) demo.Progress {
	if info, err := out.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		return &bar{out: out}
	}
	return lines{out: out}
}

type bar struct {
	out     io.Writer
	current *progressbar.ProgressBar
}

// Begin implements demo.Progress.
func (b *bar) Begin(part string, total int) {
	b.current = progressbar.NewOptions(total,
		progressbar.OptionSetWriter(b.out),
		progressbar.OptionSetDescription(fmt.Sprintf("%-10s", part)),
		progressbar.OptionShowCount(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionOnCompletion(func() { fmt.Fprintln(b.out) }),
	)
}

// Step implements demo.Progress.
func (b *bar) Step() { _ = b.current.Add(1) }

type lines struct{ out io.Writer }

// Begin implements demo.Progress.
func (l lines) Begin(part string, total int) { fmt.Fprintf(l.out, "loading %s (%d)\n", part, total) }

// Step implements demo.Progress.
func (lines) Step() {}

package main

import (
	"context"
	"errors"
	"fmt"

	"interlock/internal/aggregates"
	"interlock/internal/app"
	"interlock/internal/core/uow"
	"interlock/internal/settings"
)

type ledgerCommand struct {
	Rebuild ledgerRebuild `cmd:"" help:"Recompute aggregates from their events, and show the differences. Safe while servers run."`
}

type ledgerRebuild struct {
	settings.Data `embed:""`
	Type          string `arg:"" optional:"" help:"Type of the aggregate."`
	ID            string `arg:"" optional:"" help:"Id of the aggregate."`
	All           bool   `help:"Rebuild all aggregates of the tenant, each in its transaction."`
	DryRun        bool   `help:"Only show the differences."`
	Tenant        string `help:"Tenant of the aggregates." default:"default" placeholder:"NAME"`
}

// Validate implements kong's validation.
func (c *ledgerRebuild) Validate() error {
	if named := c.Type != "" && c.ID != ""; named == c.All || !named && c.Type != "" {
		return errors.New("name one aggregate by TYPE and ID, or all with --all")
	}
	return nil
}

// Run rebuilds the aggregates.
func (c *ledgerRebuild) Run(ctx context.Context) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		ctx, err := sv.Access.Tenants.InTenant(ctx, c.Tenant)
		if err != nil {
			return err
		}
		var seen, wrong int
		if c.All {
			seen, wrong, err = c.rebuildAll(ctx, sv)
		} else {
			seen, wrong, err = c.rebuild(ctx, sv, []aggregates.Name{{Type: c.Type, ID: c.ID}})
		}
		if err != nil {
			return err
		}
		fmt.Println(c.summary(seen, wrong))
		return nil
	})
}

func (c *ledgerRebuild) rebuildAll(ctx context.Context, sv *app.Services) (seen, wrong int, err error) {
	const page = 200
	for after := (aggregates.Name{}); ; {
		names, err := sv.Ledger.Names(ctx, after, page)
		if err != nil {
			return seen, wrong, err
		}
		checked, differed, err := c.rebuild(ctx, sv, names)
		seen, wrong = seen+checked, wrong+differed
		if err != nil || len(names) < page {
			return seen, wrong, err
		}
		after = names[len(names)-1]
	}
}

// rebuild rebuilds each aggregate in a separate unit of work and prints the differences.
func (c *ledgerRebuild) rebuild(ctx context.Context, sv *app.Services, names []aggregates.Name) (seen, wrong int, err error) {
	for _, name := range names {
		var found []aggregates.Difference
		err := sv.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
			found, err = sv.Ledger.Rebuild(ctx, u, name, c.DryRun)
			return err
		})
		if err != nil {
			return seen, wrong, fmt.Errorf("rebuild %s: %w", name, err)
		}
		seen++
		if len(found) > 0 {
			wrong++
		}
		for _, difference := range found {
			fmt.Printf("%s: %s\n", name, difference)
		}
	}
	return seen, wrong, nil
}

func (c *ledgerRebuild) summary(seen, wrong int) string {
	aggregates := "1 aggregate"
	if seen != 1 {
		aggregates = fmt.Sprintf("%d aggregates", seen)
	}
	switch {
	case wrong == 0:
		return aggregates + " compared with their events; nothing differed."
	case c.DryRun:
		return fmt.Sprintf("%s compared with their events; %d differ. Nothing was changed (--dry-run).", aggregates, wrong)
	}
	return fmt.Sprintf("%s compared with their events; %d differed and were repaired.", aggregates, wrong)
}

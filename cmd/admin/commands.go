package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"interlock/internal/app"
	"interlock/internal/settings"
)

// withServices opens the engines for a command, without Redis: commands change SQL, and a running
// server sees the change within a second. In a database without users it creates the first admin,
// like serve.
func withServices(ctx context.Context, s settings.Data, do func(*app.Services) error) error {
	services, err := app.Open(ctx, s.Storage, app.Options{WeakPasswords: s.InsecureDevelopment})
	if err != nil {
		return err
	}
	defer services.Close()
	generated, err := services.MakeFirstAdmin(ctx, settings.FirstAdminOfEnvironment())
	if err != nil {
		return err
	}
	if generated != "" {
		announce(os.Stderr, generated)
	}
	return do(services)
}

// announce prints the first admin's password, once.
func announce(w io.Writer, password string) {
	fmt.Fprintf(w, "First start: sign in as admin with the password %s (shown only once).\n", password)
}

type migrateCommand struct {
	Up     migrateUp     `cmd:"" help:"Run the missing migrations."`
	Status migrateStatus `cmd:"" help:"Show the schema version and the version that this program needs."`
}

type migrateUp struct {
	settings.Storage `embed:""`
}

// Run migrates.
func (c *migrateUp) Run(ctx context.Context) error {
	n, err := app.Migrate(ctx, c.Storage)
	if err != nil {
		return err
	}
	fmt.Printf("Migrations run: %d. The schema is current.\n", n)
	return nil
}

type migrateStatus struct {
	settings.Storage `embed:""`
}

// Run prints the schema version.
func (c *migrateStatus) Run(ctx context.Context) error {
	state, err := app.MigrationState(ctx, c.Storage)
	if err != nil {
		return err
	}
	fmt.Printf("The schema is at %d; this program needs %d.\n", state.Current, state.Target)
	if !state.UpToDate() {
		return errors.New("migrations are missing: run `admin migrate up`")
	}
	return nil
}

type tenantCommand struct {
	List    tenantList    `cmd:"" help:"List the tenants."`
	Create  tenantCreate  `cmd:"" help:"Create a tenant with its first user, admin."`
	Disable tenantDisable `cmd:"" help:"Disable a tenant: its sessions, tokens, customers' tokens and streams end within a second. Its rows remain."`
	Enable  tenantEnable  `cmd:"" help:"Enable a disabled tenant again."`
}

type tenantList struct {
	settings.Data `embed:""`
}

// Run prints a line for each tenant.
func (c *tenantList) Run(ctx context.Context) error {
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		tenants, err := sv.Access.Tenants.Tenants(ctx)
		if err != nil {
			return err
		}
		table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "ID\tNAME\tCURRENCY\tCREATED\tDISABLED")
		for _, tenant := range tenants {
			disabled := "-"
			if tenant.DisabledTime != nil {
				disabled = tenant.DisabledTime.Format(time.RFC3339)
			}
			fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", tenant.ID, tenant.Name, tenant.Currency, tenant.CreatedTime.Format(time.RFC3339), disabled)
		}
		return table.Flush()
	})
}

type tenantDisable struct {
	settings.Data `embed:""`
	Name          string `arg:"" help:"Name of the tenant."`
}

// Run disables the tenant.
func (c *tenantDisable) Run(ctx context.Context) error {
	return setTenantDisabled(ctx, c.Data, c.Name, true)
}

type tenantEnable struct {
	settings.Data `embed:""`
	Name          string `arg:"" help:"Name of the tenant."`
}

// Run enables the tenant.
func (c *tenantEnable) Run(ctx context.Context) error {
	return setTenantDisabled(ctx, c.Data, c.Name, false)
}

func setTenantDisabled(ctx context.Context, s settings.Data, name string, disabled bool) error {
	return withServices(ctx, s, func(sv *app.Services) error {
		changed, err := sv.Access.Tenants.SetTenantDisabled(ctx, name, disabled)
		status := map[bool]string{true: "disabled", false: "enabled"}[disabled]
		switch {
		case err != nil:
			return err
		case changed:
			fmt.Printf("Tenant %s is %s.\n", name, status)
		default:
			fmt.Printf("Tenant %s was %s already; nothing was changed.\n", name, status)
		}
		return nil
	})
}

type tenantCreate struct {
	settings.Data `embed:""`
	Name          string `arg:"" help:"Name of the tenant: small letters, digits and hyphens."`
	AdminPassword string `help:"Password of its user admin. Default: the first line of standard input." placeholder:"PASSWORD"`
	Currency      string `help:"Currency of its amounts, by its code in ISO 4217; it never changes. Default: the currency of the tenant default." placeholder:"CODE"`
}

// Run creates the tenant.
func (c *tenantCreate) Run(ctx context.Context) error {
	password, err := passwordOrInput(c.AdminPassword)
	if err != nil {
		return err
	}
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		tenant, err := sv.Access.CreateTenant(ctx, c.Name, password, c.Currency)
		if err != nil {
			return err
		}
		fmt.Printf("Tenant %s (%d) was created; its first user is admin, and its amounts are in %s.\n", tenant.Name, tenant.ID, tenant.Currency)
		return nil
	})
}

// passwordOrInput reads the password from standard input if the flag is empty, so that the password
// does not appear in the shell's history.
func passwordOrInput(flag string) (string, error) {
	if flag != "" {
		return flag, nil
	}
	fmt.Fprint(os.Stderr, "Password: ")
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", fmt.Errorf("no password on standard input: %w", err)
	}
	return password, nil
}

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"interlock/internal/app"
	"interlock/internal/settings"
)

// withServices opens the engines for a command, without a Redis: what commands
// change is in SQL, and a running server sees it within a second. On empty data it
// makes the first admin, as serve would; standard output stays the command's own.
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

// announce tells the first admin's password, once.
func announce(w io.Writer, password string) {
	fmt.Fprintf(w, "First start: sign in as admin with the password %s (it is not shown again).\n", password)
}

type migrateCommand struct {
	Up     migrateUp     `cmd:"" help:"Run the migrations that are missing."`
	Status migrateStatus `cmd:"" help:"Show the schema's version and the one this program needs."`
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
	fmt.Printf("%d migrations run; the schema is current.\n", n)
	return nil
}

type migrateStatus struct {
	settings.Storage `embed:""`
}

// Run shows the schema's version.
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
	Create tenantCreate `cmd:"" help:"Make a tenant with its first user, admin."`
}

type tenantCreate struct {
	settings.Data `embed:""`
	Name          string `arg:"" help:"Name of the tenant: small letters, digits and hyphens."`
	AdminPassword string `help:"Password of its user admin. Default: the first line of standard input." placeholder:"PASSWORD"`
}

// Run makes the tenant.
func (c *tenantCreate) Run(ctx context.Context) error {
	password, err := passwordOrInput(c.AdminPassword)
	if err != nil {
		return err
	}
	return withServices(ctx, c.Data, func(sv *app.Services) error {
		tenant, err := sv.Access.CreateTenant(ctx, c.Name, password)
		if err != nil {
			return err
		}
		fmt.Printf("Tenant %s (%d) is there; its user is admin.\n", tenant.Name, tenant.ID)
		return nil
	})
}

// passwordOrInput reads the password from standard input when no flag gave it, so
// that it need not stand in the shell's history.
func passwordOrInput(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	fmt.Fprint(os.Stderr, "Password: ")
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", fmt.Errorf("no password was given on standard input: %w", err)
	}
	return password, nil
}

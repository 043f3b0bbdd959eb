package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/app/demo"
	"interlock/internal/approvals"
	"interlock/internal/base/storage"
	"interlock/internal/config"
	"interlock/internal/core/uow"
	"interlock/internal/settings"
)

func TestDemoLoadsTwiceIntoAnEmptyTenant(t *testing.T) {
	t.Setenv("INTERLOCK_ADMIN_PASSWORD", "gravel-one-kettle")
	command := demoCommand{Tenant: "default", size: demo.Size{Configs: 30, Items: 10, Wallets: 15, Orders: 60, Coupons: 5, Shelves: 3}}
	command.DataDir, command.MaxConnections = t.TempDir(), 8
	require.NoError(t, run(t, "migrate", "up", "--data-dir="+command.DataDir))
	require.NoError(t, command.Run(t.Context()))
	require.ErrorContains(t, command.Run(t.Context()), "has data already (orders)")
	command.Force = true
	require.NoError(t, command.Run(t.Context()))
	sv, err := app.Open(t.Context(), command.Storage, app.Options{})
	require.NoError(t, err)
	defer sv.Close()
	ctx, err := sv.Access.Tenants.InTenant(t.Context(), "default")
	require.NoError(t, err)
	waiting, err := sv.Approvals.List(ctx, approvals.Filter{}, storage.Page{})
	require.NoError(t, err)
	scheduled := 0
	for _, approval := range waiting.Rows {
		if approval.EffectiveTime != nil {
			require.Equal(t, "admin", approval.AuthorName)
			scheduled++
		}
	}
	require.Equal(t, 2, scheduled, "of a config and of a sale")
	totals, err := sv.CheckPromises(t.Context())
	require.NoError(t, err)
	for _, total := range totals {
		require.Empty(t, total.Found, total.Promise.Name)
	}
}

func TestDemoRejectsATenantWithData(t *testing.T) {
	t.Setenv("INTERLOCK_ADMIN_PASSWORD", "gravel-one-kettle")
	command := demoCommand{Tenant: "default", size: demo.Size{Configs: 1}}
	command.DataDir, command.MaxConnections = t.TempDir(), 8
	require.NoError(t, run(t, "migrate", "up", "--data-dir="+command.DataDir))
	sv, err := app.Open(t.Context(), command.Storage, app.Options{})
	require.NoError(t, err)
	defer sv.Close()
	_, err = sv.MakeFirstAdmin(t.Context(), settings.FirstAdminOfEnvironment())
	require.NoError(t, err)
	ctx, err := sv.Access.Tenants.InTenant(t.Context(), "default")
	require.NoError(t, err)
	require.NoError(t, sv.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		_, err := sv.Configs.Create(ctx, u, "shop.name", config.Content{ValueType: config.String, Value: `"Ours"`})
		return err
	}))
	require.ErrorContains(t, command.Run(t.Context()), "the tenant default has data already (configs)")
	listed, err := sv.Configs.ByKey(ctx, "", 10)
	require.NoError(t, err)
	require.Len(t, listed, 1)
}

func TestProgressWithoutTerminalIsOneLinePerPart(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	defer file.Close()
	progress := progressOn(file)
	for _, what := range []string{"configs", "items"} {
		progress.Begin(what, 200)
		for range 200 {
			progress.Step()
		}
	}
	written, err := os.ReadFile(file.Name())
	require.NoError(t, err)
	require.Equal(t, "loading configs (200)\nloading items (200)\n", string(written))
}

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/app/demo"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/settings"
	"interlock/test/tier"
)

// The copy has the data and the promises of its source, and names the key file, which the database
// does not contain.
// Proves R7.
func TestCopyOfTheDemoFulfilsThePromises(t *testing.T) {
	tier.NeedServers(t)
	t.Setenv("INTERLOCK_ADMIN_PASSWORD", "gravel-one-kettle")
	loaded := demoCommand{Tenant: "default", size: demo.Size{Configs: 30, Items: 10, Wallets: 15, Orders: 60, Coupons: 5, Shelves: 3}}
	loaded.DataDir, loaded.MaxConnections = t.TempDir(), 8
	data := "--data-dir=" + loaded.DataDir
	require.NoError(t, run(t, "migrate", "up", data))
	require.NoError(t, loaded.Run(t.Context()))
	file := filepath.Join(loaded.DataDir, "interlock.db")
	to := storagetest.NewMariaDBURL(t)

	said := captured(t, func() { require.NoError(t, run(t, "copy", "--from=sqlite://"+file, "--to="+to)) })
	require.Contains(t, said, "The copy is complete and equals its source: ")
	require.Contains(t, said, "Give each replica the keys: a copy of "+file+".keys (INTERLOCK_ENCRYPTION_KEYS_FILE)")
	require.NotContains(t, said, "they are unreadable")
	require.Contains(t, said, "\n0\t", "the promises were checked")

	copied := settings.Storage{DatabaseURL: to, MaxConnections: 8}
	copied.EncryptionKeysFile = file + ".keys"
	sv, err := app.Open(t.Context(), copied, app.Options{})
	require.NoError(t, err)
	defer sv.Close()
	missing, err := app.MissingKeys(t.Context(), copied)
	require.NoError(t, err)
	require.Empty(t, missing)
	totals, err := sv.CheckPromises(t.Context())
	require.NoError(t, err)
	for _, total := range totals {
		require.Empty(t, total.Found, total.Promise.Name)
	}
}

// Proves R7.
func TestCopyReportsABrokenPromise(t *testing.T) {
	tier.NeedServers(t)
	from := "sqlite://" + filepath.Join(t.TempDir(), "interlock.db")
	require.NoError(t, storagetest.Migrate(from))
	breakAPromise(t, storagetest.Open(t, from))
	for flag, want := range map[string]string{"--verify": "a promise is violated", "--no-verify": ""} {
		err := run(t, "copy", "--from="+from, "--to="+storagetest.NewMariaDBURL(t), flag)
		if want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}
}

func TestCopyRequiresBothDatabases(t *testing.T) {
	require.ErrorContains(t, run(t, "copy", "--from=sqlite://x"), "--to")
	require.ErrorContains(t, run(t, "copy", "--from=mysql://u@h/db", "--to=sqlite://x"), "is not supported: want --from sqlite://PATH")
}

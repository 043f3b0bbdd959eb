package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// run executes a command line.
func run(t *testing.T, arguments ...string) error {
	t.Helper()
	parser, err := kong.New(&cli{}, parserOptions(t.Context())...)
	require.NoError(t, err)
	command, err := parser.Parse(arguments)
	if err != nil {
		return err
	}
	return command.Run()
}

// Proves R4.
func TestBackupIsVerifiedInATemporaryDatabase(t *testing.T) {
	for engine, newURL := range map[string]func(t *testing.T) string{
		"sqlite":  func(t *testing.T) string { return "sqlite://" + filepath.Join(t.TempDir(), "interlock.db") },
		"mariadb": func(t *testing.T) string { return storagetest.NewMariaDBURL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			address := newURL(t)
			require.NoError(t, storagetest.Migrate(address))
			db := storagetest.Open(t, address)
			write := func(statement string) {
				t.Helper()
				require.NoError(t, db.Write(storage.AcrossTenants(t.Context())).Exec(statement).Error)
			}
			breakAPromise(t, db)
			database := "--database-url=" + address
			broken, whole := filepath.Join(t.TempDir(), "broken"), filepath.Join(t.TempDir(), "whole")
			require.NoError(t, run(t, "backup", broken, database))
			write("DELETE FROM wallets WHERE tenant_id = 7")
			require.NoError(t, run(t, "backup", whole, database))
			write("UPDATE tenants SET name = 'later' WHERE id = 7")

			require.ErrorContains(t, run(t, "restore", broken, "--verify-only", database), "a promise is violated")
			require.NoError(t, run(t, "restore", whole, "--verify-only", database))
			var name string
			require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw("SELECT name FROM tenants WHERE id = 7").Scan(&name).Error)
			require.Equal(t, "later", name, "the database is unchanged")

		})
	}
}

// Proves R4.
func TestRestoreChecksThePromisesByDefault(t *testing.T) {
	file := filepath.Join(t.TempDir(), "backup")
	from := "sqlite://" + filepath.Join(t.TempDir(), "interlock.db")
	require.NoError(t, storagetest.Migrate(from))
	breakAPromise(t, storagetest.Open(t, from))
	require.NoError(t, run(t, "backup", file, "--database-url="+from))
	for flag, want := range map[string]string{"": "a promise is violated", "--verify": "a promise is violated", "--no-verify": ""} {
		arguments := []string{"restore", file, "--data-dir=" + t.TempDir()}
		if flag != "" {
			arguments = append(arguments, flag)
		}
		if err := run(t, arguments...); want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want, flag)
		}
	}
}

// breakAPromise writes a wallet with a balance that differs from its entries.
func breakAPromise(t *testing.T, db *storage.DB) {
	t.Helper()
	for _, statement := range []string{
		"INSERT INTO tenants (id, name, currency, created_time) VALUES (7, 'shop', 'CNY', '2026-11-21 08:00:00')",
		"INSERT INTO wallets (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, user_id, balance) VALUES (7, 1, '2026-11-21 08:00:00', '2026-11-21 08:00:00', 1, 'Li', 'kim', 5)",
	} {
		require.NoError(t, db.Write(storage.AcrossTenants(t.Context())).Exec(statement).Error)
	}
}

// A verification needs the keys to report the missing ones, and does not change them.
func TestEmbeddedKeysDecryptARestoredBackup(t *testing.T) {
	folder := t.TempDir()
	data := "--data-dir=" + folder
	require.NoError(t, run(t, "migrate", "up", data))
	require.NoError(t, run(t, "tenant", "create", "shop", "--admin-password", "correct horse battery", data))
	keys := filepath.Join(folder, "interlock.db.keys")
	before, err := os.ReadFile(keys)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "backup")
	require.NoError(t, run(t, "backup", file, data))

	said := captured(t, func() { require.NoError(t, run(t, "restore", file, "--verify-only", data)) })
	require.Contains(t, said, "The backup is complete")
	require.NotContains(t, said, "they are unreadable")
	after, err := os.ReadFile(keys)
	require.NoError(t, err)
	require.Equal(t, before, after)
	left, err := fs.Glob(os.DirFS(folder), ".interlock-verify-*")
	require.NoError(t, err)
	require.Empty(t, left)

	require.NoError(t, os.Remove(keys))
	said = captured(t, func() { require.NoError(t, run(t, "restore", file, "--verify-only", data)) })
	require.Contains(t, said, "they are unreadable", "missing keys are reported before they are needed")
}

// captured returns the standard output of a function.
func captured(t *testing.T, print func()) string {
	t.Helper()
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	to, err := os.Create(filepath.Join(t.TempDir(), "stdout"))
	require.NoError(t, err)
	os.Stdout = to
	print()
	require.NoError(t, to.Close())
	text, err := os.ReadFile(to.Name())
	require.NoError(t, err)
	return string(text)
}

func TestVerifyOnlyExcludesNoVerify(t *testing.T) {
	file := filepath.Join(t.TempDir(), "backup")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.ErrorContains(t, run(t, "restore", file, "--verify-only", "--no-verify"), "choose one")
	require.ErrorContains(t, run(t, "restore", file, "--max-connections=1"), "must be from 2 to 1000")
}

func TestBackupIntoFolderRetainsTheNewest(t *testing.T) {
	folder, data := t.TempDir(), t.TempDir()
	require.NoError(t, storagetest.Migrate("sqlite://"+filepath.Join(data, "interlock.db")))
	for _, name := range []string{"interlock-20260101T030000Z.backup", "interlock-20260102T030000Z.backup", "interlock.db", "interlock-20260101T030000Z.backup.part"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("older"), 0o600))
	}
	require.NoError(t, run(t, "backup", folder, "--keep=2", "--data-dir="+data))
	require.NoFileExists(t, filepath.Join(folder, "interlock-20260101T030000Z.backup"))
	for _, remains := range []string{"interlock-20260102T030000Z.backup", "interlock.db", "interlock-20260101T030000Z.backup.part"} {
		require.FileExists(t, filepath.Join(folder, remains))
	}
	written, err := filepath.Glob(folder + "/interlock-*Z.backup")
	require.NoError(t, err)
	require.Len(t, written, 2)
	require.NoError(t, run(t, "restore", written[1], "--verify-only", "--data-dir="+data))

	require.ErrorContains(t, run(t, "backup", filepath.Join(folder, "file"), "--keep=2", "--data-dir="+data), "need a folder")
	require.ErrorContains(t, run(t, "backup", folder, "--every=1s", "--data-dir="+data), "a minute or longer")
}

func TestBackupEveryRepeatsUntilSignal(t *testing.T) {
	folder, data := t.TempDir(), t.TempDir()
	require.NoError(t, storagetest.Migrate("sqlite://"+filepath.Join(data, "interlock.db")))
	command := backupCommand{File: folder, Every: 1200 * time.Millisecond}
	command.DataDir, command.MaxConnections = data, 8
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- command.Run(ctx) }()
	require.Eventually(t, func() bool {
		written, err := filepath.Glob(folder + "/interlock-*Z.backup")
		return err == nil && len(written) >= 2
	}, time.Minute, 20*time.Millisecond)
	stop()
	require.NoError(t, <-ended)
}

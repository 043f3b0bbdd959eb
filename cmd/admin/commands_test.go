package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/tier"
)

// creators are the commands that create a database; stateless are those that need none.
var creators, stateless = []string{"serve", "migrate up", "restore", "copy"}, []string{"promises list", "configs"}

// argumentsOf returns a value for each required argument of a command.
func argumentsOf(t *testing.T, command *kong.Node) []string {
	t.Helper()
	arguments := strings.Fields(command.Path())
	arguments = slices.DeleteFunc(arguments, func(word string) bool { return strings.ContainsAny(word, "<[(") })
	for _, flag := range command.AllFlags(true) {
		for _, f := range flag {
			if f.Required || f.PlaceHolder == "PASSWORD" {
				arguments = append(arguments, "--"+f.Name+"=correct horse battery")
			}
		}
	}
	if command.Name == "rebuild" {
		return append(arguments, "--all")
	}
	for _, positional := range command.Positional {
		if positional.Required {
			arguments = append(arguments, map[bool]string{true: "1", false: filepath.Join(t.TempDir(), "value")}[positional.Target.CanInt()])
		}
	}
	return arguments
}

func TestOnlyServeMigrateRestoreAndCopyCreateADatabase(t *testing.T) {
	parser, err := kong.New(&cli{}, parserOptions(t.Context())...)
	require.NoError(t, err)
	refuses := func(t *testing.T, database string, unchanged func(t *testing.T)) {
		t.Helper()
		for _, command := range parser.Model.Leaves(true) {
			name := command.Path()
			is := func(of string) bool { return name == of || strings.HasPrefix(name, of+" ") }
			if slices.ContainsFunc(creators, is) || slices.ContainsFunc(stateless, is) {
				continue
			}
			var failed error
			said := captured(t, func() { failed = run(t, append(argumentsOf(t, command), database)...) })
			require.Error(t, failed, name)
			require.Contains(t, said+failed.Error(), "no database at", name)
			unchanged(t)
		}
	}
	for _, kind := range []string{"absent", "empty"} {
		t.Run(kind, func(t *testing.T) {
			folder := t.TempDir()
			file := filepath.Join(folder, "data", "interlock.db")
			if kind == "empty" {
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
				require.NoError(t, os.WriteFile(file, nil, 0o600))
			}
			refuses(t, "--data-dir="+filepath.Dir(file), func(t *testing.T) {
				left, err := filepath.Glob(folder + "/data/*")
				require.NoError(t, err)
				require.Len(t, left, map[string]int{"absent": 0, "empty": 1}[kind])
			})
		})
	}
	t.Run("mariadb", func(t *testing.T) {
		tier.NeedServers(t)
		empty := storagetest.NewMariaDBURL(t)
		db := storagetest.Open(t, empty)
		refuses(t, "--database-url="+empty, func(t *testing.T) {
			var tables int
			require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()").Scan(&tables).Error)
			require.Zero(t, tables)
		})
		refuses(t, "--database-url="+empty+"_absent", func(*testing.T) {})
	})
}

func TestUnknownSettingsVariablesAreFound(t *testing.T) {
	parser, err := kong.New(&cli{}, parserOptions(t.Context())...)
	require.NoError(t, err)
	environment := []string{"HOME=/", "INTERLOCK_ADDR=:1", "INTERLOCK_RATE_LIMITS=7", "INTERLOCK_OIDC_PROVIDERS_FILE=x", "INTERLOCK_REDIS=redis://h"}
	require.Equal(t, []string{"INTERLOCK_RATE_LIMITS", "INTERLOCK_REDIS"}, unknownVariables(parser.Model.Node, environment))
}

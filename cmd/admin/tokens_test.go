package main

import (
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/require"
)

// Commands apply the validation of the routes, so that an empty argument does not widen a
// permission.
// Proves G7.23.
func TestCommandsApplyTheValidationOfRoutes(t *testing.T) {
	t.Setenv("INTERLOCK_ADMIN_PASSWORD", "correct horse battery")
	data := "--data-dir=" + t.TempDir()
	run := func(arguments ...string) error {
		var commands cli
		parser, err := kong.New(&commands, parserOptions(t.Context())...)
		require.NoError(t, err)
		command, err := parser.Parse(append(arguments, data))
		if err != nil {
			return err
		}
		return command.Run()
	}
	require.NoError(t, run("migrate", "up"))
	for _, arguments := range [][]string{
		{"token", "create", "--user=admin", "--name=till", "--scope="},
		{"token", "create", "--user=admin", "--name=till", "--scope=configs:fly"},
		{"token", "create", "--user=admin", "--name= "},
		{"user", "create", "li", "--role=", "--password=correct horse battery"},
		{"user", "create", "Li Wei", "--password=correct horse battery"},
		{"role", "create", "clerk", ""},
		{"role", "create", " ", "configs:read"},
		{"tenant", "create", "No Tenant", "--admin-password=correct horse battery"},
	} {
		require.Error(t, run(arguments...), "%q", arguments)
	}
	require.NoError(t, run("token", "create", "--user=admin", "--name=till", "--scope=configs:read"))
}

package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"interlock/internal/app"
	"interlock/internal/edge/telemetry"
	"interlock/internal/settings"
)

// serveGCPercent lets the heap grow to five times the live data before a collection. There is
// little live data between requests, so this costs tens of megabytes and saves a seventh of the CPU
// of a write.
const serveGCPercent = 400

type serveCommand struct {
	settings.Storage `embed:""`
	settings.Log     `embed:""`
	settings.Serve   `embed:""`
}

// Run serves until a signal.
func (c *serveCommand) Run(ctx context.Context, commands *kong.Kong) error {
	slog.SetDefault(telemetry.NewLogger(os.Stderr, c.LogLevel, c.LogFormat))
	for _, name := range unknownVariables(commands.Model.Node, os.Environ()) {
		slog.WarnContext(ctx, "settings: unknown environment variable has no effect; check its spelling", "variable", name)
	}
	program := app.New(settings.Settings{Storage: c.Storage, Log: c.Log, Serve: c.Serve}, version)
	program.Announce = func(password string) { announce(os.Stdout, password) }
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(serveGCPercent)
	}
	if err := program.Start(ctx); err != nil {
		return err
	}
	scheme := "http"
	if c.TLSCert != "" {
		scheme = "https"
	}
	fmt.Printf("Interlock is at %s://%s (API: /docs, stop: Ctrl-C)\n", scheme, program.Addr())
	if at := program.OpsAddr(); at != "" {
		fmt.Printf("Metrics and the contract are at http://%s (/metrics, /docs)\n", at)
	}
	return program.Run(ctx)
}

// unknownVariables returns the variables of an environment that have the prefix of settings but are
// not a setting of any command.
func unknownVariables(commands *kong.Node, environment []string) []string {
	var known, unknown []string
	_ = kong.Visit(commands, func(node kong.Visitable, next kong.Next) error {
		if flag, is := node.(*kong.Flag); is {
			known = append(known, flag.Envs...)
		}
		return next(nil)
	})
	for _, variable := range environment {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "INTERLOCK_") && !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

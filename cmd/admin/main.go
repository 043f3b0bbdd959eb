// Command admin is Interlock: the server and its administration commands.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"interlock/internal/access/users"
)

// version is set at build time.
var version = "dev"

// cli lists the commands; each has its flags and a Run method.
type cli struct {
	Serve    serveCommand     `cmd:"" help:"Serve the API, and run the background jobs."`
	Migrate  migrateCommand   `cmd:"" help:"Bring the database's schema up to date, or show its version."`
	Token    tokenCommand     `cmd:"" help:"API tokens."`
	Tenant   tenantCommand    `cmd:"" help:"Tenants."`
	User     userCommand      `cmd:"" help:"Users."`
	Role     roleCommand      `cmd:"" help:"Roles."`
	Backup   backupCommand    `cmd:"" help:"Write the whole database to a file, while servers run."`
	Restore  restoreCommand   `cmd:"" help:"Restore a backup, and check every promise."`
	Copy     copyCommand      `cmd:"" help:"Copy an embedded database to MySQL or MariaDB."`
	Ledger   ledgerCommand    `cmd:"" help:"Aggregates and their events."`
	Audit    auditCommand     `cmd:"" help:"The audit log."`
	Customer customerCommand  `cmd:"" help:"All data of one customer: export or erase it."`
	Configs  configsCommand   `cmd:"" help:"Configs in files or on another server: compare or apply them to a server."`
	Keys     keysCommand      `cmd:"" help:"Encryption keys: list their use, or encrypt values with the current one."`
	Demo     demoCommand      `cmd:"" help:"Load demo data. Safe to run twice."`
	Doctor   doctorCommand    `cmd:"" help:"Check the engines and their durability."`
	Promises promisesCommand  `cmd:"" help:"The invariants of the stores: list or check them."`
	Version  kong.VersionFlag `help:"Print the version."`
}

func main() {
	ctx, stop := signalContext()
	defer stop()
	var commands cli
	if err := kong.Parse(&commands, parserOptions(ctx)...).Run(); err != nil {
		fmt.Fprintf(os.Stderr, "admin: %v\n", err)
		status := 1
		var coded kong.ExitCoder
		if errors.As(err, &coded) {
			status = coded.ExitCode()
		}
		os.Exit(status)
	}
}

// parserOptions returns the options of the command line parser; commands run until ctx ends.
func parserOptions(ctx context.Context) []kong.Option {
	return []kong.Option{
		kong.Name("admin"),
		kong.Description("Interlock: a back-office admin service in which no write is lost, doubled or oversold."),
		kong.ShortUsageOnError(),
		kong.Vars{"version": version, "tokenLifetime": users.TokenLifetime.String()},
		kong.BindTo(ctx, (*context.Context)(nil)),
	}
}

// signalContext is cancelled by the first SIGINT or SIGTERM, for a graceful shutdown; the second
// one ends the process immediately.
func signalContext() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		fmt.Fprintln(os.Stderr, "admin: stopped by the second signal; requests in flight were aborted")
		os.Exit(130)
	}()
	return ctx, cancel
}

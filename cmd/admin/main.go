// Command admin is Interlock: the server and the commands beside it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"

	"interlock/internal/access"
)

// version is set when the program is built.
var version = "dev"

// cli lists the commands; each has its flags and a Run method.
type cli struct {
	Serve    serveCommand     `cmd:"" help:"Serve the API, and run the background jobs."`
	Migrate  migrateCommand   `cmd:"" help:"Bring the database's schema up to date, or show where it stands."`
	Token    tokenCommand     `cmd:"" help:"API tokens."`
	Tenant   tenantCommand    `cmd:"" help:"Tenants."`
	User     userCommand      `cmd:"" help:"Users."`
	Role     roleCommand      `cmd:"" help:"Roles."`
	Backup   backupCommand    `cmd:"" help:"Write all that the database holds to a file, beside a running server."`
	Restore  restoreCommand   `cmd:"" help:"Put a backup back, and look whether every promise holds."`
	Ledger   ledgerCommand    `cmd:"" help:"Aggregates and their events."`
	Audit    auditCommand     `cmd:"" help:"The audit log."`
	Customer customerCommand  `cmd:"" help:"All that is kept of one customer: export it, or erase it."`
	Keys     keysCommand      `cmd:"" help:"Encryption keys: which are needed, and encrypting again with the current one."`
	Demo     demoCommand      `cmd:"" help:"Load believable data to look around in. Safe to run twice."`
	Doctor   doctorCommand    `cmd:"" help:"Look at the engines and say what they promise; changes nothing."`
	Promises promisesCommand  `cmd:"" help:"What must be true of the stores at every moment, and whether it is."`
	Version  kong.VersionFlag `help:"Print the version and end."`
}

func main() {
	ctx, stop := signalContext()
	defer stop()
	var commands cli
	if err := kong.Parse(&commands, parserOptions(ctx)...).Run(); err != nil {
		fmt.Fprintf(os.Stderr, "admin: %v\n", err)
		os.Exit(1)
	}
}

// parserOptions are what the command line is read with; commands run until ctx ends.
func parserOptions(ctx context.Context) []kong.Option {
	return []kong.Option{
		kong.Name("admin"),
		kong.Description("Interlock: a back-office admin service in which no write is lost, doubled or oversold."),
		kong.ShortUsageOnError(),
		kong.Vars{"version": version, "tokenLifetime": access.TokenLifetime.String()},
		kong.BindTo(ctx, (*context.Context)(nil)),
	}
}

// signalContext ends with the first SIGINT or SIGTERM, which asks for a graceful
// end; the second ends the process at once.
func signalContext() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		fmt.Fprintln(os.Stderr, "admin: ended at the second signal; requests in flight were cut")
		os.Exit(130)
	}()
	return ctx, cancel
}

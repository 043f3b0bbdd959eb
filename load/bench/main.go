// Command bench prints what the service costs, as ratios within one run on one MariaDB and one
// Redis. Its parts, each of which -parts can name:
//
//	patch   a config PATCH through HTTP beside the bare statements of its unit
//	http    a purchase in a flash sale, a sold-out answer, a replay and two refusals beside
//	        requests that do nothing, with wrk
//	orders  orders that the consumer of a flash sale makes beside the bare statements of it
//	peers   a config PATCH, on MariaDB and embedded, beside what else a setting could be kept in:
//	        a compare-and-swap of etcd, a record update of PocketBase
//
// It is run by `make bench` and `make bench-peers`, beside the servers of test/services. What holds:
//   - The rounds are interleaved (A B C A B C …), so that a neighbour on the machine hits all
//     alike; a ratio is taken within a round, and medians are given with their spread.
//   - Only successes count. An UPDATE that does not change exactly one row, or a reply other than
//     the expected one, ends the run.
//   - The path is measured, not the conflict: every writer has a row of its own, every purchase is
//     another customer's. Bare statements go to the product's own tables, with rows copied from
//     what the product itself wrote.
//   - At the end the store must hold exactly what was counted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// options say how much is measured.
type options struct {
	admin   string        // path of the service's binary
	server  string        // path of the service's binary with routes that do nothing
	peer    string        // path of PocketBase's binary
	parts   string        // which are measured, by name
	rows    string        // which subjects of the parts http, orders and peers are measured, by letter; "" for all
	profile string        // folder for CPU profiles of the service, one a subject; "" for none
	workers int           // concurrent writers, connections and HTTP clients alike
	rounds  int           // measured rounds; one more before them warms everything up
	period  time.Duration // length of one measurement
	configs int           // configs in the store beside those that are written
}

func (o options) has(part string) bool { return strings.Contains(","+o.parts+",", ","+part+",") }

func main() {
	parsed := options{}
	flag.StringVar(&parsed.admin, "admin", "../../bin/admin", "the service's binary")
	flag.StringVar(&parsed.server, "server", "../../bin/benchserver", "the service's binary with routes that do nothing")
	flag.StringVar(&parsed.peer, "pocketbase", "../../bin/pocketbase", "PocketBase's binary")
	flag.StringVar(&parsed.parts, "parts", "patch,http,orders", "what is measured")
	flag.StringVar(&parsed.rows, "rows", "", "which subjects of http, orders and peers, such as N,F; all when empty")
	flag.StringVar(&parsed.profile, "profile", "", "folder for CPU profiles of the service, one a subject")
	flag.IntVar(&parsed.workers, "workers", 32, "concurrent writers")
	flag.IntVar(&parsed.rounds, "rounds", 7, "measured rounds")
	flag.DurationVar(&parsed.period, "period", 3*time.Second, "length of one measurement")
	flag.IntVar(&parsed.configs, "configs", 1000, "configs in the store beside those that are written")
	flag.Parse()

	interrupted, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	limit := 10*time.Minute + 20*time.Duration(parsed.rounds+1)*(parsed.period+5*time.Second)
	ctx, cancel := context.WithTimeout(interrupted, limit)
	defer cancel()
	if err := run(ctx, parsed); err != nil {
		if interrupted.Err() != nil {
			err = errors.New("interrupted")
		}
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.profile != "" {
		if err := os.MkdirAll(o.profile, 0o755); err != nil {
			return err
		}
	}
	engine, err := openEngine(ctx)
	if err != nil {
		return err
	}
	defer engine.Close()
	redis, err := openRedis()
	if err != nil {
		return err
	}
	if o.has("patch") {
		if err := benchPatches(ctx, o, engine); err != nil {
			return fmt.Errorf("patch: %w", err)
		}
	}
	if o.has("peers") {
		if err := benchPeers(ctx, o, engine); err != nil {
			return fmt.Errorf("peers: %w", err)
		}
	}
	if o.has("http") || o.has("orders") {
		if err := benchSale(ctx, o, engine, redis); err != nil {
			return err
		}
	}
	return printMachine(ctx, os.Stdout, engine, o)
}

// Command bench prints the costs of the service, as ratios within one run on one MariaDB
// and one Redis. Its parts, which -parts selects:
//
//	patch   a config PATCH through HTTP, compared with the bare statements of its unit
//	http    a purchase in a flash sale, a sold-out response, a replay and two rejections,
//	        compared with requests that do nothing, with wrk
//	orders  orders made by the consumer of a flash sale, compared with its bare statements
//	peers   a config PATCH, on MariaDB and embedded, compared with other stores for a
//	        setting: a compare-and-swap of etcd, a record update of PocketBase
//
// `make bench` and `make bench-peers` run it, with the servers of test/services. Rules:
//   - The rounds are interleaved (A B C A B C …), so that other load on the machine affects
//     all subjects alike; ratios are computed within a round, and medians are printed with
//     their spread.
//   - Only successes count. An UPDATE that does not change exactly one row, or an unexpected
//     reply, ends the run.
//   - It measures the path, not conflicts: every writer has a separate row, every purchase a
//     different customer. Bare statements use the product's tables, with rows copied from
//     rows that the product wrote.
//   - At the end the store must contain exactly the counted effects.
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

// options define the extent of the measurements.
type options struct {
	admin   string        // path of the service's binary
	server  string        // path of the service's binary with no-op routes
	peer    string        // path of PocketBase's binary
	parts   string        // the measured parts, by name
	rows    string        // the measured subjects of the parts http, orders and peers, by letter; "" for all
	profile string        // folder for CPU profiles of the service, one per subject; "" for none
	workers int           // number of concurrent writers, connections and HTTP clients
	rounds  int           // measured rounds, after one more for warming up
	period  time.Duration // length of one measurement
	configs int           // further configs in the store
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

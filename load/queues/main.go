// Command queues compares this program's queue with github.com/hibiken/asynq on one Redis:
// small messages enqueued, claimed and acknowledged, in messages per second and in CPU time
// of Redis per message.
//
// `make bench-queues` runs it, with the servers of test/services. Rules:
//   - Rounds are interleaved (A B A B …), so that other load on the machine affects both
//     alike; ratios are computed within a round, and medians are printed with their spread.
//   - Each is used as intended: this queue in batches, asynq with one call per message from
//     many goroutines, which is its only way, with its own server.
//   - Every enqueued message must be handled in the end.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/redisconn"
)

type options struct {
	batch, workers, concurrency, rounds int
	period                              time.Duration
}

func main() {
	var o options
	flag.IntVar(&o.batch, "batch", 100, "messages a batch of ours")
	flag.IntVar(&o.workers, "workers", 2, "workers of ours")
	flag.IntVar(&o.concurrency, "concurrency", 32, "producers and handlers of asynq")
	flag.IntVar(&o.rounds, "rounds", 7, "measured rounds; one more before them warms everything up")
	flag.DurationVar(&o.period, "period", 2*time.Second, "length of one measurement")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "queues: %v\n", err)
		os.Exit(1)
	}
}

// series are a subject's measurements, one per round.
type series struct {
	rate   []float64 // messages a second
	micros []float64 // of Redis's CPU a message
}

func run(ctx context.Context, o options) error {
	target, err := redisconn.Parse(os.Getenv("INTERLOCK_TEST_REDIS_URL"))
	if err != nil {
		return fmt.Errorf("INTERLOCK_TEST_REDIS_URL: %w (run it by `make bench-queues`)", err)
	}
	client := target.Connect()
	defer client.Close()
	subjects := newSubjects(client, o)
	results := make([]series, len(subjects))
	for round := range o.rounds + 1 {
		for i, s := range subjects {
			rate, micros, err := measure(ctx, client, s, o.period)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			if round > 0 {
				results[i].rate = append(results[i].rate, rate)
				results[i].micros = append(results[i].micros, micros)
			}
		}
	}
	printReport(os.Stdout, o, subjects, results)
	return nil
}

func measure(ctx context.Context, client redis.UniversalClient, s subject, period time.Duration) (rate, micros float64, err error) {
	before, err := serverCPU(ctx, client)
	if err != nil {
		return 0, 0, err
	}
	done, elapsed, err := s.run(ctx, period)
	if err != nil {
		return 0, 0, err
	}
	after, err := serverCPU(ctx, client)
	return float64(done) / elapsed.Seconds(), (after - before) * 1e6 / float64(done), err
}

// serverCPU returns the CPU seconds used by Redis.
func serverCPU(ctx context.Context, client redis.UniversalClient) (seconds float64, err error) {
	text, err := client.Info(ctx, "cpu").Result()
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_sys" || name == "used_cpu_user" {
			part, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return 0, fmt.Errorf("read %s: %w", name, err)
			}
			seconds += part
		}
	}
	return seconds, nil
}

func printReport(w io.Writer, o options, subjects []subject, results []series) {
	fmt.Fprintf(w, "%d rounds of %s; ours: batches of %d, %d workers; asynq: %d producers, %d handlers; median (lowest–highest)\n\n",
		o.rounds, o.period, o.batch, o.workers, o.concurrency, o.concurrency)
	fmt.Fprintf(w, "%-10s %32s %36s\n", "", "messages/s", "µs of Redis's CPU a message")
	for i, s := range subjects {
		fmt.Fprintf(w, "%-10s %32s %36s\n", s.name, spread(results[i].rate, "%.0f"), spread(results[i].micros, "%.2f"))
	}
	own, other := results[0], results[1]
	fmt.Fprintf(w, "%-10s %32s %36s\n", "ours ÷ its", spread(ratios(own.rate, other.rate), "%.1f"), spread(ratios(own.micros, other.micros), "%.3f"))
}

func ratios(own, others []float64) []float64 {
	result := make([]float64, len(own))
	for i := range own {
		result[i] = own[i] / others[i]
	}
	return result
}

func spread(values []float64, format string) string {
	sorted := slices.Sorted(slices.Values(values))
	return fmt.Sprintf(format+" ("+format+"–"+format+")", sorted[len(sorted)/2], sorted[0], sorted[len(sorted)-1])
}

// Command bench prints what a config PATCH and a repeated request cost, as ratios within one run on
// one MariaDB and one Redis:
//
//	A  a bare guarded UPDATE, autocommit
//	B  the statements of one unit: BEGIN, guarded UPDATE, INSERT history, INSERT audit, COMMIT
//	C  a config PATCH through HTTP, which is B plus everything that the service adds
//	D  a GET that is answered from memory, of a second service, which has a Redis
//	E  a POST that was answered before, of that service: its reply again, from its memory
//
// It is run by `make bench`, beside the servers of test/services. What holds:
//   - The rounds are interleaved (A B C D E A B …), so that a neighbour on the machine hits all
//     alike; a ratio is taken within a round, and medians are given with their spread.
//   - Only successes count. An UPDATE that does not change exactly one row, or a reply other than
//     the expected one, ends the run.
//   - Every worker writes a row of its own: the path is measured, not the conflict. B writes the
//     product's own tables, with rows copied from what the product itself wrote.
//   - At the end the store must hold exactly what was counted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// options say how much is measured.
type options struct {
	admin   string        // path of the service's binary
	workers int           // concurrent writers, connections and HTTP clients alike
	rounds  int           // measured rounds; one more before them warms everything up
	period  time.Duration // length of one measurement
	configs int           // configs in the store beside those that are written
}

func main() {
	parsed := options{}
	flag.StringVar(&parsed.admin, "admin", "../../bin/admin", "the service's binary")
	flag.IntVar(&parsed.workers, "workers", 32, "concurrent writers")
	flag.IntVar(&parsed.rounds, "rounds", 7, "measured rounds")
	flag.DurationVar(&parsed.period, "period", 3*time.Second, "length of one measurement")
	flag.IntVar(&parsed.configs, "configs", 1000, "configs in the store beside those that are written")
	flag.Parse()

	interrupted, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	limit := 2*time.Minute + 5*time.Duration(parsed.rounds+1)*(parsed.period+5*time.Second)
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

func run(ctx context.Context, o options) (err error) {
	engine, err := openEngine(ctx)
	if err != nil {
		return err
	}
	defer engine.Close()
	service, err := startService(ctx, o.admin, engine.serviceURL(), "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.stop()) }()
	redis, err := openRedis()
	if err != nil {
		return err
	}
	onRedis, err := startService(ctx, o.admin, engine.serviceURL(), redis.url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, onRedis.stop()) }()

	etags, err := seed(ctx, service, o)
	if err != nil {
		return fmt.Errorf("seed: %w", err)
	}
	bare, err := newBareUpdates(ctx, engine, o.workers)
	if err != nil {
		return err
	}
	patterns := newPatches(service, "b", etags, o.workers)
	defer patterns.close()
	units, err := newRawUnits(ctx, engine, patterns)
	if err != nil {
		return err
	}
	edits := newPatches(service, "c", etags, o.workers)
	defer edits.close()
	lookups := newLookups(onRedis, o.workers)
	defer lookups.close()
	replays, err := newReplays(onRedis, o.workers)
	if err != nil {
		return fmt.Errorf("create what is replayed: %w", err)
	}
	defer replays.close()
	audited, err := engine.count(ctx, "SELECT COUNT(*) FROM audit_entries")
	if err != nil {
		return err
	}

	subjects := []*subject{
		{name: "A  guarded UPDATE, autocommit", step: bare.step},
		{name: "B  raw statements of one unit", step: units.step},
		{name: "C  config PATCH through HTTP", step: edits.step},
		{name: "D  GET from memory", step: lookups.step},
		{name: "E  POST replayed", step: replays.step},
	}
	processes := []process{
		{name: "mariadbd", pid: engine.pid},
		{name: "service", pid: service.pid()},
		{name: "service on Redis", pid: onRedis.pid()},
		{name: "redis", pid: redis.pid},
		{name: "generator", pid: os.Getpid()},
	}
	if err := measure(ctx, o, subjects, processes); err != nil {
		return err
	}
	if err := checkStore(ctx, engine, subjects, len(units), audited); err != nil {
		return fmt.Errorf("the store does not hold what was counted: %w", err)
	}
	return printReport(ctx, os.Stdout, engine, o, subjects, processes)
}

// A subject is one of the things compared. step does one operation of one worker and returns nil
// only when it succeeded.
type subject struct {
	name    string
	step    func(ctx context.Context, worker int) error
	done    int64 // successes, the warm-up included
	samples []sample
}

// A sample is one measurement: successes a second, and µs of CPU that each process spent on one.
type sample struct {
	perSecond float64
	cpuMicros []float64
}

// measure runs the rounds. The first warms up connections, caches and the tables and is not kept.
func measure(ctx context.Context, o options, subjects []*subject, processes []process) error {
	for round := range o.rounds + 1 {
		for _, subject := range subjects {
			runtime.GC() // what one subject left behind is not the next one's cost
			taken, err := take(ctx, o, subject, processes)
			if err != nil {
				return fmt.Errorf("%s, round %d: %w", subject.name, round, err)
			}
			if round > 0 {
				subject.samples = append(subject.samples, taken)
			}
		}
		fmt.Fprintf(os.Stderr, "bench: round %d of %d\n", round, o.rounds)
	}
	return nil
}

func take(ctx context.Context, o options, subject *subject, processes []process) (sample, error) {
	before, err := cpuTimes(processes)
	if err != nil {
		return sample{}, err
	}
	start := time.Now()
	done, err := repeat(ctx, o, subject.step)
	elapsed := time.Since(start)
	if err != nil {
		return sample{}, err
	}
	after, err := cpuTimes(processes)
	if err != nil {
		return sample{}, err
	}
	subject.done += done
	taken := sample{perSecond: float64(done) / elapsed.Seconds()}
	for i := range processes {
		taken.cpuMicros = append(taken.cpuMicros, float64((after[i]-before[i]).Microseconds())/float64(done))
	}
	return taken, nil
}

// repeat has every worker repeat step until the period is over and returns how often it succeeded.
// An operation under way at the end is finished and counted, so that every effect is a counted one.
func repeat(ctx context.Context, o options, step func(context.Context, int) error) (int64, error) {
	var (
		total   atomic.Int64
		workers sync.WaitGroup
		failed  = make(chan error, o.workers)
		end     = time.Now().Add(o.period)
	)
	for worker := range o.workers {
		workers.Go(func() {
			done := int64(0)
			defer func() { total.Add(done) }()
			for time.Now().Before(end) && len(failed) == 0 {
				if err := step(ctx, worker); err != nil {
					failed <- err
					return
				}
				done++
			}
		})
	}
	workers.Wait()
	select {
	case err := <-failed:
		return 0, err
	default:
		return total.Load(), nil
	}
}

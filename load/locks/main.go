// Command locks compares this program's lock with two libraries for Redis locks:
// github.com/go-redsync/redsync and github.com/bsm/redislock, as ratios within one run on
// one server:
//
//	free       workers that acquire and release a separate lock each: locks per second
//	contended  workers that contend for one lock, for a fixed time, hold it for 1 ms and
//	           retry after 10 ms: the 99th percentile of the waits, and the fairness of
//	           the shares (Jain's index)
//
// `make bench-locks` runs it, with the servers of test/services. Rules:
//   - Rounds are interleaved (A B C A B C …), and so are slices of 50 ms of those with free
//     locks, so that other load on the machine affects all subjects alike; ratios are
//     computed within a round, and medians are printed with their spread.
//   - All use one client's settings and a TTL of 10 s; the peers use their default retry
//     settings.
//   - No two workers may be inside a contended lock.
//   - Nobody may meet another inside a contended lock.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"interlock/internal/base/redisconn"
)

// Durations of a caller: a short transaction, and then other work.
const (
	hold    = time.Millisecond
	absence = 10 * time.Millisecond
)

type options struct {
	workers, contenders, rounds int
	period                      time.Duration
}

func main() {
	var o options
	flag.IntVar(&o.workers, "workers", 4, "workers with a lock of their own")
	flag.IntVar(&o.contenders, "contenders", 32, "workers that want one lock")
	flag.IntVar(&o.rounds, "rounds", 7, "measured rounds; one more before them warms everything up")
	flag.DurationVar(&o.period, "period", 2*time.Second, "length of one measurement")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintf(os.Stderr, "locks: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	target, err := redisconn.Parse(os.Getenv("INTERLOCK_TEST_REDIS_URL"))
	if err != nil {
		return fmt.Errorf("INTERLOCK_TEST_REDIS_URL: %w (run it by `make bench-locks`)", err)
	}
	client := target.Connect()
	defer client.Close()
	subjects, end := newSubjects(client)
	defer end()

	results := make([]series, len(subjects))
	for round := range o.rounds + 1 {
		free, err := measureFree(ctx, subjects, o)
		if err != nil {
			return err
		}
		for i, s := range subjects {
			contended, err := measureContended(ctx, s, o, fmt.Sprintf("%s %d", s.name, round))
			if err != nil {
				return fmt.Errorf("%s, contended: %w", s.name, err)
			}
			if round > 0 {
				results[i].add(free[i], contended)
			}
		}
	}
	printReport(os.Stdout, o, subjects, results)
	return nil
}

// slice is the time of a subject's turn with free locks: on a machine with other load,
// short slices are more comparable than whole seconds.
const slice = 50 * time.Millisecond

// measureFree returns the locks per second of each subject.
func measureFree(ctx context.Context, subjects []subject, o options) ([]float64, error) {
	rates := make([]float64, len(subjects))
	turns := max(1, int(o.period/slice))
	for range turns {
		for i, s := range subjects {
			rate, err := takeFree(ctx, s, o)
			if err != nil {
				return nil, fmt.Errorf("%s, free: %w", s.name, err)
			}
			rates[i] += rate / float64(turns)
		}
	}
	return rates, nil
}

// takeFree is one slice of measureFree.
func takeFree(ctx context.Context, s subject, o options) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, slice)
	defer cancel()
	start := time.Now()
	var taken atomic.Int64
	errs := make([]error, o.workers)
	var working sync.WaitGroup
	for w := range o.workers {
		working.Go(func() {
			key := "free " + strconv.Itoa(w)
			for ctx.Err() == nil {
				// A started lock cycle is completed.
				release, err := s.acquire(context.WithoutCancel(ctx), key)
				if err == nil {
					err = release()
				}
				if err != nil {
					errs[w] = err
					return
				}
				taken.Add(1)
			}
		})
	}
	working.Wait()
	return float64(taken.Load()) / time.Since(start).Seconds(), errors.Join(errs...)
}

// contention is the result for the contenders of one lock.
type contention struct {
	rate float64       // locks a second
	p99  time.Duration // of the waits
	jain float64
}

func measureContended(ctx context.Context, s subject, o options, key string) (contention, error) {
	// Cancelled instead of a deadline, which would apply to the last commands.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer time.AfterFunc(o.period, cancel).Stop()
	start := time.Now()
	waits := make([][]time.Duration, o.contenders)
	errs := make([]error, o.contenders)
	var inside atomic.Int32
	var working sync.WaitGroup
	for w := range o.contenders {
		working.Go(func() {
			for ctx.Err() == nil {
				asked := time.Now()
				release, err := s.acquire(ctx, key)
				if err != nil {
					// A caller that still waits at the end counts with its wait so far.
					if ctx.Err() == nil {
						errs[w] = err
					}
					waits[w] = append(waits[w], time.Since(asked))
					return
				}
				waits[w] = append(waits[w], time.Since(asked))
				if inside.Add(1) != 1 {
					errs[w] = errors.New("two holders at once")
				}
				time.Sleep(hold)
				inside.Add(-1)
				if err := release(); err != nil {
					errs[w] = err
					return
				}
				// Without a pause the last holder would acquire it again before any other
				// caller is notified, and its short waits would hide theirs.
				time.Sleep(absence)
			}
		})
	}
	working.Wait()
	all := slices.Concat(waits...)
	slices.Sort(all)
	return contention{
		rate: float64(len(all)) / time.Since(start).Seconds(),
		p99:  all[(len(all)*99-1)/100],
		jain: jainIndex(waits),
	}, errors.Join(errs...)
}

// jainIndex is 1 if all had the same number of turns, and 1/n if one had all (R. Jain, D.
// Chiu, W. Hawe, DEC-TR-301, 1984).
func jainIndex(turns [][]time.Duration) float64 {
	var sum, squares float64
	for _, t := range turns {
		n := float64(len(t))
		sum += n
		squares += n * n
	}
	return sum * sum / (float64(len(turns)) * squares)
}

package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// comparison is a set of subjects measured in turn, and the ratios between them.
type comparison struct {
	title     string
	subjects  []*subject
	processes []process
	ratios    []ratio
}

// only keeps the subjects with the given letters, and the ratios between them; "" keeps
// all.
func (c *comparison) only(letters string) {
	if letters == "" {
		return
	}
	dropped := func(s *subject) bool { return !strings.Contains(","+letters+",", ","+s.letter()+",") }
	c.subjects = slices.DeleteFunc(c.subjects, dropped)
	c.ratios = slices.DeleteFunc(c.ratios, func(r ratio) bool { return dropped(r.of) || dropped(r.to) })
}

// ratio is the ratio of the rates of two subjects in one round. An aim of 0 means none.
type ratio struct {
	name   string
	of, to *subject
	aim    float64
}

// subject is one of the compared operations. run repeats it for a period, counts successes
// only, and fails on any other result.
type subject struct {
	name    string
	run     func(ctx context.Context, processes []process) (sample, error)
	done    int64 // successes, including the warm-up
	samples []sample
}

// letter is the prefix of the name.
func (s *subject) letter() string {
	letter, _, _ := strings.Cut(s.name, " ")
	return letter
}

// sample is one measurement: successes, successes per second, and µs of CPU of each process
// per success.
type sample struct {
	done      int64
	perSecond float64
	cpuMicros []float64
}

// measure runs the rounds. The first one warms up connections, caches and tables and is
// discarded.
func (c *comparison) measure(ctx context.Context, rounds int) error {
	for round := range rounds + 1 {
		for _, subject := range c.subjects {
			runtime.GC() // the garbage of one subject must not count for the next one
			taken, err := subject.run(ctx, c.processes)
			if err != nil {
				return fmt.Errorf("%s, round %d: %w", subject.name, round, err)
			}
			subject.done += taken.done
			if round > 0 {
				subject.samples = append(subject.samples, taken)
			}
		}
		fmt.Fprintf(os.Stderr, "bench: %s: round %d of %d\n", c.title, round, rounds)
	}
	return nil
}

// timed measures work, which returns its successes and their duration.
func timed(processes []process, work func() (done int64, took time.Duration, err error)) (sample, error) {
	before, err := cpuTimes(processes)
	if err != nil {
		return sample{}, err
	}
	done, took, err := work()
	if err != nil {
		return sample{}, err
	}
	after, err := cpuTimes(processes)
	if err != nil {
		return sample{}, err
	}
	taken := sample{done: done, perSecond: float64(done) / took.Seconds()}
	for i := range processes {
		taken.cpuMicros = append(taken.cpuMicros, float64((after[i]-before[i]).Microseconds())/float64(done))
	}
	return taken, nil
}

// stepping is a subject whose workers repeat a step, which counts as the given number of
// successes or fails.
func stepping(name string, workers int, period time.Duration, successes int64, step func(ctx context.Context, worker int) error) *subject {
	return &subject{name: name, run: func(ctx context.Context, processes []process) (sample, error) {
		return timed(processes, func() (int64, time.Duration, error) {
			start := time.Now()
			done, err := repeat(ctx, workers, period, step)
			return done * successes, time.Since(start), err
		})
	}}
}

// repeat lets every worker repeat step until the period is over and returns the number of
// successes. Operations in flight at the end are completed and counted, so that every
// effect is counted.
func repeat(ctx context.Context, workers int, period time.Duration, step func(context.Context, int) error) (int64, error) {
	var (
		total   atomic.Int64
		running sync.WaitGroup
		failed  = make(chan error, workers)
		end     = time.Now().Add(period)
	)
	for worker := range workers {
		running.Go(func() {
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
	running.Wait()
	select {
	case err := <-failed:
		return 0, err
	default:
		return total.Load(), nil
	}
}

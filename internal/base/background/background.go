// Package background runs the work of a process outside its requests: periodic jobs, and loops
// that last as long as the process.
//
// Invariants:
//
//   - Every service has one shape, and a Group starts and stops all of them. Stop returns after
//     each service has ended and has written its counts.
//   - A failed or panicking run does not end the process or the service: it is logged, counted and
//     retried.
//   - Several processes may run a service concurrently. Services that must not overlap acquire a
//     lease themselves.
package background

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/base/clock"
	"interlock/internal/base/panics"
)

const (
	// retryEvery is the interval of runs while a service with Next has due work, and of retries
	// after an error of Next.
	retryEvery = time.Second
	// wakeDelay is the time in which further wake-ups are combined with the first one.
	wakeDelay = 200 * time.Millisecond
	// lastTimeout bounds Last.
	lastTimeout = 5 * time.Second
)

// Service is work that a Group runs until it is stopped.
type Service struct {
	// Name identifies the service in logs and metrics; it is unique in a Group.
	Name string
	// Run does the work once, or until ctx ends.
	Run func(ctx context.Context) error
	// Every is the interval between the starts of two runs. A longer run is followed by the next one
	// immediately. A failed run, and one that lasts until ctx ends and returns early, is retried after
	// Every.
	Every time.Duration
	// Delay is the time until the first run.
	Delay time.Duration
	// Next returns the time at which work is due, zero if none is known; nil for a service that runs
	// at each interval. If Next is set, it is called at least once per Every, and the service runs
	// only when the returned time has come.
	Next func(ctx context.Context) (time.Time, error)
	// Wake starts the next run, or call of Next, early; nil for none.
	Wake <-chan struct{}
	// Last runs once when the service stops, for counts in memory; nil for none. Its context ends
	// after five seconds.
	Last func(ctx context.Context) error
}

func (s Service) validate() error {
	if s.Name == "" || s.Run == nil || s.Every <= 0 {
		return fmt.Errorf("background service %q needs a name, a run and an interval", s.Name)
	}
	return nil
}

// Group runs services. Start and Stop must not be called concurrently.
type Group struct {
	clock    clock.Clock
	failures *prometheus.CounterVec
	lastRun  *prometheus.GaugeVec
	running  []*running
}

// NewGroup returns a Group without services.
func NewGroup(clk clock.Clock) *Group {
	return &Group{
		clock: clk,
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_background_failures_total", Help: "Failed runs of the background service, in this process.",
		}, []string{"service"}),
		lastRun: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "interlock_background_last_run_timestamp_seconds", Help: "End time of the last run of the background service without an error, in this process.",
		}, []string{"service"}),
	}
}

// Collectors returns the metrics of the services.
func (g *Group) Collectors() []prometheus.Collector {
	return []prometheus.Collector{g.failures, g.lastRun}
}

// Start runs services until Stop; the end of ctx does not stop them. If a service is incomplete or
// its name is in use, Start starts none.
func (g *Group) Start(ctx context.Context, services ...Service) error {
	names := map[string]bool{}
	for _, r := range g.running {
		names[r.Name] = true
	}
	for _, s := range services {
		if err := s.validate(); err != nil {
			return err
		}
		if names[s.Name] {
			return fmt.Errorf("background service %q exists twice", s.Name)
		}
		names[s.Name] = true
	}
	for _, s := range services {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		r := &running{Service: s, group: g, cancel: cancel, ended: make(chan struct{}), requests: make(chan chan<- error)}
		g.running = append(g.running, r)
		go r.loop(ctx)
	}
	return nil
}

// Stop ends all services, and returns when they have ended or when ctx ends.
func (g *Group) Stop(ctx context.Context) {
	for _, r := range g.running {
		r.cancel()
	}
	for _, r := range g.running {
		select {
		case <-r.ended:
		case <-ctx.Done():
			return
		}
	}
	g.running = nil
}

// RunNow waits until the service pauses, runs it without its delay, interval and Next, and returns
// the error of the run. Tests use it instead of waiting for an interval.
func (g *Group) RunNow(ctx context.Context, name string) error {
	i := slices.IndexFunc(g.running, func(r *running) bool { return r.Name == name })
	if i < 0 {
		return fmt.Errorf("no background service %q is running", name)
	}
	r, result := g.running[i], make(chan error, 1)
	for requests := r.requests; ; requests = nil {
		select {
		case requests <- result:
		case err := <-result:
			return err
		case <-r.ended:
			return fmt.Errorf("background service %q has ended", name)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// running is a started service.
type running struct {
	Service
	group  *Group
	cancel context.CancelFunc
	ended  chan struct{}
	// requests are those of RunNow; each receives the error of its run.
	requests chan chan<- error
	// failing reports whether the last run failed. Further failures are not logged.
	failing bool
}

func (r *running) loop(ctx context.Context) {
	defer close(r.ended)
	for pause := r.Delay; ; {
		result, ok := r.wait(ctx, pause)
		if !ok {
			break
		}
		started := clock.Mark()
		due, err := result != nil, error(nil)
		if pause = r.Every; !due {
			due, pause, err = r.due(ctx)
		}
		if due {
			err = protect(ctx, r.Run)
			if r.Next == nil && err == nil {
				pause = max(0, pause-clock.Since(started))
			}
		}
		if ctx.Err() != nil {
			break // a run that the stop interrupts has not failed
		}
		r.observe(ctx, due, err)
		if result != nil {
			result <- err
		}
	}
	if r.Last == nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	limit, cancel := context.WithTimeout(ctx, lastTimeout)
	defer cancel()
	r.observe(ctx, true, protect(limit, r.Last))
}

// due reports whether the service must run, and returns the pause until the next call.
func (r *running) due(ctx context.Context) (bool, time.Duration, error) {
	if r.Next == nil {
		return true, r.Every, nil
	}
	var next time.Time
	err := protect(ctx, func(ctx context.Context) (err error) {
		next, err = r.Next(ctx)
		return err
	})
	switch {
	case err != nil:
		return false, retryEvery, err
	case next.IsZero():
		return false, r.Every, nil
	}
	left := next.Sub(r.group.clock.Now())
	if left > 0 {
		return false, min(left, r.Every), nil
	}
	return true, retryEvery, nil
}

var errPanic = errors.New("panicked")

func protect(ctx context.Context, run func(ctx context.Context) error) (err error) {
	defer func() {
		if recovered := recover(); recovered != nil {
			err = fmt.Errorf("%w: %w", errPanic, panics.Error(recovered))
		}
	}()
	return run(ctx)
}

// observe counts a run or a failed call of Next, and logs the first failure and the first success
// after it.
func (r *running) observe(ctx context.Context, ran bool, err error) {
	if err == nil {
		if ran {
			r.group.lastRun.WithLabelValues(r.Name).Set(float64(r.group.clock.Now().Unix()))
		}
		if r.failing {
			slog.InfoContext(ctx, "background: service recovered", "service", r.Name)
		}
		r.failing = false
		return
	}
	r.group.failures.WithLabelValues(r.Name).Inc()
	switch {
	case errors.Is(err, errPanic):
		slog.ErrorContext(ctx, "background: service panicked; will retry", "service", r.Name, "error", err)
	case !r.failing:
		slog.WarnContext(ctx, "background: run failed; will retry", "service", r.Name, "error", err)
	}
	r.failing = true
}

// wait returns true after the pause or a wake-up, and for a request of RunNow; false when ctx has
// ended.
func (r *running) wait(ctx context.Context, pause time.Duration) (result chan<- error, ok bool) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for woken := false; ; {
		select {
		case <-ctx.Done():
			return nil, false
		case <-timer.C:
			return nil, ctx.Err() == nil
		case result := <-r.requests:
			return result, true
		case <-r.Wake:
			if !woken {
				woken = true
				timer.Reset(min(wakeDelay, pause))
			}
		}
	}
}

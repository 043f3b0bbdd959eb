package background

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/clock"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// in runs a test in a bubble with a group that is stopped at its end.
func in(t *testing.T, test func(t *testing.T, g *Group)) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGroup(clock.System{})
		defer g.Stop(context.Background())
		test(t, g)
	})
}

func counted(runs *atomic.Int64, err error) func(context.Context) error {
	return func(context.Context) error {
		runs.Add(1)
		return err
	}
}

// metric returns the value of a metric of a group's only service; nil if it has none.
func metric(t *testing.T, g *Group, name string) any {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(g.Collectors()...)
	families, err := registry.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() == name {
			one := family.Metric[0]
			return one.GetCounter().GetValue() + one.GetGauge().GetValue()
		}
	}
	return nil
}

const (
	failures = "interlock_background_failures_total"
	lastRun  = "interlock_background_last_run_timestamp_seconds"
)

func TestServiceRunsAtItsInterval(t *testing.T) {
	in(t, func(t *testing.T, g *Group) {
		var runs atomic.Int64
		require.NoError(t, g.Start(t.Context(), Service{Name: "sweep", Every: time.Minute, Delay: 10 * time.Second, Run: func(context.Context) error {
			runs.Add(1)
			clock.Sleep(t.Context(), 20*time.Second)
			return nil
		}}))
		clock.Sleep(t.Context(), 9*time.Second)
		require.Zero(t, runs.Load())
		clock.Sleep(t.Context(), time.Minute)
		require.EqualValues(t, 1, runs.Load())
		clock.Sleep(t.Context(), 2*time.Second)
		require.EqualValues(t, 2, runs.Load(), "the interval is from start to start")
	})
}

func TestServiceRunsWhenWorkIsDue(t *testing.T) {
	in(t, func(t *testing.T, g *Group) {
		var runs, calls atomic.Int64
		var due atomic.Pointer[time.Time]
		require.NoError(t, g.Start(t.Context(), Service{
			Name: "expire", Every: 5 * time.Second, Run: counted(&runs, nil),
			Next: func(context.Context) (time.Time, error) {
				calls.Add(1)
				if due.Load() == nil {
					return time.Time{}, nil
				}
				return *due.Load(), nil
			},
		}))
		clock.Sleep(t.Context(), 11*time.Second)
		require.EqualValues(t, 3, calls.Load(), "immediately, because work may be overdue, and at each interval")
		require.Zero(t, runs.Load(), "no work is due")
		at := time.Now().Add(6200 * time.Millisecond)
		due.Store(&at)
		clock.Sleep(t.Context(), 6100*time.Millisecond)
		require.Zero(t, runs.Load())
		clock.Sleep(t.Context(), 200*time.Millisecond)
		require.EqualValues(t, 1, runs.Load())
		clock.Sleep(t.Context(), time.Second)
		require.EqualValues(t, 2, runs.Load(), "the due work was not finished")
	})
}

func TestFailedNextIsRetried(t *testing.T) {
	in(t, func(t *testing.T, g *Group) {
		var runs, calls atomic.Int64
		require.NoError(t, g.Start(t.Context(), Service{
			Name: "expire", Every: time.Hour, Run: counted(&runs, nil),
			Next: func(context.Context) (time.Time, error) {
				if calls.Add(1) < 3 {
					return time.Time{}, errors.New("database away")
				}
				return time.Now(), nil
			},
		}))
		clock.Sleep(t.Context(), 2500*time.Millisecond)
		require.EqualValues(t, 1, runs.Load())
		require.Equal(t, 2.0, metric(t, g, failures))
	})
}

func TestWakeUpsWithinADelayStartOneRun(t *testing.T) {
	in(t, func(t *testing.T, g *Group) {
		var runs atomic.Int64
		wake := make(chan struct{}, 1)
		require.NoError(t, g.Start(t.Context(), Service{Name: "apply", Every: time.Hour, Delay: time.Hour, Wake: wake, Run: counted(&runs, nil)}))
		for range 10 {
			wake <- struct{}{}
		}
		clock.Sleep(t.Context(), time.Minute)
		require.EqualValues(t, 1, runs.Load())
	})
}

func TestFailuresAreCountedAndLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	in(t, func(t *testing.T, g *Group) {
		failure := errors.New("database away")
		require.NoError(t, g.Start(t.Context(), Service{Name: "sweep", Every: time.Minute, Delay: time.Minute, Run: func(context.Context) error { return failure }}))
		for range 3 {
			require.ErrorIs(t, g.RunNow(t.Context(), "sweep"), failure)
		}
		require.Equal(t, 3.0, metric(t, g, failures))
		require.Nil(t, metric(t, g, lastRun))
		failure = nil
		require.NoError(t, g.RunNow(t.Context(), "sweep"))
		require.Equal(t, float64(time.Now().Unix()), metric(t, g, lastRun))
	})
	require.Equal(t, 1, strings.Count(log.String(), `msg="background: run failed; will retry" service=sweep error="database away"`))
	require.Equal(t, 1, strings.Count(log.String(), `msg="background: service recovered" service=sweep`))
}

func TestPanickingServiceIsRetried(t *testing.T) {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	in(t, func(t *testing.T, g *Group) {
		var runs atomic.Int64
		require.NoError(t, g.Start(t.Context(), Service{Name: "worker", Every: time.Second, Run: func(context.Context) error {
			if runs.Add(1) == 1 {
				panic("nil map")
			}
			return nil
		}}))
		clock.Sleep(t.Context(), 1500*time.Millisecond)
		require.EqualValues(t, 2, runs.Load())
	})
	require.Contains(t, log.String(), "background: service panicked; will retry")
	require.Contains(t, log.String(), "nil map")
}

func TestStopWaitsForTheLastCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGroup(clock.System{})
		interrupted, written := false, false
		require.NoError(t, g.Start(t.Context(), Service{
			Name: "counts", Every: time.Hour,
			Run: func(ctx context.Context) error {
				<-ctx.Done()
				interrupted = true
				return ctx.Err()
			},
			Last: func(ctx context.Context) error {
				clock.Sleep(t.Context(), time.Second)
				written = ctx.Err() == nil
				return nil
			},
		}))
		synctest.Wait()
		g.Stop(context.Background())
		require.True(t, interrupted)
		require.True(t, written)
		require.Nil(t, metric(t, g, failures), "an interrupted run has not failed")
	})
}

func TestStopReturnsWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGroup(clock.System{})
		require.NoError(t, g.Start(t.Context(), Service{Name: "slow", Every: time.Hour, Run: func(context.Context) error {
			clock.Sleep(t.Context(), time.Hour)
			return nil
		}}))
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		started := time.Now()
		g.Stop(ctx)
		require.Equal(t, time.Second, time.Since(started))
		g.Stop(context.Background())
		require.Empty(t, g.running)
	})
}

func TestIncompleteServicesAreNotStarted(t *testing.T) {
	g := NewGroup(clock.System{})
	var runs atomic.Int64
	complete := Service{Name: "sweep", Every: time.Hour, Run: counted(&runs, nil)}
	require.ErrorContains(t, g.Start(t.Context(), complete, Service{Name: "no interval", Run: complete.Run}), `"no interval" needs`)
	require.ErrorContains(t, g.Start(t.Context(), complete, complete), `"sweep" exists twice`)
	require.Empty(t, g.running)
	require.ErrorContains(t, g.RunNow(t.Context(), "sweep"), `no background service "sweep" is running`)
}

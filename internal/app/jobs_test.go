package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/events"
)

func TestEventsWakeAJobOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := events.NewInProcess(64)
		defer bus.Close()
		service, wake := (&Services{bus: bus}).newsOf("approvals")
		group := background.NewGroup(clock.System{})
		defer group.Stop(t.Context())
		runs := 0
		require.NoError(t, group.Start(t.Context(), service, background.Service{
			Name: "apply", Every: time.Hour, Delay: time.Hour, Wake: wake,
			Run: func(context.Context) error {
				runs++
				return nil
			},
		}))
		synctest.Wait()
		for range 10 {
			require.NoError(t, bus.Publish(t.Context(), events.Event{Topic: "approvals", Tenant: 1, Key: "7"}))
		}
		clock.Sleep(t.Context(), time.Minute)
		synctest.Wait()
		require.Equal(t, 1, runs, "it does not wait for the interval, and combines the events")
	})
}

func TestPeriodicJobsAreSpread(t *testing.T) {
	jobs := make([]background.Service, 9)
	for i := range jobs {
		jobs[i].Every = time.Minute
	}
	jobs[3].Every, jobs[3].Next = checkInterval, func(context.Context) (time.Time, error) { return time.Time{}, nil }
	starts := map[time.Duration]bool{}
	for i, job := range spreadStarts(jobs) {
		if i == 3 {
			require.Zero(t, job.Delay, "work may be overdue")
			continue
		}
		require.Greater(t, job.Delay, time.Second)
		require.LessOrEqual(t, job.Delay, time.Minute)
		require.False(t, starts[job.Delay])
		starts[job.Delay] = true
	}
}

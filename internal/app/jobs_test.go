package app

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/events"
)

func TestJobRunsWhenWorkIsDue(t *testing.T) {
	now := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	var due time.Time
	var broken error
	ran := 0
	j := job{
		every: 5 * time.Second,
		next:  func(context.Context) (time.Time, error) { return due, broken },
		run: func(context.Context) error {
			ran++
			return nil
		},
	}
	turn := func() time.Duration { return j.turn(t.Context(), now) }

	require.Equal(t, j.every, turn(), "no work is due")
	due = now.Now().Add(time.Hour)
	require.Equal(t, j.every, turn(), "earlier work may be created in between")
	due = now.Now().Add(1200 * time.Millisecond)
	require.Equal(t, 1200*time.Millisecond, turn())
	require.Zero(t, ran)
	now.Advance(1200 * time.Millisecond)
	require.Equal(t, retryEvery, turn())
	require.Equal(t, 1, ran)
	require.Equal(t, retryEvery, turn(), "the due work was not finished")
	require.Equal(t, 2, ran)
	broken = errors.New("the database is away")
	require.Equal(t, retryEvery, turn())
	require.Equal(t, 2, ran)
}

func TestEventsWakeAJobOnce(t *testing.T) {
	bus := events.NewInProcess(64)
	defer bus.Close()
	sv := &Services{bus: bus}
	n := sv.newsFor(t.Context(), job{topic: "approvals"})
	defer n.close()
	for range 10 {
		require.NoError(t, bus.Publish(t.Context(), events.Event{Topic: "approvals", Tenant: 1, Key: "7"}))
	}
	patience, lost := context.WithTimeout(t.Context(), 10*time.Second)
	defer lost()
	require.True(t, n.wait(patience, time.Hour), "it does not wait for the interval")
	require.Empty(t, n.deliveries)

	ended, end := context.WithCancel(t.Context())
	end()
	require.False(t, n.wait(ended, time.Hour))
	bus.Close()
	require.True(t, n.wait(t.Context(), time.Millisecond))
	require.True(t, n.wait(t.Context(), time.Millisecond), "without events it runs at its interval")
}

func TestPeriodicJobsAreSpread(t *testing.T) {
	starts := map[time.Duration]bool{}
	for index := range 9 {
		first := job{every: time.Minute}.firstPause(index, 9)
		require.Greater(t, first, time.Second)
		require.LessOrEqual(t, first, time.Minute)
		require.False(t, starts[first])
		starts[first] = true
	}
	looks := job{every: lookEvery, next: func(context.Context) (time.Time, error) { return time.Time{}, nil }}
	require.Zero(t, looks.firstPause(3, 9), "work may be overdue")
}

package ratelimit_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/ratelimit"
)

// counting is a Limiter that counts its calls.
type counting struct {
	ratelimit.Limiter
	asked int
}

func (c *counting) Allow(ctx context.Context, key string, limit ratelimit.Limit) (ratelimit.Decision, error) {
	c.asked++
	return c.Limiter.Allow(ctx, key, limit)
}

// Proves G7.36.
func TestOnlyKeysThatAreBusyCostARoundTrip(t *testing.T) {
	limit := ratelimit.Limit{Rate: 100, Period: time.Second, Burst: 200}
	now := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	shared := &counting{Limiter: ratelimit.NewInProcess(now.Now)}
	here := ratelimit.NewSparing(ratelimit.NewInProcess(now.Now), shared)
	allow := func(l ratelimit.Limiter) bool {
		decision, err := l.Allow(t.Context(), "key", limit)
		require.NoError(t, err)
		return decision.Allowed
	}
	for range 20 {
		require.True(t, allow(here))
	}
	for range 50 {
		now.Advance(100 * time.Millisecond)
		require.True(t, allow(here))
	}
	require.Zero(t, shared.asked, "a tenth of the rate is this process's to give")

	elsewhere := ratelimit.NewSparing(ratelimit.NewInProcess(now.Now), shared)
	allowed := 0
	for range 1000 {
		if allow(here) {
			allowed++
		}
		if allow(elsewhere) {
			allowed++
		}
	}
	require.LessOrEqual(t, allowed, limit.Burst+2*limit.Burst/10)
	require.GreaterOrEqual(t, allowed, limit.Burst)
}

func TestSmallLimitIsExactAndStoreFailureIsReported(t *testing.T) {
	now := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	shared := &counting{Limiter: ratelimit.NewInProcess(now.Now)}
	here := ratelimit.NewSparing(ratelimit.NewInProcess(now.Now), shared)
	limit := ratelimit.Limit{Rate: 1, Period: time.Second, Burst: 1}
	for _, want := range []bool{true, false} {
		decision, err := here.Allow(t.Context(), "key", limit)
		require.NoError(t, err)
		require.Equal(t, want, decision.Allowed)
	}
	require.Equal(t, 2, shared.asked)

	away := ratelimit.NewSparing(ratelimit.NewInProcess(now.Now), unreachable{})
	_, err := away.Allow(t.Context(), "key", limit)
	require.ErrorIs(t, err, errAway)
}

var errAway = errors.New("away")

type unreachable struct{}

func (unreachable) Allow(context.Context, string, ratelimit.Limit) (ratelimit.Decision, error) {
	return ratelimit.Decision{}, errAway
}

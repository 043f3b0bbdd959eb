// Package ratelimittest is the contract test suite of ratelimit.Limiter.
package ratelimittest

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/ratelimit"
)

// patience bounds operations that should complete soon.
const patience = 30 * time.Second

// hourly does not refill during a test.
func hourly(burst int) ratelimit.Limit {
	return ratelimit.Limit{Rate: 1, Period: time.Hour, Burst: burst}
}

// Contract runs the suite. newLimiter returns a Limiter on real time that shares no key
// with another one.
func Contract(t *testing.T, newLimiter func(t *testing.T) ratelimit.Limiter) {
	tests := []struct {
		name string
		run  func(*testing.T, ratelimit.Limiter)
	}{
		{"ABurstIsAllowedAndTheNextIsRefused", aBurstIsAllowedAndTheNextIsRefused},
		{"ARefusalCostsNothing", aRefusalCostsNothing},
		{"KeysAreCountedApart", keysAreCountedApart},
		{"RacingCallersShareOneBurst", racingCallersShareOneBurst},
		{"AfterRetryAfterOneIsAllowed", afterRetryAfterOneIsAllowed},
		{"TheRateHoldsInTheLongRun", theRateHoldsInTheLongRun},
		{"ASmallerLimitRefillsInItsOwnTime", aSmallerLimitRefillsInItsOwnTime},
		{"LimitsOutOfRangeAreRefused", limitsOutOfRangeAreRefused},
		{"TheLargestLimitsWork", theLargestLimitsWork},
		{"AnEndedContextIsNotCharged", anEndedContextIsNotCharged},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, newLimiter(t)) })
	}
}

func aBurstIsAllowedAndTheNextIsRefused(t *testing.T, limiter ratelimit.Limiter) {
	for i := range 3 {
		got := allow(t, limiter, "key", hourly(3))
		require.True(t, got.Allowed)
		require.Equal(t, 2-i, got.Remaining)
		require.Zero(t, got.RetryAfter)
		requireAbout(t, time.Duration(i+1)*time.Hour, got.ResetAfter)
	}
	got := allow(t, limiter, "key", hourly(3))
	require.False(t, got.Allowed)
	require.Zero(t, got.Remaining)
	requireAbout(t, time.Hour, got.RetryAfter)
	requireAbout(t, 3*time.Hour, got.ResetAfter)
}

func aRefusalCostsNothing(t *testing.T, limiter ratelimit.Limiter) {
	require.True(t, allow(t, limiter, "key", hourly(1)).Allowed)
	last := time.Hour
	for range 50 {
		got := allow(t, limiter, "key", hourly(1))
		require.False(t, got.Allowed)
		require.LessOrEqual(t, got.RetryAfter, last)
		last = got.RetryAfter
	}
}

func keysAreCountedApart(t *testing.T, limiter ratelimit.Limiter) {
	require.True(t, allow(t, limiter, "a", hourly(1)).Allowed)
	require.False(t, allow(t, limiter, "a", hourly(1)).Allowed)
	for _, key := range []string{"A", "a:b", "{a}", "a b\n\x00ä", "b"} {
		require.True(t, allow(t, limiter, key, hourly(1)).Allowed, "key %q", key)
	}
}

func racingCallersShareOneBurst(t *testing.T, limiter ratelimit.Limiter) {
	const burst = 50
	var allowed atomic.Int64
	var racing sync.WaitGroup
	for range 32 {
		racing.Go(func() {
			for range 10 {
				got, err := limiter.Allow(t.Context(), "key", hourly(burst))
				if err != nil {
					t.Errorf("allow: %v", err)
				}
				if got.Allowed {
					allowed.Add(1)
				}
			}
		})
	}
	racing.Wait()
	require.EqualValues(t, burst, allowed.Load())
}

func afterRetryAfterOneIsAllowed(t *testing.T, limiter ratelimit.Limiter) {
	limit := ratelimit.Limit{Rate: 2, Period: 400 * time.Millisecond, Burst: 1}
	start := clock.Mark()
	require.True(t, allow(t, limiter, "key", limit).Allowed)
	require.Eventually(t, func() bool {
		got, err := limiter.Allow(t.Context(), "key", limit)
		return err == nil && got.Allowed
	}, patience, 5*time.Millisecond)
	require.GreaterOrEqual(t, clock.Since(start), 200*time.Millisecond)
}

func theRateHoldsInTheLongRun(t *testing.T, limiter ratelimit.Limiter) {
	limit := ratelimit.Limit{Rate: 1, Period: 2 * time.Millisecond, Burst: 5}
	start := clock.Mark()
	allowed := 0
	for clock.Since(start) < 200*time.Millisecond {
		if allow(t, limiter, "key", limit).Allowed {
			allowed++
		}
	}
	most := limit.Burst + int(clock.Since(start)/limit.Period)
	require.LessOrEqual(t, allowed, most)
	require.Greater(t, allowed, limit.Burst, "the burst was never refilled")
}

func aSmallerLimitRefillsInItsOwnTime(t *testing.T, limiter ratelimit.Limiter) {
	for range 20 {
		require.True(t, allow(t, limiter, "key", hourly(20)).Allowed)
	}
	smaller := ratelimit.Limit{Rate: 1, Period: 100 * time.Millisecond, Burst: 2}
	got := allow(t, limiter, "key", smaller)
	require.False(t, got.Allowed)
	require.Equal(t, 100*time.Millisecond, got.RetryAfter)
	require.Equal(t, 200*time.Millisecond, got.ResetAfter)
	require.Eventually(t, func() bool {
		got, err := limiter.Allow(t.Context(), "key", smaller)
		return err == nil && got.Allowed
	}, patience, 5*time.Millisecond)
}

func limitsOutOfRangeAreRefused(t *testing.T, limiter ratelimit.Limiter) {
	for name, limit := range map[string]ratelimit.Limit{
		"zero":                    {},
		"no rate":                 {Period: time.Second, Burst: 1},
		"negative rate":           {Rate: -1, Period: time.Second, Burst: 1},
		"no burst":                {Rate: 1, Period: time.Second},
		"negative burst":          {Rate: 1, Period: time.Second, Burst: -1},
		"no period":               {Rate: 1, Burst: 1},
		"negative period":         {Rate: 1, Period: -time.Second, Burst: 1},
		"more than one per µs":    {Rate: 1_000_001, Period: time.Second, Burst: 1},
		"refills in over a year":  {Rate: 1, Period: 24 * time.Hour, Burst: 367},
		"overflowing refill time": {Rate: 1, Period: 1<<63 - 1, Burst: 1<<63 - 1},
	} {
		_, err := limiter.Allow(t.Context(), "key", limit)
		require.ErrorIs(t, err, ratelimit.ErrInvalid, name)
	}
	_, err := limiter.Allow(t.Context(), "", hourly(1))
	require.ErrorIs(t, err, ratelimit.ErrInvalid, "empty key")
}

func theLargestLimitsWork(t *testing.T, limiter ratelimit.Limiter) {
	yearly := ratelimit.Limit{Rate: 1, Period: 366 * 24 * time.Hour, Burst: 1}
	require.True(t, allow(t, limiter, "yearly", yearly).Allowed)
	got := allow(t, limiter, "yearly", yearly)
	require.False(t, got.Allowed)
	requireAbout(t, yearly.Period, got.RetryAfter)

	fast := ratelimit.Limit{Rate: 1_000_000, Period: time.Second, Burst: 1_000_000_000}
	got = allow(t, limiter, "fast", fast)
	require.True(t, got.Allowed)
	require.Equal(t, fast.Burst-1, got.Remaining)
	require.Equal(t, time.Microsecond, got.ResetAfter)
}

func anEndedContextIsNotCharged(t *testing.T, limiter ratelimit.Limiter) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := limiter.Allow(ctx, "key", hourly(1))
	require.ErrorIs(t, err, context.Canceled)
	require.True(t, allow(t, limiter, "key", hourly(1)).Allowed)
}

func allow(t *testing.T, limiter ratelimit.Limiter, key string, limit ratelimit.Limit) ratelimit.Decision {
	t.Helper()
	decision, err := limiter.Allow(t.Context(), key, limit)
	require.NoError(t, err)
	return decision
}

// requireAbout tolerates the time that the test has needed so far.
func requireAbout(t *testing.T, want, got time.Duration) {
	t.Helper()
	require.LessOrEqual(t, got, want)
	require.Greater(t, got, want-patience)
}

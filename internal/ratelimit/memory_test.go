package ratelimit

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
)

func TestOnlyRefilledKeysAreEvicted(t *testing.T) {
	clk := clock.NewFake(time.UnixMicro(0))
	limiter := NewInProcess(clk.Now)
	minutely := Limit{Rate: 1, Period: time.Minute, Burst: 1}
	daily := Limit{Rate: 1, Period: 24 * time.Hour, Burst: 1}
	visit := func(prefix string, limit Limit) {
		for i := range 10_000 {
			_, err := limiter.Allow(t.Context(), prefix+strconv.Itoa(i), limit)
			require.NoError(t, err)
		}
	}
	remembered := func() int {
		n := 0
		for i := range limiter.shards {
			n += len(limiter.shards[i].tats)
		}
		return n
	}
	visit("minutely ", minutely)
	visit("daily ", daily)
	require.Equal(t, 20_000, remembered())
	clk.Advance(2 * time.Minute)
	visit("daily ", daily)
	require.Equal(t, 10_000, remembered())
}

func TestAlmostRefilledKeyIsNotEvicted(t *testing.T) {
	clk := clock.NewFake(time.UnixMicro(0).Add(time.Hour))
	limiter := NewInProcess(clk.Now)
	limit := Limit{Rate: 1, Period: time.Minute + time.Microsecond, Burst: 1}
	for _, want := range []Decision{
		{Allowed: true, ResetAfter: limit.Period},
		{RetryAfter: time.Microsecond, ResetAfter: time.Microsecond},
	} {
		got, err := limiter.Allow(t.Context(), "key", limit)
		require.NoError(t, err)
		require.Equal(t, want, got)
		clk.Advance(time.Minute)
	}
}

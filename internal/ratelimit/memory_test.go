package ratelimit

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/clock"
)

func TestRefilledKeysAreDroppedAndOthersAreKept(t *testing.T) {
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
	decision, err := limiter.Allow(t.Context(), "daily 1", daily)
	require.NoError(t, err)
	require.False(t, decision.Allowed, "a key that is not refilled was forgotten")
}

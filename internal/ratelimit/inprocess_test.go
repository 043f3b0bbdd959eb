package ratelimit_test

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"interlock/internal/base/clock"
	"interlock/internal/ratelimit"
	"interlock/internal/ratelimit/ratelimittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestInProcessFulfillsTheContract(t *testing.T) {
	ratelimittest.Contract(t, func(*testing.T) ratelimit.Limiter {
		return ratelimit.NewInProcess(clock.System{}.Now)
	})
}

func TestClockSetBackDelaysByOneInterval(t *testing.T) {
	clk := clock.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	limiter := ratelimit.NewInProcess(clk.Now)
	limit := ratelimit.Limit{Rate: 1, Period: time.Second, Burst: 3}
	for range 3 {
		_, err := limiter.Allow(t.Context(), "key", limit)
		require.NoError(t, err)
	}
	clk.Advance(-time.Hour)
	for _, want := range []ratelimit.Decision{
		{RetryAfter: time.Second, ResetAfter: 3 * time.Second},
		{Allowed: true, ResetAfter: 3 * time.Second},
		{Allowed: true, ResetAfter: 3 * time.Second},
	} {
		got, err := limiter.Allow(t.Context(), "key", limit)
		require.NoError(t, err)
		require.Equal(t, want, got)
		clk.Advance(time.Second)
	}
}

// bucket is the model: a token bucket in which a request costs interval and
// elapsed time is credit.
type bucket struct {
	interval, burst, credit, at int64
}

func (b *bucket) allow(now int64) ratelimit.Decision {
	depth := b.interval * b.burst
	b.credit = min(depth, b.credit+now-b.at)
	b.at = now
	if b.credit < b.interval {
		return ratelimit.Decision{
			RetryAfter: time.Duration(b.interval-b.credit) * time.Microsecond,
			ResetAfter: time.Duration(depth-b.credit) * time.Microsecond,
		}
	}
	b.credit -= b.interval
	return ratelimit.Decision{
		Allowed:    true,
		Remaining:  int(b.credit / b.interval),
		ResetAfter: time.Duration(depth-b.credit) * time.Microsecond,
	}
}

func TestDecisionsEqualThoseOfATokenBucket(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		clk := clock.NewFake(time.UnixMicro(rapid.Int64Range(0, 1<<51).Draw(rt, "start")))
		limiter := ratelimit.NewInProcess(clk.Now)
		rate := rapid.IntRange(1, 50).Draw(rt, "rate")
		period := rapid.Int64Range(int64(rate), 100_000_000).Draw(rt, "period in µs")
		burst := rapid.IntRange(1, 8).Draw(rt, "burst")
		limit := ratelimit.Limit{Rate: rate, Period: time.Duration(period) * time.Microsecond, Burst: burst}
		interval := (period + int64(rate) - 1) / int64(rate)

		model := map[string]*bucket{}
		allowedAt := map[string][]int64{}
		for range rapid.IntRange(1, 60).Draw(rt, "requests") {
			// Now and then long enough for a sweep.
			pause := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 2*interval), rapid.Int64Range(0, 200_000_000))
			clk.Advance(time.Duration(pause.Draw(rt, "pause in µs")) * time.Microsecond)
			now := clk.Now().UnixMicro()
			key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "key")
			if model[key] == nil {
				model[key] = &bucket{interval: interval, burst: int64(burst), credit: interval * int64(burst), at: now}
			}
			got, err := limiter.Allow(t.Context(), key, limit)
			require.NoError(rt, err)
			require.Equal(rt, model[key].allow(now), got)
			if got.Allowed {
				allowedAt[key] = append(allowedAt[key], now)
			}
		}
		for _, times := range allowedAt {
			for first := range times {
				for last := first; last < len(times); last++ {
					most := int64(burst) + (times[last]-times[first])/interval
					require.LessOrEqual(rt, int64(last-first+1), most, "more than burst and rate allow")
				}
			}
		}
	})
}

func BenchmarkInProcess(b *testing.B) {
	limit := ratelimit.Limit{Rate: 1000, Period: time.Second, Burst: 100}
	run := func(name string, keyOf func(worker int64, i int) string) {
		b.Run(name, func(b *testing.B) {
			limiter := ratelimit.NewInProcess(clock.System{}.Now)
			b.ReportAllocs()
			var workers atomic.Int64
			b.RunParallel(func(pb *testing.PB) {
				worker := workers.Add(1)
				for i := 0; pb.Next(); i++ {
					if _, err := limiter.Allow(b.Context(), keyOf(worker, i), limit); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
	keys := make([]string, 100_000)
	for i := range keys {
		keys[i] = strconv.Itoa(i)
	}
	run("one-key", func(int64, int) string { return "key" })
	run("100k-keys", func(worker int64, i int) string { return keys[(i+int(worker)*7919)%len(keys)] })
}

package ratelimit_test

import (
	"net"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/ratelimit"
	"interlock/internal/ratelimit/ratelimittest"
)

func TestRedisFulfillsTheContract(t *testing.T) {
	client := newClient(t)
	ratelimittest.Contract(t, func(*testing.T) ratelimit.Limiter {
		return ratelimit.NewRedis(client, uniquePrefix())
	})
}

func TestProcessesShareTheCount(t *testing.T) {
	prefix := uniquePrefix()
	limit := ratelimit.Limit{Rate: 1, Period: time.Hour, Burst: 2}
	for i, want := range []bool{true, true, false} {
		decision, err := ratelimit.NewRedis(newClient(t), prefix).Allow(t.Context(), "key", limit)
		require.NoError(t, err)
		require.Equal(t, want, decision.Allowed, "process %d", i)
	}
}

func TestKeysExpireWhenRefilled(t *testing.T) {
	client := newClient(t)
	prefix := uniquePrefix()
	limit := ratelimit.Limit{Rate: 1, Period: 10 * time.Minute, Burst: 3}
	for range 2 {
		_, err := ratelimit.NewRedis(client, prefix).Allow(t.Context(), "key", limit)
		require.NoError(t, err)
	}
	ttl, err := client.PTTL(t.Context(), prefix+"key").Result()
	require.NoError(t, err)
	require.LessOrEqual(t, ttl, 20*time.Minute)
	require.Greater(t, ttl, 19*time.Minute)
}

func TestScriptIsReloadedAfterRedisLostIt(t *testing.T) {
	// On a server of its own: the shared one's scripts are counted on by others.
	client := redistest.Connect(t, redistest.NewServer(t).URL())
	limiter := ratelimit.NewRedis(client, uniquePrefix())
	limit := ratelimit.Limit{Rate: 1, Period: time.Hour, Burst: 2}
	for range 2 {
		require.NoError(t, client.ScriptFlush(t.Context()).Err())
		decision, err := limiter.Allow(t.Context(), "key", limit)
		require.NoError(t, err)
		require.True(t, decision.Allowed)
	}
}

func TestUnreachableRedisReturnsError(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	addr := listener.Addr().String()
	require.NoError(t, listener.Close())
	client := redis.NewClient(&redis.Options{Addr: addr, MaxRetries: -1})
	defer func() { require.NoError(t, client.Close()) }()
	decision, err := ratelimit.NewRedis(client, "").Allow(t.Context(), "key", ratelimit.Limit{Rate: 1, Period: time.Second, Burst: 1})
	require.ErrorContains(t, err, addr)
	require.Zero(t, decision)
}

func newClient(t *testing.T) redis.UniversalClient {
	t.Helper()
	return redistest.Connect(t, redistest.SharedURL(t))
}

func uniquePrefix() string { return "test:" + uuid.NewString() + ":" }

func TestRedisClusterFulfillsTheContract(t *testing.T) {
	client := redistest.Connect(t, redistest.NewCluster(t).URL())
	ratelimittest.Contract(t, func(*testing.T) ratelimit.Limiter {
		return ratelimit.NewRedis(client, uniquePrefix())
	})
}

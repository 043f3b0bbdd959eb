package lock_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/lock"
	"interlock/internal/lock/locktest"
)

// Proves G4.24.
func TestRedisFulfillsTheContract(t *testing.T) {
	client := redistest.Connect(t, redistest.SharedURL(t))
	locktest.Contract(t, func(t *testing.T) lock.Locker { return newRedis(t, client, lock.RedisOptions{}) })
}

// Proves G4.24.
func TestRedisClusterFulfillsTheContract(t *testing.T) {
	client := redistest.Connect(t, redistest.NewCluster(t).URL())
	locktest.Contract(t, func(t *testing.T) lock.Locker { return newRedis(t, client, lock.RedisOptions{}) })
}

// newRedis returns a locker that shares its keys with lockers of the same prefix. Without a
// prefix it creates a unique one.
func newRedis(t testing.TB, client redis.UniversalClient, options lock.RedisOptions) *lock.Redis {
	t.Helper()
	if options.Prefix == "" {
		options.Prefix = "test:" + uuid.NewString() + ":"
	}
	options.Channels = options.Prefix + "wake:"
	locker := lock.NewRedis(client, options)
	t.Cleanup(locker.Close)
	return locker
}

func BenchmarkRedis(b *testing.B) {
	client := redistest.Connect(b, redistest.SharedURL(b))
	locktest.Benchmark(b, func(b *testing.B) lock.Locker { return newRedis(b, client, lock.RedisOptions{}) })
}

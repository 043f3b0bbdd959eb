package realtime_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/events"
	"interlock/internal/views/realtime"
	"interlock/test/tier"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for an expected event.
const patience = 30 * time.Second

var topics = []realtime.Topic{
	{Name: "configs", Permission: "configs:read"},
	{Name: "orders", Permission: "orders:read"},
	{Name: "coupon-campaigns", Permission: "coupons:read"},
}

// eachBus runs a test on every event bus. newBus returns the bus of another process.
func eachBus(t *testing.T, test func(t *testing.T, newBus func() events.Bus)) {
	t.Run("in process", func(t *testing.T) {
		bus := events.NewInProcess(64)
		t.Cleanup(bus.Close)
		test(t, func() events.Bus { return bus })
	})
	t.Run("redis", func(t *testing.T) {
		tier.NeedServers(t)
		address := os.Getenv("INTERLOCK_TEST_REDIS_URL")
		require.NotEmpty(t, address, "INTERLOCK_TEST_REDIS_URL is not set: run through `make test`")
		options, err := redis.ParseURL(address)
		require.NoError(t, err)
		prefix := "test:" + uuid.NewString() + ":"
		test(t, func() events.Bus {
			client := redis.NewClient(options)
			t.Cleanup(func() { _ = client.Close() })
			bus, err := events.NewRedis(t.Context(), client, events.RedisOptions{Prefix: prefix, Buffer: 64})
			require.NoError(t, err)
			t.Cleanup(bus.Close)
			return bus
		})
	})
}

// process is a running Service with a stopped clock.
type process struct {
	*realtime.Service
	bus   events.Bus
	clock *clock.Fake
}

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func newProcess(t *testing.T, bus events.Bus, more ...realtime.Topic) process {
	t.Helper()
	now := clock.NewFake(noon)
	p := process{Service: realtime.New(realtime.Deps{Bus: bus, Clock: now, Topics: append(slices.Clone(topics), more...)}), bus: bus, clock: now}
	services := background.NewGroup(now)
	require.NoError(t, services.Start(t.Context(), p.Background()...))
	t.Cleanup(func() { services.Stop(context.Background()) })
	return p
}

func alone(t *testing.T) process {
	t.Helper()
	bus := events.NewInProcess(64)
	t.Cleanup(bus.Close)
	return newProcess(t, bus)
}

// person returns a context of a user of a tenant.
func person(t *testing.T, tenant, id int64, permissions ...string) context.Context {
	if len(permissions) == 0 {
		permissions = []string{"*"}
	}
	return principal.With(t.Context(), principal.Principal{
		Kind: principal.Admin, TenantID: tenant, UserID: id, Name: fmt.Sprintf("Person %d", id), Permissions: permissions,
	})
}

// beat sends a heartbeat and returns the other users.
func (p process) beat(t *testing.T, ctx context.Context, h realtime.Heartbeat) []realtime.Person {
	t.Helper()
	others, err := p.Beat(ctx, h)
	require.NoError(t, err)
	return others
}

// receive returns the next value of a channel, or fails after the time-out.
func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case value, open := <-from:
		require.True(t, open, "%s did not come: the channel was closed", what)
		return value
	case <-time.After(patience):
		require.FailNow(t, fmt.Sprintf("%s did not come within %s", what, patience))
		panic("unreachable")
	}
}

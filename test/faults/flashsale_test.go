package faults_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/edge/httpapi"
	"interlock/internal/settings"
	"interlock/test/apptest"
	"interlock/test/burst"
	"interlock/test/tier"
)

// mall is two processes that serve requests and two workers, on a separate MariaDB and
// Redis.
type mall struct {
	database *mariadb
	redis    *redistest.Server
	base     settings.Settings
	apis     [2]*process
	at       [2]settings.Settings
	workers  [2]*process
	sale     *burst.Sale
}

// The crowd of these tests.
const (
	mallUnits  = 2000
	mallBuyers = 20_000
)

// openMall starts everything and opens a sale with a queue that is slow enough for the faults to
// occur during the sale.
func openMall(t *testing.T) *mall {
	t.Helper()
	m := &mall{database: newMariaDB(t), redis: redistest.NewServer(t), base: apptest.Settings(t.TempDir())}
	m.base.DatabaseURL, m.base.RedisURL = m.database.url(), m.redis.URL()
	admin(t, m.base, "migrate", "up")
	callers := make([]*apptest.Caller, len(m.apis))
	for i := range m.apis {
		m.at[i] = m.base
		m.at[i].Role, m.at[i].Addr = "api", freeAddress(t)
		m.apis[i] = serve(t, m.at[i])
		callers[i] = callerOf(t, m.at[i])
	}
	for i := range m.workers {
		m.hire(t, i)
	}
	m.sale = burst.Open(t, mallUnits, mallBuyers, callers...)
	setPace(t, callers[0], m.sale, 100)
	return m
}

// setPace sets how many tickets per second a consumer turns into orders.
func setPace(t *testing.T, c *apptest.Caller, s *burst.Sale, rate int) {
	t.Helper()
	sale := c.Do(t, "GET", httpapi.Base+s.Path, nil)
	paced := c.Do(t, "PATCH", httpapi.Base+s.Path, map[string]any{"rate": rate}, "If-Match", sale.Header.Get("ETag"))
	require.Equal(t, 200, paced.Status, "%s", paced.Body)
}

// hire starts a worker.
func (m *mall) hire(t *testing.T, i int) {
	t.Helper()
	s := m.base
	s.Role, s.Addr = "worker", freeAddress(t)
	m.workers[i] = serve(t, s)
}

// under runs the rush and the time after it while it calls fault repeatedly, for the first
// time during the rush, and then checks the invariants.
func (m *mall) under(t *testing.T, every time.Duration, times int, fault func(n int)) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	var breaking sync.WaitGroup
	breaking.Go(func() {
		m.sale.Await(t, ctx, mallUnits/4)
		for n := range times {
			fault(n)
			pause(ctx, every)
		}
	})
	m.sale.Rush(t)
	breaking.Wait()
	stop()
	m.sale.Verify(t)
}

// Proves G5.30.
func TestSaleSurvivesKilledConsumers(t *testing.T) {
	tier.Nightly(t)
	m := openMall(t)
	m.under(t, 2*time.Second, 6, func(n int) {
		m.workers[n%2].kill()
		m.hire(t, n%2)
	})
}

// Proves G5.30.
func TestSaleSurvivesAKilledAPI(t *testing.T) {
	tier.Nightly(t)
	m := openMall(t)
	m.under(t, time.Second, 4, func(n int) {
		m.apis[n%2].kill()
		m.apis[n%2] = serve(t, m.at[n%2])
	})
}

// Proves G5.30.
func TestSaleSurvivesARedisRestart(t *testing.T) {
	tier.Nightly(t)
	m := openMall(t)
	m.under(t, 2*time.Second, 2, func(int) {
		m.redis.Kill(t)
		pause(t.Context(), 500*time.Millisecond)
		m.redis.Start(t)
	})
}

// Proves G5.30.
func TestSaleSurvivesAMariaDBRestart(t *testing.T) {
	tier.Nightly(t)
	m := openMall(t)
	m.under(t, 2*time.Second, 2, func(int) {
		m.database.kill()
		pause(t.Context(), 500*time.Millisecond)
		m.database.start(t)
	})
}

// Proves G5.17.
func TestEmptiedRedisDuringARushNeverOversells(t *testing.T) {
	tier.Nightly(t)
	m := openMall(t)
	client := redistest.Connect(t, m.redis.URL())
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var breaking sync.WaitGroup
	breaking.Go(func() {
		m.sale.Await(t, ctx, mallUnits/2)
		if err := client.FlushAll(ctx).Err(); err != nil {
			t.Error(err)
		}
	})
	m.sale.Rush(t)
	breaking.Wait()
	m.sale.VerifyAfterLoss(t)
}

// TestSaleWithoutRedisSurvivesAKilledProgram runs the same crowd against the
// default program, with a gate and a queue in tables.
// Proves G5.31.
func TestSaleWithoutRedisSurvivesAKilledProgram(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) {
		p, s, c := asProcess(t, engine)
		sale := burst.Open(t, mallUnits, mallBuyers, c)
		setPace(t, c, sale, 200)
		var breaking sync.WaitGroup
		breaking.Go(func() {
			for range 6 {
				pause(t.Context(), time.Second/2)
				p.kill()
				p = serve(t, s)
			}
		})
		sale.Rush(t)
		breaking.Wait()
		sale.Verify(t)
		checkPromises(t, s)
	})
}

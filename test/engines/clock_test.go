//go:build engines

package engines_test

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
	"interlock/test/burst"
	"interlock/test/stepclock"
)

// step is the offset of wrong clocks.
const step = 5 * time.Minute

// TestPromisesHoldWhileEngineClocksStep sets the clocks of one server of a
// Galera cluster, of all, of a Redis, of its Sentinels too, of a replica of the service and
// of everything five minutes ahead, then five minutes back, and right again. At the same
// time writers with and without keys write at both replicas, readers read those writes,
// watchers follow, and crowds buy. Afterwards a Redis replica can still replace the master.
func TestPromisesHoldWhileEngineClocksStep(t *testing.T) {
	var databases, own []*stepclock.Clock
	nodes := cluster(t, 3, func(_ int, n *node) {
		databases = append(databases, stepclock.New(t))
		n.environment = databases[len(databases)-1].Environment()
	})
	masters, others := stepclock.New(t), stepclock.New(t)
	master := by(t, masters, func() *redistest.Server { return redistest.NewServer(t) })
	r := by(t, others, func() redundant { return watched(t, master) })
	master.Environment = masters.Environment()
	s := newStormOf(t, nodes, preferring, func(databaseURL string) *apptest.Program {
		now := stepclock.New(t)
		own = append(own, now)
		settings := apptest.Settings(t.TempDir())
		settings.DatabaseURL, settings.RedisURL, settings.FlashSalePaymentTimeout = databaseURL, r.url, time.Hour
		// The limits of `admin serve`: rate limits use clocks too.
		settings.RateLimit, settings.TenantRateLimit = 5000, 50000
		return apptest.StartAt(t, settings, now)
	})
	redis := []*stepclock.Clock{masters, others}
	for _, wrong := range []struct {
		whose  string
		clocks []*stepclock.Clock
	}{
		{"the server that is written to", databases[:1]},
		{"all servers of the database", databases},
		{"the master of Redis", redis[:1]},
		{"Redis and its Sentinels", redis},
		{"a replica of the service", own[:1]},
		{"everything", slices.Concat(databases, redis, own)},
	} {
		underASale(t, s.programs, func() { s.stepClocks(t, wrong.whose, wrong.clocks) })
	}
	s.endASaleByTheClock(t, redis)
	restartSentinels(t, r)
	master.Kill(t)
	r.awaitPromotion(t, master)
	s.traffic.RequireWrites(t, "a failover after the clocks were right again", "order", "entry", "edit")
	master.Start(t)
	master.AwaitMaster(t)
	s.end(t)
}

// by starts servers that use a clock.
func by[S any](t *testing.T, c *stepclock.Clock, start func() S) S {
	t.Helper()
	for _, variable := range c.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		require.NoError(t, os.Setenv(name, value))
		defer os.Unsetenv(name)
	}
	return start()
}

// stepClocks sets clocks wrong and right again. After each step writes succeed, and a small
// sale starts and ends.
func (s *galeraStorm) stepClocks(t *testing.T, whose string, clocks []*stepclock.Clock) {
	for _, ahead := range []time.Duration{step, -step, 0} {
		for _, c := range clocks {
			c.Set(t, ahead)
		}
		s.traffic.RequireWrites(t, fmt.Sprintf("the clock of %s at %v", whose, ahead), "order", "entry", "edit")
		sale := burst.Open(t, 20, 60, everywhere(t, s.programs)...)
		sale.Rush(t)
		sale.Verify(t)
	}
}

// endASaleByTheClock sets the clock of Redis, which decides on purchases, past the end of a
// sale. The sale ends with the tickets that it issued, and stays closed when the clock is
// set back.
func (s *galeraStorm) endASaleByTheClock(t *testing.T, redis []*stepclock.Clock) {
	const units, buyers = 40, 10
	callers := everywhere(t, s.programs)
	sale := burst.Open(t, units, buyers, callers...)
	opened := callers[0].Do(t, http.MethodGet, httpapi.Base+sale.Path, nil)
	ends := time.Now().UTC().Add(step / 2)
	answer := callers[0].Do(t, http.MethodPatch, httpapi.Base+sale.Path, map[string]any{"endsTime": ends}, "If-Match", opened.Header.Get("ETag"))
	require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
	sale.Rush(t)
	require.Equal(t, buyers, sale.Accepted())
	buy := func() apptest.Answer {
		return callers[1].Do(t, http.MethodPost, httpapi.Base+sale.Path+"/orders", map[string]any{"quantity": 1}, "X-On-Behalf-Of", "late", "X-Idempotency-Key", fmt.Sprint(time.Now().UnixNano()))
	}
	for _, c := range redis {
		c.Set(t, step)
	}
	refused := buy()
	require.Equal(t, http.StatusConflict, refused.Status, "%s", refused.Body)
	require.Eventually(t, func() bool {
		return callers[1].Do(t, http.MethodGet, httpapi.Base+sale.Path, nil).JSON(t)["status"] == "closed"
	}, patience, 100*time.Millisecond)
	for _, c := range redis {
		c.Set(t, 0)
	}
	refused = buy()
	require.Equal(t, http.StatusConflict, refused.Status, "%s", refused.Body)
	require.Eventually(t, func() bool {
		stats := callers[0].Do(t, http.MethodGet, httpapi.Base+sale.Path+"/stats", nil).JSON(t)
		return stats["confirmed"] == float64(buyers) && stats["balanced"] == true
	}, patience, 100*time.Millisecond)
	stock := callers[0].Do(t, http.MethodGet, httpapi.Base+"/inventory/"+sale.SKU, nil).JSON(t)
	require.EqualValues(t, []float64{2*units - buyers, buyers}, []float64{stock["available"].(float64), stock["reserved"].(float64)})
}

// restartSentinels restarts the Sentinels, as an operator must after their clocks were set
// back: until their clocks reach the earlier time they query no server's role, and start a
// failover without completing it.
func restartSentinels(t *testing.T, r redundant) {
	t.Helper()
	for _, sentinel := range r.sentinels {
		sentinel.Kill(t)
		sentinel.Start(t)
	}
	for _, sentinel := range r.sentinels {
		client := redistest.Connect(t, "redis://"+sentinel.Addr+"/0")
		require.Eventually(t, func() bool {
			known, err := client.Do(t.Context(), "SENTINEL", "CKQUORUM", sentinelName).Text()
			return err == nil && strings.HasPrefix(known, "OK 3")
		}, patience, 100*time.Millisecond)
	}
}

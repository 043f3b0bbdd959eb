package e2e_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/test/apptest"
)

// findingOf returns the finding about one setting of one engine, or nil if there is none.
func findingOf(findings any, engine, name string) object {
	for _, one := range findings.([]any) {
		if finding := one.(object); finding["engine"] == engine && finding["name"] == name {
			return finding
		}
	}
	return nil
}

// Proves G5.45.
func TestRisksAreReportedWithoutBlockingRequests(t *testing.T) {
	server := redistest.NewServer(t)
	redis := redistest.Connect(t, server.URL())
	require.NoError(t, redis.ConfigSet(t.Context(), "maxmemory", "100000000").Err())
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL, s.RedisURL = newDatabase(t), server.URL()
	p := apptest.Start(t, s)
	c := underContract(t, p.Admin(t))

	ready := c.Do(t, http.MethodGet, "/readyz", nil)
	require.Equal(t, http.StatusOK, ready.Status)
	require.Equal(t, "ready", ready.JSON(t)["status"])
	sync := findingOf(ready.JSON(t)["risks"], "redis", "appendfsync")
	require.Equal(t, object{"process": "nothing", "machine": "second"}, sync["loss"])
	require.Equal(t, []any{"everysec", "always", "risk"}, []any{sync["value"], sync["want"], sync["level"]})
	require.Contains(t, sync["detail"], "accepted purchases without an order")
	require.NotNil(t, findingOf(ready.JSON(t)["risks"], "database", "innodb_flush_log_at_trx_commit"))
	require.Nil(t, findingOf(ready.JSON(t)["risks"], "redis", "appendonly"), "a healthy state is not a risk")

	report := read(t, c, "/api/v1/system")
	require.Equal(t, sync, findingOf(report["findings"], "redis", "appendfsync"))
	require.Equal(t, "ok", findingOf(report["findings"], "redis", "appendonly")["level"])
	memory := report["redis"].([]any)[0].(object)
	require.Equal(t, []any{1e8, "noeviction"}, []any{memory["limitBytes"], memory["policy"]})
	require.Len(t, report["clocks"], 2)
	for _, body := range [][]byte{ready.Body, c.Do(t, http.MethodGet, "/api/v1/system", nil).Body} {
		require.NotContains(t, string(body), server.Addr, "callers see no addresses")
	}

	metrics := c.Do(t, http.MethodGet, "/metrics", nil)
	require.Contains(t, string(metrics.Body), `interlock_redis_memory_limit_bytes{node=""} 1e+08`)
	require.Contains(t, string(metrics.Body), `interlock_engine_finding{engine="redis",level="risk",name="appendfsync",node=""} 1`)

	require.NoError(t, redis.ConfigSet(t.Context(), "appendfsync", "always").Err())
	p.Services().Engines.Inspect(t.Context())
	require.Nil(t, findingOf(c.Do(t, http.MethodGet, "/readyz", nil).JSON(t)["risks"], "redis", "appendfsync"))
}

func TestMetricsOfEveryPartAreExported(t *testing.T) {
	c := apptest.Shared(t, "sqlite").Admin(t)
	read(t, c, "/api/v1/system")
	metrics := string(c.Do(t, http.MethodGet, "/metrics", nil).Body)
	for _, name := range []string{
		"go_goroutines", `go_sql_max_open_connections{db_name="write"}`, "interlock_units_total", "interlock_locks_lost_total",
		"interlock_http_request_duration_seconds_count", "interlock_idempotency_replays_total", "interlock_ledger_events_total",
		"interlock_flash_sale_lost_tickets_total",
	} {
		require.Contains(t, metrics, "\n"+name)
	}
}

func TestEmbeddedServiceReportsNoRisk(t *testing.T) {
	c := apptest.Shared(t, "sqlite").Admin(t)
	require.Empty(t, c.Do(t, http.MethodGet, "/readyz", nil).JSON(t)["risks"])
	report := read(t, c, "/api/v1/system")
	require.Equal(t, "ok", findingOf(report["findings"], "database", "synchronous")["level"])
	require.Empty(t, report["redis"])
	require.Empty(t, report["clocks"])
}

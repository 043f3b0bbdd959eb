package viewstest

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/views/engines"
	"interlock/internal/views/engines/enginestest"
)

func TestUnreachableEngineIsReportedAndOtherIsRead(t *testing.T) {
	db := storagetest.MariaDB(t)
	away := redistest.Connect(t, "redis://127.0.0.1:1/0")
	report := enginestest.Inspect(t, engines.Probe{DB: db, Redis: away})
	require.Equal(t, engines.Broken, enginestest.About(t, report.Findings, "redis").Level)
	require.NotContains(t, enginestest.About(t, report.Findings, "redis").Says, "127.0.0.1")
	require.NotEmpty(t, enginestest.About(t, report.Findings, "innodb_flush_log_at_trx_commit").Value)
	require.NoError(t, db.Close())
	require.Equal(t, engines.Broken, enginestest.About(t, enginestest.Inspect(t, engines.Probe{DB: db, Redis: away}).Findings, "database").Level)
}

// Proves G5.43.
func TestEachDatabaseIsRead(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		report := enginestest.Inspect(t, engines.Probe{DB: db})
		if db.Dialect == storage.SQLite {
			require.Len(t, report.Findings, 3)
			require.Empty(t, report.NotOK())
			require.Contains(t, enginestest.About(t, report.Findings, "capabilities").Says, "one writer")
			require.Empty(t, report.Clocks)
			return
		}
		// The test server syncs its log once per second.
		flushed := enginestest.About(t, report.Findings, "innodb_flush_log_at_trx_commit")
		require.Equal(t, engines.Risk, flushed.Level, flushed.Says)
		require.Equal(t, engines.Loss{Process: engines.Nothing, Machine: engines.Second}, flushed.Loss, flushed.Says)
		require.Equal(t, "ON", enginestest.About(t, report.Findings, "innodb_doublewrite").Value)
		require.Equal(t, engines.OK, enginestest.About(t, report.Findings, "replicas").Level)
		require.Len(t, report.Clocks, 1)
		require.Contains(t, enginestest.About(t, report.Findings, "version").Value, "MariaDB")
		for name, value := range map[string]string{"isolation": "READ-COMMITTED", "storage_engine": "InnoDB", "check_constraint_checks": "ON", "auto_increment_increment": "1"} {
			f := enginestest.About(t, report.Findings, name)
			require.Equal(t, value, f.Value, name)
			require.Equal(t, engines.OK, f.Level, f.Says)
		}
		ways := enginestest.About(t, report.Findings, "capabilities")
		require.Equal(t, "packets", ways.Value)
		require.Contains(t, ways.Says, "SKIP LOCKED")
		require.Contains(t, ways.Says, "numbered after the commit")
	})
}

func TestNonTransactionalTableIsReported(t *testing.T) {
	db := storagetest.Open(t, storagetest.NewMariaDBURL(t))
	_, err := db.Pools()["write"].ExecContext(t.Context(), "CREATE TABLE loose (id INT) ENGINE=Aria")
	require.NoError(t, err)
	f := enginestest.About(t, enginestest.Inspect(t, engines.Probe{DB: db}).Findings, "storage_engine")
	require.Equal(t, engines.Broken, f.Level)
	require.True(t, f.Fatal)
	require.Contains(t, f.Says, "in Aria")
}

// ahead is a clock that is wrong by a constant.
type ahead time.Duration

func (a ahead) Now() time.Time { return clock.System{}.Now().Add(time.Duration(a)) }

// Proves G5.48.
func TestClockSkewAboveOneSecondIsARisk(t *testing.T) {
	p := engines.Probe{DB: storagetest.MariaDB(t), Redis: redistest.Connect(t, redistest.SharedURL(t))}
	for skew, level := range map[time.Duration]engines.Level{
		0: engines.OK, 500 * time.Millisecond: engines.OK, -500 * time.Millisecond: engines.OK,
		1500 * time.Millisecond: engines.Risk, -1500 * time.Millisecond: engines.Risk, -time.Hour: engines.Risk,
	} {
		p.Clock = ahead(skew)
		report := enginestest.Inspect(t, p)
		require.Len(t, report.Clocks, 2)
		for _, c := range report.Clocks {
			// This process's clock is ahead by skew, so the engine's is behind.
			require.InDelta(t, -skew.Seconds(), c.Skew.Seconds(), c.Error.Seconds()+0.01)
		}
		for _, f := range report.Findings {
			if f.Name == "clock" {
				require.Equal(t, level, f.Level, f.Says)
				require.Equal(t, level == engines.Risk, strings.Contains(f.Says, "NTP"), f.Says)
			}
		}
	}
}

// Proves G5.45.
func TestMemoryClocksAndFindingsAreMetrics(t *testing.T) {
	client := redistest.Connect(t, redistest.NewServer(t).URL())
	for name, value := range map[string]string{"maxmemory": "50000000", "appendfsync": "everysec"} {
		require.NoError(t, client.ConfigSet(t.Context(), name, value).Err())
	}
	m := engines.NewMonitor(engines.Probe{DB: storagetest.MariaDB(t), Redis: client, Clock: clock.System{}}, slog.New(slog.DiscardHandler))
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.Collectors()...)
	scrape := func() string {
		reply := httptest.NewRecorder()
		promhttp.HandlerFor(registry, promhttp.HandlerOpts{}).ServeHTTP(reply, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		require.Equal(t, http.StatusOK, reply.Code, reply.Body)
		return reply.Body.String()
	}
	require.Empty(t, scrape(), "nothing is reported before the first check")
	m.Inspect(t.Context())
	text := scrape()
	for _, part := range []string{
		`interlock_redis_memory_used_bytes{node=""} `, "interlock_redis_memory_limit_bytes{node=\"\"} 5e+07\n", "interlock_redis_evicted_keys_total{node=\"\"} 0\n",
		"interlock_redis_info{node=\"\",policy=\"noeviction\"} 1\n",
		`interlock_clock_skew_seconds{engine="database",node=""} `, `interlock_clock_skew_seconds{engine="redis",node=""} `, `interlock_clock_skew_error_seconds{engine="redis",node=""} `,
		"interlock_engine_finding{engine=\"redis\",level=\"risk\",name=\"appendfsync\",node=\"\"} 1\n",
		"interlock_engine_finding{engine=\"database\",level=\"risk\",name=\"innodb_flush_log_at_trx_commit\",node=\"\"} 1\n",
	} {
		require.Contains(t, text, part)
	}
}

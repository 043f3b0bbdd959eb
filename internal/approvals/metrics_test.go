package approvals_test

import (
	"context"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// measured returns the values of a metric by its only label.
func measured(t *testing.T, name string, collectors ...prometheus.Collector) map[string]time.Duration {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(collectors...)
	families, err := registry.Gather()
	require.NoError(t, err)
	values := map[string]time.Duration{}
	for _, family := range families {
		require.Equal(t, name, family.GetName())
		for _, m := range family.GetMetric() {
			values[m.GetLabel()[0].GetValue()] = time.Duration(m.GetGauge().GetValue() * float64(time.Second))
		}
	}
	return values
}

// It reads all tenants of the database, so it does not run in parallel with other tests.
func TestOverdueMetricGrowsBetweenJobRuns(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		o, there := open(t, ctx, db), open(t, storagetest.Tenant(t), db)
		overdue := func() map[string]time.Duration {
			return measured(t, "interlock_approvals_overdue_seconds", o.approvals.Collectors()...)
		}
		runJobs := func() {
			t.Helper()
			require.NoError(t, o.approvals.ExpireDue(ctx, 10))
			_, err := o.approvals.NextScheduled(ctx)
			require.NoError(t, err)
		}
		require.Empty(t, overdue(), "nothing was read yet")
		runJobs()
		require.Equal(t, map[string]time.Duration{"pending": 0, "stale": 0, "scheduled": 0}, overdue())

		const week = 7 * 24 * time.Hour
		li, wu, mo := o.user("Li", editor...), there.user("Wu", editor...), o.user("Mo", editor...)
		wu.propose("tax", wu.protect("tax", 1), `{"value":2}`)
		o.Clock.Advance(time.Hour)
		li.propose("fee", li.protect("fee", 1), `{"value":2}`)
		etag := li.plain("price", 1)
		li.schedule("price", etag, time.Hour, `{"value":2}`)
		outdated := li.schedule("rate", li.plain("rate", 1), 2*week, `{"value":2}`)
		mo.do(200, "PATCH", "/configs/rate", `{"value":3}`, "If-Match", li.config("rate")["etag"].(string))
		outdated = li.read(outdated)
		require.Equal(t, "stale", outdated.body["status"])
		runJobs()
		require.Equal(t, map[string]time.Duration{"pending": 0, "stale": 0, "scheduled": 0}, overdue())

		o.Clock.Advance(week)
		require.Equal(t, map[string]time.Duration{"pending": time.Hour, "stale": 0, "scheduled": week - time.Hour}, overdue(), "the earliest of all tenants, without a job run")
		o.Clock.Advance(time.Hour)
		runJobs()
		runJobs()
		require.Equal(t, map[string]time.Duration{"pending": 0, "stale": time.Hour, "scheduled": week}, overdue(), "an expired approval is no longer overdue")
		require.NoError(t, o.approvals.ApplyDue(ctx, 10))
		li.act(200, outdated, "withdraw", nil)
		runJobs()
		require.Equal(t, map[string]time.Duration{"pending": 0, "stale": 0, "scheduled": 0}, overdue())
	})
}

package idempotency

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
)

func TestUsedPartOfTheQuotaIsExported(t *testing.T) {
	full := &quota{limit: 1000, tallies: map[holder]*tally{
		{1, user}: {keys: 300}, {2, user}: {keys: 850}, {1, customer}: {keys: 100},
	}}
	registry := prometheus.NewRegistry()
	require.NoError(t, registry.Register(quotaCollector{full}))
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 1)
	require.Equal(t, "interlock_idempotency_quota_used_ratio", families[0].GetName())
	used := map[string]float64{}
	for _, metric := range families[0].GetMetric() {
		used[metric.GetLabel()[0].GetValue()] = metric.GetGauge().GetValue()
	}
	require.Equal(t, map[string]float64{"user": 0.85, "customer": 0.1}, used, "of the fullest tenant")
	require.Equal(t, map[string]float64{"user": 0, "customer": 0}, (&quota{}).used(), "without a limit")
}

// A count reads every key of the tenant, so a tenant far below a large quota is counted rarely.
func TestKeysAreRecountedBeforeTheQuotaIsFull(t *testing.T) {
	for _, test := range []struct {
		keys, limit int64
		lasts       time.Duration
	}{
		{0, 1_000_000, 100 * time.Second}, {999_999, 1_000_000, minCountAge}, {1_000_000, 1_000_000, minCountAge},
		{0, 110_000_000, maxCountAge}, {100_000_000, 110_000_000, 1000 * time.Second},
	} {
		require.Equal(t, test.lasts, (&tally{keys: test.keys}).lasts(test.limit), "%d of %d", test.keys, test.limit)
	}
}

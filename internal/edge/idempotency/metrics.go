package idempotency

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	replays prometheus.Counter
	refused *prometheus.CounterVec
}

func newMetrics() metrics {
	return metrics{
		replays: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "interlock_idempotency_replays_total",
			Help: "Requests that received the stored reply of an earlier attempt.",
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_idempotency_refused_total",
			Help: "Requests with an idempotency key that were rejected (in_progress, reused, quota).",
		}, []string{"reason"}),
	}
}

// Collectors returns the metrics of the ReplyStore.
func (k *ReplyStore) Collectors() []prometheus.Collector {
	return []prometheus.Collector{k.metrics.replays, k.metrics.refused, quotaCollector{&k.quota}}
}

var quotaUsed = prometheus.NewDesc("interlock_idempotency_quota_used_ratio",
	"Used part of the quota of idempotency keys, of the tenant with the highest use, by kind of holder (user, customer), from the last count of this process.", []string{"holders"}, nil)

// quotaCollector exports the last counts; a scrape does not query the database.
type quotaCollector struct{ quota *quota }

// Describe implements prometheus.Collector.
func (quotaCollector) Describe(ch chan<- *prometheus.Desc) { ch <- quotaUsed }

// Collect implements prometheus.Collector.
func (c quotaCollector) Collect(ch chan<- prometheus.Metric) {
	for kind, part := range c.quota.used() {
		ch <- prometheus.MustNewConstMetric(quotaUsed, prometheus.GaugeValue, part, kind)
	}
}

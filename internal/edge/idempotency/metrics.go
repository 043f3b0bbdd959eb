package idempotency

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	replays prometheus.Counter
	refused *prometheus.CounterVec
	cache   *prometheus.CounterVec
}

func newMetrics() metrics {
	return metrics{
		replays: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "interlock_idempotency_replays_total",
			Help: "Requests that were answered with the reply of an earlier attempt.",
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_idempotency_refused_total",
			Help: "Requests with an idempotency key that were refused (in_progress, reused, quota).",
		}, []string{"reason"}),
		cache: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_idempotency_cache_total",
			Help: "Look-ups of idempotency keys in this process (memory) and then in Redis (hit, miss, error).",
		}, []string{"result"}),
	}
}

// Collectors returns what the Keeper measures.
func (k *Keeper) Collectors() []prometheus.Collector {
	return []prometheus.Collector{k.metrics.replays, k.metrics.refused, k.metrics.cache, quotaCollector{&k.quota}}
}

var quotaUsed = prometheus.NewDesc("interlock_idempotency_quota_used_ratio",
	"Part of the quota of idempotency keys that the fullest tenant has used, as this process counted last, by whose keys they are (user, customer).", []string{"holders"}, nil)

// quotaCollector exports the last counts: a scrape counts nothing.
type quotaCollector struct{ quota *quota }

// Describe implements prometheus.Collector.
func (quotaCollector) Describe(ch chan<- *prometheus.Desc) { ch <- quotaUsed }

// Collect implements prometheus.Collector.
func (c quotaCollector) Collect(ch chan<- prometheus.Metric) {
	for kind, part := range c.quota.used() {
		ch <- prometheus.MustNewConstMetric(quotaUsed, prometheus.GaugeValue, part, kind)
	}
}

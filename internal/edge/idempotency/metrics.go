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
	return []prometheus.Collector{k.metrics.replays, k.metrics.refused, k.metrics.cache}
}

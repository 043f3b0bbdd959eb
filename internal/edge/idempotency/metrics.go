package idempotency

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	replays prometheus.Counter
	refused *prometheus.CounterVec
	cache   *prometheus.CounterVec
}

func newMetrics(registerer prometheus.Registerer) metrics {
	m := metrics{
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
	if registerer != nil {
		registerer.MustRegister(m.replays, m.refused, m.cache)
	}
	return m
}

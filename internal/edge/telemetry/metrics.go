package telemetry

import (
	"database/sql"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the program's own registry and the counters of the core.
type Metrics struct {
	Registry *prometheus.Registry

	retries *prometheus.CounterVec
	units   *prometheus.CounterVec
	locks   lockMetrics
	queues  queueMetrics
}

// NewMetrics returns a registry with the process's and the units' metrics.
func NewMetrics() *Metrics {
	m := &Metrics{
		Registry: prometheus.NewRegistry(),
		retries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_unit_retries_total",
			Help: "Units of work that were run again, by reason.",
		}, []string{"reason"}),
		units: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_units_total",
			Help: "Runs of units of work by outcome (committed, rolled_back, unknown).",
		}, []string{"outcome"}),
	}
	m.Registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.retries, m.units,
	)
	m.locks = newLockMetrics(m.Registry)
	m.queues = newQueueMetrics(m.Registry)
	return m
}

// UnitRetried implements uow.Observer.
func (m *Metrics) UnitRetried(reason string) { m.retries.WithLabelValues(reason).Inc() }

// UnitEnded implements uow.Observer.
func (m *Metrics) UnitEnded(outcome string) { m.units.WithLabelValues(outcome).Inc() }

// WatchPool exports a connection pool's sizes and waits.
func (m *Metrics) WatchPool(name string, pool *sql.DB) {
	m.Registry.MustRegister(collectors.NewDBStatsCollector(pool, name))
}

// Handler serves the metrics in Prometheus' text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.Registry, promhttp.HandlerOpts{})
}

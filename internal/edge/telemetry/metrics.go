package telemetry

import (
	"database/sql"
	"net/http"
	"regexp"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Measured is a part of the program with metrics. It updates its metrics whether or not they are
// registered; package app registers them.
type Measured interface {
	Collectors() []prometheus.Collector
}

// Metrics is the program's registry with the counters of the core.
type Metrics struct {
	registry *prometheus.Registry
	// parts are the registered parts.
	parts []Measured

	retries *prometheus.CounterVec
	units   *prometheus.CounterVec
	locks   lockMetrics
	queues  queueMetrics
}

// NewMetrics returns a registry with the metrics of the process and of units of work.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		retries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_unit_retries_total",
			Help: "Units of work that were run again, by reason.",
		}, []string{"reason"}),
		units: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_units_total",
			Help: "Runs of units of work by outcome (committed, rolled_back, unknown).",
		}, []string{"outcome"}),
		locks:  newLockMetrics(),
		queues: newQueueMetrics(),
	}
	m.Register(m)
	return m
}

// Register exports the metrics of parts of the program. Registering a part twice panics.
func (m *Metrics) Register(parts ...Measured) {
	for _, part := range parts {
		m.registry.MustRegister(part.Collectors()...)
	}
	m.parts = append(m.parts, parts...)
}

var nameInDesc = regexp.MustCompile(`fqName: "([^"]+)"`)

// Names returns the names of all metrics, also of those without a value. Tests compare the names in
// alerts and dashboards with them.
func (m *Metrics) Names() []string {
	var names []string
	for _, part := range m.parts {
		for _, collector := range part.Collectors() {
			descriptions := make(chan *prometheus.Desc, 256)
			collector.Describe(descriptions)
			close(descriptions)
			for description := range descriptions {
				names = append(names, nameInDesc.FindStringSubmatch(description.String())[1])
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Collectors implements Measured.
func (m *Metrics) Collectors() []prometheus.Collector {
	return slices.Concat([]prometheus.Collector{
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		m.retries, m.units,
	}, m.locks.collectors(), m.queues.collectors())
}

// UnitRetried implements uow.Observer.
func (m *Metrics) UnitRetried(reason string) { m.retries.WithLabelValues(reason).Inc() }

// UnitEnded implements uow.Observer.
func (m *Metrics) UnitEnded(outcome string) { m.units.WithLabelValues(outcome).Inc() }

// Pools provides the metrics of connection pools, by name.
type Pools map[string]*sql.DB

// Collectors implements Measured.
func (p Pools) Collectors() []prometheus.Collector {
	var found []prometheus.Collector
	for name, pool := range p {
		found = append(found, collectors.NewDBStatsCollector(pool, name))
	}
	return found
}

// Handler serves the metrics in Prometheus' text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

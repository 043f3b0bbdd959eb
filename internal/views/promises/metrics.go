package promises

import "github.com/prometheus/client_golang/prometheus"

var (
	violations = prometheus.NewDesc("interlock_promise_violations", "Violations of the promise found by the current or the last complete check.", []string{"promise"}, nil)
	lastTrue   = prometheus.NewDesc("interlock_promise_last_true_timestamp_seconds", "End time of the last complete check that found no violation of the promise.", []string{"promise"}, nil)
	lastLook   = prometheus.NewDesc("interlock_promise_last_look_timestamp_seconds", "End time of the last complete check of the promise.", []string{"promise"}, nil)
	lookedAt   = prometheus.NewDesc("interlock_promise_rows", "Rows that the last complete check of the promise read.", []string{"promise"}, nil)
	busy       = prometheus.NewDesc("interlock_promise_busy_seconds", "Database time of the last complete check of the promise.", []string{"promise"}, nil)
)

// Collectors returns the metrics of the service. A scrape queries no engine: a process that
// does not check itself is at most 15 seconds late.
func (s *Service) Collectors() []prometheus.Collector { return []prometheus.Collector{collector{s}} }

type collector struct{ service *Service }

// Describe implements prometheus.Collector.
func (collector) Describe(ch chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{violations, lastTrue, lastLook, lookedAt, busy} {
		ch <- desc
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	c.service.mu.Lock()
	defer c.service.mu.Unlock()
	for _, p := range c.service.checks.list {
		st, known := c.service.seen[p.Name]
		if !known {
			continue
		}
		gauge := func(desc *prometheus.Desc, value float64) {
			ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, p.Name)
		}
		gauge(violations, float64(max(st.Violated, st.LastViolated)))
		if st.PassedTime == nil {
			continue
		}
		gauge(lastLook, float64(st.PassedTime.Unix()))
		gauge(lookedAt, float64(st.LastLooked))
		gauge(busy, float64(st.LastBusyUS)/1e6)
		if st.KeptTime != nil {
			gauge(lastTrue, float64(st.KeptTime.Unix()))
		}
	}
}

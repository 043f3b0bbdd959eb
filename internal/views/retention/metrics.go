package retention

import "github.com/prometheus/client_golang/prometheus"

var (
	removedRowsOf = prometheus.NewDesc("interlock_retention_removed_rows", "Expired rows removed from the table since the database was created. All processes report the same value.", []string{"table"}, nil)
	limitOf       = prometheus.NewDesc("interlock_retention_limit_timestamp_seconds", "Rows of the table that ended before this time may have been removed.", []string{"table"}, nil)
	lastRunOf     = prometheus.NewDesc("interlock_retention_last_run_timestamp_seconds", "End time of the last complete run over the table.", []string{"table"}, nil)
	busyOf        = prometheus.NewDesc("interlock_retention_busy_seconds", "Database time of the current or the last run over the table.", []string{"table"}, nil)
)

// Collectors returns the metrics of the service. A scrape queries no engine: a process that
// does not sweep is at most a minute late.
func (s *Service) Collectors() []prometheus.Collector { return []prometheus.Collector{collector{s}} }

type collector struct{ service *Service }

// Describe implements prometheus.Collector.
func (collector) Describe(ch chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{removedRowsOf, limitOf, lastRunOf, busyOf} {
		ch <- desc
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	c.service.mu.Lock()
	defer c.service.mu.Unlock()
	for name, st := range c.service.seen {
		gauge := func(desc *prometheus.Desc, value float64) {
			ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, name)
		}
		gauge(removedRowsOf, float64(st.Total))
		gauge(busyOf, float64(st.BusyUS)/1e6)
		if st.UntilTime != nil {
			gauge(limitOf, float64(st.UntilTime.Unix()))
		}
		if st.EndedTime != nil {
			gauge(lastRunOf, float64(st.EndedTime.Unix()))
		}
	}
}

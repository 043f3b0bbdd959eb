package engines

import "github.com/prometheus/client_golang/prometheus"

var (
	redisUsed    = prometheus.NewDesc("interlock_redis_memory_used_bytes", "Memory that Redis uses, by node (empty unless it is a cluster).", []string{"node"}, nil)
	redisLimit   = prometheus.NewDesc("interlock_redis_memory_limit_bytes", "Memory that Redis may use (maxmemory); 0 means no limit.", []string{"node"}, nil)
	redisEvicted = prometheus.NewDesc("interlock_redis_evicted_keys_total", "Keys that Redis has evicted since its start because its memory was full.", []string{"node"}, nil)
	redisInfo    = prometheus.NewDesc("interlock_redis_info", "1, with the eviction policy of Redis (maxmemory-policy).", []string{"node", "policy"}, nil)
	clockSkew    = prometheus.NewDesc("interlock_clock_skew_seconds", "Seconds by which an engine's clock is ahead of this process's clock.", []string{"engine", "node"}, nil)
	clockError   = prometheus.NewDesc("interlock_clock_skew_error_seconds", "Accuracy of the clock skew: half the round-trip time.", []string{"engine", "node"}, nil)
	certificates = prometheus.NewDesc("interlock_certificate_expiry_timestamp_seconds", "When a certificate in use expires: that of the database, of redis, of the listener, of a provider of single sign-on (oidc NAME), or of the customer-keys.", []string{"of"}, nil)
	findings     = prometheus.NewDesc("interlock_engine_finding", "1 for each setting that needs attention, by level (risk, unknown, broken).", []string{"engine", "node", "name", "level"}, nil)
)

// collector exports the monitor's last report: a scrape queries no engine.
type collector struct{ monitor *Monitor }

// Collectors returns the metrics of the monitor.
func (m *Monitor) Collectors() []prometheus.Collector { return []prometheus.Collector{collector{m}} }

// Describe implements prometheus.Collector.
func (collector) Describe(ch chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{redisUsed, redisLimit, redisEvicted, redisInfo, clockSkew, clockError, certificates, findings} {
		ch <- desc
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	report := c.monitor.Report()
	for _, m := range report.Memory {
		gauge(redisUsed, float64(m.Used), m.Node)
		gauge(redisLimit, float64(m.Limit), m.Node)
		gauge(redisInfo, 1, m.Node, m.Policy)
		ch <- prometheus.MustNewConstMetric(redisEvicted, prometheus.CounterValue, float64(m.Evicted), m.Node)
	}
	for _, clock := range report.Clocks {
		gauge(clockSkew, clock.Skew.Seconds(), string(clock.Engine), clock.Node)
		gauge(clockError, clock.Error.Seconds(), string(clock.Engine), clock.Node)
	}
	for _, c := range report.Certificates {
		gauge(certificates, float64(c.End.Unix()), c.Of)
	}
	for _, f := range report.NotOK() {
		gauge(findings, 1, string(f.Engine), f.Node, f.Name, string(f.Level))
	}
}

package webhooks

import "github.com/prometheus/client_golang/prometheus"

// metrics count deliveries.
type metrics struct {
	deliveries *prometheus.CounterVec
	lag        prometheus.Gauge
}

func newMetrics() metrics {
	return metrics{
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_webhook_deliveries_total", Help: "Attempts to deliver a message to a webhook, by outcome: delivered, rejected (a reply other than 2xx) or failed (no reply).",
		}, []string{"outcome"}),
		lag: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "interlock_webhook_lag_seconds", Help: "Age of the oldest change that a webhook has not confirmed yet, in the delivering process; 0 in the others.",
		}),
	}
}

func (m metrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.deliveries, m.lag}
}

func (m metrics) count(d Delivery) {
	outcome := "rejected"
	switch {
	case d.delivered():
		outcome = "delivered"
	case d.Status == 0:
		outcome = "failed"
	}
	m.deliveries.WithLabelValues(outcome).Inc()
}

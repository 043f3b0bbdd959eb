package flashsale

import "github.com/prometheus/client_golang/prometheus"

type metrics struct {
	accepted  prometheus.Counter
	refused   *prometheus.CounterVec
	confirmed prometheus.Counter
	rejected  *prometheus.CounterVec
	dead      prometheus.Gauge
	balanced  *prometheus.GaugeVec
	rebuilt   prometheus.Counter
	repaired  prometheus.Counter
	lost      prometheus.Counter
}

func newMetrics() *metrics {
	return &metrics{
		accepted: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "interlock_flash_sale_accepted_units_total", Help: "Units that the gate accepted.",
		}),
		refused: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_flash_sale_refused_total", Help: "Rejected purchases, by reason.",
		}, []string{"reason"}),
		confirmed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "interlock_flash_sale_confirmed_units_total", Help: "Units that became orders.",
		}),
		rejected: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_flash_sale_rejected_units_total", Help: "Accepted units that did not become orders, by reason.",
		}, []string{"reason"}),
		dead: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "interlock_flash_sale_dead_units", Help: "Units in dead letters, of all sales.",
		}),
		balanced: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "interlock_flash_sale_balanced", Help: "1 while each allotted unit of the sale is counted exactly once, 0 otherwise.",
		}, []string{"sale"}),
		rebuilt: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "interlock_flash_sale_rebuilt_total", Help: "Gates that were rebuilt from the database.",
		}),
		repaired: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "interlock_flash_sale_repaired_tickets_total", Help: "Tickets that the reconciler corrected from their orders, rejections or messages.",
		}),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "interlock_flash_sale_lost_tickets_total", Help: "Accepted tickets that were lost with the gate's store and therefore rejected.",
		}),
	}
}

// Collectors returns the metrics of the service.
func (s *Service) Collectors() []prometheus.Collector {
	m := s.metrics
	return []prometheus.Collector{m.accepted, m.refused, m.confirmed, m.rejected, m.dead, m.balanced, m.rebuilt, m.repaired, m.lost}
}

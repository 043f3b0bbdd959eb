package approvals

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/base/clock"
)

var overdue = prometheus.NewDesc("interlock_approvals_overdue_seconds",
	"How long the earliest due approval has been overdue, by status: a pending one to expire, a scheduled one to apply, a stale one to rebase or withdraw. 0 if none is overdue.",
	[]string{"status"}, nil)

// deadlines caches the earliest due time per status, as last read by the background jobs of this
// process. Collecting it needs no statement, and the measured age grows while the jobs are stopped.
// It implements prometheus.Collector.
type deadlines struct {
	clock clock.Clock

	mu sync.Mutex
	// first has a zero time for a status without due approvals, and no entry for a status that was
	// not read yet.
	first map[string]time.Time
}

func newDeadlines(clk clock.Clock) *deadlines {
	return &deadlines{clock: clk, first: map[string]time.Time{}}
}

// note stores the earliest due time of a status.
func (d *deadlines) note(status string, due time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.first[status] = due
}

// Collectors returns the metrics of the service.
func (s *Service) Collectors() []prometheus.Collector { return []prometheus.Collector{s.deadlines} }

// Describe implements prometheus.Collector.
func (*deadlines) Describe(ch chan<- *prometheus.Desc) { ch <- overdue }

// Collect implements prometheus.Collector.
func (d *deadlines) Collect(ch chan<- prometheus.Metric) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.clock.Now()
	for status, due := range d.first {
		var late time.Duration
		if !due.IsZero() {
			late = max(0, now.Sub(due))
		}
		ch <- prometheus.MustNewConstMetric(overdue, prometheus.GaugeValue, late.Seconds(), status)
	}
}

package approvals

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/base/clock"
)

var overdue = prometheus.NewDesc("interlock_approvals_overdue_seconds",
	"For how long the approval that was due first is overdue, by status: pending ones are to expire, scheduled ones to be applied, stale ones to be rebased or withdrawn; 0 when none is overdue.",
	[]string{"status"}, nil)

// deadlines remembers for each status when the first of its approvals is due, as the background
// jobs of this process last read it: measuring costs no statement, and an approval goes on getting
// older while the jobs stand still. It implements prometheus.Collector.
type deadlines struct {
	clock clock.Clock

	mu sync.Mutex
	// first has a zero time for a status of which nothing is due at any time, and no entry for one
	// that was not read yet.
	first map[string]time.Time
}

func newDeadlines(clk clock.Clock) *deadlines {
	return &deadlines{clock: clk, first: map[string]time.Time{}}
}

// note keeps when the first approval of a status is due.
func (d *deadlines) note(status string, due time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.first[status] = due
}

// Collectors returns what the service measures.
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

package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/lock"
)

// lockBuckets range from a round trip to Redis to the maximum wait of a request, in seconds.
var lockBuckets = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// lockMetrics have no label for the key, because there are too many keys: at least one per wallet.
type lockMetrics struct {
	wait     *prometheus.HistogramVec
	hold     prometheus.Histogram
	acquired *prometheus.CounterVec
	lost     prometheus.Counter
}

func newLockMetrics() lockMetrics {
	return lockMetrics{
		wait: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "interlock_lock_wait_seconds", Buckets: lockBuckets,
			Help: "Time waited for a lock of another holder, by outcome (acquired, refused).",
		}, []string{"outcome"}),
		hold: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "interlock_lock_hold_seconds", Buckets: lockBuckets,
			Help: "Time for which locks were held.",
		}),
		acquired: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_locks_acquired_total",
			Help: "Locks acquired, by contention with another holder (contended: true, false).",
		}, []string{"contended"}),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "interlock_locks_lost_total",
			Help: "Locks that ended before they were released.",
		}),
	}
}

func (m lockMetrics) collectors() []prometheus.Collector {
	return []prometheus.Collector{m.wait, m.hold, m.acquired, m.lost}
}

// LockObserver returns the observer for a locker.
func (m *Metrics) LockObserver() lock.Observer {
	// The labels are resolved once, because resolving a label costs more than counting.
	free, contended := m.locks.acquired.WithLabelValues("false"), m.locks.acquired.WithLabelValues("true")
	acquired, refused := m.locks.wait.WithLabelValues("acquired"), m.locks.wait.WithLabelValues("refused")
	return lock.Observer{
		Acquired: func(_ string, waited time.Duration, contention bool) {
			if !contention {
				free.Inc()
				return
			}
			contended.Inc()
			acquired.Observe(waited.Seconds())
		},
		Refused:  func(_ string, waited time.Duration) { refused.Observe(waited.Seconds()) },
		Released: func(_ string, held time.Duration) { m.locks.hold.Observe(held.Seconds()) },
		Lost:     func(string) { m.locks.lost.Inc() },
	}
}

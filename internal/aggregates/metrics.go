package aggregates

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/base/apperr"
)

type metrics struct {
	applied  prometheus.Counter
	rejected *prometheus.CounterVec
}

func newMetrics() metrics {
	return metrics{
		applied: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "interlock_ledger_events_total",
			Help: "Events that were written to aggregates.",
		}),
		rejected: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_ledger_refused_total",
			Help: "Writes to aggregates that were rejected as repeats (idempotency_violation, inflight_duplicate, payload_mismatch, sequence_superseded).",
		}, []string{"code"}),
	}
}

// Collectors returns the metrics of the service.
func (s *Service) Collectors() []prometheus.Collector {
	return []prometheus.Collector{s.metrics.applied, s.metrics.rejected}
}

// counted counts a rejection and returns it.
func (s *Service) counted(err error) error {
	var e *apperr.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case apperr.IdempotencyViolation, apperr.InflightDuplicate, apperr.PayloadMismatch, apperr.SequenceSuperseded:
		s.metrics.rejected.WithLabelValues(string(e.Code)).Inc()
	}
	return err
}

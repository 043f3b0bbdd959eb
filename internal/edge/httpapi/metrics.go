package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/base/apperr"
)

type metrics struct {
	requests    *prometheus.HistogramVec
	conflicts   *prometheus.CounterVec
	transitions *prometheus.CounterVec
	refusals    *prometheus.CounterVec
}

func newMetrics() *metrics {
	return &metrics{
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "interlock_http_request_duration_seconds",
			Help:    "Duration of requests by method, route and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"method", "route", "status"}),
		conflicts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_conflicts_total",
			Help: "Writes rejected because another write was first, by resource and code.",
		}, []string{"resource", "code"}),
		transitions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_transitions_total",
			Help: "Status transitions by resource, action and outcome (done, not_allowed, lost, refused, failed).",
		}, []string{"resource", "action", "outcome"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interlock_refusals_total",
			Help: "Requests rejected for the identity or the rate of their caller, by code.",
		}, []string{"code"}),
	}
}

// Collectors returns the metrics of the server.
func (s *Server) Collectors() []prometheus.Collector {
	return []prometheus.Collector{s.metrics.requests, s.metrics.conflicts, s.metrics.transitions, s.metrics.refusals}
}

func (m *metrics) request(method, route string, status int, took time.Duration) {
	m.requests.WithLabelValues(methodLabel(method), route, strconv.Itoa(status)).Observe(took.Seconds())
}

// methodLabel returns "other" for an unknown method, so that a client cannot create new metric
// series.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// isConflict reports whether a code means that another write was first.
func isConflict(code apperr.Code) bool {
	switch code {
	case apperr.VersionConflict, apperr.StatusChanged, apperr.TransitionNotAllowed, apperr.BatchConflict, apperr.AlreadyExists:
		return true
	}
	return false
}

func (m *metrics) transition(resource, action string, err error) {
	m.transitions.WithLabelValues(resource, action, outcomeOf(err)).Inc()
}

func outcomeOf(err error) string {
	if err == nil {
		return "done"
	}
	switch Visible(err).Code {
	case apperr.TransitionNotAllowed:
		return "not_allowed"
	case apperr.StatusChanged, apperr.VersionConflict:
		return "lost"
	case apperr.Internal, apperr.Unavailable, apperr.OutcomeUnknown:
		return "failed"
	}
	return "refused"
}

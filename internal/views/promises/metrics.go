package promises

import (
	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/core/walk"
)

var (
	violations  = prometheus.NewDesc("interlock_promise_violations", "Violations of the promise found by the current or the last complete check.", []string{"promise"}, nil)
	lastTrue    = prometheus.NewDesc("interlock_promise_last_true_timestamp_seconds", "End time of the last complete check that found no violation of the promise.", []string{"promise"}, nil)
	lastCheck   = prometheus.NewDesc("interlock_promise_last_look_timestamp_seconds", "End time of the last complete check of the promise.", []string{"promise"}, nil)
	checkedRows = prometheus.NewDesc("interlock_promise_rows", "Rows that the last complete check of the promise read.", []string{"promise"}, nil)
	busy        = prometheus.NewDesc("interlock_promise_busy_seconds", "Database time of the last complete check of the promise.", []string{"promise"}, nil)
)

// Collectors returns the metrics of the service.
func (s *Service) Collectors() []prometheus.Collector {
	return s.walker.Collectors([]walk.Gauge{
		{Desc: violations, Value: func(st walk.State) (float64, bool) { return float64(max(st.Found, st.Last.Found)), true }},
		{Desc: lastTrue, Value: func(st walk.State) (float64, bool) { return walk.Seconds(st.CleanTime) }},
		{Desc: lastCheck, Value: func(st walk.State) (float64, bool) { return walk.Seconds(st.Last.EndedTime) }},
		{Desc: checkedRows, Value: func(st walk.State) (float64, bool) { return float64(st.Last.Checked), st.Last.EndedTime != nil }},
		{Desc: busy, Value: func(st walk.State) (float64, bool) { return float64(st.Last.BusyUS) / 1e6, st.Last.EndedTime != nil }},
	})
}

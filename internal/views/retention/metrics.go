package retention

import (
	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/core/walk"
)

var (
	removedRowsOf = prometheus.NewDesc("interlock_retention_removed_rows", "Expired rows removed from the table since the database was created. All processes report the same value.", []string{"table"}, nil)
	limitOf       = prometheus.NewDesc("interlock_retention_limit_timestamp_seconds", "Rows of the table that ended before this time may have been removed.", []string{"table"}, nil)
	lastRunOf     = prometheus.NewDesc("interlock_retention_last_run_timestamp_seconds", "End time of the last complete run over the table.", []string{"table"}, nil)
	busyOf        = prometheus.NewDesc("interlock_retention_busy_seconds", "Database time of the current or the last run over the table.", []string{"table"}, nil)
)

// Collectors returns the metrics of the service.
func (s *Service) Collectors() []prometheus.Collector {
	return s.walker.Collectors([]walk.Gauge{
		{Desc: removedRowsOf, Value: func(st walk.State) (float64, bool) { return float64(st.Total), true }},
		{Desc: limitOf, Value: func(st walk.State) (float64, bool) { return walk.Seconds(st.UntilTime) }},
		{Desc: lastRunOf, Value: func(st walk.State) (float64, bool) { return walk.Seconds(st.Last.EndedTime) }},
		{Desc: busyOf, Value: func(st walk.State) (float64, bool) { return float64(st.BusyUS) / 1e6, true }},
	})
}

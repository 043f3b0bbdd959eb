package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/base/clock"
)

// Logs with positions that are assigned after the commit (storage.SequencedLog).
const (
	logOfConfigs = "configs"
	logsOfAudit  = "audit"
)

// numbering exports for each log the time up to which all committed rows have positions. It stops
// advancing if the log cannot be numbered, if rows are written faster than numbered, or if no
// process numbers it.
type numbering struct {
	clock clock.Clock
	until *prometheus.GaugeVec
}

// newNumbering returns a numbering with the start of the process as the initial time, so that the
// lag of a log that is never numbered becomes visible.
func newNumbering(clk clock.Clock) *numbering {
	n := &numbering{clk, prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "interlock_log_numbered_timestamp_seconds",
		Help: "Time up to which all rows committed to the log are known to have positions. Each process with background work checks once a minute.",
	}, []string{"log"})}
	for _, log := range []string{logOfConfigs, logsOfAudit} {
		n.until.WithLabelValues(log).Set(float64(clk.Now().Unix()))
	}
	return n
}

// Collectors returns the metrics of the numbering.
func (n *numbering) Collectors() []prometheus.Collector { return []prometheus.Collector{n.until} }

// of returns a job that numbers a log. number reports whether all rows that were committed when it
// was called have positions.
func (n *numbering) of(log string, number func(ctx context.Context) (complete bool, err error)) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		started := n.clock.Now()
		complete, err := number(ctx)
		if complete && err == nil {
			n.until.WithLabelValues(log).Set(float64(started.UnixMicro()) / 1e6)
		}
		return err
	}
}

package app

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"interlock/internal/base/clock"
)

// The logs whose committed rows get their places behind their writers (storage.SequencedLog).
const (
	logOfConfigs = "configs"
	logsOfAudit  = "audit"
)

// numbering says of each log until when what was committed is known to have its place. It stands
// still when the log cannot be numbered, when more is written than is numbered, and when nobody
// numbers at all.
type numbering struct {
	clock clock.Clock
	until *prometheus.GaugeVec
}

// newNumbering returns a numbering whose logs were whole when the process started, so that one in
// which nothing is ever numbered shows it.
func newNumbering(clk clock.Clock) *numbering {
	n := &numbering{clk, prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "interlock_log_numbered_timestamp_seconds",
		Help: "Until when everything that was committed to the log is known to have its place: to this process, which looks once a minute when it does background work.",
	}, []string{"log"})}
	for _, log := range []string{logOfConfigs, logsOfAudit} {
		n.until.WithLabelValues(log).Set(float64(clk.Now().Unix()))
	}
	return n
}

// Collectors returns what it measures.
func (n *numbering) Collectors() []prometheus.Collector { return []prometheus.Collector{n.until} }

// of returns a job that numbers a log. number reports whether all that was committed when it was
// called has its place.
func (n *numbering) of(log string, number func(ctx context.Context) (whole bool, err error)) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		began := n.clock.Now()
		whole, err := number(ctx)
		if whole && err == nil {
			n.until.WithLabelValues(log).Set(float64(began.UnixMicro()) / 1e6)
		}
		return err
	}
}

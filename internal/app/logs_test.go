package app

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
)

func TestNumberingTimeAdvancesOnlyWhenComplete(t *testing.T) {
	started := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	now := clock.NewFake(started)
	n := newNumbering(now)
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(n.Collectors()...)
	until := func() time.Duration {
		families, err := registry.Gather()
		require.NoError(t, err)
		for _, m := range families[0].GetMetric() {
			if m.GetLabel()[0].GetValue() == logOfConfigs {
				return time.Duration(m.GetGauge().GetValue()-float64(started.Unix())) * time.Second
			}
		}
		require.Fail(t, "the log is not measured")
		return 0
	}
	require.Zero(t, until(), "since the start")

	run := func(whole bool, err error) error {
		now.Advance(time.Minute)
		return n.of(logOfConfigs, func(context.Context) (bool, error) {
			now.Advance(time.Second) // rows that are committed during the run may have no position
			return whole, err
		})(t.Context())
	}
	require.NoError(t, run(true, nil))
	require.Equal(t, time.Minute, until(), "the start of the run")
	require.NoError(t, run(false, nil))
	broken := errors.New("the database is away")
	require.ErrorIs(t, run(true, broken), broken)
	require.Equal(t, time.Minute, until(), "rows without positions remain")
	require.NoError(t, run(true, nil))
	require.Equal(t, 4*time.Minute+3*time.Second, until())
}

package engines_test

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/expiry"
	"interlock/internal/views/engines"
	"interlock/test/certificates"
)

func TestCertificatesAreReportedBeforeTheyExpire(t *testing.T) {
	now := time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC)
	for left, level := range map[time.Duration]engines.Level{
		-time.Hour: engines.Broken, 13 * 24 * time.Hour: engines.Risk, 15 * 24 * time.Hour: engines.OK,
	} {
		end := func() time.Time { return now.Add(left) }
		monitor := engines.NewMonitor(engines.Probe{Clock: clock.NewFake(now), RedisCertificate: end}, slog.New(slog.DiscardHandler))
		monitor.WatchCertificate("listener", end)
		monitor.WatchCertificate("oidc corp", func() time.Time { return time.Time{} })
		monitor.Inspect(t.Context())
		report := monitor.Report()
		require.Equal(t, []engines.Certificate{{Of: "redis", End: end()}, {Of: "listener", End: end()}}, report.Certificates)
		require.Len(t, report.Findings, 1)
		require.Equal(t, level, report.Findings[0].Level)

		registry := prometheus.NewRegistry()
		registry.MustRegister(monitor.Collectors()...)
		families, err := registry.Gather()
		require.NoError(t, err)
		require.Equal(t, "interlock_certificate_expiry_timestamp_seconds", families[0].GetName())
		require.Len(t, families[0].GetMetric(), 2)
		require.InDelta(t, float64(end().Unix()), families[0].GetMetric()[0].GetGauge().GetValue(), 0)
	}
}

func TestEndOfACertificateFileIsRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "cert.pem")
	_, err := certificates.Write(file, filepath.Join(dir, "key.pem"), 2)
	require.NoError(t, err)
	end, err := expiry.OfFile(file)
	require.NoError(t, err)
	require.False(t, end.IsZero())
	_, err = expiry.OfFile(filepath.Join(dir, "key.pem"))
	require.ErrorContains(t, err, "no certificate")
}

package telemetry_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/edge/telemetry"
)

func TestALineOfARequestSaysWhoseItIsAndHidesSecrets(t *testing.T) {
	var out bytes.Buffer
	logger := telemetry.NewLogger(&out, "info", "json")
	ctx := principal.With(principal.WithRequest(t.Context(), "r-1"), principal.Principal{Kind: principal.Admin, TenantID: 3, UserID: 7, Name: "Li"})
	logger.With("adminPassword", "hunter2").InfoContext(ctx, "signed in",
		"token", "ilk_secret", slog.Group("request", "Authorization", "Bearer x", "path", "/session"))
	line := out.String()
	for _, want := range []string{`"requestId":"r-1"`, `"tenant":3`, `"actor":"admin:Li"`, `"path":"/session"`} {
		require.Contains(t, line, want)
	}
	for _, secret := range []string{"hunter2", "ilk_secret", "Bearer x"} {
		require.NotContains(t, line, secret)
	}
}

func TestLocksAreCountedByContentionWaitAndHold(t *testing.T) {
	metrics := telemetry.NewMetrics()
	observer := metrics.LockObserver()
	observer.Acquired("a", 0, false)
	observer.Acquired("a", 2*time.Second, true)
	observer.Refused("a", time.Second)
	observer.Lost("a")
	observer.Released("a", 3*time.Second)
	reply := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(reply, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range []string{
		`interlock_locks_acquired_total{contended="false"} 1`,
		`interlock_locks_acquired_total{contended="true"} 1`,
		`interlock_lock_wait_seconds_sum{outcome="acquired"} 2`,
		`interlock_lock_wait_seconds_sum{outcome="refused"} 1`,
		`interlock_lock_hold_seconds_sum 3`,
		`interlock_locks_lost_total 1`,
	} {
		require.Contains(t, reply.Body.String(), line+"\n")
	}
}

func TestTheLevelIsKept(t *testing.T) {
	var out bytes.Buffer
	telemetry.NewLogger(&out, "warn", "text").Info("quiet")
	require.Empty(t, out.String())
}

func TestTracingNeedsNoEndpoint(t *testing.T) {
	stop, err := telemetry.StartTracing(t.Context(), "", "test")
	require.NoError(t, err)
	require.NoError(t, stop(t.Context()))
}

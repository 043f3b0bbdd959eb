package telemetry_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"

	"interlock/internal/base/principal"
	"interlock/internal/edge/telemetry"
)

func TestRequestLogHasItsActorAndNoSecrets(t *testing.T) {
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

func TestLogLevelIsApplied(t *testing.T) {
	var out bytes.Buffer
	telemetry.NewLogger(&out, "warn", "text").Info("quiet")
	require.Empty(t, out.String())
}

func TestTracingWithoutEndpointIsOff(t *testing.T) {
	stop, err := telemetry.StartTracing(t.Context(), "", "test")
	require.NoError(t, err)
	require.NoError(t, stop(t.Context()))
}

func TestTracesAreSentToTheCollectorPath(t *testing.T) {
	paths := make(chan string, 10)
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths <- r.URL.Path
		if r.Header.Get("Tenant") == "" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer collector.Close()
	// The exporter reads the variables of OpenTelemetry.
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "tenant=shop")
	for name, test := range map[string]struct{ endpoint, variable, want string }{
		"without a path":         {collector.URL, "", "/v1/traces"},
		"with a slash":           {collector.URL + "/", "", "/v1/traces"},
		"with a path":            {collector.URL + "/own", "", "/own"},
		"of OpenTelemetry alone": {"", collector.URL, "/v1/traces"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", test.variable)
			require.Empty(t, sendSpan(t, test.endpoint))
			require.Equal(t, test.want, <-paths)
		})
	}
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "")
	require.Contains(t, sendSpan(t, collector.URL), "level=WARN msg=\"tracing: export failed\"")
}

// sendSpan sends one span to an endpoint and returns the log.
func sendSpan(t *testing.T, endpoint string) string {
	t.Helper()
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	defer slog.SetDefault(before)
	stop, err := telemetry.StartTracing(t.Context(), endpoint, "test")
	require.NoError(t, err)
	_, span := otel.Tracer("test").Start(t.Context(), "span")
	span.End()
	if err := stop(t.Context()); err != nil {
		otel.Handle(err)
	}
	return log.String()
}

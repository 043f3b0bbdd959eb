package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
)

// readyTimeout bounds the checks of one engine.
const readyTimeout = 2 * time.Second

// alive reports that the process runs, without any check.
func alive(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"status":"ok"}` + "\n"))
}

// readiness reports whether the process should receive requests: the engines are reachable, the
// schema is current, and the process is not draining. Otherwise it responds 503 with the reasons.
// It also reports risks to durability, which do not affect the status.
type readiness struct {
	services *Services
	server   *httpapi.Server
}

// serveProbes serves the probes at a listener: /healthz, which is also /health, and /readyz.
func (h readiness) serveProbes(at *httpapi.Server) {
	at.Handle(http.MethodGet, "/healthz", http.HandlerFunc(alive))
	at.Handle(http.MethodGet, "/health", http.HandlerFunc(alive))
	at.Handle(http.MethodGet, "/readyz", h)
}

type check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail,omitempty"`
}

func (h readiness) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	checks := h.services.checks(r.Context())
	if h.server.Draining() {
		checks = append(checks, check{Name: "process", Detail: "is about to end"})
	}
	status, word := http.StatusOK, "ready"
	for _, c := range checks {
		if !c.OK {
			status, word = http.StatusServiceUnavailable, "not ready"
		}
	}
	w.Header().Set("Content-Type", "application/json")
	if status != http.StatusOK {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	report := h.services.Engines.Report()
	_ = json.NewEncoder(w).Encode(map[string]any{"status": word, "checks": checks, "risks": report.View(report.NotOK())})
}

// checks checks each engine with a separate timeout, so that a hanging engine does not fail the
// checks of the others.
func (sv *Services) checks(ctx context.Context) []check {
	database, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	checks := []check{sv.databaseCheck(database), sv.writesCheck(database), sv.schemaCheck(database)}
	if sv.redis != nil {
		ctx, cancel := context.WithTimeout(ctx, readyTimeout)
		defer cancel()
		c := check{Name: "redis", OK: true}
		switch err := sv.redis.Ping(ctx).Err(); {
		case redis.IsAuthError(err):
			c = check{Name: "redis", Detail: "rejects the password"}
		case err != nil:
			c = check{Name: "redis", Detail: "cannot be reached"}
		}
		checks = append(checks, c)
	}
	return checks
}

func (sv *Services) databaseCheck(ctx context.Context) check {
	if err := sv.DB.Ping(ctx); err != nil {
		return check{Name: "database", Detail: "cannot be reached"}
	}
	return check{Name: "database", OK: true}
}

func (sv *Services) writesCheck(ctx context.Context) check {
	switch err := sv.DB.CheckWrites(ctx); {
	case storage.Is(err, storage.ReadOnly):
		return check{Name: "writes", Detail: "the database is read-only"}
	case err != nil:
		return check{Name: "writes", Detail: "the database accepts no writes or no new connections; the log has the error"}
	}
	return check{Name: "writes", OK: true}
}

func (sv *Services) schemaCheck(ctx context.Context) check {
	switch state, err := sv.DB.MigrationState(ctx); {
	case err != nil:
		return check{Name: "migrations", Detail: "the schema's version cannot be read"}
	case !state.UpToDate():
		return check{Name: "migrations", Detail: fmt.Sprintf("at %d, this program needs %d: run `admin migrate up`", state.Current, state.Target)}
	}
	return check{Name: "migrations", OK: true}
}

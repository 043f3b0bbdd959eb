// Command benchserver is `admin serve` with routes beside the API's own, which the
// benchmarks hold the API's against. They pass the same server, the same middleware and
// the same authentication, and then:
//
//	POST /api/v1/bench/nothing  reads its body strictly, as a purchase's is read, and answers 204
//	GET  /api/v1/bench/nothing  answers 204
//	POST /api/v1/bench/hold     holds a lock, and its own idempotency key, for so many ms
//	POST /api/v1/bench/locked   asks for that lock without waiting; 423 while it is held
//
// It takes the settings of `admin serve`. With --profile it serves net/http/pprof there.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"github.com/labstack/echo/v4"

	"interlock/internal/app"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/telemetry"
	"interlock/internal/settings"
)

// serveGCPercent is that of `admin serve`.
const serveGCPercent = 400

type command struct {
	settings.Storage `embed:""`
	settings.Log     `embed:""`
	settings.Serve   `embed:""`

	Profile string `help:"Address for net/http/pprof." placeholder:"HOST:PORT"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var c command
	kong.Parse(&c, kong.Name("benchserver"))
	if err := c.run(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "benchserver: %v\n", err)
		os.Exit(1)
	}
}

func (c *command) run(ctx context.Context) error {
	slog.SetDefault(telemetry.NewLogger(os.Stderr, c.LogLevel, c.LogFormat))
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(serveGCPercent)
	}
	program := app.New(settings.Settings{Storage: c.Storage, Log: c.Log, Serve: c.Serve}, "bench")
	if err := program.Start(ctx); err != nil {
		return err
	}
	addRoutes(program.Router())
	if c.Profile != "" {
		go serveProfiles(c.Profile)
	}
	return program.Run(ctx)
}

func serveProfiles(address string) {
	mux := http.NewServeMux()
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	server := &http.Server{Addr: address, Handler: mux, ReadHeaderTimeout: time.Second}
	slog.Error("profiles are not served", "error", server.ListenAndServe())
}

// heldLock is what hold holds and locked asks for.
const heldLock = "bench"

type nothingRequest struct {
	Quantity *int64 `json:"quantity" validate:"required,min=1"`
}

type holdRequest struct {
	Milliseconds int64 `json:"milliseconds" validate:"min=1,max=30000"`
}

func addRoutes(r *httpapi.Router) {
	r.Plain(http.MethodPost, "/bench/nothing", "", func(c echo.Context) (httpapi.Reply, error) {
		var request nothingRequest
		return httpapi.NoContent(), httpapi.Bind(c, &request)
	})
	r.Query("/bench/nothing", "", func(echo.Context) (httpapi.Reply, error) { return httpapi.NoContent(), nil })
	r.Mutation(http.MethodPost, "/bench/hold", "", hold)
	r.Mutation(http.MethodPost, "/bench/locked", "", func(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
		_, err := u.Lock(c.Request().Context(), 0, heldLock)
		return httpapi.NoContent(), err
	})
}

func hold(c echo.Context, u *uow.Unit) (httpapi.Reply, error) {
	var request holdRequest
	if err := httpapi.Bind(c, &request); err != nil {
		return httpapi.Reply{}, err
	}
	// Who looks whether it is held has it for a moment.
	ctx, err := u.Lock(c.Request().Context(), time.Second, heldLock)
	if err != nil {
		return httpapi.Reply{}, err
	}
	u.Audit(uow.Entry{Action: "bench.hold", Resource: "bench"})
	timer := time.NewTimer(time.Duration(request.Milliseconds) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return httpapi.NoContent(), nil
	case <-ctx.Done():
		return httpapi.Reply{}, context.Cause(ctx)
	}
}

// Command benchserver is `admin serve` with additional routes, against which the benchmarks
// compare the routes of the API. The additional routes pass the same server, the same
// middleware and the same authentication, and then:
//
//	POST /api/v1/bench/nothing  reads its body strictly, like a purchase, and returns 204
//	GET  /api/v1/bench/nothing  returns 204
//	POST /api/v1/bench/hold     holds a lock, and its own idempotency key, for a number of ms
//	POST /api/v1/bench/locked   tries that lock without waiting; 423 while it is held
//
// It has the settings of `admin serve`. With --profile it serves net/http/pprof at that
// address.
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

	"interlock/internal/app"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/telemetry"
	"interlock/internal/settings"
)

// serveGCPercent is the GC percentage of `admin serve`.
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

// heldLock is the lock that hold acquires and locked tries.
const heldLock = "bench"

type nothingRequest struct {
	Body struct {
		Quantity *int64 `json:"quantity" validate:"required,min=1"`
	}
}

type holdRequest struct {
	Body struct {
		Milliseconds int64 `json:"milliseconds" validate:"min=1,max=30000"`
	}
}

func addRoutes(r *httpapi.Router) {
	httpapi.Act(r, http.MethodPost, "/bench/nothing", "", func(context.Context, nothingRequest) (httpapi.None, error) { return httpapi.None{}, nil })
	httpapi.Get(r, "/bench/nothing", "", func(context.Context, httpapi.None) (httpapi.None, error) { return httpapi.None{}, nil })
	httpapi.Mutation(r, http.MethodPost, "/bench/hold", "", hold)
	httpapi.Mutation(r, http.MethodPost, "/bench/locked", "", func(ctx context.Context, u *uow.Unit, _ httpapi.None) (httpapi.None, error) {
		_, err := u.Lock(ctx, 0, heldLock)
		return httpapi.None{}, err
	})
}

func hold(ctx context.Context, u *uow.Unit, in holdRequest) (httpapi.None, error) {
	// The check acquires the lock for a moment.
	ctx, err := u.Lock(ctx, time.Second, heldLock)
	if err != nil {
		return httpapi.None{}, err
	}
	u.Audit(uow.Entry{Action: "bench.hold", Resource: "bench"})
	timer := time.NewTimer(time.Duration(in.Body.Milliseconds) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
		return httpapi.None{}, nil
	case <-ctx.Done():
		return httpapi.None{}, context.Cause(ctx)
	}
}

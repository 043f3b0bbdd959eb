package httpapi

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/clock"
)

// maxReconnectDelay is the maximum delay before a client of a stream reconnects.
const maxReconnectDelay = 3 * time.Second

// drain is the state of a server that ends, from Drain to Shutdown.
type drain struct {
	// draining is cancelled when draining starts; each stream then ends within spread.
	draining context.Context
	start    context.CancelFunc
	spread   atomic.Int64
	// ended is cancelled when all streams must end; requests may continue.
	ended context.Context
	end   context.CancelFunc
}

func newDrain() *drain {
	d := &drain{}
	d.draining, d.start = context.WithCancel(context.Background())
	d.ended, d.end = context.WithCancel(context.Background())
	return d
}

// finish ends all streams immediately.
func (d *drain) finish() {
	d.start()
	d.end()
}

// isDraining reports whether draining has started.
func (d *drain) isDraining() bool { return d.draining.Err() != nil }

// endInTurn calls end at a random time within spread after draining has started, at the latest when
// ended is cancelled. The returned function cancels the call.
func (d *drain) endInTurn(end func()) (stop func()) {
	inTurn := context.AfterFunc(d.draining, func() { time.AfterFunc(rand.N(max(1, time.Duration(d.spread.Load()))), end) })
	atLast := context.AfterFunc(d.ended, end)
	return func() {
		inTurn()
		atLast()
	}
}

// Draining reports whether the server is about to end and should receive no more requests.
func (s *Server) Draining() bool { return s.drain.isDraining() }

// Drain precedes Shutdown if a load balancer chooses among several servers. It continues to serve
// for d, or until ctx ends, so that the load balancer can detect Draining. During that time, it
// requests that clients close their connections, and ends the streams at random times, so that the
// clients do not all reconnect at the same moment.
func (s *Server) Drain(ctx context.Context, d time.Duration) {
	s.drain.spread.Store(int64(d))
	s.drain.start()
	clock.Sleep(ctx, d)
}

// closeWhileDraining makes clients open a new connection for their next request: a request that is
// sent while its connection is closing can be lost.
func (s *Server) closeWhileDraining(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.drain.isDraining() {
			c.Response().Header().Set("Connection", "close")
		}
		return next(c)
	}
}

package httpapi

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/clock"
)

// longestReconnect is the longest that a client of a stream is asked to wait before it connects again.
const longestReconnect = 3 * time.Second

// drain is the end of a server, which begins with Drain and is over with Shutdown.
type drain struct {
	// begun ends when the server is about to end: each stream then ends within spread.
	begun  context.Context
	begin  context.CancelFunc
	spread atomic.Int64
	// over ends when no stream may go on; requests do.
	over context.Context
	end  context.CancelFunc
}

func newDrain() *drain {
	d := &drain{}
	d.begun, d.begin = context.WithCancel(context.Background())
	d.over, d.end = context.WithCancel(context.Background())
	return d
}

// finish ends all streams now.
func (d *drain) finish() {
	d.begin()
	d.end()
}

// hasBegun reports whether the server is about to end.
func (d *drain) hasBegun() bool { return d.begun.Err() != nil }

// endInTurn calls end at a moment of its own once draining has begun, and at the latest when
// it is over. The function that it returns takes that back.
func (d *drain) endInTurn(end func()) (stop func()) {
	inTurn := context.AfterFunc(d.begun, func() { time.AfterFunc(rand.N(max(1, time.Duration(d.spread.Load()))), end) })
	atLast := context.AfterFunc(d.over, end)
	return func() {
		inTurn()
		atLast()
	}
}

// Draining reports whether the server is about to end, so that it should be sent nothing more.
func (s *Server) Draining() bool { return s.drain.hasBegun() }

// Drain goes before Shutdown where something in front of the server chooses among several. It
// takes requests for d, or until ctx ends, so that what is in front can notice that Draining
// says so; asks callers to send their next request over another connection; and ends the
// streams one after the other, so that not all who had one connect elsewhere at once.
func (s *Server) Drain(ctx context.Context, d time.Duration) {
	s.drain.spread.Store(int64(d))
	s.drain.begin()
	clock.Sleep(ctx, d)
}

// closeWhileDraining has clients open another connection for their next request once draining has
// begun: a request that is sent while its connection is being closed may be lost.
func (s *Server) closeWhileDraining(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if s.drain.hasBegun() {
			c.Response().Header().Set("Connection", "close")
		}
		return next(c)
	}
}

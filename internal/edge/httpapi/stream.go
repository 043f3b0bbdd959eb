package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/strictjson"
)

const (
	// Heartbeat is how often an idle stream should call Ping, so that both ends
	// notice a dead link.
	Heartbeat = 10 * time.Second
	// soonestLook bounds how often a stream asks whether its credential, which was to end by now,
	// is good still: clocks differ.
	soonestLook = 250 * time.Millisecond
	// streamWriteTimeout is how long one event may take to leave.
	streamWriteTimeout = 15 * time.Second
)

// Listen registers a GET that serves server-sent events until the client goes or the
// server shuts down: then the context of fn ends. An error before the first event is
// answered as a problem; after it the stream just ends and the client connects again.
func Listen[In any](r *Router, path, permission string, fn func(ctx context.Context, in In, s *Stream) error) {
	shape := shapeOf[In]()
	r.add(Route{Method: http.MethodGet, Path: path, Permission: permission, Stream: true, Needs: shape.needs}, func(c echo.Context) error {
		request := c.Request()
		ctx, cancel := context.WithCancel(request.Context())
		defer cancel()
		defer r.server.drain.endInTurn(cancel)()
		_, in, err := receive[None, In](c, shape, nothing)
		if err != nil {
			return err
		}
		leave, err := r.server.streams.enter(ctx)
		if err != nil {
			return err
		}
		defer leave()
		control := http.NewResponseController(c.Response())
		// The server's read time-out is for requests; this one has been read.
		if err := control.SetReadDeadline(time.Time{}); err != nil {
			return fmt.Errorf("open stream: %w", err)
		}
		s := &Stream{writer: c.Response(), control: control}
		s.caller, _ = principal.From(ctx)
		again := request.WithContext(WithStream(request.Context()))
		s.admit = func() (principal.Principal, error) {
			p, err := r.server.authenticator.Authenticate(again)
			if err != nil {
				return p, err
			}
			return p, Permitted(principal.With(ctx, p), permission)
		}
		defer r.endWhenRevoked(ctx, cancel, s)()
		err = fn(ctx, in, s)
		if s.started && r.server.Draining() {
			s.delayReconnect()
		}
		if s.started || ctx.Err() != nil {
			return nil
		}
		return err
	})
}

// Stream sends server-sent events (WHATWG HTML, 9.2). It is used by one
// goroutine.
type Stream struct {
	writer  http.ResponseWriter
	control *http.ResponseController
	started bool

	caller principal.Principal
	admit  func() (principal.Principal, error)
}

// Send sends one event. The id is what the client gives back as Last-Event-ID; ""
// leaves it as it was.
func (s *Stream) Send(id, event string, data any) error {
	text, err := strictjson.Encode(data)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	var b bytes.Buffer
	if id != "" {
		fmt.Fprintf(&b, "id: %s\n", id)
	}
	fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", event, text)
	return s.write(b.Bytes())
}

// Caller is who reads the stream, with the permissions of the last Ping.
func (s *Stream) Caller() principal.Principal { return s.caller }

// Ping sends a comment, which clients ignore, and lets the caller in anew. The error
// of a credential that has ended, or that has lost the route's permission, ends the
// stream. While the engines cannot tell, the caller stays who it was: nothing is
// committed then that it could learn of.
func (s *Stream) Ping() error {
	caller, err := s.admit()
	switch {
	case err == nil:
		s.caller = caller
	case refused(err):
		return err
	}
	return s.write([]byte(": ping\n\n"))
}

func (s *Stream) write(b []byte) error {
	s.start()
	if err := s.control.SetWriteDeadline(clock.Deadline(streamWriteTimeout)); err != nil {
		return err
	}
	if _, err := s.writer.Write(b); err != nil {
		return err
	}
	return s.control.Flush()
}

// delayReconnect tells the client how long to wait before it connects again: each another
// time, since all lose their streams with this process. One that is gone learns nothing of it.
func (s *Stream) delayReconnect() {
	_ = s.write(fmt.Appendf(nil, "retry: %d\n\n", rand.N(longestReconnect).Milliseconds()))
}

func (s *Stream) start() {
	if s.started {
		return
	}
	s.started = true
	header := s.writer.Header()
	header.Set(echo.HeaderContentType, "text/event-stream")
	header.Set(echo.HeaderCacheControl, "no-store")
	header.Set("X-Accel-Buffering", "no")
	s.writer.WriteHeader(http.StatusOK)
}

type streamKey struct{}

// WithStream is a context in which a caller is looked at again because a stream of theirs is open.
func WithStream(ctx context.Context) context.Context {
	return context.WithValue(ctx, streamKey{}, true)
}

// IsStream reports whether ctx is from WithStream. Nobody need sit at an open stream, so it is no use
// of a session.
func IsStream(ctx context.Context) bool { return ctx.Value(streamKey{}) != nil }

// Notifier is implemented by an Authenticator that notices at once when a credential may
// have ended or may open less.
type Notifier interface {
	// Follow has changes that other processes make noticed at once too, until stop is called.
	Follow() (stop func())
	// Changed returns a channel that is closed with the next change that is noticed.
	Changed() <-chan struct{}
}

// endWhenRevoked ends a stream, by cancel, when its caller is not let in any more or its
// permissions have changed: what it may be sent was decided by those. The function that it
// returns waits until nothing of it runs any more; ctx must have ended by then or end in it.
func (r *Router) endWhenRevoked(ctx context.Context, cancel context.CancelFunc, s *Stream) (wait func()) {
	notifier, ok := r.server.authenticator.(Notifier)
	if !ok {
		return func() {}
	}
	began := s.caller.Permissions
	var watching sync.WaitGroup
	watching.Go(func() {
		defer notifier.Follow()()
		for {
			changed := notifier.Changed()
			caller, err := s.admit()
			if refused(err) || err == nil && !slices.Equal(caller.Permissions, began) {
				cancel()
				return
			}
			// One that was used meanwhile can last longer than was said.
			var end <-chan time.Time
			if caller.EndsIn > 0 {
				end = time.After(max(caller.EndsIn, soonestLook))
			}
			select {
			case <-ctx.Done():
				return
			case <-changed:
			case <-end:
			}
		}
	})
	return func() {
		cancel()
		watching.Wait()
	}
}

// refused reports whether a caller is not let in, rather than that nobody can tell.
func refused(err error) bool {
	return apperr.Has(err, apperr.Unauthenticated) || apperr.Has(err, apperr.InvalidCredentials) || apperr.Has(err, apperr.Forbidden)
}

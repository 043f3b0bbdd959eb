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
	// Heartbeat is the interval of Ping on an idle stream, so that both ends detect a broken
	// connection.
	Heartbeat = 10 * time.Second
	// minAuthInterval is the minimum time before a stream checks its credential again when the
	// credential is due to expire. Because clocks differ, the check can find it still valid.
	minAuthInterval = 250 * time.Millisecond
	// streamWriteTimeout bounds the write of one event, or of one part of an export.
	streamWriteTimeout = 15 * time.Second
)

// Listen registers a GET that serves server-sent events until the client disconnects or the server
// shuts down; then the context of fn ends. An error before the first event is sent as a problem;
// after it the stream ends and the client reconnects.
func Listen[In any](r *Router, path, permission string, fn func(ctx context.Context, in In, s *Stream) error) *Route {
	shape := shapeOf[In]()
	return add[In, None](r, Route{Method: http.MethodGet, Path: path, Permission: permission, Stream: true, Needs: shape.needs}, func(c echo.Context) error {
		request := c.Request()
		ctx, cancel := context.WithCancel(request.Context())
		defer cancel()
		_, in, err := receive[None, In](c, shape, nothing)
		if err != nil {
			return err
		}
		s, leave, err := r.open(ctx, cancel, c, permission)
		if err != nil {
			return err
		}
		defer leave()
		s.contentType = "text/event-stream"
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

// open prepares a reply that can last longer than a request. It calls cancel when the caller loses
// the permission, and when the server shuts down. The caller calls leave at the end. Errors:
// RateLimited.
func (r *Router) open(ctx context.Context, cancel context.CancelFunc, c echo.Context, permission string) (s *Stream, leave func(), err error) {
	exit, err := r.server.streams.enter(ctx)
	if err != nil {
		return nil, nil, err
	}
	control := http.NewResponseController(c.Response())
	// The request is complete, so the read timeout of the server must not end the stream.
	if err := control.SetReadDeadline(time.Time{}); err != nil {
		exit()
		return nil, nil, fmt.Errorf("open stream: %w", err)
	}
	s = &Stream{writer: c.Response(), control: control}
	s.caller, _ = principal.From(ctx)
	again := c.Request().WithContext(WithStream(c.Request().Context()))
	s.admit = func() (principal.Principal, error) {
		p, err := r.server.authenticator.Authenticate(again)
		if err != nil {
			return p, err
		}
		return p, Permitted(principal.With(ctx, p), permission)
	}
	stop, wait := r.server.drain.endInTurn(cancel), r.endWhenRevoked(ctx, cancel, s)
	return s, func() {
		wait()
		stop()
		exit()
	}, nil
}

// Stream sends server-sent events (WHATWG HTML, 9.2). It is not safe for concurrent use.
type Stream struct {
	writer  http.ResponseWriter
	control *http.ResponseController
	started bool
	// contentType is the media type. fileName is the name of a download, "" for none.
	contentType, fileName string

	caller principal.Principal
	admit  func() (principal.Principal, error)
}

// Send sends one event. The client returns the id in Last-Event-ID when it reconnects; with "" the
// last id remains.
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
	_, err = s.Write(b.Bytes())
	return err
}

// Caller returns the caller of the stream, with the permissions of the last Ping.
func (s *Stream) Caller() principal.Principal { return s.caller }

// Ping sends a comment, which clients ignore, and authenticates the caller again. It returns an
// error if the credential has expired or has lost the route's permission. If the database is
// unavailable, the caller remains unchanged. This is safe, because no change that the caller could
// see can commit.
func (s *Stream) Ping() error {
	caller, err := s.admit()
	switch {
	case err == nil:
		s.caller = caller
	case refused(err):
		return err
	}
	_, err = s.Write([]byte(": ping\n\n"))
	return err
}

// Write implements io.Writer. It sends b immediately.
func (s *Stream) Write(b []byte) (int, error) {
	s.start()
	if err := s.control.SetWriteDeadline(clock.Deadline(streamWriteTimeout)); err != nil {
		return 0, err
	}
	n, err := s.writer.Write(b)
	if err != nil {
		return n, err
	}
	return n, s.control.Flush()
}

// delayReconnect sends the client a random delay for its reconnection, because all clients of this
// process lose their streams at that time. It ignores write errors of clients that have
// disconnected.
func (s *Stream) delayReconnect() {
	_, _ = s.Write(fmt.Appendf(nil, "retry: %d\n\n", rand.N(maxReconnectDelay).Milliseconds()))
}

func (s *Stream) start() {
	if s.started {
		return
	}
	s.started = true
	header := s.writer.Header()
	header.Set(echo.HeaderContentType, s.contentType)
	if s.fileName != "" {
		header.Set(echo.HeaderContentDisposition, fmt.Sprintf("attachment; filename=%q", s.fileName))
	}
	header.Set(echo.HeaderCacheControl, "no-store")
	header.Set("X-Accel-Buffering", "no")
	s.writer.WriteHeader(http.StatusOK)
}

type streamKey struct{}

// WithStream marks a context in which the caller of an open stream is authenticated again.
func WithStream(ctx context.Context) context.Context {
	return context.WithValue(ctx, streamKey{}, true)
}

// IsStream reports whether ctx is from WithStream. An open stream does not extend a session,
// because it continues without user activity.
func IsStream(ctx context.Context) bool { return ctx.Value(streamKey{}) != nil }

// Notifier is implemented by an Authenticator that detects immediately that a credential may have
// expired or lost permissions.
type Notifier interface {
	// Follow makes the changes of other processes visible immediately too, until stop is called.
	Follow() (stop func())
	// Changed returns a channel that is closed at the next change.
	Changed() <-chan struct{}
}

// endWhenRevoked cancels a stream when its caller's credential expires or its permissions change,
// because the stream was filtered by those permissions. The returned function cancels and waits
// until the goroutine has ended.
func (r *Router) endWhenRevoked(ctx context.Context, cancel context.CancelFunc, s *Stream) (wait func()) {
	notifier, ok := r.server.authenticator.(Notifier)
	if !ok {
		return func() {}
	}
	initial := s.caller.Permissions
	var watching sync.WaitGroup
	watching.Go(func() {
		defer notifier.Follow()()
		for {
			changed := notifier.Changed()
			caller, err := s.admit()
			if refused(err) || err == nil && !slices.Equal(caller.Permissions, initial) {
				cancel()
				return
			}
			// A session that was used since then expires later than EndsIn.
			var end <-chan time.Time
			if caller.EndsIn > 0 {
				end = time.After(max(caller.EndsIn, minAuthInterval))
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

// refused reports whether the credentials were rejected, as opposed to not verified because of a
// failure.
func refused(err error) bool {
	return apperr.Has(err, apperr.Unauthenticated) || apperr.Has(err, apperr.InvalidCredentials) || apperr.Has(err, apperr.Forbidden)
}

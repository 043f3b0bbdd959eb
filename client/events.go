package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// errSilent means that no data, not even a heartbeat, arrived for too long: a proxy or the service
// no longer exists.
var errSilent = errors.New("the connection was silent for too long")

// interrupted is the end of a stream, after which it can be opened again.
type interrupted struct {
	error
	// pause is the time before the next attempt that the stream requested.
	pause time.Duration
}

// Unwrap returns the cause.
func (i *interrupted) Unwrap() error { return i.error }

// serverEvent is a server-sent event.
type serverEvent struct{ id, name, data string }

func (e serverEvent) decode(out any) error {
	if err := json.Unmarshal([]byte(e.data), out); err != nil {
		return fmt.Errorf("read the event %s %s: %w", e.name, e.id, err)
	}
	return nil
}

// eventStream is a response of server-sent events (WHATWG HTML, section 9.2).
type eventStream struct {
	exchange *exchange
	ctx      context.Context
	cancel   context.CancelCauseFunc
	body     io.ReadCloser
	lines    *bufio.Scanner
	// silence cancels ctx unless it is stopped within maxSilence.
	silence    *time.Timer
	maxSilence time.Duration
	retry      time.Duration
}

// openEvents opens a stream that resumes after the event with the id after. The stream ends if no
// data arrives for maxSilence. Errors: the problem of an error reply, and interrupted.
func (c *Client) openEvents(ctx context.Context, path, after string, maxSilence time.Duration) (*eventStream, error) {
	s := &eventStream{maxSilence: maxSilence, exchange: &exchange{client: c, request: request{method: http.MethodGet, path: path}}}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.silence = time.AfterFunc(maxSilence, func() { s.cancel(errSilent) })
	if err := s.open(after); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *eventStream) open(after string) error {
	c, r := s.exchange.client, s.exchange.request
	message, err := http.NewRequestWithContext(s.ctx, r.method, c.base+r.path, nil)
	if err != nil {
		return err
	}
	s.exchange.headers(message.Header)
	message.Header.Set("Accept", "text/event-stream, application/problem+json")
	message.Header.Set("Last-Event-ID", after)
	unbounded := *c.http
	unbounded.Timeout = 0               // it includes the body, which has no end
	reply, err := unbounded.Do(message) //nolint:bodyclose // eventStream.close closes it
	if err != nil {
		return s.interrupt(err)
	}
	s.body = reply.Body
	if reply.StatusCode != http.StatusOK {
		return s.rejection(reply)
	}
	if kind, _, _ := mime.ParseMediaType(reply.Header.Get("Content-Type")); kind != "text/event-stream" {
		return s.interrupt(fmt.Errorf("the reply has content type %q instead of text/event-stream", kind))
	}
	s.silence.Stop()
	s.lines = bufio.NewScanner(s)
	return nil
}

// rejection returns the error of a reply without a stream.
func (s *eventStream) rejection(reply *http.Response) error {
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		return s.interrupt(fmt.Errorf("read the reply: %w", err))
	}
	_, failure := problemOf(answer{status: reply.StatusCode, header: reply.Header, body: body})
	return failure
}

// interrupt returns the error of a stream that ended with err.
func (s *eventStream) interrupt(err error) error {
	if cause := context.Cause(s.ctx); cause != nil {
		err = cause
	}
	return &interrupted{error: fmt.Errorf("%s: %w", s.exchange, err), pause: s.retry}
}

// Read reads the body and bounds the silence before each part of it.
func (s *eventStream) Read(p []byte) (int, error) {
	s.silence.Reset(s.maxSilence)
	defer s.silence.Stop()
	return s.body.Read(p)
}

// next returns the next event, which has no name for a heartbeat. An event is complete at its empty
// line; an incomplete one at the end of the stream is dropped. Errors: interrupted.
func (s *eventStream) next() (serverEvent, error) {
	var e serverEvent
	for s.lines.Scan() {
		field, value, _ := strings.Cut(s.lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "":
			isComment := s.lines.Text() != ""
			if isComment && e == (serverEvent{}) || !isComment && e.data != "" {
				return e, nil
			}
		case "id":
			e.id = value
		case "event":
			e.name = value
		case "data":
			e.data += value
		case "retry":
			if ms, err := strconv.ParseUint(value, 10, 31); err == nil {
				s.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
	err := s.lines.Err()
	if err == nil {
		err = io.EOF
	}
	return serverEvent{}, s.interrupt(fmt.Errorf("read the stream: %w", err))
}

func (s *eventStream) close() {
	s.silence.Stop()
	s.cancel(nil)
	if s.body != nil {
		_ = s.body.Close()
	}
}

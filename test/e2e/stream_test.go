package e2e_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// event is one server-sent event.
type event struct {
	ID, Name string
	Data     object
}

// stream is an open stream of server-sent events.
type stream struct {
	events <-chan event
	// ended gives how the stream ended: nil for a clean end.
	ended <-chan error
	close context.CancelFunc
}

// open opens a stream and returns once its reply has begun.
func open(t *testing.T, c *apptest.Caller, path string, headers ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Program.URL+path, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+c.Token)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	// A stream has no end to time out for.
	reply, err := (&http.Client{Transport: c.HTTP.Transport}).Do(request)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.StatusCode)
	require.Equal(t, "text/event-stream", reply.Header.Get("Content-Type"))
	events, ended := make(chan event), make(chan error, 1)
	go func() {
		defer reply.Body.Close()
		ended <- scan(ctx, bufio.NewScanner(reply.Body), events)
	}()
	return &stream{events: events, ended: ended, close: cancel}
}

// scan parses the lines of a stream (WHATWG HTML, 9.2.6). An event is complete at
// its empty line, and one that is cut short is dropped.
func scan(ctx context.Context, lines *bufio.Scanner, events chan<- event) error {
	var e event
	var data strings.Builder
	for lines.Scan() {
		field, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "id":
			e.ID = value
		case "event":
			e.Name = value
		case "data":
			data.WriteString(value)
		}
		if lines.Text() != "" || data.Len() == 0 {
			continue
		}
		if err := json.Unmarshal([]byte(data.String()), &e.Data); err != nil {
			return err
		}
		select {
		case events <- e:
		case <-ctx.Done():
			return nil
		}
		e = event{ID: e.ID}
		data.Reset()
	}
	if err := lines.Err(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// next returns the next event with a name, and passes over the others.
func (s *stream) next(t *testing.T, name string) event {
	t.Helper()
	for {
		if e := receive(t, s.events, "the event "+name); e.Name == name {
			return e
		}
	}
}

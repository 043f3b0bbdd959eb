// Package sse reads server-sent events, for tests.
package sse

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"interlock/test/apptest"
)

// Event is one event; its data is a JSON object.
type Event struct {
	ID, Name string
	Data     map[string]any
}

// Open requests a stream, which ends with ctx. Any other response is an error.
func Open(ctx context.Context, c *apptest.Caller, path string, headers ...string) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Program.URL+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.Token)
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	// A stream has no time limit.
	reply, err := (&http.Client{Transport: c.HTTP.Transport}).Do(request)
	if err != nil {
		return nil, err
	}
	if kind := reply.Header.Get("Content-Type"); reply.StatusCode != http.StatusOK || kind != "text/event-stream" {
		reply.Body.Close()
		return nil, fmt.Errorf("%s returned %d %s instead of a stream", path, reply.StatusCode, kind)
	}
	return reply.Body, nil
}

// Read passes each event to take until the stream ends or take fails (WHATWG HTML, 9.2.6).
// An event is complete at its empty line; an incomplete event is dropped. The end of the
// reader's context is not an error.
func Read(stream io.Reader, take func(Event) error) error {
	var e Event
	var data strings.Builder
	lines := bufio.NewScanner(stream)
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
			return fmt.Errorf("read the event %s: %w", e.Name, err)
		}
		if err := take(e); err != nil {
			return err
		}
		e = Event{ID: e.ID}
		data.Reset()
	}
	if err := lines.Err(); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

package e2e_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
	"interlock/test/e2e/sse"
)

// stream is an open stream of server-sent events.
type stream struct {
	events <-chan sse.Event
	// ended receives the end of the stream: nil for a clean end.
	ended <-chan error
	close context.CancelFunc
}

// open opens a stream and returns once the response has started.
func open(t *testing.T, c *apptest.Caller, path string, headers ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	body, err := sse.Open(ctx, c, path, headers...)
	require.NoError(t, err)
	events, ended := make(chan sse.Event), make(chan error, 1)
	go func() {
		defer body.Close()
		ended <- sse.Read(body, func(e sse.Event) error {
			select {
			case events <- e:
			case <-ctx.Done():
			}
			return nil
		})
	}()
	return &stream{events: events, ended: ended, close: cancel}
}

// next returns the next event with a name, and skips the others.
func (s *stream) next(t *testing.T, name string) sse.Event {
	t.Helper()
	for {
		if e := receive(t, s.events, "the event "+name); e.Name == name {
			return e
		}
	}
}

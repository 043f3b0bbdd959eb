package edgetest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
)

// streaming returns a server with a stream that sends one event and then blocks, and its URL.
func streaming(t *testing.T) (server *httpapi.Server, url string) {
	t.Helper()
	at := &authenticator{}
	at.set(nil, "things:read")
	server = httpapi.NewServer(httpapi.Options{Authenticator: at})
	httpapi.Listen(server.Router(), "/beats", "things:read", func(ctx context.Context, _ httpapi.None, s *httpapi.Stream) error {
		if err := s.Send("", "begin", nil); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	})
	server.Handle(http.MethodGet, "/alive", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	listening := httptest.NewServer(server)
	t.Cleanup(listening.Close)
	return server, listening.URL
}

// streamEnd is the rest of a stream after its first event, and the time of its end.
type streamEnd struct {
	text string
	when time.Time
}

// follow opens a stream and sends its end to ended.
func follow(t *testing.T, url string, ended chan<- streamEnd) {
	t.Helper()
	reply, err := http.Get(url + "/api/v1/beats")
	require.NoError(t, err)
	t.Cleanup(func() { _ = reply.Body.Close() })
	_, err = io.ReadFull(reply.Body, make([]byte, len("event: begin\n")))
	require.NoError(t, err)
	go func() {
		text, _ := io.ReadAll(reply.Body)
		ended <- streamEnd{string(text), time.Now()}
	}()
}

// Proves G7.3.
func TestDrainingServerServesRequestsAndEndsStreamsInTurn(t *testing.T) {
	const streams = 40
	server, url := streaming(t)
	ended := make(chan streamEnd, streams)
	for range streams {
		follow(t, url, ended)
	}
	leavesOpen := func() bool {
		reply, err := http.Get(url + "/alive")
		require.NoError(t, err)
		defer reply.Body.Close()
		require.Equal(t, http.StatusOK, reply.StatusCode)
		return !reply.Close
	}
	require.True(t, leavesOpen(), "keep-alive")
	require.False(t, server.Draining())

	start := time.Now()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		server.Drain(t.Context(), time.Second)
	}()
	require.Eventually(t, server.Draining, time.Second, time.Millisecond)
	require.False(t, leavesOpen(), "Connection: close")
	<-drained
	require.GreaterOrEqual(t, time.Since(start), time.Second)
	require.NoError(t, server.Shutdown(t.Context()))
	early := 0
	for range streams {
		end := <-ended
		require.Regexp(t, `\nretry: \d+\n\n$`, end.text)
		if end.when.Sub(start) < time.Second/2 {
			early++
		}
	}
	require.NotZero(t, early, "some end in the first half")
	require.NotEqual(t, streams, early, "and some in the second half")
}

func TestCancelledDrainEndsStreamsImmediately(t *testing.T) {
	server, url := streaming(t)
	ended := make(chan streamEnd, 1)
	follow(t, url, ended)
	ctx, cancel := context.WithCancel(t.Context())
	go server.Drain(ctx, time.Hour)
	require.Eventually(t, server.Draining, time.Second, time.Millisecond)
	cancel()
	require.NoError(t, server.Shutdown(t.Context()))
	require.Contains(t, (<-ended).text, "retry: ")
}

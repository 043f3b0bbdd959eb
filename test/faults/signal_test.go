package faults_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/settings"
	"interlock/test/apptest"
	"interlock/test/tier"
)

// halfRequest is a creation of which half of the body was sent: the program is reading it
// and can neither respond nor end.
type halfRequest struct {
	conn    net.Conn
	replies *bufio.Reader
	rest    string
}

func sendHalf(t *testing.T, s settings.Settings, c *apptest.Caller, key string) *halfRequest {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	body := fmt.Sprintf(`{"key":%q,"value":1,"valueType":"number"}`, key)
	_, err = fmt.Fprintf(conn, "POST /api/v1/configs HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n", s.Addr, c.Token, len(body))
	require.NoError(t, err)
	h := &halfRequest{conn: conn, replies: bufio.NewReader(conn), rest: body[10:]}
	// The program requests the body when it starts to read it.
	line, err := h.replies.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, line, "100 Continue")
	_, err = h.replies.ReadString('\n')
	require.NoError(t, err)
	_, err = io.WriteString(conn, body[:10])
	require.NoError(t, err)
	return h
}

// finish sends the other half and returns the status of the response.
func (h *halfRequest) finish(t *testing.T) int {
	t.Helper()
	_, err := io.WriteString(h.conn, h.rest)
	require.NoError(t, err)
	reply, err := http.ReadResponse(h.replies, nil)
	require.NoError(t, err)
	defer reply.Body.Close()
	return reply.StatusCode
}

func requireClosing(t *testing.T, p *process, s settings.Settings) {
	t.Helper()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", s.Addr)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, patience, 5*time.Millisecond, "it still accepts connections")
	require.False(t, p.hasEnded(), "it ended before the request in flight")
}

func TestFirstSignalLetsRequestsInFlightFinish(t *testing.T) {
	t.Parallel()
	p, s, c := asProcess(t, "sqlite")
	h := sendHalf(t, s, c, "in-flight")
	p.signal(syscall.SIGTERM)
	requireClosing(t, p, s)
	require.Equal(t, http.StatusCreated, h.finish(t))
	require.Zero(t, p.exitCode(t, patience))

	serve(t, s)
	require.Equal(t, http.StatusOK, status(t.Context(), c, "/api/v1/configs/in-flight"))
}

func TestSecondSignalEndsTheProgramImmediately(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	s := fresh(t, "sqlite")
	s.Addr, s.ShutdownTimeout = freeAddress(t), time.Hour
	p := serve(t, s)
	c := callerOf(t, s)
	sendHalf(t, s, c, "cut-off")
	p.signal(syscall.SIGTERM)
	requireClosing(t, p, s)
	p.signal(syscall.SIGINT)
	require.NotZero(t, p.exitCode(t, patience))
	require.Contains(t, p.output.String(), "second signal")

	serve(t, s)
	require.Equal(t, http.StatusNotFound, status(t.Context(), c, "/api/v1/configs/cut-off"))
}

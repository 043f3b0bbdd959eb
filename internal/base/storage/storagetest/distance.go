package storagetest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Far returns the URL of a MySQL server as it is seen from so far away: each message takes
// half of the round trip, however many are on their way.
func Far(t testing.TB, databaseURL string, roundTrip time.Duration) string {
	t.Helper()
	if roundTrip == 0 {
		return databaseURL
	}
	u, err := url.Parse(databaseURL)
	require.NoError(t, err)
	server := u.Host
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var running sync.WaitGroup
	running.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", server)
			if err != nil {
				near.Close()
				continue
			}
			running.Go(func() { carry(far, near, roundTrip/2) })
			running.Go(func() { carry(near, far, roundTrip/2) })
		}
	})
	t.Cleanup(func() { listener.Close(); running.Wait() })
	u.Host = listener.Addr().String()
	return u.String()
}

type message struct {
	bytes []byte
	due   time.Time
}

// carry hands over what one side sends, each message after the delay.
func carry(to, from net.Conn, delay time.Duration) {
	onTheWay := make(chan message, 1024)
	var arriving sync.WaitGroup
	arriving.Go(func() {
		defer to.Close()
		for m := range onTheWay {
			if early := time.Until(m.due); early > 0 {
				pause(early)
			}
			if _, err := to.Write(m.bytes); err != nil {
				_, _ = io.Copy(io.Discard, from)
			}
		}
	})
	for {
		buffer := make([]byte, 16<<10)
		n, err := from.Read(buffer)
		if n > 0 {
			onTheWay <- message{buffer[:n], time.Now().Add(delay)}
		}
		if err != nil {
			break
		}
	}
	close(onTheWay)
	arriving.Wait()
}

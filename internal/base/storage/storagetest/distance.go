package storagetest

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
)

// Far returns the URL of a MySQL server behind a link with a latency: each message
// is delayed by half of the round trip, independent of other messages.
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

// carry forwards the messages of one side, each after the delay.
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

// OverALink runs a benchmark on MariaDB over links of increasing latency, with and without
// packets.
func OverALink(b *testing.B, measure func(b *testing.B, db *storage.DB)) {
	b.Helper()
	address := NewMariaDBURL(b)
	require.NoError(b, Migrate(address))
	for _, roundTrip := range []time.Duration{0, 250 * time.Microsecond, 500 * time.Microsecond, time.Millisecond} {
		far := Far(b, address, roundTrip)
		for _, packets := range []string{"false", "true"} {
			b.Run(fmt.Sprintf("%s/packets=%s", roundTrip, packets), func(b *testing.B) {
				db, err := storage.Open(b.Context(), storage.Options{URL: far + "?packets=" + packets})
				require.NoError(b, err)
				defer db.Close()
				measure(b, db)
			})
		}
	}
}

// InParallel runs b.N units on a number of writers, numbered from 1, and reports
// units per second.
func InParallel(b *testing.B, writers int, unit string, do func(writer int, n int64) error) {
	b.Helper()
	var started atomic.Int64
	var writing sync.WaitGroup
	b.ResetTimer()
	for writer := range writers {
		writing.Go(func() {
			for n := started.Add(1); n <= int64(b.N); n = started.Add(1) {
				if err := do(writer, n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	writing.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), unit+"/s")
	b.StopTimer()
}

package faults_test

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
	"interlock/test/tier"
)

// Ten replicas with default settings need 500 connections, including those for their
// claims, from a server that has 151, MariaDB's default. They share the connections, and no
// caller gets an error.
func TestTenDefaultReplicasFitTheDefaultConnectionLimit(t *testing.T) {
	tier.Nightly(t)
	const replicas, callersEach, edits = 10, 40, 15
	s, m := alone(t)
	var most string
	require.NoError(t, m.pool.QueryRow("SELECT @@max_connections").Scan(&most))
	require.Equal(t, "151", most)
	var callers []*apptest.Caller
	for i := range replicas {
		s.Addr = freeAddress(t)
		serve(t, s)
		if i == 0 {
			callers = append(callers, callerOf(t, s))
			continue
		}
		c := *callers[0]
		c.Program, c.HTTP = &apptest.Program{URL: "http://" + s.Addr}, newClient(t)
		callers = append(callers, &c)
	}
	resting := m.status(t, "Threads_connected")["Threads_connected"]

	var working sync.WaitGroup
	var done atomic.Int64
	refusals := make(chan string, replicas*callersEach)
	start := time.Now()
	for i := range replicas * callersEach {
		c := callers[i%replicas]
		working.Go(func() {
			key := fmt.Sprintf("caller.%d", i)
			answer, err := c.Try(t.Context(), http.MethodPost, "/api/v1/configs", map[string]any{"key": key, "value": 0})
			for edit := 0; err == nil && answer.Status < 300; edit++ {
				done.Add(1)
				if edit == edits {
					return
				}
				answer, err = c.Try(t.Context(), http.MethodPatch, "/api/v1/configs/"+key, map[string]any{"value": edit + 1}, "If-Match", answer.Header.Get("ETag"))
			}
			refusals <- fmt.Sprintf("%d %v %s", answer.Status, err, answer.Body)
		})
	}
	working.Wait()
	close(refusals)
	for refusal := range refusals {
		t.Error(refusal)
	}
	refused := m.status(t, "Connection_errors_max_connections")["Connection_errors_max_connections"]
	t.Logf("%d replicas have %d connections when idle, and at most %d; of %d callers %d writes were done in %s, while the server rejected %d connections",
		replicas, resting, m.status(t, "Max_used_connections")["Max_used_connections"], replicas*callersEach, done.Load(), time.Since(start).Round(100*time.Millisecond), refused)
	require.EqualValues(t, replicas*callersEach*(edits+1), done.Load())
	require.Positive(t, refused, "they wanted more than there are")
}

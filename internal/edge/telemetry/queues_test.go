package telemetry_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/telemetry"
	"interlock/internal/mq"
)

// countedQueues is a broker with this many queues, fs:1 to fs:n. Queue i contains i messages.
type countedQueues int

func (countedQueues) Forget(context.Context, string) error { return nil }

func (n countedQueues) Names(context.Context) ([]string, error) {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("fs:%d", i+1)
	}
	slices.Sort(names)
	return names, nil
}

func (n countedQueues) Queue(name string) mq.Queue { return holding{name: name} }

type holding struct {
	mq.Queue
	name string
}

func (h holding) Stats(context.Context) (mq.Stats, error) {
	var n int64
	_, err := fmt.Sscanf(h.name, "fs:%d", &n)
	return mq.Stats{Pending: n, OldestAge: time.Duration(n) * time.Second}, err
}

func TestNewestQueuesAreMeasured(t *testing.T) {
	metrics := telemetry.NewMetrics()
	metrics.Register(telemetry.Queues{Broker: countedQueues(1005)})
	reply := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(reply, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	const newest200 = 200 * (806 + 1005) / 2
	require.Contains(t, reply.Body.String(), fmt.Sprintf("interlock_queue_messages{family=\"fs\",place=\"pending\"} %d\n", newest200))
	require.Contains(t, reply.Body.String(), "interlock_queue_oldest_seconds{family=\"fs\"} 1005\n")
}

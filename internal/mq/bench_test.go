package mq_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/mq"
)

// BenchmarkRedis measures enqueue, claim and settle per message, in batches of 100 with
// small bodies.
func BenchmarkRedis(b *testing.B) {
	const batch = 100
	q := mq.NewRedis(redistest.Connect(b, redistest.SharedURL(b)), uniquePrefix(), mq.Options{}).Queue("q")
	messages := make([]mq.Message, batch)
	for i := range messages {
		messages[i] = mq.Message{ID: "ticket-" + strconv.Itoa(i), Body: []byte(`{"user":12345,"quantity":1}`)}
	}
	outcomes := make([]mq.Outcome, batch)
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, q.Enqueue(b.Context(), messages...))
		claimed, err := q.Claim(b.Context(), batch, time.Minute)
		require.NoError(b, err)
		require.Len(b, claimed.Messages, batch)
		require.NoError(b, q.Settle(b.Context(), claimed, outcomes))
	}
	b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "messages/s")
}

package mq_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/mq"
)

// requireHeld claims at a rate of 100 per second with a bucket of ten until the bucket is
// empty.
func requireHeld(t *testing.T, q mq.Queue) {
	t.Helper()
	for i := range 40 {
		require.NoError(t, q.Enqueue(t.Context(), mq.Message{ID: fmt.Sprint(time.Now().UnixNano(), "-", i), Body: []byte{}}))
	}
	received, started := 0, time.Now()
	for received < 40 {
		b, err := q.ClaimPaced(t.Context(), 50, time.Hour, 100)
		if err != nil {
			var paced *mq.PacedError
			require.ErrorAs(t, err, &paced)
			require.LessOrEqual(t, paced.After, time.Second)
			break
		}
		received += len(b.Messages)
		require.LessOrEqual(t, float64(received), 10+100*time.Since(started).Seconds(), "the rate is exceeded")
	}
	require.GreaterOrEqual(t, received, 5, "a claim does not wait until the clock reaches its old time again")
}

// Proves G5.4.
func TestRateContinuesAfterRedisClockIsSetBack(t *testing.T) {
	client, prefix := redistest.Connect(t, redistest.SharedURL(t)), uniquePrefix()
	q := mq.NewRedis(client, prefix, mq.Options{}).Open("q")
	requireHeld(t, q)
	// The value written by a claim while the clock was five minutes ahead.
	ahead := time.Now().Add(5 * time.Minute).UnixMicro()
	require.NoError(t, client.Set(t.Context(), prefix+"{q}:rate", ahead, time.Hour).Err())
	requireHeld(t, q)
}

// Proves G5.4.
func TestRateContinuesAfterProcessClockIsSetBack(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		now := clock.NewFake(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
		q := mq.NewSQL(db, now, mq.Options{}).Queue(fmt.Sprint("q", time.Now().UnixNano()))
		requireHeld(t, q)
		now.Advance(-5 * time.Minute)
		requireHeld(t, q)
	})
}

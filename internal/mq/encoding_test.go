package mq_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/mq"
)

func TestEncodingRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := mq.Message{
			ID:           rapid.StringN(1, 40, mq.MaxIDLength).Draw(t, "id"),
			Body:         rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "body"),
			Attempts:     rapid.IntRange(0, 1<<16-1).Draw(t, "attempts"),
			Crashes:      rapid.IntRange(0, 1<<16-1).Draw(t, "crashes"),
			EnqueuedTime: time.UnixMicro(rapid.Int64Range(-1<<50, 1<<52).Draw(t, "enqueued")).UTC(),
		}
		if trace := rapid.MapOfN(rapid.String(), rapid.String(), 0, 4).Draw(t, "trace"); len(trace) > 0 {
			m.Trace = trace
		}
		encoded, err := mq.Encode(m)
		require.NoError(t, err)
		got, err := mq.Decode(encoded)
		require.NoError(t, err)
		require.Equal(t, m, got)
	})
}

func FuzzDecode(f *testing.F) {
	whole, err := mq.Encode(mq.Message{ID: "a", Body: []byte("b"), Trace: map[string]string{"traceparent": "x", "z": ""}})
	require.NoError(f, err)
	for cut := range len(whole) {
		f.Add(whole[:cut])
	}
	f.Add(whole)
	f.Add([]byte{2})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := mq.Decode(data)
		if err != nil {
			require.ErrorIs(t, err, mq.ErrUndecodable)
			return
		}
		again, err := mq.Encode(m)
		require.NoError(t, err)
		require.Equal(t, data, again, "a message has one form")
	})
}

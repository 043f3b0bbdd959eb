package mq_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/mq"
)

func TestKeysOfAQueueShareItsHashTag(t *testing.T) {
	client := redistest.Connect(t, redistest.SharedURL(t))
	keys := mq.NewRedis(client, "interlock:mq:", mq.Options{}).Open("fs:12").Keys()
	require.Equal(t, "interlock:mq:{fs:12}:pending", keys.Pending)
	for _, key := range keys.List() {
		require.True(t, strings.HasPrefix(key, "interlock:mq:{fs:12}:"), key)
	}
}

// Proves G5.39.
func TestInvalidMessagesBecomeDeadAndDelayNoOther(t *testing.T) {
	client := redistest.Connect(t, redistest.SharedURL(t))
	prefix := uniquePrefix()
	q := mq.NewRedis(client, prefix, mq.Options{}).Open("q")
	good, err := mq.Encode(mq.Message{ID: "good", Body: []byte{}})
	require.NoError(t, err)
	require.NoError(t, client.RPush(t.Context(), q.Keys().Pending, "", "{}", "\x01\xff\xff\xff\xff", good).Err())

	b, err := q.Claim(t.Context(), 1, time.Hour)
	require.NoError(t, err)
	require.Equal(t, "good", b.Messages[0].ID, "a claim continues after undecodable messages")
	require.NoError(t, q.Extend(t.Context(), b, 0))
	_, err = q.Reap(t.Context())
	require.NoError(t, err)
	s, err := q.Stats(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 3, s.Dead)
	require.EqualValues(t, 1, s.Pending)
	require.Zero(t, s.Claimed)
	list, _, err := q.Dead(t.Context(), "", 10)
	require.NoError(t, err)
	require.Len(t, list, 3)
	require.Equal(t, []byte("{}"), list[1].Body)
	require.Contains(t, list[1].Error, "undecodable")
	require.NoError(t, onRedis{mq.NewRedis(client, prefix, mq.Options{}), client}.DiscardDead(t.Context(), "q", list[1].ID))
}

// Proves G5.38.
func TestLostReplyNeitherLosesNorDoubles(t *testing.T) {
	link := newLink(t, strings.TrimSuffix(strings.TrimPrefix(redistest.SharedURL(t), "redis://"), "/0"))
	client := redistest.Connect(t, "redis://"+link.listener.Addr().String()+"/0")
	for _, lost := range []int32{1, 2} {
		q := mq.NewRedis(client, uniquePrefix(), mq.Options{}).Open("q")
		for _, id := range []string{"a", "b", "c"} {
			require.NoError(t, q.Enqueue(t.Context(), mq.Message{ID: id, Body: []byte{}}))
		}
		warm, err := q.Claim(t.Context(), 1, time.Hour)
		require.NoError(t, err)
		require.NoError(t, q.Settle(t.Context(), warm, []mq.Outcome{mq.Done()}))

		link.drop.Store(1)
		b, err := q.Claim(t.Context(), 2, time.Hour)
		require.NoError(t, err)
		require.Zero(t, link.drop.Load(), "the reply was lost")
		require.Len(t, b.Messages, 2, "the same claim finds its own batch")

		link.drop.Store(lost)
		outcomes := []mq.Outcome{mq.Done(), mq.Dead(io.ErrUnexpectedEOF)}
		if err := q.Settle(t.Context(), b, outcomes); lost == 2 {
			require.Error(t, err)
			require.NotErrorIs(t, err, mq.ErrLeaseLost, "the outcome is unknown")
			require.NoError(t, q.Settle(t.Context(), b, outcomes))
		} else {
			require.NoError(t, err)
		}
		require.Zero(t, link.drop.Load())
		s, err := q.Stats(t.Context())
		require.NoError(t, err)
		require.Equal(t, mq.Stats{Dead: 1}, s)
	}
}

func TestIDsIncludeMessagesInEveryState(t *testing.T) {
	client := redistest.Connect(t, redistest.SharedURL(t))
	q := mq.NewRedis(client, uniquePrefix(), mq.Options{}).Open("q")
	var want []string
	for i := range 2500 {
		want = append(want, fmt.Sprint("m", i))
	}
	for part := range slices.Chunk(want, 500) {
		messages := make([]mq.Message, len(part))
		for i, id := range part {
			messages[i] = mq.Message{ID: id}
		}
		require.NoError(t, q.Enqueue(t.Context(), messages...))
	}
	b, err := q.Claim(t.Context(), 2, time.Hour)
	require.NoError(t, err)
	require.NoError(t, q.Settle(t.Context(), b, []mq.Outcome{mq.Dead(io.EOF), mq.Postpone(io.EOF, time.Hour)}))
	_, err = q.Claim(t.Context(), 5, time.Hour)
	require.NoError(t, err)
	var found []string
	require.NoError(t, q.MessageIDs(t.Context(), func(ids []string) { found = append(found, ids...) }))
	require.ElementsMatch(t, want, found)
}

// Proves G5.40.
func TestRolledBackEnqueueIsNotInTheQueue(t *testing.T) {
	db := storagetest.SQLite(t)
	ctx := storagetest.Tenant(t)
	broker := mq.NewSQL(db, clock.System{}, mq.Options{})
	for _, commit := range []bool{false, true} {
		tx, err := db.Begin(ctx, ctx)
		require.NoError(t, err)
		require.NoError(t, broker.EnqueueTx(tx, "q", mq.Message{ID: "a"}, mq.Message{ID: "b"}))
		if commit {
			require.NoError(t, tx.Commit().Error)
		} else {
			require.NoError(t, tx.Rollback().Error)
		}
		b, err := broker.Queue("q").Claim(t.Context(), 10, time.Hour)
		require.NoError(t, err)
		require.Equal(t, commit, b != nil)
	}
}

// link forwards connections to a server. While drop is above 0, it discards the reply to a
// script, decrements drop, and closes the connection.
type link struct {
	listener net.Listener
	drop     atomic.Int32
	running  sync.WaitGroup
}

func newLink(t *testing.T, server string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &link{listener: listener}
	l.running.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", server)
			if err != nil {
				_ = near.Close()
				continue
			}
			l.running.Go(func() { l.serve(near, far) })
		}
	})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		l.running.Wait()
	})
	return l
}

// serve forwards one request and its reply at a time, as the client sends them.
func (l *link) serve(near, far net.Conn) {
	defer near.Close()
	defer far.Close()
	buffer := make([]byte, 1<<20)
	for {
		n, err := near.Read(buffer)
		if err != nil {
			return
		}
		script := bytes.Contains(bytes.ToLower(buffer[:n]), []byte("evalsha"))
		if _, err := far.Write(buffer[:n]); err != nil {
			return
		}
		if n, err = far.Read(buffer); err != nil {
			return
		}
		if script && l.drop.Load() > 0 {
			l.drop.Add(-1)
			return
		}
		if _, err := near.Write(buffer[:n]); err != nil {
			return
		}
	}
}

// Package mqtest is the contract test suite of mq.Queue.
package mqtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"interlock/internal/mq"
)

const (
	patience = 30 * time.Second
	tick     = 2 * time.Millisecond
	// long is a lease or delay that does not end during a test.
	long = time.Hour
)

var errBroken = errors.New("broken")

// Broker is a broker with the steps that other packages run on its queues in their own
// scripts or transactions.
type Broker interface {
	mq.Broker
	RetryDead(ctx context.Context, queue, id string) error
	DiscardDead(ctx context.Context, queue, id string) error
	Purge(ctx context.Context, queue string) error
}

// queue is the queue under test.
type queue struct {
	mq.Queue
	broker Broker
}

func (q queue) retryDead(ctx context.Context, id string) error {
	return q.broker.RetryDead(ctx, q.Name(), id)
}

func (q queue) discardDead(ctx context.Context, id string) error {
	return q.broker.DiscardDead(ctx, q.Name(), id)
}

func (q queue) purge(ctx context.Context) error { return q.broker.Purge(ctx, q.Name()) }

// Contract runs the suite. Brokers returned by newBroker may share their store.
func Contract(t *testing.T, newBroker func(t *testing.T) Broker) {
	tests := map[string]func(t *testing.T, q queue){
		"messages come out whole and in order":                          ordered,
		"no message is claimed twice under live leases":                 claimedOnce,
		"an ended lease returns its batch to the head in its old order": returnedToHead,
		"an extended lease does not end":                                extended,
		"a settled batch may be settled again and a lost one may not":   settledTwice,
		"outcomes send messages where they say":                         outcomes,
		"a delayed message comes when it is due":                        delayed,
		"postponing counts no attempt and retains the position":         postponed,
		"a suspect message is claimed alone":                            suspects,
		"a message that crashes its consumers is dead in the end":       crashes,
		"dead messages are listed page by page, retried and discarded":  deadLetters,
		"a purged queue is empty and its leases are lost":               purged,
		"names lists the queues that were used":                         nil,
		"an invalid message rejects its whole call":                     invalid,
		"any sequence of calls matches the model":                       modelled,
		"any sequence of calls with many batches loses nothing":         modelledAtOnce,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			broker := newBroker(t)
			if test == nil {
				names(t, broker)
				return
			}
			test(t, queue{broker.Queue(NewName()), broker})
		})
	}
	t.Run("consumer", func(t *testing.T) { consumers(t, newBroker) })
}

// NewName returns an unused queue name.
func NewName() string { return "test:" + uuid.NewString() }

func enqueue(t *testing.T, q queue, ids ...string) {
	t.Helper()
	require.NoError(t, q.Enqueue(t.Context(), messages(ids...)...))
}

func messages(ids ...string) []mq.Message {
	list := make([]mq.Message, len(ids))
	for i, id := range ids {
		list[i] = mq.Message{ID: id, Body: []byte("body of " + id)}
	}
	return list
}

func sequence(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("m%04d", i)
	}
	return ids
}

func claim(t *testing.T, q queue, limit int) *mq.Batch {
	t.Helper()
	b, err := q.Claim(t.Context(), limit, long)
	require.NoError(t, err)
	return b
}

func idsOf(b *mq.Batch) []string {
	if b == nil {
		return nil
	}
	ids := make([]string, len(b.Messages))
	for i, m := range b.Messages {
		ids[i] = m.ID
	}
	return ids
}

func settle(t *testing.T, q queue, b *mq.Batch, outcomes ...mq.Outcome) {
	t.Helper()
	require.NoError(t, q.Settle(t.Context(), b, outcomes))
}

func all(o mq.Outcome, n int) []mq.Outcome { return slices.Repeat([]mq.Outcome{o}, n) }

// crash ends the lease of b immediately, as if its consumer had died long ago.
func crash(t *testing.T, q queue, b *mq.Batch) {
	t.Helper()
	require.NoError(t, q.Extend(t.Context(), b, 0))
}

func reap(t *testing.T, q queue) int {
	t.Helper()
	reaped, err := q.Reap(t.Context())
	require.NoError(t, err)
	return reaped.Returned
}

func sizes(t *testing.T, q queue) mq.Stats {
	t.Helper()
	s, err := q.Stats(t.Context())
	require.NoError(t, err)
	s.OldestAge = 0
	return s
}

func ordered(t *testing.T, q queue) {
	sent := mq.Message{
		ID: "first \x00 é", Body: []byte{0, 1, 255}, Attempts: 0, Crashes: 1,
		EnqueuedTime: time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC),
		Trace:        map[string]string{"traceparent": "00-a-b-01", "tracestate": "x=y"},
	}
	require.NoError(t, q.Enqueue(t.Context(), sent))
	s, err := q.Stats(t.Context())
	require.NoError(t, err)
	require.Greater(t, s.OldestAge, 24*time.Hour)
	enqueue(t, q, sequence(250)...)

	first := claim(t, q, 100)
	require.Len(t, first.Messages, 100)
	require.Equal(t, sent, first.Messages[0])
	require.False(t, first.Messages[1].EnqueuedTime.IsZero())
	got := idsOf(first)[1:]
	for range 2 {
		got = append(got, idsOf(claim(t, q, 100))...)
	}
	require.Equal(t, sequence(250), got)
	require.Nil(t, claim(t, q, 100))
	require.Equal(t, mq.Stats{Claimed: 251}, sizes(t, q))
}

func claimedOnce(t *testing.T, q queue) {
	const total, workers = 400, 8
	enqueue(t, q, sequence(total)...)
	var mu sync.Mutex
	seen := make(map[string]int)
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for {
				b, err := q.Claim(t.Context(), 7, long)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, id := range idsOf(b) {
					seen[id]++
				}
				finished := len(seen) == total
				mu.Unlock()
				if b != nil {
					if err := q.Settle(t.Context(), b, all(mq.Done(), len(b.Messages))); err != nil {
						t.Error(err)
					}
				}
				if finished {
					return
				}
			}
		})
	}
	working.Wait()
	require.Len(t, seen, total)
	for id, times := range seen {
		require.Equal(t, 1, times, id)
	}
	require.Equal(t, mq.Stats{}, sizes(t, q))
}

func returnedToHead(t *testing.T, q queue) {
	enqueue(t, q, sequence(6)...)
	first, second := claim(t, q, 2), claim(t, q, 2)
	require.Zero(t, reap(t, q), "live leases are left alone")
	b, err := q.Claim(t.Context(), 1, 30*time.Millisecond)
	require.NoError(t, err)
	require.Equal(t, []string{"m0004"}, idsOf(b))
	require.Eventually(t, func() bool { return reap(t, q) == 1 }, patience, tick)
	crash(t, q, second)
	crash(t, q, first)
	require.Equal(t, 4, reap(t, q))

	again := claim(t, q, 10)
	require.Equal(t, sequence(6), idsOf(again))
	for i, m := range again.Messages {
		require.Equal(t, i < 5, m.Crashes == 1, m.ID)
		require.Zero(t, m.Attempts)
	}
	require.ErrorIs(t, q.Settle(t.Context(), first, all(mq.Done(), 2)), mq.ErrLeaseLost)
	require.ErrorIs(t, q.Extend(t.Context(), second, long), mq.ErrLeaseLost)
	require.Equal(t, mq.Stats{Claimed: 6}, sizes(t, q), "a consumer without the lease changes nothing")
}

func extended(t *testing.T, q queue) {
	enqueue(t, q, "a")
	b, err := q.Claim(t.Context(), 1, 300*time.Millisecond)
	require.NoError(t, err)
	require.NoError(t, q.Extend(t.Context(), b, long))
	timer := time.NewTimer(350 * time.Millisecond)
	<-timer.C
	require.Zero(t, reap(t, q))
	settle(t, q, b, mq.Done())
}

func settledTwice(t *testing.T, q queue) {
	enqueue(t, q, "a", "b", "c")
	b := claim(t, q, 2)
	require.ErrorIs(t, q.Settle(t.Context(), b, all(mq.Done(), 1)), mq.ErrOutcomes)
	for range 2 {
		settle(t, q, b, mq.Done(), mq.Dead(errBroken))
		require.Equal(t, mq.Stats{Pending: 1, Dead: 1}, sizes(t, q))
	}
	require.NoError(t, q.retryDead(t.Context(), "b"))
	settle(t, q, b, mq.Done(), mq.Dead(errBroken))
	require.Equal(t, mq.Stats{Pending: 2}, sizes(t, q), "the repeat leaves the messages' new states unchanged")
	require.ErrorIs(t, q.Extend(t.Context(), b, long), mq.ErrLeaseLost)
	lost := claim(t, q, 2)
	crash(t, q, lost)
	reap(t, q)
	require.ErrorIs(t, q.Settle(t.Context(), lost, all(mq.Done(), 2)), mq.ErrLeaseLost)
	require.Equal(t, mq.Stats{Pending: 2}, sizes(t, q))
}

func outcomes(t *testing.T, q queue) {
	enqueue(t, q, "done", "retried", "later", "hopeless", "head", "postponed", "behind")
	settle(t, q, claim(t, q, 6),
		mq.Done(), mq.Retry(errBroken, 0), mq.Retry(errBroken, long), mq.Dead(errBroken), mq.Postpone(errBroken, 0), mq.Postpone(errBroken, long))
	require.Equal(t, mq.Stats{Pending: 3, Delayed: 2, Dead: 1}, sizes(t, q))
	b := claim(t, q, 10)
	require.Equal(t, []string{"head", "behind", "retried"}, idsOf(b))
	require.Equal(t, 0, b.Messages[0].Attempts)
	require.Equal(t, 1, b.Messages[2].Attempts)
	require.Equal(t, []byte("body of retried"), b.Messages[2].Body)
}

func delayed(t *testing.T, q queue) {
	enqueue(t, q, "late", "never", "now")
	settle(t, q, claim(t, q, 3), mq.Postpone(errBroken, 30*time.Millisecond), mq.Postpone(errBroken, long), mq.Postpone(errBroken, 0))
	b := claim(t, q, 10)
	require.Contains(t, idsOf(b), "now")
	require.Eventually(t, func() bool {
		reap(t, q)
		return sizes(t, q).Pending == 1 || slices.Contains(idsOf(b), "late")
	}, patience, tick)
	require.Equal(t, int64(1), sizes(t, q).Delayed)
}

func postponed(t *testing.T, q queue) {
	enqueue(t, q, "a", "b", "c")
	for range 10 {
		b := claim(t, q, 2)
		require.Equal(t, []string{"a", "b"}, idsOf(b))
		require.Zero(t, b.Messages[0].Attempts+b.Messages[0].Crashes)
		settle(t, q, b, all(mq.Postpone(errBroken, 0), 2)...)
	}
}

func suspects(t *testing.T, q queue) {
	good := messages("a", "b", "c", "d", "e")
	good[2].Crashes = 2
	good[3].Attempts, good[3].Crashes = 1, 1
	require.NoError(t, q.Enqueue(t.Context(), good...))
	for _, want := range [][]string{{"a", "b"}, {"c"}, {"d"}, {"e"}, nil} {
		require.Equal(t, want, idsOf(claim(t, q, 10)))
	}
}

func crashes(t *testing.T, q queue) {
	enqueue(t, q, sequence(5)...)
	handled, rounds := []string(nil), 0
	for b := claim(t, q, 10); b != nil; b = claim(t, q, 10) {
		rounds++
		if slices.Contains(idsOf(b), "m0002") {
			crash(t, q, b)
			reap(t, q)
			continue
		}
		handled = append(handled, idsOf(b)...)
		settle(t, q, b, all(mq.Done(), len(b.Messages))...)
	}
	require.Equal(t, []string{"m0000", "m0001", "m0003", "m0004"}, handled)
	require.Less(t, rounds, 12)
	list, _, err := q.Dead(t.Context(), "", 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "m0002", list[0].ID)
	require.Equal(t, 5, list[0].Crashes)
	require.Contains(t, list[0].Error, "lost their lease")
}

func deadLetters(t *testing.T, q queue) {
	ids := sequence(5)
	enqueue(t, q, ids...)
	before := time.Now().Add(-time.Minute)
	b := claim(t, q, 5)
	var why []mq.Outcome
	for _, id := range ids {
		why = append(why, mq.Dead(fmt.Errorf("no use: %s", id)))
	}
	settle(t, q, b, why...)

	var got []mq.DeadMessage
	for after := ""; ; {
		page, next, err := q.Dead(t.Context(), after, 2)
		require.NoError(t, err)
		require.LessOrEqual(t, len(page), 2)
		got = append(got, page...)
		if after = next; next == "" {
			break
		}
	}
	require.Len(t, got, 5)
	for i, d := range got {
		require.Equal(t, ids[i], d.ID)
		require.Equal(t, "no use: "+ids[i], d.Error)
		require.Equal(t, 1, d.Attempts)
		require.Equal(t, []byte("body of "+ids[i]), d.Body)
		require.WithinRange(t, d.DeadTime, before, before.Add(patience+2*time.Minute))
	}
	for _, garbage := range []string{"no cursor", "1.x", "x.1", ".", "-1", "-1.1", "99999999999999999999", "9223372036854775807.1"} {
		_, _, err := q.Dead(t.Context(), garbage, 2)
		require.ErrorIs(t, err, mq.ErrCursor, garbage)
	}

	require.NoError(t, q.discardDead(t.Context(), ids[1]))
	require.NoError(t, q.retryDead(t.Context(), ids[3]))
	for _, id := range []string{ids[1], ids[3], "stranger"} {
		require.ErrorIs(t, q.discardDead(t.Context(), id), mq.ErrNoSuchMessage)
		require.ErrorIs(t, q.retryDead(t.Context(), id), mq.ErrNoSuchMessage)
	}
	require.Equal(t, mq.Stats{Pending: 1, Dead: 3}, sizes(t, q))
	again := claim(t, q, 5)
	require.Equal(t, []string{ids[3]}, idsOf(again))
	require.Zero(t, again.Messages[0].Attempts)
}

func purged(t *testing.T, q queue) {
	enqueue(t, q, sequence(6)...)
	held := claim(t, q, 2)
	settle(t, q, claim(t, q, 2), mq.Dead(errBroken), mq.Retry(errBroken, long))
	require.NoError(t, q.purge(t.Context()))
	require.Equal(t, mq.Stats{}, sizes(t, q))
	require.ErrorIs(t, q.Settle(t.Context(), held, all(mq.Done(), 2)), mq.ErrLeaseLost)
	require.Zero(t, reap(t, q))
	list, _, err := q.Dead(t.Context(), "", 10)
	require.NoError(t, err)
	require.Empty(t, list)
	enqueue(t, q, "again")
	require.Equal(t, []string{"again"}, idsOf(claim(t, q, 10)))
}

func names(t *testing.T, broker Broker) {
	used := []string{NewName(), NewName()}
	slices.Sort(used)
	enqueue(t, queue{broker.Queue(used[0]), broker}, "a")
	require.Zero(t, reap(t, queue{broker.Queue(used[1]), broker}))
	unused := broker.Queue(NewName()).Name()
	got, err := broker.Names(t.Context())
	require.NoError(t, err)
	require.True(t, slices.IsSorted(got))
	require.Subset(t, got, used)
	require.NotContains(t, got, unused)
	require.NoError(t, broker.Forget(t.Context(), used[1]))
	require.NoError(t, broker.Forget(t.Context(), used[1]), "and again")
	got, err = broker.Names(t.Context())
	require.NoError(t, err)
	require.Contains(t, got, used[0])
	require.NotContains(t, got, used[1])
	enqueue(t, queue{broker.Queue(used[1]), broker}, "b")
	got, err = broker.Names(t.Context())
	require.NoError(t, err)
	require.Contains(t, got, used[1], "it is used again")
	for _, wrong := range []string{"", "a{b", "a}b", "a b", string(make([]byte, mq.MaxNameLength+1))} {
		require.Panics(t, func() { broker.Queue(wrong) }, "%q", wrong)
	}
}

func invalid(t *testing.T, q queue) {
	for _, wrong := range []mq.Message{{}, {ID: string(make([]byte, mq.MaxIDLength+1))}, {ID: "x", Attempts: -1}, {ID: "x", Crashes: 1 << 16}} {
		require.ErrorIs(t, q.Enqueue(t.Context(), mq.Message{ID: "fine"}, wrong), mq.ErrInvalidMessage)
	}
	require.NoError(t, q.Enqueue(t.Context()))
	require.Equal(t, mq.Stats{}, sizes(t, q))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.Error(t, q.Enqueue(ctx, mq.Message{ID: "fine"}))
	require.Equal(t, mq.Stats{}, sizes(t, q))
}

package mqtest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/mq"
)

func consumers(t *testing.T, newBroker func(t *testing.T) Broker) {
	tests := map[string]func(t *testing.T, q queue){
		"everything is handled once":                                           handledOnce,
		"a failing message is retried, then dead, and delays no other":         poison,
		"a panic costs the others nothing":                                     panics,
		"the messages of a killed consumer are redelivered":                    killed,
		"an enqueue in another process wakes a consumer":                       woken,
		"an expired short lease is reclaimed":                                  shortLease,
		"a lease lasts as long as its handler":                                 longHandler,
		"a lost batch cancels its handler":                                     lostLease,
		"the rate bounds the messages and can change":                          paced,
		"consumers of several processes share one rate":                        pacedTogether,
		"a stopping consumer finishes only its messages":                       finishes,
		"at its end a consumer's patience is bounded and the outcome still in": impatient,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			broker := newBroker(t)
			test(t, queue{broker.Queue(NewName()), broker})
		})
	}
}

// start runs a consumer until stop is called or the test ends.
func start(t *testing.T, q queue, handler mq.Handler, o mq.ConsumerOptions) (c *mq.Consumer, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	c = mq.NewConsumer(q.Queue, handler, o)
	var running sync.WaitGroup
	running.Go(func() { c.Run(ctx) })
	stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(stop)
	return c, stop
}

// log records the messages that handlers received.
type log struct {
	mu  sync.Mutex
	ids []string
}

func (l *log) add(messages []mq.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range messages {
		l.ids = append(l.ids, m.ID)
	}
}

func (l *log) seen() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.ids)
}

func untilEmpty(t *testing.T, q queue, dead int64) {
	t.Helper()
	require.Eventually(t, func() bool { return sizes(t, q) == mq.Stats{Dead: dead} }, patience, tick)
}

func handledOnce(t *testing.T, q queue) {
	var l log
	start(t, q, func(_ context.Context, messages []mq.Message) []mq.Outcome {
		l.add(messages)
		return all(mq.Done(), len(messages))
	}, mq.ConsumerOptions{Batch: 10, Concurrency: 3})
	enqueue(t, q, sequence(200)...)
	untilEmpty(t, q, 0)
	got := l.seen()
	slices.Sort(got)
	require.Equal(t, sequence(200), got)
}

// elsewhere is a queue that does not notify its consumer of enqueued messages, as if another
// process had enqueued them.
type elsewhere struct{ mq.Queue }

func woken(t *testing.T, q queue) {
	handled := make(chan string)
	c, _ := start(t, queue{elsewhere{q.Queue}, q.broker}, func(_ context.Context, messages []mq.Message) []mq.Outcome {
		handled <- messages[0].ID
		return all(mq.Done(), len(messages))
	}, mq.ConsumerOptions{MinPoll: time.Hour, MaxPoll: time.Hour})
	for _, id := range []string{"a", "b"} {
		enqueue(t, q, id)
		c.Wake()
		select {
		case got := <-handled:
			require.Equal(t, id, got)
		case <-time.After(patience):
			t.Fatalf("%s was not claimed", id)
		}
	}
}

func poison(t *testing.T, q queue) {
	var l log
	start(t, q, func(_ context.Context, messages []mq.Message) []mq.Outcome {
		l.add(messages)
		outcomes := all(mq.Done(), len(messages))
		for i, m := range messages {
			if m.ID == "m0003" {
				outcomes[i] = mq.Retry(errBroken, 0)
			}
		}
		return outcomes
	}, mq.ConsumerOptions{Batch: 10, MaxAttempts: 3, Backoff: 20 * time.Millisecond})
	enqueue(t, q, sequence(20)...)
	started := time.Now()
	untilEmpty(t, q, 1)
	require.Greater(t, time.Since(started), 40*time.Millisecond, "20 and 40 ms less a quarter at most")
	require.Len(t, l.seen(), 20+2)
	list, _, err := q.Dead(t.Context(), "", 10)
	require.NoError(t, err)
	require.Equal(t, "m0003", list[0].ID)
	require.Equal(t, 3, list[0].Attempts)
	require.Equal(t, errBroken.Error(), list[0].Error)
}

func panics(t *testing.T, q queue) {
	start(t, q, func(_ context.Context, messages []mq.Message) []mq.Outcome {
		for _, m := range messages {
			if m.ID == "m0002" {
				panic("poison")
			}
			if m.ID == "m0004" {
				return nil
			}
		}
		return all(mq.Done(), len(messages))
	}, mq.ConsumerOptions{Batch: 10, MaxAttempts: 2, Backoff: time.Millisecond})
	enqueue(t, q, sequence(10)...)
	untilEmpty(t, q, 2)
	list, _, err := q.Dead(t.Context(), "", 10)
	require.NoError(t, err)
	var ids []string
	for _, d := range list {
		ids = append(ids, d.ID)
		require.Contains(t, d.Error, "the handler panicked")
	}
	require.ElementsMatch(t, []string{"m0002", "m0004"}, ids)
}

func killed(t *testing.T, q queue) {
	enqueue(t, q, sequence(10)...)
	b, err := q.Claim(t.Context(), 4, 50*time.Millisecond)
	require.NoError(t, err)
	require.Len(t, b.Messages, 4)
	var l log
	start(t, q, func(_ context.Context, messages []mq.Message) []mq.Outcome {
		l.add(messages)
		return all(mq.Done(), len(messages))
	}, mq.ConsumerOptions{Batch: 2, Lease: 3 * time.Second})
	untilEmpty(t, q, 0)
	got := l.seen()
	slices.Sort(got)
	require.Equal(t, sequence(10), got)
}

// shortLease tests that a consumer with a long lease redelivers the batch of an expired short lease
// soon: while any lease is active, it reaps every second.
func shortLease(t *testing.T, q queue) {
	enqueue(t, q, "a")
	_, err := q.Claim(t.Context(), 1, 100*time.Millisecond)
	require.NoError(t, err)
	start(t, q, func(_ context.Context, messages []mq.Message) []mq.Outcome {
		return all(mq.Done(), len(messages))
	}, mq.ConsumerOptions{Lease: time.Hour})
	untilEmpty(t, q, 0)
}

func longHandler(t *testing.T, q queue) {
	enqueue(t, q, "a")
	var l log
	start(t, q, func(_ context.Context, messages []mq.Message) []mq.Outcome {
		l.add(messages)
		timer := time.NewTimer(1300 * time.Millisecond)
		<-timer.C
		return all(mq.Done(), len(messages))
	}, mq.ConsumerOptions{Lease: 900 * time.Millisecond, Concurrency: 2})
	untilEmpty(t, q, 0)
	require.Equal(t, []string{"a"}, l.seen())
}

func lostLease(t *testing.T, q queue) {
	enqueue(t, q, "a")
	cancelled := make(chan error, 1)
	start(t, q, func(ctx context.Context, messages []mq.Message) []mq.Outcome {
		if err := q.purge(ctx); err != nil {
			cancelled <- err
			return all(mq.Done(), len(messages))
		}
		<-ctx.Done()
		cancelled <- context.Cause(ctx)
		return all(mq.Dead(errBroken), len(messages))
	}, mq.ConsumerOptions{Lease: 900 * time.Millisecond})
	select {
	case err := <-cancelled:
		require.ErrorIs(t, err, mq.ErrLeaseLost)
	case <-time.After(patience):
		require.FailNow(t, "the handler was not notified")
	}
	require.Equal(t, mq.Stats{}, sizes(t, q))
}

func paced(t *testing.T, q queue) {
	var l log
	started := time.Now()
	enqueue(t, q, sequence(200)...)
	c, _ := start(t, q, func(_ context.Context, messages []mq.Message) []mq.Outcome {
		l.add(messages)
		return all(mq.Done(), len(messages))
	}, mq.ConsumerOptions{Batch: 50, Rate: 100})
	require.Eventually(t, func() bool { return len(l.seen()) >= 20 }, patience, tick)
	seen, elapsed := len(l.seen()), time.Since(started)
	require.LessOrEqual(t, float64(seen), 100*elapsed.Seconds()+10+1, "the rate and one full bucket")
	c.SetRate(0)
	untilEmpty(t, q, 0)
	require.Len(t, l.seen(), 200)
}

func pacedTogether(t *testing.T, q queue) {
	const rate, bucket = 100, 10
	var l log
	enqueue(t, q, sequence(200)...)
	started := time.Now()
	for range 3 {
		start(t, q, func(_ context.Context, messages []mq.Message) []mq.Outcome {
			l.add(messages)
			return all(mq.Done(), len(messages))
		}, mq.ConsumerOptions{Batch: 50, Rate: rate})
	}
	look := time.NewTicker(tick)
	defer look.Stop()
	for seen := 0; seen < 60; <-look.C {
		seen = len(l.seen())
		require.LessOrEqual(t, float64(seen), rate*time.Since(started).Seconds()+bucket, "the rate and one full bucket")
		require.Less(t, time.Since(started), patience)
	}
}

func finishes(t *testing.T, q queue) {
	enqueue(t, q, sequence(4)...)
	started, proceed := make(chan struct{}), make(chan struct{})
	_, stop := start(t, q, func(ctx context.Context, messages []mq.Message) []mq.Outcome {
		close(started)
		<-proceed
		if ctx.Err() != nil {
			return all(mq.Retry(ctx.Err(), 0), len(messages))
		}
		return all(mq.Done(), len(messages))
	}, mq.ConsumerOptions{Batch: 2})
	<-started
	time.AfterFunc(20*time.Millisecond, func() { close(proceed) })
	stop()
	require.Equal(t, mq.Stats{Pending: 2}, sizes(t, q))
}

func impatient(t *testing.T, q queue) {
	enqueue(t, q, "a")
	started := make(chan struct{})
	_, stop := start(t, q, func(ctx context.Context, messages []mq.Message) []mq.Outcome {
		close(started)
		<-ctx.Done()
		return all(mq.Postpone(fmt.Errorf("shut down: %w", ctx.Err()), 0), len(messages))
	}, mq.ConsumerOptions{StopTimeout: 10 * time.Millisecond})
	<-started
	stop()
	require.Equal(t, mq.Stats{Pending: 1}, sizes(t, q))
	require.Zero(t, claim(t, q, 1).Messages[0].Attempts)
}

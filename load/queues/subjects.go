package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"

	"interlock/internal/mq"
)

var body = []byte(`{"user":12345,"quantity":1}`)

// subject is one queue. run enqueues, claims and acknowledges messages until the period ends. It
// returns the number of handled messages and the duration; no message may remain.
type subject struct {
	name string
	run  func(ctx context.Context, period time.Duration) (int64, time.Duration, error)
}

// newSubjects returns this program's queue first.
func newSubjects(client redis.UniversalClient, o options) []subject {
	own := batches{queue: mq.NewRedis(client, "bench:", mq.Options{}).Queue("own"), size: o.batch, workers: o.workers}
	return []subject{
		{"interlock", own.run},
		{"asynq", tasks{client: client, concurrency: o.concurrency}.run},
	}
}

// batches lets each worker enqueue, claim and settle batches repeatedly.
type batches struct {
	queue         mq.Queue
	size, workers int
}

func (b batches) run(ctx context.Context, period time.Duration) (int64, time.Duration, error) {
	var done atomic.Int64
	start := time.Now()
	end := start.Add(period)
	errs := make(chan error, b.workers)
	var working sync.WaitGroup
	for w := range b.workers {
		working.Go(func() {
			for time.Now().Before(end) {
				n, err := b.once(ctx, w)
				if err != nil {
					errs <- err
					return
				}
				done.Add(int64(n))
			}
		})
	}
	working.Wait()
	elapsed := time.Since(start)
	close(errs)
	if err := <-errs; err != nil {
		return 0, 0, err
	}
	stats, err := b.queue.Stats(ctx)
	if err != nil {
		return 0, 0, err
	}
	if stats != (mq.Stats{}) {
		return 0, 0, fmt.Errorf("left behind: %+v", stats)
	}
	return done.Load(), elapsed, nil
}

// once may settle messages of another worker: in total, all workers settle as many as they
// enqueue.
func (b batches) once(ctx context.Context, worker int) (int, error) {
	messages := make([]mq.Message, b.size)
	for i := range messages {
		messages[i] = mq.Message{ID: strconv.Itoa(worker) + "-" + strconv.Itoa(i), Body: body}
	}
	if err := b.queue.Enqueue(ctx, messages...); err != nil {
		return 0, err
	}
	claimed, err := b.queue.Claim(ctx, b.size, time.Minute)
	if err != nil {
		return 0, err
	}
	if claimed == nil || len(claimed.Messages) != b.size {
		return 0, fmt.Errorf("claimed %v, want %d messages", claimed, b.size)
	}
	return b.size, b.queue.Settle(ctx, claimed, make([]mq.Outcome, b.size))
}

// tasks has producers that enqueue one by one, the only way in asynq, while its server
// handles the messages.
type tasks struct {
	client      redis.UniversalClient
	concurrency int
}

// backlog bounds the pending messages, so that producers and handlers share the cores
// fairly.
const backlog = 1000

func (t tasks) run(ctx context.Context, period time.Duration) (int64, time.Duration, error) {
	var handled atomic.Int64
	waiting := make(chan struct{}, backlog)
	server := asynq.NewServerFromRedisClient(t.client, asynq.Config{
		Concurrency: t.concurrency, LogLevel: asynq.FatalLevel,
		// By default it sleeps for a second when its queue is empty, as at the start.
		TaskCheckInterval: 5 * time.Millisecond,
	})
	if err := server.Start(asynq.HandlerFunc(func(context.Context, *asynq.Task) error {
		handled.Add(1)
		<-waiting
		return nil
	})); err != nil {
		return 0, 0, err
	}
	// It waits for pending acknowledgements; its sleeps are not counted.
	defer server.Shutdown()
	client := asynq.NewClientFromRedisClient(t.client)
	start := time.Now()
	end := start.Add(period)
	var enqueued atomic.Int64
	errs := make(chan error, t.concurrency)
	var working sync.WaitGroup
	for range t.concurrency {
		working.Go(func() {
			for time.Now().Before(end) {
				waiting <- struct{}{}
				if _, err := client.EnqueueContext(ctx, asynq.NewTask("bench", body)); err != nil {
					errs <- err
					return
				}
				enqueued.Add(1)
			}
		})
	}
	working.Wait()
	close(errs)
	if err := <-errs; err != nil {
		return 0, 0, err
	}
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for handled.Load() < enqueued.Load() {
		select {
		case <-poll.C:
		case <-ctx.Done():
			return 0, 0, fmt.Errorf("%d of %d handled: %w", handled.Load(), enqueued.Load(), ctx.Err())
		}
	}
	return handled.Load(), time.Since(start), nil
}

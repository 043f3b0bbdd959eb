package mq

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"interlock/internal/base/clock"
	"interlock/internal/base/panics"
)

// Handler handles a batch and returns one outcome per message, in order. It must be idempotent: a
// message can be delivered more than once. ctx is cancelled with the cause ErrLeaseLost when
// another consumer may have received the batch, and with another cause when the consumer stops and
// ConsumerOptions.StopTimeout has passed.
//
// If a handler panics, the consumer calls it once per message; a message that panics again
// is retried like a failed one.
type Handler func(ctx context.Context, messages []Message) []Outcome

// ConsumerOptions configure a consumer. Zero values select the defaults.
type ConsumerOptions struct {
	// Batch is the maximum number of messages per call of the handler; 0 means 100.
	Batch int
	// Concurrency is the number of batches handled concurrently; 0 means 1.
	Concurrency int
	// Rate bounds the messages per second of all consumers of the queue together; 0 means
	// no bound. See SetRate.
	Rate float64
	// Lease is the time after which the batch of a dead consumer is redelivered; 0 means 30
	// s. A live consumer extends the lease after a third of it.
	Lease time.Duration
	// MaxAttempts is the number of failures after which a message is dead; 0 means 5.
	MaxAttempts int
	// Backoff is the delay after the first failure; it doubles with each failure, up to MaxBackoff,
	// minus a random part of at most a quarter. 0 means 1 s for Backoff and 5 min for MaxBackoff.
	Backoff    time.Duration
	MaxBackoff time.Duration
	// MinPoll and MaxPoll bound the pause between polls of an empty queue, which doubles with each
	// poll; 0 means 5 ms for MinPoll and 250 ms for MaxPoll. Messages enqueued by this process wake
	// the consumer immediately.
	MinPoll time.Duration
	MaxPoll time.Duration
	// StopTimeout bounds how long handlers may continue after the consumer stops; 0 means 20
	// s.
	StopTimeout time.Duration
	// Logger receives warnings and errors; nil discards them.
	Logger *slog.Logger
}

func (o ConsumerOptions) withDefaults() ConsumerOptions {
	o.Batch = min(orElse(o.Batch, 100), maxBatch)
	o.Concurrency = orElse(o.Concurrency, 1)
	o.Lease = orElse(o.Lease, 30*time.Second)
	o.MaxAttempts = orElse(o.MaxAttempts, 5)
	o.Backoff = orElse(o.Backoff, time.Second)
	o.MaxBackoff = orElse(o.MaxBackoff, 5*time.Minute)
	o.MinPoll = orElse(o.MinPoll, 5*time.Millisecond)
	o.MaxPoll = max(o.MinPoll, orElse(o.MaxPoll, 250*time.Millisecond))
	o.StopTimeout = orElse(o.StopTimeout, 20*time.Second)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func orElse[T int | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}

// Consumer claims batches of messages from a queue and passes them to a handler.
type Consumer struct {
	queue   Queue
	handler Handler
	options ConsumerOptions
	// rate is a float64 as bits.
	rate  atomic.Uint64
	woken waker
}

// NewConsumer returns a consumer that does not run yet.
func NewConsumer(queue Queue, handler Handler, options ConsumerOptions) *Consumer {
	c := &Consumer{queue: queue, handler: handler, options: options.withDefaults(), woken: newWaker()}
	c.SetRate(options.Rate)
	return c
}

// SetRate changes the rate, also while the consumer runs. All consumers of a queue should
// have the same rate.
func (c *Consumer) SetRate(rate float64) { c.rate.Store(math.Float64bits(rate)) }

// Wake makes an idle consumer poll its queue now, because another process enqueued a
// message.
func (c *Consumer) Wake() { c.woken.wake() }

// Run claims and handles batches until ctx ends and then finishes the claimed batches. It
// retries while the store cannot be reached.
func (c *Consumer) Run(ctx context.Context) {
	var working sync.WaitGroup
	life, kill := context.WithCancel(context.WithoutCancel(ctx))
	stopKill := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(c.options.StopTimeout, kill)
		context.AfterFunc(life, func() { timer.Stop() })
	})
	defer func() {
		working.Wait()
		kill()
		stopKill()
	}()
	working.Go(func() { c.reapUntil(ctx) })

	slots := make(chan struct{}, c.options.Concurrency)
	idle := c.options.MinPoll
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		claimed := clock.Mark()
		b, err := c.claim(ctx, life)
		if b == nil {
			<-slots
			if ctx.Err() != nil {
				return
			}
			var paced *PacedError
			if errors.As(err, &paced) {
				clock.Sleep(ctx, min(paced.After, c.options.MaxPoll))
				continue
			}
			if err != nil {
				c.options.Logger.WarnContext(ctx, "queue claim failed; will retry", "queue", c.queue.Name(), "error", err)
				idle = c.options.MaxPoll
			}
			c.rest(ctx, idle)
			idle = min(2*idle, c.options.MaxPoll)
			continue
		}
		idle = c.options.MinPoll
		working.Go(func() {
			defer func() { <-slots }()
			c.work(life, b, claimed.Add(c.options.Lease))
		})
	}
}

// claim returns nil if no message can be claimed or ctx has ended. The end of ctx does not cancel a
// claim in flight, because that claim may succeed, and no consumer would handle its messages until
// their lease expires.
func (c *Consumer) claim(ctx, life context.Context) (*Batch, error) {
	if ctx.Err() != nil {
		return nil, nil
	}
	return c.queue.ClaimPaced(life, c.options.Batch, c.options.Lease, math.Float64frombits(c.rate.Load()))
}

// rest waits before the next poll of an empty queue: until pause has passed, messages arrive, or
// ctx ends.
func (c *Consumer) rest(ctx context.Context, pause time.Duration) {
	var arrivals <-chan struct{}
	if q, ok := c.queue.(interface{ arrivals() <-chan struct{} }); ok {
		arrivals = q.arrivals()
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-arrivals:
	case <-c.woken.signal:
	}
}

// reapUntil returns expired batches of all processes to the queue. If no lease is active,
// it sleeps for a full lease, because no lease can expire earlier.
func (c *Consumer) reapUntil(ctx context.Context) {
	for {
		pause := min(c.options.Lease/3, time.Second)
		reaped, err := c.queue.Reap(ctx)
		if err != nil && ctx.Err() == nil {
			c.options.Logger.WarnContext(ctx, "queue reap failed; will retry", "queue", c.queue.Name(), "error", err)
		}
		if err == nil && reaped.Held == 0 {
			pause = c.options.Lease
		}
		if !clock.Sleep(ctx, pause) {
			return
		}
	}
}

// work handles a batch under its lease, which lasts until ends unless it is extended, and settles it.
func (c *Consumer) work(life context.Context, b *Batch, ends time.Time) {
	ctx, cancel := context.WithCancelCause(life)
	var extending sync.WaitGroup
	extending.Go(func() { c.extendLease(ctx, b, ends, cancel) })
	outcomes := c.handle(ctx, b.Messages)
	lost := errors.Is(context.Cause(ctx), ErrLeaseLost)
	cancel(nil)
	extending.Wait()
	if lost {
		c.options.Logger.WarnContext(life, "queue batch lost its lease during handling; it will be redelivered", "queue", c.queue.Name(), "batch", b.ID)
		return
	}
	c.settle(life, b, outcomes)
}

// extendLease extends the lease each time that a third of it has passed. It cancels the handler's
// context when the lease is lost. A timer does so when the lease ends, because a store that does
// not respond must not delay it.
func (c *Consumer) extendLease(ctx context.Context, b *Batch, ends time.Time, cancel context.CancelCauseFunc) {
	end := time.AfterFunc(-clock.Since(ends), func() { cancel(ErrLeaseLost) })
	defer end.Stop()
	ticker := time.NewTicker(c.options.Lease / 3)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		sent := clock.Mark()
		bounded, stop := context.WithDeadline(ctx, ends)
		err := c.queue.Extend(bounded, b, c.options.Lease)
		stop()
		switch {
		case err == nil:
			ends = sent.Add(c.options.Lease)
			end.Reset(-clock.Since(ends))
		case errors.Is(err, ErrLeaseLost):
			cancel(ErrLeaseLost)
			return
		}
	}
}

// handle calls the handler and completes its outcomes: a retry gets its delay, and a retry
// after the last attempt becomes dead.
func (c *Consumer) handle(ctx context.Context, messages []Message) []Outcome {
	outcomes, panicked := c.call(ctx, messages)
	if panicked != nil && len(messages) > 1 {
		outcomes = make([]Outcome, 0, len(messages))
		for i := range messages {
			one, panicked := c.call(ctx, messages[i:i+1])
			if panicked != nil {
				one = []Outcome{Retry(panicked, 0)}
			}
			outcomes = append(outcomes, one...)
		}
	} else if panicked != nil {
		outcomes = []Outcome{Retry(panicked, 0)}
	}
	for i, o := range outcomes {
		if o.kind != retry {
			continue
		}
		attempts := messages[i].Attempts + 1
		switch {
		case attempts >= c.options.MaxAttempts:
			outcomes[i] = Dead(o.err)
		case o.after <= 0:
			outcomes[i].after = c.backoff(attempts)
		}
	}
	return outcomes
}

// call returns one outcome per message, or the panic of the handler as an error.
func (c *Consumer) call(ctx context.Context, messages []Message) (outcomes []Outcome, panicked error) {
	defer func() {
		if p := recover(); p != nil {
			panicked = fmt.Errorf("the handler panicked: %v", p)
			c.options.Logger.ErrorContext(ctx, "queue handler panicked", "queue", c.queue.Name(), "messages", len(messages), "error", panics.Error(p))
		}
	}()
	outcomes = c.handler(ctx, messages)
	if len(outcomes) != len(messages) {
		panic(fmt.Sprintf("it returned %d outcomes for %d messages", len(outcomes), len(messages)))
	}
	return outcomes, nil
}

// backoff returns the delay after attempts failures.
func (c *Consumer) backoff(attempts int) time.Duration {
	delay := c.options.MaxBackoff
	if doublings := attempts - 1; doublings < 30 {
		delay = min(delay, c.options.Backoff<<doublings)
	}
	return delay - rand.N(delay/4+1)
}

// settle retries until the store accepts the outcomes or the lease must have ended; after
// the end of life it tries once.
func (c *Consumer) settle(life context.Context, b *Batch, outcomes []Outcome) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(life), c.options.Lease)
	defer cancel()
	started := clock.Mark()
	for pause := c.options.MinPoll; ; pause = min(2*pause, c.options.MaxPoll) {
		err := c.queue.Settle(ctx, b, outcomes)
		if err == nil {
			return
		}
		if errors.Is(err, ErrLeaseLost) || clock.Since(started) > c.options.Lease || life.Err() != nil {
			c.options.Logger.WarnContext(life, "queue settle failed; the batch will be redelivered", "queue", c.queue.Name(), "batch", b.ID, "error", err)
			return
		}
		clock.Sleep(life, pause)
	}
}

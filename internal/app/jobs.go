package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"interlock/internal/approvals"
	"interlock/internal/base/clock"
	"interlock/internal/events"
)

// job is periodic work. Several processes may run it concurrently.
type job struct {
	name string
	// every is the interval of the runs. If next is set, it is the maximum interval of the calls of
	// next.
	every time.Duration
	run   func(ctx context.Context) error
	// next returns the time at which work is due, zero if none is known. If next is set, the job
	// runs only when that time has come; nil for a job that runs at each interval.
	next func(ctx context.Context) (time.Time, error)
	// topic is the topic of events that can make work due earlier; "" for none. A missed event
	// delays the job by at most every.
	topic string
}

const (
	// lookEvery is the interval of next. Work that is created in between is due later or announced
	// by an event.
	lookEvery = 15 * time.Second
	// retryEvery is the interval of retries after an error or an incomplete run.
	retryEvery = time.Second
)

// sweepBatch bounds the rows that one run of a sweeper changes.
const sweepBatch = 500

func (sv *Services) jobs() []job {
	return []job{
		{name: "expire coupons", every: time.Minute, run: inBatches(sv.Coupons.ExpireDue)},
		{name: "expire approvals", every: time.Minute, run: inBatches(sv.Approvals.ExpireDue)},
		{
			name: "apply scheduled changes", every: lookEvery, run: inBatches(sv.Approvals.ApplyDue),
			next: sv.Approvals.NextScheduled, topic: approvals.Topic,
		},
		{
			name: "cancel unpaid orders", every: min(lookEvery, sv.FlashSales.PaymentTimeout()), next: sv.Orders.NextUnpaid,
			run: func(ctx context.Context) error { return sv.Orders.CancelUnpaid(ctx, sv.Clock.Now(), sweepBatch) },
		},
		{name: "forget the queues of finished sales", every: 10 * time.Minute, run: inBatches(sv.FlashSales.DeleteQueueNames)},
		{name: "forget old conflicts", every: time.Hour, run: inBatches(sv.Conflicts.Sweep)},
		{name: "forget expired idempotency keys", every: time.Minute, run: inBatches(sv.Idempotency.Sweep)},
		{name: "number the log of configs", every: time.Minute, run: sv.numbering.of(logOfConfigs, sv.Configs.SequenceLog)},
		{name: "number the logs of audit entries", every: time.Minute, run: sv.numbering.of(logsOfAudit, sv.Audit.NumberLogs)},
		{name: "sweep sessions", every: 10 * time.Minute, run: inBatches(sv.Access.Sweep)},
		{name: "anonymize tombstones of lost units", every: 10 * time.Minute, run: inBatches(sv.Runner.AnonymizeTombstones)},
	}
}

func inBatches(run func(ctx context.Context, limit int) error) func(ctx context.Context) error {
	return func(ctx context.Context) error { return run(ctx, sweepBatch) }
}

// startJobs runs each job at its interval, or when its work is due, until ctx ends. A failed run is
// logged and retried.
func (p *Program) startJobs(ctx context.Context, running *sync.WaitGroup) {
	jobs := p.services.jobs()
	for i, j := range jobs {
		running.Go(func() {
			news := p.services.newsFor(ctx, j)
			defer news.close()
			for pause := j.firstPause(i, len(jobs)); news.wait(ctx, pause); {
				pause = j.turn(ctx, p.services.Clock)
			}
		})
	}
}

// firstPause returns the time until the first run of the job at an index. A job with next checks
// immediately, because the process may have been stopped for a while. The first runs of the others
// are spread over their intervals, so that they do not all need a connection at the same time.
func (j job) firstPause(index, jobs int) time.Duration {
	if j.next != nil {
		return 0
	}
	return j.every * time.Duration(index+1) / time.Duration(jobs)
}

// turn runs the job if work is due, and returns the time until the next check.
func (j job) turn(ctx context.Context, now clock.Clock) time.Duration {
	pause := j.every
	if j.next != nil {
		next, err := j.next(ctx)
		if err != nil {
			j.failed(ctx, err)
			return retryEvery
		}
		if next.IsZero() {
			return pause
		}
		if left := next.Sub(now.Now()); left > 0 {
			return min(left, pause)
		}
		pause = retryEvery
	}
	if err := j.run(ctx); err != nil {
		j.failed(ctx, err)
	}
	return pause
}

func (j job) failed(ctx context.Context, err error) {
	if ctx.Err() == nil {
		slog.WarnContext(ctx, "job: run failed; will retry", "job", j.name, "error", err)
	}
}

// news wakes a job when an event arrives.
type news struct {
	subscription *events.Subscription
	deliveries   <-chan events.Delivery
}

// newsFor subscribes a job to its topic. Without a topic, or if the subscription fails, the job
// only runs at its interval.
func (sv *Services) newsFor(ctx context.Context, j job) *news {
	if j.topic == "" {
		return &news{}
	}
	subscription, err := sv.bus.Subscribe(ctx, j.topic)
	if err != nil {
		if ctx.Err() == nil {
			slog.WarnContext(ctx, "job: no subscription; polling instead", "job", j.name, "every", j.every, "error", err)
		}
		return &news{}
	}
	return &news{subscription, subscription.Deliveries()}
}

func (n *news) close() {
	if n.subscription != nil {
		n.subscription.Close()
	}
}

// newsTogether is the time in which further events are combined with the first one.
const newsTogether = 200 * time.Millisecond

// wait returns true after the pause or after an event, and false when ctx has ended.
func (n *news) wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for notified := false; ; {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case _, more := <-n.deliveries:
			switch {
			case !more:
				n.deliveries = nil
			case !notified:
				notified = true
				timer.Reset(newsTogether)
			}
		}
	}
}

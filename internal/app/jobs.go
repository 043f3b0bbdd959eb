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

// job is work that comes back. It is safe to run in several processes at once.
type job struct {
	name string
	// every is how often it runs; with next, how often it looks when something is due.
	every time.Duration
	run   func(ctx context.Context) error
	// next returns when something is due the next time, a zero time when nothing is known to be.
	// The job runs then, and not before.
	next func(ctx context.Context) (time.Time, error)
	// topic is of events that can bring that forward; "" for none. A job that misses one is late
	// by every at most.
	topic string
}

const (
	// lookEvery is how often a job looks when something is due. What is made meanwhile is due
	// later than that, or announced.
	lookEvery = 15 * time.Second
	// retryEvery is how often a job is tried again that could not do all that was due.
	retryEvery = time.Second
)

// sweepBatch bounds what one run of a sweeper changes, in rows.
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
		{name: "forget the queues of finished sales", every: 10 * time.Minute, run: inBatches(sv.FlashSales.ForgetQueues)},
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

// startJobs runs each job at its pace until ctx ends. A run that fails is logged
// and the next one tries again.
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

// firstPause is until the job at an index runs for the first time. One that looks what is due does so
// at once: a process that starts may be the first one in a while. The others are spread over their
// time, so that an idle process does not need a connection for each of them every minute.
func (j job) firstPause(index, jobs int) time.Duration {
	if j.next != nil {
		return 0
	}
	return j.every * time.Duration(index+1) / time.Duration(jobs)
}

// turn runs the job if something is due, and returns when it is to be looked at again.
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
		slog.WarnContext(ctx, "a background job failed and will run again", "job", j.name, "error", err)
	}
}

// news wakes a job.
type news struct {
	subscription *events.Subscription
	deliveries   <-chan events.Delivery
}

// newsFor returns what wakes a job: nothing, for one without a topic, or when the events cannot be
// had.
func (sv *Services) newsFor(ctx context.Context, j job) *news {
	if j.topic == "" {
		return &news{}
	}
	subscription, err := sv.bus.Subscribe(ctx, j.topic)
	if err != nil {
		if ctx.Err() == nil {
			slog.WarnContext(ctx, "a background job is not told when it has something to do, and looks itself", "job", j.name, "every", j.every, "error", err)
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

// newsTogether is for how long events that come after the first one are news with it.
const newsTogether = 200 * time.Millisecond

// wait waits until the pause is over or there is news, and reports false when ctx has ended.
func (n *news) wait(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for told := false; ; {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case _, more := <-n.deliveries:
			switch {
			case !more:
				n.deliveries = nil
			case !told:
				told = true
				timer.Reset(newsTogether)
			}
		}
	}
}

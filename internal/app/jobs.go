package app

import (
	"context"
	"slices"
	"time"

	"interlock/internal/approvals"
	"interlock/internal/base/background"
	"interlock/internal/events"
)

// checkInterval is the maximum interval of checks for due work. Work that is created in between is due
// later or announced by an event.
const checkInterval = 15 * time.Second

// sweepBatch bounds the rows that one run of a sweeper changes.
const sweepBatch = 500

// background returns the background services of a process with a role. Several processes may run
// each of them concurrently.
func (sv *Services) background(role string) []background.Service {
	list := slices.Concat([]background.Service{sv.Engines.Background(), sv.DB.Background()}, sv.FlashSales.Announcements())
	if role != "api" {
		list = slices.Concat(list, sv.jobs(), sv.Promises.Background(), sv.Retention.Background())
		list = append(list, sv.FlashSales.Worker(), sv.Webhooks.Background())
	}
	if role != "worker" {
		list = append(list, sv.Conflicts.Background(), sv.Refusals.Background(), sv.Idempotency.Background(), sv.Epochs.Background(), sv.FlashSales.Attempts())
		list = slices.Concat(list, sv.Access.Callers.Background(), sv.Realtime.Background())
	}
	return list
}

func (sv *Services) jobs() []background.Service {
	newsOfApprovals, scheduled := sv.newsOf(approvals.Topic)
	return spreadStarts([]background.Service{
		{Name: "expire coupons", Every: time.Minute, Run: inBatches(sv.Coupons.ExpireDue)},
		{Name: "expire approvals", Every: time.Minute, Run: inBatches(sv.Approvals.ExpireDue)},
		newsOfApprovals,
		{
			Name: "apply scheduled changes", Every: checkInterval, Run: inBatches(sv.Approvals.ApplyDue),
			Next: sv.Approvals.NextScheduled, Wake: scheduled,
		},
		{
			Name: "cancel unpaid orders", Every: min(checkInterval, sv.FlashSales.PaymentTimeout()), Next: sv.Orders.NextUnpaid,
			Run: func(ctx context.Context) error { return sv.Orders.CancelUnpaid(ctx, sv.Clock.Now(), sweepBatch) },
		},
		{Name: "forget the queues of finished sales", Every: 10 * time.Minute, Run: inBatches(sv.FlashSales.DeleteQueueNames)},
		{Name: "forget old conflicts", Every: time.Hour, Run: inBatches(sv.Conflicts.Sweep)},
		{Name: "forget expired idempotency keys", Every: time.Minute, Run: inBatches(sv.Idempotency.Sweep)},
		{Name: "number the log of configs", Every: time.Minute, Run: sv.numbering.of(logOfConfigs, sv.Configs.SequenceLog)},
		{Name: "number the logs of audit entries", Every: time.Minute, Run: sv.numbering.of(logsOfAudit, sv.Audit.NumberLogs)},
		{Name: "delete old deliveries of webhooks", Every: 10 * time.Minute, Run: inBatches(sv.Webhooks.Sweep)},
		{Name: "sweep sessions", Every: 10 * time.Minute, Run: inBatches(sv.Access.Sweep)},
		{Name: "anonymize tombstones of lost units", Every: 10 * time.Minute, Run: inBatches(sv.Runner.AnonymizeTombstones)},
	})
}

func inBatches(run func(ctx context.Context, limit int) error) func(ctx context.Context) error {
	return func(ctx context.Context) error { return run(ctx, sweepBatch) }
}

// spreadStarts delays the first runs of periodic jobs over their intervals, so that they do not all
// need a connection at the same time. A job with Next, and one with short intervals, starts immediately,
// because the process may have been stopped for a while.
func spreadStarts(jobs []background.Service) []background.Service {
	for i := range jobs {
		if jobs[i].Next == nil && jobs[i].Every >= time.Minute {
			jobs[i].Delay = jobs[i].Every * time.Duration(i+1) / time.Duration(len(jobs))
		}
	}
	return jobs
}

// newsOf returns a service that receives the events of a topic, and a channel that wakes another
// service for them. A missed event delays that service until its interval ends.
func (sv *Services) newsOf(topic string) (background.Service, <-chan struct{}) {
	wake := make(chan struct{}, 1)
	return background.Service{
		Name: "receive events of " + topic, Every: time.Second,
		Run: func(ctx context.Context) error {
			return events.Receive(ctx, sv.bus, func(events.Delivery) {
				select {
				case wake <- struct{}{}:
				default:
				}
			}, topic)
		},
	}, wake
}

package app

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// job is work that comes back. It is safe to run in several processes at once.
type job struct {
	name  string
	every time.Duration
	run   func(ctx context.Context) error
}

// sweepBatch bounds what one run of a sweeper changes, in rows.
const sweepBatch = 500

func (sv *Services) jobs() []job {
	return []job{
		{"expire coupons", time.Minute, func(ctx context.Context) error { return sv.Coupons.ExpireDue(ctx, sweepBatch) }},
		{"expire approvals", time.Minute, func(ctx context.Context) error { return sv.Approvals.ExpireDue(ctx, sweepBatch) }},
		{"apply scheduled changes", time.Second, func(ctx context.Context) error { return sv.Approvals.ApplyDue(ctx, sweepBatch) }},
		{"cancel unpaid orders", time.Second, func(ctx context.Context) error {
			return sv.Orders.CancelUnpaid(ctx, sv.Clock.Now(), sweepBatch)
		}},
		{"forget old conflicts", time.Hour, func(ctx context.Context) error { return sv.Conflicts.Sweep(ctx, sweepBatch) }},
		{"forget expired idempotency keys", time.Minute, func(ctx context.Context) error { return sv.Idempotency.Sweep(ctx, sweepBatch) }},
		{"number the log of configs", time.Minute, sv.Configs.NumberLog},
		{"number the logs of audit entries", time.Minute, sv.Audit.NumberLogs},
		{"sweep sessions", 10 * time.Minute, func(ctx context.Context) error { return sv.Access.Sweep(ctx, sweepBatch) }},
	}
}

// startJobs runs each job at its pace until ctx ends. A run that fails is logged
// and the next one tries again.
func (p *Program) startJobs(ctx context.Context, running *sync.WaitGroup) {
	for _, j := range p.services.jobs() {
		running.Go(func() {
			ticker := time.NewTicker(j.every)
			defer ticker.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-ticker.C:
					if err := j.run(ctx); err != nil && ctx.Err() == nil {
						slog.WarnContext(ctx, "a background job failed and will run again", "job", j.name, "error", err)
					}
				}
			}
		})
	}
}

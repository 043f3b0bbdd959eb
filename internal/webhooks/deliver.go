package webhooks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/events"
	"interlock/internal/lock"
)

const (
	// leaderKey is the lock of the delivering process; the others wait for it.
	leaderKey  = "webhooks"
	leaderWait = time.Minute
	// pollEvery bounds the delay of a change after its event was lost, and restartEvery that of an
	// edited subscription.
	pollEvery    = time.Second
	restartEvery = 5 * time.Second
	// burst is a pause after an event, so that one read covers a burst of changes.
	burst = 5 * time.Millisecond
)

// Background returns the services that deliver messages and delete old deliveries.
func (s *Service) Background() background.Service {
	return background.Service{Name: "deliver webhooks", Every: time.Second, Run: s.lead}
}

// lead delivers while this process has the lease.
func (s *Service) lead(ctx context.Context) error {
	lease, err := s.locks.Acquire(lock.WithOwner(ctx, "webhooks"), leaderWait, leaderKey)
	if errors.Is(err, lock.ErrNotAcquired) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("acquire the lease of the webhooks: %w", err)
	}
	defer func() { _ = lease.Release(context.WithoutCancel(ctx)) }()
	d := &deliverer{Service: s, journal: newJournal(s), tails: map[int64]*tail{}, workers: map[int64]*worker{}}
	d.run(lease.Context())
	if ctx.Err() == nil {
		return context.Cause(lease.Context())
	}
	return nil
}

// deliverer delivers the messages of all tenants, until its context ends.
type deliverer struct {
	*Service
	journal *journal
	// tails are the followed logs by tenant, and workers those of the subscriptions. Only run uses them.
	tails   map[int64]*tail
	workers map[int64]*worker
	failing bool
}

func (d *deliverer) run(ctx context.Context) {
	go d.journal.run(ctx)
	var receiving sync.WaitGroup
	changed, edited := make(chan struct{}, 1), make(chan struct{}, 1)
	receiving.Go(func() { d.receive(ctx, changed, edited) })
	poll, restart := time.NewTicker(pollEvery), time.NewTicker(restartEvery)
	defer poll.Stop()
	defer restart.Stop()
	d.observe(ctx, d.reconcile(ctx))
	for ctx.Err() == nil {
		d.observe(ctx, d.advance(ctx))
		select {
		case <-changed:
			clock.Sleep(ctx, burst)
		case <-edited:
			d.observe(ctx, d.reconcile(ctx))
		case <-restart.C:
			d.observe(ctx, d.reconcile(ctx))
		case <-poll.C:
			d.metrics.lag.Set(d.lag())
		case <-ctx.Done():
		}
	}
	for id := range d.workers {
		d.stop(id)
	}
	receiving.Wait()
	close(d.journal.outcomes)
	<-d.journal.ended
	d.client.CloseIdleConnections()
	d.metrics.lag.Set(0)
}

// receive signals changes of any record, and edits of subscriptions. Lost events delay a delivery
// until the next poll.
func (d *deliverer) receive(ctx context.Context, changed, edited chan<- struct{}) {
	topics := slices.Sorted(maps.Keys(d.topics()))
	for ctx.Err() == nil {
		_ = events.Receive(ctx, d.bus, func(e events.Delivery) {
			signal(changed)
			if e.Lagged || e.Event.Topic == WebhookTopic {
				signal(edited)
			}
		}, topics...)
		clock.Sleep(ctx, pollEvery)
	}
}

func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}

// observe logs the first of several failures in a row.
func (d *deliverer) observe(ctx context.Context, err error) {
	if err != nil && !d.failing && ctx.Err() == nil {
		slog.WarnContext(ctx, "webhooks: reading the log failed; will retry", "error", err)
	}
	d.failing = err != nil
}

// advance reads the new entries of all followed logs.
func (d *deliverer) advance(ctx context.Context) error {
	var failed error
	for _, t := range d.tails {
		failed = errors.Join(failed, t.advance(ctx))
	}
	return failed
}

// reconcile starts workers for new and changed subscriptions, and stops those of the others.
func (d *deliverer) reconcile(ctx context.Context) error {
	enabled, err := d.enabled(ctx)
	if err != nil {
		return err
	}
	requested := make(map[int64]*Webhook, len(enabled))
	tenants := map[int64]bool{}
	for _, w := range enabled {
		requested[w.ID], tenants[w.TenantID] = w, true
	}
	for id, running := range d.workers {
		w := requested[id]
		if w == nil || w.Version != running.hook.Version || w.State.Generation != running.state.Generation || running.hasEnded() {
			d.stop(id)
		}
	}
	for tenant := range d.tails {
		if !tenants[tenant] {
			delete(d.tails, tenant)
		}
	}
	for id, w := range requested {
		if d.tails[w.TenantID] == nil {
			d.tails[w.TenantID] = newTail(d.db, w.TenantID)
		}
		if d.workers[id] == nil {
			d.start(ctx, w)
		}
	}
	return nil
}

func (d *deliverer) start(ctx context.Context, w *Webhook) {
	ctx, cancel := context.WithCancel(principal.With(ctx, principal.System(w.TenantID, "webhooks")))
	started := &worker{
		deliverer: d, hook: w, state: w.State, tail: d.tails[w.TenantID], done: map[changeID]bool{}, cancel: cancel, ended: make(chan struct{}),
	}
	d.workers[w.ID] = started
	go started.run(ctx)
}

// stop ends a worker. Requests in flight are aborted and sent again later.
func (d *deliverer) stop(id int64) {
	d.workers[id].cancel()
	<-d.workers[id].ended
	delete(d.workers, id)
}

// lag returns the age of the oldest change that a subscription has not confirmed, in seconds.
func (d *deliverer) lag() float64 {
	var oldest float64
	for _, w := range d.workers {
		if since := w.waiting.Load(); since != nil {
			oldest = max(oldest, d.clock.Now().Sub(*since).Seconds())
		}
	}
	return oldest
}

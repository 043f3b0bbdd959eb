package flashsale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/background"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/flashsale/gate"
	"interlock/internal/lock"
	"interlock/internal/mq"
)

const (
	// roundInterval is the interval at which a worker supervises its sales, quietInterval the interval
	// while they are idle, and idleInterval the interval of a worker without sales. Openings and
	// purchases wake the worker.
	roundInterval = time.Second
	quietInterval = 2 * roundInterval
	idleInterval  = 10 * roundInterval
	// repairEvery is the interval of comparisons of a sale's tickets with its orders.
	repairEvery = 30 * time.Second
	// consumerLease is the time after which the tickets of a dead consumer are redelivered.
	consumerLease    = 5 * time.Second
	consumerBatch    = 100
	consumersPerSale = 2
	// idlePoll is the poll interval of an idle sale's queue. Purchases wake the consumer
	// immediately, unless the message of another process is lost.
	idlePoll = 1500 * time.Millisecond
)

// Announcements returns the services that handle messages of other processes about sales, and
// announce tickets enqueued in this process. Every process that accepts purchases or consumes queues
// runs them; without them changes are noticed with a delay of seconds.
func (s *Service) Announcements() []background.Service {
	return []background.Service{
		{Name: "receive sale announcements", Every: roundInterval, Run: func(ctx context.Context) error {
			return events.Receive(ctx, s.bus, s.handleAnnouncement, Topic, workerTopic)
		}},
		{Name: "announce enqueued tickets", Every: roundInterval, Run: s.sendHints},
	}
}

func (s *Service) sendHints(ctx context.Context) error {
	for {
		select {
		case q := <-s.peers.hints:
			s.publishWorker(ctx, q.tenant, q.sale, workerMessage{Kind: ticketQueued})
		case <-ctx.Done():
			return nil
		}
	}
}

// handleAnnouncement evicts the cached data that a received message makes outdated, and wakes this
// process's worker if necessary.
func (s *Service) handleAnnouncement(delivery events.Delivery) {
	if delivery.Lagged {
		s.snapshots.Clear()
		s.exhausted.Clear()
		s.wakeWorker()
		return
	}
	if delivery.Event.Topic == workerTopic {
		sale, said, ok := s.peers.read(delivery.Event)
		switch {
		case !ok:
		case said.Kind == unitsReturned:
			s.exhausted.Delete(sale)
		case s.peers.handle(sale, said):
			s.wakeWorker()
		}
		return
	}
	id, err := strconv.ParseInt(delivery.Event.Key, 10, 64)
	if err != nil {
		return
	}
	var what struct{ Action string }
	if json.Unmarshal(delivery.Event.Payload, &what) == nil && what.Action == statsAction {
		return
	}
	s.forget(id)
	s.wakeWorker()
}

// Worker returns the service that consumes the queues of sales and supervises them, except sales of
// other workers. It may run in any number of processes.
func (s *Service) Worker() background.Service {
	return background.Service{Name: "work on flash sales", Every: roundInterval, Run: s.work}
}

func (s *Service) work(ctx context.Context) error {
	w := &worker{Service: s, running: make(map[int64]*consuming)}
	defer w.stopAll(ctx)
	for {
		err := w.round(ctx)
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "flash sale: supervision round failed; will retry", "error", err)
		}
		if !w.rest(ctx, err) {
			return nil
		}
	}
}

// rest waits until the next round, and returns false when ctx has ended.
func (w *worker) rest(ctx context.Context, failed error) bool {
	pause := roundInterval
	switch {
	case failed != nil:
	case len(w.running) == 0:
		pause = w.peers.untilSilent(idleInterval)
	case w.calm:
		pause = quietInterval
	}
	w.resting.Store(pause > roundInterval)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return true
		case <-w.wake:
			return true
		case sale := <-w.peers.queued:
			if c := w.running[sale]; c != nil {
				c.consumer.Wake()
			}
			if w.resting.CompareAndSwap(true, false) {
				return true
			}
		}
	}
}

type worker struct {
	*Service
	running map[int64]*consuming
	// ending contains consumers that are finishing their claimed batches.
	ending sync.WaitGroup
	// calm reports whether the sales were idle since the previous round.
	calm bool
}

// consuming is the consumer of one sale.
type consuming struct {
	tenant   int64
	consumer *mq.Consumer
	stop     context.CancelFunc
	done     sync.WaitGroup
	// repaired is the time of the last comparison with SQL, repairedAs the state after it.
	repaired   time.Time
	repairedAs seen
	// published contains the last published numbers, and sampled the numbers of the last sample,
	// without their times.
	published, sampled     Stats
	publishedAt, sampledAt time.Time
	// fastest contains the maximum rates since the last sample.
	fastest gate.Counts
	// trimmed is the minute of the last deletion of old samples.
	trimmed time.Time
}

// round supervises each active sale once, except sales of other workers.
func (w *worker) round(ctx context.Context) error {
	sales, err := w.actives(ctx)
	if err != nil {
		return err
	}
	return w.superviseEach(ctx, sales)
}

func (w *worker) superviseEach(ctx context.Context, sales []active) error {
	seen := make(map[int64]bool, len(sales))
	var failures []error
	var dead int64
	w.calm = true
	for i := range sales {
		a := &sales[i]
		seen[a.sale.ID] = true
		if !w.peers.claim(a.sale.ID) {
			w.end(a.sale.ID)
			continue
		}
		ctx := asProgramOf(ctx, a.sale.TenantID)
		c := w.consume(ctx, &a.sale)
		stats, err := w.supervise(ctx, a, c)
		dead += stats.Dead
		if err != nil && !errors.Is(err, lock.ErrNotAcquired) {
			failures = append(failures, fmt.Errorf("sale %d: %w", a.sale.ID, err))
			continue
		}
		if since, owns := w.peers.ownedSince(a.sale.ID); owns {
			w.publishWorker(ctx, a.sale.TenantID, a.sale.ID, workerMessage{Kind: working, Since: since})
		}
	}
	w.metrics.dead.Set(float64(dead))
	for id := range w.running {
		if !seen[id] {
			w.peers.release(id)
			w.end(id)
		}
	}
	w.peers.retain(seen)
	return errors.Join(failures...)
}

// end stops the consumer of a sale in this process, if any. It does not wait for the
// claimed batches, which do not disturb another worker.
func (w *worker) end(sale int64) {
	c := w.running[sale]
	if c == nil {
		return
	}
	delete(w.running, sale)
	w.metrics.balanced.DeleteLabelValues(strconv.FormatInt(sale, 10))
	c.stop()
	w.ending.Go(c.done.Wait)
}

// consume runs the consumer of a sale at its current rate.
func (w *worker) consume(ctx context.Context, sale *Sale) *consuming {
	rate := 0.0
	if sale.Rate != nil {
		rate = float64(*sale.Rate)
	}
	if c := w.running[sale.ID]; c != nil {
		c.consumer.SetRate(rate)
		return c
	}
	consumer := mq.NewConsumer(w.queues.Queue(gate.QueueName(sale.ID)), w.handler(sale.ID), mq.ConsumerOptions{
		Batch: consumerBatch, Concurrency: consumersPerSale, Rate: rate, Lease: consumerLease, MaxAttempts: maxAttempts, MaxPoll: idlePoll, Logger: slog.Default(),
	})
	ctx, stop := context.WithCancel(ctx)
	c := &consuming{tenant: sale.TenantID, consumer: consumer, stop: stop}
	c.done.Go(func() { consumer.Run(ctx) })
	w.running[sale.ID] = c
	return c
}

// stopAll stops all consumers, waits for their claimed batches, and releases their sales to
// other workers.
func (w *worker) stopAll(ctx context.Context) {
	for _, c := range w.running {
		c.stop()
	}
	for _, c := range w.running {
		c.done.Wait()
	}
	w.ending.Wait()
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer end()
	for sale, c := range w.running {
		if w.peers.release(sale) {
			w.publishWorker(ctx, c.tenant, sale, workerMessage{Kind: stopped})
		}
	}
}

// supervise rebuilds a missing gate, sends it pending changes, closes a sale after its end,
// settles a closed one, and reports.
func (w *worker) supervise(ctx context.Context, a *active, c *consuming) (Stats, error) {
	counts, there, err := w.gateOf(ctx, a)
	if err != nil {
		return Stats{}, err
	}
	if !there {
		_, err := w.settleClosed(ctx, &a.sale, lockWait)
		return Stats{}, err
	}
	moved := a.sale.Status == closed.Code
	if counts.Version < a.sale.Version {
		// A pending pause must not wait for the next repair.
		if err := w.gate.Apply(ctx, rulesOf(&a.sale, &a.stock)); err != nil {
			return Stats{}, err
		}
		moved = true
	}
	if due, err := w.isDueForRepair(ctx, counts, a, c); err != nil {
		return Stats{}, err
	} else if due {
		c.repaired, c.repairedAs = w.clock.Now(), seen{}
		if _, err := w.Reconcile(ctx, a.sale.ID, lockWait); err != nil {
			return Stats{}, err
		}
		c.repairedAs = seen{a.stock.Version, stableCounts(counts)}
		moved = true
	}
	// The clock that admits customers also decides the end.
	if a.sale.Status != closed.Code && !a.sale.EndsTime.After(counts.Time) {
		return Stats{}, w.closeEnded(ctx, a.sale.ID)
	}
	if _, err := w.settleClosed(ctx, &a.sale, lockWait); err != nil {
		return Stats{}, err
	}
	if moved {
		if counts, err = w.gate.Counts(ctx, a.sale.ID); err != nil {
			return Stats{}, err
		}
	}
	stats, err := w.statsOf(ctx, &a.stock, counts)
	if err != nil {
		return stats, err
	}
	w.report(ctx, a, c, stats)
	return stats, nil
}

// gateOf returns the numbers of a sale's gate, which it rebuilds if it is missing or of
// another epoch. there is false, and a rebuild is useless, if the gate is missing, the sale
// is closed and its queue is empty: nothing more can be lost, and unsold units can be
// released. A gate of another epoch, in a store restored to an older state, could accept
// purchases.
func (w *worker) gateOf(ctx context.Context, a *active) (counts gate.Counts, there bool, err error) {
	counts, err = w.gate.Counts(ctx, a.sale.ID)
	missing := errors.Is(err, gate.ErrNoGate)
	if missing && a.sale.Status == closed.Code {
		var queue mq.Stats
		if queue, err = w.queues.Queue(gate.QueueName(a.sale.ID)).Stats(ctx); err == nil && queue.Total() == 0 {
			return counts, false, nil
		}
	}
	if missing || err == nil && counts.Epoch != a.stock.Epoch {
		if _, err = w.rebuild(ctx, &a.sale, lockWait); err == nil {
			counts, err = w.gate.Counts(ctx, a.sale.ID)
		}
	}
	return counts, true, err
}

// seen is the state of a sale at a comparison.
type seen struct {
	version int64
	counts  gate.Counts
}

// stableCounts returns the numbers without those that change over time.
func stableCounts(c gate.Counts) gate.Counts {
	return gate.Counts{
		Epoch: c.Epoch, Version: c.Version, Allotted: c.Allotted, Remaining: c.Remaining, Queued: c.Queued, Processing: c.Processing,
		Dead: c.Dead, Confirmed: c.Confirmed, Rejected: c.Rejected, Returned: c.Returned, Waiting: c.Waiting, Working: c.Working, Buried: c.Buried,
	}
}

// isDueForRepair reports whether a sale should be compared with SQL, ticket by ticket:
// regularly if it changed or has tickets in flight; and soon if it is out of balance, if
// SQL has other counts without a batch in flight that would explain them, or if more
// tickets are in flight than the queue has messages.
func (w *worker) isDueForRepair(ctx context.Context, counts gate.Counts, a *active, c *consuming) (bool, error) {
	waited := w.clock.Now().Sub(c.repaired)
	if waited > repairEvery && (counts.InFlight() > 0 || c.repairedAs != seen{a.stock.Version, stableCounts(counts)}) {
		return true, nil
	}
	if waited <= 2*roundInterval {
		return false, nil
	}
	isIdle := counts.InFlight() == 0
	if counts.Allotted != a.stock.Allotted || !counts.Balanced() || isIdle && counts.Confirmed != a.stock.Sold {
		return true, nil
	}
	if isIdle {
		return false, nil
	}
	queue, err := w.queues.Queue(gate.QueueName(a.sale.ID)).Stats(ctx)
	return err == nil && queue.Total() < counts.InFlight(), err
}

// report publishes a sale's numbers and inserts samples of them, on each change and, without
// changes, at longer intervals, and logs unbalanced numbers.
func (w *worker) report(ctx context.Context, a *active, c *consuming, stats Stats) {
	balanced := 0.0
	if stats.Balanced {
		balanced = 1
	} else {
		slog.ErrorContext(ctx, "flash sale: numbers are not balanced", "sale", a.sale.ID, "stats", stats)
	}
	w.metrics.balanced.WithLabelValues(strconv.FormatInt(a.sale.ID, 10)).Set(balanced)
	const publishEvery = 900 * time.Millisecond
	now, numbers := w.clock.Now(), stats
	numbers.Time = time.Time{} // it always changes
	c.fastest = stats.Fastest(c.fastest)
	if numbers != c.published || stats.InFlight() > 0 {
		w.calm = false
	}
	if waited := now.Sub(c.publishedAt); waited >= publishEvery && (numbers != c.published || waited >= repeatEvery) {
		c.published, c.publishedAt = numbers, now
		w.publish(ctx, &a.sale, stats)
	}
	if waited := now.Sub(c.sampledAt); waited >= sampleEvery && (numbers != c.sampled || waited >= repeatEvery) {
		c.sampled, c.sampledAt = numbers, now
		stats.Counts, c.fastest = c.fastest, gate.Counts{}
		w.insertSample(ctx, &a.sale, c, stats)
	}
}

// closeEnded closes a sale after its end. If another caller moved it concurrently, the next
// round reads it again.
func (w *worker) closeEnded(ctx context.Context, id int64) error {
	err := w.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		sale, err := w.Sale(ctx, id)
		if err != nil || sale.Status == closed.Code {
			return err
		}
		_, err = w.Transition(ctx, u, sale, "close", nil)
		return err
	})
	if apperr.Has(err, apperr.StatusChanged) {
		return nil
	}
	return err
}

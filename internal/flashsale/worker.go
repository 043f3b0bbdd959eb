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
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/flashsale/gate"
	"interlock/internal/lock"
	"interlock/internal/mq"
)

const (
	// roundEvery is how often a worker supervises its sales, calmEvery when nothing happens in
	// them, and restEvery how often it looks for one when it has none. It is woken by sales that
	// are opened, and by purchases.
	roundEvery = time.Second
	calmEvery  = 2 * roundEvery
	restEvery  = 10 * roundEvery
	// repairEvery is how often a sale's tickets are compared with its orders.
	repairEvery = 30 * time.Second
	// consumerLease is how long the tickets of a consumer that died wait.
	consumerLease    = 5 * time.Second
	consumerBatch    = 100
	consumersPerSale = 2
	// idlePoll is how often the queue of a sale is looked at that had nothing lately. Purchases
	// are seen at once, unless the message of another process is lost.
	idlePoll = 1500 * time.Millisecond
)

// Listen takes note of what other processes do with sales, and passes on what this one has to
// tell them, until ctx ends. Every process runs it, those that take purchases and those that
// consume queues; without it a change is noticed some seconds later.
func (s *Service) Listen(ctx context.Context) error {
	news, err := s.bus.Subscribe(ctx, Topic, workerTopic)
	if err != nil {
		return fmt.Errorf("listen for changes of flash sales: %w", err)
	}
	s.listenTo(ctx, news)
	return nil
}

// listenTo takes note of what is announced, and announces in turn what this process enqueues.
func (s *Service) listenTo(ctx context.Context, news *events.Subscription) {
	defer news.Close()
	for {
		select {
		case delivery, more := <-news.Deliveries():
			if !more {
				return
			}
			s.handleAnnouncement(delivery)
		case q := <-s.peers.hints:
			s.publishWorker(ctx, q.tenant, q.sale, workerMessage{Kind: ticketQueued})
		}
	}
}

// handleAnnouncement takes note of what was announced of a sale.
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

// Work consumes the queues of sales and supervises them until ctx ends: of all that no other
// process works on. It may run in any number of processes.
func (s *Service) Work(ctx context.Context) {
	w := &worker{Service: s, running: make(map[int64]*consuming)}
	defer w.stopAll(ctx)
	for {
		err := w.round(ctx)
		if err != nil && ctx.Err() == nil {
			slog.WarnContext(ctx, "flash sales could not be supervised and will be again", "error", err)
		}
		if !w.rest(ctx, err) {
			return
		}
	}
}

// rest waits until the next round, and reports false when ctx has ended.
func (w *worker) rest(ctx context.Context, failed error) bool {
	pause := roundEvery
	switch {
	case failed != nil:
	case len(w.running) == 0:
		pause = w.peers.untilSilent(restEvery)
	case w.calm:
		pause = calmEvery
	}
	w.resting.Store(pause > roundEvery)
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
	// ending are the consumers that finish what they have in hand.
	ending sync.WaitGroup
	// calm is whether nothing happened in the sales since the round before.
	calm bool
}

// consuming is the consumer of one sale.
type consuming struct {
	tenant   int64
	consumer *mq.Consumer
	stop     context.CancelFunc
	done     sync.WaitGroup
	// repaired is when the sale was compared with SQL, repairedAs what it looked like.
	repaired   time.Time
	repairedAs seen
	// published are the numbers that were published last, and sampled those of the last sample,
	// without their times.
	published, sampled     Stats
	publishedAt, sampledAt time.Time
	// fastest has the highest rates that were seen since something was written down.
	fastest gate.Counts
	// trimmed is the minute in which samples that are too old were removed.
	trimmed time.Time
}

// round supervises each active sale once that no other process works on.
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

// end has the consumer of a sale finish what it has in hand, if this process has one. It is not
// waited for: whoever works on the sale now does not mind it.
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

// consume runs the consumer of a sale, at its present rate.
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

// stopAll ends all consumers, finishes what they have in hand, and leaves their sales to others.
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

// supervise builds a gate that is missing, tells it of changes that it has not heard of,
// closes a sale whose time is over, settles one that is closed, and reports.
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
		// A pause that the gate has not heard of is not to wait for the next repair.
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
	// The clock that let the last customer in also says that it was the last.
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

// gateOf returns the numbers of a sale's gate, which is rebuilt if it is missing or of
// another epoch. There is no use in that, and there is false, when none is there, the sale is
// closed and its queue is empty: what could be lost is lost, and what is unsold can be
// released. One of another epoch, in a store that came back older, could let somebody in.
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

// seen is what a sale looked like.
type seen struct {
	version int64
	counts  gate.Counts
}

// stableCounts returns the numbers without those that change by themselves.
func stableCounts(c gate.Counts) gate.Counts {
	return gate.Counts{
		Epoch: c.Epoch, Version: c.Version, Allotted: c.Allotted, Remaining: c.Remaining, Queued: c.Queued, Processing: c.Processing,
		Dead: c.Dead, Confirmed: c.Confirmed, Rejected: c.Rejected, Returned: c.Returned, Waiting: c.Waiting, Working: c.Working, Buried: c.Buried,
	}
}

// isDueForRepair reports whether a sale is to be compared with SQL, ticket by ticket: now
// and then if anything happened to it or somebody waits; and soon when it is out of
// balance, when SQL counts otherwise and no batch is under way that would explain it, or
// when there are more tickets in flight than messages for them.
func (w *worker) isDueForRepair(ctx context.Context, counts gate.Counts, a *active, c *consuming) (bool, error) {
	waited := w.clock.Now().Sub(c.repaired)
	if waited > repairEvery && (counts.InFlight() > 0 || c.repairedAs != seen{a.stock.Version, stableCounts(counts)}) {
		return true, nil
	}
	if waited <= 2*roundEvery {
		return false, nil
	}
	atRest := counts.InFlight() == 0
	if counts.Allotted != a.stock.Allotted || !counts.Balanced() || atRest && counts.Confirmed != a.stock.Sold {
		return true, nil
	}
	if atRest {
		return false, nil
	}
	queue, err := w.queues.Queue(gate.QueueName(a.sale.ID)).Stats(ctx)
	return err == nil && queue.Total() < counts.InFlight(), err
}

// report publishes a sale's numbers and inserts samples of them, when they have changed, and now
// and then when not, and logs when they do not add up.
func (w *worker) report(ctx context.Context, a *active, c *consuming, stats Stats) {
	balanced := 0.0
	if stats.Balanced {
		balanced = 1
	} else {
		slog.ErrorContext(ctx, "a flash sale does not add up", "sale", a.sale.ID, "stats", stats)
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

// closeEnded closes a sale whose time is over. One that somebody else moves meanwhile is
// read again by the next round.
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

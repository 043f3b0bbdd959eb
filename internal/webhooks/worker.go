package webhooks

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"interlock/internal/base/clock"
	"interlock/internal/core/changelog"
)

const (
	// window is the number of entries of the log that a worker reads at a time, and maxInFlight the
	// number of messages that it sends concurrently.
	window, maxInFlight = 200, 8
	// firstBackoff is doubled with each failure up to maxBackoff, ± a fifth at random. After pauseAfter
	// without a success the subscription is paused.
	firstBackoff, maxBackoff = 5 * time.Second, time.Hour
	pauseAfter               = 3 * 24 * time.Hour
	// dueEvery is the interval of checks whether the next attempt is due.
	dueEvery = 100 * time.Millisecond
	// idleSave is the minimum interval of saves of a position that advanced past changes of no interest.
	idleSave = 10 * time.Second
)

// changeID identifies a change in the log.
type changeID struct {
	position int64
	index    int
}

// worker delivers the messages of one subscription.
type worker struct {
	*deliverer
	hook   *Webhook
	tail   *tail
	cancel context.CancelFunc
	ended  chan struct{}
	// waiting is the time of the oldest change to deliver; nil for none.
	waiting atomic.Pointer[time.Time]

	// The goroutine of run uses the members below, and the senders of a round under its mutex.
	state State
	// done are the confirmed messages after the position.
	done  map[changeID]bool
	saved time.Time
}

func (w *worker) hasEnded() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// run delivers until ctx ends or the subscription is paused.
func (w *worker) run(ctx context.Context) {
	defer close(w.ended)
	w.saved = clock.Mark()
	for failing := false; ctx.Err() == nil; {
		more, err := w.next(ctx)
		if err != nil && ctx.Err() == nil {
			if !failing {
				slog.WarnContext(ctx, "webhooks: delivery interrupted; will retry", "webhook", w.hook.ID, "error", err)
			}
			clock.Sleep(ctx, pollEvery)
		}
		if failing = err != nil; !failing && !more {
			return
		}
	}
}

// next delivers the next part of the log, or waits for it. It returns false if the subscription is
// paused.
func (w *worker) next(ctx context.Context) (more bool, err error) {
	if !w.waitUntilDue(ctx) {
		return true, nil
	}
	if w.state.Position == nil {
		return true, w.begin(ctx)
	}
	part, err := w.tail.read(ctx, *w.state.Position, window)
	if err != nil {
		return true, err
	}
	if part.known && part.end.Floor > *w.state.Position {
		slog.WarnContext(ctx, "webhooks: changes removed by retention before their delivery; continuing after them", "webhook", w.hook.ID, "from", *w.state.Position, "to", part.end.Floor)
		w.state.Position = &part.end.Floor
		return true, nil
	}
	if part.until == *w.state.Position {
		w.waiting.Store(nil)
		wait(ctx, part.grown)
		return true, nil
	}
	list := w.selected(part.entries)
	if len(list) == 0 {
		w.skip(ctx, part.until)
		return true, nil
	}
	w.waiting.Store(&list[0].time)
	return w.deliver(ctx, list, part)
}

func wait(ctx context.Context, signal <-chan struct{}) {
	select {
	case <-signal:
	case <-ctx.Done():
	}
}

// waitUntilDue waits until the next attempt is due, and returns false if ctx ended. The clock can
// step, so it is read again and again.
func (w *worker) waitUntilDue(ctx context.Context) bool {
	for w.state.NextTime != nil && w.clock.Now().Before(*w.state.NextTime) {
		if !clock.Sleep(ctx, dueEvery) {
			return false
		}
	}
	return true
}

// begin sets the first position: that of the creation of the subscription.
func (w *worker) begin(ctx context.Context) error {
	log := w.tail.now()
	if log.known {
		position, found, err := w.creation(ctx, w.hook, log.end.Last)
		if err != nil {
			return err
		}
		if found {
			w.state.Position = &position
			w.journal.add(ctx, outcome{state: w.state})
			return nil
		}
	}
	wait(ctx, log.grown)
	return nil
}

// selected returns the changes of entries that are to be delivered and were not confirmed.
func (w *worker) selected(entries []changelog.Entry) (list []event) {
	for _, entry := range entries {
		for i, change := range entry.Changes {
			if w.hook.selects(change) && !w.done[changeID{entry.Place, i}] {
				list = append(list, event{Change: change, position: entry.Place, index: i, time: entry.CreatedTime})
			}
		}
	}
	return list
}

// skip advances the position past changes of no interest, or past confirmed ones.
func (w *worker) skip(ctx context.Context, until int64) {
	w.state.Position = &until
	clear(w.done)
	if clock.Since(w.saved) >= idleSave {
		w.saved = clock.Mark()
		w.journal.add(ctx, outcome{state: w.state})
	}
}

// round is one pass over a list of events.
type round struct {
	mu   sync.Mutex
	list []event
	// first is the index of the first event that is not confirmed.
	first int
	until int64
	// failed is the first failure; nil for none.
	failed *reply
	err    error
}

// deliver sends the messages about a list of events: those of one record one after the other, those
// of different records concurrently. After a failure it starts no further request. While the receiver
// fails, it sends only the first message, as a probe.
func (w *worker) deliver(ctx context.Context, list []event, part page) (more bool, err error) {
	r := &round{list: list, until: part.until}
	if w.state.Attempts > 0 {
		w.send(ctx, r, part, []int{0})
	} else {
		w.sendAll(ctx, r, part)
	}
	switch {
	case ctx.Err() != nil:
		return true, nil
	case r.err != nil:
		return true, r.err
	case r.failed != nil:
		return w.fail(ctx, r.failed)
	case w.state.Attempts > 0:
		w.state.Attempts, w.state.FailingSince, w.state.NextTime = 0, nil, nil
		w.journal.add(ctx, outcome{state: w.state})
	}
	return true, nil
}

// sendAll sends the events of each record in a separate goroutine, at most maxInFlight at a time.
func (w *worker) sendAll(ctx context.Context, r *round, part page) {
	var order []string
	lanes := map[string][]int{}
	for i, e := range r.list {
		if lanes[e.record()] == nil {
			order = append(order, e.record())
		}
		lanes[e.record()] = append(lanes[e.record()], i)
	}
	slots := make(chan struct{}, maxInFlight)
	var sending sync.WaitGroup
	for _, record := range order {
		slots <- struct{}{}
		if r.hasFailed() || ctx.Err() != nil {
			break
		}
		sending.Go(func() {
			w.send(ctx, r, part, lanes[record])
			<-slots
		})
	}
	sending.Wait()
}

func (r *round) hasFailed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed != nil || r.err != nil
}

// send sends some events of a round one after the other, until the first failure.
func (w *worker) send(ctx context.Context, r *round, part page, lane []int) {
	for _, i := range lane {
		if r.hasFailed() || ctx.Err() != nil {
			return
		}
		m, err := w.messageOf(ctx, r.list[i], part)
		if err != nil {
			r.mu.Lock()
			r.err = err
			r.mu.Unlock()
			return
		}
		sent := w.post(ctx, w.hook, m)
		if ctx.Err() != nil {
			return // aborted, so the outcome is unknown
		}
		w.settle(ctx, r, i, &sent)
	}
}

func (w *worker) messageOf(ctx context.Context, e event, part page) (message, error) {
	var content json.RawMessage
	if permission := w.topics()[e.Topic]; w.hook.Payload == Full && e.Key != "" && permission != "" {
		var err error
		if content, err = w.records.Read(ctx, w.hook.SavedBy, permission, e.path()); err != nil {
			return message{}, fmt.Errorf("read the content of a message: %w", err)
		}
	}
	return messageOf(e, part.end.Epoch, content)
}

// settle records the outcome of an attempt, and advances the position if the receiver confirmed the
// message and all earlier ones.
func (w *worker) settle(ctx context.Context, r *round, i int, sent *reply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sent.Attempt = w.state.Attempts + 1
	if !sent.delivered() {
		if r.failed == nil {
			r.failed = sent
		}
		w.journal.add(ctx, outcome{delivery: &sent.Delivery, state: w.state})
		return
	}
	w.done[changeID{r.list[i].position, r.list[i].index}] = true
	for r.first < len(r.list) && w.done[changeID{r.list[r.first].position, r.list[r.first].index}] {
		r.first++
	}
	position := r.until
	if r.first < len(r.list) {
		position = r.list[r.first].position - 1
	}
	if position > *w.state.Position {
		w.state.Position = &position
		for at := range w.done {
			if at.position <= position {
				delete(w.done, at)
			}
		}
		w.waiting.Store(&r.list[min(r.first, len(r.list)-1)].time)
	}
	w.journal.add(ctx, outcome{delivery: &sent.Delivery, state: w.state})
}

// fail schedules the next attempt, or pauses the subscription if the receiver has failed for too long
// or does not exist any more.
func (w *worker) fail(ctx context.Context, last *reply) (more bool, err error) {
	now := w.clock.Now()
	if w.state.FailingSince == nil {
		w.state.FailingSince = &now
	}
	w.state.Attempts++
	next := now.Add(max(backoff(w.state.Attempts), last.retryAfter))
	w.state.NextTime = &next
	w.journal.add(ctx, outcome{state: w.state})
	reason := ""
	switch {
	case last.Status == http.StatusGone:
		reason = "The receiver replied 410 Gone."
	case now.Sub(*w.state.FailingSince) >= pauseAfter:
		reason = fmt.Sprintf("The receiver has confirmed nothing since %s.", w.state.FailingSince.Format("2006-01-02 15:04 UTC"))
	default:
		return true, nil
	}
	if err := w.pause(ctx, w.hook, reason); err != nil {
		return true, err
	}
	slog.WarnContext(ctx, "webhooks: subscription paused", "webhook", w.hook.ID, "reason", reason)
	return false, nil
}

// backoff returns the pause after a number of failures.
func backoff(failures int64) time.Duration {
	pause := maxBackoff
	if failures < 11 { // 5 s · 2¹⁰ is more than an hour
		pause = min(firstBackoff<<(failures-1), maxBackoff)
	}
	return pause*4/5 + rand.N(pause*2/5)
}

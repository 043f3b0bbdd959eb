package storage

import (
	"context"
	"slices"
	"sync"
)

// writerQueue is a mutex that is had in the order in which it was asked for. Whoever waits may
// bring a batch, which the owner can run in its place: that spares both a switch of goroutines.
type writerQueue struct {
	mu      sync.Mutex
	owned   bool
	waiting []*waiter
}

// waiter is one who waits in the queue.
type waiter struct {
	// batch is nil for one who has to be the owner to do its work.
	batch *batch
	// owns says, once ready is closed, that the waiter is the owner now. Otherwise its batch was run.
	owns  bool
	ready chan struct{}
}

// lock waits until the caller is the owner, or ctx ends.
func (q *writerQueue) lock(ctx context.Context) error {
	_, err := q.lockOrRun(ctx, nil)
	return err
}

// lockOrRun waits until the caller is the owner, or its batch was run by one, or ctx ends before
// either. Whoever became the owner at that moment is the owner.
func (q *writerQueue) lockOrRun(ctx context.Context, b *batch) (owns bool, err error) {
	q.mu.Lock()
	if !q.owned {
		q.owned = true
		q.mu.Unlock()
		return true, nil
	}
	w := &waiter{batch: b, ready: make(chan struct{})}
	q.waiting = append(q.waiting, w)
	q.mu.Unlock()
	select {
	case <-w.ready:
		return w.owns, nil
	case <-ctx.Done():
	}
	if q.remove(w) {
		return false, context.Cause(ctx)
	}
	<-w.ready
	return w.owns, nil
}

// remove takes one out who waits no longer, and reports false when the owner was faster.
func (q *writerQueue) remove(w *waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, w)
	if i < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// next takes out who has waited longest; nil when nobody waits. It is for the owner, who then has
// to run the waiter's batch or to make it the owner.
func (q *writerQueue) next() *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return nil
	}
	w := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	return w
}

// own makes a waiter the owner in the caller's place.
func (w *waiter) own() {
	w.owns = true
	close(w.ready)
}

// unlock makes who has waited longest the owner, or nobody.
func (q *writerQueue) unlock() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.owned = false
		return
	}
	w := q.waiting[0]
	q.waiting = slices.Delete(q.waiting, 0, 1)
	w.own()
}

package storage

import (
	"context"
	"slices"
	"sync"
)

// writerQueue is a FIFO mutex. A waiter can provide a batch, which the owner can run for the
// waiter; this saves both goroutines a context switch.
type writerQueue struct {
	mu      sync.Mutex
	owned   bool
	waiting []*waiter
}

// waiter is an entry of the queue.
type waiter struct {
	// batch is nil if the waiter needs the ownership for its work.
	batch *batch
	// owns is valid once ready is closed: true if the waiter is the owner now, false if its
	// batch was run.
	owns  bool
	ready chan struct{}
}

// lock waits until the caller is the owner, or ctx ends.
func (q *writerQueue) lock(ctx context.Context) error {
	_, err := q.lockOrRun(ctx, nil)
	return err
}

// lockOrRun waits until the caller is the owner, or an owner has run its batch, or ctx
// ends. If the caller becomes the owner while ctx ends, it is the owner.
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

// remove removes a waiter that no longer waits, and reports false if the owner removed it first.
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

// next removes the oldest waiter and returns it, or nil if there is none. Only the owner
// may call it, and must then run the waiter's batch or make it the owner.
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

// own transfers the ownership to a waiter.
func (w *waiter) own() {
	w.owns = true
	close(w.ready)
}

// unlock makes the oldest waiter the owner, if there is one.
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

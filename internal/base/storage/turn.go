package storage

import (
	"context"
	"slices"
	"sync"
)

// turn is had by one at a time, in the order in which they asked.
type turn struct {
	mu      sync.Mutex
	taken   bool
	waiting []chan struct{}
}

// take waits for the turn until ctx ends. Who was handed it at that moment has it.
func (t *turn) take(ctx context.Context) error {
	t.mu.Lock()
	if !t.taken {
		t.taken = true
		t.mu.Unlock()
		return nil
	}
	handed := make(chan struct{})
	t.waiting = append(t.waiting, handed)
	t.mu.Unlock()
	select {
	case <-handed:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.Index(t.waiting, handed); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
		return context.Cause(ctx)
	}
	return nil
}

// hand gives the turn to who has waited longest, and reports false, keeping it, when
// nobody waits.
func (t *turn) hand() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.next()
}

// release gives the turn to who has waited longest, or to nobody.
func (t *turn) release() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken = t.next()
}

// next gives the turn to who has waited longest; false when nobody waits. It needs mu.
func (t *turn) next() bool {
	if len(t.waiting) == 0 {
		return false
	}
	close(t.waiting[0])
	t.waiting = slices.Delete(t.waiting, 0, 1)
	return true
}

package lock

import (
	"cmp"
	"container/list"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"interlock/internal/base/clock"
)

// InProcess is the Locker of a single process. Its leases are never lost.
//
// Releasing a key grants it to its first waiter in the same step, so a newcomer cannot
// overtake a waiter, and a free key never has waiters. Each waiter blocks its own
// goroutine.
type InProcess struct {
	observer Observer

	mu sync.Mutex
	// keys contains the held keys only.
	keys map[string]*heldKey
}

// heldKey is a key with its holder and the queue of its waiters.
type heldKey struct {
	holder  *claim
	waiting list.List // of *claim
}

// claim is one caller's claim to one key. Its address is the proof of ownership.
type claim struct {
	key   string
	owner string

	// place and granted are set when the claim has to wait: its element in the queue, and a
	// channel that is closed when the key is granted.
	place   *list.Element
	granted chan struct{}

	// since is the time of the grant.
	since time.Time
}

// NewInProcess returns a Locker without held keys.
func NewInProcess(observer Observer) *InProcess {
	return &InProcess{observer: observer, keys: make(map[string]*heldKey)}
}

// Acquire implements Locker.
func (l *InProcess) Acquire(ctx context.Context, wait time.Duration, keys ...string) (Lease, error) {
	sorted, err := lockOrder(ctx, keys)
	if err != nil {
		return nil, err
	}
	claims := newClaims(sorted, ownerOf(ctx))
	busy := l.acquireFree(claims)
	if busy == nil {
		return l.newLease(ctx, claims), nil
	}
	if wait <= 0 {
		l.observer.refused(busy.key, 0)
		return nil, fmt.Errorf("acquire lock %q: %w", busy.key, ErrNotAcquired)
	}
	if err := l.acquireInOrder(ctx, wait, claims); err != nil {
		return nil, err
	}
	return l.newLease(ctx, claims), nil
}

func newClaims(keys []string, owner string) []*claim {
	claims := make([]*claim, len(keys))
	for i, key := range keys {
		claims[i] = &claim{key: key, owner: owner}
	}
	return claims
}

// acquireFree grants all claims in one step if every key is free. Otherwise it
// changes nothing and returns the first claim of a held key.
func (l *InProcess) acquireFree(claims []*claim) (busy *claim) {
	l.mu.Lock()
	for _, c := range claims {
		if l.keys[c.key] != nil {
			l.mu.Unlock()
			return c
		}
	}
	for _, c := range claims {
		l.keys[c.key] = &heldKey{}
		l.grant(c)
	}
	l.mu.Unlock()

	for _, c := range claims {
		l.observer.acquired(c.key, 0, false)
	}
	return nil
}

// acquireInOrder waits for one key after the other, for at most wait in total. On error it
// releases the keys that it acquired.
func (l *InProcess) acquireInOrder(ctx context.Context, wait time.Duration, claims []*claim) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, ErrNotAcquired)
	defer cancel()
	for i, c := range claims {
		if err := l.acquireKey(ctx, c); err != nil {
			l.release(claims[:i])
			return err
		}
	}
	return nil
}

// acquireKey queues for one key until it is granted or ctx ends.
func (l *InProcess) acquireKey(ctx context.Context, c *claim) error {
	start := clock.Mark()
	if !l.enqueue(c) {
		l.observer.acquired(c.key, 0, false)
		return nil
	}
	select {
	case <-c.granted:
		l.observer.acquired(c.key, clock.Since(start), true)
		return nil
	case <-ctx.Done():
		// If the key was granted concurrently, withdraw grants it to the next waiter.
		l.withdraw(c)
		l.observer.refused(c.key, clock.Since(start))
		return fmt.Errorf("acquire lock %q: %w", c.key, context.Cause(ctx))
	}
}

// enqueue grants the key if it is free; otherwise c joins the queue of the key.
func (l *InProcess) enqueue(c *claim) (queued bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.keys[c.key]
	if held == nil {
		l.keys[c.key] = &heldKey{}
		l.grant(c)
		return false
	}
	c.granted = make(chan struct{})
	c.place = held.waiting.PushBack(c)
	return true
}

// grant makes c the holder of its key. It requires mu.
func (l *InProcess) grant(c *claim) {
	c.since = clock.Mark()
	l.keys[c.key].holder = c
}

// withdraw cancels held and waiting claims and grants the released keys to their next
// waiters. It ignores a claim that is neither held nor waiting.
func (l *InProcess) withdraw(claims ...*claim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range claims {
		held := l.keys[c.key]
		switch {
		case held == nil:
		case held.holder == c:
			l.passOn(held)
		case c.place != nil:
			held.waiting.Remove(c.place)
		}
	}
}

// passOn grants a held key to its next waiter, or deletes it. It requires mu.
func (l *InProcess) passOn(held *heldKey) {
	first := held.waiting.Front()
	if first == nil {
		delete(l.keys, held.holder.key)
		return
	}
	next := held.waiting.Remove(first).(*claim)
	l.grant(next)
	close(next.granted)
}

// release releases held keys.
func (l *InProcess) release(claims []*claim) {
	l.withdraw(claims...)
	for _, c := range claims {
		l.observer.released(c.key, clock.Since(c.since))
	}
}

// Held implements Locker. It never fails.
func (l *InProcess) Held(context.Context) ([]Holding, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := make([]Holding, 0, len(l.keys))
	for name, key := range l.keys {
		held = append(held, Holding{
			Key:     name,
			Owner:   key.holder.owner,
			Age:     clock.Since(key.holder.since),
			Waiters: key.waiting.Len(),
		})
	}
	slices.SortFunc(held, func(a, b Holding) int { return cmp.Compare(a.Key, b.Key) })
	return held, nil
}

// inProcessLease is a set of granted claims.
type inProcessLease struct {
	locker   *InProcess
	claims   []*claim
	ctx      context.Context
	cancel   context.CancelCauseFunc
	released atomic.Bool
}

func (l *InProcess) newLease(ctx context.Context, claims []*claim) *inProcessLease {
	lease := &inProcessLease{locker: l, claims: claims}
	lease.ctx, lease.cancel = context.WithCancelCause(ctx)
	return lease
}

// Context implements Lease.
func (l *inProcessLease) Context() context.Context { return l.ctx }

// Release implements Lease. It never fails.
func (l *inProcessLease) Release(context.Context) error {
	if !l.released.CompareAndSwap(false, true) {
		return nil
	}
	// Cancel the context first, so that no work continues after another holder has the
	// lock.
	l.cancel(ErrReleased)
	l.locker.release(l.claims)
	return nil
}

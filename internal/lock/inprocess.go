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
// A released key is granted to its first waiter in the same step, so a newcomer cannot
// overtake and a free key never has waiters. Waiters wait in their own goroutine.
type InProcess struct {
	observer Observer

	mu sync.Mutex
	// keys holds the keys that are held, and no others.
	keys map[string]*heldKey
}

// heldKey is a key with its holder and the queue of those who wait for it.
type heldKey struct {
	holder  *claim
	waiting list.List // of *claim
}

// claim is one caller's claim to one key. Its address is the proof of ownership.
type claim struct {
	key   string
	owner string

	// Set when the claim has to wait: its place in the queue, and a channel that is closed
	// when it is granted.
	place   *list.Element
	granted chan struct{}

	// since is when it was granted.
	since time.Time
}

// NewInProcess returns a Locker without any key held.
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
// changes nothing and returns the first claim whose key is held.
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

// acquireInOrder queues for one key after the other, for at most wait in all. On
// an error it holds none of them.
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
		// If the key was granted in this very moment, it is passed on.
		l.withdraw(c)
		l.observer.refused(c.key, clock.Since(start))
		return fmt.Errorf("acquire lock %q: %w", c.key, context.Cause(ctx))
	}
}

// enqueue grants the key if it is free and joins its queue if not.
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

// grant makes c the holder of its key. The caller holds mu.
func (l *InProcess) grant(c *claim) {
	c.since = clock.Mark()
	l.keys[c.key].holder = c
}

// withdraw takes claims back, held or waiting, and passes held keys on to their next
// waiters. A claim that is neither is left alone.
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

// passOn grants a held key to its next waiter or forgets it. The caller holds mu.
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

// release releases keys that were held.
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
	// Cancelled first, so that nothing runs on under a lock that is another's.
	l.cancel(ErrReleased)
	l.locker.release(l.claims)
	return nil
}

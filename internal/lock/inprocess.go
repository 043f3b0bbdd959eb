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

	"interlock/internal/clock"
)

// InProcess is the Locker of a single process. Its leases are never lost.
//
// A released key is handed straight to its first waiter, so a newcomer cannot
// overtake and a free key never has waiters. Waiters wait in their own
// goroutine.
type InProcess struct {
	observer Observer

	mu sync.Mutex
	// lines holds the keys that are held, and no others.
	lines map[string]*line
}

// line is a held key with those who wait for it, in order.
type line struct {
	holder  *claim
	waiting list.List // of *claim
}

// claim is one caller's place at one key. Its address is the proof of
// ownership.
type claim struct {
	key   string
	owner string

	// Set when the claim has to wait: place in line, and closed when granted.
	place   *list.Element
	granted chan struct{}

	// since is set when it is granted.
	since time.Time
}

// NewInProcess returns a Locker without any key held.
func NewInProcess(observer Observer) *InProcess {
	return &InProcess{observer: observer, lines: make(map[string]*line)}
}

// Acquire implements Locker.
func (l *InProcess) Acquire(ctx context.Context, wait time.Duration, keys ...string) (Lease, error) {
	sorted, err := lockOrder(keys)
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("acquire lock %q: %w", sorted[0], context.Cause(ctx))
	}
	claims := newClaims(sorted, ownerOf(ctx))
	busy := l.takeAll(claims)
	if busy == nil {
		return l.newLease(ctx, claims), nil
	}
	if wait <= 0 {
		l.observer.refused(busy.key, 0)
		return nil, fmt.Errorf("acquire lock %q: %w", busy.key, ErrNotAcquired)
	}
	if err := l.takeInTurn(ctx, wait, claims); err != nil {
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

// takeAll grants all claims in one step if every key is free. Otherwise it
// changes nothing and returns the first claim whose key is held.
func (l *InProcess) takeAll(claims []*claim) (busy *claim) {
	l.mu.Lock()
	for _, c := range claims {
		if l.lines[c.key] != nil {
			l.mu.Unlock()
			return c
		}
	}
	for _, c := range claims {
		l.lines[c.key] = &line{}
		l.grant(c)
	}
	l.mu.Unlock()

	for _, c := range claims {
		l.observer.acquired(c.key, 0, false)
	}
	return nil
}

// takeInTurn queues for one key after the other, for at most wait in all. On
// an error it holds none of them.
func (l *InProcess) takeInTurn(ctx context.Context, wait time.Duration, claims []*claim) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, ErrNotAcquired)
	defer cancel()
	for i, c := range claims {
		if err := l.take(ctx, c); err != nil {
			l.giveBack(claims[:i])
			return err
		}
	}
	return nil
}

// take queues for one key until it is granted or ctx ends.
func (l *InProcess) take(ctx context.Context, c *claim) error {
	start := clock.Mark()
	if !l.enter(c) {
		l.observer.acquired(c.key, 0, false)
		return nil
	}
	select {
	case <-c.granted:
		l.observer.acquired(c.key, clock.Since(start), true)
		return nil
	case <-ctx.Done():
		// The key may have been granted in this very moment: it is passed on.
		l.leave(c)
		l.observer.refused(c.key, clock.Since(start))
		return fmt.Errorf("acquire lock %q: %w", c.key, context.Cause(ctx))
	}
}

// enter grants the key if it is free and joins its queue if not.
func (l *InProcess) enter(c *claim) (queued bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.lines[c.key]
	if held == nil {
		l.lines[c.key] = &line{}
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
	l.lines[c.key].holder = c
}

// leave withdraws claims, held or waiting, and hands held keys to their next
// waiters. A claim that is neither is left alone.
func (l *InProcess) leave(claims ...*claim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range claims {
		held := l.lines[c.key]
		switch {
		case held == nil:
		case held.holder == c:
			l.passOn(held)
		case c.place != nil:
			held.waiting.Remove(c.place)
		}
	}
}

// passOn gives a held key to its next waiter or forgets it. The caller holds mu.
func (l *InProcess) passOn(held *line) {
	first := held.waiting.Front()
	if first == nil {
		delete(l.lines, held.holder.key)
		return
	}
	next := held.waiting.Remove(first).(*claim)
	l.grant(next)
	close(next.granted)
}

// giveBack releases keys that were held.
func (l *InProcess) giveBack(claims []*claim) {
	l.leave(claims...)
	for _, c := range claims {
		l.observer.released(c.key, clock.Since(c.since))
	}
}

// Held implements Locker. It never fails.
func (l *InProcess) Held(context.Context) ([]Holding, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	held := make([]Holding, 0, len(l.lines))
	for key, line := range l.lines {
		held = append(held, Holding{
			Key:     key,
			Owner:   line.holder.owner,
			Age:     clock.Since(line.holder.since),
			Waiters: line.waiting.Len(),
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
	l.locker.giveBack(l.claims)
	return nil
}

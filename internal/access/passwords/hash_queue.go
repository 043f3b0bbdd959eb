package passwords

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
)

const (
	// maxQueued is the maximum number of waiting callers. One slot hashes about ten passwords
	// a second, so a caller further back would reach hashTimeout.
	maxQueued = 64
	// cooldownFactor is the cooldown after an anonymous wrong guess, in multiples of its hash time.
	cooldownFactor = 3
	// maxCooldown bounds the cooldown, so that a slow machine still serves anonymous callers.
	maxCooldown = 300 * time.Millisecond
	// shedRetry is the Retry-After of a rejected caller.
	shedRetry = 2 * time.Second
)

// Rank is the priority of a caller that waits for a slot.
type Rank struct {
	// Anonymous is set for a caller without a session and without a known device. Known callers
	// have priority over anonymous ones.
	Anonymous bool
	// Tries is the used part of the burst of the caller's network. A first try thus has priority
	// over a flood from networks that try repeatedly.
	Tries int
}

// goesBefore reports whether a new caller has priority over a waiting one. Known callers are
// first in, first out. Anonymous callers with equal tries are last in, first out: in a flood
// the queue is full of old callers, and a later genuine one would wait behind all of them.
func (r Rank) goesBefore(waits Rank) bool {
	if r.Anonymous != waits.Anonymous {
		return waits.Anonymous
	}
	return r.Anonymous && r.Tries <= waits.Tries
}

// hashQueue limits the concurrent hashes, orders the waiting callers and rejects the excess.
//
// Invariants:
//
//   - The callers never hold more slots than exist.
//   - After an anonymous wrong guess, the slot cools down for cooldownFactor times its hash time,
//     at most maxCooldown, so that a flood of guesses uses a quarter of the time of each slot.
//     Known callers skip the cooldown, and callers with the right password cause none.
//   - At most room callers wait. If one more arrives, the caller with the lowest rank is
//     rejected immediately, not after its timeout.
type hashQueue struct {
	mu   sync.Mutex
	free int
	// coolingDown is the number of free slots that only known callers may use.
	coolingDown int
	room        int
	waiting     []*hashWaiter // in the order of service
	// after schedules fn at the end of a cooldown.
	after func(cooldown time.Duration, fn func())
}

// hashWaiter is a caller that waits for a slot.
type hashWaiter struct {
	rank Rank
	// granted receives true with a slot, or false with a rejection.
	granted chan bool
}

func newHashQueue(slots, room int) *hashQueue {
	return &hashQueue{free: slots, room: room, after: func(cooldown time.Duration, fn func()) { time.AfterFunc(cooldown, fn) }}
}

// Slot is a slot that a caller holds. Further releases have no effect.
type Slot struct {
	queue *hashQueue
	rank  Rank
	began time.Time
	given sync.Once
}

// Release frees the slot.
func (p *Slot) Release() { p.given.Do(func() { p.queue.freeSlot(0) }) }

// ReleaseAfterCooldown releases the slot after an anonymous wrong guess, with a cooldown. For a
// known caller it releases the slot immediately.
func (p *Slot) ReleaseAfterCooldown() {
	if !p.rank.Anonymous {
		p.Release()
		return
	}
	p.given.Do(func() {
		p.queue.freeSlot(1)
		p.queue.after(min(cooldownFactor*clock.Since(p.began), maxCooldown), p.queue.cooledDown)
	})
}

// acquire waits for a slot. Errors: RateLimited for a rejected anonymous caller, Unavailable
// for any other rejected caller; the cause of ctx.
func (t *hashQueue) acquire(ctx context.Context, r Rank, timeout time.Duration) (*Slot, error) {
	own := &hashWaiter{rank: r, granted: make(chan bool, 1)}
	t.enter(own)
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case granted := <-own.granted:
		if !granted {
			return nil, r.shed()
		}
	case <-ctx.Done():
		t.withdraw(own)
		return nil, fmt.Errorf("wait for a slot to hash: %w", context.Cause(ctx))
	case <-timer.C:
		t.withdraw(own)
		return nil, r.shed()
	}
	return &Slot{queue: t, rank: r, began: clock.Mark()}, nil
}

// enter queues a caller, grants the free slots, and rejects the caller with the lowest rank if the
// queue is full.
func (t *hashQueue) enter(own *hashWaiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := len(t.waiting)
	for at > 0 && own.rank.goesBefore(t.waiting[at-1].rank) {
		at--
	}
	t.waiting = slices.Insert(t.waiting, at, own)
	t.grant()
	if last := len(t.waiting) - 1; last >= t.room {
		t.waiting[last].granted <- false
		t.waiting = slices.Delete(t.waiting, last, last+1)
	}
}

// freeSlot frees a slot; coolingDown is 1 if only known callers may use it yet.
func (t *hashQueue) freeSlot(coolingDown int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	t.coolingDown += coolingDown
	t.grant()
}

// cooledDown ends one cooldown. The slots are interchangeable: a known caller may hold the slot
// whose cooldown ends.
func (t *hashQueue) cooledDown() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.coolingDown--
	t.grant()
}

// grant assigns the free slots to the first callers. The caller holds mu.
func (t *hashQueue) grant() {
	for len(t.waiting) > 0 && t.free > 0 && (t.free > t.coolingDown || !t.waiting[0].rank.Anonymous) {
		t.free--
		t.waiting[0].granted <- true
		t.waiting = slices.Delete(t.waiting, 0, 1)
	}
}

// withdraw removes a waiting caller; a slot that it was granted concurrently goes to the next caller.
func (t *hashQueue) withdraw(own *hashWaiter) {
	t.mu.Lock()
	if at := slices.Index(t.waiting, own); at >= 0 {
		t.waiting = slices.Delete(t.waiting, at, at+1)
	}
	t.mu.Unlock()
	// After the removal, the queue grants the caller no slot.
	select {
	case granted := <-own.granted:
		if granted {
			t.freeSlot(0)
		}
	default:
	}
}

func (r Rank) shed() error {
	if r.Anonymous {
		return apperr.New(apperr.RateLimited, "Too many people are signing in at the moment. Your credentials were not checked; try again in a moment.").After(shedRetry)
	}
	return apperr.New(apperr.Unavailable, "Too many people are signing in at the moment. Try again.").After(shedRetry)
}

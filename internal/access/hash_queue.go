package access

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
	// maxQueued is how many may wait for a slot to hash. With one slot that hashes some ten a
	// second, a caller further behind would not be served before hashTimeout.
	maxQueued = 64
	// cooldownFactor is how much longer a slot cools down after a stranger's wrong guess than it was held.
	cooldownFactor = 3
	// maxCooldown keeps a slow machine open to strangers.
	maxCooldown = 300 * time.Millisecond
	// shedRetry is when a caller that was turned away may try again.
	shedRetry = 2 * time.Second
)

// rank orders the callers that wait for a slot.
type rank struct {
	// anonymous is set for a guess of a caller that the service does not know. Callers with a
	// session, or on a device from which the account has signed in, go before all of those.
	anonymous bool
	// tries is how many of the tries that its network may make it has made lately. So a first try
	// goes before a flood from networks that try again and again.
	tries int
}

// goesBefore reports whether a new caller goes before one that waits. Known callers are served
// first come, first served. Of strangers with equally many tries the last one goes first: in a flood
// the room is full of callers from its beginning, and whoever comes later would wait behind all of
// them.
func (r rank) goesBefore(waits rank) bool {
	if r.anonymous != waits.anonymous {
		return waits.anonymous
	}
	return r.anonymous && r.tries <= waits.tries
}

// hashQueue decides how many callers hash at a time, which one is next, and which one is turned
// away at once.
//
// What holds:
//
//   - No more slots are held at a time than there are.
//   - After an anonymous guess that was wrong its slot cools down for cooldownFactor times as long
//     as it was held, but no longer than maxCooldown, so that a flood of guesses takes a quarter of
//     the time of each slot. Known callers do not wait for that, and a crowd with the right
//     passwords, as in the morning, is served as fast as it can be.
//   - No more than room wait. When one more comes, the last in rank is turned away, at the
//     moment that it comes to be the last, and not when its time is over.
type hashQueue struct {
	mu   sync.Mutex
	free int
	// coolingDown are those of the free slots that no stranger is given yet.
	coolingDown int
	room        int
	waiting     []*hashWaiter // in the order that they are served
	// after calls fn when a slot has cooled down.
	after func(cooldown time.Duration, fn func())
}

// hashWaiter is a caller that waits for a slot.
type hashWaiter struct {
	rank rank
	// granted is sent true with a slot, or false when the caller is turned away.
	granted chan bool
}

func newHashQueue(slots, room int) *hashQueue {
	return &hashQueue{free: slots, room: room, after: func(cooldown time.Duration, fn func()) { time.AfterFunc(cooldown, fn) }}
}

// hashSlot is the right to hash, which a caller holds. It is given back once, however often it is
// released.
type hashSlot struct {
	queue *hashQueue
	rank  rank
	began time.Time
	given sync.Once
}

// release gives the slot back.
func (p *hashSlot) release() { p.given.Do(func() { p.queue.giveBack(0) }) }

// releaseAfterCooldown gives the slot back once it has cooled down from a wrong guess of a
// stranger; at once for a known caller.
func (p *hashSlot) releaseAfterCooldown() {
	if !p.rank.anonymous {
		p.release()
		return
	}
	p.given.Do(func() {
		p.queue.giveBack(1)
		p.queue.after(min(cooldownFactor*clock.Since(p.began), maxCooldown), p.queue.cooledDown)
	})
}

// acquire waits for a slot. Errors: RateLimited for an anonymous caller that was turned away,
// Unavailable for any other; the end of ctx.
func (t *hashQueue) acquire(ctx context.Context, r rank, timeout time.Duration) (*hashSlot, error) {
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
	return &hashSlot{queue: t, rank: r, began: clock.Mark()}, nil
}

// enter gives own a slot, lets it wait, or turns the last in rank away.
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

// giveBack takes a slot back; coolingDown is 1 for one that no stranger is given yet.
func (t *hashQueue) giveBack(coolingDown int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	t.coolingDown += coolingDown
	t.grant()
}

// cooledDown ends the cooldown of a slot, or of another one where it was given to a known caller.
func (t *hashQueue) cooledDown() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.coolingDown--
	t.grant()
}

// grant gives the free slots to the callers that are next. The caller holds mu.
func (t *hashQueue) grant() {
	for len(t.waiting) > 0 && t.free > 0 && (t.free > t.coolingDown || !t.waiting[0].rank.anonymous) {
		t.free--
		t.waiting[0].granted <- true
		t.waiting = slices.Delete(t.waiting, 0, 1)
	}
}

// withdraw ends a wait; a slot that was granted meanwhile goes to the next caller.
func (t *hashQueue) withdraw(own *hashWaiter) {
	t.mu.Lock()
	if at := slices.Index(t.waiting, own); at >= 0 {
		t.waiting = slices.Delete(t.waiting, at, at+1)
	}
	t.mu.Unlock()
	// Nobody grants it anything once it does not wait.
	select {
	case granted := <-own.granted:
		if granted {
			t.giveBack(0)
		}
	default:
	}
}

func (r rank) shed() error {
	if r.anonymous {
		return apperr.New(apperr.RateLimited, "Too many people are signing in at the moment. Your credentials were not checked; try again in a moment.").After(shedRetry)
	}
	return apperr.New(apperr.Unavailable, "Too many people are signing in at the moment. Try again.").After(shedRetry)
}

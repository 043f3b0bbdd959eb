package lock

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"interlock/internal/base/clock"
)

// extendAtOnce bounds how many locks are extended at the same time.
const extendAtOnce = 16

// redisLease is a set of claims that live and end together.
type redisLease struct {
	locker   *Redis
	owner    string
	claims   []redisClaim
	ctx      context.Context
	cancel   context.CancelCauseFunc
	released atomic.Bool
}

// newRedisLease returns a lease with room for so many claims. They never move in
// memory: others point at them.
func newRedisLease(ctx context.Context, l *Redis, keys int) *redisLease {
	lease := &redisLease{locker: l, owner: ownerOf(ctx), claims: make([]redisClaim, 0, keys)}
	lease.ctx, lease.cancel = context.WithCancelCause(ctx)
	return lease
}

// addClaim adds a claim that is not held yet.
func (l *redisLease) addClaim(key string) *redisClaim {
	token := l.locker.process + ":" + strconv.FormatInt(l.locker.tokens.Add(1), 36)
	l.claims = append(l.claims, redisClaim{key: key, token: token, lease: l, arrived: clock.Mark()})
	return &l.claims[len(l.claims)-1]
}

// dropLastClaim removes a claim that was not acquired.
func (l *redisLease) dropLastClaim() { l.claims = l.claims[:len(l.claims)-1] }

// Context implements Lease.
func (l *redisLease) Context() context.Context { return l.ctx }

// startHolding makes c the holder; sent is when the command was sent that took the lock.
// The caller holds mu.
func (l *Redis) startHolding(c *redisClaim, sent time.Time) {
	c.held, c.since, c.confirmed = true, clock.Mark(), sent
	c.expiry = time.AfterFunc(l.validity()-clock.Since(sent), func() { l.expire(c) })
}

// stopHolding ends the holding of a claim in this process and returns how long it
// lasted. The caller holds mu.
func (l *Redis) stopHolding(c *redisClaim) (heldFor time.Duration) {
	c.held = false
	c.expiry.Stop()
	return clock.Since(c.since)
}

// validity is how long a claim is relied on after the command was sent that took
// or extended it: its TTL less a hundredth, by which the two clocks may drift apart.
func (l *Redis) validity() time.Duration { return l.ttl - l.ttl/100 }

// expire is called when a claim would end. One that was extended meanwhile goes on.
func (l *Redis) expire(c *redisClaim) {
	l.mu.Lock()
	if left := l.validity() - clock.Since(c.confirmed); c.held && left > 0 {
		c.expiry.Reset(left)
		l.mu.Unlock()
		return
	}
	l.mu.Unlock()
	l.lose(c)
}

// lose ends a claim that no longer holds its lock, and tells its holder. The next in the
// queue has its turn at once and does not wait for the holder to notice.
func (l *Redis) lose(c *redisClaim) {
	l.mu.Lock()
	if !c.held {
		l.mu.Unlock()
		return
	}
	heldFor := l.stopHolding(c)
	l.giveTurnBehind(c)
	l.queueCleanup(c)
	l.mu.Unlock()

	c.lease.cancel(ErrLost)
	l.logger.Warn("a lock was lost", "key", c.key, "owner", c.lease.owner, "held", heldFor.String())
	l.observer.lost(c.key)
	l.observer.released(c.key, heldFor)
}

// maintain extends the locks that are held and cleans up abandoned claims, until ctx
// ends.
func (l *Redis) maintain(ctx context.Context) {
	ticker := time.NewTicker(l.ttl / 6)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.cleanupQueued:
			// Kept for the next tick as well: a command that timed out may still be under
			// way on its own connection and arrive after this one.
			l.cleanUp(ctx, false)
		case <-ticker.C:
			l.extendAll(ctx, l.dueForExtension())
			l.cleanUp(ctx, true)
		}
	}
}

// dueForExtension returns the held claims that were confirmed longer than a quarter of
// the TTL ago: at the next tick it would be more than a third.
func (l *Redis) dueForExtension() []*redisClaim {
	l.mu.Lock()
	defer l.mu.Unlock()
	var due []*redisClaim
	for _, q := range l.queues {
		if q.front.held && clock.Since(q.front.confirmed) > l.ttl/4 {
			due = append(due, q.front)
		}
	}
	return due
}

func (l *Redis) extendAll(ctx context.Context, claims []*redisClaim) {
	slots := make(chan struct{}, extendAtOnce)
	var extending sync.WaitGroup
	for _, c := range claims {
		slots <- struct{}{}
		extending.Go(func() {
			l.extendOne(ctx, c)
			<-slots
		})
	}
	extending.Wait()
}

func (l *Redis) extendOne(ctx context.Context, c *redisClaim) {
	sent := clock.Mark()
	extended, err := l.extend(ctx, c.key, c.token)
	switch {
	case err != nil:
		// The claim lives on until its end; the next tick tries again.
		if ctx.Err() == nil {
			l.logger.WarnContext(ctx, "a lock could not be extended and will be tried again", "key", c.key, "error", err)
		}
	case extended:
		l.mu.Lock()
		c.confirmed = sent
		l.mu.Unlock()
	default:
		l.lose(c)
	}
}

package lock

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"interlock/internal/base/clock"
)

// extendAtOnce bounds how many locks are extended concurrently.
const extendAtOnce = 16

// redisLease is a set of claims with a common lifetime.
type redisLease struct {
	locker   *Redis
	owner    string
	claims   []redisClaim
	ctx      context.Context
	cancel   context.CancelCauseFunc
	released atomic.Bool
}

// newRedisLease returns a lease with capacity for keys claims. The claims
// never move in memory, because queues point to them.
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

// startHolding makes c the holder; sent is when the acquiring command was sent. It requires mu.
func (l *Redis) startHolding(c *redisClaim, sent time.Time) {
	c.held, c.since, c.confirmed = true, clock.Mark(), sent
	c.expiry = time.AfterFunc(l.validity()-clock.Since(sent), func() { l.expire(c) })
}

// stopHolding ends the hold of a claim in this process and returns its duration. It requires mu.
func (l *Redis) stopHolding(c *redisClaim) (heldFor time.Duration) {
	c.held = false
	c.expiry.Stop()
	return clock.Since(c.since)
}

// validity is how long a claim is valid after the command that acquired or extended it was
// sent: the TTL minus one percent, the tolerated drift between the two clocks.
func (l *Redis) validity() time.Duration { return l.ttl - l.ttl/100 }

// expire runs when a claim would end. It rearms the timer if the claim was extended since.
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

// lose ends a claim that no longer holds its lock and cancels the holder's context. The
// next claim in the queue gets its turn immediately and does not wait for the holder to
// notice.
func (l *Redis) lose(c *redisClaim) {
	l.mu.Lock()
	if !c.held {
		l.mu.Unlock()
		return
	}
	heldFor := l.stopHolding(c)
	l.passTurn(c)
	l.queueCleanup(c)
	l.mu.Unlock()

	c.lease.cancel(ErrLost)
	l.logger.Warn("lock: lost", "key", c.key, "owner", c.lease.owner, "held", heldFor.String())
	l.observer.lost(c.key)
	l.observer.released(c.key, heldFor)
}

// maintain extends held locks and cleans up abandoned claims, until ctx ends.
func (l *Redis) maintain(ctx context.Context) {
	ticker := time.NewTicker(l.ttl / 6)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.cleanupQueued:
			// The cleanup stays queued until the next tick: a command that timed out may
			// still be in flight on its connection and arrive after this one.
			l.cleanUp(ctx, false)
		case <-ticker.C:
			l.extendAll(ctx, l.dueForExtension())
			l.cleanUp(ctx, true)
		}
	}
}

// dueForExtension returns the held claims with a last confirmation older than a quarter of the TTL;
// by the next tick it would be older than a third.
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
		// The claim is valid until its end; the next tick retries.
		if ctx.Err() == nil {
			l.logger.WarnContext(ctx, "lock: extension failed; will retry", "key", c.key, "error", err)
		}
	case extended:
		l.mu.Lock()
		c.confirmed = sent
		l.mu.Unlock()
	default:
		l.lose(c)
	}
}

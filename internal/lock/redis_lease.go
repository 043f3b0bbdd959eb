package lock

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"interlock/internal/clock"
)

// extendAtOnce bounds how many locks are extended at the same time.
const extendAtOnce = 16

// staleAtOnce bounds how many claims are released between two rounds of extending.
const staleAtOnce = 256

// redisLease is a set of claims that live and end together.
type redisLease struct {
	locker   *Redis
	owner    string
	claims   []redisClaim
	ctx      context.Context
	cancel   context.CancelCauseFunc
	released atomic.Bool
}

// newRedisLease returns a lease that has room for so many claims. There they stay:
// others point at them.
func newRedisLease(ctx context.Context, l *Redis, keys int) *redisLease {
	lease := &redisLease{locker: l, owner: ownerOf(ctx), claims: make([]redisClaim, 0, keys)}
	lease.ctx, lease.cancel = context.WithCancelCause(ctx)
	return lease
}

// claim adds a claim that is not held yet.
func (l *redisLease) claim(key string) *redisClaim {
	token := l.locker.process + ":" + strconv.FormatInt(l.locker.tokens.Add(1), 36)
	l.claims = append(l.claims, redisClaim{key: key, token: token, lease: l, arrived: clock.Mark()})
	return &l.claims[len(l.claims)-1]
}

// Context implements Lease.
func (l *redisLease) Context() context.Context { return l.ctx }

// Release implements Lease. It costs one round trip a key, in which the lock is
// passed to who waits behind. Errors: ErrLost when a key was lost before,
// ErrUnavailable when Redis could not be told; it is told later then.
func (l *redisLease) Release(ctx context.Context) error {
	if !l.released.CompareAndSwap(false, true) {
		return nil
	}
	// Cancelled first, so that nothing runs on under a lock that is another's.
	l.cancel(ErrReleased)
	var errs error
	for i := range l.claims {
		if err := l.locker.giveBack(ctx, &l.claims[i]); err != nil {
			errs = errors.Join(errs, err)
		}
	}
	return errs
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

// lose ends a claim that no longer holds its lock. Who waits behind it here need
// not wait until its holder has noticed.
func (l *Redis) lose(c *redisClaim) {
	l.mu.Lock()
	if !c.held {
		l.mu.Unlock()
		return
	}
	l.letGo(c)
	heldFor := clock.Since(c.since)
	l.advanceLocked(c)
	l.goesStale(c)
	l.mu.Unlock()

	c.lease.cancel(ErrLost)
	l.logger.Warn("a lock was lost", "key", c.key, "owner", c.lease.owner, "held", heldFor.String())
	l.observer.lost(c.key)
	l.observer.released(c.key, heldFor)
}

// watch extends what is held and releases what is stale, until ctx ends.
func (l *Redis) watch(ctx context.Context) {
	ticker := time.NewTicker(l.ttl / 6)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.goneStale:
			// Kept until the next tick: a command that was given up may still be under
			// way on its own connection and arrive after this one.
			l.releaseStale(ctx, false)
		case <-ticker.C:
			l.extendAll(ctx, l.due())
			l.releaseStale(ctx, true)
		}
	}
}

// due returns the claims that were confirmed longer than a quarter of the TTL ago:
// at the next tick it would be more than a third.
func (l *Redis) due() []*redisClaim {
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
	places := make(chan struct{}, extendAtOnce)
	var extending sync.WaitGroup
	for _, c := range claims {
		places <- struct{}{}
		extending.Go(func() {
			l.extendOne(ctx, c)
			<-places
		})
	}
	extending.Wait()
}

func (l *Redis) extendOne(ctx context.Context, c *redisClaim) {
	sent := clock.Mark()
	extended, err := l.extend(ctx, c.key, c.token)
	switch {
	case err != nil:
		// It lives on until its end; the next tick tries again.
		if ctx.Err() == nil {
			l.logger.WarnContext(ctx, "a lock could not be extended yet", "key", c.key, "error", err)
		}
	case extended:
		l.mu.Lock()
		c.confirmed = sent
		l.mu.Unlock()
	default:
		l.lose(c)
	}
}

// releaseStale releases claims that nobody wants, and forgets them or keeps them for
// another time. It stops at the first that cannot be released: the others will do
// no better.
func (l *Redis) releaseStale(ctx context.Context, forget bool) {
	l.mu.Lock()
	stale := slices.Clone(l.stale[:min(len(l.stale), staleAtOnce)])
	l.mu.Unlock()
	done := 0
	for _, s := range stale {
		if clock.Since(s.until) < 0 {
			// Without a process: this one may wait for the key meanwhile.
			if _, err := l.run(ctx, lockCommand{key: s.key, release: s.token}); err != nil {
				break
			}
		}
		done++
	}
	if forget {
		l.mu.Lock()
		// Others only append.
		l.stale = slices.Clone(l.stale[done:])
		l.mu.Unlock()
	}
}

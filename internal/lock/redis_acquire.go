package lock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"interlock/internal/base/clock"
)

// Acquire implements Locker. A free key costs one round trip.
func (l *Redis) Acquire(ctx context.Context, wait time.Duration, keys ...string) (Lease, error) {
	sorted, err := lockOrder(ctx, keys)
	if err != nil {
		return nil, err
	}
	limit := newWaitLimit(ctx, wait)
	defer limit.stop()
	lease := newRedisLease(ctx, l, len(sorted))
	for _, key := range sorted {
		if err := l.acquireKey(limit, lease.addClaim(key)); err != nil {
			lease.dropLastClaim()
			_ = lease.Release(context.WithoutCancel(ctx))
			return nil, fmt.Errorf("acquire lock %q: %w", key, err)
		}
	}
	if errors.Is(context.Cause(lease.ctx), ErrLost) {
		_ = lease.Release(context.WithoutCancel(ctx))
		return nil, fmt.Errorf("acquire lock %q: one key was lost during the wait for another: %w", sorted, ErrLost)
	}
	return lease, nil
}

// acquireKey acquires one key: c waits for its turn in this process's queue and then
// requests the lock from Redis, unless the previous holder has passed it on.
func (l *Redis) acquireKey(limit *waitLimit, c *redisClaim) error {
	turn, contended, err := l.waitForTurn(limit, c)
	if err == nil && !turn.granted {
		var busy bool
		busy, err = l.lockInRedis(limit, c, turn.pause)
		contended = contended || busy
	}
	l.observeAcquire(limit, c, contended, err)
	return err
}

// waitForTurn returns when c is at the front of its key's queue; queued reports whether c
// had to wait. Errors: ErrNotAcquired, or the cause of the caller's context.
func (l *Redis) waitForTurn(limit *waitLimit, c *redisClaim) (t turn, queued bool, err error) {
	if l.enqueue(c, limit.waits()) {
		return turn{}, false, nil
	}
	if !limit.waits() {
		return turn{}, true, ErrNotAcquired
	}
	ctx := limit.context()
	select {
	case t := <-c.turn:
		return t, true, nil
	case <-ctx.Done():
		l.leaveQueue(ctx, c)
		return turn{}, true, context.Cause(ctx)
	}
}

// lockInRedis requests the lock from Redis until Redis grants it to c, the caller's wait ends, or
// Redis cannot be reached. c must be at the front of its queue. Before the first request, c waits
// for pause or until it is woken. busy reports whether another process held the lock.
func (l *Redis) lockInRedis(limit *waitLimit, c *redisClaim, pause time.Duration) (busy bool, err error) {
	var outage outage
	for {
		if pause > 0 && !l.waitForWake(limit.context(), c, pause) {
			return busy, l.stopAsking(limit.context(), c, outage.lastError)
		}
		sent := clock.Mark()
		reply, err := l.ask(limit, c)
		switch {
		case err == nil && reply.granted:
			l.mu.Lock()
			l.startHolding(c, sent)
			l.mu.Unlock()
			return busy, nil
		case err == nil && !limit.waits():
			l.leaveFront(c)
			return true, ErrNotAcquired
		case err == nil:
			busy = true
			outage.end()
			pause = l.pollAfter(reply.busyFor)
		case outage.isTooLong(err, limit.waits()):
			l.abandon(c)
			return busy, err
		default:
			pause = outage.pause(limit.waits())
		}
	}
}

// ask requests the lock from Redis once. A claim that did not queue in this process first
// tries to acquire a lock that has neither holder nor waiters.
func (l *Redis) ask(limit *waitLimit, c *redisClaim) (lockReply, error) {
	isFirst := !c.requested
	c.requested = true
	if isFirst && c.turn == nil {
		taken, err := l.acquireFree(limit.ctx, c.key, c.token)
		if taken || err != nil {
			return lockReply{granted: taken}, err
		}
	}
	command := lockCommand{key: c.key, process: l.channel, want: c.token, waited: clock.Since(c.arrived)}
	if limit.waits() {
		command.waiterTTL = l.waiterTTL()
	}
	return l.run(limit.ctx, command)
}

// waitForWake returns true when c was woken or atMost has passed, so that c can request the
// lock again, and false when ctx has ended.
func (l *Redis) waitForWake(ctx context.Context, c *redisClaim, atMost time.Duration) bool {
	l.mu.Lock()
	woken := c.wakeChannel()
	l.mu.Unlock()
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-woken:
		return true
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// stopAsking removes c from the front of its queue because its caller stopped waiting, and returns
// the reason. unanswered is the error of the last request if Redis did not reply to it; the state
// of the lock is then unknown.
func (l *Redis) stopAsking(ctx context.Context, c *redisClaim, unanswered error) error {
	cause := context.Cause(ctx)
	if unanswered == nil {
		l.withdraw(ctx, c)
		return cause
	}
	l.abandon(c)
	if errors.Is(cause, ErrNotAcquired) {
		return unanswered
	}
	return cause
}

// withdraw removes c from the front of its queue while Redis lists this process as waiting for the
// key. The next claim in the queue inherits that position. If the queue is empty, withdraw removes
// this process from the waiters in Redis; otherwise other processes would yield to it until its
// waiterTTL ends.
func (l *Redis) withdraw(ctx context.Context, c *redisClaim) {
	l.mu.Lock()
	alone := l.queues[c.key].waiting.Len() == 0
	l.mu.Unlock()
	if alone {
		_, _ = l.run(ctx, lockCommand{key: c.key, process: l.channel})
	}
	l.leaveFront(c)
}

func (l *Redis) observeAcquire(limit *waitLimit, c *redisClaim, contended bool, err error) {
	waited := time.Duration(0)
	if contended && limit.waits() {
		waited = clock.Since(c.arrived)
	}
	switch {
	case err == nil:
		l.observer.acquired(c.key, waited, contended)
	case !errors.Is(err, ErrUnavailable):
		l.observer.refused(c.key, waited)
	}
}

// waitLimit bounds the time that a caller waits for all its keys together. Most callers do
// not wait, so the context is created on first use.
type waitLimit struct {
	ctx context.Context
	// deadline is zero for a caller that does not wait.
	deadline time.Time
	cancel   context.CancelFunc
}

func newWaitLimit(ctx context.Context, wait time.Duration) *waitLimit {
	limit := &waitLimit{ctx: ctx}
	if wait > 0 {
		limit.deadline = clock.Mark().Add(wait)
	}
	return limit
}

func (w *waitLimit) waits() bool { return !w.deadline.IsZero() }

// context ends with the caller's context, or at the deadline with the cause ErrNotAcquired.
func (w *waitLimit) context() context.Context {
	if w.cancel == nil && w.waits() {
		w.ctx, w.cancel = context.WithDeadlineCause(w.ctx, w.deadline, ErrNotAcquired)
	}
	return w.ctx
}

func (w *waitLimit) stop() {
	if w.cancel != nil {
		w.cancel()
	}
}

// waiterTTL is the time after which Redis drops a waiting process that sends no request.
func (l *Redis) waiterTTL() time.Duration { return 4 * l.pollEvery }

// pollAfter returns the delay before a waiter that is not woken polls: until shortly after
// the holder's claim ends if that is sooner than the poll interval.
func (l *Redis) pollAfter(busyFor time.Duration) time.Duration {
	if busyFor > 0 && busyFor < l.pollEvery {
		return busyFor + time.Millisecond
	}
	return jittered(l.pollEvery)
}

// jittered returns d plus or minus up to a quarter.
func jittered(d time.Duration) time.Duration { return d*3/4 + rand.N(d/2+1) }

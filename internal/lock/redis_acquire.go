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
		return nil, fmt.Errorf("acquire lock %q: one was lost while another was waited for: %w", sorted, ErrLost)
	}
	return lease, nil
}

// acquireKey acquires one key: c waits for its turn in this process's queue, and then
// asks Redis for the lock, unless the holder before has passed the lock to it.
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

// waitForTurn returns when c is at the front of its key's queue; queued tells whether
// it had to wait for that. Errors: ErrNotAcquired, or the cause of the caller's context.
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

// lockInRedis asks Redis for the lock until it is granted to c, the caller's wait is
// over, or Redis cannot be reached. C is at the front of its queue. Before the first
// question it waits for pause, or until it is woken. Busy tells whether another process
// held the lock.
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

// ask asks Redis for the lock once. A claim that did not have to queue first tries
// whether nobody holds the lock or waits for it.
func (l *Redis) ask(limit *waitLimit, c *redisClaim) (lockReply, error) {
	isFirst := !c.asked
	c.asked = true
	if isFirst && c.turn == nil {
		taken, err := l.takeFree(limit.ctx, c.key, c.token)
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

// waitForWake returns true when it is time to ask again, because c was woken or atMost
// has passed, and false when ctx has ended.
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

// stopAsking takes c from the front of its queue because its caller waits no longer,
// and returns why. Unanswered is the error of the last question if Redis has not
// answered since: then nobody could say whether the lock was held.
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

// withdraw takes c, which waits in Redis, from the front of its queue. The next in the
// queue takes over its place in Redis. Without one, Redis is told that this process
// waits no longer; otherwise other processes would let it go first until its waiterTTL
// ends.
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

// waitLimit is how long a caller waits for all its keys together. Most need not wait, so
// its context is made when one has to.
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

// context ends with the caller's, or at the deadline with the cause ErrNotAcquired.
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

// waiterTTL is how long a process counts as waiting in Redis if it does not ask again.
func (l *Redis) waiterTTL() time.Duration { return 4 * l.pollEvery }

// pollAfter is when a waiter that was not woken asks again: soon after the holder's
// claim would end, and otherwise at the poll interval.
func (l *Redis) pollAfter(busyFor time.Duration) time.Duration {
	if busyFor > 0 && busyFor < l.pollEvery {
		return busyFor + time.Millisecond
	}
	return jittered(l.pollEvery)
}

// jittered returns d give or take a quarter.
func jittered(d time.Duration) time.Duration { return d*3/4 + rand.N(d/2+1) }

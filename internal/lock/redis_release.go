package lock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"interlock/internal/base/clock"
)

// Release implements Lease. It costs one round trip a key, in which the lock is
// passed on to the next in this process's queue. Errors: ErrLost when a key was lost
// before, ErrUnavailable when Redis could not be told; it is told later then.
func (l *redisLease) Release(ctx context.Context) error {
	if !l.released.CompareAndSwap(false, true) {
		return nil
	}
	// Cancelled first, so that nothing runs on under a lock that is another's.
	l.cancel(ErrReleased)
	var errs error
	for i := range l.claims {
		if err := l.locker.release(ctx, &l.claims[i]); err != nil {
			errs = errors.Join(errs, err)
		}
	}
	return errs
}

// release releases a held claim and passes the lock on to the next in this process's
// queue. Errors: ErrLost when the claim was lost before; ErrUnavailable when Redis did
// not answer, which is told later then.
func (l *Redis) release(ctx context.Context, c *redisClaim) error {
	l.mu.Lock()
	if !c.held {
		l.mu.Unlock()
		return fmt.Errorf("release lock %q: %w", c.key, ErrLost)
	}
	heldFor := l.stopHolding(c)
	l.mu.Unlock()
	defer l.observer.released(c.key, heldFor)

	for from := c; ; {
		h, err := l.passOn(ctx, from)
		if err != nil {
			return fmt.Errorf("release lock %q: %w", c.key, err)
		}
		if from == c && !h.released {
			l.logger.WarnContext(ctx, "the claim to a lock had ended in Redis before it was released", "key", c.key)
		}
		if h.next == nil || l.deliver(h) {
			return nil
		}
		// The caller of the next claim left in this very moment.
		from = h.next
	}
}

// handover is a release that asked for the lock on behalf of the next in the queue.
type handover struct {
	// next is nil when nobody was in the queue.
	next *redisClaim
	lockReply
	// sent is when the command was sent.
	sent time.Time
}

// passOn releases a claim in Redis and, in the same command, asks for the lock on behalf
// of the next in the queue, which is at the front from then on. When Redis does not
// answer, the claim is released in the background and the next one asks by itself.
func (l *Redis) passOn(ctx context.Context, from *redisClaim) (handover, error) {
	var h handover
	command := lockCommand{key: from.key, release: from.token}
	l.mu.Lock()
	// Without anybody in the queue, from stays at the front until Redis has answered:
	// who comes meanwhile joins the queue.
	if q := l.queues[from.key]; q != nil && q.front == from && q.waiting.Len() > 0 {
		h.next = l.replaceFront(from)
		command.process, command.want = l.channel, h.next.token
		command.waited, command.waiterTTL = clock.Since(h.next.arrived), l.waiterTTL()
	}
	l.mu.Unlock()
	h.sent = clock.Mark()
	var err error
	h.lockReply, err = l.run(ctx, command)

	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.queueCleanup(from)
	}
	switch {
	case h.next == nil:
		l.giveTurnBehind(from)
	case err != nil && h.next.callerLeft:
		l.queueCleanup(h.next)
		l.giveTurnBehind(h.next)
	case err != nil:
		h.next.turn <- turn{}
	}
	return h, err
}

// deliver gives the next claim its turn, with the lock if Redis granted it. It reports
// false when the caller of that claim has left, so that the claim has to be passed on.
func (l *Redis) deliver(h handover) (delivered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if h.next.callerLeft {
		return false
	}
	if h.granted {
		l.startHolding(h.next, h.sent)
	}
	h.next.turn <- turn{granted: h.granted, pause: l.pollAfter(h.busyFor)}
	return true
}

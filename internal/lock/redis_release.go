package lock

import (
	"context"
	"errors"
	"fmt"
	"time"

	"interlock/internal/base/clock"
)

// Release implements Lease. It costs one round trip per key, which also passes the lock to
// the next claim in this process's queue. Errors: ErrLost when a key was lost before,
// ErrUnavailable when Redis did not reply; the background work then retries the release.
func (l *redisLease) Release(ctx context.Context) error {
	if !l.released.CompareAndSwap(false, true) {
		return nil
	}
	// Cancel the context first, so that no work continues after another holder has the
	// lock.
	l.cancel(ErrReleased)
	var errs error
	for i := range l.claims {
		if err := l.locker.release(ctx, &l.claims[i]); err != nil {
			errs = errors.Join(errs, err)
		}
	}
	return errs
}

// release releases a held claim and passes the lock to the next claim in this process's
// queue. Errors: ErrLost when the claim was lost before; ErrUnavailable when Redis did not
// reply; the background work then retries the release.
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
			l.logger.WarnContext(ctx, "lock: expired in Redis before its release", "key", c.key)
		}
		if h.next == nil || l.deliver(h) {
			return nil
		}
		// The caller of the next claim left concurrently.
		from = h.next
	}
}

// handover is a release that also requested the lock for the next claim in the queue.
type handover struct {
	// next is nil if the queue was empty.
	next *redisClaim
	lockReply
	// sent is when the command was sent.
	sent time.Time
}

// passOn releases a claim in Redis and, in the same command, requests the lock for the next
// claim in the queue, which moves to the front. If Redis does not reply, the background
// work releases the claim, and the next claim requests the lock itself.
func (l *Redis) passOn(ctx context.Context, from *redisClaim) (handover, error) {
	var h handover
	command := lockCommand{key: from.key, release: from.token}
	l.mu.Lock()
	// If the queue is empty, from stays at the front until Redis has replied; a claim that
	// arrives in the meantime joins the queue.
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
		l.passTurn(from)
	case err != nil && h.next.callerLeft:
		l.queueCleanup(h.next)
		l.passTurn(h.next)
	case err != nil:
		h.next.turn <- turn{}
	}
	return h, err
}

// deliver passes the turn to the next claim, with the lock if Redis granted it. It returns
// false if the caller of that claim has left, so that the claim must be passed on.
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

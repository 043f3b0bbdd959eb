package lock

import (
	"container/list"
	"context"
	"time"
)

// keyQueue is the queue of one key in this process: its front talks to Redis, the
// others wait for their turn.
type keyQueue struct {
	front   *redisClaim
	waiting list.List // of *redisClaim
}

// turn tells a claim how it came to the front of its queue.
type turn struct {
	// granted is whether the lock was passed to it; otherwise it asks Redis for it.
	granted bool
	// pause is how long it waits before it asks, or to be woken; 0 to ask at once.
	pause time.Duration
}

// enqueue reports whether c is at the front at once. If it is not, it has joined the
// queue when it waits.
func (l *Redis) enqueue(c *redisClaim, waits bool) (front bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[c.key]
	switch {
	case q == nil:
		l.queues[c.key] = &keyQueue{front: c}
		return true
	case waits:
		c.turn = make(chan turn, 1)
		c.place = q.waiting.PushBack(c)
	}
	return false
}

// leaveQueue takes c out of the queue because its caller waits no longer. If it has just
// come to the front, its turn, and the lock if that came with it, goes to the next.
func (l *Redis) leaveQueue(ctx context.Context, c *redisClaim) {
	l.mu.Lock()
	if c.place != nil {
		l.queues[c.key].waiting.Remove(c.place)
		c.place = nil
		l.mu.Unlock()
		return
	}
	select {
	case t := <-c.turn:
		l.mu.Unlock()
		if t.granted {
			_ = l.release(ctx, c)
		} else {
			l.withdraw(ctx, c)
		}
	default:
		// The lock is being passed to it: deliver sees this and passes it on.
		c.callerLeft = true
		l.mu.Unlock()
	}
}

// leaveFront takes c from the front and gives the next in the queue its turn, without
// the lock.
func (l *Redis) leaveFront(c *redisClaim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.giveTurnBehind(c)
}

// giveTurnBehind is leaveFront for a caller that holds mu.
func (l *Redis) giveTurnBehind(c *redisClaim) {
	if next := l.replaceFront(c); next != nil {
		next.turn <- turn{}
	}
}

// replaceFront puts the next in the queue to the front in place of c and returns it.
// Without a next one it forgets the queue. It does nothing when c is not at the front.
// The caller holds mu.
func (l *Redis) replaceFront(c *redisClaim) (next *redisClaim) {
	q := l.queues[c.key]
	if q == nil || q.front != c {
		return nil
	}
	first := q.waiting.Front()
	if first == nil {
		delete(l.queues, c.key)
		return nil
	}
	q.front = q.waiting.Remove(first).(*redisClaim)
	q.front.place = nil
	return q.front
}

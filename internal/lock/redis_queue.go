package lock

import (
	"container/list"
	"context"
	"time"
)

// keyQueue is the queue of one key in this process: the front talks to Redis, the other
// claims wait for their turn.
type keyQueue struct {
	front   *redisClaim
	waiting list.List // of *redisClaim
}

// turn describes how a claim reached the front of its queue.
type turn struct {
	// granted reports whether the lock was passed to the claim; if not, it requests the
	// lock.
	granted bool
	// pause is the delay before the claim requests the lock, unless it is woken; 0 for
	// none.
	pause time.Duration
}

// enqueue reports whether c is at the front immediately. If not, and c waits, c joins the
// queue.
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

// leaveQueue removes c from the queue because its caller stopped waiting. If c has just
// reached the front, the next claim gets the turn, and the lock if it came with the turn.
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
		// The lock is being passed to c: deliver sees callerLeft, and release passes the
		// lock on.
		c.callerLeft = true
		l.mu.Unlock()
	}
}

// leaveFront removes c from the front and passes the turn to the next claim, without the lock.
func (l *Redis) leaveFront(c *redisClaim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passTurn(c)
}

// passTurn is leaveFront for a caller that has locked mu.
func (l *Redis) passTurn(c *redisClaim) {
	if next := l.replaceFront(c); next != nil {
		next.turn <- turn{}
	}
}

// replaceFront moves the next claim of the queue to the front instead of c and returns it. If the
// queue is empty, replaceFront deletes it. It does nothing if c is not at the front. It requires
// mu.
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

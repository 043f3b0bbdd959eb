package mq

import (
	"fmt"
	"math"
	"time"
)

// The rate of a queue is one token bucket for all its consumers, stored with the messages. Its
// capacity is the number of messages that the rate allows within quantum, and at least one. It is
// stored as one time, as in the generic cell rate algorithm (ITU-T I.371): the time until which the
// claims so far have used the rate up. The time that has passed since then is available for claims.
//
// A claim waits until the bucket is half full, so that a rate does not lead to batches of
// one message each.
//
// A stored time further ahead than the capacity was written before the clock was set back.
// Then the bucket counts as full; otherwise no claim would succeed until the clock reaches
// that time.
const quantum = 100 * time.Millisecond

// PacedError is the error of a claim when the queue's rate allows none now.
type PacedError struct {
	// After is the time until the rate allows the next claim.
	After time.Duration
}

// Error implements error.
func (e *PacedError) Error() string {
	return fmt.Sprintf("the rate of the queue allows the next claim in %s", e.After)
}

// bucket is the token bucket of a queue at one point in time. Times are in µs since 1970. The Lua
// function paced computes the same.
type bucket struct {
	each float64 // µs of the rate that one message uses
	full int64   // µs of capacity
	used int64   // the time until which the rate is used up
	now  int64
	read int64 // used as stored, for the guarded UPDATE
}

func newBucket(rate float64, used, now int64) bucket {
	each := 1e6 / rate
	full := int64(math.Ceil(max(each, float64(quantum.Microseconds()))))
	b := bucket{each: each, full: full, used: max(min(used, now), now-full), now: now, read: used}
	if used > now+full {
		b.used = now - full
	}
	return b
}

// allowed returns how many messages a claim of up to limit may claim now, or 0 and the time
// to wait.
func (b bucket) allowed(limit int) (n int, wait time.Duration) {
	enough := max(1, min(limit, int(float64(b.full)/b.each/2)))
	n = min(limit, int(float64(b.now-b.used)/b.each))
	if n >= enough {
		return n, 0
	}
	missing := int64(math.Ceil(float64(enough)*b.each)) - (b.now - b.used)
	return 0, time.Duration(max(1, missing)) * time.Microsecond
}

// spend returns the time until which the rate is used up after a claim of n messages.
func (b bucket) spend(n int) int64 { return b.used + int64(math.Ceil(float64(n)*b.each)) }

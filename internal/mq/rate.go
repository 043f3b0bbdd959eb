package mq

import (
	"fmt"
	"math"
	"time"
)

// The rate of a queue is one token bucket for all its consumers, kept beside the messages.
// It holds the messages of a tenth of a second, and at least one. It is stored as a single
// time, as in the generic cell rate algorithm (ITU-T I.371): until when the claims so far
// have used the rate up. What has passed since is what may be claimed.
//
// A claim waits until half of a bucket is full, so that a rate does not turn into batches of
// one message each.
//
// A time that is further ahead than a bucket lasts was written before the clock was set back. It says
// nothing about the rate now, so the bucket counts as full: otherwise nothing could be claimed until
// the clock reaches that time again.
const quantum = 100 * time.Millisecond

// PacedError is the error of a claim for which the queue's rate leaves nothing now.
type PacedError struct {
	// After is how long it takes until there is enough for a claim.
	After time.Duration
}

// Error implements error.
func (e *PacedError) Error() string {
	return fmt.Sprintf("the rate of the queue allows the next claim in %s", e.After)
}

// bucket is the token bucket of a queue at one moment. Times are in µs since 1970. It is
// the specification of the function paced in Lua.
type bucket struct {
	each float64 // µs of the rate that one message uses
	full int64   // µs that the bucket holds
	used int64   // until when the rate is used up
	now  int64
	read int64 // what used was read as
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

// allowed returns how many messages a claim of up to limit may take now: 0 when it has to
// wait first.
func (b bucket) allowed(limit int) (n int, wait time.Duration) {
	enough := max(1, min(limit, int(float64(b.full)/b.each/2)))
	n = min(limit, int(float64(b.now-b.used)/b.each))
	if n >= enough {
		return n, 0
	}
	missing := int64(math.Ceil(float64(enough)*b.each)) - (b.now - b.used)
	return 0, time.Duration(max(1, missing)) * time.Microsecond
}

// spend returns until when the rate is used up after a claim of n messages.
func (b bucket) spend(n int) int64 { return b.used + int64(math.Ceil(float64(n)*b.each)) }

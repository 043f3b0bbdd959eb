package client

import (
	"math/rand/v2"
	"time"
)

// backoff computes the pauses between the attempts of a loop without an end. A pause is a random
// time up to a limit, which doubles with each attempt (full jitter), so that clients that failed at
// the same time spread over the whole limit.
type backoff struct {
	first, limit time.Duration
	attempts     int
}

// next returns the pause before the next attempt: the pause that the service requested plus the
// random time.
func (b *backoff) next(requested time.Duration) time.Duration {
	limit := min(b.limit, b.first<<min(b.attempts, 16))
	b.attempts++
	return requested + rand.N(limit)
}

// reset makes the next pause a first one.
func (b *backoff) reset() { b.attempts = 0 }

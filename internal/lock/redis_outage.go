package lock

import (
	"context"
	"slices"
	"time"

	"interlock/internal/base/clock"
)

const (
	// longestOutage is how long Acquire goes on while Redis does not answer.
	longestOutage = time.Second
	// Pauses between questions while Redis does not answer.
	shortestPause = 20 * time.Millisecond
	longestPause  = 300 * time.Millisecond
	// cleanupsPerTick bounds how many claims are cleaned up between two rounds of
	// extending.
	cleanupsPerTick = 256
)

// outage counts the questions in a row that Redis did not answer.
type outage struct {
	failures  int
	since     time.Time
	lastError error
}

// isTooLong counts a failure and reports whether it is time to fail. A caller that does
// not wait has one more attempt at once: its token is the same, so it gets the answer
// that was lost.
func (o *outage) isTooLong(err error, waits bool) bool {
	if o.failures == 0 {
		o.since = clock.Mark()
	}
	o.failures++
	o.lastError = err
	return o.failures > 1 && (!waits || clock.Since(o.since) >= longestOutage)
}

func (o *outage) end() { *o = outage{} }

// pause is how long to wait before the next question.
func (o *outage) pause(waits bool) time.Duration {
	if !waits {
		return 0
	}
	return jittered(min(shortestPause<<o.failures, longestPause))
}

// abandon takes c from the front of its queue although its last command may or may not
// have run, and has the background release what it may have been granted.
func (l *Redis) abandon(c *redisClaim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.giveTurnBehind(c)
	l.queueCleanup(c)
}

// cleanup is a claim that Redis may still know and that nobody here wants. It is released
// in the background, unless it has ended by itself before.
type cleanup struct {
	key, token string
	until      time.Time
}

// queueCleanup has the background release a claim. The caller holds mu.
func (l *Redis) queueCleanup(c *redisClaim) {
	l.cleanups = append(l.cleanups, cleanup{key: c.key, token: c.token, until: clock.Mark().Add(l.ttl)})
	select {
	case l.cleanupQueued <- struct{}{}:
	default:
	}
}

// cleanUp releases claims in Redis, and then drops them from the list unless they are to
// be released once more. It stops at the first that cannot be released: the others will
// do no better.
func (l *Redis) cleanUp(ctx context.Context, drop bool) {
	l.mu.Lock()
	batch := slices.Clone(l.cleanups[:min(len(l.cleanups), cleanupsPerTick)])
	l.mu.Unlock()
	done := 0
	for _, c := range batch {
		if clock.Since(c.until) < 0 {
			// Without a process: this one may be waiting for the key again.
			if _, err := l.run(ctx, lockCommand{key: c.key, release: c.token}); err != nil {
				break
			}
		}
		done++
	}
	if drop {
		l.mu.Lock()
		// Others only append.
		l.cleanups = slices.Clone(l.cleanups[done:])
		l.mu.Unlock()
	}
}

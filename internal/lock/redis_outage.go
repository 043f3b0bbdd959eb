package lock

import (
	"context"
	"slices"
	"time"

	"interlock/internal/base/clock"
)

const (
	// maxOutage bounds how long Acquire retries while Redis does not reply.
	maxOutage = time.Second
	// Pauses between requests while Redis does not reply.
	minPause = 20 * time.Millisecond
	maxPause = 300 * time.Millisecond
	// cleanupsPerTick bounds the number of claims cleaned up between two extension rounds.
	cleanupsPerTick = 256
)

// outage counts consecutive requests without a reply from Redis.
type outage struct {
	failures  int
	since     time.Time
	lastError error
}

// isTooLong counts a failure and reports whether Acquire should fail. A caller that does not wait
// gets one immediate retry: its token is unchanged, so the retry returns the reply that was lost.
func (o *outage) isTooLong(err error, waits bool) bool {
	if o.failures == 0 {
		o.since = clock.Mark()
	}
	o.failures++
	o.lastError = err
	return o.failures > 1 && (!waits || clock.Since(o.since) >= maxOutage)
}

func (o *outage) end() { *o = outage{} }

// pause is the delay before the next request.
func (o *outage) pause(waits bool) time.Duration {
	if !waits {
		return 0
	}
	return jittered(min(minPause<<o.failures, maxPause))
}

// abandon removes c from the front of its queue when it is unknown whether its last command
// ran. The background work releases the lock if it was granted.
func (l *Redis) abandon(c *redisClaim) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.passTurn(c)
	l.queueCleanup(c)
}

// cleanup is a claim that Redis may still store although this process gave it up. The
// background work releases it, unless it has expired before.
type cleanup struct {
	key, token string
	until      time.Time
}

// queueCleanup schedules the release of a claim in the background. It requires mu.
func (l *Redis) queueCleanup(c *redisClaim) {
	l.cleanups = append(l.cleanups, cleanup{key: c.key, token: c.token, until: clock.Mark().Add(l.ttl)})
	select {
	case l.cleanupQueued <- struct{}{}:
	default:
	}
}

// cleanUp releases claims in Redis and, if drop is set, removes them from the list. It
// stops at the first failure, because the next claims would fail too.
func (l *Redis) cleanUp(ctx context.Context, drop bool) {
	l.mu.Lock()
	batch := slices.Clone(l.cleanups[:min(len(l.cleanups), cleanupsPerTick)])
	l.mu.Unlock()
	done := 0
	for _, c := range batch {
		if clock.Since(c.until) < 0 {
			// No process is passed: this process may be waiting for the key again.
			if _, err := l.run(ctx, lockCommand{key: c.key, release: c.token}); err != nil {
				break
			}
		}
		done++
	}
	if drop {
		l.mu.Lock()
		// Other goroutines only append.
		l.cleanups = slices.Clone(l.cleanups[done:])
		l.mu.Unlock()
	}
}

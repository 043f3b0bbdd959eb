package callers

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"interlock/internal/access/secrets"
	"interlock/internal/base/background"
	"interlock/internal/base/principal"
)

const (
	// callerTTL is the maximum age of a cached caller without confirmation by Background. It bounds
	// the delay of a revocation by another process.
	callerTTL = time.Second
	// unchangedTTL is the maximum age of a cached caller while Background confirms that the revisions
	// are unchanged. It bounds the delay until rows that were changed by hand take effect.
	unchangedTTL = 20 * time.Second
	// StepUpFor is the time for which a presented second factor counts as fresh.
	StepUpFor = 5 * time.Minute
	// maxCallers bounds the cached callers.
	maxCallers = 10_000
)

// Caller is the caller of a credential. It is shared between requests and immutable, except its
// atomic members.
type Caller struct {
	shown     credential
	Principal principal.Principal
	User      Identity
	// CSRF is the session's CSRF token; "" for an API token.
	CSRF string
	// factorTime is the time of the session's last second factor; long ago means never.
	factorTime time.Time
	// ends is the end of the credential; zero means never.
	ends time.Time
	// use is the row that stores the last use, and lastUse its stored value; nil for none.
	use     use
	lastUse *time.Time
	// readTime is the time of the database read.
	readTime time.Time

	// used is set when a request uses the caller, until the caller is read again.
	used atomic.Bool
	// noted is the time at which a use was last queued in uses, in µs since 1970.
	noted atomic.Int64
}

// fresh reports whether a cached caller is still valid. unchanged is the time at which Background last
// confirmed the revisions.
func (c *Caller) fresh(now, unchanged time.Time) bool {
	if now.Before(c.readTime) || !c.ends.IsZero() && !now.Before(c.ends) {
		return false
	}
	age, since := now.Sub(c.readTime), now.Sub(unchanged)
	return age < callerTTL || age < unchangedTTL && since >= 0 && since < callerTTL
}

// endsIn returns the time until the credential ends; 0 for a credential that never ends.
func (c *Caller) endsIn(now time.Time) time.Duration {
	if c.ends.IsZero() {
		return 0
	}
	return max(c.ends.Sub(now), 1)
}

// cache caches the callers of recent requests. Invalidation starts a new generation: a lookup
// that started before a revocation stores its result in the old generation, which is no longer
// read.
type cache struct {
	current atomic.Pointer[generation]
	// followers is the number of streams that a change ends.
	followers atomic.Int64
	// used is set when a credential is looked up, until the next check by Background.
	used atomic.Bool
	// Requests and streams batch the lookups. They are separate because the lookups of streams
	// are many and not urgent, so that requests do not wait behind them.
	requests, streams *lookUps
}

type generation struct {
	// over is closed when the generation is replaced.
	over         chan struct{}
	mu           sync.RWMutex
	byCredential map[secrets.Digest]*Caller
	// unchanged is the time at which Background last confirmed that the revisions are unchanged, in
	// µs since 1970.
	unchanged atomic.Int64
}

// Invalidate discards all cached callers.
func (c *cache) invalidate() {
	before := c.current.Swap(&generation{over: make(chan struct{}), byCredential: map[secrets.Digest]*Caller{}})
	if before != nil {
		close(before.over)
	}
}

// Invalidate discards all cached callers.
func (s *Service) Invalidate() { s.callers.invalidate() }

// Changed implements httpapi.Notifier: the channel is closed when permissions may have changed.
func (s *Service) Changed() <-chan struct{} { return s.callers.current.Load().over }

// Follow implements httpapi.Notifier: until stop is called, Background polls for changes by other
// processes.
func (s *Service) Follow() (stop func()) {
	s.callers.followers.Add(1)
	return sync.OnceFunc(func() { s.callers.followers.Add(-1) })
}

// WatchEvery is the interval at which Background polls for changes by other processes.
const WatchEvery = 400 * time.Millisecond

// Background returns the services of the cached callers. The first one invalidates cached callers
// and rechecks open streams within one second of a change by another process. It polls one number,
// whatever the number of callers, and pauses while no caller is cached and no stream is open:
//
//	SELECT SUM(version) FROM access_revisions
//
// If the poll fails, cached callers expire after callerTTL. The second one is refresh.
func (s *Service) Background() []background.Service {
	known, remembered := int64(-1), 0
	return []background.Service{
		{Name: "poll permission changes", Every: WatchEvery, Run: func(ctx context.Context) error {
			// The first number, also after a pause, has no previous number to compare with, so it
			// invalidates the cache.
			if known < 0 || s.callers.matter(&remembered) {
				known = s.checkRevisions(ctx, known)
			}
			return nil
		}},
		s.refresh(),
	}
}

// checkRevisions reads and returns the sum of the revisions. If the sum equals known, the previous
// sum, checkRevisions confirms the cached callers; otherwise it invalidates them. If the read
// fails, it returns known.
func (s *Service) checkRevisions(ctx context.Context, known int64) int64 {
	polled, current := s.clock.Now(), s.callers.current.Load()
	sum, err := s.tenants.Revisions(ctx)
	switch {
	case err != nil:
		return known
	case sum == known:
		current.unchanged.Store(polled.UnixMicro())
	default:
		s.callers.invalidate()
	}
	return sum
}

// matter reports whether Background must poll: a stream is open, or a request came so recently that
// its caller may be cached. It is called once every WatchEvery; remembered counts the remaining
// calls.
func (c *cache) matter(remembered *int) bool {
	if c.used.Swap(false) {
		*remembered = int(callerTTL/WatchEvery) + 2
	}
	*remembered = max(0, *remembered-1)
	return c.followers.Load() > 0 || *remembered > 0
}

// get returns the cached caller of a credential, or nil.
func (c *cache) get(credential secrets.Digest, now time.Time) *Caller {
	if !c.used.Load() { // reading scales over many processors, writing does not
		c.used.Store(true)
	}
	return c.current.Load().get(credential, now)
}

// get returns the result of peek for a request of the caller, and marks the caller as used.
func (g *generation) get(credential secrets.Digest, now time.Time) *Caller {
	found := g.peek(credential, now)
	if found != nil && !found.used.Load() {
		found.used.Store(true)
	}
	return found
}

// peek returns the cached, still valid caller of a credential, or nil.
func (g *generation) peek(credential secrets.Digest, now time.Time) *Caller {
	g.mu.RLock()
	found := g.byCredential[credential]
	g.mu.RUnlock()
	if found == nil || !found.fresh(now, time.UnixMicro(g.unchanged.Load())) {
		return nil
	}
	return found
}

// put caches a caller and replaces its previous entry. If the cache is full, put empties it first.
func (g *generation) put(c *Caller) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.byCredential[c.shown.hash]; !known && len(g.byCredential) >= maxCallers {
		clear(g.byCredential)
	}
	g.byCredential[c.shown.hash] = c
}

// forget removes a credential that is no longer valid.
func (g *generation) forget(credential secrets.Digest) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.byCredential, credential)
}

// isFresh reports whether a caller passes a check for a recent second factor. API tokens and users
// without a second factor always pass.
func (c *Caller) isFresh(now time.Time) bool {
	return c.CSRF == "" || !c.User.SecondFactor || now.Before(c.factorTime.Add(StepUpFor))
}

package access

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"interlock/internal/base/principal"
)

const (
	// callerTTL is how long a caller is believed without asking the database, who they are or
	// whether anything has changed; a revocation in another process is noticed after it at the
	// latest.
	callerTTL = time.Second
	// unchangedTTL is how long a caller is believed while Watch finds that nothing has changed.
	// It bounds when rows that were written by hand are noticed.
	unchangedTTL = 20 * time.Second
	// maxCallers bounds how many are remembered.
	maxCallers = 10_000
)

// caller is whom a credential stands for. It is shared, and but for its marks never changed.
type caller struct {
	shown     credential
	principal principal.Principal
	user      Identity
	// csrf is the session's CSRF token; "" for an API token.
	csrf string
	// factorTime is when a session was last shown a second factor, long ago for never.
	factorTime time.Time
	// ends is when the credential does; zero means never.
	ends time.Time
	// use is the row in which uses are kept, and lastUse what it tells; nil for none.
	use     use
	lastUse *time.Time
	// readTime is when the database was asked.
	readTime time.Time

	// asked is set when somebody asked for it since it was read.
	asked atomic.Bool
	// noted is when a use was last given to uses, in µs since 1970.
	noted atomic.Int64
}

// fresh reports whether a caller is still believed; unchanged is when nothing had changed, as Watch
// knows.
func (c *caller) fresh(now, unchanged time.Time) bool {
	if now.Before(c.readTime) || !c.ends.IsZero() && !now.Before(c.ends) {
		return false
	}
	age, since := now.Sub(c.readTime), now.Sub(unchanged)
	return age < callerTTL || age < unchangedTTL && since >= 0 && since < callerTTL
}

// endsIn is how long the credential is good for yet, 0 for ever.
func (c *caller) endsIn(now time.Time) time.Duration {
	if c.ends.IsZero() {
		return 0
	}
	return max(c.ends.Sub(now), 1)
}

// callers is a cache of who was recognised lately. To invalidate it is to begin another
// generation: a look-up that began before a revocation puts its answer into the generation of
// then, which nobody reads any more.
type callers struct {
	current atomic.Pointer[generation]
	// followers are the streams that end with a change.
	followers atomic.Int64
	// asked is set when somebody's credential was asked for since Watch last looked here.
	asked atomic.Bool
	// requests and streams look callers up in the database. Streams are many and none is waited
	// for by a person, so that no request stands behind them.
	requests, streams *lookUps
}

type generation struct {
	// over is closed when nobody reads the generation any more.
	over         chan struct{}
	mu           sync.RWMutex
	byCredential map[digest]*caller
	// unchanged is when Watch last asked whether anything had changed, and nothing had; in µs
	// since 1970.
	unchanged atomic.Int64
}

// invalidate has every caller looked up again.
func (c *callers) invalidate() {
	before := c.current.Swap(&generation{over: make(chan struct{}), byCredential: map[digest]*caller{}})
	if before != nil {
		close(before.over)
	}
}

// Changed implements httpapi.Notifier: it is closed when who may do what may have changed.
func (s *Service) Changed() <-chan struct{} { return s.callers.current.Load().over }

// Follow implements httpapi.Notifier: Watch asks for the changes of other processes until stop
// is called.
func (s *Service) Follow() (stop func()) {
	s.callers.followers.Add(1)
	return sync.OnceFunc(func() { s.callers.followers.Add(-1) })
}

// watchEvery is how often a process asks whether another one changed who may do what.
const watchEvery = 400 * time.Millisecond

// Watch has callers looked up again, and streams asked again whether they may go on, within
// a second of a change that another process made, until ctx ends. It asks for one number,
// whatever the number of callers, and for none while no caller is remembered and no stream is
// open:
//
//	SELECT SUM(version) FROM access_revisions
//
// While the database cannot be asked, callers are believed for callerTTL, as ever. Beside that it
// reads callers again who are at work, and writes which credentials were used; see refresh.
func (s *Service) Watch(ctx context.Context) {
	var refreshing sync.WaitGroup
	refreshing.Go(func() { s.refresh(ctx) })
	defer refreshing.Wait()
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	remembered := 0
	for known := int64(-1); ; {
		// A first number says nothing of what was read before it, nor does one after a time in
		// which nobody asked: then all is looked up again once more than it had to be.
		if known < 0 || s.callers.matter(&remembered) {
			known = s.lookForChanges(ctx, known)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// lookForChanges has every caller looked up again unless the sum of the revisions is known, which is
// the sum when it was last asked for; and returns what it is. When it is, nobody has changed since
// who may do what, and what is remembered holds for another moment.
func (s *Service) lookForChanges(ctx context.Context, known int64) int64 {
	asked, current := s.clock.Now(), s.callers.current.Load()
	sum, err := s.store.revisions(ctx)
	switch {
	case err != nil:
		return known
	case sum == known:
		current.unchanged.Store(asked.UnixMicro())
	default:
		s.callers.invalidate()
	}
	return sum
}

// matter reports, once every watchEvery, whether a change of who may do what can matter to
// somebody: a stream is open, or somebody asked so lately that they may be remembered, for which
// remembered counts down.
func (c *callers) matter(remembered *int) bool {
	if c.asked.Swap(false) {
		*remembered = int(callerTTL/watchEvery) + 2
	}
	*remembered = max(0, *remembered-1)
	return c.followers.Load() > 0 || *remembered > 0
}

// get returns who is remembered for a credential, or nil.
func (c *callers) get(credential digest, now time.Time) *caller {
	if !c.asked.Load() { // reading is cheap for many processors, writing is not
		c.asked.Store(true)
	}
	return c.current.Load().get(credential, now)
}

// get is peek on behalf of the caller itself, who is at work then.
func (g *generation) get(credential digest, now time.Time) *caller {
	found := g.peek(credential, now)
	if found != nil && !found.asked.Load() {
		found.asked.Store(true)
	}
	return found
}

// peek returns who is remembered for a credential and still believed, or nil.
func (g *generation) peek(credential digest, now time.Time) *caller {
	g.mu.RLock()
	found := g.byCredential[credential]
	g.mu.RUnlock()
	if found == nil || !found.fresh(now, time.UnixMicro(g.unchanged.Load())) {
		return nil
	}
	return found
}

// put remembers a caller. Where there are too many, all are forgotten for a new one; one that is
// read again replaces itself.
func (g *generation) put(c *caller) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.byCredential[c.shown.hash]; !known && len(g.byCredential) >= maxCallers {
		clear(g.byCredential)
	}
	g.byCredential[c.shown.hash] = c
}

// forget is for a credential that opens nothing any more.
func (g *generation) forget(credential digest) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.byCredential, credential)
}

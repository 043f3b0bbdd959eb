package access

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"
)

// refreshAfter is the age at which a caller is read again before anybody has to wait for it. It
// leaves those who ask as often as a stream does time to have asked.
const refreshAfter = unchangedTTL / 2

// refresh reads the callers again that are at work, before they are not believed any more, all that
// are due in statements of mostTogether; and writes which credentials were used. So the statements
// are few however many the callers are, and their number does not grow with the requests. It runs
// until ctx ends, and then writes the last uses.
func (s *Service) refresh(ctx context.Context) {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	before := s.callers.current.Load()
	for {
		select {
		case <-ctx.Done():
			s.writeUses(context.WithoutCancel(ctx))
			return
		case <-ticker.C:
		}
		before = s.refreshDue(ctx, before)
		s.writeUses(ctx)
	}
}

// refreshDue reads again whoever is due in the current generation and, when it has begun since the
// last time, whoever was at work in the one of then. It returns the current generation.
func (s *Service) refreshDue(ctx context.Context, before *generation) *generation {
	g, now := s.callers.current.Load(), s.clock.Now()
	due := g.asked(now.Add(-refreshAfter))
	if before != g {
		for hash, shown := range before.asked(now) {
			if g.peek(hash, now) == nil {
				due[hash] = shown
			}
		}
	}
	for together := range slices.Chunk(slices.Collect(maps.Keys(due)), mostTogether) {
		if s.callers.current.Load() != g {
			break // nobody reads this generation any more; the next look reads them into the new one
		}
		shown := make(map[digest]credential, len(together))
		for _, hash := range together {
			shown[hash] = due[hash]
		}
		if _, err := s.read(ctx, g, shown); err != nil {
			// Whoever is not believed any more asks for themselves, and is told.
			slog.DebugContext(ctx, "callers could not be read again ahead of time", "error", err)
			break
		}
	}
	return g
}

// asked returns the credentials that were read by a time and asked for since they were.
func (g *generation) asked(read time.Time) map[digest]credential {
	g.mu.RLock()
	defer g.mu.RUnlock()
	asked := make(map[digest]credential)
	for hash, c := range g.byCredential {
		if c.asked.Load() && !c.readTime.After(read) {
			asked[hash] = c.shown
		}
	}
	return asked
}

package callers

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"interlock/internal/access/secrets"
	"interlock/internal/base/background"
)

// refreshAfter is the age at which a caller that is in use is read again, so that no request waits
// for it. Half of unchangedTTL gives streams, which check seldom, time to mark their callers.
const refreshAfter = unchangedTTL / 2

// refresh returns the service that reads callers in use again before they expire, in batches of
// maxBatch, and writes the last uses of credentials. The number of statements thus does not grow
// with the number of requests. When it stops, it writes the last uses once more.
func (s *Service) refresh() background.Service {
	before := s.callers.current.Load()
	return background.Service{
		Name: "refresh cached callers", Every: WatchEvery, Delay: WatchEvery,
		Run: func(ctx context.Context) error {
			before = s.refreshDue(ctx, before)
			return s.WriteUses(ctx)
		},
		Last: s.WriteUses,
	}
}

// refreshDue reads the due callers of the current generation again and, if that generation is new,
// also the callers in use in the previous one. It returns the current generation.
func (s *Service) refreshDue(ctx context.Context, before *generation) *generation {
	g, now := s.callers.current.Load(), s.clock.Now()
	due := g.used(now.Add(-refreshAfter))
	if before != g {
		for hash, shown := range before.used(now) {
			if g.peek(hash, now) == nil {
				due[hash] = shown
			}
		}
	}
	for together := range slices.Chunk(slices.Collect(maps.Keys(due)), maxBatch) {
		if s.callers.current.Load() != g {
			break // the generation was replaced; the next call reads them into the new one
		}
		shown := make(map[secrets.Digest]credential, len(together))
		for _, hash := range together {
			shown[hash] = due[hash]
		}
		if _, err := s.read(ctx, g, shown); err != nil {
			// A request reads an expired caller itself and returns the error.
			slog.DebugContext(ctx, "access: early refresh of cached callers failed", "error", err)
			break
		}
	}
	return g
}

// used returns the credentials that were read at or before a time and used since then.
func (g *generation) used(read time.Time) map[secrets.Digest]credential {
	g.mu.RLock()
	defer g.mu.RUnlock()
	used := make(map[secrets.Digest]credential)
	for hash, c := range g.byCredential {
		if c.used.Load() && !c.readTime.After(read) {
			used[hash] = c.shown
		}
	}
	return used
}

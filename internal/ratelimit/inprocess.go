package ratelimit

import (
	"context"
	"hash/maphash"
	"sync"
	"time"
)

const (
	// shardCount reduces lock contention; a power of two.
	shardCount = 64
	// sweepEvery is the maximum time that a refilled key stays in memory while its shard is
	// in use, in µs.
	sweepEvery = int64(time.Minute / time.Microsecond)
)

// InProcess is the Limiter of a single process.
type InProcess struct {
	now    func() time.Time
	seed   maphash.Seed
	shards [shardCount]shard
}

// shard contains the TATs of its keys in µs. Requests remove refilled keys, so no goroutine
// is needed.
type shard struct {
	mu      sync.Mutex
	tats    map[string]int64
	sweptAt int64
}

// NewInProcess returns a Limiter with the clock now, for example clock.System's.
func NewInProcess(now func() time.Time) *InProcess {
	l := &InProcess{now: now, seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].tats = make(map[string]int64)
	}
	return l
}

// Allow implements Limiter.
func (l *InProcess) Allow(ctx context.Context, key string, limit Limit) (Decision, error) {
	c, err := admissible(ctx, key, limit)
	if err != nil {
		return Decision{}, err
	}
	s := &l.shards[maphash.String(l.seed, key)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	now := l.now().UnixMicro()
	s.sweep(now)
	decision, tat := c.decide(s.tats[key], now)
	s.tats[key] = tat
	return decision, nil
}

// GiveBack refunds one allowed request. It does not change rejections since then.
func (l *InProcess) GiveBack(key string, limit Limit) {
	c, err := limit.cell()
	if err != nil {
		return
	}
	s := &l.shards[maphash.String(l.seed, key)%shardCount]
	s.mu.Lock()
	defer s.mu.Unlock()
	if tat, kept := s.tats[key]; kept {
		s.tats[key] = tat - c.interval
	}
}

// sweep removes refilled keys, at most once per sweepEvery. It moves the other keys to a
// new map because Go's maps do not shrink. The caller holds mu.
func (s *shard) sweep(now int64) {
	if s.sweptAt <= now && now < s.sweptAt+sweepEvery {
		return
	}
	s.sweptAt = now
	live := make(map[string]int64)
	for key, tat := range s.tats {
		if tat > now {
			live[key] = tat
		}
	}
	s.tats = live
}

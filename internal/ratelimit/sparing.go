package ratelimit

import "context"

// spared is which part of a limit a process gives out by itself.
const spared = 10

// Sparing is a Limiter of many processes that asks the one they share about busy keys only.
// Each process gives out a tenth of a key's limit by itself, and asks for more than that: so
// a caller who sends less than a tenth of what it may costs no round trip, and any other one
// for each request beyond. A key is allowed at most the limit of the shared one and a tenth
// of it for each process.
type Sparing struct {
	near   *InProcess
	shared Limiter
}

// NewSparing returns a Limiter in front of one that processes share.
func NewSparing(near *InProcess, shared Limiter) *Sparing { return &Sparing{near, shared} }

// Allow implements Limiter. What it says to remain is, for a key that is not busy, what this
// process gives out by itself. A limit that is too small to have a tenth is the shared one's.
func (s *Sparing) Allow(ctx context.Context, key string, limit Limit) (Decision, error) {
	part := Limit{Rate: limit.Rate / spared, Period: limit.Period, Burst: limit.Burst / spared}
	if part.Rate < 1 || part.Burst < 1 {
		return s.shared.Allow(ctx, key, limit)
	}
	near, err := s.near.Allow(ctx, key, part)
	if err != nil || near.Allowed {
		return near, err
	}
	return s.shared.Allow(ctx, key, limit)
}

package ratelimit

import "context"

// spared is the divisor of a limit for the share that a process grants locally.
const spared = 10

// Sparing is a Limiter of many processes that queries the shared one only for busy keys.
// Each process grants a tenth of a key's limit locally and queries the shared limiter for
// more. So a caller that uses less than a tenth of its limit costs no round trip, and any
// other caller one round trip per further request. A key is allowed at most the shared
// limit plus a tenth of it for each process.
type Sparing struct {
	near   *InProcess
	shared Limiter
}

// NewSparing returns a Limiter in front of a shared one.
func NewSparing(near *InProcess, shared Limiter) *Sparing { return &Sparing{near, shared} }

// Allow implements Limiter. For a key that is not busy, Remaining is the local share. If a tenth of
// the limit is less than one request, only the shared limiter decides.
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

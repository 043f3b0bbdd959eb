// Package ratelimit decides whether a request is allowed now.
//
// Every implementation has these invariants, and ratelimittest.Contract tests them:
//
//   - In any span of time a key is allowed at most Burst + span × Rate/Period requests,
//     however many callers race.
//   - A rejection is free: requesting again does not increase RetryAfter.
//   - A key that is idle for ResetAfter has its full burst again and uses no memory
//     permanently.
//   - A clock set back delays a key by at most the refill time of its burst.
//
// The algorithm is GCRA, the generic cell rate algorithm in its virtual
// scheduling form (ITU-T I.371 annex A; ATM Forum Traffic Management 4.1,
// section 4.4.2), introduced for HTTP by https://brandur.org/rate-limiting. It
// stores one number per key, the theoretical arrival time (TAT): the time at
// which the key is fully refilled.
package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrInvalid means an empty key or a Limit out of range: a programming error.
var ErrInvalid = errors.New("invalid rate limit")

// maxRefill bounds Burst × Period / Rate, so that the arithmetic stays
// exact in the doubles of a Lua script.
const maxRefill = 366 * 24 * time.Hour

// Limit allows Rate requests per Period in the long run and Burst requests at the same time. Period
// is truncated, and the interval Period/Rate rounded up, to whole microseconds. A limit with a
// burst that needs more than 366 days to refill is invalid.
type Limit struct {
	Rate   int
	Period time.Duration
	Burst  int
}

// Decision is the result for one request.
type Decision struct {
	Allowed bool
	// Remaining is the number of further requests that are allowed now.
	Remaining int
	// RetryAfter is the time until a request can be allowed, 0 if this one was.
	RetryAfter time.Duration
	// ResetAfter is the time until the full burst is available.
	ResetAfter time.Duration
}

// Limiter counts the requests of each key. It is safe for concurrent use.
type Limiter interface {
	// Allow decides on one request of key and charges it if allowed. A key should be used
	// with one limit; after a change of the limit it is refilled within the new limit's
	// time.
	//
	// Errors: ErrInvalid, the end of ctx, or an unreachable store; the caller then decides
	// whether to allow the request.
	Allow(ctx context.Context, key string, limit Limit) (Decision, error)
}

// cell is a Limit in GCRA terms, in µs.
type cell struct {
	// interval is the emission interval T between requests at the rate.
	interval int64
	// depth is interval × burst, the time to refill from empty. The tolerance
	// of the standard is depth - interval.
	depth int64
}

func (l Limit) cell() (cell, error) {
	period := l.Period.Microseconds()
	if l.Rate < 1 || l.Burst < 1 || period < int64(l.Rate) {
		return cell{}, fmt.Errorf("%d per %v, burst %d: %w", l.Rate, l.Period, l.Burst, ErrInvalid)
	}
	interval := (period-1)/int64(l.Rate) + 1
	if int64(l.Burst) > maxRefill.Microseconds()/interval {
		return cell{}, fmt.Errorf("%d per %v, burst %d refills too slowly: %w", l.Rate, l.Period, l.Burst, ErrInvalid)
	}
	return cell{interval: interval, depth: interval * int64(l.Burst)}, nil
}

// decide returns the decision at now and the TAT to store, both in µs. A tat in the past has the
// same effect as 0.
func (c cell) decide(tat, now int64) (Decision, int64) {
	// A tat beyond now + depth occurs only after the clock was set back or the limit was
	// reduced.
	tat = min(max(tat, now), now+c.depth)
	if early := tat + c.interval - c.depth - now; early > 0 {
		return Decision{RetryAfter: micros(early), ResetAfter: micros(tat - now)}, tat
	}
	tat += c.interval
	return Decision{
		Allowed:    true,
		Remaining:  int((now + c.depth - tat) / c.interval),
		ResetAfter: micros(tat - now),
	}, tat
}

func micros(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

// admissible makes the checks that are common to all implementations.
func admissible(ctx context.Context, key string, limit Limit) (cell, error) {
	if key == "" {
		return cell{}, fmt.Errorf("empty key: %w", ErrInvalid)
	}
	c, err := limit.cell()
	if err != nil {
		return cell{}, err
	}
	if ctx.Err() != nil {
		return cell{}, fmt.Errorf("rate limit: %w", context.Cause(ctx))
	}
	return c, nil
}

// Package clock is the program's only source of the current time.
//
// Every time that it returns is in UTC and in whole microseconds, the precision of the
// engines (DATETIME(6)), so a time read back equals the time written.
package clock

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Clock returns the current time.
type Clock interface {
	// Now returns the current time in UTC, truncated to microseconds.
	Now() time.Time
}

// System is the machine's clock.
type System struct{}

// Now implements Clock.
func (System) Now() time.Time { return Stored(time.Now()) }

// Since returns the time elapsed since start on the monotonic clock, for
// durations that must not jump with the wall clock. Start comes from Mark.
func Since(start time.Time) time.Duration { return time.Since(start) }

// Mark returns a reading for Since, with the monotonic part that Now drops.
func Mark() time.Time { return time.Now() }

// Sleep waits for d, and returns false if ctx ended first.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// Fake is a clock that only changes when it is set. It is safe for concurrent use.
type Fake struct {
	mu  sync.Mutex
	now time.Time
}

// NewFake returns a clock at the time at.
func NewFake(at time.Time) *Fake { return &Fake{now: Stored(at)} }

// Now implements Clock.
func (f *Fake) Now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// Advance moves the clock by d, which may be negative.
func (f *Fake) Advance(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = Stored(f.now.Add(d))
}

// Storable reports whether all engines store a time unchanged.
func Storable(t time.Time) bool { return t.UTC().Year() >= 2000 && t.UTC().Year() <= 9999 }

// The errors of Parse follow the location of the time in a sentence.
var (
	ErrNotTime = errors.New("must be a time in RFC 3339, such as 2026-01-31T09:30:00Z")
	ErrRange   = errors.New("must be in the years 2000 to 9999")
)

// Parse reads a time of a request: RFC 3339, of which it returns UTC and whole microseconds. It is
// the only check of such times, and the zero time does not pass it. Errors: ErrNotTime, ErrRange.
func Parse(text string) (time.Time, error) {
	var t time.Time
	if err := t.UnmarshalText([]byte(text)); err != nil {
		return time.Time{}, ErrNotTime
	}
	if !Storable(t) {
		return time.Time{}, ErrRange
	}
	return Stored(t), nil
}

// Stored converts a time to the form in which the engines store it.
func Stored(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Deadline returns the machine's time after d, for deadlines of connections.
func Deadline(d time.Duration) time.Time { return time.Now().Add(d) }

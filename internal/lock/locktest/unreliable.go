package locktest

import (
	"context"
	"sync/atomic"
	"time"

	"interlock/internal/lock"
)

// Unreliable is a Locker without exclusion, as if each previous lease had been lost. With
// it tests prove that the guards in SQL are sufficient.
type Unreliable struct {
	// Granted is called with each lease before Acquire returns it; n is 1 for the first
	// lease. It may lose the lease or start a concurrent caller; nil does nothing.
	Granted func(n int64, lease *Loseable)

	granted atomic.Int64
}

// Acquire implements lock.Locker. It never waits.
func (u *Unreliable) Acquire(ctx context.Context, _ time.Duration, _ ...string) (lock.Lease, error) {
	lease := &Loseable{}
	lease.ctx, lease.end = context.WithCancelCause(ctx)
	n := u.granted.Add(1)
	if u.Granted != nil {
		u.Granted(n, lease)
	}
	return lease, nil
}

// Held implements lock.Locker.
func (*Unreliable) Held(context.Context) ([]lock.Holding, error) { return nil, nil }

// Loseable is a lease that a test can end.
type Loseable struct {
	ctx context.Context
	end context.CancelCauseFunc
}

// Lose ends the lease with ErrLost.
func (l *Loseable) Lose() { l.end(lock.ErrLost) }

// Context implements lock.Lease.
func (l *Loseable) Context() context.Context { return l.ctx }

// Release implements lock.Lease.
func (l *Loseable) Release(context.Context) error {
	l.end(lock.ErrReleased)
	return nil
}

package locktest

import (
	"context"
	"sync/atomic"
	"time"

	"interlock/internal/lock"
)

// Unreliable is a Locker that excludes nobody: each lease is as if the one before had
// been lost. Tests prove with it that the guards in SQL are enough.
type Unreliable struct {
	// Granted is called with each lease before Acquire returns it, with n = 1 for the
	// first. It may lose the lease, or let somebody else in; nil does nothing.
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

// Loseable is a lease that a test can take away.
type Loseable struct {
	ctx context.Context
	end context.CancelCauseFunc
}

// Lose takes the lease away, and tells its holder.
func (l *Loseable) Lose() { l.end(lock.ErrLost) }

// Context implements lock.Lease.
func (l *Loseable) Context() context.Context { return l.ctx }

// Release implements lock.Lease.
func (l *Loseable) Release(context.Context) error {
	l.end(lock.ErrReleased)
	return nil
}

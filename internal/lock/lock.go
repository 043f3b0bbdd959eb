// Package lock grants exclusive leases on named keys.
//
// Every implementation has these invariants, and locktest.Contract tests them:
//
//   - A key has at most one holder.
//   - Acquire acquires all its keys or none. It acquires them in sorted order, so
//     callers that request the same keys in different orders cannot deadlock.
//   - Waiters of a key are served in FIFO order. A waiter that stops waiting leaves the
//     queue and delays no other waiter.
//   - A key without a holder and without waiters uses no memory.
//
// A lease can be lost (a paused process, a partition). Its context is then cancelled, but
// the holder may notice that too late. A lease therefore orders the work and avoids wasted
// attempts; safety depends on the guarded UPDATE in SQL.
package lock

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

var (
	// ErrNotAcquired means that a key was not acquired within the wait.
	ErrNotAcquired = errors.New("lock not acquired in time")
	// ErrLost is the cause of a lease's context when the lock was lost before
	// it was released.
	ErrLost = errors.New("lock lost")
	// ErrReleased is the cause of a lease's context after Release.
	ErrReleased = errors.New("lock released")
	// ErrUnavailable means that the lock service cannot be reached, so the holders of the
	// keys are unknown. Nothing was done under the lock; a retry is safe.
	ErrUnavailable = errors.New("the lock service cannot be reached")
	// ErrKeys means that Acquire was called without keys or with an empty key.
	ErrKeys = errors.New("lock keys must not be missing or empty")
)

// Locker grants leases. It is safe for concurrent use.
type Locker interface {
	// Acquire acquires all keys, in sorted order, or none; duplicates count once. Wait
	// bounds the total time for all keys; with wait <= 0, Acquire fails immediately if a
	// key is held. Leases are not re-entrant: a holder that requests its own key again
	// waits like any other caller.
	//
	// Errors: ErrNotAcquired when the wait ran out, the cause of ctx when ctx ended first,
	// ErrUnavailable when the lock service cannot be reached, ErrLost when a key was lost
	// during the wait for another one, ErrKeys for a programming error.
	Acquire(ctx context.Context, wait time.Duration, keys ...string) (Lease, error)

	// Held lists the keys held by all processes, sorted by key. The entries of other
	// processes may be one second old.
	Held(ctx context.Context) ([]Holding, error)
}

// Lease is the right to a set of keys until it is released or lost.
type Lease interface {
	// Context is derived from the context passed to Acquire. It is cancelled with the cause
	// ErrLost when the lock is lost, and with ErrReleased by Release. Work under the lock
	// uses this context; work that outlives the lock must not.
	Context() context.Context

	// Release releases the keys that the lease still owns. Further calls do nothing.
	Release(ctx context.Context) error
}

// Holding describes a held key to an operator.
type Holding struct {
	Key string
	// Owner is the label set by WithOwner, empty without one.
	Owner string
	// Age is how long the key has been held.
	Age time.Duration
	// Waiters is how many callers wait for the key, in all processes.
	Waiters int
}

// Observer receives measurements. Nil functions are not called. The locker calls them
// outside any critical section; they must not block.
type Observer struct {
	// Acquired is called for every key acquired. Contended reports whether another caller
	// held the key first; waited is 0 if not.
	Acquired func(key string, waited time.Duration, contended bool)
	// Refused is called for the key that made Acquire fail.
	Refused func(key string, waited time.Duration)
	// Released is called for every key released or lost.
	Released func(key string, held time.Duration)
	// Lost is called for every key lost, before Released.
	Lost func(key string)
}

func (o Observer) acquired(key string, waited time.Duration, contended bool) {
	if o.Acquired != nil {
		o.Acquired(key, waited, contended)
	}
}

func (o Observer) refused(key string, waited time.Duration) {
	if o.Refused != nil {
		o.Refused(key, waited)
	}
}

func (o Observer) released(key string, held time.Duration) {
	if o.Released != nil {
		o.Released(key, held)
	}
}

func (o Observer) lost(key string) {
	if o.Lost != nil {
		o.Lost(key)
	}
}

type ownerKey struct{}

// WithOwner sets the owner label that Held shows for leases acquired under the returned
// context, for example the request id. The label is for display; the lease itself decides
// ownership.
func WithOwner(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

func ownerOf(ctx context.Context) string {
	owner, _ := ctx.Value(ownerKey{}).(string)
	return owner
}

// lockOrder returns keys sorted and without duplicates. Errors: ErrKeys, and the cause of
// a context that has ended.
func lockOrder(ctx context.Context, keys []string) ([]string, error) {
	if len(keys) == 0 || slices.Contains(keys, "") {
		return nil, fmt.Errorf("acquire lock %q: %w", keys, ErrKeys)
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("acquire lock %q: %w", keys, context.Cause(ctx))
	}
	if len(keys) == 1 {
		return keys, nil
	}
	sorted := slices.Clone(keys)
	slices.Sort(sorted)
	return slices.Compact(sorted), nil
}

// Package lock gives exclusive leases on named keys.
//
// Invariants, held by every implementation and proved by locktest.Contract:
//
//   - A key has at most one holder.
//   - Acquire takes all its keys or none. It takes them in sorted order, so
//     callers that want the same keys in different orders cannot deadlock.
//   - Waiters of a key are served first come, first served. One that gives up
//     leaves the queue and delays nobody.
//   - What nobody holds and nobody waits for takes no memory.
//
// A lease can be lost (a paused process, a partition): its context is then
// cancelled, which the holder may notice too late. A lease therefore orders
// the work and saves it from wasted attempts; safety rests on the guarded
// UPDATE in SQL.
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
	// ErrUnavailable means that the locks cannot be reached: nobody can say who
	// holds what. Nothing was done under the lock; trying again later is safe.
	ErrUnavailable = errors.New("the lock service cannot be reached")
	// ErrKeys means that Acquire was called without keys or with an empty one.
	ErrKeys = errors.New("lock keys must be given and not empty")
)

// Locker hands out leases. It is safe for concurrent use.
type Locker interface {
	// Acquire takes all keys, in sorted order, or none; duplicates count once.
	// Wait bounds the time for all of them together; with wait <= 0 it fails
	// at once when a key is held. Leases are not re-entrant: a holder that
	// asks for its own key again waits like anyone else.
	//
	// Errors: ErrNotAcquired when the wait ran out, the cause of ctx when that
	// ended first, ErrUnavailable when the locks cannot be reached, ErrLost when a
	// key was lost while another one was waited for, ErrKeys for a programming
	// error.
	Acquire(ctx context.Context, wait time.Duration, keys ...string) (Lease, error)

	// Held lists the keys that are held in all processes, sorted by key. What other
	// processes hold may be a second old.
	Held(ctx context.Context) ([]Holding, error)
}

// Lease is the right to a set of keys until it is released or lost.
type Lease interface {
	// Context is derived from the context given to Acquire and is cancelled
	// with the cause ErrLost when the lock is lost, and with ErrReleased by
	// Release. Work under the lock runs under it; work that outlives the lock
	// must not.
	Context() context.Context

	// Release releases the keys that the lease still owns. Calling it
	// again does nothing.
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

// Observer receives measurements. Nil functions are not called. They are
// called outside of any critical section and must not block.
type Observer struct {
	// Acquired is called for every key acquired. Contended tells whether somebody
	// else held it first; waited is 0 when not.
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

// WithOwner labels the leases acquired under the returned context for Held,
// for example with the request id. The label is for people: ownership is
// decided by the lease itself.
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

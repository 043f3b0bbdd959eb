// Package locktest is the contract test suite of lock.Locker.
package locktest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/lock"
)

const (
	// contenders is how many goroutines contend in the concurrent tests.
	contenders = 32
	// timeout bounds operations that should complete soon.
	timeout = 30 * time.Second
	// shortWait is a wait that is expected to run out.
	shortWait = 30 * time.Millisecond
)

// Contract runs the suite. newLocker returns a Locker that shares no keys with other lockers and
// cleans up after the test.
func Contract(t *testing.T, newLocker func(t *testing.T) lock.Locker) {
	tests := []struct {
		name string
		run  func(*testing.T, lock.Locker)
	}{
		{"OneHolderAtATime", oneHolderAtATime},
		{"WaitersAreServedInOrder", waitersAreServedInOrder},
		{"WithoutWaitAHeldKeyIsRefusedAtOnce", withoutWaitAHeldKeyIsRefusedAtOnce},
		{"AWaitThatRunsOutIsRefused", aWaitThatRunsOutIsRefused},
		{"ACancelledWaiterDelaysNobody", aCancelledWaiterDelaysNoOther},
		{"AnEndedContextIsRefusedEvenWhenTheKeyIsFree", anEndedContextIsRefused},
		{"AllKeysAreTakenOrNone", allKeysAreTakenOrNone},
		{"OppositeOrdersNeverDeadlock", oppositeOrdersNeverDeadlock},
		{"DuplicateKeysCountOnce", duplicateKeysCountOnce},
		{"MissingKeysAreRefused", missingKeysAreRefused},
		{"ReleasingTwiceTakesNothingFromTheNextHolder", releasingTwiceIsHarmless},
		{"TheContextLivesAsLongAsTheLease", theContextLivesAsLongAsTheLease},
		{"HeldShowsKeyOwnerAgeAndWaiters", heldShowsKeyOwnerAgeAndWaiters},
		{"ContendersGetFairShares", contendersGetFairShares},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { test.run(t, newLocker(t)) })
	}
}

func oneHolderAtATime(t *testing.T, locker lock.Locker) {
	const rounds = 50
	var inside atomic.Int32
	var overlaps atomic.Int32
	// Not atomic: the race detector proves that each holder sees the writes of the previous
	// one.
	counter := 0
	runContenders(t, func(int) error {
		for range rounds {
			lease, err := locker.Acquire(t.Context(), timeout, "key")
			if err != nil {
				return err
			}
			if inside.Add(1) != 1 {
				overlaps.Add(1)
			}
			counter++
			inside.Add(-1)
			if err := lease.Release(t.Context()); err != nil {
				return err
			}
		}
		return nil
	})
	require.Zero(t, overlaps.Load(), "two concurrent holders")
	require.Equal(t, contenders*rounds, counter)
	requireNothingHeld(t, locker)
}

func waitersAreServedInOrder(t *testing.T, locker lock.Locker) {
	const waiters = 10
	first := acquire(t, locker, "key")
	var mu sync.Mutex
	var order []int
	var done sync.WaitGroup
	for i := range waiters {
		done.Go(func() {
			lease, err := locker.Acquire(t.Context(), timeout, "key")
			if err != nil {
				t.Errorf("waiter %d: %v", i, err)
				return
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			release(t, lease)
		})
		awaitWaiters(t, locker, "key", i+1)
	}
	release(t, first)
	done.Wait()
	require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, order)
}

func withoutWaitAHeldKeyIsRefusedAtOnce(t *testing.T, locker lock.Locker) {
	lease := acquire(t, locker, "key")
	for _, wait := range []time.Duration{0, -time.Second} {
		_, err := locker.Acquire(t.Context(), wait, "key")
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		require.ErrorContains(t, err, `"key"`)
	}
	require.NoError(t, lease.Context().Err(), "the holder must not notice")
	release(t, lease)
	again, err := locker.Acquire(t.Context(), 0, "key")
	require.NoError(t, err, "a free key needs no wait")
	release(t, again)
}

func aWaitThatRunsOutIsRefused(t *testing.T, locker lock.Locker) {
	lease := acquire(t, locker, "key")
	start := clock.Mark()
	_, err := locker.Acquire(t.Context(), shortWait, "key")
	require.ErrorIs(t, err, lock.ErrNotAcquired)
	require.GreaterOrEqual(t, clock.Since(start), shortWait, "Acquire failed before the end of the wait")
	awaitWaiters(t, locker, "key", 0)
	release(t, lease)
	requireNothingHeld(t, locker)
}

func aCancelledWaiterDelaysNoOther(t *testing.T, locker lock.Locker) {
	holder := acquire(t, locker, "key")
	gaveUp := errors.New("gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	refused := make(chan error, 1)
	go func() {
		_, err := locker.Acquire(ctx, timeout, "key")
		refused <- err
	}()
	awaitWaiters(t, locker, "key", 1)
	next := make(chan lock.Lease, 1)
	go func() {
		lease, err := locker.Acquire(t.Context(), timeout, "key")
		if err != nil {
			t.Errorf("waiter behind the cancelled one: %v", err)
		}
		next <- lease
	}()
	awaitWaiters(t, locker, "key", 2)

	cancel(gaveUp)
	require.ErrorIs(t, <-refused, gaveUp)
	awaitWaiters(t, locker, "key", 1)
	release(t, holder)
	release(t, <-next)
	requireNothingHeld(t, locker)
}

func anEndedContextIsRefused(t *testing.T, locker lock.Locker) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := locker.Acquire(ctx, timeout, "key")
	require.ErrorIs(t, err, context.Canceled)
	requireNothingHeld(t, locker)
}

func allKeysAreTakenOrNone(t *testing.T, locker lock.Locker) {
	middle := acquire(t, locker, "b")
	for _, wait := range []time.Duration{0, shortWait} {
		_, err := locker.Acquire(t.Context(), wait, "c", "a", "b")
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		require.ErrorContains(t, err, `"b"`, "the error must name the key that was not acquired")
		require.Equal(t, []string{"b"}, heldKeys(t, locker))
	}
	release(t, middle)
	all := acquire(t, locker, "c", "a", "b")
	require.Equal(t, []string{"a", "b", "c"}, heldKeys(t, locker))
	release(t, all)
	requireNothingHeld(t, locker)
}

func oppositeOrdersNeverDeadlock(t *testing.T, locker lock.Locker) {
	const rounds = 40
	keys := []string{"a", "b", "c", "d"}
	runContenders(t, func(worker int) error {
		random := rand.New(rand.NewPCG(uint64(worker), 1))
		for range rounds {
			selected := make([]string, 0, 3)
			for _, i := range random.Perm(len(keys))[:2+random.IntN(2)] {
				selected = append(selected, keys[i])
			}
			lease, err := locker.Acquire(t.Context(), timeout, selected...)
			if err != nil {
				return fmt.Errorf("keys %v: %w", selected, err)
			}
			if err := lease.Release(t.Context()); err != nil {
				return err
			}
		}
		return nil
	})
	requireNothingHeld(t, locker)
}

func duplicateKeysCountOnce(t *testing.T, locker lock.Locker) {
	lease := acquire(t, locker, "a", "b", "a")
	require.Equal(t, []string{"a", "b"}, heldKeys(t, locker))
	release(t, lease)
	requireNothingHeld(t, locker)
}

func missingKeysAreRefused(t *testing.T, locker lock.Locker) {
	for name, keys := range map[string][]string{"none": nil, "empty": {"a", ""}} {
		_, err := locker.Acquire(t.Context(), 0, keys...)
		require.ErrorIs(t, err, lock.ErrKeys, name)
	}
	requireNothingHeld(t, locker)
}

func releasingTwiceIsHarmless(t *testing.T, locker lock.Locker) {
	first := acquire(t, locker, "a", "b")
	release(t, first)
	second := acquire(t, locker, "a", "b")
	release(t, first)
	require.Equal(t, []string{"a", "b"}, heldKeys(t, locker))
	_, err := locker.Acquire(t.Context(), 0, "a")
	require.ErrorIs(t, err, lock.ErrNotAcquired, "the second release freed another's lock")
	require.NoError(t, second.Context().Err())
	release(t, second)
	requireNothingHeld(t, locker)
}

func theContextLivesAsLongAsTheLease(t *testing.T, locker lock.Locker) {
	type name struct{}
	ctx, cancel := context.WithCancel(context.WithValue(t.Context(), name{}, "value"))
	lease, err := locker.Acquire(ctx, 0, "key")
	require.NoError(t, err)
	require.NoError(t, lease.Context().Err())
	require.Equal(t, "value", lease.Context().Value(name{}))
	release(t, lease)
	require.ErrorIs(t, context.Cause(lease.Context()), lock.ErrReleased)
	require.NoError(t, ctx.Err(), "a release must not end the caller's context")

	lease, err = locker.Acquire(ctx, 0, "key")
	require.NoError(t, err)
	cancel()
	require.ErrorIs(t, context.Cause(lease.Context()), context.Canceled)
	require.Equal(t, []string{"key"}, heldKeys(t, locker), "a cancelled holder owns the lock until it releases it")
	release(t, lease)
	requireNothingHeld(t, locker)
}

func heldShowsKeyOwnerAgeAndWaiters(t *testing.T, locker lock.Locker) {
	requireNothingHeld(t, locker)
	start := clock.Mark()
	lease, err := locker.Acquire(lock.WithOwner(t.Context(), "request 7"), 0, "b", "a")
	require.NoError(t, err)
	waiter := make(chan struct{})
	go func() {
		defer close(waiter)
		if next, err := locker.Acquire(t.Context(), timeout, "b"); err == nil {
			release(t, next)
		}
	}()
	awaitWaiters(t, locker, "b", 1)
	held, err := locker.Held(t.Context())
	require.NoError(t, err)
	upper := clock.Since(start)
	require.Len(t, held, 2)
	for i, want := range []lock.Holding{
		{Key: "a", Owner: "request 7", Waiters: 0},
		{Key: "b", Owner: "request 7", Waiters: 1},
	} {
		require.Positive(t, held[i].Age)
		require.LessOrEqual(t, held[i].Age, upper)
		want.Age = held[i].Age
		require.Equal(t, want, held[i])
	}
	release(t, lease)
	<-waiter
	requireNothingHeld(t, locker)
}

// contendersGetFairShares counts the acquisitions of each contender during a bounded run
// and requires a fairness index of 0.95 (R. Jain, D. Chiu, W. Hawe, "A Quantitative Measure
// of Fairness", DEC-TR-301, 1984).
func contendersGetFairShares(t *testing.T, locker lock.Locker) {
	const total = contenders * 40
	holder := acquire(t, locker, "key")
	shares := make([]int, contenders)
	taken := 0
	var done sync.WaitGroup
	for i := range contenders {
		done.Go(func() {
			for ended := false; !ended; {
				lease, err := locker.Acquire(t.Context(), timeout, "key")
				if err != nil {
					t.Errorf("contender %d: %v", i, err)
					return
				}
				if ended = taken == total; !ended {
					taken++
					shares[i]++
				}
				release(t, lease)
			}
		})
	}
	awaitWaiters(t, locker, "key", contenders)
	release(t, holder)
	done.Wait()
	require.Equal(t, total, taken)
	require.GreaterOrEqual(t, jainIndex(shares), 0.95, "shares %v", shares)
}

// jainIndex is 1 when all shares are equal and 1/n when one contender has all.
func jainIndex(shares []int) float64 {
	var sum, squares float64
	for _, share := range shares {
		sum += float64(share)
		squares += float64(share) * float64(share)
	}
	return sum * sum / (float64(len(shares)) * squares)
}

func runContenders(t *testing.T, work func(worker int) error) {
	t.Helper()
	var done sync.WaitGroup
	for i := range contenders {
		done.Go(func() {
			if err := work(i); err != nil {
				t.Errorf("worker %d: %v", i, err)
			}
		})
	}
	done.Wait()
}

func acquire(t *testing.T, locker lock.Locker, keys ...string) lock.Lease {
	t.Helper()
	lease, err := locker.Acquire(t.Context(), 0, keys...)
	require.NoError(t, err)
	return lease
}

// release does not stop the test, because it may run in any goroutine.
func release(t *testing.T, lease lock.Lease) {
	t.Helper()
	if err := lease.Release(t.Context()); err != nil {
		t.Errorf("release: %v", err)
	}
}

func heldKeys(t *testing.T, locker lock.Locker) []string {
	t.Helper()
	held, err := locker.Held(t.Context())
	require.NoError(t, err)
	keys := make([]string, len(held))
	for i, holding := range held {
		keys[i] = holding.Key
	}
	return keys
}

func requireNothingHeld(t *testing.T, locker lock.Locker) {
	t.Helper()
	require.Empty(t, heldKeys(t, locker))
}

// awaitWaiters blocks until the held key has exactly n waiters.
func awaitWaiters(t *testing.T, locker lock.Locker, key string, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		held, err := locker.Held(t.Context())
		if err != nil {
			return false
		}
		for _, holding := range held {
			if holding.Key == key {
				return holding.Waiters == n
			}
		}
		return false
	}, timeout, time.Millisecond, "%d waiters for %q", n, key)
}

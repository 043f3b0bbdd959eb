package lock_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/clock"
	"interlock/internal/lock"
	"interlock/internal/lock/locktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Proves G4.24.
func TestInProcessFulfillsTheContract(t *testing.T) {
	locktest.Contract(t, func(*testing.T) lock.Locker {
		return lock.NewInProcess(lock.Observer{})
	})
}

func TestWaitBoundsAllKeysTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		locker := lock.NewInProcess(lock.Observer{})
		first, err := locker.Acquire(t.Context(), 0, "a")
		require.NoError(t, err)
		_, err = locker.Acquire(t.Context(), 0, "b")
		require.NoError(t, err)
		time.AfterFunc(900*time.Millisecond, func() { _ = first.Release(context.Background()) })

		start := clock.Mark()
		_, err = locker.Acquire(t.Context(), time.Second, "a", "b")
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		require.ErrorContains(t, err, `"b"`)
		require.Equal(t, time.Second, clock.Since(start))
		held, err := locker.Held(t.Context())
		require.NoError(t, err)
		require.Len(t, held, 1, "the first key must be released")
	})
}

func TestObserverSeesWaitHoldAndContention(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type seen struct {
			what, key string
			lasted    time.Duration
			contended bool
		}
		var mu sync.Mutex
		var log []seen
		note := func(s seen) {
			mu.Lock()
			defer mu.Unlock()
			log = append(log, s)
		}
		locker := lock.NewInProcess(lock.Observer{
			Acquired: func(key string, waited time.Duration, contended bool) {
				note(seen{"acquired", key, waited, contended})
			},
			Refused:  func(key string, waited time.Duration) { note(seen{"refused", key, waited, false}) },
			Released: func(key string, held time.Duration) { note(seen{"released", key, held, false}) },
		})
		holder, err := locker.Acquire(t.Context(), 0, "key")
		require.NoError(t, err)
		_, err = locker.Acquire(t.Context(), 0, "key")
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		_, err = locker.Acquire(t.Context(), 2*time.Second, "key")
		require.ErrorIs(t, err, lock.ErrNotAcquired)
		served := make(chan struct{})
		go func() {
			defer close(served)
			lease, err := locker.Acquire(context.Background(), time.Minute, "key")
			if err == nil {
				_ = lease.Release(context.Background())
			}
		}()
		time.AfterFunc(3*time.Second, func() { _ = holder.Release(context.Background()) })
		<-served
		synctest.Wait()
		require.ElementsMatch(t, []seen{
			{"acquired", "key", 0, false},
			{"refused", "key", 0, false},
			{"refused", "key", 2 * time.Second, false},
			{"released", "key", 5 * time.Second, false},
			{"acquired", "key", 3 * time.Second, true},
			{"released", "key", 0, false},
		}, log)
	})
}

func BenchmarkInProcess(b *testing.B) {
	locktest.Benchmark(b, func(*testing.B) lock.Locker {
		return lock.NewInProcess(lock.Observer{})
	})
}

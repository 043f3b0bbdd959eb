package locktest

import (
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/lock"
)

// Benchmark measures acquire and release: of a free key, of two free keys, of one key per
// goroutine, and of one key that 32 goroutines request.
func Benchmark(b *testing.B, newLocker func(b *testing.B) lock.Locker) {
	b.Run("uncontended", func(b *testing.B) { sequential(b, newLocker(b), "a") })
	b.Run("uncontended-2-keys", func(b *testing.B) { sequential(b, newLocker(b), "b", "a") })
	b.Run("own-key-32", func(b *testing.B) {
		var worker atomic.Int64
		parallel(b, newLocker(b), func() string { return strconv.FormatInt(worker.Add(1), 10) })
	})
	b.Run("contended-32", func(b *testing.B) {
		parallel(b, newLocker(b), func() string { return "a" })
	})
}

func sequential(b *testing.B, locker lock.Locker, keys ...string) {
	b.ReportAllocs()
	for b.Loop() {
		lease, err := locker.Acquire(b.Context(), 0, keys...)
		require.NoError(b, err)
		require.NoError(b, lease.Release(b.Context()))
	}
}

func parallel(b *testing.B, locker lock.Locker, workerKey func() string) {
	b.ReportAllocs()
	// RunParallel starts this many goroutines per processor.
	b.SetParallelism((contenders + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0))
	b.RunParallel(func(pb *testing.PB) {
		key := workerKey()
		for pb.Next() {
			lease, err := locker.Acquire(b.Context(), timeout, key)
			if err != nil {
				b.Errorf("acquire: %v", err)
				return
			}
			if err := lease.Release(b.Context()); err != nil {
				b.Errorf("release: %v", err)
				return
			}
		}
	})
}

package lock

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReleasedAndRejectedKeysUseNoMemory(t *testing.T) {
	locker := NewInProcess(Observer{})
	var done sync.WaitGroup
	for worker := range 8 {
		done.Go(func() {
			for i := range 500 {
				// All workers contend for each key; half of them do not wait.
				wait := time.Duration(worker%2) * time.Minute
				lease, err := locker.Acquire(context.Background(), wait, fmt.Sprintf("key %d", i), "shared")
				if err == nil {
					_ = lease.Release(context.Background())
				}
			}
		})
	}
	done.Wait()
	require.Empty(t, locker.keys)
}

func TestLeaseGrantedAfterTimeoutIsReleased(t *testing.T) {
	locker := NewInProcess(Observer{})
	holder, late, next := newClaims([]string{"key"}, "")[0], newClaims([]string{"key"}, "")[0], newClaims([]string{"key"}, "")[0]
	require.False(t, locker.enqueue(holder))
	require.True(t, locker.enqueue(late))
	require.True(t, locker.enqueue(next))
	locker.withdraw(holder)
	<-late.granted

	locker.withdraw(late)
	<-next.granted
	require.Same(t, next, locker.keys["key"].holder)
	locker.withdraw(late)
	require.Same(t, next, locker.keys["key"].holder, "a released claim must not free the key")
	locker.withdraw(next)
	require.Empty(t, locker.keys)
}

package lock

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReleasedAndAbandonedKeysTakeNoMemory(t *testing.T) {
	locker := NewInProcess(Observer{})
	var done sync.WaitGroup
	for worker := range 8 {
		done.Go(func() {
			for i := range 500 {
				// Every key is wanted by all workers; half of them do not wait.
				wait := time.Duration(worker%2) * time.Minute
				lease, err := locker.Acquire(context.Background(), wait, fmt.Sprintf("key %d", i), "shared")
				if err == nil {
					_ = lease.Release(context.Background())
				}
			}
		})
	}
	done.Wait()
	require.Empty(t, locker.lines)
}

func TestALeaseGrantedAsItsWaitEndsIsPassedOn(t *testing.T) {
	locker := NewInProcess(Observer{})
	holder, late, next := newClaims([]string{"key"}, "")[0], newClaims([]string{"key"}, "")[0], newClaims([]string{"key"}, "")[0]
	require.False(t, locker.enter(holder))
	require.True(t, locker.enter(late))
	require.True(t, locker.enter(next))
	locker.leave(holder)
	<-late.granted

	locker.leave(late)
	<-next.granted
	require.Same(t, next, locker.lines["key"].holder)
	locker.leave(late)
	require.Same(t, next, locker.lines["key"].holder, "a claim that is gone must not free the key")
	locker.leave(next)
	require.Empty(t, locker.lines)
}

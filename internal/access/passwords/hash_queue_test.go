package passwords

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
)

// waiter is the result of a caller of the queue.
type waiter struct {
	slot *Slot
	err  error
}

// wait starts a caller of the queue, and returns as soon as it waits or has its result.
func wait(t *testing.T, queue *hashQueue, r Rank) <-chan waiter {
	t.Helper()
	queue.mu.Lock()
	before := len(queue.waiting)
	queue.mu.Unlock()
	answered := make(chan waiter, 1)
	go func() {
		slot, err := queue.acquire(context.Background(), r, time.Minute)
		answered <- waiter{slot, err}
	}()
	require.Eventually(t, func() bool {
		queue.mu.Lock()
		defer queue.mu.Unlock()
		return len(queue.waiting) > before || len(queue.waiting) == queue.room || len(answered) > 0
	}, time.Minute, time.Millisecond)
	return answered
}

// Proves G7.38.
func TestFullQueueRejectsTheLowestRank(t *testing.T) {
	queue := newHashQueue(0, 3)
	queue.after = func(_ time.Duration, fn func()) { fn() }
	sixth := wait(t, queue, Rank{Anonymous: true, Tries: 6})
	seventh := wait(t, queue, Rank{Anonymous: true, Tries: 7})
	known := wait(t, queue, Rank{})
	first := wait(t, queue, Rank{Anonymous: true, Tries: 1})

	turnedAway := <-seventh
	requireErrorCode(t, apperr.RateLimited, turnedAway.err)
	require.Equal(t, shedRetry, requireRetryAfter(t, turnedAway.err))
	eighth := <-wait(t, queue, Rank{Anonymous: true, Tries: 8})
	requireErrorCode(t, apperr.RateLimited, eighth.err)

	queue.freeSlot(0)
	for _, next := range []<-chan waiter{known, first, sixth} {
		served := <-next
		require.NoError(t, served.err)
		served.slot.ReleaseAfterCooldown()
	}
	require.Equal(t, 1, queue.free)
}

// Proves G7.38.
func TestSlotCoolsDownAfterAnonymousWrongGuess(t *testing.T) {
	queue := newHashQueue(1, 1)
	var cooled []func()
	queue.after = func(cooldown time.Duration, fn func()) {
		require.Positive(t, cooldown)
		cooled = append(cooled, fn)
	}
	right, err := queue.acquire(t.Context(), Rank{Anonymous: true}, time.Minute)
	require.NoError(t, err)
	right.Release()
	right.ReleaseAfterCooldown()
	require.Empty(t, cooled, "the password was right")
	wrong, err := queue.acquire(t.Context(), Rank{Anonymous: true}, time.Minute)
	require.NoError(t, err)
	wrong.ReleaseAfterCooldown()
	wrong.Release()
	require.Len(t, cooled, 1, "a slot is released once")
	stranger := wait(t, queue, Rank{Anonymous: true})
	require.Empty(t, stranger)

	known, err := queue.acquire(t.Context(), Rank{}, time.Minute)
	require.NoError(t, err, "a known caller does not wait for a cooldown")
	known.ReleaseAfterCooldown()
	require.Empty(t, stranger)
	cooled[0]()
	require.NoError(t, (<-stranger).err)
	require.Len(t, cooled, 1)
}

func TestSlotOfWithdrawnCallerPassesToTheNext(t *testing.T) {
	queue := newHashQueue(0, 2)
	gone := &hashWaiter{granted: make(chan bool, 1)}
	queue.enter(gone)
	next := wait(t, queue, Rank{})
	queue.freeSlot(0)
	queue.withdraw(gone)
	require.NoError(t, (<-next).err)
	require.Empty(t, queue.waiting)
}

func TestHashesUseHalfOfTheProcessors(t *testing.T) {
	require.Equal(t, max(1, runtime.GOMAXPROCS(0)/2), New(Cost{}, false).queue.free)
}

func TestQueueIsLIFOForAnonymousAndFIFOForKnown(t *testing.T) {
	queue := newHashQueue(0, 4)
	queue.after = func(_ time.Duration, fn func()) { fn() }
	order := []<-chan waiter{
		2: wait(t, queue, Rank{Anonymous: true, Tries: 1}),
		1: wait(t, queue, Rank{Anonymous: true, Tries: 1}),
		0: wait(t, queue, Rank{}),
	}
	order = append(order[:1], append([]<-chan waiter{wait(t, queue, Rank{})}, order[1:]...)...)
	queue.freeSlot(0)
	for _, next := range order {
		served := <-next
		require.NoError(t, served.err)
		served.slot.ReleaseAfterCooldown()
	}
}

package access

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
)

// waiter is somebody who asked turns for a place.
type waiter struct {
	place *place
	err   error
}

// wait has somebody wait for a place, and returns when it does or was answered.
func wait(t *testing.T, turns *turns, r rank) <-chan waiter {
	t.Helper()
	turns.mu.Lock()
	before := len(turns.waiting)
	turns.mu.Unlock()
	answered := make(chan waiter, 1)
	go func() {
		place, err := turns.take(context.Background(), r, time.Minute)
		answered <- waiter{place, err}
	}()
	require.Eventually(t, func() bool {
		turns.mu.Lock()
		defer turns.mu.Unlock()
		return len(turns.waiting) > before || len(turns.waiting) == turns.room || len(answered) > 0
	}, time.Minute, time.Millisecond)
	return answered
}

func TestWhoComesOftenestIsTurnedAwayAtOnceAndWhoComesForTheFirstTimeGoesFirst(t *testing.T) {
	turns := newTurns(0, 3)
	turns.after = func(_ time.Duration, fn func()) { fn() }
	sixth := wait(t, turns, rank{anonymous: true, tries: 6})
	seventh := wait(t, turns, rank{anonymous: true, tries: 7})
	known := wait(t, turns, rank{})
	first := wait(t, turns, rank{anonymous: true, tries: 1})

	turnedAway := <-seventh
	requireCode(t, apperr.RateLimited, turnedAway.err)
	require.Equal(t, comeBack, retryAfter(t, turnedAway.err))
	eighth := <-wait(t, turns, rank{anonymous: true, tries: 8})
	requireCode(t, apperr.RateLimited, eighth.err)

	turns.giveBack(0)
	for _, next := range []<-chan waiter{known, first, sixth} {
		served := <-next
		require.NoError(t, served.err)
		served.place.rest()
	}
	require.Equal(t, 1, turns.free)
}

func TestAPlaceRestsAfterAWrongGuessAndNotAfterSomebodyWhoIsKnown(t *testing.T) {
	turns := newTurns(1, 1)
	var rested []func()
	turns.after = func(rest time.Duration, fn func()) {
		require.Positive(t, rest)
		rested = append(rested, fn)
	}
	right, err := turns.take(t.Context(), rank{anonymous: true}, time.Minute)
	require.NoError(t, err)
	right.leave()
	right.rest()
	require.Empty(t, rested, "the password was right")
	wrong, err := turns.take(t.Context(), rank{anonymous: true}, time.Minute)
	require.NoError(t, err)
	wrong.rest()
	wrong.leave()
	require.Len(t, rested, 1, "a place is given back once")
	stranger := wait(t, turns, rank{anonymous: true})
	require.Empty(t, stranger)

	known, err := turns.take(t.Context(), rank{}, time.Minute)
	require.NoError(t, err, "who is known does not wait for a rest")
	known.rest()
	require.Empty(t, stranger)
	rested[0]()
	require.NoError(t, (<-stranger).err)
	require.Len(t, rested, 1)
}

func TestAPlaceThatWasGrantedToSomebodyWhoLeftGoesToTheNext(t *testing.T) {
	turns := newTurns(0, 2)
	gone := &turn{granted: make(chan bool, 1)}
	turns.enter(gone)
	next := wait(t, turns, rank{})
	turns.giveBack(0)
	turns.withdraw(gone)
	require.NoError(t, (<-next).err)
	require.Empty(t, turns.waiting)
}

func TestPasswordsAreHashedOnHalfOfTheProcessorsAtMost(t *testing.T) {
	require.Equal(t, max(1, runtime.GOMAXPROCS(0)/2), newPasswords().turns.free)
}

func TestOfStrangersWhoCameAsOftenTheLastGoesFirstAndOfThoseWhoAreKnownTheFirst(t *testing.T) {
	turns := newTurns(0, 4)
	turns.after = func(_ time.Duration, fn func()) { fn() }
	order := []<-chan waiter{
		2: wait(t, turns, rank{anonymous: true, tries: 1}),
		1: wait(t, turns, rank{anonymous: true, tries: 1}),
		0: wait(t, turns, rank{}),
	}
	order = append(order[:1], append([]<-chan waiter{wait(t, turns, rank{})}, order[1:]...)...)
	turns.giveBack(0)
	for _, next := range order {
		served := <-next
		require.NoError(t, served.err)
		served.place.rest()
	}
}

package callers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/secrets"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage/storagetest"
)

func TestCachedCallerIsNotReadWhileUnchanged(t *testing.T) {
	db, statements := storagetest.TappedMariaDB(t)
	h := newFixture(t, db)
	elsewhere := newProcess(db, h.clock)
	robot := h.crowd(t, 2)[1]
	ask := func() (int, error) {
		statements.Take()
		_, err := elsewhere.Authenticate(robot.Request())
		return readsOf(statements.Take()), err
	}
	asks := func(want int) {
		t.Helper()
		n, err := ask()
		require.NoError(t, err)
		if want == 0 {
			require.Zero(t, n)
		} else {
			require.Positive(t, n)
		}
	}
	known := elsewhere.checkRevisions(t.Context(), -1)
	asks(1)
	for range 20 { // 18 seconds
		h.clock.Advance(900 * time.Millisecond)
		known = elsewhere.checkRevisions(t.Context(), known)
		asks(0)
	}
	h.clock.Advance(3 * time.Second)
	known = elsewhere.checkRevisions(t.Context(), known)
	asks(1) // reads the row that was changed by hand

	h.clock.Advance(time.Second)
	asks(1) // no check confirmed the revisions

	h.clock.Advance(500 * time.Millisecond)
	known = elsewhere.checkRevisions(t.Context(), known)
	h.revoke(t, robot)
	asks(0) // within callerTTL
	h.clock.Advance(400 * time.Millisecond)
	elsewhere.checkRevisions(t.Context(), known)
	_, err := ask()
	requireCode(t, apperr.InvalidCredentials, err)
}

// An expiry changes no row.
func TestCachedCallerExpiresWithItsCredential(t *testing.T) {
	read := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	c := &Caller{readTime: read, ends: read.Add(10 * time.Second)}
	for after, want := range map[time.Duration]bool{
		-time.Microsecond: false, 0: true, 9 * time.Second: true, 10 * time.Second: false,
	} {
		now := read.Add(after)
		require.Equal(t, want, c.fresh(now, now), after)
	}
	require.False(t, c.fresh(read.Add(5*time.Second), read.Add(6*time.Second)), "a clock that was set back proves nothing")
}

func TestCacheOfCallersIsBounded(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	g := h.callers.current.Load()
	remember := func(i int) { g.put(&Caller{shown: credential{hash: secrets.Digest{byte(i), byte(i >> 8)}}}) }
	for i := range maxCallers {
		remember(i)
	}
	remember(0)
	require.Len(t, g.byCredential, maxCallers, "one that is read again replaces itself")
	remember(maxCallers)
	require.Len(t, g.byCredential, 1, "a new one finds no room")
}

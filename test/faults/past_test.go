package faults_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
	"interlock/test/racing"
	"interlock/test/tier"
)

// A replica that lacks the last commits becomes the primary: all connections end, and the new ones
// lead to a slightly older state, without notice. Once the process has detected the new
// connections, it replays no response with a lost effect: a repeat executes the deed again.
// Proves R2.
func TestFailoverToAnOlderStateReplaysNoLostReply(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	random := racing.Seeded(t)
	between, direct, _, c := behindProxy(t)
	rs := newRounds(t, random, direct)
	rs.wentBack = true
	for range 50 {
		r := rs.next(t, c)
		goBack := storagetest.Past(t, direct)
		lost := r.again(t, c)
		require.False(t, isReplay(lost), r.what)
		r.requireEffects(t, 1)
		between.cut()
		goBack()
		between.restore()
		requireRead(t, c)

		answer := r.again(t, c)
		require.False(t, isReplay(answer), "%s: the effect is lost", r.what)
		r.settle(t, c, answer)
	}
}

// requireRead reads until the database is reached.
func requireRead(t *testing.T, c *apptest.Caller) {
	t.Helper()
	until, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	for {
		answer, err := c.Try(until, http.MethodGet, "/api/v1/items", nil)
		require.NoError(t, err)
		if answer.Status == http.StatusOK {
			return
		}
		pause(until, 5*time.Millisecond)
	}
}

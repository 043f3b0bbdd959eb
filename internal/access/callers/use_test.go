package callers

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// lastUses returns the number of credentials in the fixture's tenant with this last use.
func (h *fixture) lastUses(t *testing.T, at time.Time) (n int) {
	t.Helper()
	for _, table := range []string{"sessions", "api_tokens"} {
		var used int
		require.NoError(t, h.db.Read(storage.AcrossTenants(t.Context())).
			Raw("SELECT COUNT(*) FROM "+table+" WHERE tenant_id = ? AND last_used_time = ?", h.tenant.ID, at).Scan(&used).Error)
		n += used
	}
	return n
}

func TestLastUsesAreWrittenInBatches(t *testing.T) {
	h, process, statements := tappedProcess(t)
	crowd := h.crowd(t, 300)
	for _, o := range crowd {
		_, err := process.Authenticate(o.Request())
		require.NoError(t, err)
	}
	statements.Take()
	require.NoError(t, process.WriteUses(t.Context()))
	written := statements.Take()
	slices.Sort(written)
	require.Equal(t, []string{"UPDATE api_tokens", "UPDATE sessions"}, written)
	require.Equal(t, len(crowd), h.lastUses(t, h.clock.Now()))

	for _, o := range crowd {
		_, err := process.Authenticate(o.Request())
		require.NoError(t, err)
	}
	require.NoError(t, process.WriteUses(t.Context()))
	require.Empty(t, statements.Take(), "once a minute")
}

func TestLastUsesAreWrittenInBackgroundAndAtStop(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		crowd := h.crowd(t, 2)
		services := h.watch(t)
		began := h.clock.Now()
		_, err := h.Authenticate(crowd[0].Request())
		require.NoError(t, err)
		require.NoError(t, services.RunNow(t.Context(), "refresh cached callers"))
		require.Equal(t, 1, h.lastUses(t, began))

		_, err = h.Authenticate(crowd[1].Request())
		require.NoError(t, err)
		services.Stop(t.Context())
		require.Equal(t, 2, h.lastUses(t, began))
	})
}

package customers

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// Proves E7.
func TestWalkSkipsRowsOfOtherCustomers(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, kim := New(Deps{DB: db}), principal.CustomerID("kim@example.org")
		theirs, _ := principal.From(storagetest.Tenant(t))
		ours, _ := principal.From(ctx)
		transfers(t, db.Write(storage.AcrossTenants(ctx)), theirs.TenantID, kim, rowsPerRead)
		known, err := s.Known(ctx, kim)
		require.NoError(t, err)
		require.Zero(t, known)
		transfers(t, db.Write(ctx), ours.TenantID, kim, 1)
		known, err = s.Known(ctx, kim)
		require.NoError(t, err)
		require.Equal(t, 3, known, "the wallet, its entry and the counterpart")
	})
}

package change

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

func TestRepeatedlyOvertakenMergeReturnsLocked(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		seen := newThing(t, ctx, db)
		r := replicas(db, 1)[0]
		runs := 0
		r.Write = func(context.Context, *uow.Unit, *storagetest.Thing, guard.Set) error {
			runs++
			return guard.ErrStale
		}
		_, err := r.edit(ctx, seen, `{"name":"two"}`, nil)
		require.True(t, apperr.Has(err, apperr.ResourceLocked), "%v", err)
		require.ErrorIs(t, err, guard.ErrStale)
		require.Greater(t, runs, 1)
		r.become(t, ctx, seen.ID, 1, content{"one", 0, 0})
	})
}

package storage_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

func TestInsertBindsRowsToTheirTenant(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		tx, err := db.Begin(ctx, ctx)
		require.NoError(t, err)
		defer tx.Rollback()
		thing := func(name string) storagetest.Thing {
			thing := storagetest.Thing{Name: name}
			thing.CreatedTime, thing.UpdatedTime = time.Now(), time.Now()
			return thing
		}
		first, second := thing("one"), thing("two")
		first.TenantID = 4711 // the context has another
		require.NoError(t, storage.Insert(tx, &first))
		require.NoError(t, storage.Insert(tx, &second))
		require.Positive(t, first.ID)
		require.Greater(t, second.ID, first.ID)
		caller, _ := principal.From(ctx)
		require.Equal(t, caller.TenantID, first.TenantID)
		require.True(t, storage.Is(storage.Insert(tx, &first), storage.DuplicateKey), "a row with an id retains it")

		require.NoError(t, storage.InsertDeferred(tx, thing("three"), thing("four")))
		require.NoError(t, storage.InsertDeferred[storagetest.Thing](tx), "no rows")
		var names []string
		require.NoError(t, tx.Model(&storagetest.Thing{}).Order("id").Pluck("name", &names).Error)
		require.Equal(t, []string{"one", "two", "three", "four"}, names)

		anonymous := tx.WithContext(context.Background())
		require.ErrorIs(t, storage.Insert(anonymous, &storagetest.Thing{}), storage.ErrNoTenant)
		type orphan struct{ ID int64 }
		require.ErrorIs(t, storage.Insert(tx, &orphan{}), storage.ErrNoTenant)
	})
}

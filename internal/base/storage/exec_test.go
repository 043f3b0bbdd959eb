package storage_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// The rules of GORM's plugins also apply to statements that bypass GORM.
func TestRawStatementsPassTheSameChecks(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		storagetest.CreateThings(t, ctx, db)
		require.NoError(t, db.Transact(ctx, life, addThing("one")))
		tx, err := db.Begin(ctx, ctx)
		require.NoError(t, err)
		defer tx.Rollback()
		var wrote atomic.Bool
		storage.MarkWrites(tx, &wrote)

		_, err = storage.Exec(tx, "UPDATE things SET amount = 1")
		require.ErrorIs(t, err, storage.ErrNoTenant)
		changed, err := storage.Exec(tx, "UPDATE things SET amount = ? WHERE tenant_id = 0", 1)
		require.NoError(t, err)
		require.Zero(t, changed)
		require.False(t, wrote.Load(), "it changed nothing")
		changed, err = storage.Exec(tx, "UPDATE things SET amount = ? WHERE tenant_id > 0 AND name = ?", 1, "one")
		require.NoError(t, err)
		require.EqualValues(t, 1, changed)
		require.True(t, wrote.Load())
		_, err = storage.Exec(tx, "INSERT INTO things SELECT * FROM things WHERE tenant_id > 0")
		require.True(t, storage.Is(err, storage.DuplicateKey), "%v", err)
	})
}

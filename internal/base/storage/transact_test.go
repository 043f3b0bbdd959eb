package storage_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

var (
	conflict  = storagetest.Refusal{Number: 1213, Message: "Deadlock found when trying to get lock"}
	undecided = storagetest.Refusal{Number: 1205, Message: "Lock wait timeout exceeded"}
)

func TestRolledBackTransactionRunsAgain(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	raced := errors.Join(errors.New("another one was first"), storage.ErrRunAgain)
	runs := 0
	require.NoError(t, db.Transact(ctx, life, func(tx *gorm.DB) error {
		switch runs++; runs {
		case 1:
			tap.RefuseNext("COMMIT", conflict)
		case 2:
			return errors.Join(addThing("rolled back")(tx), raced)
		}
		return addThing("added")(tx)
	}))
	require.Equal(t, 3, runs)
	require.Equal(t, []string{"added"}, names(t, ctx, db))

	runs = 0
	err := db.Transact(ctx, life, func(*gorm.DB) error {
		runs++
		return raced
	})
	require.ErrorIs(t, err, storage.ErrRunAgain)
	require.Equal(t, storage.MaxRuns, runs, "and then the conflict is returned")
}

func TestUndecidedCommitIsRetriedOnlyIfIdempotent(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db, tap := storagetest.TappedMariaDB(t)
	storagetest.CreateThings(t, ctx, db)
	runs := 0
	add := func(tx *gorm.DB) error {
		if runs++; runs == 1 {
			tap.RefuseNext("COMMIT", undecided)
		}
		return addThing("added")(tx)
	}
	require.True(t, storage.Undecided(db.Transact(ctx, life, add)))
	require.Equal(t, 1, runs)
	require.Empty(t, names(t, ctx, db))

	runs = 0
	require.NoError(t, db.TransactRepeatable(ctx, life, add))
	require.Equal(t, 2, runs)
	require.Equal(t, []string{"added"}, names(t, ctx, db))

	runs = 0
	failed := errors.New("failed")
	err := db.TransactRepeatable(ctx, life, func(*gorm.DB) error {
		if runs++; runs == 2 {
			return failed
		}
		tap.RefuseNext("COMMIT", undecided)
		return nil
	})
	require.ErrorIs(t, err, failed)
	require.True(t, storage.Undecided(err), "the first run may be committed")
}

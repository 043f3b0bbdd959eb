package config_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// Two registries on one database are two processes: one can make the other's cache stale.
func TestStaleCacheNeverDecidesAnEdit(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		here, elsewhere := newRegistry(t, ctx, db), newRegistry(t, ctx, db)
		seen := here.create("a", object(`{"n":1}`))
		_, err := elsewhere.edit(elsewhere.as("Li"), "a", seen.Ref(), `{"value":{"n":2}}`, false)
		require.NoError(t, err)

		for name, patch := range map[string]string{
			"an edit":                      `{"value":{"n":3}}`,
			"an edit of another field":     `{"remark":"mine"}`,
			"an edit to the earlier value": `{"value":{"n":1}}`,
			"an edit that breaks a rule":   `{"valueType":"number"}`,
		} {
			again := newRegistry(t, ctx, db)
			again.Cache(ctx, seen)
			before := again.traces()
			_, err := again.edit(ctx, "a", seen.Ref(), patch, false)
			require.True(t, apperr.Has(err, apperr.VersionConflict), "%s: %v", name, err)
			require.ErrorContains(t, err, "Li")
			require.Equal(t, before, again.traces(), name)
		}

		edited, err := here.edit(ctx, "a", seen.Ref(), `{"remark":"mine"}`, true)
		require.NoError(t, err)
		require.Equal(t, []string{"/value/n"}, edited.Merged.KeptTheirs)
	})
}

func TestCachedDeletedConfigIsNotFound(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		here, elsewhere := newRegistry(t, ctx, db), newRegistry(t, ctx, db)
		seen := here.create("a", object(`{"n":1}`))
		require.NoError(t, elsewhere.delete("a", seen.Ref()))
		_, err := here.edit(ctx, "a", seen.Ref(), `{"value":{"n":2}}`, false)
		require.True(t, apperr.Has(err, apperr.NotFound), "%v", err)

		made := elsewhere.create("a", object(`{"n":5}`))
		here.Cache(ctx, seen)
		_, err = here.edit(ctx, "a", made.Ref(), `{"value":{"n":6}}`, false)
		require.NoError(t, err, "the config that was created again")

		here.Cache(ctx, here.get("a"))
		require.NoError(t, elsewhere.delete("a", elsewhere.get("a").Ref()))
		elsewhere.create("a", object(`{"n":7}`))
		_, err = here.edit(ctx, "a", made.Ref(), `{"remark":"mine"}`, true)
		require.True(t, apperr.Has(err, apperr.VersionConflict), "merged into the one that was created again: %v", err)
	})
}

// The cached version was lost in a restore, and another user has written it again.
// Proves R6.
func TestEpochChangeInvalidatesCache(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		here := newRegistry(t, ctx, db)
		first := here.create("a", object(`{"n":1}`))
		goBack := storagetest.Past(t, db.URL)
		lost := here.mustEdit("a", first.Ref(), `{"value":{"n":2}}`)
		goBack()
		was, err := epoch.Read(ctx, db)
		require.NoError(t, err)
		_, err = epoch.Change(ctx, db, was, clock.System{}.Now(), "It was restored.")
		require.NoError(t, err)
		require.NoError(t, here.Epochs.Check(ctx))

		elsewhere := newRegistry(t, ctx, db)
		theirs := elsewhere.mustEdit("a", first.Ref(), `{"value":{"n":3}}`)
		require.Equal(t, lost.Ref(), theirs.Ref())
		after := here.mustEdit("a", theirs.Ref(), `{"remark":"mine"}`)
		require.JSONEq(t, `{"n":3}`, string(after.Value))
	})
}

func TestCacheIsSeparatedByTenant(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		seen := w.create("a", object(`{"n":1}`))
		p, _ := principal.From(storagetest.Tenant(t))
		_, err := w.edit(principal.With(ctx, p), "a", seen.Ref(), `{"value":{"n":2}}`, false)
		require.True(t, apperr.Has(err, apperr.NotFound), "%v", err)
	})
}

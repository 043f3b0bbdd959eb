package config_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/config"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/test/racing"
)

func (w *registry) batch(note string, changes ...config.Change) (results []config.Result, err error) {
	for i := range changes {
		changes[i].Index = i
	}
	err = w.do(w.Ctx, func(ctx context.Context, u *uow.Unit) error {
		results, err = w.Batch(ctx, u, note, changes)
		return err
	})
	return results, err
}

func setting(row *config.Config, value string) config.Change {
	return config.Change{
		Key: row.Key, Op: config.OpUpdate, IfMatch: guard.Precondition{Ref: row.Ref()}, Patch: map[string]any{"value": value},
	}
}

func creating(key, value string) config.Change {
	return config.Change{Key: key, Op: config.OpCreate, Content: text(value)}
}

func deleting(row *config.Config) config.Change {
	return config.Change{Key: row.Key, Op: config.OpDelete, IfMatch: guard.Precondition{Ref: row.Ref()}}
}

func TestBatchIsAppliedCompletelyWithOneAuditRow(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		a, b, c := w.create("a", text("1")), w.create("b", text("1")), w.create("c", text("same"))
		before := w.traces()

		results, err := w.batch("spring cleaning", setting(b, "2"), creating("d", "new"), deleting(a), setting(c, "same"))
		require.NoError(t, err)

		require.Equal(t, `"2"`, w.get("b").Value)
		require.Equal(t, `"new"`, w.get("d").Value)
		_, err = w.Get(ctx, "a")
		rejectedWith(t, err, apperr.NotFound)
		require.Equal(t, []config.Result{
			{Index: 0, Key: "b", Op: config.OpUpdate, Version: 2, ETag: w.get("b").Ref().ETag()},
			{Index: 1, Key: "d", Op: config.OpCreate, Version: 1, ETag: w.get("d").Ref().ETag()},
			{Index: 2, Key: "a", Op: config.OpDelete, Version: 2},
			{Index: 3, Key: "c", Op: config.OpUpdate, Version: 1, ETag: c.Ref().ETag()},
		}, results)
		require.Equal(t, traces{before.configs, before.histories + 3, before.audits + 1}, w.traces())
		require.Equal(t, "spring cleaning", w.historyOf("b")[0].Note)
	})
}

func TestBatchConflictNamesEveryStaleMember(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		stale, fresh, taken, gone := w.create("stale", text("1")), w.create("fresh", text("1")), w.create("taken", text("1")), w.create("gone", text("1"))
		current := w.mustEdit("stale", stale.Ref(), `{"value":"theirs","remark":"r"}`)
		require.NoError(t, w.delete("gone", gone.Ref()))
		before := w.traces()

		_, err := w.batch("", setting(fresh, "2"), setting(stale, "mine"), creating("new", "x"), creating("taken", "x"), deleting(gone))

		e := problemOf(t, err, apperr.BatchConflict)
		conflicts := e.Members["conflicts"].([]map[string]any)
		require.Len(t, conflicts, 3)
		for i, want := range []struct {
			index int
			key   string
			code  apperr.Code
		}{{1, "stale", apperr.VersionConflict}, {3, "taken", apperr.AlreadyExists}, {4, "gone", apperr.NotFound}} {
			require.Equal(t, want.index, conflicts[i]["index"])
			require.Equal(t, want.key, conflicts[i]["key"])
			require.Equal(t, want.code, conflicts[i]["code"])
			require.NotEmpty(t, conflicts[i]["detail"])
		}
		require.Equal(t, current.View(), conflicts[0]["current"])
		require.Equal(t, stale.View(), conflicts[0]["base"])
		require.Equal(t, []string{"/remark"}, conflicts[0]["theirsOnly"])
		require.Equal(t, taken.Ref().ETag(), conflicts[1]["currentEtag"])
		require.Equal(t, before, w.traces())
		require.Equal(t, `"1"`, w.get("fresh").Value)
	})
}

func TestInvalidBatchNamesEveryViolation(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		a := w.create("a", config.Content{Value: `1`})
		before := w.traces()
		_, err := w.batch("",
			creating("good", "x"),
			setting(a, "not a number"),
			creating("bad key", "x"),
			config.Change{Key: "b", Op: config.OpCreate, Content: config.Content{Value: `{"n":1}`, Schema: `{"properties":{"n":{"type":"string"}}}`}})
		e := problemOf(t, err, apperr.ValidationFailed)
		require.Equal(t, []string{"/changes/1/patch/value", "/changes/2/key", "/changes/3/patch/value/n"}, pointers(e.Fields))
		require.Equal(t, before, w.traces())
	})
}

// All racers read the same versions and order their members differently: without a common lock
// order, the batches would deadlock.
func TestOneOfConcurrentBatchesWinsCompletely(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		var rows []*config.Config
		for i := range 8 {
			rows = append(rows, w.create(fmt.Sprintf("k%d", i), text("start")))
		}
		errs := racing.Errors(16, func(racer int) error {
			var changes []config.Change
			for i := range rows {
				row := rows[(i*(1+2*(racer%4))+racer)%len(rows)]
				changes = append(changes, setting(row, fmt.Sprint(racer)))
			}
			_, err := w.batch("", changes...)
			return err
		})
		winner := slices.Index(errs, nil)
		require.NotEqual(t, -1, winner)
		for racer, err := range errs {
			if racer != winner {
				conflicts := problemOf(t, err, apperr.BatchConflict).Members["conflicts"].([]map[string]any)
				require.Len(t, conflicts, len(rows))
			}
		}
		for _, row := range rows {
			require.Equal(t, fmt.Sprintf(`"%d"`, winner), w.get(row.Key).Value)
			require.EqualValues(t, 2, w.get(row.Key).Version)
		}
		require.Zero(t, w.deadlocks.Load())
	})
}

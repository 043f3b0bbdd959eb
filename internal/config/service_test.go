package config_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/merge"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/config"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/test/racing"
)

// racers is the number of concurrent editors.
const racers = 50

// Proves G1.1, G6.3.
func TestOneOfFiftyEditsWinsOthersGetConflict(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		seen := w.create("race", text("base"))
		before := w.traces()

		errs := racing.Errors(racers, func(racer int) error {
			_, err := w.edit(w.as(fmt.Sprintf("admin %d", racer)), "race", seen.Ref(), fmt.Sprintf(`{"value":"mine %d"}`, racer), false)
			return err
		})

		winner := -1
		for racer, err := range errs {
			if err == nil {
				require.Equal(t, -1, winner, "two racers won")
				winner = racer
			}
		}
		require.NotEqual(t, -1, winner, "no racer won: %v", errs[0])
		now := w.get("race")
		require.Equal(t, fmt.Sprintf(`"mine %d"`, winner), now.Value)
		require.EqualValues(t, 2, now.Version)
		require.Equal(t, traces{before.configs, before.histories + 1, before.audits + 1}, w.traces())

		name := fmt.Sprintf("admin %d", winner)
		for racer, err := range errs {
			if racer == winner {
				continue
			}
			e := problemOf(t, err, apperr.VersionConflict)
			require.Contains(t, e.Detail, name)
			require.Equal(t, name, e.Members["updatedBy"].(principal.Person).Name)
			require.EqualValues(t, 1, e.Members["expectedVersion"])
			require.EqualValues(t, 2, e.Members["currentVersion"])
			require.Equal(t, now.Ref().ETag(), e.Members["currentEtag"])
			require.Equal(t, seen.View(), e.Members["base"])
			require.Equal(t, now.View(), e.Members["current"])
			require.Equal(t, []merge.Conflict{{
				Pointer: "/value",
				Base:    merge.Value{Present: true, JSON: "base"},
				Yours:   merge.Value{Present: true, JSON: fmt.Sprintf("mine %d", racer)},
				Theirs:  merge.Value{Present: true, JSON: fmt.Sprintf("mine %d", winner)},
			}}, e.Members["conflicts"])
			require.Equal(t, false, e.Members["autoMergeable"])
		}
	})
}

// Proves G1.2.
func TestFiftyDisjointEditsAllSucceed(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		seen := w.create("disjoint", object(`{}`))

		merged := make([]*change.Merged, racers)
		errs := racing.Errors(racers, func(racer int) error {
			edited, err := w.edit(w.Ctx, "disjoint", seen.Ref(), fmt.Sprintf(`{"value":{"admin%d":%d}}`, racer, racer), true)
			merged[racer] = edited.Merged
			return err
		})

		fresh := 0
		for racer, err := range errs {
			require.NoError(t, err)
			if merged[racer] == nil {
				fresh++
			} else {
				require.EqualValues(t, 1, merged[racer].FromVersion)
				require.NotEmpty(t, merged[racer].KeptTheirs)
			}
		}
		require.Equal(t, 1, fresh, "exactly one edit was not stale")
		var value map[string]int
		require.NoError(t, json.Unmarshal([]byte(w.get("disjoint").Value), &value))
		require.Len(t, value, racers)
		require.EqualValues(t, racers+1, w.get("disjoint").Version)
		require.Len(t, w.historyOf("disjoint"), racers+1)
	})
}

func TestDisjointStaleEditMergesOnlyOnRequest(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		seen := w.create("a", object(`{"timeoutMs":100,"retries":3}`))
		w.mustEdit("a", seen.Ref(), `{"value":{"timeoutMs":200},"remark":"slower"}`)

		_, err := w.edit(w.Ctx, "a", seen.Ref(), `{"value":{"retries":5}}`, false)
		e := problemOf(t, err, apperr.VersionConflict)
		require.Equal(t, true, e.Members["autoMergeable"])
		require.Equal(t, []string{"/remark", "/value/timeoutMs"}, e.Members["theirsOnly"])
		require.Equal(t, []string{"/value/retries"}, e.Members["yoursOnly"])

		edited, err := w.edit(w.Ctx, "a", seen.Ref(), `{"value":{"retries":5}}`, true)
		require.NoError(t, err)
		require.Equal(t, &change.Merged{FromVersion: 1, KeptTheirs: []string{"/remark", "/value/timeoutMs"}}, edited.Merged)
		now := w.get("a")
		require.JSONEq(t, `{"timeoutMs":200,"retries":5}`, now.Value)
		require.Equal(t, "slower", now.Remark)
		require.EqualValues(t, 3, now.Version)
	})
}

func TestConflictingMembersAreNotMerged(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		seen := w.create("a", object(`{"timeoutMs":100,"retries":3}`))
		w.mustEdit("a", seen.Ref(), `{"value":{"timeoutMs":200}}`)

		_, err := w.edit(w.Ctx, "a", seen.Ref(), `{"value":{"timeoutMs":300,"retries":5}}`, true)
		e := problemOf(t, err, apperr.VersionConflict)
		conflicts := e.Members["conflicts"].([]merge.Conflict)
		require.Len(t, conflicts, 1)
		require.Equal(t, "/value/timeoutMs", conflicts[0].Pointer)
		require.JSONEq(t, `{"timeoutMs":200,"retries":3}`, w.get("a").Value)
	})
}

func TestMergeResultIsValidated(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		content := object(`{"low":1,"high":2}`)
		content.Schema = `{"properties":{"low":{"type":"number"}},"maxProperties":2}`
		seen := w.create("a", content)
		w.mustEdit("a", seen.Ref(), `{"value":{"low":null,"middle":1}}`)

		_, err := w.edit(w.Ctx, "a", seen.Ref(), `{"value":{"higher":3}}`, true)
		e := problemOf(t, err, apperr.ValidationFailed)
		require.Equal(t, []string{"/value"}, pointers(e.Fields))
		require.JSONEq(t, `{"high":2,"middle":1}`, w.get("a").Value)
	})
}

func TestEmptyEditWritesNothing(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		seen := w.create("a", object(`{"z":1.0,"a":[1,2]}`))
		before := w.traces()
		for _, patch := range []string{`{}`, `{"value":{"z":1}}`, `{"value":{"a":[1,2]},"remark":""}`, `{"valueType":"json"}`} {
			require.EqualValues(t, 1, w.mustEdit("a", seen.Ref(), patch).Version, patch)
		}
		require.Equal(t, before, w.traces())
		require.Equal(t, `{"z":1.0,"a":[1,2]}`, w.get("a").Value)
	})
}

func TestRemarkEditRetainsValueText(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		seen := w.create("a", object(`{"z": 1.50, "a": "\u00fc"}`))
		w.mustEdit("a", seen.Ref(), `{"remark":"new"}`)
		require.Equal(t, `{"z":1.50,"a":"ü"}`, w.get("a").Value)
	})
}

// Proves G1.7.
func TestRecreatedKeyRejectsOldETag(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		first := w.create("a", text("old"))
		require.NoError(t, w.delete("a", first.Ref()))
		_, err := w.Get(ctx, "a")
		rejectedWith(t, err, apperr.NotFound)

		second := w.create("a", text("new"))
		require.EqualValues(t, 1, second.Version)
		require.NotEqual(t, first.Ref().ETag(), second.Ref().ETag())
		for _, disjoint := range []bool{false, true} {
			_, err = w.edit(ctx, "a", first.Ref(), `{"value":"late"}`, disjoint)
			e := problemOf(t, err, apperr.VersionConflict)
			require.Nil(t, e.Members["base"])
			require.Nil(t, e.Members["expectedVersion"])
			require.Equal(t, second.View(), e.Members["current"])
		}
		rejectedWith(t, w.delete("a", first.Ref()), apperr.VersionConflict)
		require.Equal(t, `"new"`, w.get("a").Value)

		var actions []string
		for _, h := range w.historyOf("a") {
			actions = append(actions, fmt.Sprintf("%s %d %s", h.Action, h.Version, h.Value))
		}
		require.Equal(t, []string{`create 1 "new"`, `delete 2 "old"`, `create 1 "old"`}, actions)
	})
}

func TestHistorySurvivesDeletion(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		row := w.create("a", text("x"))
		require.NoError(t, w.delete("a", row.Ref()))
		require.Len(t, w.historyOf("a"), 2)
		for _, key := range []string{"never", "a ", "bad key"} {
			_, err := w.KeyWithHistory(ctx, key)
			rejectedWith(t, err, apperr.NotFound)
		}
	})
}

func TestHistoryIsPagedNewestFirst(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		row := w.create("a", text("0"))
		for i := range 6 {
			row = w.mustEdit("a", row.Ref(), fmt.Sprintf(`{"value":"%d"}`, i+1))
		}
		var versions []int64
		page := storage.Page{Limit: 3}
		for {
			listing, err := w.History(ctx, "a", page)
			require.NoError(t, err)
			require.EqualValues(t, 7, listing.Total)
			for _, h := range listing.Rows {
				versions = append(versions, h.Version)
				require.Equal(t, fmt.Sprintf(`"%d"`, h.Version-1), h.Value)
			}
			if listing.Next == nil {
				break
			}
			page.Cursor = *listing.Next
		}
		require.Equal(t, []int64{7, 6, 5, 4, 3, 2, 1}, versions)
	})
}

func TestRollbackIsNewVersionWithOldContent(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		one := w.create("a", config.Content{Value: `5`, Remark: "first"})
		two := w.mustEdit("a", one.Ref(), `{"value":{"deep":1},"valueType":"json","remark":"second","schema":{"type":"object"}}`)
		before := w.traces()

		three, err := w.rollback("a", config.Rollback{IfMatch: guard.Precondition{Ref: two.Ref()}, ToVersion: 1, Note: "it was better"})
		require.NoError(t, err)
		require.EqualValues(t, 3, three.Version)
		now := w.get("a")
		require.Equal(t, one.Content, now.Content)
		require.Equal(t, three.Ref(), now.Ref())
		require.Equal(t, traces{before.configs, before.histories + 1, before.audits + 1}, w.traces())
		newest := w.historyOf("a")[0]
		require.Equal(t, config.RolledBack, newest.Action)
		require.Equal(t, "it was better", newest.Note)
		require.Equal(t, one.Content, newest.Content)
	})
}

func TestInvalidRollbackIsRejected(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		one := w.create("a", text("1"))
		two := w.mustEdit("a", one.Ref(), `{"value":"2"}`)
		before := w.traces()

		_, err := w.rollback("a", config.Rollback{IfMatch: guard.Precondition{Ref: one.Ref()}, ToVersion: 1})
		e := problemOf(t, err, apperr.VersionConflict)
		require.Equal(t, one.View(), e.Members["base"])
		require.Equal(t, []string{"/value"}, e.Members["theirsOnly"])
		require.Equal(t, false, e.Members["autoMergeable"])

		for _, version := range []int64{-1, 0, 3} {
			_, err = w.rollback("a", config.Rollback{IfMatch: guard.Precondition{Ref: two.Ref()}, ToVersion: version})
			require.Equal(t, []string{"/toVersion"}, pointers(problemOf(t, err, apperr.ValidationFailed).Fields))
		}
		require.Equal(t, before, w.traces())
	})
}

func TestRollbackIsValidatedByCurrentRules(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		one := w.create("a", text("fine"))
		two := w.mustEdit("a", one.Ref(), `{"value":"2"}`)
		// Simulates weaker rules at the time of version 1.
		p, _ := principal.From(ctx)
		require.NoError(t, db.Write(ctx).Exec("UPDATE config_histories SET value_type = 'number' WHERE tenant_id = ? AND config_id = ? AND version = 1", p.TenantID, one.ID).Error)
		_, err := w.rollback("a", config.Rollback{IfMatch: guard.Precondition{Ref: two.Ref()}, ToVersion: 1})
		require.Equal(t, []string{"/value"}, pointers(problemOf(t, err, apperr.ValidationFailed).Fields))
		require.Equal(t, `"2"`, w.get("a").Value)
	})
}

func TestConcurrentCreatesReturnTheWinner(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		errs := racing.Errors(20, func(racer int) error {
			return w.do(ctx, func(ctx context.Context, u *uow.Unit) error {
				_, err := w.Create(ctx, u, "new", text(fmt.Sprint(racer)))
				return err
			})
		})
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
				continue
			}
			e := problemOf(t, err, apperr.AlreadyExists)
			require.Equal(t, w.get("new").View(), e.Members["current"])
		}
		require.Equal(t, 1, won)
		require.Equal(t, traces{1, 1, 1}, w.traces())
	})
}

func TestConfigsOfAnotherTenantAreNotFound(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		row := w.create("a", text("mine"))
		other := newRegistry(t, storagetest.Tenant(t), db)

		_, err := other.Get(other.Ctx, "a")
		rejectedWith(t, err, apperr.NotFound)
		_, err = other.KeyWithHistory(other.Ctx, "a")
		rejectedWith(t, err, apperr.NotFound)
		_, err = other.edit(other.Ctx, "a", row.Ref(), `{"value":"theirs"}`, true)
		rejectedWith(t, err, apperr.NotFound)
		rejectedWith(t, other.delete("a", row.Ref()), apperr.NotFound)
		other.create("a", text("own"))
		require.Equal(t, `"mine"`, w.get("a").Value)
	})
}

func TestEditOfDeletedConfigIsNotFound(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		row := w.create("a", text("x"))
		require.NoError(t, w.delete("a", row.Ref()))
		for _, disjoint := range []bool{false, true} {
			err := w.do(ctx, func(ctx context.Context, u *uow.Unit) error {
				_, err := w.Edit(ctx, u, row, change.Edit{
					IfMatch: guard.Precondition{Ref: row.Ref()}, Patch: map[string]any{"value": "y"}, MergeDisjoint: disjoint,
				})
				return err
			})
			rejectedWith(t, err, apperr.NotFound)
		}
	})
}

func TestListsAreFilteredAndSorted(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		w.create("shop.tax", config.Content{Value: `7`, Remark: "In Percent, ÜBER"})
		w.create("shop.name", text("50%_off!"))
		w.create("shop", config.Content{Value: `true`})
		w.create("Shop.x", object(`{"a":1}`))
		row := w.create("mail.from", text("a@b.example"))
		w.mustEdit("mail.from", row.Ref(), `{"value":"c@d.example"}`)

		for _, c := range []struct {
			name   string
			filter config.Filter
			sort   string
			want   []string
		}{
			{"by key", config.Filter{}, "", []string{"Shop.x", "mail.from", "shop", "shop.name", "shop.tax"}},
			{"descending", config.Filter{}, "-key", []string{"shop.tax", "shop.name", "shop", "mail.from", "Shop.x"}},
			{"newest version first", config.Filter{ValueType: config.String}, "-version", []string{"mail.from", "shop.name"}},
			{"last changed first", config.Filter{ValueType: config.String}, "-updatedTime", []string{"mail.from", "shop.name"}},
			{"prefix with case", config.Filter{Prefix: "shop"}, "", []string{"shop", "shop.name", "shop.tax"}},
			{"prefix with dot", config.Filter{Prefix: "shop."}, "", []string{"shop.name", "shop.tax"}},
			{"a prefix is not a pattern", config.Filter{Prefix: "%"}, "", nil},
			{"type", config.Filter{ValueType: config.JSON}, "", []string{"Shop.x"}},
			{"text in key", config.Filter{Text: "TAX"}, "", []string{"shop.tax"}},
			{"text in remark", config.Filter{Text: "percent"}, "", []string{"shop.tax"}},
			{"text beyond ASCII", config.Filter{Text: "ÜBER"}, "", []string{"shop.tax"}},
			{"text in value", config.Filter{Text: "d.example"}, "", []string{"mail.from"}},
			{"percent and underscore are text", config.Filter{Text: "%_"}, "", []string{"shop.name"}},
			{"the escape is text", config.Filter{Text: "!"}, "", []string{"shop.name"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				listing, err := w.List(ctx, c.filter, storage.Page{Sort: c.sort})
				require.NoError(t, err)
				var keys []string
				for _, row := range listing.Rows {
					keys = append(keys, row.Key)
				}
				require.Equal(t, c.want, keys)
				require.EqualValues(t, len(c.want), listing.Total)
			})
		}
	})
}

// A version that retention deleted can be neither a merge base nor a rollback target, and the error
// must not report a deleted config.
// Proves G6.10.
func TestEditOfExpiredVersionReturnsConflict(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		one := w.create("a", text("1"))
		two := w.mustEdit("a", one.Ref(), `{"value":"2"}`)
		p, _ := principal.From(ctx)
		require.NoError(t, db.Write(ctx).Exec("DELETE FROM config_histories WHERE tenant_id = ? AND config_id = ? AND version = 1", p.TenantID, one.ID).Error)
		before := w.traces()

		patch, err := merge.Parse([]byte(`{"remark":"mine"}`))
		require.NoError(t, err)
		for name, edit := range map[string]change.Edit{
			"refused":     {},
			"merged":      {MergeDisjoint: true},
			"overwriting": {Overwrite: &change.Overwrite{Reason: "it must be so"}},
		} {
			edit.IfMatch, edit.Patch = guard.Precondition{Ref: one.Ref()}, patch
			err := w.do(ctx, func(ctx context.Context, u *uow.Unit) error {
				_, err := w.EditKey(ctx, u, "a", edit)
				return err
			})
			e := problemOf(t, err, apperr.VersionConflict)
			require.Contains(t, e.Detail, "version 1, which you edited, is no longer stored", name)
			require.NotContains(t, e.Detail, "created again", name)
			require.EqualValues(t, 1, e.Members["expectedVersion"], name)
			require.EqualValues(t, 2, e.Members["currentVersion"], name)
			require.Nil(t, e.Members["base"], name)
			require.Equal(t, false, e.Members["autoMergeable"], name)
		}
		_, err = w.rollback("a", config.Rollback{IfMatch: guard.Precondition{Ref: two.Ref()}, ToVersion: 1})
		fields := problemOf(t, err, apperr.ValidationFailed).Fields
		require.Equal(t, []string{"/toVersion"}, pointers(fields))
		require.Contains(t, fields[0].Message, "retention has deleted")
		require.Equal(t, before, w.traces())
	})
}

package config_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/config"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/test/racing"
)

const (
	// patience bounds what must happen soon.
	patience = 20 * time.Second
	// deathGrace is what the feed waits for before it passes a gap.
	deathGrace = 100 * time.Millisecond
)

func (w *world) watch(after *int64) *config.Watcher {
	w.t.Helper()
	watcher, err := w.Watch(w.ctx, after)
	require.NoError(w.t, err)
	w.t.Cleanup(watcher.Close)
	return watcher
}

func next(t *testing.T, watcher *config.Watcher) config.Event {
	t.Helper()
	select {
	case e, open := <-watcher.Events():
		require.True(t, open, "the watcher was cut off")
		return e
	case <-time.After(patience):
		require.Fail(t, "no event came")
		return config.Event{}
	}
}

// silence fails the test when an event comes within the time.
func silence(t *testing.T, watcher *config.Watcher, d time.Duration) {
	t.Helper()
	select {
	case e := <-watcher.Events():
		require.Fail(t, "an event came too early", "%+v", e)
	case <-time.After(d):
	}
}

func TestAWatcherSeesEveryChangeOfItsTenantInOrder(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newWorld(t, ctx, db)
		other := newWorld(t, storagetest.Tenant(t), db)
		w.create("before", text("x"))
		watcher := w.watch(nil)

		row := w.create("a", text("1"))
		other.create("a", text("not yours"))
		changed := w.mustEdit("a", row.Ref(), `{"value":"2"}`)
		require.NoError(t, w.delete("a", changed.Ref()))

		histories := w.historyOf("a")
		for i, action := range []config.Action{config.Created, config.Updated, config.Deleted} {
			e := next(t, watcher)
			h := histories[len(histories)-1-i]
			require.Equal(t, config.Event{
				Revision: h.ID, Key: "a", Version: int64(i + 1), ETag: guard.Ref{ID: row.ID, Version: int64(i + 1)}.ETag(),
				Action: action, ChangedBy: principal.Person{ID: 7, Name: "Tester"}, ChangedTime: h.ChangedTime,
			}, e)
		}
	})
}

func TestAWatcherResumesWithoutAGap(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newWorld(t, ctx, db)
		w.watch(nil) // keeps the feed running
		row := w.create("a", text("0"))
		for i := range 20 {
			row = w.mustEdit("a", row.Ref(), fmt.Sprintf(`{"value":"%d"}`, i+1))
		}
		histories := w.historyOf("a") // newest first
		seen := histories[15].ID
		watcher := w.watch(&seen)

		var versions []int64
		collect := func(e config.Event) error { versions = append(versions, e.Version); return nil }
		require.NoError(t, watcher.Backlog(ctx, collect))
		w.mustEdit("a", row.Ref(), `{"value":"last"}`)
		for len(versions) < 16 {
			require.NoError(t, collect(next(t, watcher)))
		}
		for i, version := range versions {
			require.EqualValues(t, 7+i, version)
		}
	})
}

func TestARevisionThatCannotBeResumedFromIsGone(t *testing.T) {
	// The test moves revisions, so it shares its database with no other.
	mariadb, err := storage.Open(t.Context(), storage.Options{URL: storagetest.NewMariaDBURL(t)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = mariadb.Close() })
	_, err = mariadb.Migrate(t.Context())
	require.NoError(t, err)
	for name, db := range map[string]*storage.DB{"sqlite": storagetest.SQLite(t), "mariadb": mariadb} {
		t.Run(name, func(t *testing.T) { refusesToResume(t, newWorld(t, storagetest.Tenant(t), db)) })
	}
}

func refusesToResume(t *testing.T, w *world) {
	w.create("a", text("x"))
	head := w.historyOf("a")[0].ID
	// The id jumps as if 20,000 revisions had come between.
	row := w.create("b", text("x"))
	p, _ := principal.From(w.ctx)
	require.NoError(t, w.db.Write(w.ctx).Exec("UPDATE config_histories SET id = id + 20000 WHERE tenant_id = ? AND config_id = ?", p.TenantID, row.ID).Error)
	newest := w.historyOf("b")[0].ID

	for _, after := range []int64{head, newest + 1, 1 << 60} {
		_, err := w.Watch(w.ctx, &after)
		var gone *config.Gone
		require.ErrorAs(t, err, &gone)
		require.LessOrEqual(t, gone.Revision, newest)
	}
	_ = w.watch(&newest)
}

func TestASlowWatcherIsCutOffAndHoldsNobodyUp(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newWorld(t, ctx, db)
		slow, quick := w.watch(nil), w.watch(nil)
		const first, second = 1000, 100 // together more than a watcher may fall behind
		for _, n := range []int{first, second} {
			rows := make([]config.ImportRow, n)
			for i := range rows {
				rows[i] = config.ImportRow{Key: fmt.Sprintf("k%d.%d", n, i), Content: text("x")}
			}
			_, err := w.importAll(config.Import{Rows: rows})
			require.NoError(t, err)
			for range n {
				next(t, quick)
			}
		}
		// What it may fall behind is buffered, and then comes the end.
		deadline := time.After(patience)
		for got, open := 0, true; open; got++ {
			require.LessOrEqual(t, got, first+second)
			select {
			case _, open = <-slow.Events():
			case <-deadline:
				require.Fail(t, "the watcher was not cut off", "after %d events", got)
			}
		}
	})
}

// rigged is a transaction that the test ends when it likes.
type rigged struct {
	tx *gorm.DB
	id int64
}

func (w *world) insertUncommitted(key string) rigged {
	w.t.Helper()
	p, _ := principal.From(w.ctx)
	tx, err := w.db.Begin(w.ctx, w.ctx)
	require.NoError(w.t, err)
	h := config.History{TenantID: p.TenantID, ConfigID: -time.Now().UnixNano(), Key: key, Version: 1, Action: config.Created, Content: text("x"), ChangedTime: time.Now().UTC().Truncate(time.Microsecond)}
	require.NoError(w.t, tx.Create(&h).Error)
	return rigged{tx: tx, id: h.ID}
}

func TestAChangeThatCommitsLateIsDeliveredBeforeLaterRevisions(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	w := newWorld(t, ctx, db)
	watcher := w.watch(nil)
	early := w.insertUncommitted("early")
	w.create("late", text("x"))
	require.Greater(t, w.historyOf("late")[0].ID, early.id)

	silence(t, watcher, 6*deathGrace)
	require.NoError(t, early.tx.Commit().Error)
	require.Equal(t, early.id, next(t, watcher).Revision)
	require.Equal(t, "late", next(t, watcher).Key)
}

func TestARevisionThatWasRolledBackHoldsNothingUp(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	w := newWorld(t, ctx, db)
	watcher := w.watch(nil)
	dead := w.insertUncommitted("dead")
	w.create("late", text("x"))
	silence(t, watcher, 3*deathGrace)

	require.NoError(t, dead.tx.Rollback().Error)
	ended := time.Now()
	require.Equal(t, "late", next(t, watcher).Key)
	require.Less(t, time.Since(ended), 30*deathGrace)
}

func TestAGapAroundADeadRevisionIsNotDeadWhileOneOfItIsInFlight(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	w := newWorld(t, ctx, db)
	watcher := w.watch(nil)
	dead, flying := w.insertUncommitted("dead"), w.insertUncommitted("flying")
	w.create("late", text("x"))
	require.NoError(t, dead.tx.Rollback().Error)

	silence(t, watcher, 6*deathGrace)
	require.NoError(t, flying.tx.Commit().Error)
	require.Equal(t, "flying", next(t, watcher).Key)
	require.Equal(t, "late", next(t, watcher).Key)
}

func TestAWatcherThatBeginsWhileARevisionIsInFlightDoesNotMissIt(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	w := newWorld(t, ctx, db)
	w.watch(nil)
	early := w.insertUncommitted("early")
	w.create("late", text("x"))
	seen := w.historyOf("late")[0].ID

	// One knows nothing yet, one has read the later revision in a history.
	fresh, resumed := w.watch(nil), w.watch(&seen)
	require.NoError(t, early.tx.Commit().Error)
	for _, watcher := range []*config.Watcher{fresh, resumed} {
		require.Less(t, watcher.Revision(), early.id)
		require.Equal(t, "early", next(t, watcher).Key)
		require.Equal(t, "late", next(t, watcher).Key)
	}
}

func TestAFeedThatStartsWhileARevisionIsInFlightDoesNotMissIt(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	w := newWorld(t, ctx, db)
	early := w.insertUncommitted("early")
	w.create("late", text("x"))
	watcher := w.watch(nil)
	require.Less(t, watcher.Revision(), early.id)
	require.NoError(t, early.tx.Commit().Error)
	require.Equal(t, "early", next(t, watcher).Key)
	require.Equal(t, "late", next(t, watcher).Key)
}

func TestUnderRacingWritersEveryWatcherSeesTheHistoryAsItIs(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newWorld(t, ctx, db)
		watcher := w.watch(nil)
		const writers, rounds = 8, 25
		refused := errors.New("rolled back on purpose")
		errs := racing.Errors(writers, func(writer int) error {
			for round := range rounds {
				key := fmt.Sprintf("k%d.%d", writer, round)
				err := w.do(ctx, func(ctx context.Context, u *uow.Unit) error {
					if _, err := w.Create(ctx, u, key, text("x")); err != nil {
						return err
					}
					if round%5 == 4 {
						return refused // leaves a dead revision on MariaDB
					}
					return nil
				})
				if err != nil && !errors.Is(err, refused) {
					return err
				}
			}
			return nil
		})
		for _, err := range errs {
			require.NoError(t, err)
		}
		last := int64(0)
		keys := map[string]bool{}
		for range writers * rounds * 4 / 5 {
			e := next(t, watcher)
			require.Greater(t, e.Revision, last)
			last = e.Revision
			keys[e.Key] = true
		}
		require.Len(t, keys, writers*rounds*4/5)
		silence(t, watcher, 3*deathGrace)
	})
}

func TestALostEventIsFoundByThePoll(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newWorld(t, ctx, db)
		watcher := w.watch(nil)
		// Another process, whose bus does not reach this one.
		newWorld(t, ctx, db).create("a", text("x"))
		require.Equal(t, "a", next(t, watcher).Key)
	})
}

func TestEachChangeIsPublishedAfterItsCommit(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newWorld(t, ctx, db)
		subscription, err := w.bus.Subscribe(ctx, config.Topic)
		require.NoError(t, err)
		defer subscription.Close()
		row := w.create("a", text("x"))
		_, err = w.edit(ctx, "a", guard.Ref{ID: row.ID, Version: 9}, `{"value":"stale"}`, false)
		require.Error(t, err)
		w.mustEdit("a", row.Ref(), `{"value":"y"}`)
		for i, action := range []string{"create", "update"} {
			event := (<-subscription.Deliveries()).Event
			require.Equal(t, []any{"configs", row.TenantID, "a"}, []any{event.Topic, event.Tenant, event.Key})
			var what events.Change
			require.NoError(t, json.Unmarshal(event.Payload, &what))
			ref := guard.Ref{ID: row.ID, Version: int64(i + 1)}
			require.Equal(t, []any{ref.Version, ref.ETag(), action, "Tester"}, []any{what.Version, what.ETag, what.Action, what.By.Name})
		}
	})
}

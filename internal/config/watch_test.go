package config_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/base/epoch"
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
	// patience bounds the wait for expected events.
	patience = 20 * time.Second
	// quiet is the time without an event after which none is expected.
	quiet = 600 * time.Millisecond
)

func (w *registry) watch(after *config.Revision) *config.Watcher {
	w.t.Helper()
	watcher, err := w.Watch(w.Ctx, after)
	require.NoError(w.t, err)
	w.t.Cleanup(watcher.Close)
	return watcher
}

// revisionOf returns the revision of the newest version of a key.
func (w *registry) revisionOf(key string) config.Revision {
	w.t.Helper()
	snapshot, err := w.Snapshot(w.Ctx, "") // assigns all positions
	require.NoError(w.t, err)
	column := "id"
	if w.DB.Dialect == storage.MySQL {
		column = "place"
	}
	var position int64
	require.NoError(w.t, w.DB.Read(w.Ctx).Model(&config.History{}).Where("`key` = ?", key).Select("MAX("+column+")").Scan(&position).Error)
	return config.Revision{Epoch: snapshot.Revision.Epoch, Position: position}
}

func next(t *testing.T, watcher *config.Watcher) config.Event {
	t.Helper()
	select {
	case e, open := <-watcher.Events():
		require.True(t, open, "the watcher was disconnected")
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

func TestWatcherReceivesTenantChangesInOrder(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		other := newRegistry(t, storagetest.Tenant(t), db)
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
				Revision: e.Revision, Key: "a", Version: int64(i + 1), ETag: guard.Ref{ID: row.ID, Version: int64(i + 1)}.ETag(),
				Action: action, ChangedBy: principal.Person{ID: 7, Name: "Tester"}, ChangedTime: h.ChangedTime,
			}, e)
		}
	})
}

func TestWatcherResumesWithoutGap(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		w.watch(nil) // the feed stays running
		row := w.create("a", text("0"))
		for i := range 20 {
			row = w.mustEdit("a", row.Ref(), fmt.Sprintf(`{"value":"%d"}`, i+1))
		}
		seen := w.revisionOf("a")
		seen.Position -= 15
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

// The test moves positions, so it needs a separate database.
func onOwnDatabases(t *testing.T, test func(t *testing.T, w *registry)) {
	mariadb, err := storage.Open(t.Context(), storage.Options{URL: storagetest.NewMariaDBURL(t)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = mariadb.Close() })
	_, err = mariadb.Migrate(t.Context())
	require.NoError(t, err)
	for name, db := range map[string]*storage.DB{"sqlite": storagetest.SQLite(t), "mariadb": mariadb} {
		t.Run(name, func(t *testing.T) { test(t, newRegistry(t, storagetest.Tenant(t), db)) })
	}
}

func TestUnknownRevisionIsGone(t *testing.T) {
	onOwnDatabases(t, func(t *testing.T, w *registry) {
		w.create("a", text("x"))
		first := w.revisionOf("a")
		if w.DB.Dialect == storage.MySQL {
			require.NoError(t, w.DB.Write(storage.AcrossTenants(w.Ctx)).Exec("UPDATE log_places SET last = last + 20000").Error)
			w.create("b", text("x"))
		} else {
			row := w.create("b", text("x"))
			p, _ := principal.From(w.Ctx)
			require.NoError(t, w.DB.Write(w.Ctx).Exec("UPDATE config_histories SET id = id + 20000 WHERE tenant_id = ? AND config_id = ?", p.TenantID, row.ID).Error)
		}
		newest := w.revisionOf("b")
		require.Greater(t, newest.Position, first.Position+20000-1)

		later, other := newest, newest
		later.Position++
		other.Epoch = "0123456789abcdef"
		for _, after := range []config.Revision{first, later, other, {Position: newest.Position}} {
			_, err := w.Watch(w.Ctx, &after)
			var gone *config.Gone
			require.ErrorAs(t, err, &gone)
			require.Equal(t, newest, gone.Revision)
		}
		_ = w.watch(&newest)
	})
}

// A restored or replaced database changes its epoch.
// Proves G6.11.
func TestEpochChangeDisconnectsWatchers(t *testing.T) {
	onOwnDatabases(t, func(t *testing.T, w *registry) {
		w.create("a", text("x"))
		watcher := w.watch(nil)
		before := watcher.Revision()
		_, err := epoch.Change(w.Ctx, w.DB, before.Epoch, time.Now(), "the test says so")
		require.NoError(t, err)
		select {
		case _, open := <-watcher.Events():
			require.False(t, open)
		case <-time.After(patience):
			require.Fail(t, "the watcher was not disconnected")
		}
		_, err = w.Watch(w.Ctx, &before)
		var gone *config.Gone
		require.ErrorAs(t, err, &gone)
		require.NotEqual(t, before.Epoch, gone.Revision.Epoch)
		_ = w.watch(&gone.Revision)
	})
}

func TestSlowWatcherIsDisconnected(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
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
		// The buffered events come first, then the channel is closed.
		deadline := time.After(patience)
		for got, open := 0, true; open; got++ {
			require.LessOrEqual(t, got, first+second)
			select {
			case _, open = <-slow.Events():
			case <-deadline:
				require.Fail(t, "the watcher was not disconnected", "after %d events", got)
			}
		}
	})
}

// rigged is a transaction that the test commits or rolls back.
type rigged struct {
	tx *gorm.DB
	id int64
}

func (w *registry) insertUncommitted(key string) rigged {
	w.t.Helper()
	p, _ := principal.From(w.Ctx)
	tx, err := w.DB.Begin(w.Ctx, w.Ctx)
	require.NoError(w.t, err)
	h := config.History{TenantID: p.TenantID, ConfigID: -time.Now().UnixNano(), Key: key, Version: 1, Action: config.Created, Content: text("x"), ChangedTime: time.Now().UTC().Truncate(time.Microsecond)}
	require.NoError(w.t, tx.Create(&h).Error)
	return rigged{tx: tx, id: h.ID}
}

// Proves G6.8.
func TestLateCommitIsDeliveredInCommitOrder(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	w := newRegistry(t, ctx, db)
	watcher := w.watch(nil)
	early := w.insertUncommitted("early")
	w.create("late", text("x"))
	require.Greater(t, w.historyOf("late")[0].ID, early.id)
	first := next(t, watcher)
	require.Equal(t, "late", first.Key, "an uncommitted version delays no other")
	resumed := first.Revision

	require.NoError(t, early.tx.Commit().Error)
	second := next(t, watcher)
	require.Equal(t, "early", second.Key)
	require.Greater(t, second.Revision.Position, first.Revision.Position)

	// A reader that resumes after the first receives the second.
	again := w.watch(&resumed)
	var keys []string
	require.NoError(t, again.Backlog(ctx, func(e config.Event) error { keys = append(keys, e.Key); return nil }))
	for len(keys) < 1 {
		keys = append(keys, next(t, again).Key)
	}
	require.Equal(t, "early", keys[0])
}

func TestRolledBackVersionDelaysNothing(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	w := newRegistry(t, ctx, db)
	watcher := w.watch(nil)
	dead := w.insertUncommitted("dead")
	w.create("late", text("x"))
	late := next(t, watcher)
	require.NoError(t, dead.tx.Rollback().Error)
	w.create("later", text("x"))
	later := next(t, watcher)
	require.Equal(t, []string{"late", "later"}, []string{late.Key, later.Key})
}

// A reader of a snapshot that watches from its revision has the current state.
// Proves G6.11.
func TestWatchFromSnapshotMissesNoChange(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		const writers, configs = 4, 30
		w.watch(nil)
		done := make(chan []error, 1)
		go func() {
			done <- racing.Errors(writers, func(writer int) error {
				for n := range configs {
					err := w.do(ctx, func(ctx context.Context, u *uow.Unit) error {
						_, err := w.Create(ctx, u, fmt.Sprintf("k%d.%d", writer, n), text("x"))
						return err
					})
					if err != nil {
						return err
					}
				}
				return nil
			})
		}()
		for range 8 {
			snapshot, err := w.Snapshot(ctx, "")
			require.NoError(t, err)
			watcher, err := w.Watch(ctx, &snapshot.Revision)
			require.NoError(t, err)
			known := map[string]bool{}
			for _, c := range snapshot.Configs {
				known[c.Key] = true
			}
			last := snapshot.Revision.Position
			learn := func(e config.Event) error {
				require.Greater(t, e.Revision.Position, last)
				known[e.Key], last = true, e.Revision.Position
				return nil
			}
			require.NoError(t, watcher.Backlog(ctx, learn))
			for len(known) < writers*configs {
				require.NoError(t, learn(next(t, watcher)))
			}
			watcher.Close()
		}
		for _, err := range <-done {
			require.NoError(t, err)
		}
	})
}

// A commit during the read of a snapshot is neither in it nor in its revision.
// Proves G6.11.
func TestSnapshotIsConsistent(t *testing.T) {
	onOwnDatabases(t, func(t *testing.T, w *registry) {
		row := w.create("a", text("before"))
		before := w.revisionOf("a")
		changed := false
		require.NoError(t, w.DB.Read(w.Ctx).Callback().Row().After("gorm:row").Register("test:between", func(tx *gorm.DB) {
			_, inside := tx.Statement.ConnPool.(gorm.TxCommitter)
			if changed || !inside || !strings.Contains(tx.Statement.SQL.String(), "FROM installation") {
				return
			}
			changed = true
			w.mustEdit("a", row.Ref(), `{"value":"after"}`)
		}))
		snapshot, err := w.Snapshot(w.Ctx, "")
		require.NoError(t, err)
		require.True(t, changed, "nothing was changed between the reads of the snapshot")
		require.Equal(t, before, snapshot.Revision)
		require.Len(t, snapshot.Configs, 1)
		require.Equal(t, text("before"), snapshot.Configs[0].Content)

		watcher := w.watch(&snapshot.Revision)
		var seen []int64
		require.NoError(t, watcher.Backlog(w.Ctx, func(e config.Event) error { seen = append(seen, e.Version); return nil }))
		for len(seen) < 1 {
			seen = append(seen, next(t, watcher).Version)
		}
		require.Equal(t, []int64{2}, seen)
	})
}

// Several processes assign positions concurrently.
// Proves G6.8.
func TestConcurrentSequencingLeavesNoGaps(t *testing.T) {
	db := storagetest.MariaDB(t)
	w := newRegistry(t, storagetest.Tenant(t), db)
	const writers, rounds = 4, 20
	errs := racing.Errors(2*writers, func(worker int) error {
		for n := range rounds {
			if worker >= writers {
				if _, err := w.SequenceLog(w.Ctx); err != nil {
					return err
				}
				continue
			}
			err := w.do(w.Ctx, func(ctx context.Context, u *uow.Unit) error {
				_, err := w.Create(ctx, u, fmt.Sprintf("k%d.%d", worker, n), text("x"))
				return err
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	complete, err := w.SequenceLog(w.Ctx)
	require.NoError(t, err)
	require.True(t, complete)
	var all struct{ Lowest, Highest, Places, Without int64 }
	query := "SELECT MIN(place) AS lowest, MAX(place) AS highest, COUNT(place) AS places, SUM(place IS NULL) AS without FROM config_histories WHERE tenant_id > 0"
	require.NoError(t, db.Read(storage.AcrossTenants(w.Ctx)).Raw(query).Scan(&all).Error)
	require.Zero(t, all.Without)
	require.Equal(t, all.Highest-all.Lowest+1, all.Places)
}

func TestWatcherReceivesConcurrentWritesInOrder(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
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
			require.Greater(t, e.Revision.Position, last)
			last = e.Revision.Position
			keys[e.Key] = true
		}
		require.Len(t, keys, writers*rounds*4/5)
		silence(t, watcher, quiet)
	})
}

func TestPollDeliversLostEvent(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		watcher := w.watch(nil)
		// A process with a separate bus.
		newRegistry(t, ctx, db).create("a", text("x"))
		require.Equal(t, "a", next(t, watcher).Key)
	})
}

func TestEachChangeIsPublishedAfterItsCommit(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		w := newRegistry(t, ctx, db)
		subscription, err := w.Bus.Subscribe(ctx, config.Topic)
		require.NoError(t, err)
		defer subscription.Close()
		row := w.create("a", text("x"))
		_, err = w.edit(ctx, "a", guard.Ref{ID: row.ID, Version: 9}, `{"value":"stale"}`, false)
		require.Error(t, err)
		w.mustEdit("a", row.Ref(), `{"value":"y"}`)
		for i, action := range []string{"create", "update"} {
			event := (<-subscription.Deliveries()).Event
			require.Equal(t, []any{"configs", row.TenantID, "a"}, []any{event.Topic, event.Tenant, event.Key})
			var published events.Change
			require.NoError(t, json.Unmarshal(event.Payload, &published))
			ref := guard.Ref{ID: row.ID, Version: int64(i + 1)}
			require.Equal(t, []any{ref.Version, ref.ETag(), action, "Tester"}, []any{published.Version, published.ETag, published.Action, published.By.Name})
		}
	})
}

// Package basetest tests packages backup, encryption and epoch on both engines, in one binary.
package basetest

import (
	"context"
	"database/sql/driver"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/racing"
)

func TestMain(m *testing.M) {
	storagetest.Covers("internal/base/backup", "internal/base/dbcopy", "internal/base/encryption", "internal/base/epoch")
	os.Exit(m.Run())
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func read(t *testing.T, ctx context.Context, db *storage.DB) epoch.Epoch {
	t.Helper()
	now, err := epoch.Read(ctx, db)
	require.NoError(t, err)
	require.NotEmpty(t, now)
	return now
}

// witness reports a missing commit the configured number of times, and counts its calls.
type witness struct {
	mu      sync.Mutex
	queried []epoch.Epoch
	missing int
}

func (w *witness) ask(_ context.Context, of epoch.Epoch) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.queried = append(w.queried, of)
	if w.missing > 0 {
		w.missing--
		return "A reply is missing.", nil
	}
	return "", nil
}

func (w *witness) times() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.queried)
}

func watched(db *storage.DB) (*epoch.Watch, *witness) {
	watch, w := epoch.NewWatch(db, clock.NewFake(noon)), &witness{}
	watch.AddWitness(w.ask)
	return watch, w
}

func requireNow(t *testing.T, ctx context.Context, watch *epoch.Watch, want epoch.Epoch) {
	t.Helper()
	now, sure := watch.Now(ctx)
	require.True(t, sure)
	require.Equal(t, want, now)
}

// Proves R5.
func TestConcurrentEpochChangesHaveOneResult(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		first := read(t, ctx, db)
		const many = 8
		var after [many]epoch.Epoch
		racing.Together(many, func(i int) {
			now, err := epoch.Change(ctx, db, first, noon, "It was restored.")
			if err != nil {
				t.Error(err)
			}
			after[i] = now
		})
		now := read(t, ctx, db)
		require.NotEqual(t, first, now)
		for _, results := range after {
			require.Equal(t, now, results)
		}
		var reason string
		require.NoError(t, db.Read(storage.AcrossTenants(ctx)).Raw("SELECT reason FROM installation").Scan(&reason).Error)
		require.Equal(t, "It was restored.", reason)
	})
}

func TestEachNewEpochIsUnique(t *testing.T) {
	storagetest.BothAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		first := read(t, ctx, db)
		seen := map[epoch.Epoch]bool{first: true}
		goBack := storagetest.Past(t, db.URL)
		for range 5 {
			next, err := epoch.Change(ctx, db, read(t, ctx, db), noon, "Again.")
			require.NoError(t, err)
			require.False(t, seen[next])
			seen[next] = true
		}
		goBack()
		require.Equal(t, first, read(t, ctx, db))
		next, err := epoch.Change(ctx, db, first, noon, "It was restored.")
		require.NoError(t, err)
		require.False(t, seen[next], "also on a database that does not know those it had")
	})
}

func TestWatchDetectsChangedEpoch(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		watch, queried := watched(db)
		first := read(t, ctx, db)
		requireNow(t, ctx, watch, first)
		next, err := epoch.Change(ctx, db, first, noon, "It was restored.")
		require.NoError(t, err)
		queried.missing = 100
		require.NoError(t, watch.Check(ctx))
		require.Equal(t, next, read(t, ctx, db), "one restore changes the epoch once")
		queried.missing = 0
		requireNow(t, ctx, watch, next)
	})
}

// Proves R5.
func TestWatchChangesTheEpochOnceAfterALoss(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		watch, queried := watched(db)
		other, _ := watched(db)
		first := read(t, ctx, db)
		requireNow(t, ctx, watch, first)
		requireNow(t, ctx, other, first)

		queried.missing = 2
		require.NoError(t, watch.Check(ctx))
		require.Equal(t, first, read(t, ctx, db), "a server that follows another may be a moment late")
		requireNow(t, ctx, watch, first)

		queried.missing = 3
		require.NoError(t, watch.Check(ctx))
		now := read(t, ctx, db)
		require.NotEqual(t, first, now)
		requireNow(t, ctx, watch, now)
		require.NoError(t, other.Check(ctx))
		requireNow(t, ctx, other, now)
	})
}

// Proves R2.
func TestEpochIsUnconfirmedAfterALinkChangeUntilTheNextCheck(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		watch, queried := watched(db)
		requireNow(t, ctx, watch, read(t, ctx, db))
		looks := len(queried.queried)
		requireNow(t, ctx, watch, read(t, ctx, db))
		require.Len(t, queried.queried, looks, "while they are the same it costs nothing")

		for name, change := range map[string]func(){
			"one was opened": func() {
				// The pool uses idle connections first.
				before := db.LinkChanges()
				for db.LinkChanges() == before {
					conn, err := db.Pools()["read"].Conn(ctx)
					require.NoError(t, err)
					defer conn.Close()
				}
			},
			"one was lost": func() { _ = db.Classify(driver.ErrBadConn) },
		} {
			looks = len(queried.queried)
			change()
			requireNow(t, ctx, watch, read(t, ctx, db))
			require.Greater(t, len(queried.queried), looks, name)
		}

		_ = db.Classify(driver.ErrBadConn)
		require.NoError(t, db.Close())
		_, sure := watch.Now(ctx)
		require.False(t, sure, "while the database cannot be reached")
	})
}

func TestCachesAreUnconfirmedWhileACommitSeemsMissing(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		watch := epoch.NewWatch(db, clock.NewFake(noon))
		queried, results := make(chan struct{}), make(chan string)
		watch.AddWitness(func(context.Context, epoch.Epoch) (string, error) {
			queried <- struct{}{}
			return <-results, nil
		})
		requireNow(t, ctx, watch, read(t, ctx, db))
		looked := make(chan error)
		go func() { looked <- watch.Check(ctx) }()
		<-queried
		results <- "A reply is missing."
		<-queried
		answered := make(chan epoch.Epoch, 1)
		go func() {
			now, _ := watch.Now(ctx)
			answered <- now
		}()
		early := false
		select {
		case <-answered:
			early = true
		case <-time.After(100 * time.Millisecond):
		}
		results <- ""
		require.NoError(t, <-looked)
		require.False(t, early, "it returned before the check")
		require.Equal(t, read(t, ctx, db), <-answered)
	})
}

func TestWatchChecksPeriodically(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		watch, w := watched(db)
		first := read(t, ctx, db)
		requireNow(t, ctx, watch, first)
		require.Zero(t, w.times())
		services := background.NewGroup(clock.System{})
		require.NoError(t, services.Start(ctx, watch.Background()))
		defer services.Stop(ctx)
		require.NoError(t, services.RunNow(ctx, "check the epoch"))
		require.Equal(t, 1, w.times(), "a caller had used the Watch")
		require.NoError(t, services.RunNow(ctx, "check the epoch"))
		require.Equal(t, 1, w.times(), "no caller has used the Watch since")
	})
}

func TestCallersAreServedDuringASlowCheck(t *testing.T) {
	ctx := storagetest.Tenant(t)
	db := storagetest.SQLite(t)
	watch := epoch.NewWatch(db, clock.NewFake(noon))
	slow := func(ctx context.Context, _ epoch.Epoch) (string, error) {
		clock.Sleep(ctx, 1700*time.Millisecond)
		return "", nil
	}
	requireNow(t, ctx, watch, read(t, ctx, db))
	watch.AddWitness(slow)
	require.True(t, clock.Sleep(ctx, 1600*time.Millisecond))
	requireNow(t, ctx, watch, read(t, ctx, db))
}

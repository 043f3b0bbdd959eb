package aggregates_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/aggregates"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/lock"
	"interlock/internal/lock/locktest"
	"interlock/test/racing"
)

func TestTheSameEventTwentyTimesAtOnceCountsOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := open(ctx, t, db)
		for _, event := range []object{request("a", counted(7, "in")), loose("a", called("e", "in"))} {
			before := int64(len(b.snapshot(t)["aggregate_events"].([]map[string]any)))
			var written atomic.Int64
			racing.Together(20, func(int) {
				a := b.write(t, shelf, event)
				switch {
				case a.Status == http.StatusCreated:
					written.Add(1)
				case a.Status == http.StatusConflict && a.Body["code"] == landed && a.Body["version"] == float64(before+1):
				case a.Status == http.StatusConflict && a.Body["code"] == inFlight:
				default:
					t.Errorf("answered %d: %v", a.Status, a.Body)
				}
			})
			require.EqualValues(t, 1, written.Load())
			b.requireBooks(t, "A-17", aggregates.Counters{"in": before + 1}, map[string]int64{"a": 7})
		}
	})
}

func TestDifferentWritersOfOneAggregateAtOnceAllSucceed(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, each = 24, 5
		b := open(ctx, t, db)
		writers := map[string]int64{}
		for i := range clients {
			writers[clientName(i)] = each
		}
		racing.Together(clients, func(i int) {
			for seq := 1; seq <= each; seq++ {
				a := b.write(t, shelf, request(clientName(i), counted(seq, "in", clientName(i))))
				if a.Status != http.StatusCreated {
					t.Errorf("answered %d: %v", a.Status, a.Body)
				}
			}
		})
		want := aggregates.Counters{"in": clients * each}
		for client := range writers {
			want[client] = each
		}
		b.requireBooks(t, "A-17", want, writers)
	})
}

// Both find no aggregate and make it. The second one's key collides, and it is the key of
// the aggregate: its own event is new.
func TestTwoDifferentFirstEventsAtOnceAreBothCounted(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	b := openWith(ctx, t, db, &locktest.Unreliable{})
	var overtaken atomic.Bool
	require.NoError(t, db.Write(ctx).Callback().Query().After("gorm:query").Register("test:overtake", func(tx *gorm.DB) {
		if _, reads := tx.Statement.Dest.(*[]aggregates.Aggregate); reads && overtaken.CompareAndSwap(false, true) {
			require.EqualValues(t, 1, b.land(t, shelf, request("b", counted(1, "in"))))
		}
	}))
	require.EqualValues(t, 2, b.land(t, shelf, request("a", counted(1, "in"))))
	b.requireBooks(t, "A-17", aggregates.Counters{"in": 2}, map[string]int64{"a": 1, "b": 1})
}

// The same, and the other attempt is of the same event: it has landed.
func TestOfTwoAttemptsOfTheFirstEventTheSecondIsToldThatItLanded(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	b := openWith(ctx, t, db, &locktest.Unreliable{})
	var overtaken atomic.Bool
	require.NoError(t, db.Write(ctx).Callback().Query().After("gorm:query").Register("test:overtake", func(tx *gorm.DB) {
		if _, reads := tx.Statement.Dest.(*[]aggregates.Aggregate); reads && overtaken.CompareAndSwap(false, true) {
			b.land(t, shelf, request("a", counted(1, "in")))
		}
	}))
	a := b.write(t, shelf, request("a", counted(1, "in")))
	require.Equal(t, []any{landed, 1.0}, members(a.Body, "code", "version"))
	b.requireBooks(t, "A-17", aggregates.Counters{"in": 1}, map[string]int64{"a": 1})
}

// With locks that exclude nobody each writer is one whose locks were lost; what is in SQL
// is all there is.
func TestWithoutLocksThatHoldEachEventIsStillCountedOnceAndNoWriterFails(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, each = 12, 4
		b := openWith(ctx, t, db, &locktest.Unreliable{})
		writers := map[string]int64{}
		for i := range clients {
			writers[clientName(i)] = each
		}
		var written atomic.Int64
		racing.Together(2*clients, func(i int) {
			client := clientName(i % clients)
			for seq := 1; seq <= each; seq++ {
				a := b.write(t, shelf, loose(client, counted(seq, "in")))
				switch {
				case a.Status == http.StatusCreated:
					written.Add(1)
				case a.Status == http.StatusConflict && a.Body["code"] == landed:
				default:
					t.Errorf("answered %d: %v", a.Status, a.Body)
				}
			}
		})
		require.EqualValues(t, clients*each, written.Load())
		b.requireBooks(t, "A-17", aggregates.Counters{"in": clients * each}, writers)
	})
}

// What is looked up first is backed up by the unique keys, whoever did not look.
func TestAnEventThatNobodyLookedForIsKeptOnceByItsNames(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := open(ctx, t, db)
		b.land(t, shelf, request("a", with(called("e", "in"), "clientSeq", 7)))
		before := b.snapshot(t)
		seq, id := int64(7), "e"
		for name, w := range map[string]aggregates.Write{
			"its sequence": {ClientID: "a", Events: []aggregates.NewEvent{{ClientSeq: &seq, Type: "counted"}}},
			"its id":       {ClientID: "b", Events: []aggregates.NewEvent{{EventID: &id, Type: "counted"}}},
		} {
			w.Name, w.Events[0].Time = aggregates.Name{Type: "shelf", ID: "A-17"}, time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)
			err := b.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error { return b.service.AppendUnlooked(ctx, u, w) })
			require.Truef(t, apperr.Has(err, apperr.ResourceLocked), "%s: it is run again, to look: %v", name, err)
			require.Equal(t, before, b.snapshot(t))
		}
	})
}

func TestOfManyWritersThatExpectOneVersionOneWins(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := open(ctx, t, db)
		var written atomic.Int64
		racing.Together(20, func(i int) {
			a := b.write(t, shelf, with(request(clientName(i), counted(1, "in")), "expectedVersion", 0))
			switch a.Status {
			case http.StatusCreated:
				written.Add(1)
			case http.StatusPreconditionFailed:
				if a.Body["currentVersion"] != 1.0 {
					t.Errorf("told %v", a.Body)
				}
			default:
				t.Errorf("answered %d: %v", a.Status, a.Body)
			}
		})
		require.EqualValues(t, 1, written.Load())
		require.Equal(t, aggregates.Counters{"in": 1}, b.state(t, "A-17").Counters)
	})
}

func TestLocksAreTakenBeforeTheTransactionBeginsAndReleasedAfterItHasEnded(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks := locktest.NewAround(lock.NewInProcess(lock.Observer{}), db)
		b := openWith(ctx, t, db, locks)
		caller, _ := principal.From(ctx)
		aggregate := fmt.Sprintf("aggregate:%d:shelf/A-17", caller.TenantID)
		b.land(t, shelf, request("a", with(called("e", "in"), "clientSeq", 1)))
		taken := locks.Taken(t)
		require.Len(t, taken, 3, "the names of the attempt, and the aggregate")
		require.Equal(t, aggregate, taken[2])
		b.refused(t, shelf, request("a", counted(1, "in")), http.StatusConflict, landed)
		require.Len(t, locks.Taken(t), 2)
		require.NoError(t, db.Write(ctx).Exec("UPDATE aggregates SET writer_count = 7 WHERE tenant_id = ?", caller.TenantID).Error)
		require.NotEmpty(t, b.rebuild(t, "A-17", false))
		require.Equal(t, []string{aggregate}, locks.Taken(t))
	})
}

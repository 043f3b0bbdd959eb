package activity

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"interlock/internal/aggregates"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/lock"
	"interlock/internal/lock/locktest"
	"interlock/test/racing"
	"interlock/test/world"
)

// Proves G3.27.
func TestTwentyConcurrentCopiesOfAnEventCountOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
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
					t.Errorf("status %d: %v", a.Status, a.Body)
				}
			})
			require.EqualValues(t, 1, written.Load())
			b.requireBooks(t, "A-17", aggregates.Counters{"in": before + 1}, map[string]int64{"a": 7})
		}
	})
}

// Proves G3.27.
func TestConcurrentWritersOfOneAggregateAllSucceed(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, each = 24, 5
		b := openBooks(ctx, t, db)
		writers := map[string]int64{}
		for i := range clients {
			writers[clientName(i)] = each
		}
		racing.Together(clients, func(i int) {
			for seq := 1; seq <= each; seq++ {
				a := b.write(t, shelf, request(clientName(i), counted(seq, "in", clientName(i))))
				if a.Status != http.StatusCreated {
					t.Errorf("status %d: %v", a.Status, a.Body)
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

// Both writers find no aggregate and create it. The key of the aggregate collides for the second writer,
// whose event is new.
// Proves G3.31.
func TestTwoConcurrentFirstEventsAreBothCounted(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	b := openBooksWith(ctx, t, db, world.Options{Locks: &locktest.Unreliable{}})
	var overtaken atomic.Bool
	require.NoError(t, db.Write(ctx).Callback().Query().After("gorm:query").Register("test:overtake", func(tx *gorm.DB) {
		if _, reads := tx.Statement.Dest.(*[]aggregates.Aggregate); reads && overtaken.CompareAndSwap(false, true) {
			require.EqualValues(t, 1, b.land(t, shelf, request("b", counted(1, "in"))))
		}
	}))
	require.EqualValues(t, 2, b.land(t, shelf, request("a", counted(1, "in"))))
	b.requireBooks(t, "A-17", aggregates.Counters{"in": 2}, map[string]int64{"a": 1, "b": 1})
}

// Both attempts send the same event, so that the second one is a repeat.
// Proves G3.31.
func TestSecondAttemptOfTheFirstEventIsAnAcknowledgedRepeat(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.MariaDB(t)
	b := openBooksWith(ctx, t, db, world.Options{Locks: &locktest.Unreliable{}})
	var overtaken atomic.Bool
	require.NoError(t, db.Write(ctx).Callback().Query().After("gorm:query").Register("test:overtake", func(tx *gorm.DB) {
		if _, reads := tx.Statement.Dest.(*[]aggregates.Aggregate); reads && overtaken.CompareAndSwap(false, true) {
			b.land(t, shelf, request("a", counted(1, "in")))
		}
	}))
	a := b.write(t, shelf, request("a", counted(1, "in")))
	require.Equal(t, []any{landed, 1.0}, world.Members(a.Body, "code", "version"))
	b.requireBooks(t, "A-17", aggregates.Counters{"in": 1}, map[string]int64{"a": 1})
}

// The locker excludes no caller, so that each writer has lost its locks and only SQL decides.
// Proves G3.34.
func TestEventsCountOnceWithUnreliableLocks(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, each = 12, 4
		b := openBooksWith(ctx, t, db, world.Options{Locks: &locktest.Unreliable{}})
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
					t.Errorf("status %d: %v", a.Status, a.Body)
				}
			}
		})
		require.EqualValues(t, clients*each, written.Load())
		b.requireBooks(t, "A-17", aggregates.Counters{"in": clients * each}, writers)
	})
}

// The unique keys reject an event that the lookup did not find.
// Proves G3.33.
func TestUniqueNamesStoreAnUncheckedEventOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		b.land(t, shelf, request("c", counted(1, "in")))
		resume := b.FreezeReads(t, "aggregate_events")
		b.land(t, shelf, request("a", with(called("e", "in"), "clientSeq", 7)))
		before := b.snapshot(t)
		for name, body := range map[string]object{"its sequence": loose("a", counted(7)), "its id": loose("b", called("e"))} {
			a := b.write(t, shelf, body)
			require.Equal(t, []any{http.StatusLocked, "resource_locked"}, []any{a.Status, a.Body["code"]}, "%s: %v", name, a.Body)
			require.Equal(t, before, b.snapshot(t))
		}
		resume()
		b.refused(t, shelf, loose("a", counted(7)), http.StatusConflict, mismatch)
	})
}

// Proves G3.30.
func TestOneOfManyWritersOfAVersionWins(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
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
				t.Errorf("status %d: %v", a.Status, a.Body)
			}
		})
		require.EqualValues(t, 1, written.Load())
		require.Equal(t, aggregates.Counters{"in": 1}, b.state(t, "A-17").Counters)
	})
}

// Proves G4.39.
func TestLocksEncloseTheTransaction(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks := locktest.NewAround(lock.NewInProcess(lock.Observer{}), db)
		b := openBooksWith(ctx, t, db, world.Options{Locks: locks})
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

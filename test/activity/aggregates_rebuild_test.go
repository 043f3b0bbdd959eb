package activity

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/aggregates"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/test/racing"
)

func (b *books) rebuild(t *testing.T, id string, dryRun bool) (found []string) {
	t.Helper()
	require.NoError(t, b.Runner.Do(b.Ctx, func(ctx context.Context, u *uow.Unit) error {
		differences, err := b.service.Rebuild(ctx, u, aggregates.Name{Type: "shelf", ID: id}, dryRun)
		found = nil
		for _, d := range differences {
			found = append(found, d.String())
		}
		return err
	}))
	return found
}

// Proves G3.36.
func TestRebuildRepairsAndReportsManualDamage(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		for seq := 1; seq <= 3; seq++ {
			b.land(t, shelf, request("a", counted(seq, "in")))
			b.land(t, shelf, request("b", counted(10*seq, "out")))
		}
		b.land(t, "/aggregates/shelf/other", request("a", counted(1, "in")))
		right := b.state(t, "A-17")
		untouched := b.state(t, "other")

		require.Empty(t, b.rebuild(t, "A-17", false))
		require.Equal(t, right, b.state(t, "A-17"), "correct rows are unchanged")
		require.Zero(t, b.Count(t, &uow.AuditRow{}, "action = ?", "aggregate.rebuild"))

		for _, statement := range []string{
			`UPDATE aggregates SET counters = '{"in":99,"ghost":1}', writer_count = 7, version = 2 WHERE tenant_id > 0 AND id = ?`,
			`UPDATE aggregate_writers SET last_seq = 99 WHERE tenant_id > 0 AND client_id = 'a' AND aggregate_id = ?`,
			`DELETE FROM aggregate_writers WHERE tenant_id > 0 AND client_id = 'b' AND aggregate_id = ?`,
		} {
			require.NoError(t, db.Write(ctx).Exec(statement, right.ID).Error)
		}
		broken := b.snapshot(t)
		want := []string{
			"counters/ghost is 1 and must be missing", "counters/in is 99 and must be 3", "counters/out is missing and must be 3",
			"writers/a is 99 and must be 3", "writers/b is missing and must be 30", "writerCount is 7 and must be 2", "version is 2 and must be 6",
		}
		require.Equal(t, want, b.rebuild(t, "A-17", true))
		require.Equal(t, broken, b.snapshot(t), "a dry run changes nothing")

		require.Equal(t, want, b.rebuild(t, "A-17", false))
		repaired := b.state(t, "A-17")
		require.Equal(t, right.Counters, repaired.Counters)
		require.Equal(t, right.Writers, repaired.Writers)
		require.Equal(t, right.WriterCount, repaired.WriterCount)
		require.EqualValues(t, 7, repaired.Version, "a repair is a change, which readers of before must not overlook")
		require.EqualValues(t, 1, b.Count(t, &uow.AuditRow{}, "action = ?", "aggregate.rebuild"))
		require.Empty(t, b.rebuild(t, "A-17", false))
		require.Equal(t, untouched, b.state(t, "other"))

		require.EqualValues(t, 8, b.land(t, shelf, request("b", counted(31, "out"))), "writing continues")
		b.refused(t, shelf, request("a", counted(3, "in")), http.StatusConflict, landed)
		require.Equal(t, []any{6.0, 8.0}, versions(b.Send(t, http.MethodGet, shelf+"/events?after=5", nil)))
	})
}

func TestConditionalWriteOfARepairedAggregateIsRejected(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		b.land(t, shelf, request("a", counted(1, "in")))
		require.NoError(t, db.Write(ctx).Exec(`UPDATE aggregates SET counters = '{"in":5}' WHERE tenant_id > 0 AND name = 'A-17'`).Error)
		read := b.state(t, "A-17")
		require.Equal(t, []string{"counters/in is 5 and must be 1"}, b.rebuild(t, "A-17", false))
		b.refused(t, shelf, with(request("a", counted(2, "in")), "expectedVersion", read.Version), http.StatusPreconditionFailed, "version_conflict")
	})
}

// Proves G3.36.
func TestRebuildsDuringWritesFindAndLoseNothing(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const clients, each = 8, 10
		b := openBooks(ctx, t, db)
		b.land(t, shelf, request("first", counted(1, "in")))
		var writing atomic.Bool
		writing.Store(true)
		var rebuilding sync.WaitGroup
		rebuilding.Go(func() {
			for writing.Load() {
				if found := b.rebuild(t, "A-17", false); len(found) > 0 {
					t.Errorf("found %v", found)
				}
			}
		})
		racing.Together(clients, func(i int) {
			for seq := 1; seq <= each; seq++ {
				b.write(t, shelf, request(clientName(i), counted(seq, "in")))
			}
		})
		writing.Store(false)
		rebuilding.Wait()
		writers := map[string]int64{"first": 1}
		for i := range clients {
			writers[clientName(i)] = each
		}
		b.requireBooks(t, "A-17", aggregates.Counters{"in": 1 + clients*each}, writers)
	})
}

// Row locks do not exclude the other servers of a cluster.
// Proves G3.37.
func TestCheckDuringWritesFindsNoDifferenceWithoutLocks(t *testing.T) {
	db, tap := storagetest.WithoutLocks(t)
	ctx := storagetest.Tenant(t)
	b, elsewhere := openBooks(ctx, t, db), openBooks(ctx, t, db)
	b.land(t, shelf, request("a", counted(1, "in")))
	tap.Before("FROM aggregate_events", func() { elsewhere.land(t, shelf, loose("b", counted(1, "in"))) })
	require.Empty(t, b.rebuild(t, "A-17", true))
	b.requireBooks(t, "A-17", aggregates.Counters{"in": 2}, map[string]int64{"a": 1, "b": 1})
}

func TestNamesAreListedAfterTheCursor(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		want := []aggregates.Name{{Type: "a", ID: "1"}, {Type: "a", ID: "2"}, {Type: "b", ID: "0"}}
		for _, name := range want {
			b.land(t, "/aggregates/"+name.String(), request("a", counted(1, "in")))
		}
		var all []aggregates.Name
		for after := (aggregates.Name{}); ; after = all[len(all)-1] {
			names, err := b.service.Names(ctx, after, 2)
			require.NoError(t, err)
			if all = append(all, names...); len(names) < 2 {
				break
			}
		}
		require.Equal(t, want, all)
	})
}

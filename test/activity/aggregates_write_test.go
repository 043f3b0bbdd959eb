package activity

import (
	"context"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/aggregates"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/world"
)

func TestEventsMakeAnAggregateAndAreFoundAgain(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		require.Equal(t, http.StatusNotFound, b.Send(t, http.MethodGet, shelf, nil).Status)
		require.Equal(t, http.StatusNotFound, b.Send(t, http.MethodGet, shelf+"/events", nil).Status)
		heard, err := b.Bus.Subscribe(ctx, aggregates.Topic)
		require.NoError(t, err)
		defer heard.Close()

		a := b.write(t, shelf, request("a", with(counted(3, "in"), "payload", object{"pallet": "P-9"}), with(counted(4, "in"), "deltas", object{"in": 5, "out": -2})))
		require.Equal(t, http.StatusCreated, a.Status, a.Body)
		require.Equal(t, object{"version": 2.0, "applied": 2.0}, a.Body)
		require.Equal(t, "shelf/A-17", (<-heard.Deliveries()).Event.Key)

		read := b.Send(t, http.MethodGet, shelf, nil)
		require.Equal(t, []any{"shelf", "A-17", 2.0, object{"in": 6.0, "out": -2.0}, object{"a": 4.0}, 1.0},
			world.Members(read.Body, "type", "id", "version", "counters", "writers", "writerCount"))
		require.Equal(t, read.Body["etag"], read.Header.Get("ETag"))
		require.Equal(t, http.StatusNotModified, b.Send(t, http.MethodGet, shelf, nil, "If-None-Match", read.Header.Get("ETag")).Status)

		rows := b.Send(t, http.MethodGet, strings.TrimPrefix(a.Header.Get("Location"), httpapi.Base), nil).Items()
		require.Len(t, rows, 2)
		require.Equal(t, object{
			"version": 1.0, "batchVersion": 2.0, "clientId": "a", "clientSeq": 3.0, "eventId": nil, "eventType": "counted",
			"eventTime": "2026-11-21T07:00:00.000000Z", "deltas": object{"in": 1.0}, "payload": object{"pallet": "P-9"},
			"createdBy": object{"id": 7.0, "name": "Tester"}, "createdTime": "2026-11-21T08:00:00.000000Z",
		}, rows[0])
		require.Nil(t, rows[1]["payload"])
		b.requireBooks(t, "A-17", aggregates.Counters{"in": 6, "out": -2}, map[string]int64{"a": 4})
	})
}

func TestEventsAreListedAfterAVersionInPages(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		for seq := range 7 {
			b.land(t, shelf, request("a", counted(seq, "in")))
		}
		page := b.Send(t, http.MethodGet, shelf+"/events?after=2&limit=3", nil)
		require.EqualValues(t, 5, page.Body["total"])
		require.Equal(t, []any{3.0, 4.0, 5.0}, versions(page))
		next := b.Send(t, http.MethodGet, shelf+"/events?after=2&limit=3&cursor="+page.Body["nextCursor"].(string), nil)
		require.Equal(t, []any{6.0, 7.0}, versions(next))
		require.Empty(t, versions(b.Send(t, http.MethodGet, shelf+"/events?after=7", nil)))
		require.Equal(t, []any{7.0}, versions(b.Send(t, http.MethodGet, shelf+"/events?sort=-version&limit=1", nil)))
		for _, after := range []string{"-1", "x", "9223372036854775808"} {
			require.Equal(t, http.StatusBadRequest, b.Send(t, http.MethodGet, shelf+"/events?after="+after, nil).Status, after)
		}
	})
}

func versions(a httpapitest.Answer) (found []any) {
	for _, row := range a.Items() {
		found = append(found, row["version"])
	}
	return found
}

func TestAggregatesAreListedByTypeAndIDPrefix(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		for _, path := range []string{"/aggregates/shelf/A-17", "/aggregates/shelf/A-2", "/aggregates/cart/A-17", "/aggregates/cart/b:1@x~y.z"} {
			b.land(t, path, request("a", counted(1, "in")))
		}
		for query, want := range map[string][]string{
			"sort=type":                  {"cart/A-17", "cart/b:1@x~y.z", "shelf/A-17", "shelf/A-2"},
			"type=shelf&sort=id":         {"shelf/A-17", "shelf/A-2"},
			"q=A-1&sort=-type":           {"shelf/A-17", "cart/A-17"},
			"q=b:1%40":                   {"cart/b:1@x~y.z"},
			"type=shelf&q=b":             nil,
			"type=%C3%A9&q=%F0%9F%98%80": nil,
		} {
			var found []string
			answer := b.Get(t, "/aggregates?"+query)
			for _, row := range answer.Items() {
				require.NotContains(t, row, "writers")
				found = append(found, row["type"].(string)+"/"+row["id"].(string))
			}
			require.ElementsMatch(t, want, found, query)
		}
		b.Get(t, "/aggregates/cart/b%3A1%40x~y.z")
	})
}

func TestCounterOverflowIsRejectedAndWritesNothing(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		delta := func(seq int, n int64) object { return with(counted(seq), "deltas", map[string]int64{"in": n}) }
		b.land(t, shelf, request("a", delta(1, math.MaxInt64)))
		over := b.refused(t, shelf, request("a", counted(2, "other"), delta(3, 1)), http.StatusUnprocessableEntity, "validation_failed")
		require.Equal(t, 1.0, over["index"])
		require.Equal(t, "/events/1/deltas/in", over["fields"].([]any)[0].(object)["pointer"])
		b.land(t, shelf, request("a", delta(2, -math.MaxInt64), delta(3, math.MinInt64)))
		b.refused(t, shelf, request("a", delta(4, -1)), http.StatusUnprocessableEntity, "validation_failed")
		require.Equal(t, aggregates.Counters{"in": math.MinInt64}, b.state(t, "A-17").Counters)
		a := b.Send(t, http.MethodPost, shelf+"/events", `{"clientId":"a","events":[{"eventType":"t","eventTime":"2026-11-21T07:00:00Z","deltas":{"in":9223372036854775808}}]}`)
		require.Equal(t, http.StatusBadRequest, a.Status, a.Body)
		require.Equal(t, "/events/0/deltas/in", a.Pointer())
	})
}

func TestNumberOfCountersIsBounded(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		names := make([]string, 201)
		for i := range names {
			names[i] = clientName(i)
		}
		for i := range 4 {
			b.land(t, shelf, request("a", counted(i, names[50*i:50*(i+1)]...)))
		}
		b.refused(t, shelf, request("a", counted(9, names[200])), http.StatusUnprocessableEntity, "validation_failed")
		b.land(t, shelf, request("a", counted(9, names[:50]...)))
	})
}

func TestLargeBatchIsWrittenCompletely(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		batch := make([]object, 500)
		for i := range batch {
			batch[i] = with(counted(i+1, "in"), "eventId", clientName(i))
		}
		require.EqualValues(t, 500, b.land(t, shelf, request("a", batch...)))
		again := b.refused(t, shelf, request("a", batch...), http.StatusConflict, landed)
		require.Equal(t, []any{500.0, 500.0}, world.Members(again, "version", "landed"))
		b.requireBooks(t, "A-17", aggregates.Counters{"in": 500}, map[string]int64{"a": 500})
	})
}

func TestAggregatesOfTenantsWithEqualNamesAreSeparate(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b, stranger := openBooks(ctx, t, db), openBooks(storagetest.Tenant(t), t, db)
		b.land(t, shelf, request("a", counted(7, "in")))
		require.Equal(t, http.StatusNotFound, stranger.Send(t, http.MethodGet, shelf, nil).Status)
		require.Equal(t, http.StatusNotFound, stranger.Send(t, http.MethodGet, shelf+"/events", nil).Status)
		require.EqualValues(t, 1, stranger.land(t, shelf, request("a", counted(6, "in"))))
		b.requireBooks(t, "A-17", aggregates.Counters{"in": 1}, map[string]int64{"a": 7})
	})
}

func TestConflictShowsTheAggregateToItsWriters(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		b := openBooks(ctx, t, db)
		b.land(t, shelf, request("a", counted(1, "in")))
		p, _ := principal.From(ctx)
		p.Permissions = []string{"ledger:write"}
		writer := openBooks(principal.With(ctx, p), t, db)
		conflict := writer.refused(t, shelf, with(request("a", counted(2, "in")), "expectedVersion", 0), http.StatusPreconditionFailed, "version_conflict")
		require.Equal(t, 1.0, conflict["currentVersion"])
		require.NotNil(t, conflict["current"], "the write permission includes reading")
	})
}

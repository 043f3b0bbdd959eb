package orders_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
)

func TestEachOrderOfABatchHasItsOwnVerdictAndUnit(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100)
		first, second, third := s.place(t, "TEA-1"), s.place(t, "TEA-1"), s.place(t, "TEA-1")
		require.Equal(t, http.StatusOK, s.Send(t, http.MethodPost, path(second)+"/pay", object{"method": "external"}).Status)
		require.Equal(t, http.StatusOK, s.Send(t, http.MethodPost, path(second)+"/ship", object{"carrier": "DHL", "trackingNo": "1"}).Status)
		audited := s.count(t, &uow.AuditRow{}, "1 = 1")

		batch := s.Send(t, http.MethodPost, "/order-batches", object{
			"action": "cancel", "ids": []any{first["id"], second["id"], 999_999_999, third["id"]}, "reason": "recalled",
		})
		require.Equal(t, http.StatusOK, batch.Status, batch.Body)
		verdicts := batch.Items()
		require.Equal(t, object{"id": first["id"], "verdict": "done", "status": "cancelled"}, verdicts[0])
		require.Equal(t, "conflict", verdicts[1]["verdict"])
		require.Equal(t, "transition_not_allowed", verdicts[1]["code"])
		require.Equal(t, "shipped", verdicts[1]["status"])
		require.Equal(t, "invalid", verdicts[2]["verdict"])
		require.Equal(t, "not_found", verdicts[2]["code"])
		require.Equal(t, "done", verdicts[3]["verdict"])

		require.Equal(t, "recalled", s.Send(t, http.MethodGet, path(third), nil).Body["cancelReason"])
		require.Equal(t, "shipped", s.Send(t, http.MethodGet, path(second), nil).Body["status"])
		require.EqualValues(t, audited+2, s.count(t, &uow.AuditRow{}, "1 = 1"))
	})
}

func TestABatchThatIsWrongAsAWholeMovesNothing(t *testing.T) {
	s := open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.item(t, "TEA-1", 100)
	order := s.place(t, "TEA-1")
	many := make([]int, 501)
	for i := range many {
		many[i] = i + 1
	}
	cases := []struct {
		name    string
		body    any
		status  int
		pointer string
	}{
		{"no action", object{"ids": []any{1}}, 422, "/action"},
		{"an unknown action", object{"action": "refund", "ids": []any{1}}, 422, "/action"},
		{"no ids", object{"action": "complete", "ids": []any{}}, 422, "/ids"},
		{"501 ids", object{"action": "complete", "ids": many}, 422, "/ids"},
		{"an id twice", object{"action": "complete", "ids": []any{1, 1}}, 422, "/ids"},
		{"an id of 0", object{"action": "complete", "ids": []any{0}}, 422, "/ids/0"},
		{"an id that is text", object{"action": "complete", "ids": []any{"1"}}, 400, "/ids/0"},
		{"no reason", object{"action": "cancel", "ids": []any{order["id"]}}, 422, "/reason"},
		{"another action's member", object{"action": "cancel", "ids": []any{order["id"]}, "reason": "x", "carrier": "DHL"}, 400, "/carrier"},
		{"an unknown method", object{"action": "pay", "ids": []any{order["id"]}, "method": "cash"}, 422, "/method"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := s.Send(t, http.MethodPost, "/order-batches", c.body)
			require.Equal(t, c.status, a.Status, a.Body)
			require.Equal(t, c.pointer, a.Pointer())
		})
	}
	require.Equal(t, order, s.Send(t, http.MethodGet, path(order), nil).Body)
}

func TestABatchWhoseCallerHangsUpLeavesTheDoneDoneAndTheRestUndone(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100)
		var ids []int64
		for range 5 {
			ids = append(ids, idOf(s.place(t, "TEA-1")))
		}
		gone, hang := context.WithCancel(ctx)
		verdicts, err := s.orders.TransitionEach(gone, orders.PlainUnits(s.runner), ids, orders.HangUpAt(orders.Payment{Method: "external"}, 3, hang))
		require.ErrorIs(t, err, context.Canceled)
		require.Len(t, verdicts, 2)
		for i, id := range ids {
			order, err := s.orders.Order(ctx, id)
			require.NoError(t, err)
			require.Equal(t, i < 2, orders.Machine.Of(order.Status).Name == "paid", "order %d", i)
		}

		first, hang := context.WithCancel(ctx)
		hang()
		a := s.SendContext(first, t, http.MethodPost, "/order-batches", object{"action": "pay", "ids": ids[2:], "method": "external"})
		require.Equal(t, http.StatusServiceUnavailable, a.Status)
		require.Equal(t, []any{}, a.Body["items"])
	})
}

package shop

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/lock/locktest"
	"interlock/internal/orders"
	"interlock/test/world"
)

func TestEachOrderOfABatchHasASeparateVerdictAndUnit(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		first, second, third := s.Place(t), s.Place(t), s.Place(t)
		s.Post(t, http.StatusOK, OrderPath(second)+"/pay", Outside())
		s.Post(t, http.StatusOK, OrderPath(second)+"/ship", object{"carrier": "DHL", "trackingNo": "1"})
		audited := s.Count(t, &uow.AuditRow{}, "1 = 1")

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

		require.Equal(t, "recalled", s.Send(t, http.MethodGet, OrderPath(third), nil).Body["cancelReason"])
		require.Equal(t, "shipped", s.Send(t, http.MethodGet, OrderPath(second), nil).Body["status"])
		require.EqualValues(t, audited+2, s.Count(t, &uow.AuditRow{}, "1 = 1"))
	})
}

func TestInvalidBatchChangesNoOrder(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 100, Plenty)
	order := s.Place(t)
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
		{"no reference", object{"action": "pay", "ids": []any{order["id"]}, "method": "external"}, 422, "/reference"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := s.Send(t, http.MethodPost, "/order-batches", c.body)
			require.Equal(t, c.status, a.Status, a.Body)
			require.Equal(t, c.pointer, a.Pointer())
		})
	}
	require.Equal(t, order, s.Send(t, http.MethodGet, OrderPath(order), nil).Body)
}

func TestDisconnectDuringABatchLeavesCommittedUnits(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		locks := &locktest.Unreliable{}
		s := OpenWith(ctx, t, db, Options{Locks: locks})
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Fund(t, Buyer, 500)
		var ids []int64
		for range 5 {
			ids = append(ids, world.ID(s.Place(t)))
		}
		gone, hangUp := context.WithCancel(ctx)
		var granted atomic.Int64
		locks.Granted = func(int64, *locktest.Loseable) {
			if granted.Add(1) == 3 {
				hangUp()
			}
		}
		answer := s.SendContext(gone, t, http.MethodPost, "/order-batches", object{"action": "pay", "ids": ids, "method": "wallet"})
		require.Equal(t, http.StatusServiceUnavailable, answer.Status, answer.Body)
		require.Len(t, answer.Items(), 2)
		for i, id := range ids {
			order, err := s.Orders.Order(ctx, id)
			require.NoError(t, err)
			require.Equal(t, i < 2, orders.Machine.Of(order.Status).Name == "paid", "order %d", i)
		}

		first, hangUp := context.WithCancel(ctx)
		hangUp()
		a := s.SendContext(first, t, http.MethodPost, "/order-batches", object{"action": "pay", "ids": ids[2:], "method": "wallet"})
		require.Equal(t, http.StatusServiceUnavailable, a.Status)
		require.Equal(t, []any{}, a.Body["items"])
	})
}

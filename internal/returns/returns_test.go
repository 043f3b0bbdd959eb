package returns_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/orders"
	"interlock/internal/refunds"
	"interlock/internal/returns"
	"interlock/test/racing"
	"interlock/test/shop"
	"interlock/test/world"
)

type object = world.Object

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open returns a shop with ten units of TEA-1 at 100.
func open(ctx context.Context, t *testing.T, db *storage.DB) *shop.Shop {
	t.Helper()
	s := shop.Open(ctx, t, db)
	s.Stock(t, "TEA-1", 100, 10)
	return s
}

// shipped returns a paid and shipped order.
func shipped(t *testing.T, s *shop.Shop, units int64) object {
	t.Helper()
	order := s.Place(t, shop.Line("TEA-1", units))
	s.Post(t, 200, shop.OrderPath(order)+"/pay", shop.Outside())
	return s.Post(t, 200, shop.OrderPath(order)+"/ship", object{"carrier": "DHL", "trackingNo": "1"})
}

func units(quantity int64) object {
	return object{"lines": []object{{"lineId": 1, "quantity": quantity}}, "reason": "too small"}
}

func arrived(lines ...object) object { return object{"lines": lines} }

func arrival(quantity int64, restock bool) object {
	return object{"lineId": 1, "quantity": quantity, "restock": restock}
}

func request(t *testing.T, s *shop.Shop, order object, quantity int64) object {
	t.Helper()
	return s.Post(t, 201, shop.OrderPath(order)+"/returns", units(quantity))
}

func path(row object) string { return fmt.Sprintf("/returns/%d", world.ID(row)) }

// line returns shipped and returned of the order's line.
func line(t *testing.T, s *shop.Shop, order object) []any {
	t.Helper()
	return world.Members(s.Get(t, shop.OrderPath(order)).Body["items"].([]any)[0].(object), "shipped", "returned")
}

func onHand(t *testing.T, s *shop.Shop) any {
	t.Helper()
	return s.Get(t, "/inventory/TEA-1").Body["onHand"]
}

// Written-off units are not with the customer, so they do not rule out the cancellation.
func TestOrderIsCancelledAfterItsUnitsAreReturned(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		order := shipped(t, s, 2)
		row := request(t, s, order, 2)
		s.Post(t, 409, shop.OrderPath(order)+"/cancel", object{"reason": "sent back"})
		s.Post(t, 200, path(row)+"/receive", arrived(arrival(1, true), arrival(1, false)))
		require.Equal(t, "cancelled", s.Post(t, 200, shop.OrderPath(order)+"/cancel", object{"reason": "sent back"})["status"])
		require.EqualValues(t, 9, onHand(t, s))
		s.RequirePromises(t)
	})
}

// The reply to the request of a refund is the return.
func TestRefundOfAReturnNeedsPermissionToReadIt(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		row := request(t, s, shipped(t, s, 1), 1)
		require.Equal(t, "forbidden", s.As(9, "Cem", "refunds:write").Post(t, 403, path(row)+"/refund", nil)["code"])
		require.Zero(t, s.CountRows(t, "refunds", "1 = 1"))
		require.NotNil(t, s.As(9, "Cem", "refunds:write", "returns:read").Post(t, 200, path(row)+"/refund", nil)["refundId"])
	})
}

// A comment is a version of the return that changes nothing else, in any status.
func TestCommentIsAVersionOfTheReturn(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const writers = 8
		s := open(ctx, t, db)
		row := s.Post(t, 200, path(request(t, s, shipped(t, s, 1), 1))+"/reject", object{"reason": "used"})
		racing.Together(writers, func(i int) {
			s.Post(t, 201, path(row)+"/comments", object{"text": fmt.Sprintf("Called %d times.", i)})
		})
		comments := s.Send(t, http.MethodGet, path(row)+"/comments", nil).Items()
		require.Len(t, comments, writers)
		require.Equal(t, []any{row["id"], object{"id": 7.0, "name": "Tester"}}, world.Members(comments[0], "returnId", "createdBy"))
		after := s.Get(t, path(row)).Body
		require.Equal(t, []any{row["version"].(float64) + writers, 1.0 * writers, "rejected", row["lines"]}, world.Members(after, "version", "comments", "status", "lines"))
		require.Equal(t, "comment", s.Send(t, http.MethodGet, path(row)+"/history", nil).Items()[0]["action"])

		require.Equal(t, "/text", s.Post(t, 422, path(row)+"/comments", object{"text": ""})["fields"].([]any)[0].(object)["pointer"])
		s.As(9, "Cem", "returns:read").Post(t, 403, path(row)+"/comments", object{"text": "Mine"})
		s.RequirePromises(t)
	})
}

// Proves G4.62.
func TestReturnIsReceivedAndClosed(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		order := shipped(t, s, 3)
		require.EqualValues(t, 7, onHand(t, s))
		row := request(t, s, order, 3)
		require.Equal(t, []any{order["id"], order["orderNo"], "requested", []any{"receive", "reject"}, nil, nil},
			world.Members(row, "orderId", "orderNo", "status", "allowedTransitions", "refundId", "exchangeOrderId"))
		require.Equal(t, []any{3.0, 0.0}, line(t, s, order), "requested units did not come back")
		s.Post(t, 409, path(row)+"/close", nil)

		got := s.Post(t, 200, path(row)+"/receive", arrived(arrival(1, true), arrival(1, false)))
		require.Equal(t, []any{object{"lineId": 1.0, "sku": "TEA-1", "name": "Item TEA-1", "quantity": 3.0, "received": 2.0, "restocked": 1.0}}, got["lines"])
		require.Equal(t, got["lines"], s.Get(t, path(row)).Body["lines"], "the reply is the stored row")
		require.EqualValues(t, 8, onHand(t, s), "only restocked units return to stock")
		require.Equal(t, []any{3.0, 2.0}, line(t, s, order), "returned counts written-off units too")
		require.EqualValues(t, 1, s.CountRows(t, "order_lines", "returned = 1 AND written_off = 1 AND in_returns = 2"))
		require.Equal(t, "transition_not_allowed", s.Post(t, 409, path(row)+"/reject", object{"reason": "no"})["code"])

		s.Post(t, 422, shop.OrderPath(order)+"/returns", units(2))
		request(t, s, order, 1)
		exchange := s.Place(t)
		done := s.Post(t, 200, path(row)+"/close", object{"exchangeOrderId": exchange["id"]})
		require.Equal(t, []any{"closed", exchange["id"]}, world.Members(done, "status", "exchangeOrderId"))

		history := s.Get(t, path(row)+"/history").Items()
		require.Len(t, history, 3)
		require.Equal(t, []any{"close", "received", "closed"}, world.Members(history[0], "action", "from", "to"))
		require.EqualValues(t, 3, s.CountRows(t, "audit_entries", "resource = ?", path(row)[1:]))
		s.RequirePromises(t)
	})
}

// Proves G4.62.
func TestRejectedReturnReleasesItsUnits(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		order := shipped(t, s, 1)
		row := request(t, s, order, 1)
		s.Post(t, 422, shop.OrderPath(order)+"/returns", units(1))
		no := s.Post(t, 200, path(row)+"/reject", object{"reason": "used"})
		require.Equal(t, []any{"rejected", "used", []any{}}, world.Members(no, "status", "statusReason", "allowedTransitions"))
		s.Post(t, 409, path(row)+"/refund", nil)
		request(t, s, order, 1)
		s.RequirePromises(t)
	})
}

func TestReturnRequestsAreValidated(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		order := shipped(t, s, 2)
		row := request(t, s, order, 1)
		unshipped := s.Place(t)
		foreign := s.Create(t, "/orders", object{"userId": "other", "items": []object{shop.Line("TEA-1", 1)}})
		for name, c := range map[string]struct {
			path, pointer string
			body          object
		}{
			"no lines":               {shop.OrderPath(order) + "/returns", "/lines", object{"reason": "x", "lines": []object{}}},
			"no reason":              {shop.OrderPath(order) + "/returns", "/reason", object{"lines": units(1)["lines"]}},
			"a line that is missing": {shop.OrderPath(order) + "/returns", "/lines/0/lineId", object{"reason": "x", "lines": []object{{"lineId": 2, "quantity": 1}}}},
			"a line twice":           {shop.OrderPath(order) + "/returns", "/lines/1/lineId", object{"reason": "x", "lines": []object{{"lineId": 1, "quantity": 1}, {"lineId": 1, "quantity": 1}}}},
			"more than was shipped":  {shop.OrderPath(order) + "/returns", "/lines/0/quantity", units(2)},
			"units not shipped":      {shop.OrderPath(unshipped) + "/returns", "/lines/0/quantity", units(1)},
			"more than requested":    {path(row) + "/receive", "/lines/0/quantity", arrived(arrival(2, true))},
			"split beyond requested": {path(row) + "/receive", "/lines/1/quantity", arrived(arrival(1, true), arrival(1, false))},
			"the same twice":         {path(row) + "/receive", "/lines/1/lineId", arrived(arrival(0, true), arrival(1, true))},
			"another line":           {path(row) + "/receive", "/lines/0/lineId", arrived(object{"lineId": 7, "quantity": 1, "restock": true})},
			"nothing":                {path(row) + "/receive", "/lines", arrived(arrival(0, true))},
		} {
			a := s.Send(t, http.MethodPost, c.path, c.body)
			require.Equal(t, []any{422, c.pointer}, []any{a.Status, a.Pointer()}, "%s: %s", name, a.Text)
		}
		s.Post(t, 200, path(row)+"/receive", arrived(arrival(1, true)))
		for _, other := range []object{foreign, order} {
			a := s.Send(t, http.MethodPost, path(row)+"/close", object{"exchangeOrderId": other["id"]})
			require.Equal(t, []any{422, "/exchangeOrderId"}, []any{a.Status, a.Pointer()})
		}
		require.Equal(t, "received", s.Get(t, path(row)).Body["status"])
		s.RequirePromises(t)
	})
}

// Proves G4.63.
func TestReturnIsRefundedOnce(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		boss := s.As(8, "Ana")
		order := shipped(t, s, 4)
		row := request(t, s, order, 3)
		linked := s.Post(t, 200, path(row)+"/refund", object{"amount": 40})
		refund := s.Get(t, fmt.Sprintf("/refunds/%v", linked["refundId"])).Body
		require.Equal(t, []any{40.0, "requested", "too small"}, world.Members(refund, "amount", "status", "reason"))
		require.Equal(t, []any{3.0, false}, world.Members(refund["lines"].([]any)[0].(object), "quantity", "restock"))
		again := s.Post(t, 409, path(row)+"/refund", nil)
		require.Equal(t, "transition_not_allowed", again["code"])

		boss.Post(t, 200, shop.RefundPath(refund)+"/reject", object{"reason": "not yet"})
		s.Post(t, 200, path(row)+"/receive", arrived(arrival(2, true)))
		linked = s.Post(t, 200, path(row)+"/refund", nil)
		refund = s.Get(t, fmt.Sprintf("/refunds/%v", linked["refundId"])).Body
		require.EqualValues(t, 200, refund["amount"], "the share of the two received units")
		boss.Post(t, 200, shop.RefundPath(refund)+"/approve", nil)
		boss.Post(t, 200, shop.RefundPath(refund)+"/settle", object{"reference": "re_1"})
		require.EqualValues(t, 8, onHand(t, s), "the refund does not restock again")
		require.Equal(t, "refund", s.Get(t, path(row)+"/history").Items()[0]["action"])
		s.RequirePromises(t)
	})
}

func TestReturnsAreListedAndFiltered(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		first, second := shipped(t, s, 1), shipped(t, s, 1)
		one, two := request(t, s, first, 1), request(t, s, second, 1)
		s.Post(t, 200, path(two)+"/receive", arrived(arrival(1, false)))
		for query, want := range map[string][]any{
			"":                                       {two["id"], one["id"]},
			"?status=requested":                      {one["id"]},
			"?orderId=99999":                         {},
			"?userId=other":                          {},
			"?to=2020-01-01T00:00:00Z":               {},
			"?from=2020-01-01T00:00:00Z&sort=id":     {one["id"], two["id"]},
			fmt.Sprintf("?orderId=%v", second["id"]): {two["id"]},
			fmt.Sprintf("?q=%v", first["orderNo"].(string)): {one["id"]},
		} {
			ids := []any{}
			for _, row := range s.Get(t, "/returns"+query).Items() {
				require.Len(t, row["lines"], 1)
				ids = append(ids, row["id"])
			}
			require.Equal(t, want, ids, query)
		}
	})
}

// Proves G4.63.
func TestRepeatedReturnRequestHasOneEffect(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		order := shipped(t, s, 2)
		send := func(path string, body object, key string) httpapitest.Answer {
			return s.Send(t, http.MethodPost, path, body, "Idempotency-Key", key)
		}
		one := send(shop.OrderPath(order)+"/returns", units(1), "ask")
		two := send(shop.OrderPath(order)+"/returns", units(1), "ask")
		require.Equal(t, []any{201, one.Text}, []any{two.Status, two.Text})
		require.EqualValues(t, 1, s.Count(t, &returns.Return{}, "1 = 1"))
		for range 2 {
			require.Equal(t, 200, send(path(one.Body)+"/receive", arrived(arrival(1, true)), "receive").Status)
			require.Equal(t, 200, send(path(one.Body)+"/refund", object{}, "refund").Status)
		}
		require.EqualValues(t, 9, onHand(t, s))
		require.EqualValues(t, 1, s.Count(t, &refunds.Refund{}, "1 = 1"))
		s.RequirePromises(t)
	})
}

// Proves G4.60.
func TestConcurrentReturnsOfTheLastUnitHaveOneWinner(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		order := shipped(t, s, 2)
		s.Post(t, 200, path(request(t, s, order, 1))+"/receive", arrived(arrival(1, true)))
		answers := make([]httpapitest.Answer, 50)
		racing.Together(len(answers), func(i int) {
			answers[i] = s.Send(t, http.MethodPost, shop.OrderPath(order)+"/returns", units(1))
		})
		require.Equal(t, map[int]int{201: 1, 422: 49}, world.Tally(answers))
		require.EqualValues(t, 2, s.Count(t, &returns.Return{}, "1 = 1"))
		s.RequirePromises(t)
	})
}

// Proves G4.62.
func TestOneOfConcurrentReceiptsWins(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		row := request(t, s, shipped(t, s, 2), 2)
		answers := make([]httpapitest.Answer, 10)
		racing.Together(len(answers), func(i int) {
			answers[i] = s.Send(t, http.MethodPost, path(row)+"/receive", arrived(arrival(2, true)))
		})
		require.Equal(t, map[int]int{200: 1, 409: 9}, world.Tally(answers))
		require.EqualValues(t, 10, onHand(t, s))
		s.RequirePromises(t)
	})
}

// Proves G4.61.
func TestReturnsAndRestockingRefundsShareTheShippedUnits(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		restock := object{"reason": "broken", "lines": []object{{"sku": "TEA-1", "quantity": 1, "restock": true}}}
		order := shipped(t, s, 1)
		request(t, s, order, 1)
		s.Post(t, 422, shop.OrderPath(order)+"/refunds", restock)
		order = shipped(t, s, 1)
		s.Post(t, 201, shop.OrderPath(order)+"/refunds", restock)
		s.Post(t, 422, shop.OrderPath(order)+"/returns", units(1))
		for range 5 {
			order := shipped(t, s, 1)
			answers := make([]httpapitest.Answer, 2)
			racing.Together(2, func(i int) {
				if i == 0 {
					answers[i] = s.Send(t, http.MethodPost, shop.OrderPath(order)+"/returns", units(1))
					return
				}
				answers[i] = s.Send(t, http.MethodPost, shop.OrderPath(order)+"/refunds", restock)
			})
			require.Equal(t, map[int]int{201: 1, 422: 1}, world.Tally(answers))
			s.Post(t, 422, shop.OrderPath(order)+"/returns", units(1))
		}
		s.RequirePromises(t)
	})
}

// A receipt and the settlement of a refund with restock write the same order and stock.
// Proves G4.61.
func TestReceiptAndSettlementConserveStock(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		order := shipped(t, s, 4)
		row := request(t, s, order, 2)
		refund := s.Post(t, 201, shop.OrderPath(order)+"/refunds", object{"reason": "broken", "lines": []object{{"sku": "TEA-1", "quantity": 2, "restock": true}}})
		boss := s.As(8, "Ana")
		boss.Post(t, 200, shop.RefundPath(refund)+"/approve", nil)
		answers := make([]httpapitest.Answer, 2)
		racing.Together(2, func(i int) {
			if i == 0 {
				answers[i] = s.Send(t, http.MethodPost, path(row)+"/receive", arrived(arrival(1, true), arrival(1, false)))
				return
			}
			answers[i] = boss.Send(t, http.MethodPost, shop.RefundPath(refund)+"/settle", object{"reference": "re_1"})
		})
		require.Equal(t, map[int]int{200: 2}, world.Tally(answers))
		require.EqualValues(t, 9, onHand(t, s))
		require.Equal(t, []any{4.0, 4.0}, line(t, s, order))
		s.RequirePromises(t)
	})
}

// The version of the order decides, not the lock: a holder that lost its lock cannot exceed the
// shipped units.
// Proves G4.61.
func TestReturnWithAStaleOrderIsRunAgain(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		order := shipped(t, s, 1)
		stale, err := s.Orders.Order(s.Ctx, world.ID(order))
		require.NoError(t, err)
		request(t, s, order, 1)
		move := []orders.GoodsMove{{SKU: "TEA-1", InReturns: 0}}
		runs := 0
		err = s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) error {
			runs++
			return s.Orders.MoveGoods(ctx, u, stale, orders.ReturnRequested, move, nil)
		})
		require.Error(t, err)
		require.Greater(t, runs, 1, "the unit is run again")
		s.RequirePromises(t)
	})
}

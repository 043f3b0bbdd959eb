package shop

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
	"interlock/internal/refunds"
	"interlock/test/racing"
	"interlock/test/tier"
	"interlock/test/world"
)

// onTerms sets the payment terms of an order and returns it.
func (s *Shop) onTerms(t testing.TB, order object, terms orders.Terms) object {
	t.Helper()
	require.NoError(t, s.DB.Write(s.Ctx).Exec("UPDATE orders SET payment_terms = ? WHERE tenant_id = ? AND id = ?", string(terms), s.Tenant(), world.ID(order)).Error)
	return s.Get(t, OrderPath(order)).Body
}

func units(line, quantity int64) orders.ShipmentLine {
	return orders.ShipmentLine{LineID: line, Quantity: quantity}
}

// parcel is the request for a shipment; without lines, of all units.
func parcel(trackingNo string, lines ...orders.ShipmentLine) object {
	body := object{"carrier": "DHL", "trackingNo": trackingNo}
	if len(lines) > 0 {
		body["lines"] = lines
	}
	return body
}

func shipmentsPath(order object) string { return OrderPath(order) + "/shipments" }

// requireParcels requires that each line's shipped units equal the units of its parcels and do not
// exceed the ordered units, and that the stock consumed each parcel once.
func (s *Shop) requireParcels(t *testing.T, id int64) {
	t.Helper()
	order, err := s.Orders.Order(s.Ctx, id)
	require.NoError(t, err)
	for i, line := range order.Lines {
		require.LessOrEqual(t, line.Shipped, line.Quantity)
		var sent, consumed int64
		db := s.DB.Read(s.Ctx)
		require.NoError(t, db.Raw("SELECT COALESCE(SUM(quantity), 0) FROM shipment_lines WHERE tenant_id = ? AND order_id = ? AND line_id = ?", s.Tenant(), id, i+1).Scan(&sent).Error)
		require.NoError(t, db.Raw("SELECT COALESCE(SUM(-on_hand_delta), 0) FROM inventory_movements WHERE tenant_id = ? AND sku = ? AND holder = ? AND kind = 'consume'",
			s.Tenant(), line.SKU, order.Holder()).Scan(&consumed).Error)
		require.Equal(t, []int64{line.Shipped, line.Shipped}, []int64{sent, consumed}, line.SKU)
	}
}

// Proves G4.50.
func TestOrderIsShippedByItsLastParcel(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		s.Stock(t, "CUP-1", 100, 10)
		order := s.paid(t, "external", Line("TEA-1", 3), Line("CUP-1", 1))

		first := s.Send(t, http.MethodPost, shipmentsPath(order), parcel("P-1", units(1, 2)))
		require.Equal(t, http.StatusCreated, first.Status, first.Body)
		require.Equal(t, "/api/v1"+shipmentsPath(order), first.Header.Get("Location"))
		require.Equal(t, []any{order["id"], "DHL", "P-1", []any{object{"lineId": 1.0, "sku": "TEA-1", "name": "Item TEA-1", "quantity": 2.0}}, object{"id": 7.0, "name": "Tester"}},
			world.Members(first.Body, "orderId", "carrier", "trackingNo", "lines", "createdBy"))
		partly := s.Get(t, OrderPath(order)).Body
		require.Equal(t, []any{"paid", "partly_shipped", nil, []any{"ship"}, object{"carrier": "DHL", "trackingNo": "P-1"}},
			world.Members(partly, "status", "fulfilmentStatus", "shippedTime", "allowedTransitions", "shipment"))
		require.Equal(t, [2]float64{8, 1}, s.available(t, "TEA-1"))
		movements := s.Get(t, fmt.Sprintf("/inventory/TEA-1/movements?reference=@shipments/%d", world.ID(first.Body))).Items()
		require.Len(t, movements, 1)

		refusal := s.Post(t, 409, OrderPath(order)+"/cancel", object{"reason": "no"})
		require.Equal(t, []any{"transition_not_allowed", "paid", []any{"ship"}}, world.Members(refusal, "code", "currentStatus", "allowedTransitions"))
		require.Contains(t, refusal["detail"], "Shipped units that were not returned: 2. Receive their return, or refund them instead.")
		s.Post(t, 412, shipmentsPath(order), parcel("P-2"), "If-Match", order["etag"].(string))

		second := s.Post(t, 201, shipmentsPath(order), parcel("P-2"), "If-Match", partly["etag"].(string))
		require.Len(t, second["lines"], 2, "all the rest")
		shipped := s.Get(t, OrderPath(order)).Body
		require.Equal(t, []any{"shipped", "shipped", []any{"complete"}, object{"carrier": "DHL", "trackingNo": "P-2"}},
			world.Members(shipped, "status", "fulfilmentStatus", "allowedTransitions", "shipment"))
		require.NotNil(t, shipped["shippedTime"])
		require.Equal(t, "transition_not_allowed", s.Post(t, 409, shipmentsPath(order), parcel("P-3"))["code"])

		page := s.Get(t, shipmentsPath(order)+"?limit=1").Body
		require.Equal(t, []any{[]any{second}, 2.0}, world.Members(page, "items", "total"))
		require.Equal(t, []any{first.Body}, s.Get(t, fmt.Sprintf("%s?limit=1&cursor=%s", shipmentsPath(order), page["nextCursor"])).Body["items"])
		history := s.Get(t, OrderPath(order)+"/history").Items()
		require.Equal(t, []any{"ship", "paid", "shipped"}, world.Members(history[0], "action", "from", "to"))
		require.Equal(t, []any{"shipment", "paid", "paid", object{"shipmentId": first.Body["id"], "carrier": "DHL", "trackingNo": "P-1", "lines": []any{object{"lineId": 1.0, "quantity": 2.0}}}},
			world.Members(history[1], "action", "from", "to", "detail"))
		completed := s.Post(t, 200, OrderPath(order)+"/complete", nil)
		require.Equal(t, "completed", completed["status"])
		require.NotNil(t, completed["completedTime"])
		s.requireParcels(t, world.ID(order))
		s.requireBooks(t)
	})
}

func TestInvalidShipmentIsRejectedByField(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.SQLite(t)
	s := Open(ctx, t, db)
	s.Stock(t, "TEA-1", 100, 10)
	order := s.paid(t, "external", Line("TEA-1", 3))
	for _, c := range []struct {
		name, pointer string
		body          object
	}{
		{"no carrier", "/carrier", object{"trackingNo": "1"}},
		{"no lines", "/lines", object{"carrier": "DHL", "trackingNo": "1", "lines": []any{}}},
		{"no units", "/lines/0/quantity", parcel("1", units(1, 0))},
		{"too many units", "/lines/0/quantity", parcel("1", units(1, 4))},
		{"another line", "/lines/0/lineId", parcel("1", units(2, 1))},
		{"line 0", "/lines/0/lineId", parcel("1", units(0, 1))},
		{"a line twice", "/lines/1/lineId", parcel("1", units(1, 1), units(1, 1))},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := s.Send(t, http.MethodPost, shipmentsPath(order), c.body)
			require.Equal(t, http.StatusUnprocessableEntity, a.Status, a.Body)
			require.Equal(t, c.pointer, a.Pointer())
		})
	}
	require.Zero(t, s.Count(t, &orders.Parcel{}, "1 = 1"))
	require.Equal(t, order, s.Get(t, OrderPath(order)).Body)
}

// Proves G4.53.
func TestOrderOnTermsShipsUnpaid(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.SQLite(t)
	s := Open(ctx, t, db)
	s.Stock(t, "TEA-1", 100, 10)
	prepaid := s.Place(t, Line("TEA-1", 2))
	refusal := s.Post(t, 409, shipmentsPath(prepaid), parcel("1"))
	require.Equal(t, []any{"transition_not_allowed", []any{"pay", "cancel"}}, world.Members(refusal, "code", "allowedTransitions"))
	require.Contains(t, refusal["detail"], "Its payment terms are prepaid: pay it first.")

	paidLater := s.onTerms(t, s.Place(t, Line("TEA-1", 2)), orders.Invoice)
	require.Equal(t, []any{"pay", "ship", "cancel"}, paidLater["allowedTransitions"])
	s.Post(t, 201, shipmentsPath(paidLater), parcel("1", units(1, 1)))
	require.Equal(t, []any{"pending", "partly_shipped"}, world.Members(s.Get(t, OrderPath(paidLater)).Body, "status", "fulfilmentStatus"))
	s.Post(t, 200, OrderPath(paidLater)+"/pay", Outside())
	require.Equal(t, "shipped", s.Post(t, 200, OrderPath(paidLater)+"/ship", parcel("2"))["status"])
	s.Post(t, 200, OrderPath(paidLater)+"/complete", nil)

	unpaid := s.onTerms(t, s.Place(t, Line("TEA-1", 2)), orders.OnDelivery)
	require.Equal(t, "shipped", s.Post(t, 200, OrderPath(unpaid)+"/ship", parcel("3"))["status"])
	refusal = s.Post(t, 409, OrderPath(unpaid)+"/complete", nil)
	require.Contains(t, refusal["detail"], "Of its amount, 200 is due. Record the payment first.")
	s.requireBooks(t)
}

// Proves G4.51.
func TestRefundOfTheLastUnitsShipsTheOrder(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		restock := func(quantity int64) object {
			return object{"lines": []object{{"sku": "TEA-1", "quantity": quantity, "restock": true}}}
		}
		settle := func(refund object, reference string) {
			s.boss().Post(t, 200, RefundPath(refund)+"/approve", nil)
			s.boss().Post(t, 200, RefundPath(refund)+"/settle", object{"reference": reference})
		}
		order := s.paid(t, "external", Line("TEA-1", 3))
		s.Post(t, 201, shipmentsPath(order), parcel("P-1", units(1, 1)))
		settle(s.request(t, order, restock(2)), "re_1")
		shipped := s.Get(t, OrderPath(order)).Body
		require.Equal(t, []any{"shipped", []any{"complete"}}, world.Members(shipped, "status", "allowedTransitions"))
		require.NotNil(t, shipped["shippedTime"])
		history := s.Get(t, OrderPath(order)+"/history").Items()
		require.Equal(t, []any{"settle-refund", "paid", "shipped"}, world.Members(history[0], "action", "from", "to"))

		settle(s.request(t, order, restock(1)), "re_2")
		require.Equal(t, []any{"complete", "cancel"}, s.Get(t, OrderPath(order)).Body["allowedTransitions"], "the customer has no units")
		require.Equal(t, "cancelled", s.Post(t, 200, OrderPath(order)+"/cancel", object{"reason": "all returned"})["status"])
		require.Equal(t, [2]float64{10, 0}, s.available(t, "TEA-1"))

		returned := s.paid(t, "external", Line("TEA-1", 2))
		s.Post(t, 201, shipmentsPath(returned), parcel("P-2", units(1, 1)))
		refund := s.request(t, returned, restock(1))
		require.Equal(t, "nothing_to_ship", s.Post(t, 409, shipmentsPath(returned), parcel("P-3"))["code"])
		s.boss().Post(t, 200, RefundPath(refund)+"/reject", object{"reason": "no"})
		s.Post(t, 201, shipmentsPath(returned), parcel("P-3"))
		require.Equal(t, "shipped", s.Get(t, OrderPath(returned)).Body["status"])
		s.requireBooks(t)
	})
}

// Proves G4.50.
func TestRacingShipmentsNeverShipMoreThanOrdered(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const racers = 50
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		s.Stock(t, "CUP-1", 100, Plenty)
		for range tier.Rounds(2, 50) {
			order := s.paid(t, "external", Line("TEA-1", 10), Line("CUP-1", 7))
			statuses := make([]int, racers)
			racing.Together(racers, func(i int) {
				answer := s.Send(t, http.MethodPost, shipmentsPath(order), parcel(fmt.Sprint(i), units(int64(i%2+1), int64(i%3+1))))
				statuses[i] = answer.Status
			})
			var made int64
			for _, status := range statuses {
				require.Contains(t, []int{http.StatusCreated, http.StatusConflict, http.StatusUnprocessableEntity, http.StatusLocked}, status)
				if status == http.StatusCreated {
					made++
				}
			}
			id := world.ID(order)
			require.Greater(t, made, int64(1), statuses)
			require.Equal(t, made, s.Count(t, &orders.Parcel{}, "order_id = ?", id))
			s.requireParcels(t, id)
			require.EqualValues(t, 2+made, s.Count(t, &orders.Event{}, "order_id = ?", id), "each shipment is one version")
			require.EqualValues(t, 2+made, s.Count(t, &uow.AuditRow{}, "resource = ?", fmt.Sprintf("orders/%d", id)))
		}
	})
}

// Proves G4.50.
func TestRacingShipmentsRefundsAndCancellationsConserveUnits(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		for round := range tier.Rounds(10, 200) {
			tr := s.trial(t, round, "external")
			errs := racing.Errors(9, func(i int) error {
				switch i % 3 {
				case 0:
					return tr.step(ctx, anyway.Of(units(1, 1)))
				case 1:
					return tr.step(ctx, orders.Cancellation{Reason: "no"})
				}
				err := tr.requestUnits(ctx, 1)
				if err == nil {
					err = tr.refund(ctx, refunds.Approval{})
				}
				if err == nil {
					err = tr.refund(ctx, refunds.Settlement{Reference: outside().Reference})
				}
				return err
			})
			for _, err := range errs {
				var refusal *apperr.Error
				if err != nil {
					require.ErrorAs(t, err, &refusal)
					require.NotEqual(t, apperr.Internal, refusal.Code)
				}
			}
			tr.check(t)
			s.requireParcels(t, tr.order)
		}
	})
}

// A client that has lost the reply sends the shipment again under its key.
// Proves G4.52.
func TestRepeatedShipmentIsMadeOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		order := s.paid(t, "external", Line("TEA-1", 5))
		body := parcel("P-1", units(1, 2))
		first := s.Send(t, http.MethodPost, shipmentsPath(order), body, "X-Idempotency-Key", "parcel-1")
		require.Equal(t, http.StatusCreated, first.Status)
		again := s.Send(t, http.MethodPost, shipmentsPath(order), body, "X-Idempotency-Key", "parcel-1")
		require.Equal(t, []any{http.StatusCreated, "true", first.Header.Get("Location"), first.Body},
			[]any{again.Status, again.Header.Get("X-Idempotency-Replay"), again.Header.Get("Location"), again.Body})
		require.Equal(t, [2]float64{8, 3}, s.available(t, "TEA-1"))

		racing.Together(10, func(int) {
			s.Send(t, http.MethodPost, shipmentsPath(order), body, "X-Idempotency-Key", "parcel-2")
		})
		require.EqualValues(t, 2, s.Count(t, &orders.Parcel{}, "order_id = ?", world.ID(order)))
		require.Equal(t, [2]float64{6, 1}, s.available(t, "TEA-1"))
		s.requireParcels(t, world.ID(order))
	})
}

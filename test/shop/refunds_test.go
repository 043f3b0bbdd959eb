package shop

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/orders"
	"interlock/internal/refunds"
	"interlock/internal/wallets"
	"interlock/test/world"
)

// boss is another admin, who may approve the refunds that the caller of the shop has requested.
func (s *Shop) boss() *httpapitest.Caller { return s.As(8, "Ana") }

// paid places an order and pays it.
func (s *Shop) paid(t *testing.T, method string, items ...object) object {
	t.Helper()
	order := s.Post(t, 201, "/orders", object{"userId": Buyer, "items": items})
	payment := object{"method": method}
	if method == "external" {
		payment = Outside()
	}
	return s.Post(t, 200, OrderPath(order)+"/pay", payment)
}

// request requests a refund.
func (s *Shop) request(t *testing.T, order object, body object) object {
	t.Helper()
	if body["reason"] == nil {
		body["reason"] = "broken"
	}
	return s.Post(t, 201, OrderPath(order)+"/refunds", body)
}

// money returns the amounts of an order: paid, refundReserved, refunded, refundable.
func money(order object) [4]float64 {
	return [4]float64{order["paid"].(float64), order["refundReserved"].(float64), order["refunded"].(float64), order["refundable"].(float64)}
}

func (s *Shop) available(t *testing.T, sku string) [2]float64 {
	t.Helper()
	stock := s.Get(t, "/inventory/"+sku).Body
	return [2]float64{stock["onHand"].(float64), stock["reserved"].(float64)}
}

// requireBooks requires that the orders of the tenant agree with their refunds, the refunds with the
// wallet entries, and each version with its history.
func (s *Shop) requireBooks(t *testing.T) {
	t.Helper()
	db := s.DB.Read(s.Ctx)
	var all []refunds.Refund
	require.NoError(t, db.Find(&all).Error)
	reserved, settled := map[int64]int64{}, map[int64]int64{}
	for _, refund := range all {
		switch name := refunds.Machine.Of(refund.Status).Name; name {
		case "requested", "approved", "unknown":
			reserved[refund.OrderID] += refund.Amount
		case "settled":
			settled[refund.OrderID] += refund.Amount
		}
		entries := int64(0)
		if refund.Method == "wallet" && refunds.Machine.Of(refund.Status).Name == "settled" {
			entries = 1
		}
		reference := fmt.Sprintf("@refunds/%d", refund.ID)
		require.Equal(t, entries, s.Count(t, &wallets.Entry{}, "reference = ? AND kind = 'refund' AND amount = ?", reference, refund.Amount), "entries of %s", reference)
		require.Equal(t, entries, s.Count(t, &wallets.Entry{}, "reference = ?", reference), "entries of %s", reference)
		require.Equal(t, refund.Version, s.Count(t, &refunds.Event{}, "refund_id = ?", refund.ID), "each version has one row of history")
	}
	require.EqualValues(t, s.Count(t, &wallets.Entry{}, "kind = 'refund'"), s.Count(t, &refunds.Refund{}, "method = 'wallet' AND status = 3"))
	var rows []orders.Order
	require.NoError(t, db.Find(&rows).Error)
	for _, order := range rows {
		require.Equal(t, [2]int64{reserved[order.ID], settled[order.ID]}, [2]int64{order.RefundReserved, order.Refunded}, order.OrderNo)
		require.GreaterOrEqual(t, order.RefundReserved, int64(0))
		require.LessOrEqual(t, order.Refunded+order.RefundReserved, order.Paid, order.OrderNo)
		require.Equal(t, order.Version, s.Count(t, &orders.Event{}, "order_id = ?", order.ID), "each version has one row of history")
	}
	var sums []struct{ Have, Ledger int64 }
	require.NoError(t, db.Model(&wallets.Wallet{}).
		Select("wallets.balance AS have, (SELECT SUM(e.amount) FROM wallet_entries e WHERE e.tenant_id = wallets.tenant_id AND e.user_id = wallets.user_id) AS ledger").Scan(&sums).Error)
	for _, sum := range sums {
		require.Equal(t, sum.Ledger, sum.Have)
	}
}

// Proves G4.18.
func TestApprovalSettlesAWalletRefundImmediately(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 150, 10)
		s.Fund(t, Buyer, 500)
		order := s.paid(t, "wallet", Line("TEA-1", 2))
		require.Equal(t, [4]float64{300, 0, 0, 300}, money(order))
		answer := s.Send(t, http.MethodPost, OrderPath(order)+"/refunds", object{"amount": 100, "reason": "one was broken"})
		require.Equal(t, http.StatusCreated, answer.Status, answer.Body)
		refund := answer.Body
		require.Equal(t, "/api/v1"+RefundPath(refund), answer.Header.Get("Location"))
		require.Equal(t, refund["etag"], answer.Header.Get("ETag"))
		require.Equal(t, []any{order["id"], order["orderNo"], string(Buyer), 100.0, "wallet", "request", "one was broken", "requested", []any{"approve", "reject"}, []any{}},
			world.Members(refund, "orderId", "orderNo", "userId", "amount", "method", "origin", "reason", "status", "allowedTransitions", "lines"))
		require.Equal(t, []any{object{"id": 7.0, "name": "Tester"}, nil, nil, nil, nil},
			world.Members(refund, "requestedBy", "approvedBy", "approvedTime", "reference", "statusReason"))
		require.Equal(t, [4]float64{300, 100, 0, 200}, money(s.Get(t, OrderPath(order)).Body))
		require.Equal(t, refund, s.Get(t, RefundPath(refund)).Body)
		require.EqualValues(t, 200, s.Balance(t, Buyer))

		for name, own := range map[string]*httpapitest.Caller{"himself": s.Caller, "another token of his": s.As(7, "Tester's till", "refunds:approve")} {
			refused := own.Send(t, http.MethodPost, RefundPath(refund)+"/approve", nil)
			require.Equal(t, http.StatusForbidden, refused.Status, name)
			require.Equal(t, "forbidden", refused.Body["code"], name)
			require.Contains(t, refused.Body["detail"], " requested it", name)
		}
		require.Equal(t, refund, s.Get(t, RefundPath(refund)).Body)

		after := s.boss().Post(t, 200, RefundPath(refund)+"/approve", nil, "If-Match", refund["etag"].(string))
		require.Equal(t, []any{"settled", []any{}, object{"id": 8.0, "name": "Ana"}, fmt.Sprintf("@refunds/%d", world.ID(refund)), 3.0},
			world.Members(after, "status", "allowedTransitions", "approvedBy", "reference", "version"))
		require.EqualValues(t, 300, s.Balance(t, Buyer))
		require.Equal(t, [4]float64{300, 0, 100, 200}, money(s.Get(t, OrderPath(order)).Body))
		again := s.boss().Send(t, http.MethodPost, RefundPath(refund)+"/approve", nil)
		require.Equal(t, []any{409.0, "transition_not_allowed", "settled", after}, world.Members(again.Body, "status", "code", "currentStatus", "current"))

		history := s.Send(t, http.MethodGet, RefundPath(refund)+"/history", nil).Items()
		require.Len(t, history, 3)
		require.Equal(t, []any{"settle", "approved", "settled"}, world.Members(history[0], "action", "from", "to"))
		require.Equal(t, []any{"approve", "requested", "approved"}, world.Members(history[1], "action", "from", "to"))
		require.Equal(t, []any{"request", nil, "requested"}, world.Members(history[2], "action", "from", "to"))
		require.EqualValues(t, 2, s.Count(t, &uow.AuditRow{}, "resource = ?", strings.TrimPrefix(RefundPath(refund), "/")), "one entry a unit")
		ofOrder := s.Send(t, http.MethodGet, OrderPath(order)+"/history", nil).Items()
		require.Equal(t, []any{"settle-refund", "paid", "paid", object{"refundId": refund["id"], "amount": 100.0}}, world.Members(ofOrder[0], "action", "from", "to", "detail"))
		require.Equal(t, "reserve-refund", ofOrder[1]["action"])
		s.requireBooks(t)
	})
}

// Proves G4.18.
func TestExternalRefundWaitsForItsSettlement(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 100)
		why := object{"reason": "as reported by the provider"}
		brings := object{"reject": why, "fail": why, "unknown": why}
		cases := []struct {
			name  string
			steps []string
			last  string
			// of an order of 100 with a refund of 60.
			money [4]float64
		}{
			{"requested", nil, "requested", [4]float64{100, 60, 0, 40}},
			{"rejected", []string{"reject"}, "rejected", [4]float64{100, 0, 0, 100}},
			{"approved", []string{"approve"}, "approved", [4]float64{100, 60, 0, 40}},
			{"settled", []string{"approve", "settle"}, "settled", [4]float64{100, 0, 60, 40}},
			{"failed", []string{"approve", "fail"}, "failed", [4]float64{100, 0, 0, 100}},
			{"unknown retains the reservation", []string{"approve", "unknown"}, "unknown", [4]float64{100, 60, 0, 40}},
			{"unknown, then settled", []string{"approve", "unknown", "settle"}, "settled", [4]float64{100, 0, 60, 40}},
			{"unknown, then failed", []string{"approve", "unknown", "fail"}, "failed", [4]float64{100, 0, 0, 100}},
			{"failed, and approved again", []string{"approve", "fail", "approve"}, "approved", [4]float64{100, 60, 0, 40}},
			{"failed, and settled at last", []string{"approve", "fail", "approve", "settle"}, "settled", [4]float64{100, 0, 60, 40}},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				order := s.paid(t, "external", Line("TEA-1", 1))
				refund := s.request(t, order, object{"amount": 60})
				brings["settle"] = object{"reference": c.name}
				for _, step := range c.steps {
					refund = s.boss().Post(t, 200, RefundPath(refund)+"/"+step, brings[step])
				}
				require.Equal(t, c.last, refund["status"])
				require.Equal(t, c.money, money(s.Get(t, OrderPath(order)).Body))
			})
		}
		require.Zero(t, s.Count(t, &wallets.Entry{}, "1 = 1"))
		s.requireBooks(t)
	})
}

// Proves G4.18.
func TestFailedRefundIsReapprovedOnlyWithinTheRest(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 50, 10)
		order := s.paid(t, "external", Line("TEA-1", 2))
		failing := func(body object) object {
			refund := s.request(t, order, body)
			s.boss().Post(t, 200, RefundPath(refund)+"/approve", nil)
			return s.boss().Post(t, 200, RefundPath(refund)+"/fail", object{"reason": "the card has expired"})
		}
		first := failing(object{"amount": 60})
		second := s.request(t, order, object{"amount": 41})
		refused := s.boss().Post(t, 409, RefundPath(first)+"/approve", nil)
		require.Equal(t, []any{"transition_not_allowed", "failed", first}, world.Members(refused, "code", "currentStatus", "current"))
		require.Contains(t, refused["detail"], "too little of the payment is left")
		s.boss().Post(t, 200, RefundPath(second)+"/reject", object{"reason": "no"})
		s.boss().Post(t, 200, RefundPath(first)+"/approve", nil)
		s.boss().Post(t, 200, RefundPath(first)+"/fail", object{"reason": "again"})

		byLine := failing(object{"amount": 1, "lines": []object{Line("TEA-1", 2)}})
		s.request(t, order, object{"amount": 1, "lines": []object{Line("TEA-1", 1)}})
		require.Equal(t, byLine, s.boss().Post(t, 409, RefundPath(byLine)+"/approve", nil)["current"], "the amount is available but the units are not")
		s.requireBooks(t)
	})
}

func TestInvalidRefundIsRejectedByField(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 50, 100)
	s.Stock(t, "CUP-1", 100, 100)
	order := s.paid(t, "external", Line("TEA-1", 2), Line("CUP-1", 1))
	s.request(t, order, object{"amount": 80})
	s.request(t, order, object{"amount": 20, "lines": []object{Line("TEA-1", 1)}})
	unpaid := s.Post(t, 201, "/orders", object{"userId": Buyer, "items": []object{Line("TEA-1", 1)}})
	gone := s.paid(t, "external", Line("TEA-1", 1))
	s.Post(t, 200, OrderPath(gone)+"/cancel", object{"reason": "no"})
	line := func(of object, more object) object {
		for name, value := range more {
			of[name] = value
		}
		return object{"reason": "x", "lines": []object{of}}
	}
	cases := []struct {
		name    string
		order   object
		body    any
		status  int
		pointer string
	}{
		{"one more than is left", order, object{"amount": 101, "reason": "x"}, 422, "/amount"},
		{"nothing", order, object{"amount": 0, "reason": "x"}, 422, "/amount"},
		{"less than nothing", order, object{"amount": -25, "reason": "x"}, 422, "/amount"},
		{"as much as can be counted", order, object{"amount": math.MaxInt64, "reason": "x"}, 422, "/amount"},
		{"neither amount nor lines", order, object{"reason": "x"}, 422, "/amount"},
		{"lines that are worth more than is left", order, object{"reason": "x", "lines": []object{Line("TEA-1", 1), Line("CUP-1", 1)}}, 422, "/amount"},
		{"of an order that was not paid", unpaid, object{"amount": 1, "reason": "x"}, 422, "/amount"},
		{"no reason", order, object{"amount": 1}, 422, "/reason"},
		{"a long reason", order, object{"amount": 1, "reason": strings.Repeat("r", 501)}, 422, "/reason"},
		{"an item that it does not have", order, line(Line("POT-1", 1), nil), 422, "/lines/0/sku"},
		{"an item twice", order, object{"reason": "x", "lines": []object{Line("TEA-1", 1), Line("TEA-1", 1)}}, 422, "/lines/1/sku"},
		{"more units than the rest", order, line(Line("TEA-1", 2), nil), 422, "/lines/0/quantity"},
		{"no units", order, line(Line("TEA-1", 0), nil), 422, "/lines/0/quantity"},
		{"units returned by the cancellation", gone, line(Line("TEA-1", 1), object{"restock": true}), 422, "/lines/0/restock"},
		{"an unknown field", order, object{"amount": 1, "reason": "x", "currency": "EUR"}, 400, "/currency"},
		{"an amount with a fraction", order, `{"amount":1.5,"reason":"x"}`, 400, "/amount"},
	}
	before := s.Count(t, &refunds.Refund{}, "1 = 1")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := s.Send(t, http.MethodPost, OrderPath(c.order)+"/refunds", c.body)
			require.Equal(t, c.status, a.Status, a.Body)
			require.Equal(t, c.pointer, a.Pointer())
		})
	}
	beyond := s.Send(t, http.MethodPost, OrderPath(order)+"/refunds", object{"amount": 101, "reason": "x"})
	require.EqualValues(t, 100, beyond.Body["refundable"])
	never := s.Send(t, http.MethodPost, OrderPath(unpaid)+"/refunds", object{"amount": 1, "reason": "x"})
	require.EqualValues(t, 0, never.Body["refundable"])
	require.Contains(t, never.Text, "has nothing left to refund")
	s.Post(t, http.StatusNotFound, "/orders/999999/refunds", object{"amount": 1, "reason": "x"})
	require.Equal(t, before, s.Count(t, &refunds.Refund{}, "1 = 1"))
	s.requireBooks(t)
}

func TestInvalidStepChangesNothing(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 50, 100)
	refund := s.request(t, s.paid(t, "external", Line("TEA-1", 2)), object{"amount": 80})
	for name, c := range map[string]struct {
		step    string
		body    any
		status  int
		pointer string
	}{
		"no reason":                    {"reject", object{}, 422, "/reason"},
		"a long reason":                {"fail", object{"reason": strings.Repeat("r", 501)}, 422, "/reason"},
		"no doubt without a reason":    {"unknown", nil, 422, "/reason"},
		"no reference":                 {"settle", object{}, 422, "/reference"},
		"a reference of the service's": {"settle", object{"reference": "@refunds/1"}, 422, "/reference"},
		"a body that is not empty":     {"approve", object{"amount": 1}, 400, "/amount"},
	} {
		a := s.boss().Send(t, http.MethodPost, RefundPath(refund)+"/"+c.step, c.body)
		require.Equal(t, c.status, a.Status, "%s: %v", name, a.Body)
		require.Equal(t, c.pointer, a.Pointer(), name)
	}
	stale := s.boss().Send(t, http.MethodPost, RefundPath(refund)+"/reject", object{}, "If-Match", `"1-9"`)
	require.Equal(t, http.StatusPreconditionFailed, stale.Status, "the precondition is proposal before the rules")
	require.Equal(t, "requested", stale.Body["currentStatus"])
	s.Post(t, http.StatusPreconditionFailed, RefundPath(refund)+"/approve", nil, "If-Match", `"1-9"`)
	require.Equal(t, http.StatusConflict, s.boss().Send(t, http.MethodPost, RefundPath(refund)+"/settle", object{"reference": "re_1"}).Status)
	require.Equal(t, refund, s.Get(t, RefundPath(refund)).Body)
}

// Proves G4.20.
func TestLastUnitRefundsTheRemainderOfItsLine(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 100)
		s.Stock(t, "CUP-1", 35, 100)
		campaign := s.Post(t, 201, "/coupon-campaigns", object{
			"name": "Spring", "kind": "amount", "value": 31, "minimumAmount": 0, "total": 1, "perUser": 1,
			"validFrom": world.Opening, "validTo": world.Opening.AddDate(0, 1, 0),
		})
		issued := s.Post(t, 201, fmt.Sprintf("/coupon-campaigns/%d/coupons", world.ID(campaign)), object{"count": 1})
		order := s.Post(t, 201, "/orders", object{"userId": Buyer, "items": []object{Line("TEA-1", 3), Line("CUP-1", 1)}, "couponCode": issued["codes"].([]any)[0]})
		require.EqualValues(t, 304, order["amount"])
		s.Post(t, 200, OrderPath(order)+"/pay", Outside())
		// 31 × 300/335 = 27.76 and 31 × 35/335 = 3.24: the lines are worth 272 and 32.
		var worths []any
		for range 3 {
			refund := s.request(t, order, object{"lines": []object{Line("TEA-1", 1)}})
			require.Equal(t, []any{object{"sku": "TEA-1", "name": "Item TEA-1", "quantity": 1.0, "restock": false, "worth": refund["amount"]}}, refund["lines"])
			worths = append(worths, refund["amount"])
		}
		require.Equal(t, []any{90.0, 91.0, 91.0}, worths)
		last := s.request(t, order, object{"lines": []object{Line("CUP-1", 1)}})
		require.EqualValues(t, 32, last["amount"])
		require.Equal(t, [4]float64{304, 304, 0, 0}, money(s.Get(t, OrderPath(order)).Body))
		s.requireBooks(t)
	})
}

// Proves G4.22.
func TestRefundRestocksUnitsOnceIfRequested(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 10, 100)
		s.Stock(t, "CUP-1", 10, 100)
		s.Fund(t, Buyer, 1000)
		back := func(lines ...object) object { return object{"lines": lines} }
		restock := func(sku string, quantity int64) object {
			line := Line(sku, quantity)
			line["restock"] = true
			return line
		}
		ship := object{"carrier": "DHL", "trackingNo": "1"}

		shipped := s.paid(t, "wallet", Line("TEA-1", 4), Line("CUP-1", 2))
		s.Post(t, 200, OrderPath(shipped)+"/ship", ship)
		require.Equal(t, [2]float64{96, 0}, s.available(t, "TEA-1"))
		refund := s.request(t, shipped, back(restock("TEA-1", 3), Line("CUP-1", 2)))
		require.Equal(t, [2]float64{96, 0}, s.available(t, "TEA-1"), "not before it is settled")
		s.boss().Post(t, 200, RefundPath(refund)+"/approve", nil)
		require.Equal(t, [2]float64{99, 0}, s.available(t, "TEA-1"))
		require.Equal(t, [2]float64{98, 0}, s.available(t, "CUP-1"), "its line does not say so")
		s.boss().Post(t, 409, RefundPath(refund)+"/approve", nil)
		require.Equal(t, [2]float64{99, 0}, s.available(t, "TEA-1"))
		movements := s.Send(t, http.MethodGet, "/inventory/TEA-1/movements?reference="+fmt.Sprintf("@refunds/%d", world.ID(refund)), nil).Items()
		require.Len(t, movements, 1)
		require.Equal(t, []any{"restock", 3.0, OrderPath(shipped)[1:]}, world.Members(movements[0], "kind", "delta", "holder"))

		waiting := s.paid(t, "wallet", Line("TEA-1", 5))
		require.Equal(t, [2]float64{99, 5}, s.available(t, "TEA-1"))
		refund = s.request(t, waiting, back(restock("TEA-1", 2)))
		s.boss().Post(t, 200, RefundPath(refund)+"/approve", nil)
		require.Equal(t, [2]float64{99, 3}, s.available(t, "TEA-1"), "the order's reservation is released")
		s.Post(t, 200, OrderPath(waiting)+"/ship", ship)
		require.Equal(t, [2]float64{96, 0}, s.available(t, "TEA-1"), "and is not shipped")

		cancelled := s.paid(t, "external", Line("CUP-1", 6))
		refund = s.request(t, cancelled, back(restock("CUP-1", 4)))
		s.boss().Post(t, 200, RefundPath(refund)+"/approve", nil)
		s.Post(t, 200, OrderPath(cancelled)+"/cancel", object{"reason": "no"})
		require.Equal(t, [2]float64{98, 0}, s.available(t, "CUP-1"))
		s.boss().Post(t, 200, RefundPath(refund)+"/settle", object{"reference": "re_1"})
		require.Equal(t, [2]float64{98, 0}, s.available(t, "CUP-1"), "the cancellation returned all units")

		early := s.paid(t, "external", Line("CUP-1", 6))
		refund = s.request(t, early, back(restock("CUP-1", 4)))
		s.boss().Post(t, 200, RefundPath(refund)+"/approve", nil)
		s.Post(t, 200, OrderPath(early)+"/ship", ship)
		s.boss().Post(t, 200, RefundPath(refund)+"/settle", object{"reference": "re_2"})
		require.Equal(t, [2]float64{96, 0}, s.available(t, "CUP-1"), "requested before the parcel left, settled after")
		s.requireBooks(t)
	})
}

// Proves G4.22.
func TestShipmentSendsUnitsToShip(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		parcel := object{"carrier": "DHL", "trackingNo": "1"}
		restock := func(quantity int64) object {
			return object{"lines": []object{{"sku": "TEA-1", "quantity": quantity, "restock": true}}}
		}
		units := func(order object) []any {
			line := s.Get(t, OrderPath(order)).Body["items"].([]any)[0].(object)
			return world.Members(line, "toShip", "shipped", "returned")
		}

		order := s.paid(t, "external", Line("TEA-1", 3))
		refund := s.request(t, order, restock(2))
		require.Equal(t, []any{1.0, 0.0, 0.0}, units(order), "units of an open refund cannot be shipped")
		s.Post(t, 200, OrderPath(order)+"/ship", parcel)
		require.Equal(t, [2]float64{9, 2}, s.available(t, "TEA-1"))
		require.Equal(t, []any{"paid", "partly_shipped", []any{}}, world.Members(s.Get(t, OrderPath(order)).Body, "status", "fulfilmentStatus", "allowedTransitions"),
			"nothing to ship, and units in a refund")
		s.boss().Post(t, 200, RefundPath(refund)+"/reject", object{"reason": "no"})
		require.Equal(t, []any{2.0, 1.0, 0.0}, units(order), "a rejected refund returns its units")
		require.Equal(t, []any{"ship"}, s.Get(t, OrderPath(order)).Body["allowedTransitions"])
		require.Equal(t, "shipped", s.Post(t, 200, OrderPath(order)+"/ship", parcel)["status"])
		require.Equal(t, []any{0.0, 3.0, 0.0}, units(order))
		require.Equal(t, [2]float64{7, 0}, s.available(t, "TEA-1"))
		s.Post(t, 200, OrderPath(order)+"/complete", nil)

		returned := s.paid(t, "external", Line("TEA-1", 3))
		refund = s.request(t, returned, restock(3))
		refusal := s.Post(t, 409, OrderPath(returned)+"/ship", parcel)
		require.Equal(t, []any{"nothing_to_ship", "paid", []any{"cancel"}}, world.Members(refusal, "code", "currentStatus", "allowedTransitions"))
		batch := s.Post(t, 200, "/order-batches", object{"action": "ship", "ids": []any{returned["id"]}, "carrier": "DHL", "trackingNo": "1"})
		require.Equal(t, []any{"conflict", "nothing_to_ship"}, world.Members(batch["items"].([]any)[0].(object), "verdict", "code"))
		s.boss().Post(t, 200, RefundPath(refund)+"/approve", nil)
		s.boss().Post(t, 200, RefundPath(refund)+"/settle", object{"reference": "re_all"})
		s.Post(t, 409, OrderPath(returned)+"/ship", parcel)
		require.Equal(t, [2]float64{7, 0}, s.available(t, "TEA-1"))

		gift := s.paid(t, "external", Line("TEA-1", 1))
		refund = s.request(t, gift, object{"amount": 100})
		s.boss().Post(t, 200, RefundPath(refund)+"/approve", nil)
		s.boss().Post(t, 200, RefundPath(refund)+"/settle", object{"reference": "re_gift"})
		require.Equal(t, "nothing_to_ship", s.Post(t, 409, OrderPath(gift)+"/ship", parcel)["code"], "the whole payment was refunded")
		parcel["shipRefunded"] = true
		s.Post(t, 200, OrderPath(gift)+"/ship", parcel)
		s.requireBooks(t)
	})
}

// The cancellation of an order ends its requested refunds, and the customer gets the complete rest
// of the payment.
// Proves G4.19.
func TestCancellationReplacesOpenRefunds(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 100)
		s.Fund(t, Buyer, 100)
		for _, method := range []string{"wallet", "external"} {
			order := s.paid(t, method, Line("TEA-1", 1))
			given, proposal := s.request(t, order, object{"amount": 30}), s.request(t, order, object{"amount": 20})
			s.boss().Post(t, 200, RefundPath(given)+"/approve", nil)
			if method == "external" {
				s.boss().Post(t, 200, RefundPath(given)+"/settle", object{"reference": "re_1"})
			}
			cancelled := s.Post(t, 200, OrderPath(order)+"/cancel", object{"reason": "recalled"})
			made := s.Send(t, http.MethodGet, fmt.Sprintf("/refunds?orderId=%d", world.ID(order)), nil).Items()
			require.Equal(t, []any{70.0, "cancellation", "recalled", object{"id": 7.0, "name": "Tester"}, nil}, world.Members(made[0], "amount", "origin", "reason", "requestedBy", "approvedBy"))
			if method == "wallet" {
				require.Equal(t, [4]float64{100, 0, 100, 0}, money(cancelled))
				require.Equal(t, "settled", made[0]["status"])
				require.EqualValues(t, 100, s.Balance(t, Buyer))
			} else {
				require.Equal(t, [4]float64{100, 70, 30, 0}, money(cancelled))
				require.Equal(t, "requested", made[0]["status"])
				s.Post(t, 403, RefundPath(made[0])+"/approve", nil)
			}
			require.Equal(t, "rejected", s.Get(t, RefundPath(proposal)).Body["status"])
			s.boss().Post(t, 409, RefundPath(proposal)+"/approve", nil)
			s.boss().Post(t, 409, RefundPath(made[0])+"/reject", object{"reason": "no"})
			require.EqualValues(t, 0, s.Get(t, OrderPath(order)).Body["refundable"])
			s.Post(t, 422, OrderPath(order)+"/refunds", object{"amount": 1, "reason": "more"})
		}
		require.EqualValues(t, 100, s.Balance(t, Buyer))
		s.requireBooks(t)
	})
}

func TestRefundsAreListedByFilterAndFoundByReference(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 100)
		first, second := s.paid(t, "external", Line("TEA-1", 1)), s.paid(t, "external", Line("TEA-1", 1))
		a, b, c := s.request(t, first, object{"amount": 3}), s.request(t, second, object{"lines": []object{Line("TEA-1", 1)}}), s.request(t, first, object{"amount": 1})
		s.boss().Post(t, 200, RefundPath(b)+"/approve", nil)
		s.boss().Post(t, 200, RefundPath(b)+"/settle", object{"reference": "re_Xy7"})
		ids := func(query string) (listed []any) {
			answer := s.Get(t, "/refunds?"+query)
			for _, item := range answer.Items() {
				require.Equal(t, s.Get(t, RefundPath(item)).Body, object(item))
				listed = append(listed, item["id"])
			}
			return listed
		}
		require.Equal(t, []any{c["id"], b["id"], a["id"]}, ids(""))
		require.Equal(t, []any{c["id"], a["id"]}, ids(fmt.Sprintf("orderId=%d", world.ID(first))))
		require.Equal(t, []any{b["id"]}, ids("status=settled"))
		require.Equal(t, []any{c["id"], a["id"], b["id"]}, ids("sort=amount&userId="+strings.ReplaceAll(string(Buyer), "/", "%2F")))
		require.Empty(t, ids("to=2026-11-21T08:00:00Z"))
		require.Len(t, ids("from=2026-11-21T08:00:00Z"), 3)
		for _, query := range []string{"status=lost", "sort=reason", "order=1", "from=today"} {
			require.Equal(t, http.StatusBadRequest, s.Send(t, http.MethodGet, "/refunds?"+query, nil).Status, query)
		}
		byReference, err := s.Refunds.ByReference(ctx, "re_X", 5)
		require.NoError(t, err)
		require.Len(t, byReference, 1)
		counts, err := s.Refunds.CountByStatus(ctx)
		require.NoError(t, err)
		require.Equal(t, map[string]storage.Count{"requested": {N: 2}, "approved": {N: 0}, "rejected": {N: 0}, "settled": {N: 1}, "failed": {N: 0}, "unknown": {N: 0}}, counts)
	})
}

// Proves G4.23, G8.31.
func TestEachMutatingRouteIsReplayedUnderItsKey(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 100)
		s.Fund(t, Buyer, 100)
		why := object{"reason": "x"}
		outside := func(steps ...string) object {
			refund := s.request(t, s.paid(t, "external", Line("TEA-1", 1)), object{"amount": 60})
			for _, step := range steps {
				refund = s.boss().Post(t, 200, RefundPath(refund)+"/"+step, nil)
			}
			return refund
		}
		byWallet := s.paid(t, "wallet", Line("TEA-1", 1))
		waiting := s.request(t, byWallet, object{"amount": 60})
		for i, c := range []struct {
			path   string
			body   any
			status int
		}{
			{OrderPath(byWallet) + "/refunds", object{"amount": 40, "reason": "x"}, 201},
			{RefundPath(waiting) + "/approve", nil, 200},
			{RefundPath(outside()) + "/approve", nil, 200},
			{RefundPath(outside()) + "/reject", why, 200},
			{RefundPath(outside("approve")) + "/settle", object{"reference": "re_1"}, 200},
			{RefundPath(outside("approve")) + "/fail", why, 200},
			{RefundPath(outside("approve")) + "/unknown", why, 200},
		} {
			key := fmt.Sprintf("key-%d", i)
			first := s.boss().Send(t, http.MethodPost, c.path, c.body, "X-Idempotency-Key", key)
			require.Equal(t, c.status, first.Status, "%s: %v", c.path, first.Body)
			again := s.boss().Send(t, http.MethodPost, c.path, c.body, "X-Idempotency-Key", key)
			require.Equal(t, []any{c.status, first.Text, "true"}, []any{again.Status, again.Text, again.Header.Get("X-Idempotency-Replay")}, c.path)
		}
		require.Equal(t, [4]float64{100, 40, 60, 0}, money(s.Get(t, OrderPath(byWallet)).Body))
		s.requireBooks(t)
	})
}

package refunds_test

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
	"interlock/internal/refunds"
	"interlock/internal/wallets"
)

func TestAWalletsRefundIsApprovedBySomebodyElseCreditedAndSettledAtOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 150, 10)
		s.fund(t, 500)
		order := s.paid(t, "wallet", of("TEA-1", 2))
		require.Equal(t, [4]float64{300, 0, 0, 300}, money(order))
		answer := s.Send(t, http.MethodPost, path(order)+"/refunds", object{"amount": 100, "reason": "one was broken"})
		require.Equal(t, http.StatusCreated, answer.Status, answer.Body)
		refund := answer.Body
		require.Equal(t, "/api/v1"+found(refund), answer.Header.Get("Location"))
		require.Equal(t, refund["etag"], answer.Header.Get("ETag"))
		require.Equal(t, []any{order["id"], order["orderNo"], string(buyer), 100.0, "wallet", "request", "one was broken", "requested", []any{"approve", "reject"}, []any{}},
			members(refund, "orderId", "orderNo", "userId", "amount", "method", "origin", "reason", "status", "allowedTransitions", "lines"))
		require.Equal(t, []any{object{"id": 7.0, "name": "Tester"}, nil, nil, nil, nil},
			members(refund, "requestedBy", "approvedBy", "approvedTime", "reference", "statusReason"))
		require.Equal(t, [4]float64{300, 100, 0, 200}, money(s.read(t, path(order))))
		require.Equal(t, refund, s.read(t, found(refund)))
		require.EqualValues(t, 200, s.balance(t))

		for name, own := range map[string]*httpapitest.Caller{"himself": s.Caller, "another token of his": s.as(7, "Tester's till", "refunds:approve")} {
			refused := own.Send(t, http.MethodPost, found(refund)+"/approve", nil)
			require.Equal(t, http.StatusForbidden, refused.Status, name)
			require.Equal(t, "forbidden", refused.Body["code"], name)
			require.Contains(t, refused.Body["detail"], "cannot be approved by Tester, who requested it", name)
		}
		require.Equal(t, refund, s.read(t, found(refund)))

		after := must(t, s.boss, 200, found(refund)+"/approve", nil, "If-Match", refund["etag"].(string))
		require.Equal(t, []any{"settled", []any{}, object{"id": 8.0, "name": "Ana"}, fmt.Sprintf("@refunds/%d", idOf(refund)), 3.0},
			members(after, "status", "allowedTransitions", "approvedBy", "reference", "version"))
		require.EqualValues(t, 300, s.balance(t))
		require.Equal(t, [4]float64{300, 0, 100, 200}, money(s.read(t, path(order))))
		again := s.boss.Send(t, http.MethodPost, found(refund)+"/approve", nil)
		require.Equal(t, []any{409.0, "transition_not_allowed", "settled", after}, members(again.Body, "status", "code", "currentStatus", "current"))

		history := s.Send(t, http.MethodGet, found(refund)+"/history", nil).Items()
		require.Len(t, history, 3)
		require.Equal(t, []any{"settle", "approved", "settled"}, members(history[0], "action", "from", "to"))
		require.Equal(t, []any{"approve", "requested", "approved"}, members(history[1], "action", "from", "to"))
		require.Equal(t, []any{"request", nil, "requested"}, members(history[2], "action", "from", "to"))
		require.EqualValues(t, 2, s.count(t, &uow.AuditRow{}, "resource = ?", strings.TrimPrefix(found(refund), "/")), "one entry a unit")
		ofOrder := s.Send(t, http.MethodGet, path(order)+"/history", nil).Items()
		require.Equal(t, []any{"settle-refund", "paid", "paid", object{"refundId": refund["id"], "amount": 100.0}}, members(ofOrder[0], "action", "from", "to", "detail"))
		require.Equal(t, "reserve-refund", ofOrder[1]["action"])
		s.requireBooks(t)
	})
}

func members(of object, names ...string) []any {
	values := make([]any, len(names))
	for i, name := range names {
		values[i] = of[name]
	}
	return values
}

func TestARefundOfWhatWasPaidOutsideWaitsForItsProvidersWord(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100, 100)
		why := object{"reason": "as the provider says"}
		brings := map[string]any{"reject": why, "fail": why, "unknown": why, "settle": object{"reference": "re_1"}}
		cases := []struct {
			name  string
			steps []string
			last  string
			// of an order of 100 and a refund of 60.
			money [4]float64
		}{
			{"requested", nil, "requested", [4]float64{100, 60, 0, 40}},
			{"rejected", []string{"reject"}, "rejected", [4]float64{100, 0, 0, 100}},
			{"approved", []string{"approve"}, "approved", [4]float64{100, 60, 0, 40}},
			{"settled", []string{"approve", "settle"}, "settled", [4]float64{100, 0, 60, 40}},
			{"failed", []string{"approve", "fail"}, "failed", [4]float64{100, 0, 0, 100}},
			{"unknown keeps the reservation", []string{"approve", "unknown"}, "unknown", [4]float64{100, 60, 0, 40}},
			{"unknown, then settled", []string{"approve", "unknown", "settle"}, "settled", [4]float64{100, 0, 60, 40}},
			{"unknown, then failed", []string{"approve", "unknown", "fail"}, "failed", [4]float64{100, 0, 0, 100}},
			{"failed, and approved again", []string{"approve", "fail", "approve"}, "approved", [4]float64{100, 60, 0, 40}},
			{"failed, and settled at last", []string{"approve", "fail", "approve", "settle"}, "settled", [4]float64{100, 0, 60, 40}},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				order := s.paid(t, "external", of("TEA-1", 1))
				refund := s.request(t, order, object{"amount": 60})
				for _, step := range c.steps {
					refund = must(t, s.boss, 200, found(refund)+"/"+step, brings[step])
				}
				require.Equal(t, c.last, refund["status"])
				require.Equal(t, c.money, money(s.read(t, path(order))))
			})
		}
		require.Zero(t, s.count(t, &wallets.Entry{}, "1 = 1"))
		s.requireBooks(t)
	})
}

func TestAFailedRefundIsApprovedAgainOnlyWhileAsMuchIsLeft(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 50, 10)
		order := s.paid(t, "external", of("TEA-1", 2))
		failing := func(body object) object {
			refund := s.request(t, order, body)
			must(t, s.boss, 200, found(refund)+"/approve", nil)
			return must(t, s.boss, 200, found(refund)+"/fail", object{"reason": "the card has expired"})
		}
		first := failing(object{"amount": 60})
		second := s.request(t, order, object{"amount": 41})
		refused := must(t, s.boss, 409, found(first)+"/approve", nil)
		require.Equal(t, []any{"transition_not_allowed", "failed", first}, members(refused, "code", "currentStatus", "current"))
		require.Contains(t, refused["detail"], "not enough is left for it")
		must(t, s.boss, 200, found(second)+"/reject", object{"reason": "no"})
		must(t, s.boss, 200, found(first)+"/approve", nil)
		must(t, s.boss, 200, found(first)+"/fail", object{"reason": "again"})

		byLine := failing(object{"amount": 1, "lines": []object{of("TEA-1", 2)}})
		s.request(t, order, object{"amount": 1, "lines": []object{of("TEA-1", 1)}})
		require.Equal(t, byLine, must(t, s.boss, 409, found(byLine)+"/approve", nil)["current"], "the money is there and the pieces are not")
		s.requireBooks(t)
	})
}

func TestWhatCannotBeRefundedIsRefusedAtItsPlace(t *testing.T) {
	s := open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.item(t, "TEA-1", 50, 100)
	s.item(t, "CUP-1", 100, 100)
	order := s.paid(t, "external", of("TEA-1", 2), of("CUP-1", 1))
	s.request(t, order, object{"amount": 80})
	s.request(t, order, object{"amount": 20, "lines": []object{of("TEA-1", 1)}})
	unpaid := must(t, s.Caller, 201, "/orders", object{"userId": buyer, "items": []object{of("TEA-1", 1)}})
	gone := s.paid(t, "external", of("TEA-1", 1))
	must(t, s.Caller, 200, path(gone)+"/cancel", object{"reason": "no"})
	must(t, s.boss, 200, found(s.Send(t, http.MethodGet, fmt.Sprintf("/refunds?orderId=%d", idOf(gone)), nil).Items()[0])+"/reject", object{"reason": "no"})
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
		{"lines that are worth more than is left", order, object{"reason": "x", "lines": []object{of("TEA-1", 1), of("CUP-1", 1)}}, 422, "/amount"},
		{"of an order that was not paid", unpaid, object{"amount": 1, "reason": "x"}, 422, "/amount"},
		{"no reason", order, object{"amount": 1}, 422, "/reason"},
		{"a long reason", order, object{"amount": 1, "reason": strings.Repeat("r", 501)}, 422, "/reason"},
		{"an item that it does not have", order, line(of("POT-1", 1), nil), 422, "/lines/0/sku"},
		{"an item twice", order, object{"reason": "x", "lines": []object{of("TEA-1", 1), of("TEA-1", 1)}}, 422, "/lines/1/sku"},
		{"more pieces than are left", order, line(of("TEA-1", 2), nil), 422, "/lines/0/quantity"},
		{"no pieces", order, line(of("TEA-1", 0), nil), 422, "/lines/0/quantity"},
		{"pieces that came back with the cancellation", gone, line(of("TEA-1", 1), object{"restock": true}), 422, "/lines/0/restock"},
		{"an unknown field", order, object{"amount": 1, "reason": "x", "currency": "EUR"}, 400, "/currency"},
		{"an amount with a fraction", order, `{"amount":1.5,"reason":"x"}`, 400, "/amount"},
	}
	before := s.count(t, &refunds.Refund{}, "1 = 1")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := s.Send(t, http.MethodPost, path(c.order)+"/refunds", c.body)
			require.Equal(t, c.status, a.Status, a.Body)
			require.Equal(t, c.pointer, a.Pointer())
		})
	}
	beyond := s.Send(t, http.MethodPost, path(order)+"/refunds", object{"amount": 101, "reason": "x"})
	require.EqualValues(t, 100, beyond.Body["refundable"])
	never := s.Send(t, http.MethodPost, path(unpaid)+"/refunds", object{"amount": 1, "reason": "x"})
	require.EqualValues(t, 0, never.Body["refundable"])
	require.Contains(t, never.Text, "has nothing left to refund")
	blind := s.as(9, "Blind", "refunds:write").Send(t, http.MethodPost, path(order)+"/refunds", object{"amount": 101, "reason": "x"})
	require.Equal(t, "/amount", blind.Pointer())
	require.NotContains(t, blind.Body, "refundable")
	require.NotContains(t, blind.Text, "100")
	require.Equal(t, http.StatusNotFound, s.Send(t, http.MethodPost, "/orders/999999/refunds", object{"amount": 1, "reason": "x"}).Status)
	require.Equal(t, before, s.count(t, &refunds.Refund{}, "1 = 1"))
	s.requireBooks(t)
}

func TestAStepThatBreaksARuleChangesNothing(t *testing.T) {
	s := open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.item(t, "TEA-1", 50, 100)
	refund := s.request(t, s.paid(t, "external", of("TEA-1", 2)), object{"amount": 80})
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
		a := s.boss.Send(t, http.MethodPost, found(refund)+"/"+c.step, c.body)
		require.Equal(t, c.status, a.Status, "%s: %v", name, a.Body)
		require.Equal(t, c.pointer, a.Pointer(), name)
	}
	stale := s.boss.Send(t, http.MethodPost, found(refund)+"/reject", object{}, "If-Match", `"1-9"`)
	require.Equal(t, http.StatusPreconditionFailed, stale.Status, "the precondition is asked before the rules")
	require.Equal(t, "requested", stale.Body["currentStatus"])
	require.Equal(t, http.StatusPreconditionFailed, s.Send(t, http.MethodPost, found(refund)+"/approve", nil, "If-Match", `"1-9"`).Status)
	require.Equal(t, http.StatusConflict, s.boss.Send(t, http.MethodPost, found(refund)+"/settle", object{"reference": "re_1"}).Status)
	require.Equal(t, refund, s.read(t, found(refund)))
}

func TestALineIsRefundedForItsShareAndTheLastPieceTakesTheRest(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100, 100)
		s.item(t, "CUP-1", 35, 100)
		campaign := must(t, s.Caller, 201, "/coupon-campaigns", object{
			"name": "Spring", "kind": "amount", "value": 31, "minimumAmount": 0, "total": 1, "perUser": 1,
			"validFrom": opening, "validTo": opening.AddDate(0, 1, 0),
		})
		issued := must(t, s.Caller, 201, fmt.Sprintf("/coupon-campaigns/%d/coupons", idOf(campaign)), object{"count": 1})
		order := must(t, s.Caller, 201, "/orders", object{"userId": buyer, "items": []object{of("TEA-1", 3), of("CUP-1", 1)}, "couponCode": issued["codes"].([]any)[0]})
		require.EqualValues(t, 304, order["amount"])
		must(t, s.Caller, 200, path(order)+"/pay", object{"method": "external"})
		// 31 × 300/335 = 27.76 and 31 × 35/335 = 3.24: the lines are worth 272 and 32.
		var worths []any
		for range 3 {
			refund := s.request(t, order, object{"lines": []object{of("TEA-1", 1)}})
			require.Equal(t, []any{object{"sku": "TEA-1", "name": "Item TEA-1", "quantity": 1.0, "restock": false, "worth": refund["amount"]}}, refund["lines"])
			worths = append(worths, refund["amount"])
		}
		require.Equal(t, []any{90.0, 91.0, 91.0}, worths)
		last := s.request(t, order, object{"lines": []object{of("CUP-1", 1)}})
		require.EqualValues(t, 32, last["amount"])
		require.Equal(t, [4]float64{304, 304, 0, 0}, money(s.read(t, path(order))))
		s.requireBooks(t)
	})
}

func TestPiecesComeBackOnceWithTheMoneyForLinesThatSaySo(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 10, 100)
		s.item(t, "CUP-1", 10, 100)
		s.fund(t, 1000)
		back := func(lines ...object) object { return object{"lines": lines} }
		restock := func(sku string, quantity int) object {
			line := of(sku, quantity)
			line["restock"] = true
			return line
		}
		ship := object{"carrier": "DHL", "trackingNo": "1"}

		shipped := s.paid(t, "wallet", of("TEA-1", 4), of("CUP-1", 2))
		must(t, s.Caller, 200, path(shipped)+"/ship", ship)
		require.Equal(t, [2]float64{96, 0}, s.available(t, "TEA-1"))
		refund := s.request(t, shipped, back(restock("TEA-1", 3), of("CUP-1", 2)))
		require.Equal(t, [2]float64{96, 0}, s.available(t, "TEA-1"), "not before it is settled")
		must(t, s.boss, 200, found(refund)+"/approve", nil)
		require.Equal(t, [2]float64{99, 0}, s.available(t, "TEA-1"))
		require.Equal(t, [2]float64{98, 0}, s.available(t, "CUP-1"), "its line does not say so")
		must(t, s.boss, 409, found(refund)+"/approve", nil)
		require.Equal(t, [2]float64{99, 0}, s.available(t, "TEA-1"))
		movements := s.Send(t, http.MethodGet, "/inventory/TEA-1/movements?reference="+fmt.Sprintf("@refunds/%d", idOf(refund)), nil).Items()
		require.Len(t, movements, 1)
		require.Equal(t, []any{"restock", 3.0, path(shipped)[1:]}, members(movements[0], "kind", "delta", "holder"))

		waiting := s.paid(t, "wallet", of("TEA-1", 5))
		require.Equal(t, [2]float64{99, 5}, s.available(t, "TEA-1"))
		refund = s.request(t, waiting, back(restock("TEA-1", 2)))
		must(t, s.boss, 200, found(refund)+"/approve", nil)
		require.Equal(t, [2]float64{99, 3}, s.available(t, "TEA-1"), "what the order holds is free again")
		must(t, s.Caller, 200, path(waiting)+"/ship", ship)
		require.Equal(t, [2]float64{96, 0}, s.available(t, "TEA-1"), "and is not shipped")

		cancelled := s.paid(t, "external", of("CUP-1", 6))
		refund = s.request(t, cancelled, back(restock("CUP-1", 4)))
		must(t, s.boss, 200, found(refund)+"/approve", nil)
		must(t, s.Caller, 200, path(cancelled)+"/cancel", object{"reason": "no"})
		require.Equal(t, [2]float64{98, 0}, s.available(t, "CUP-1"))
		must(t, s.boss, 200, found(refund)+"/settle", object{"reference": "re_1"})
		require.Equal(t, [2]float64{98, 0}, s.available(t, "CUP-1"), "all came back when it was cancelled")

		early := s.paid(t, "external", of("CUP-1", 6))
		refund = s.request(t, early, back(restock("CUP-1", 4)))
		must(t, s.boss, 200, found(refund)+"/approve", nil)
		must(t, s.Caller, 200, path(early)+"/ship", ship)
		must(t, s.boss, 200, found(refund)+"/settle", object{"reference": "re_2"})
		require.Equal(t, [2]float64{96, 0}, s.available(t, "CUP-1"), "requested before the parcel left, settled after")
		s.requireBooks(t)
	})
}

func TestACancellationRefundsOnlyWhatIsLeft(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100, 100)
		s.fund(t, 100)
		for _, method := range []string{"wallet", "external"} {
			order := s.paid(t, method, of("TEA-1", 1))
			given, asked := s.request(t, order, object{"amount": 30}), s.request(t, order, object{"amount": 20})
			must(t, s.boss, 200, found(given)+"/approve", nil)
			if method == "external" {
				must(t, s.boss, 200, found(given)+"/settle", object{"reference": "re_1"})
			}
			cancelled := must(t, s.Caller, 200, path(order)+"/cancel", object{"reason": "recalled"})
			made := s.Send(t, http.MethodGet, fmt.Sprintf("/refunds?orderId=%d", idOf(order)), nil).Items()
			require.Equal(t, []any{50.0, "cancellation", "recalled", object{"id": 7.0, "name": "Tester"}, nil}, members(made[0], "amount", "origin", "reason", "requestedBy", "approvedBy"))
			if method == "wallet" {
				require.Equal(t, [4]float64{100, 20, 80, 0}, money(cancelled))
				require.Equal(t, "settled", made[0]["status"])
				require.EqualValues(t, 80, s.balance(t))
			} else {
				require.Equal(t, [4]float64{100, 70, 30, 0}, money(cancelled))
				require.Equal(t, "requested", made[0]["status"])
				must(t, s.Caller, 403, found(made[0])+"/approve", nil)
			}
			must(t, s.boss, 200, found(asked)+"/reject", object{"reason": "no"})
			require.EqualValues(t, 20, s.read(t, path(order))["refundable"], "what nobody else has can be refunded of a cancelled order too")
			must(t, s.boss, 200, found(s.request(t, order, object{"amount": 20}))+"/approve", nil)
		}
		require.EqualValues(t, 100, s.balance(t))
		s.requireBooks(t)
	})
}

func TestRefundsAreListedByFilterAndFoundByReference(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100, 100)
		first, second := s.paid(t, "external", of("TEA-1", 1)), s.paid(t, "external", of("TEA-1", 1))
		a, b, c := s.request(t, first, object{"amount": 3}), s.request(t, second, object{"lines": []object{of("TEA-1", 1)}}), s.request(t, first, object{"amount": 1})
		must(t, s.boss, 200, found(b)+"/approve", nil)
		must(t, s.boss, 200, found(b)+"/settle", object{"reference": "re_Xy7"})
		ids := func(query string) (listed []any) {
			answer := s.Send(t, http.MethodGet, "/refunds?"+query, nil)
			require.Equal(t, http.StatusOK, answer.Status, answer.Body)
			for _, item := range answer.Items() {
				require.Equal(t, s.read(t, found(item)), object(item))
				listed = append(listed, item["id"])
			}
			return listed
		}
		require.Equal(t, []any{c["id"], b["id"], a["id"]}, ids(""))
		require.Equal(t, []any{c["id"], a["id"]}, ids(fmt.Sprintf("orderId=%d", idOf(first))))
		require.Equal(t, []any{b["id"]}, ids("status=settled"))
		require.Equal(t, []any{c["id"], a["id"], b["id"]}, ids("sort=amount&userId="+strings.ReplaceAll(string(buyer), "/", "%2F")))
		require.Empty(t, ids("to=2026-11-21T08:00:00Z"))
		require.Len(t, ids("from=2026-11-21T08:00:00Z"), 3)
		for _, query := range []string{"status=lost", "sort=reason", "order=1", "from=today"} {
			require.Equal(t, http.StatusBadRequest, s.Send(t, http.MethodGet, "/refunds?"+query, nil).Status, query)
		}
		byReference, err := s.refunds.ByReference(ctx, "re_X", 5)
		require.NoError(t, err)
		require.Len(t, byReference, 1)
		counts, err := s.refunds.CountByStatus(ctx)
		require.NoError(t, err)
		require.Equal(t, map[string]storage.Count{"requested": {N: 2}, "approved": {N: 0}, "rejected": {N: 0}, "settled": {N: 1}, "failed": {N: 0}, "unknown": {N: 0}}, counts)
	})
}

func TestWhoMayNotReadRefundsIsShownNoneInAConflict(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100, 100)
		refund := s.request(t, s.paid(t, "external", of("TEA-1", 1)), object{"amount": 60})
		must(t, s.boss, 200, found(refund)+"/reject", object{"reason": "because of the tracking"})
		blind := s.as(9, "Blind", "refunds:approve")
		for _, refused := range []httpapitest.Answer{
			blind.Send(t, http.MethodPost, found(refund)+"/approve", nil),
			blind.Send(t, http.MethodPost, found(refund)+"/approve", nil, "If-Match", refund["etag"].(string)),
		} {
			require.Contains(t, []int{http.StatusConflict, http.StatusPreconditionFailed}, refused.Status)
			require.Nil(t, refused.Body["current"])
			require.NotContains(t, refused.Body, "currentStatus")
			for _, hidden := range []string{`"amount"`, "tracking", "broken", string(buyer)} {
				require.NotContains(t, strings.ReplaceAll(refused.Text, refused.Body["detail"].(string), ""), hidden)
			}
		}
		seeing := s.as(9, "Seeing", "refunds:approve", "refunds:read")
		require.NotNil(t, must(t, seeing, 409, found(refund)+"/approve", nil)["current"])
	})
}

func TestEachMutatingRouteIsReplayedUnderItsKey(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := open(ctx, t, db)
		s.item(t, "TEA-1", 100, 100)
		s.fund(t, 100)
		why := object{"reason": "x"}
		outside := func(steps ...string) object {
			refund := s.request(t, s.paid(t, "external", of("TEA-1", 1)), object{"amount": 60})
			for _, step := range steps {
				refund = must(t, s.boss, 200, found(refund)+"/"+step, nil)
			}
			return refund
		}
		byWallet := s.paid(t, "wallet", of("TEA-1", 1))
		waiting := s.request(t, byWallet, object{"amount": 60})
		for i, c := range []struct {
			path   string
			body   any
			status int
		}{
			{path(byWallet) + "/refunds", object{"amount": 40, "reason": "x"}, 201},
			{found(waiting) + "/approve", nil, 200},
			{found(outside()) + "/approve", nil, 200},
			{found(outside()) + "/reject", why, 200},
			{found(outside("approve")) + "/settle", object{"reference": "re_1"}, 200},
			{found(outside("approve")) + "/fail", why, 200},
			{found(outside("approve")) + "/unknown", why, 200},
		} {
			key := fmt.Sprintf("key-%d", i)
			first := s.boss.Send(t, http.MethodPost, c.path, c.body, "X-Idempotency-Key", key)
			require.Equal(t, c.status, first.Status, "%s: %v", c.path, first.Body)
			again := s.boss.Send(t, http.MethodPost, c.path, c.body, "X-Idempotency-Key", key)
			require.Equal(t, []any{c.status, first.Text, "true"}, []any{again.Status, again.Text, again.Header.Get("X-Idempotency-Replay")}, c.path)
		}
		require.Equal(t, [4]float64{100, 40, 60, 0}, money(s.read(t, path(byWallet))))
		s.requireBooks(t)
	})
}

package shop

import (
	"context"
	"fmt"
	"maps"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/orders"
	"interlock/test/racing"
	"interlock/test/world"
)

var home = object{"name": "Li Wei", "line1": "Long Street 1", "city": "Berlin", "postalCode": "10115", "country": "DE"}

// fromStorefront is a new order of two TEA-1 with every member, some of them replaced.
func fromStorefront(replaced object) object {
	order := object{
		"userId": Buyer, "items": []object{Line("TEA-1", 2)}, "externalId": "shop-1", "email": "li@example.com",
		"shippingAddress": home, "billingAddress": home, "note": "Ring twice.", "tags": []string{"vip", "gift"},
		"metadata": object{"channel": "web"}, "shipping": 500, "tax": 38, "paymentTerms": "prepaid",
	}
	maps.Copy(order, replaced)
	return order
}

// Proves G3.38.
func TestOrderIsCreatedOncePerExternalID(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		order := s.Create(t, "/orders", fromStorefront(nil))
		require.Equal(t, []any{"shop-1", "li@example.com", home, home, "Ring twice.", []any{"gift", "vip"}, object{"channel": "web"}},
			world.Members(order, "externalId", "email", "shippingAddress", "billingAddress", "note", "tags", "metadata"))
		require.Equal(t, []any{200.0, 500.0, 38.0, 738.0, "prepaid"}, world.Members(order, "subtotal", "shipping", "tax", "amount", "paymentTerms"))

		require.Equal(t, http.StatusOK, s.Send(t, http.MethodPatch, "/items/TEA-1", object{"price": 999}, "If-Match", s.Get(t, "/items/TEA-1").Header.Get("ETag")).Status)
		again := s.Send(t, http.MethodPost, "/orders", fromStorefront(object{"tags": []string{"gift", "vip"}}))
		require.Equal(t, http.StatusOK, again.Status, again.Body)
		require.Equal(t, order, again.Body)
		for _, other := range []object{{"note": "Ring once."}, {"shipping": 501}, {"items": []object{Line("TEA-1", 1)}}, {"expectedTotal": 738}} {
			refused := s.Send(t, http.MethodPost, "/orders", fromStorefront(other))
			require.Equal(t, []any{409.0, "payload_mismatch", order}, world.Members(refused.Body, "status", "code", "first"), "%v", other)
		}
		onHand, reserved := s.stockOf(t, "TEA-1")
		require.Equal(t, [2]float64{10, 2}, [2]float64{onHand, reserved})
		require.EqualValues(t, 1, s.Count(t, &orders.Order{}, "1 = 1"))
	})
}

// Proves G3.38.
func TestConcurrentRequestsWithAnExternalIDCreateOneOrder(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 1000)
		s.Stock(t, "CUP-1", 100, 1000)
		const racers = 8
		for round := range 5 {
			id := fmt.Sprintf("shop-%d", round)
			answers := make([]httpapitest.Answer, racers)
			racing.Together(racers, func(i int) {
				// The items differ, so that the lock of the stock does not make the requests wait.
				sku := []string{"TEA-1", "CUP-1"}[i%2]
				answers[i] = s.Send(t, http.MethodPost, "/orders", fromStorefront(object{"externalId": id, "items": []object{Line(sku, 1)}}))
			})
			statuses := map[int]int{}
			for _, a := range answers {
				statuses[a.Status]++
			}
			require.Equal(t, map[int]int{http.StatusCreated: 1, http.StatusOK: racers/2 - 1, http.StatusConflict: racers / 2}, statuses)
			require.EqualValues(t, 1, s.Count(t, &orders.Order{}, "external_id = ?", id))
		}
		s.requireBalanced(t)
	})
}

func TestChangedTotalCreatesNoOrder(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		code := s.Coupon(t, object{"value": 50})
		refused := s.Send(t, http.MethodPost, "/orders", fromStorefront(object{"expectedTotal": 738, "couponCode": code}))
		require.Equal(t, []any{409.0, "total_changed", 738.0, 688.0}, world.Members(refused.Body, "status", "code", "expectedTotal", "total"))
		_, reserved := s.stockOf(t, "TEA-1")
		require.Zero(t, reserved)
		require.Equal(t, "unused", s.readCoupon(t, code)["status"])
		order := s.Create(t, "/orders", fromStorefront(object{"expectedTotal": 688, "couponCode": code}))
		require.EqualValues(t, 688, order["amount"])
	})
}

func TestDiscountOfAnOrderIsDividedAmongItsLines(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 100, Plenty)
	s.Stock(t, "CUP-1", 100, Plenty)
	s.Stock(t, "POT-1", 100, Plenty)
	order := s.Create(t, "/orders", object{
		"userId": Buyer, "couponCode": s.Coupon(t, object{"value": 100}), "items": []object{Line("TEA-1", 1), Line("CUP-1", 1), Line("POT-1", 1)}, "tax": 7,
	})
	var discounts, totals []any
	for _, line := range order["items"].([]any) {
		discounts, totals = append(discounts, line.(object)["discount"]), append(totals, line.(object)["total"])
	}
	require.Equal(t, []any{34.0, 33.0, 33.0}, discounts, "the largest remainder, the first line first")
	require.Equal(t, []any{66.0, 67.0, 67.0}, totals)
	require.Equal(t, []any{300.0, 100.0, 7.0, 207.0}, world.Members(order, "subtotal", "discount", "tax", "amount"))
}

func TestInvalidFactsOfAnOrderAreRejectedByField(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 100, Plenty)
	many := object{}
	for i := range 51 {
		many[fmt.Sprint(i)] = "x"
	}
	for pointer, invalid := range map[string]object{
		"/externalId":             {"externalId": " a"},
		"/email":                  {"email": "li at example.com"},
		"/shippingAddress/line1":  {"shippingAddress": object{"name": "Li", "city": "Berlin", "country": "DE"}},
		"/billingAddress/country": {"billingAddress": object{"name": "Li", "line1": "a", "city": "Berlin", "country": "de"}},
		"/note":                   {"note": strings.Repeat("a", 4001)},
		"/tags":                   {"tags": []string{"a", "a"}},
		"/tags/0":                 {"tags": []string{"a\u200b"}},
		"/metadata":               {"metadata": many},
		"/metadata/a":             {"metadata": object{"a": strings.Repeat("a", 501)}},
		"/shipping":               {"shipping": -1},
		"/tax":                    {"tax": int64(math.MaxInt64)},
		"/paymentTerms":           {"paymentTerms": "later"},
		"/expectedTotal":          {"expectedTotal": -1},
	} {
		refused := s.Send(t, http.MethodPost, "/orders", fromStorefront(invalid))
		require.Equal(t, []any{http.StatusUnprocessableEntity, pointer}, []any{refused.Status, refused.Pointer()}, "%v", refused.Body)
	}
	require.Zero(t, s.Count(t, &orders.Order{}, "1 = 1"))
}

func TestUnpaidPrepaidOrderIsCancelledAtItsDeadline(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, 10)
		require.Nil(t, s.Place(t)["paymentDue"], "the tenant cancels no unpaid orders")
		s.Unpaid = 30 * time.Minute
		code := s.Coupon(t, object{"value": 50})
		order := s.Create(t, "/orders", fromStorefront(object{"couponCode": code}))
		require.Equal(t, "2026-11-21T08:30:00.000000Z", order["paymentDue"])
		invoice := s.Create(t, "/orders", fromStorefront(object{"externalId": "shop-2", "paymentTerms": "invoice"}))
		require.Equal(t, []any{nil, "invoice"}, world.Members(invoice, "paymentDue", "paymentTerms"))
		next, err := s.Orders.NextUnpaid(s.Ctx)
		require.NoError(t, err)
		require.Equal(t, s.Clock.Now().Add(30*time.Minute), next.UTC())

		s.Clock.Advance(30*time.Minute - time.Second)
		require.NoError(t, s.Orders.CancelUnpaid(s.Ctx, s.Clock.Now(), 10))
		require.Equal(t, "pending", s.Get(t, OrderPath(order)).Body["status"])
		s.Clock.Advance(time.Second)
		for range 2 {
			require.NoError(t, s.Orders.CancelUnpaid(s.Ctx, s.Clock.Now(), 10))
		}
		after := s.Get(t, OrderPath(order)).Body
		require.Equal(t, []any{"cancelled", "not paid in time", nil, "2026-11-21T08:30:00.000000Z"}, world.Members(after, "status", "cancelReason", "paymentDue", "cancelledTime"))
		require.Equal(t, "unused", s.readCoupon(t, code)["status"])
		_, reserved := s.stockOf(t, "TEA-1")
		require.EqualValues(t, 3, reserved, "the other two orders retain their units")
		s.requireBalanced(t)
	})
}

func TestCompletionSetsItsTime(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 100, 10)
	order := s.paid(t, "external", Line("TEA-1", 1))
	s.Post(t, 200, OrderPath(order)+"/ship", object{"carrier": "DHL", "trackingNo": "1"})
	s.Clock.Advance(time.Hour)
	completed := s.Post(t, 200, OrderPath(order)+"/complete", nil)
	require.Equal(t, []any{"2026-11-21T09:00:00.000000Z", nil}, world.Members(completed, "completedTime", "cancelledTime"))
}

package shop

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/orders"
	"interlock/test/world"
)

func TestOrderRetainsItsPrices(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 1990, Plenty)
		s.Stock(t, "CUP-1", 500, Plenty)
		placed := s.Send(t, http.MethodPost, "/orders", object{"userId": 42, "items": []object{{"sku": "TEA-1", "quantity": 2}, {"sku": "CUP-1", "quantity": 3}}})
		require.Equal(t, http.StatusCreated, placed.Status, placed.Body)
		order := placed.Body
		require.Equal(t, fmt.Sprintf("/api/v1/orders/%d", world.ID(order)), placed.Header.Get("Location"))
		require.Equal(t, order["etag"], placed.Header.Get("ETag"))
		require.Regexp(t, `^20261121-[0-9A-HJKMNP-TV-Z]{10}$`, order["orderNo"])
		require.Equal(t, []any{
			object{"lineId": 1.0, "sku": "TEA-1", "name": "Item TEA-1", "quantity": 2.0, "price": 1990.0, "unitPrice": 1990.0, "discount": 0.0, "total": 3980.0, "toShip": 2.0, "shipped": 0.0, "returned": 0.0},
			object{"lineId": 2.0, "sku": "CUP-1", "name": "Item CUP-1", "quantity": 3.0, "price": 500.0, "unitPrice": 500.0, "discount": 0.0, "total": 1500.0, "toShip": 3.0, "shipped": 0.0, "returned": 0.0},
		}, order["items"])
		require.EqualValues(t, 5480, order["amount"])
		require.EqualValues(t, 0, order["discount"])
		require.Equal(t, "pending", order["status"])
		require.Equal(t, []any{"pay", "cancel"}, order["allowedTransitions"])
		require.Contains(t, order, "couponCode")
		require.Nil(t, order["couponCode"])

		etag := s.Send(t, http.MethodGet, "/items/TEA-1", nil).Header.Get("ETag")
		require.Equal(t, http.StatusOK, s.Send(t, http.MethodPatch, "/items/TEA-1", object{"price": 1, "name": "Cheap"}, "If-Match", etag).Status)
		read := s.Send(t, http.MethodGet, OrderPath(order), nil)
		require.Equal(t, order, read.Body)
		require.Equal(t, http.StatusNotModified, s.Send(t, http.MethodGet, OrderPath(order), nil, "If-None-Match", read.Header.Get("ETag")).Status)
	})
}

func TestInvalidOrderIsRejectedByField(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 100, Plenty)
	s.Stock(t, "DEAR", 9_000_000_000_000_000_000, Plenty)
	s.Create(t, "/items", object{"sku": "OLD", "name": "Old", "price": 1, "status": "archived"})
	var many []string
	for i := range 101 {
		many = append(many, fmt.Sprintf(`{"sku":"s%d","quantity":1}`, i))
	}
	cases := []struct {
		name, body string
		status     int
		pointer    string
	}{
		{"no user", `{"items":[{"sku":"TEA-1","quantity":1}]}`, 422, "/userId"},
		{"a user of two words", `{"userId":"Li Wei","items":[{"sku":"TEA-1","quantity":1}]}`, 422, "/userId"},
		{"a user of 129 characters", `{"userId":"` + strings.Repeat("a", 129) + `","items":[{"sku":"TEA-1","quantity":1}]}`, 422, "/userId"},
		{"a user and a half", `{"userId":1.5,"items":[{"sku":"TEA-1","quantity":1}]}`, 400, "/userId"},
		{"a user with an exponent", `{"userId":1e3,"items":[{"sku":"TEA-1","quantity":1}]}`, 400, "/userId"},
		{"a user that is true", `{"userId":true,"items":[{"sku":"TEA-1","quantity":1}]}`, 400, "/userId"},
		{"no lines", `{"userId":1,"items":[]}`, 422, "/items"},
		{"101 lines", `{"userId":1,"items":[` + strings.Join(many, ",") + `]}`, 422, "/items"},
		{"no quantity", `{"userId":1,"items":[{"sku":"TEA-1"}]}`, 422, "/items/0/quantity"},
		{"too many units", `{"userId":1,"items":[{"sku":"TEA-1","quantity":10001}]}`, 422, "/items/0/quantity"},
		{"one sku twice", `{"userId":1,"items":[{"sku":"TEA-1","quantity":1},{"sku":"TEA-1","quantity":2}]}`, 422, "/items/1/sku"},
		{"an unknown sku", `{"userId":1,"items":[{"sku":"TEA-1","quantity":1},{"sku":"nope","quantity":2}]}`, 422, "/items/1/sku"},
		{"an archived item", `{"userId":1,"items":[{"sku":"OLD","quantity":1}]}`, 422, "/items/0/sku"},
		{"an amount beyond int64", `{"userId":1,"items":[{"sku":"TEA-1","quantity":1},{"sku":"DEAR","quantity":2}]}`, 422, "/items/1"},
		{"an unknown coupon", `{"userId":1,"items":[{"sku":"TEA-1","quantity":1}],"couponCode":"nope"}`, 422, "/couponCode"},
		{"an empty coupon", `{"userId":1,"items":[{"sku":"TEA-1","quantity":1}],"couponCode":""}`, 422, "/couponCode"},
		{"an unknown field", `{"userId":1,"items":[{"sku":"TEA-1","quantity":1,"price":1}]}`, 400, "/items/0/price"},
		{"no JSON", `order`, 400, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := s.Send(t, http.MethodPost, "/orders", c.body)
			require.Equal(t, c.status, a.Status, a.Body)
			require.Equal(t, c.pointer, a.Pointer())
		})
	}
	require.Zero(t, s.Count(t, &orders.Order{}, "1 = 1"))
	require.Zero(t, s.Count(t, &orders.Event{}, "1 = 1"))
}

func TestPaddedSKUMatchesNoItemOnAnyEngine(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		for _, sku := range []string{"TEA-1 ", "tea-1", " TEA-1"} {
			a := s.Send(t, http.MethodPost, "/orders", object{"userId": 1, "items": []object{{"sku": sku, "quantity": 1}}})
			require.Equal(t, http.StatusUnprocessableEntity, a.Status, a.Body)
			require.Equal(t, "/items/0/sku", a.Pointer())
		}
		a := s.Send(t, http.MethodPost, "/orders", object{"userId": 1, "items": []object{{"sku": "TEA-1 ", "quantity": 1}, {"sku": "TEA-1", "quantity": 1}}})
		require.Equal(t, "/items/0/sku", a.Pointer())
		require.Zero(t, s.Count(t, &orders.Order{}, "1 = 1"))
		require.Equal(t, http.StatusNotFound, s.Send(t, http.MethodGet, "/items/TEA-1%20", nil).Status)
	})
}

func TestOrderTransitionsAreRecordedInTheHistory(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 1990, Plenty)
		order := s.Place(t)
		do := func(action string, body any, headers ...string) object {
			a := s.Send(t, http.MethodPost, OrderPath(order)+"/"+action, body, headers...)
			require.Equal(t, http.StatusOK, a.Status, a.Body)
			require.Equal(t, a.Body["etag"], a.Header.Get("ETag"))
			return a.Body
		}
		paid := do("pay", object{"method": "external", "reference": "psp-1"}, "If-Match", order["etag"].(string))
		require.Equal(t, object{"method": "external", "reference": "psp-1"}, paid["payment"])
		require.Equal(t, []any{"ship", "cancel"}, paid["allowedTransitions"])
		shipped := do("ship", object{"carrier": "DHL", "trackingNo": "JD01"})
		require.Equal(t, object{"carrier": "DHL", "trackingNo": "JD01"}, shipped["shipment"])
		require.Equal(t, paid["payment"], shipped["payment"])
		completed := do("complete", nil)
		require.Equal(t, []any{}, completed["allowedTransitions"])
		require.EqualValues(t, 4, completed["version"])
		require.Equal(t, completed, s.Send(t, http.MethodGet, OrderPath(order), nil).Body)

		history := s.Send(t, http.MethodGet, OrderPath(order)+"/history", nil).Items()
		require.Len(t, history, 4)
		require.Equal(t, "complete", history[0]["action"])
		require.Equal(t, "shipped", history[0]["from"])
		require.Equal(t, "completed", history[0]["to"])
		require.Equal(t, []any{"external", "psp-1", 1990.0}, world.Members(history[2]["detail"].(object), "method", "reference", "amount"))
		require.Nil(t, history[3]["from"])
		require.Equal(t, object{"amount": 1990.0, "discount": 0.0}, history[3]["detail"])
		require.Equal(t, object{"id": 7.0, "name": "Tester"}, history[3]["changedBy"])
		require.EqualValues(t, 4, s.Count(t, &uow.AuditRow{}, "resource = ?", strings.TrimPrefix(OrderPath(order), "/")))

		refused := s.Post(t, http.StatusConflict, OrderPath(order)+"/cancel", object{"reason": "late"})
		require.Equal(t, "transition_not_allowed", refused["code"])
		require.Equal(t, "completed", refused["currentStatus"])
		require.Equal(t, completed, refused["current"])
		require.Equal(t, []any{}, refused["allowedTransitions"])
	})
}

func TestInvalidTransitionChangesNothing(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 1990, Plenty)
	order := s.Place(t)
	cases := []struct {
		name, action, body string
		status             int
		pointer            string
	}{
		{"an unknown method", "pay", `{"method":"cash"}`, 422, "/method"},
		{"no method", "pay", ``, 422, "/method"},
		{"a long reference", "pay", `{"method":"external","reference":"` + strings.Repeat("r", 101) + `"}`, 422, "/reference"},
		{"no reference", "pay", `{"method":"external"}`, 422, "/reference"},
		{"a reference of the service", "pay", `{"method":"wallet","reference":"@orders/1/pay"}`, 422, "/reference"},
		{"an unknown field", "pay", `{"method":"external","reference":"psp-1","amount":1}`, 400, "/amount"},
		{"no carrier", "ship", `{"trackingNo":"1"}`, 422, "/carrier"},
		{"no tracking number", "ship", `{"carrier":"DHL"}`, 422, "/trackingNo"},
		{"no reason", "cancel", `{}`, 422, "/reason"},
		{"a long reason", "cancel", `{"reason":"` + strings.Repeat("r", 501) + `"}`, 422, "/reason"},
		{"a body that is not empty", "complete", `{"when":"now"}`, 400, "/when"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := s.Send(t, http.MethodPost, OrderPath(order)+"/"+c.action, c.body)
			require.Equal(t, c.status, a.Status, a.Body)
			require.Equal(t, c.pointer, a.Pointer())
		})
	}
	s.Post(t, http.StatusNotFound, OrderPath(order)+"/refund", `{}`)
	s.Post(t, http.StatusBadRequest, OrderPath(order)+"/pay", `{"method":"external","reference":"psp-1"}`, "If-Match", "*")
	stale := s.Post(t, http.StatusPreconditionFailed, OrderPath(order)+"/pay", `{"method":"external","reference":"psp-1"}`, "If-Match", `"1-9"`)
	require.Equal(t, "pending", stale["currentStatus"])
	for body, status := range map[string]int{
		`{"method":"cash"}`: http.StatusPreconditionFailed,
		`{"method":"external","reference":"psp-1","extra":true}`: http.StatusBadRequest,
	} {
		require.Equal(t, status, s.Send(t, http.MethodPost, OrderPath(order)+"/pay", body, "If-Match", `"1-9"`).Status, "shape, then precondition, then rules")
	}
	s.Post(t, http.StatusBadRequest, OrderPath(order)+"/pay", `{"method":"cash"}`, "If-Match", "*")
	require.Equal(t, "?dryRun", s.Send(t, http.MethodPost, OrderPath(order)+"/pay?dryRun=true", `{"method":"external","reference":"psp-1"}`).Pointer())
	require.Equal(t, http.StatusNotFound, s.Send(t, http.MethodGet, "/orders/999999/history?limit=0", nil).Status, "existence, then shape")
	for _, id := range []string{"0", "01", "-1", "x", "9223372036854775808", "999999"} {
		require.Equal(t, http.StatusNotFound, s.Send(t, http.MethodPost, "/orders/"+id+"/pay", `{"method":"external","reference":"psp-1"}`).Status, id)
	}
	require.Equal(t, order, s.Send(t, http.MethodGet, OrderPath(order), nil).Body)
}

func TestStaleTransitionReturnsTheCurrentState(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 1990, Plenty)
	order := s.Place(t)
	s.Post(t, http.StatusOK, OrderPath(order)+"/pay", `{"method":"external","reference":"psp-1"}`, "If-Match", order["etag"].(string))
	stale := s.Post(t, http.StatusPreconditionFailed, OrderPath(order)+"/ship", `{"carrier":"DHL","trackingNo":"1"}`, "If-Match", order["etag"].(string))
	require.Contains(t, stale["detail"], "since you read it; nothing of yours was applied.")
}

func TestCancellationReleasesTheCoupon(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 1995, Plenty)
		code := s.Coupon(t, object{"kind": "percent", "value": 10, "perUser": 1, "minimumAmount": 1995})
		body := object{"userId": 7, "items": []object{{"sku": "TEA-1", "quantity": 1}}, "couponCode": strings.ToLower(code)}
		order := s.Create(t, "/orders", body)
		require.EqualValues(t, 200, order["discount"], "199.5 is rounded half up")
		require.EqualValues(t, 1795, order["amount"])
		require.Equal(t, code, order["couponCode"], "in its own spelling")
		coupon := s.Send(t, http.MethodGet, "/coupons/"+code, nil).Body
		require.Equal(t, "used", coupon["status"])
		require.Equal(t, "7", coupon["redeemedByUserId"])
		require.Equal(t, order["id"], coupon["orderId"])
		require.EqualValues(t, 1, s.Count(t, &uow.AuditRow{}, "action = 'order.create'"))
		require.Zero(t, s.Count(t, &uow.AuditRow{}, "action = 'coupon.redeem'"), "the order's entry speaks for both")

		again := s.Post(t, http.StatusUnprocessableEntity, "/orders", body)
		require.Equal(t, "used", again["currentStatus"])

		s.Post(t, http.StatusOK, OrderPath(order)+"/cancel", object{"reason": "changed my mind"})
		require.Equal(t, "unused", s.Send(t, http.MethodGet, "/coupons/"+code, nil).Body["status"])
		s.Create(t, "/orders", body)
	})
}

func TestUnusableCouponIsRejectedAtItsField(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 1000, Plenty)
		voided := s.Coupon(t, nil)
		s.Post(t, http.StatusOK, "/coupons/"+voided+"/void", nil)
		cases := []struct{ name, code, rule string }{
			{"bound to another user", s.Issue(t, s.Campaign(t, nil), object{"userIds": []int{8}})[0], "bound"},
			{"void", voided, "void"},
			{"not yet valid", s.Coupon(t, object{"validFrom": world.Opening.Add(time.Minute)}), "not_yet_valid"},
			{"the order is too small", s.Coupon(t, object{"minimumAmount": 1001}), "minimum_amount"},
		}
		for _, c := range cases {
			a := s.Send(t, http.MethodPost, "/orders", object{"userId": 7, "items": []object{{"sku": "TEA-1", "quantity": 1}}, "couponCode": c.code})
			require.Equal(t, http.StatusUnprocessableEntity, a.Status, c.name)
			require.Equal(t, "/couponCode", a.Pointer(), c.name)
			require.Equal(t, c.rule, a.Body["fields"].([]any)[0].(object)["code"], c.name)
		}
		s.Clock.Advance(time.Hour)
		expired := s.Post(t, http.StatusUnprocessableEntity, "/orders", object{"userId": 8, "items": []object{{"sku": "TEA-1", "quantity": 1}}, "couponCode": cases[0].code})
		require.Equal(t, "expired", expired["currentStatus"])
		require.Zero(t, s.Count(t, &orders.Order{}, "1 = 1"))
	})
}

func TestDiscountNeverExceedsTheTotal(t *testing.T) {
	s := Open(storagetest.Tenant(t), t, storagetest.SQLite(t))
	s.Stock(t, "TEA-1", 300, Plenty)
	code := s.Coupon(t, object{"value": 500})
	order := s.Create(t, "/orders", object{"userId": 7, "items": []object{{"sku": "TEA-1", "quantity": 1}}, "couponCode": code})
	require.EqualValues(t, 300, order["discount"])
	require.EqualValues(t, 0, order["amount"])
}

func TestOrdersAreListedByFilterSortAndCursor(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		var placed []object
		for i := range 4 {
			sku := fmt.Sprintf("TEA-%d", i)
			s.Stock(t, sku, int64(100*(4-i)), Plenty)
			placed = append(placed, s.Create(t, "/orders", object{"userId": 1 + i%2, "items": []object{{"sku": sku, "quantity": 1}}}))
			s.Clock.Advance(24 * time.Hour)
		}
		s.Post(t, http.StatusOK, OrderPath(placed[1])+"/pay", Outside())
		list := func(query string) []int {
			a := s.Get(t, "/orders?"+query)
			found := []int{}
			for _, item := range a.Items() {
				require.Len(t, item["items"], 1, "each has its lines")
				for i, order := range placed {
					if order["id"] == item["id"] {
						found = append(found, i)
					}
				}
			}
			return found
		}
		require.Equal(t, []int{3, 2, 1, 0}, list(""))
		require.Equal(t, []int{1}, list("status=paid"))
		require.Equal(t, []int{2, 0}, list("userId=1"))
		require.Equal(t, []int{2, 1}, list("from=2026-11-22T08:00:00Z&to=2026-11-24T08:00:00Z"))
		require.Equal(t, []int{3, 2, 1, 0}, list("sort=amount"))
		require.Equal(t, []int{0, 1}, list("sort=createdTime&limit=2"))
		require.Equal(t, 1, list("sort=-updatedTime")[0])
		require.Equal(t, []int{0}, list("q="+strings.ToLower(placed[0]["orderNo"].(string))))
		require.Equal(t, []int{2}, list("q=20261123"))
		require.Empty(t, list("q=0261123"))

		first := s.Send(t, http.MethodGet, "/orders?limit=3&sort=-updatedTime", nil)
		require.EqualValues(t, 4, first.Body["total"])
		rest := s.Send(t, http.MethodGet, "/orders?limit=3&sort=-updatedTime&cursor="+first.Body["nextCursor"].(string), nil)
		require.Len(t, rest.Items(), 1)
		require.Equal(t, placed[0]["id"], rest.Items()[0]["id"])
		require.Nil(t, rest.Body["nextCursor"])

		late := base64.RawURLEncoding.EncodeToString([]byte(`{"s":"createdTime","v":"9999-12-31T23:59:59-01:00","i":1}`))
		for _, query := range []string{
			"sort=createdTime&cursor=" + late, "status=lost", "userId=a+b", "userId=%25", "from=yesterday", "to=1", "sort=orderNo", "limit=0", "cursor=x", "createdFrom=2026-11-22T08:00:00Z",
		} {
			require.Equal(t, http.StatusBadRequest, s.Send(t, http.MethodGet, "/orders?"+query, nil).Status, query)
		}
	})
}

func TestAnotherTenantsOrderIsNotFound(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Stock(t, "TEA-1", 100, Plenty)
		order := s.Place(t)
		stranger := Open(storagetest.Tenant(t), t, db)
		require.Equal(t, http.StatusNotFound, stranger.Send(t, http.MethodGet, OrderPath(order), nil).Status)
		require.Equal(t, http.StatusNotFound, stranger.Send(t, http.MethodGet, OrderPath(order)+"/history", nil).Status)
		stranger.Post(t, http.StatusNotFound, OrderPath(order)+"/pay", Outside())
		stranger.Post(t, http.StatusUnprocessableEntity, "/orders", object{"userId": 1, "items": []object{{"sku": "TEA-1", "quantity": 1}}})
		batch := stranger.Send(t, http.MethodPost, "/order-batches", object{"action": "pay", "ids": []any{order["id"]}, "method": "wallet"})
		require.Equal(t, "invalid", batch.Items()[0]["verdict"])
		require.Equal(t, order, s.Send(t, http.MethodGet, OrderPath(order), nil).Body)
	})
}

func TestCouponIsReadOnceForItsOrder(t *testing.T) {
	db, statements := storagetest.TappedMariaDB(t)
	s := Open(storagetest.Tenant(t), t, db)
	s.Stock(t, "TEA-1", 1990, Plenty)
	code := s.Coupon(t, nil)
	statements.Take()
	s.Create(t, "/orders", object{"userId": 7, "items": []object{{"sku": "TEA-1", "quantity": 1}}, "couponCode": code})
	read := 0
	for _, statement := range statements.Take() {
		if statement == "SELECT coupons" {
			read++
		}
	}
	require.Equal(t, 1, read)
}

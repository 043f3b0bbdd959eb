package e2e_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// found returns the result of a search: kind, title and page of each hit.
func found(t *testing.T, c *apptest.Caller, text string) []string {
	t.Helper()
	shown := []string{}
	for _, item := range read(t, c, "/api/v1/search?q="+url.QueryEscape(text))["items"].([]any) {
		hit := item.(object)
		shown = append(shown, fmt.Sprintf("%s %s %s", hit["kind"], hit["title"], hit["href"]))
	}
	return shown
}

func TestSearchFindsRowsOfEveryKind(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c, stranger := p.Admin(t), p.Admin(t)
		newConfig(t, c, "tea.price", 1, "number")
		create(t, c, "/api/v1/items", object{"sku": "TEA-1", "name": "Green", "price": 100})
		create(t, c, "/api/v1/items", object{"sku": "CUP-1", "name": "Tea cup", "price": 100})
		campaign := create(t, c, "/api/v1/coupon-campaigns", object{
			"name": "Tea", "kind": "amount", "value": 10, "minimumAmount": 0, "total": 9, "perUser": 9,
			"validFrom": "2026-01-01T00:00:00Z", "validTo": "2100-01-31T00:00:00Z",
		})
		path := fmt.Sprintf("/coupon-campaigns/%d", int64(campaign["id"].(float64)))
		require.Equal(t, []string{
			"coupon-campaign Tea " + path, "item TEA-1 /items/TEA-1", "item CUP-1 /items/CUP-1", "config tea.price /configs/tea.price",
		}, found(t, c, "tea"))
		require.Empty(t, found(t, stranger, "tea"))
		require.Equal(t, []string{"item TEA-1 /items/TEA-1"}, found(t, p.Caller(t, c.Tenant, "items:read"), "TEA-"))

		code := create(t, c, "/api/v1"+path+"/coupons", object{"count": 1})["codes"].([]any)[0].(string)
		require.Equal(t, []string{"coupon " + code + " /coupons/" + code}, found(t, c, strings.ToLower(code[:8])))

		stock(t, c, "TEA-1", 100)
		order := newOrder(t, c, "TEA-1")
		href := strings.TrimPrefix(orderPath(order), "/api/v1")
		require.Equal(t, []string{fmt.Sprintf("order %s %s", order["orderNo"], href)}, found(t, c, strings.ToLower(order["orderNo"].(string))))
		latest := newOrder(t, c, "TEA-1")
		hit := read(t, c, "/api/v1/search?q=42")["items"].([]any)[0].(object)
		require.Equal(t, object{"kind": "user", "id": "42", "title": "42", "subtitle": latest["orderNo"], "href": "/customers/42"}, hit)
		require.Empty(t, found(t, c, "43"), "a customer without orders is unknown")
		require.Empty(t, found(t, p.Caller(t, c.Tenant, "configs:read"), "42"))
	})
}

func TestSearchFindsSalesTicketsWalletsAndKeys(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c, stranger := p.Admin(t), p.Admin(t)
		create(t, c, "/api/v1/items", object{"sku": "TEA-1", "name": "Green", "price": 100})
		stock(t, c, "TEA-1", 100)
		sale := create(t, c, "/api/v1/flash-sales", object{
			"name": "Noon rush", "sku": "TEA-1", "price": 50, "quantity": 10, "perUserLimit": 2,
			"startsTime": time.Now().Add(-time.Minute).UTC(), "endsTime": time.Now().Add(time.Hour).UTC(),
		})
		path := fmt.Sprintf("/flash-sales/%d", int64(sale["id"].(float64)))
		answer(t, c, "/api/v1"+path+"/open", nil)
		require.Equal(t, []string{"flash-sale Noon rush " + path}, found(t, c, "noon"))

		shopper := p.Caller(t, c.Tenant, "customers:impersonate")
		bought := shopper.Do(t, http.MethodPost, "/api/v1"+path+"/orders", object{"quantity": 1}, "X-On-Behalf-Of", "shop/li+4711@example.com")
		require.Equal(t, 202, bought.Status, "%s", bought.Body)
		ticket := bought.JSON(t)["ticket"].(string)
		hit := "ticket " + ticket + " " + path + "?ticket=" + ticket
		require.Equal(t, []string{hit}, found(t, c, strings.ToLower(ticket)), "waiting or not")
		require.Eventually(t, func() bool { return len(found(t, c, ticket[:10])) == 1 }, patience, 50*time.Millisecond)
		require.Equal(t, []string{hit}, found(t, c, ticket[:10]), "by its beginning, once it is an order")
		require.Empty(t, found(t, stranger, ticket))
		require.Empty(t, found(t, stranger, "noon"))
		require.Empty(t, found(t, p.Caller(t, c.Tenant, "configs:read"), ticket))

		topUp := object{"amount": 100, "kind": "topup", "reference": "first"}
		paid := c.Do(t, http.MethodPost, "/api/v1/wallets/shop%2Fli@example.com/entries", topUp, "X-Idempotency-Key", "rent 1/2")
		require.Equal(t, 201, paid.Status, "%s", paid.Body)
		require.Equal(t, []string{"wallet shop/li@example.com /wallets/shop%2Fli@example.com"}, found(t, c, "shop/li@example.com"))
		require.Equal(t, []string{"idempotency-key rent 1/2 /idempotency-keys?key=rent+1%2F2"}, found(t, c, "rent"))
		require.Empty(t, found(t, stranger, "shop/li@example.com"))
		require.Empty(t, found(t, stranger, "rent"))
	})
}

func TestDashboardCountsWaitingAndRejectedWork(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c, stranger := p.Admin(t), p.Admin(t)
		newItem(t, c, "TEA-1", 100)
		newOrder(t, c, "TEA-1")
		order := newOrder(t, c, "TEA-1")
		answer(t, c, orderPath(order)+"/pay", paymentOf(order))
		row := newConfig(t, c, "contested", 1, "number")
		patch(t, c, "/api/v1/configs/contested", object{"value": 2}, etag(row))
		for range 2 {
			requireProblem(t, c.Do(t, http.MethodPatch, "/api/v1/configs/contested", object{"value": 3}, "If-Match", etag(row)), 412, "version_conflict")
		}
		requireProblem(t, c.Do(t, http.MethodPost, orderPath(order)+"/complete", nil), 409, "transition_not_allowed")
		ends := time.Now().Add(3 * 24 * time.Hour).UTC().Format(time.RFC3339)
		campaign := create(t, c, "/api/v1/coupon-campaigns", object{
			"name": "Ends soon", "kind": "amount", "value": 10, "minimumAmount": 0, "total": 9, "perUser": 9,
			"validFrom": "2020-01-01T00:00:00Z", "validTo": ends,
		})
		create(t, c, fmt.Sprintf("/api/v1/coupon-campaigns/%d/coupons", int64(campaign["id"].(float64))), object{"count": 3})

		require.NoError(t, p.Services().Conflicts.Flush(t.Context()))
		board := read(t, c, "/api/v1/dashboard")
		require.Equal(t, object{"pending": 1.0, "paid": 1.0, "shipped": 0.0, "completed": 0.0, "cancelled": 0.0}, board["ordersByStatus"])
		require.EqualValues(t, 3, board["couponsExpiringSoon"])
		require.Equal(t, []any{
			object{"resource": "configs", "code": "version_conflict", "count": 2.0, "records": []any{"configs/contested"}},
			object{"resource": "orders", "code": "transition_not_allowed", "count": 1.0, "records": []any{strings.TrimPrefix(orderPath(order), "/api/v1/")}},
		}, board["conflictsToday"])
		require.EqualValues(t, 3, board["conflictsTodayTotal"])
		changes := board["recentChanges"].([]any)
		for _, change := range changes {
			require.Zero(t, change.(object)["more"], "nothing was done twice")
			delete(change.(object), "more")
		}
		require.Equal(t, read(t, c, "/api/v1/audit-log?limit=10")["items"], changes)
		days := board["ordersByDay"].([]any)
		require.Len(t, days, 14)
		require.EqualValues(t, 2, days[13].(object)["placed"])
		require.Equal(t, object{"total": 0.0, "items": []any{}}, board["paymentsDueSoon"])
		require.Equal(t, "coupon_campaign.issue", changes[0].(object)["action"])

		of := read(t, stranger, "/api/v1/dashboard")
		require.Zero(t, of["conflictsTodayTotal"])
		require.Zero(t, of["ordersByStatus"].(object)["paid"])
		require.Equal(t, object{"couponsExpiringSoon": 3.0, "conflictsToday": []any{}, "conflictsTodayTotal": 0.0, "workingNow": []any{}},
			read(t, p.Caller(t, c.Tenant, "coupons:read"), "/api/v1/dashboard"))
	})
}

func TestConflictsAppearOnTheDashboardByThemselves(t *testing.T) {
	p := apptest.Shared(t, "sqlite")
	c := p.Admin(t)
	newConfig(t, c, "contested", 1, "number")
	requireProblem(t, c.Do(t, http.MethodPost, "/api/v1/configs", object{"key": "contested", "value": 1}), 409, "already_exists")
	require.Eventually(t, func() bool {
		return read(t, c, "/api/v1/dashboard")["conflictsTodayTotal"] == 1.0
	}, patience, 100*time.Millisecond)
}

package contract_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/access"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// fixtures create the resource of a path parameter, by "<resource>/:<parameter>", and return the
// value of the parameter. The walk fails on a route without a fixture for its parameter.
var fixtures = map[string]func(t *testing.T, c *apptest.Caller) string{
	"configs/:key":         newConfig,
	"flags/:key":           newConfig,
	"approvals/:id":        newDiscussedApproval,
	"items/:sku":           newItem,
	"orders/:id":           newPartlyShippedOrder,
	"payments/:id":         newPayment,
	"refunds/:id":          newRefund,
	"returns/:id":          newReturn,
	"work-orders/:id":      newDiscussedWorkOrder,
	"webhooks/:id":         newWebhook,
	"users/:id":            newUser,
	"roles/:id":            newRole,
	"menus/:id":            newMenu,
	"tokens/:id":           newToken,
	"sessions/:id":         newSession,
	"oidc/:provider":       func(*testing.T, *apptest.Caller) string { return "corp" },
	"links/:id":            func(*testing.T, *apptest.Caller) string { return "999999999" },
	"links/:linkId":        func(*testing.T, *apptest.Caller) string { return "999999999" },
	"factors/:id":          func(*testing.T, *apptest.Caller) string { return "999999999" },
	"coupon-campaigns/:id": newCampaign,
	"coupons/:code":        newCoupon,
	"idempotency-keys/:id": newIdempotencyKey,
	"inventory/:sku":       newStock,
	"wallets/:userId":      newWallet,
	"aggregates/:type":     func(*testing.T, *apptest.Caller) string { return "shelf" },
	"shelf/:id":            newAggregate,
	"flash-sales/:id":      newSale,
	"dead/:messageId":      func(*testing.T, *apptest.Caller) string { return "NOBODYS" },
	"tickets/:ticket":      func(*testing.T, *apptest.Caller) string { return "NOBODYS" },
}

// mark is part of all names and texts of the fixtures, so that tests can search for it.
var mark string

func unique(prefix string) string { return fmt.Sprintf("%s%s-%d", prefix, mark, rand.Uint32()) }

func created(t *testing.T, c *apptest.Caller, path string, body any) map[string]any {
	t.Helper()
	answer := c.Do(t, "POST", httpapi.Base+path, body)
	require.Equal(t, 201, answer.Status, "POST %s: %s", path, answer.Body)
	return answer.JSON(t)
}

// newUser creates a user without permissions.
func newUser(t *testing.T, c *apptest.Caller) string {
	user := created(t, c, "/users", map[string]any{"username": unique("walk"), "password": "correct horse battery"})
	return fmt.Sprint(int64(user["id"].(float64)))
}

// newColleague returns another user of c's tenant, with these permissions.
func newColleague(t *testing.T, c *apptest.Caller, permissions ...string) *apptest.Caller {
	role := created(t, c, "/roles", map[string]any{"name": unique("walk"), "permissions": permissions})
	user := created(t, c, "/users", map[string]any{"username": unique("walk"), "password": "correct horse battery", "roles": []any{role["name"]}})
	return c.As(t, user["username"].(string))
}

func newRole(t *testing.T, c *apptest.Caller) string {
	role := created(t, c, "/roles", map[string]any{"name": unique("walk"), "permissions": []string{"configs:read"}})
	return fmt.Sprint(int64(role["id"].(float64)))
}

func newMenu(t *testing.T, c *apptest.Caller) string {
	menu := created(t, c, "/menus", map[string]any{"title": unique("walked menu"), "path": "/orders"})
	return fmt.Sprint(int64(menu["id"].(float64)))
}

func newToken(t *testing.T, c *apptest.Caller) string {
	token := created(t, c, "/tokens", map[string]any{"name": unique("walk"), "scopes": []string{"configs:read"}})
	return fmt.Sprint(int64(token["id"].(float64)))
}

// newSession starts a session of the caller's user.
func newSession(t *testing.T, c *apptest.Caller) string {
	t.Helper()
	_, err := c.Program.Services().Access.SignIn(t.Context(), access.SignIn{Tenant: c.Tenant, Username: "admin", Password: apptest.AdminPassword})
	require.NoError(t, err)
	sessions := c.Do(t, "GET", httpapi.Base+"/sessions", nil).JSON(t)["items"].([]any)
	return fmt.Sprint(int64(sessions[0].(map[string]any)["id"].(float64)))
}

func newConfig(t *testing.T, c *apptest.Caller) string {
	key := unique("walk")
	created(t, c, "/configs", map[string]any{"key": key, "value": 1, "valueType": "number", "remark": unique("remark")})
	return key
}

// newProtected creates a protected config.
func newProtected(t *testing.T, c *apptest.Caller) (key, etag string) {
	key = unique("walk")
	made := created(t, c, "/configs", map[string]any{"key": key, "value": 1, "valueType": "number", "protected": true})
	return key, made["etag"].(string)
}

// newApproval proposes a change of a protected config.
func newApproval(t *testing.T, c *apptest.Caller) string {
	key, etag := newProtected(t, c)
	answer := c.Do(t, "PATCH", httpapi.Base+"/configs/"+key, `{"value":2}`, "If-Match", etag)
	require.Equal(t, 202, answer.Status, "%s", answer.Body)
	return fmt.Sprint(int64(answer.JSON(t)["id"].(float64)))
}

// newDiscussedApproval proposes a change of a protected config and adds a comment.
func newDiscussedApproval(t *testing.T, c *apptest.Caller) string {
	approval := newApproval(t, c)
	created(t, c, "/approvals/"+approval+"/comments", map[string]any{"text": unique("Is this the rate of 2026?")})
	return approval
}

func newItem(t *testing.T, c *apptest.Caller) string {
	sku := unique("WALK")
	created(t, c, "/items", map[string]any{"sku": sku, "name": unique("Walked item"), "price": 1990})
	return sku
}

// newStock adds an item with ten units.
func newStock(t *testing.T, c *apptest.Caller) string {
	sku := newItem(t, c)
	created(t, c, "/inventory/"+sku+"/adjustments", map[string]any{"delta": 10, "reason": "opening stock" + mark, "reference": "opening" + mark})
	return sku
}

// newWallet funds the wallet of a user that only this test uses.
func newWallet(t *testing.T, c *apptest.Caller) string {
	user := unique("user") + "@example.com"
	created(t, c, "/wallets/"+user+"/entries", map[string]any{"amount": 5000, "kind": "topup", "reference": "opening" + mark})
	return user
}

// newAggregate writes the first event of a shelf.
func newAggregate(t *testing.T, c *apptest.Caller) string {
	id := unique("walk")
	created(t, c, "/aggregates/shelf/"+id+"/events", map[string]any{"clientId": "walk", "events": []any{
		map[string]any{"eventId": "first", "eventType": "stored", "eventTime": "2026-01-31T09:30:00Z", "deltas": map[string]any{"in": 1}},
	}})
	return id
}

// newSale creates a draft of a flash sale of ten units.
func newSale(t *testing.T, c *apptest.Caller) string {
	sale := created(t, c, "/flash-sales", map[string]any{
		"name": unique("walk"), "sku": newStock(t, c), "price": 990, "quantity": 4, "perUserLimit": 2,
		"startsTime": "2020-01-01T00:00:00Z", "endsTime": "2100-01-01T00:00:00Z",
	})
	return fmt.Sprint(int64(sale["id"].(float64)))
}

func newOrder(t *testing.T, c *apptest.Caller) string { return newOrderOf(t, c, 1) }

func newOrderOf(t *testing.T, c *apptest.Caller, units int) string {
	order := created(t, c, "/orders", map[string]any{
		"userId": 7, "items": []any{map[string]any{"sku": newStock(t, c), "quantity": units}},
	})
	return fmt.Sprint(int64(order["id"].(float64)))
}

// newPayment records a payment that is unmatched, because its order does not exist.
func newPayment(t *testing.T, c *apptest.Caller) string {
	answer := c.Do(t, http.MethodPost, httpapi.Base+"/orders/999999999/payments", map[string]any{"method": "external", "reference": unique("psp"), "amount": 995})
	require.Equal(t, http.StatusAccepted, answer.Status, "%s", answer.Body)
	return fmt.Sprint(int64(answer.JSON(t)["id"].(float64)))
}

// newRefund requests a refund of half of an order with an external payment.
func newRefund(t *testing.T, c *apptest.Caller) string {
	refund := created(t, c, "/orders/"+newPaidOrder(t, c)+"/refunds", map[string]any{"amount": 995, "reason": unique("broken")})
	return fmt.Sprint(int64(refund["id"].(float64)))
}

// newReturn requests a return of a shipped order and adds a comment.
func newReturn(t *testing.T, c *apptest.Caller) string {
	order := "/orders/" + newPaidOrder(t, c)
	shipped := c.Do(t, "POST", httpapi.Base+order+"/ship", map[string]any{"carrier": "DHL", "trackingNo": unique("JD")})
	require.Equal(t, 200, shipped.Status, "%s", shipped.Body)
	row := created(t, c, order+"/returns", map[string]any{"lines": []any{map[string]any{"lineId": 1, "quantity": 1}}, "reason": unique("broken")})
	id := fmt.Sprint(int64(row["id"].(float64)))
	created(t, c, "/returns/"+id+"/comments", map[string]any{"text": unique("The courier has been called.")})
	return id
}

// newWebhook creates a disabled webhook with two deliveries. Its host does not exist.
func newWebhook(t *testing.T, c *apptest.Caller) string {
	hook := created(t, c, "/webhooks", map[string]any{"url": "https://receiver.invalid/" + unique("hook"), "topics": []string{"orders"}, "enabled": false})
	id := fmt.Sprint(int64(hook["id"].(float64)))
	for range 2 {
		answer := c.Do(t, "POST", httpapi.Base+"/webhooks/"+id+"/test", nil)
		require.Equal(t, 200, answer.Status, "%s", answer.Body)
	}
	return id
}

func newPaidOrder(t *testing.T, c *apptest.Caller) string {
	order := newOrder(t, c)
	pay(t, c, order)
	return order
}

func pay(t *testing.T, c *apptest.Caller, order string) {
	t.Helper()
	answer := c.Do(t, "POST", httpapi.Base+"/orders/"+order+"/pay", map[string]any{"method": "external", "reference": "PSP-" + order})
	require.Equal(t, 200, answer.Status, "%s", answer.Body)
}

// newPartlyShippedOrder ships two of three units, each in a parcel.
func newPartlyShippedOrder(t *testing.T, c *apptest.Caller) string {
	order := newOrderOf(t, c, 3)
	pay(t, c, order)
	for range 2 {
		created(t, c, "/orders/"+order+"/shipments", map[string]any{
			"lines": []any{map[string]any{"lineId": 1, "quantity": 1}}, "carrier": "DHL", "trackingNo": unique("parcel"),
		})
	}
	return order
}

// newDiscussedWorkOrder opens a work order and adds a comment.
func newDiscussedWorkOrder(t *testing.T, c *apptest.Caller) string {
	order := newWorkOrder(t, c)
	created(t, c, "/work-orders/"+order+"/comments", map[string]any{"text": unique("The courier has been called.")})
	return order
}

// newWorkOrder opens an unassigned work order.
func newWorkOrder(t *testing.T, c *apptest.Caller) string {
	order := created(t, c, "/work-orders", map[string]any{"title": unique("walk"), "links": []string{"wallets/1"}})
	return fmt.Sprint(int64(order["id"].(float64)))
}

func newCampaign(t *testing.T, c *apptest.Caller) string {
	campaign := created(t, c, "/coupon-campaigns", map[string]any{
		"name": unique("walk"), "kind": "amount", "value": 500, "minimumAmount": 0, "total": 100, "perUser": 10,
		"validFrom": "2020-01-01T00:00:00Z", "validTo": "2100-01-01T00:00:00Z",
	})
	return fmt.Sprint(int64(campaign["id"].(float64)))
}

func newCoupon(t *testing.T, c *apptest.Caller) string {
	issued := created(t, c, "/coupon-campaigns/"+newCampaign(t, c)+"/coupons", map[string]any{"count": 1})
	return issued["codes"].([]any)[0].(string)
}

// pathOf replaces a route's parameters by rows that it creates for c.
func pathOf(t *testing.T, route httpapi.Route, c *apptest.Caller) string {
	t.Helper()
	return fill(t, route, func(key string) string { return newRow(t, c, key) })
}

func newRow(t *testing.T, c *apptest.Caller, key string) string {
	t.Helper()
	make, ok := fixtures[key]
	require.True(t, ok, "fixtures needs an entry for %q, so that its routes can be walked", key)
	return make(t, c)
}

// fill replaces each parameter of a route by the result of value for its key in fixtures.
func fill(t *testing.T, route httpapi.Route, value func(key string) string) string {
	t.Helper()
	segments := strings.Split(strings.TrimPrefix(route.Path, "/"), "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, ":") {
			segments[i] = value(segments[i-1] + "/" + segment)
		}
	}
	return route.Prefix + "/" + strings.Join(segments, "/")
}

func hasParameter(route httpapi.Route) bool { return strings.Contains(route.Path, ":") }

func newIdempotencyKey(t *testing.T, c *apptest.Caller) string {
	key := unique("walk")
	answer := c.Do(t, "POST", httpapi.Base+"/items", map[string]any{"sku": unique("WALK"), "name": unique("Keyed item"), "price": 1990}, "X-Idempotency-Key", key)
	require.Equal(t, 201, answer.Status, "%s", answer.Body)
	found := c.Do(t, "GET", httpapi.Base+"/idempotency-keys?key="+key, nil).JSON(t)["items"].([]any)
	require.Len(t, found, 1)
	return fmt.Sprint(int64(found[0].(map[string]any)["id"].(float64)))
}

package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// newItem adds an item with a large stock.
func newItem(t *testing.T, c *apptest.Caller, sku string, price int) {
	t.Helper()
	create(t, c, "/api/v1/items", object{"sku": sku, "name": "Item " + sku, "price": price})
	stock(t, c, sku, 1_000_000)
}

// stock adds units of an item to its stock, once.
func stock(t *testing.T, c *apptest.Caller, sku string, pieces int) {
	t.Helper()
	create(t, c, "/api/v1/inventory/"+sku+"/adjustments", object{"delta": pieces, "reason": "opening stock", "reference": "opening"})
}

func newOrder(t *testing.T, c *apptest.Caller, sku string) object {
	t.Helper()
	return create(t, c, "/api/v1/orders", object{"userId": 42, "items": []object{{"sku": sku, "quantity": 2}}})
}

func orderPath(order object) string {
	return fmt.Sprintf("/api/v1/orders/%d", int64(order["id"].(float64)))
}

// paymentOf returns the request of an external payment of an order.
func paymentOf(order object) object {
	return object{"method": "external", "reference": order["orderNo"]}
}

// Proves G2.1, G6.3.
func TestOnlyOneOfFiftyShipOrCancelRequestsWins(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		const rounds, clients = 5, 50
		owner := p.Admin(t)
		admins := []*apptest.Caller{owner, colleague(t, owner, "ada", "Ada"), colleague(t, owner, "grace", "Grace")}
		newItem(t, owner, "TEA-1", 1990)
		for range rounds {
			raceShipAndCancel(t, admins, newOrder(t, owner, "TEA-1"), clients)
		}
		require.EqualValues(t, 3*rounds, rows(t, owner, "order_histories", "1 = 1"))
	})
}

// raceShipAndCancel ships and cancels one paid order concurrently, and checks that exactly
// one of them happened, once, and that the responses agree.
func raceShipAndCancel(t *testing.T, callers []*apptest.Caller, order object, clients int) {
	t.Helper()
	c, path := callers[0], orderPath(order)
	paid := c.Do(t, http.MethodPost, path+"/pay", paymentOf(order))
	require.Equalf(t, http.StatusOK, paid.Status, "%s", paid.Body)
	answers := race(t, clients, func(ctx context.Context, i int) (apptest.Answer, error) {
		if i%2 == 0 {
			return callers[i%len(callers)].Try(ctx, http.MethodPost, path+"/ship", object{"carrier": "DHL", "trackingNo": fmt.Sprint(i)})
		}
		return callers[i%len(callers)].Try(ctx, http.MethodPost, path+"/cancel", object{"reason": "changed my mind"})
	})

	won, lost := split(answers, http.StatusOK)
	require.Len(t, won, 1)
	winner := won[0].JSON(t)
	require.Contains(t, []any{"shipped", "cancelled"}, winner["status"])
	require.EqualValues(t, 3, version(winner))
	for _, answer := range lost {
		require.Equalf(t, http.StatusConflict, answer.Status, "%s", answer.Body)
		require.Contains(t, []string{"status_changed", "transition_not_allowed"}, answer.Code())
		body := answer.JSON(t)
		require.Equal(t, winner["status"], body["currentStatus"])
		require.Equal(t, winner["allowedTransitions"], body["allowedTransitions"])
		require.Equal(t, winner["updatedBy"], body["changedBy"])
		require.Equal(t, winner["updatedTime"], body["changedTime"])
		require.Equal(t, winner, body["current"])
	}
	require.Equal(t, winner, read(t, c, path))
	id := int64(order["id"].(float64))
	require.EqualValues(t, 3, rows(t, c, "order_histories", "order_id = ?", id), "placed, paid, and one for the winner")
	require.EqualValues(t, 3, audited(t, c, fmt.Sprintf("orders/%d", id)))
}

func TestOrderFollowsItsStatusMachine(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		newItem(t, c, "CUP-1", 500)
		order := newOrder(t, c, "CUP-1")
		path := orderPath(order)
		require.Equal(t, "pending", order["status"])
		require.EqualValues(t, 1000, order["amount"])

		refused := requireProblem(t, c.Do(t, http.MethodPost, path+"/ship", object{"carrier": "DHL", "trackingNo": "1"}), http.StatusConflict, "transition_not_allowed")
		require.Equal(t, "pending", refused["currentStatus"])
		requireProblem(t, c.Do(t, http.MethodPost, path+"/pay", paymentOf(order), "If-Match", `"none-such"`), http.StatusPreconditionFailed, "version_conflict")

		steps := []struct {
			action, status string
			body           any
		}{
			{"pay", "paid", object{"method": "external", "reference": "psp-1"}},
			{"ship", "shipped", object{"carrier": "DHL", "trackingNo": "JD01"}},
			{"complete", "completed", nil},
		}
		for i, step := range steps {
			answer := c.Do(t, http.MethodPost, path+"/"+step.action, step.body, "If-Match", etag(order))
			require.Equalf(t, http.StatusOK, answer.Status, "%s: %s", step.action, answer.Body)
			order = answer.JSON(t)
			require.Equal(t, step.status, order["status"])
			require.EqualValues(t, i+2, version(order))
		}
		require.Empty(t, order["allowedTransitions"])
		history := read(t, c, path+"/history")["items"].([]any)
		require.Len(t, history, 4)
		require.EqualValues(t, 4, history[0].(object)["version"], "newest first")
	})
}

func TestConcurrentPaymentsPayAnOrderOnce(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		newItem(t, c, "POT-1", 2500)
		order := newOrder(t, c, "POT-1")
		answers := race(t, 30, func(ctx context.Context, i int) (apptest.Answer, error) {
			return c.Try(ctx, http.MethodPost, orderPath(order)+"/pay", paymentOf(order), "If-Match", etag(order))
		})
		won, lost := split(answers, http.StatusOK)
		require.Len(t, won, 1)
		for _, answer := range lost {
			body := requireProblem(t, answer, http.StatusPreconditionFailed, "version_conflict")
			require.Equal(t, "paid", body["currentStatus"])
		}
	})
}

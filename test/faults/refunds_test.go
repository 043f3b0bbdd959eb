package faults_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
	"interlock/test/racing"
)

// refundWhileKilled makes clients refund one order after the other in parts, and approve
// refunds that others requested, while some clients cancel the order and the program is
// killed and restarted once per round. Each request is repeated with its key until it is
// decided, so that afterwards each approved refund is settled once.
func refundWhileKilled(t *testing.T, engine string, rounds, clients int) {
	random := racing.Seeded(t)
	process, s, c := asProcess(t, engine)
	must(t, c, "/items", object{"sku": "REFUND-1", "name": "Refunded", "price": 25})
	must(t, c, "/inventory/REFUND-1/adjustments", object{"delta": 1_000_000, "reason": "opening stock", "reference": "opening"})
	must(t, c, "/wallets/li/entries", object{"amount": 100 * rounds, "kind": "topup", "reference": "opening"})
	role := must(t, c, "/roles", object{"name": "refunds", "permissions": []string{"refunds:*", "tokens:write"}})
	boss := newUser(t, c, "boss", role["name"])

	store := newWitness(t, s.URL())
	for round := range rounds {
		order := int64(must(t, c, "/orders", object{"userId": "li", "items": []object{{"sku": "REFUND-1", "quantity": 4}}})["id"].(float64))
		path := fmt.Sprintf("/api/v1/orders/%d", order)
		method := []string{"wallet", "external"}[round%2]
		paid := until(t, c, path+"/pay", object{"method": method, "reference": path}, fmt.Sprintf("pay-%d", round))
		require.Equalf(t, http.StatusOK, paid.Status, "%s", paid.Body)
		var running sync.WaitGroup
		started := make(chan struct{})
		begin := sync.OnceFunc(func() { close(started) })
		for i := range clients {
			running.Go(func() {
				key := fmt.Sprintf("%d-%d", round, i)
				if i%8 == 7 {
					// An immediate cancellation would leave nothing to race for.
					<-started
					until(t, c, path+"/cancel", object{"reason": "raced"}, "cancel-"+key)
					return
				}
				requested := until(t, c, path+"/refunds", object{"amount": 1 + i*7%23, "reason": "raced"}, "ask-"+key)
				begin()
				if requested.Status == http.StatusCreated {
					until(t, boss, fmt.Sprintf("/api/v1/refunds/%d/approve", int64(requested.JSON(t)["id"].(float64))), nil, "approve-"+key)
				}
			})
		}
		pause(t.Context(), time.Duration(random.IntN(60_000))*time.Microsecond)
		process.kill()
		process = serve(t, s)
		running.Wait()
	}
	for query, want := range map[string]int64{
		"SELECT COUNT(*) FROM orders WHERE refund_reserved < 0 OR refunded < 0 OR refund_reserved + refunded > paid": 0,
		`SELECT COUNT(*) FROM orders o WHERE refunded <> (SELECT COALESCE(SUM(r.amount), 0) FROM refunds r WHERE r.order_id = o.id AND r.status = 3)
			OR refund_reserved <> (SELECT COALESCE(SUM(r.amount), 0) FROM refunds r WHERE r.order_id = o.id AND r.status IN (0, 1, 5))`: 0,
		`SELECT COUNT(*) FROM refunds r WHERE r.method = 'wallet'
			AND (r.status = 3) <> (SELECT COUNT(*) FROM wallet_entries e WHERE e.kind = 'refund' AND e.amount = r.amount AND e.reference = r.reference)`: 0,
		`SELECT (SELECT COUNT(*) FROM wallet_entries WHERE kind = 'refund') - (SELECT COUNT(*) FROM refunds WHERE method = 'wallet' AND status = 3)`: 0,
		"SELECT COUNT(*) FROM refunds WHERE method = 'wallet' AND status <> 3":                                                                       0,
		"SELECT COUNT(*) FROM refunds r WHERE version <> (SELECT COUNT(*) FROM refund_histories h WHERE h.refund_id = r.id)":                         0,
		"SELECT COUNT(*) FROM orders o WHERE version <> (SELECT COUNT(*) FROM order_histories h WHERE h.order_id = o.id)":                            0,
		"SELECT balance - (SELECT SUM(amount) FROM wallet_entries WHERE user_id = 'li') FROM wallets WHERE user_id = 'li'":                           0,
	} {
		require.Equal(t, want, store.number(t, query), query)
	}
	require.Positive(t, store.number(t, "SELECT COUNT(*) FROM refunds WHERE status = 3 AND origin = 'request'"))
	checkPromises(t, s)
}

// until repeats a request with its key until it is decided.
func until(t *testing.T, c *apptest.Caller, path string, body any, key string, headers ...string) apptest.Answer {
	ctx, stop := context.WithTimeout(t.Context(), patience)
	defer stop()
	for ctx.Err() == nil {
		answer, err := c.Try(ctx, http.MethodPost, path, body, append(headers, "X-Idempotency-Key", key)...)
		running := err == nil && answer.Status == http.StatusConflict && answer.Code() == "request_in_progress"
		if err == nil && !running && answer.Status != http.StatusServiceUnavailable && answer.Status != http.StatusLocked {
			return answer
		}
		pause(ctx, 20*time.Millisecond)
	}
	t.Errorf("%s under %s was not decided", path, key)
	return apptest.Answer{}
}

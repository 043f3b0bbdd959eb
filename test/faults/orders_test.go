package faults_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/test/apptest"
)

// shipOrCancel races shipments against cancellations in rounds, each on a separate paid
// order.
func shipOrCancel(t *testing.T, engine string, rounds, clients int) {
	p, c := serveHere(t, fresh(t, engine))
	item := c.Do(t, http.MethodPost, "/api/v1/items", map[string]any{"sku": "RACE-1", "name": "Raced", "price": 100})
	require.Equalf(t, http.StatusCreated, item.Status, "%s", item.Body)
	stocked := c.Do(t, http.MethodPost, "/api/v1/inventory/RACE-1/adjustments", map[string]any{"delta": 1_000_000, "reason": "opening stock", "reference": "opening"})
	require.Equalf(t, http.StatusCreated, stocked.Status, "%s", stocked.Body)
	winners := map[string]int{}
	for range rounds {
		order := c.Do(t, http.MethodPost, "/api/v1/orders", map[string]any{"userId": 1, "items": []any{map[string]any{"sku": "RACE-1", "quantity": 1}}})
		require.Equalf(t, http.StatusCreated, order.Status, "%s", order.Body)
		path := order.Header.Get("Location")
		paid := c.Do(t, http.MethodPost, path+"/pay", map[string]any{"method": "external", "reference": path})
		require.Equalf(t, http.StatusOK, paid.Status, "%s", paid.Body)
		statuses := together(t, clients, func(ctx context.Context, i int) (apptest.Answer, error) {
			if i%2 == 0 {
				return c.Try(ctx, http.MethodPost, path+"/ship", map[string]any{"carrier": "DHL", "trackingNo": fmt.Sprint(i)})
			}
			return c.Try(ctx, http.MethodPost, path+"/cancel", map[string]any{"reason": "raced"})
		})
		require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusConflict: clients - 1}, statuses)
		winners[fmt.Sprint(c.Do(t, http.MethodGet, path, nil).JSON(t)["status"])]++
	}
	require.Equal(t, rounds, winners["shipped"]+winners["cancelled"])
	t.Logf("won: %v", winners)

	query := p.Services().DB.Read(storage.AcrossTenants(t.Context()))
	for statement, want := range map[string]int{
		"SELECT COUNT(*) FROM orders WHERE version = 3":                                                       rounds,
		"SELECT COUNT(*) FROM order_histories":                                                                3 * rounds,
		"SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0 AND resource LIKE 'orders/%'":                 3 * rounds,
		"SELECT COUNT(DISTINCT order_id) FROM order_histories WHERE version = 3":                              rounds,
		"SELECT COUNT(DISTINCT resource) FROM audit_entries WHERE tenant_id > 0 AND resource LIKE 'orders/%'": rounds,
	} {
		var n int
		require.NoError(t, query.Raw(statement).Scan(&n).Error)
		require.Equal(t, want, n, statement)
	}
}

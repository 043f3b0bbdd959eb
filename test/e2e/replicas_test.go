package e2e_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/test/apptest"
	"interlock/test/burst"
)

// A Redis that must replicate its writes (min-replicas-to-write 1) rejects all writes while
// it has no replica. During that time purchases and changes of state fail without effect,
// each caller receives Retry-After, and requests without Redis succeed. When the replica
// returns, the rush ends as if there had been no outage.
// Proves G5.35.
func TestRedisWithoutReplicaBlocksSalesAndRecovers(t *testing.T) {
	master := redistest.NewServer(t)
	replica := redistest.NewReplica(t, master)
	redis := redistest.Connect(t, master.URL())
	require.NoError(t, redis.ConfigSet(t.Context(), "min-replicas-to-write", "1").Err())
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL, s.RedisURL, s.RateLimit = newDatabase(t), master.URL(), 1000
	p := apptest.Start(t, s)
	shop, c := p.Admin(t), p.Admin(t)
	sale := burst.Open(t, 200, 20, shop)
	sale.Crowd = 8
	create(t, c, "/api/v1/wallets/12/entries", object{"amount": 5000, "kind": "topup", "reference": "opening"})
	create(t, c, "/api/v1/items", object{"sku": "TEA-1", "name": "Tea", "price": 900})
	create(t, c, "/api/v1/inventory/TEA-1/adjustments", object{"delta": 5, "reason": "opening stock", "reference": "opening"})
	order := create(t, c, "/api/v1/orders", object{"userId": "12", "items": []object{{"sku": "TEA-1", "quantity": 1}}})

	sale.Rush(t)
	replica.Kill(t)
	require.Eventually(t, func() bool { return redis.Set(t.Context(), "x", 1, 0).Err() != nil }, patience, 10*time.Millisecond)
	require.ErrorContains(t, redis.Set(t.Context(), "x", 1, 0).Err(), "NOREPLICAS")

	// The earlier buyers repeat their purchases, and others join them.
	sale.Buyers = 300
	var rush sync.WaitGroup
	rush.Go(func() { sale.Rush(t) })
	for what, answer := range map[string]apptest.Answer{
		"a purchase":              shop.Do(t, http.MethodPost, "/api/v1"+sale.Path+"/orders", object{"quantity": 1}, "X-On-Behalf-Of", "late"),
		"a purchase with a key":   shop.Do(t, http.MethodPost, "/api/v1"+sale.Path+"/orders", object{"quantity": 1}, "X-On-Behalf-Of", "late", "X-Idempotency-Key", "late"),
		"an entry of a wallet":    c.Do(t, http.MethodPost, "/api/v1/wallets/12/entries", object{"amount": 5, "kind": "topup", "reference": "r"}),
		"a payment from a wallet": c.Do(t, http.MethodPost, fmt.Sprintf("/api/v1/orders/%v/pay", order["id"]), object{"method": "wallet"}),
		"a change of stock":       c.Do(t, http.MethodPost, "/api/v1/inventory/TEA-1/adjustments", object{"delta": 1, "reason": "x", "reference": "r"}),
	} {
		requireProblem(t, answer, http.StatusServiceUnavailable, "unavailable")
		require.Equal(t, "1", answer.Header.Get("Retry-After"), what)
	}
	newConfig(t, c, "without.redis", 1, "number")
	for range 60 {
		require.Equal(t, http.StatusOK, c.Do(t, http.MethodGet, "/api/v1/configs", nil).Status, "an unavailable counter blocks no request")
	}
	require.Zero(t, rows(t, c, "wallet_entries", "reference = 'r'"))
	require.EqualValues(t, 5000, read(t, c, "/api/v1/wallets/12")["balance"])
	p.Services().Engines.Inspect(t.Context())
	said := findingOf(read(t, c, "/api/v1/system")["findings"], "redis", "replicas")
	require.Equal(t, "broken", said["level"], "%v", said)

	replica.Start(t)
	rush.Wait()
	require.Equal(t, "paid", answer(t, c, fmt.Sprintf("/api/v1/orders/%v/pay", order["id"]), object{"method": "wallet"})["status"])
	require.Zero(t, rows(t, shop, "orders", "user_id = 'late'"))
	sale.Verify(t)
	for _, tenant := range []*apptest.Caller{shop, c} {
		require.Empty(t, read(t, tenant, "/api/v1/queues")["locks"])
	}
}

package e2e_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/app/demo"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/apptest"
	"interlock/test/burst"
	"interlock/test/tier"
)

type silent struct{}

func (silent) Begin(string, int) {}
func (silent) Step()             {}

func openShop(t *testing.T, database string) *apptest.Caller {
	t.Helper()
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL = database
	p := apptest.Start(t, s)
	tenant := p.NewTenant(t)
	sv := p.Services()
	ctx, err := sv.Access.Tenants.InTenant(t.Context(), tenant)
	require.NoError(t, err)
	loader := demo.Loader{
		Size:   demo.Size{Configs: 30, Items: 10, Wallets: 15, Orders: 60, Coupons: 5, Shelves: 3},
		Runner: sv.Runner, Clock: sv.Clock, Configs: sv.Configs, Catalog: sv.Catalog, Inventory: sv.Inventory, Wallets: sv.Wallets,
		Ledger: sv.Ledger, Orders: sv.Orders, Refunds: sv.Refunds, Returns: sv.Returns, WorkOrders: sv.WorkOrders, Coupons: sv.Coupons, Sales: sv.FlashSales, Approvals: sv.Approvals, Progress: silent{},
	}
	require.NoError(t, loader.Load(ctx))
	admin := p.Caller(t, tenant)
	liven(t, admin)
	return admin
}

// liven adds the records that the demo lacks: taps, transfers, a batch, an approval and a
// sale.
func liven(t *testing.T, admin *apptest.Caller) {
	t.Helper()
	post := func(status int, path string, body any, headers ...string) apptest.Answer {
		answer := admin.Do(t, http.MethodPost, "/api/v1"+path, body, headers...)
		require.Equal(t, status, answer.Status, "POST %s: %s", path, answer.Body)
		return answer
	}
	post(201, "/items", object{"sku": "TEA", "name": "Tea", "price": 900})
	post(200, "/actions", object{"actionId": 1, "action": "like", "entityType": "item", "entityId": "TEA"}, "X-On-Behalf-Of", "17")
	post(201, "/wallets/901/entries", object{"amount": 500, "kind": "deposit", "reference": "opening"})
	post(201, "/wallet-transfers", object{"fromUserId": "901", "toUserId": "902", "amount": 200, "reference": "gift"})
	for _, key := range []string{"batched.a", "batched.b", "batched.c"} {
		first := post(201, "/configs", object{"key": key, "value": 1})
		post(200, "/config-batches", object{"changes": []any{object{"op": "update", "key": key, "etag": first.JSON(t)["etag"], "patch": object{"value": 2}}}})
	}

	post(201, "/inventory/TEA/adjustments", object{"delta": 10, "reason": "opening stock", "reference": "opening"})
	post(201, "/wallets/903/entries", object{"amount": 5000, "kind": "deposit", "reference": "opening"})
	order := post(201, "/orders", object{"userId": "903", "items": []any{object{"sku": "TEA", "quantity": 2}}}).JSON(t)
	path := fmt.Sprint("/orders/", int64(order["id"].(float64)))
	post(200, path+"/pay", object{"method": "wallet"})
	post(200, path+"/cancel", object{"reason": "Out of stock."})

	webhook := post(201, "/webhooks", object{"url": "https://receiver.invalid", "topics": []string{"items"}})
	disabled := admin.Do(t, http.MethodPatch, webhook.Header.Get("Location"), object{"enabled": false}, "If-Match", webhook.Header.Get("ETag"))
	require.Equal(t, 200, disabled.Status, "%s", disabled.Body)
	post(201, "/users", object{"username": "second", "password": "correct horse battery", "roles": []string{"admin"}})
	second := admin.As(t, "second")
	protected := post(201, "/configs", object{"key": "kept", "value": 1, "protected": true})
	patch := admin.Do(t, http.MethodPatch, "/api/v1/configs/kept", object{"value": 2}, "If-Match", protected.Header.Get("ETag"))
	require.Equal(t, 202, patch.Status, "%s", patch.Body)
	approval := fmt.Sprint("/api/v1/approvals/", int64(patch.JSON(t)["id"].(float64)))
	voted := second.Do(t, http.MethodPost, approval+"/approve", nil, "If-Match", patch.JSON(t)["etag"].(string))
	require.Equal(t, 200, voted.Status, "%s", voted.Body)

	sale := burst.Open(t, 5, 8, admin)
	sale.Rush(t)
	require.Eventually(t, func() bool {
		stats := admin.Do(t, http.MethodGet, "/api/v1"+sale.Path+"/stats", nil).JSON(t)
		return stats["confirmed"] == 5.0
	}, patience, 20*time.Millisecond)
}

// check checks everything once, and returns how often each promise is broken.
func check(t *testing.T, sv *app.Services) map[string]int {
	t.Helper()
	totals, err := sv.CheckPromises(t.Context())
	require.NoError(t, err)
	broken := map[string]int{}
	for _, total := range totals {
		if len(total.Found) > 0 {
			broken[total.Promise.Name] = len(total.Found)
		}
	}
	return broken
}

// keep requires that no promise is violated, and that each check finds records.
func keep(t *testing.T, admin *apptest.Caller) {
	totals, err := admin.Program.Services().CheckPromises(t.Context())
	require.NoError(t, err)
	for _, total := range totals {
		require.Empty(t, total.Found, total.Promise.Name)
		require.NotZero(t, total.Looked, "%s checked nothing", total.Promise.Name)
	}
}

// A shop needs seconds to fill, so all tests of one engine share one.
// Proves C2.
func TestPromisesHoldAndManualDamageIsFound(t *testing.T) {
	for engine, breaking := range map[string]func(t *testing.T, admin *apptest.Caller){"sqlite": breakAlone, "mariadb": breakInTurn} {
		t.Run(engine, func(t *testing.T) {
			database := ""
			if engine == "mariadb" {
				database = storagetest.NewMariaDBURL(t)
			}
			admin := openShop(t, database)
			t.Run("the service itself violates none", func(t *testing.T) { keep(t, admin) })
			t.Run("none seems broken while many write", func(t *testing.T) { writeWhileChecking(t, admin) })
			t.Run("manual damage is found", func(t *testing.T) {
				if engine == "mariadb" {
					tier.Nightly(t)
				}
				breaking(t, admin)
			})
		})
	}
}

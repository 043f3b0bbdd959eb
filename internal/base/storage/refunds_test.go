package storage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// unrefunded is the last schema without refunds.
const unrefunded = 22

// Orders and wallet entries as the schema before refunds kept them: what was paid, and what a
// wallet got back for a cancelled order, is what the orders and their refunds say afterwards.
func TestWhatWalletsGaveBackBeforeBecomesSettledRefundsAndOrdersSayWhatWasPaid(t *testing.T) {
	storagetest.EachAddress(t, func(t *testing.T, address string) {
		db := before(t, address, unrefunded)
		pool := pool(t, db)
		order := func(id, status int, method string, amount int) {
			require.NoError(t, insert(pool, "orders", id, map[string]any{
				"order_no": fmt.Sprintf("O-%d", id), "user_id": "li", "status": status, "amount": amount, "payment_method": method,
				"cancel_reason": "too late", "sale_id": nil, "ticket": nil, "payment_due": nil, "coupon_code": "",
			}))
		}
		order(1, 0, "", 100)
		order(2, 1, "wallet", 200)
		order(3, 2, "external", 300)
		order(4, 3, "external", 400)
		order(5, 4, "", 500)
		order(6, 4, "wallet", 600)
		order(7, 4, "wallet", 0)
		entry := func(id, amount int, kind, reference string) {
			require.NoError(t, insert(pool, "wallet_entries", id, map[string]any{
				"user_id": "li", "amount": amount, "kind": kind, "reference": reference, "other_user_id": nil, "created_by": 7, "created_by_name": "Li",
			}))
		}
		entry(1, 9000, "topup", "opening")
		entry(2, -200, "payment", "@orders/2/pay")
		entry(3, -600, "payment", "@orders/6/pay")
		entry(4, 600, "refund", "@orders/6/refund")
		// What another tenant has under the same id is its own.
		require.NoError(t, insert(pool, "wallet_entries", 5, map[string]any{
			"tenant_id": 2, "user_id": "li", "amount": 5, "kind": "refund", "reference": "@orders/2/refund", "other_user_id": nil,
		}))

		count, err := db.Migrate(t.Context())
		require.NoError(t, err)
		require.Positive(t, count)

		require.Equal(t, []string{"1: 0 0 0", "2: 200 0 0", "3: 300 0 0", "4: 400 0 0", "5: 0 0 0", "6: 600 0 600", "7: 0 0 0"},
			storagetest.Texts(t, pool, concat(db.Dialect, "id", "': '", "paid", "' '", "refund_reserved", "' '", "refunded")+" FROM orders ORDER BY id"))
		require.Equal(t, []string{"1 6 O-6 li 600 wallet cancellation 3 too late 7 Li @orders/6/refund 1"},
			storagetest.Texts(t, pool, concat(db.Dialect, "tenant_id", "' '", "order_id", "' '", "order_no", "' '", "user_id", "' '", "amount", "' '", "method", "' '", "origin",
				"' '", "status", "' '", "reason", "' '", "requested_by", "' '", "requested_by_name", "' '", "reference", "' '", "version")+" FROM refunds"))
		require.Equal(t, []string{"1 upgrade 3"}, storagetest.Texts(t, pool, concat(db.Dialect, "version", "' '", "action", "' '", "to_status")+" FROM refund_histories"))
		require.Empty(t, storagetest.Texts(t, pool, "SELECT id FROM refunds WHERE approved_by IS NOT NULL OR approved_time IS NOT NULL"))
	})
}

// concat is SELECT of the parts as one text.
func concat(dialect storage.Dialect, parts ...string) string {
	if dialect == storage.SQLite {
		return "SELECT " + strings.Join(parts, " || ")
	}
	return "SELECT CONCAT(" + strings.Join(parts, ", ") + ")"
}

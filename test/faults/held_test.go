package faults_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// held is what many take from, each under its lock: money or stock.
type held struct {
	// path takes the entries, statement begins the guarded write.
	path, statement string
	// entry is the body that takes so many.
	entry func(taken int, reference string) map[string]any
	// short is the code when there is not as much.
	short string
	// ledger reads reference, amount and what is left after it, in order, and table the
	// row that is guarded.
	ledger, table string
	// audited is the resource in the audit log.
	audited string
}

var purseOf12 = held{
	path: "/api/v1/wallets/12/entries", statement: "UPDATE wallets ",
	entry: func(taken int, reference string) map[string]any {
		return map[string]any{"amount": -taken, "kind": "test", "reference": reference}
	},
	short:   "insufficient_balance",
	ledger:  "SELECT reference, amount, balance AS remaining FROM wallet_entries WHERE user_id = '12' ORDER BY version",
	table:   "SELECT balance FROM wallets WHERE user_id = '12'",
	audited: "wallets/12",
}

var shelfOfTea = held{
	path: "/api/v1/inventory/TEA-1/adjustments", statement: "UPDATE inventories ",
	entry: func(taken int, reference string) map[string]any {
		return map[string]any{"delta": -taken, "reason": "test", "reference": reference}
	},
	short:   "insufficient_stock",
	ledger:  "SELECT reference, on_hand_delta AS amount, on_hand AS remaining FROM inventory_movements WHERE sku = 'TEA-1' ORDER BY version",
	table:   "SELECT on_hand FROM inventories WHERE sku = 'TEA-1'",
	audited: "inventory/TEA-1",
}

// open puts so many in.
func (h held) open(t *testing.T, c *apptest.Caller, units int) {
	t.Helper()
	if h.path == shelfOfTea.path {
		item := c.Do(t, http.MethodPost, "/api/v1/items", map[string]any{"sku": "TEA-1", "name": "Tea", "price": 900})
		require.Equalf(t, http.StatusCreated, item.Status, "%s", item.Body)
	}
	opened := c.Do(t, http.MethodPost, h.path, h.entry(-units, "opening"))
	require.Equalf(t, http.StatusCreated, opened.Status, "%s", opened.Body)
}

package faults_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// held is a wallet or the stock of an item, from which many clients take under its lock.
type held struct {
	// path is the route of the entries; statement is the start of the guarded write.
	path, statement string
	// entry returns the request body for a quantity.
	entry func(taken int, reference string) map[string]any
	// short is the error code if the balance or stock is insufficient.
	short string
	// ledger reads reference, amount and remaining balance, in order; table reads the
	// guarded row.
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

// open creates the thing with that many units.
func (h held) open(t *testing.T, c *apptest.Caller, units int) {
	t.Helper()
	if h.path == shelfOfTea.path {
		item := c.Do(t, http.MethodPost, "/api/v1/items", map[string]any{"sku": "TEA-1", "name": "Tea", "price": 900})
		require.Equalf(t, http.StatusCreated, item.Status, "%s", item.Body)
	}
	opened := c.Do(t, http.MethodPost, h.path, h.entry(-units, "opening"))
	require.Equalf(t, http.StatusCreated, opened.Status, "%s", opened.Body)
}

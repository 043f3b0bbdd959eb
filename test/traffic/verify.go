package traffic

import (
	"cmp"
	"database/sql"
	"fmt"
	"net/url"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// Verify compares all responses with the store, a MariaDB that it reads directly.
func (f *Traffic) Verify(t *testing.T, databaseURL string) {
	t.Helper()
	pool := storeAt(t, databaseURL)
	found := map[string]map[string]int{}
	for kind, query := range map[string]string{
		"order": "SELECT o.user_id, COUNT(*) FROM orders o JOIN tenants t ON t.id = o.tenant_id WHERE t.name = ? GROUP BY o.user_id",
		"entry": "SELECT e.reference, COUNT(*) FROM wallet_entries e JOIN tenants t ON t.id = e.tenant_id WHERE t.name = ? GROUP BY e.reference",
		"edit":  "SELECT JSON_UNQUOTE(h.value), COUNT(*) FROM config_histories h JOIN tenants t ON t.id = h.tenant_id WHERE t.name = ? AND h.action = 'update' GROUP BY h.value",
	} {
		found[kind] = f.timesByName(t, pool, query)
	}
	fates := map[string]int{}
	for _, c := range f.claims {
		fates[c.kind+" "+string(c.fate)]++
		times := found[c.kind][c.name]
		switch {
		case c.fate == made && times != 1:
			t.Errorf("the %s %s was acknowledged and exists %d times", c.kind, c.name, times)
		case c.fate == refused && times != 0:
			t.Errorf("the %s %s was rejected and exists %d times", c.kind, c.name, times)
		case times > 1:
			t.Errorf("the %s %s exists %d times", c.kind, c.name, times)
		}
		delete(found[c.kind], c.name)
	}
	for kind, left := range found {
		require.Empty(t, left, "each %s was sent by a client", kind)
	}
	t.Logf("writes: %v; %d reads elsewhere; replies: %v", fates, f.looked.Load(), f.answers)
	require.Empty(t, f.internal, "no reply reports a fault of the service")
	for _, kind := range []string{"order", "entry", "edit"} {
		require.Positive(t, fates[kind+" made"])
	}
	for what, query := range map[string]string{
		"configs with a version that differs from the length of their history": "SELECT COUNT(*) FROM configs c WHERE version <> (SELECT COUNT(*) FROM config_histories h WHERE h.config_id = c.id)",
		"wallets that are not the sum of their entries":                        "SELECT COUNT(*) FROM wallets w WHERE balance <> (SELECT COALESCE(SUM(amount), 0) FROM wallet_entries e WHERE e.tenant_id = w.tenant_id AND e.user_id = w.user_id)",
		"orders that do not have their one line":                               "SELECT COUNT(*) FROM orders o WHERE (SELECT COUNT(*) FROM order_lines l WHERE l.order_id = o.id) <> 1",
		"units reserved without a holder":                                      "SELECT COUNT(*) FROM inventories i WHERE reserved <> (SELECT COALESCE(SUM(quantity), 0) FROM inventory_holds h WHERE h.sku = i.sku AND h.tenant_id = i.tenant_id)",
	} {
		var broken int
		require.NoError(t, pool.QueryRowContext(t.Context(), query).Scan(&broken), what)
		require.Zero(t, broken, what)
	}
	f.verifyWatchers(t, pool)
}

// timesByName returns the number of occurrences of each name in a query for the tenant.
func (f *Traffic) timesByName(t *testing.T, pool *sql.DB, query string) map[string]int {
	t.Helper()
	rows, err := pool.QueryContext(t.Context(), query, tenantOf(f.callers[0]))
	require.NoError(t, err)
	defer rows.Close()
	found := map[string]int{}
	for rows.Next() {
		var name string
		var times int
		require.NoError(t, rows.Scan(&name, &times))
		found[name] = times
	}
	require.NoError(t, rows.Err())
	return found
}

// tenantOf returns a caller's tenant, by default the first tenant of a service.
func tenantOf(c *apptest.Caller) string { return cmp.Or(c.Tenant, "default") }

// storeAt opens a database directly.
func storeAt(t *testing.T, databaseURL string) *sql.DB {
	t.Helper()
	at, err := url.Parse(databaseURL)
	require.NoError(t, err)
	pool, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)%s", at.User.Username(), at.Host, at.Path))
	require.NoError(t, err)
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

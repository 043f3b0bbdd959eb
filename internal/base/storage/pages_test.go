package storage_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage/storagetest"
)

// unpaged is the last schema whose menus lack the pages of refunds, work orders, settings and
// promises.
const unpaged = 32

// Tenants as the schema before kept their menus: one as it began, one that has made its own
// order, and one without menus, which has the navigation of the admin itself.
func TestTheNewPagesComeIntoTheNavigationOfEachTenantWhereTheirNeighboursAre(t *testing.T) {
	storagetest.EachAddress(t, func(t *testing.T, address string) {
		db := before(t, address, unpaged)
		pool := pool(t, db)
		const gap = 1 << 32
		const made = "2026-01-02 03:04:05.123456"
		exec := func(statement string, values ...any) {
			_, err := pool.Exec(statement, values...)
			require.NoError(t, err)
		}
		menu := func(tenant, id, parent, place int, title, path string) {
			exec(`INSERT INTO menus (id, tenant_id, version, created_time, updated_time, updated_by, updated_by_name, parent_id, sort_key, title, path, icon, permission, hidden)
				VALUES (?, ?, 1, ?, ?, 0, 'upgrade', ?, ?, ?, ?, '', '', 0)`, id, tenant, made, made, parent, place*gap, title, path)
			exec(`INSERT INTO menu_histories (tenant_id, menu_id, version, action, parent_id, sort_key, position, title, path, icon, permission, hidden, changed_by, changed_by_name, changed_time)
				VALUES (?, ?, 1, 'create', ?, ?, ?, ?, ?, '', '', 0, 0, 'upgrade', ?)`, tenant, id, parent, place*gap, place-1, title, path, made)
		}
		for _, tenant := range []int{101, 102, 103} {
			exec("INSERT INTO tenants (id, name, created_time) VALUES (?, ?, ?)", tenant, fmt.Sprintf("t%d", tenant), made)
		}
		menu(101, 1001, 0, 1, "Operate", "")
		menu(101, 1002, 1001, 1, "", "/orders")
		menu(101, 1003, 1001, 2, "", "/approvals")
		menu(101, 1004, 0, 2, "Govern", "")
		menu(101, 1005, 1004, 1, "", "/tokens")
		menu(101, 1006, 1004, 2, "", "/audit-log")
		menu(101, 1007, 0, 3, "Inspect", "")
		menu(101, 1008, 1007, 1, "", "/system")
		menu(101, 1009, 1007, 2, "", "/aggregates")
		// Its orders stand at the top, a group of its own has the refunds already, and its tokens are gone.
		menu(102, 1011, 0, 1, "", "/orders")
		menu(102, 1012, 0, 2, "Money", "")
		menu(102, 1013, 1012, 1, "Back", "/refunds")
		menu(102, 1014, 0, 3, "Govern", "")
		menu(102, 1015, 1014, 1, "", "/users")

		count, err := db.Migrate(t.Context())
		require.NoError(t, err)
		require.Positive(t, count)

		under := func(tenant, parent string) []string {
			return storagetest.Texts(t, pool, concat(db.Dialect, "title", "path")+" FROM menus WHERE tenant_id = "+tenant+" AND parent_id = "+parent+" ORDER BY sort_key, id")
		}
		require.Equal(t, []string{"/orders", "/refunds", "/work-orders", "/approvals"}, under("101", "1001"))
		require.Equal(t, []string{"/tokens", "/settings", "/audit-log"}, under("101", "1004"))
		require.Equal(t, []string{"/system", "/promises", "/aggregates"}, under("101", "1007"))
		require.Equal(t, []string{"/orders", "/work-orders", "Money", "Govern", "/promises"}, under("102", "0"))
		require.Equal(t, []string{"Back/refunds"}, under("102", "1012"))
		require.Equal(t, []string{"/users", "/settings"}, under("102", "1014"))
		require.Empty(t, storagetest.Texts(t, pool, "SELECT path FROM menus WHERE tenant_id = 103"))
		require.Equal(t, []string{"/refunds 1 refunds:read", "/work-orders 2 work-orders:read", "/settings 1 settings:read", "/promises 1 promises:read"},
			storagetest.Texts(t, pool, concat(db.Dialect, "path", "' '", "position", "' '", "permission")+
				" FROM menu_histories WHERE tenant_id = 101 AND action = 'upgrade' ORDER BY id"))
	})
}

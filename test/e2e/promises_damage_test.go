package e2e_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/storage"
	"interlock/internal/settings"
	"interlock/test/apptest"
)

// damage breaks a promise by a manual change.
type damage struct {
	promise string
	// also are other promises that the same damage breaks.
	also []string
	// statement changes one row: the last one that matches where.
	table, set, where string
	// insert replaces the other fields with an INSERT statement.
	insert string
}

// wrong is a time at which nothing happened.
const wrong = "'2001-01-01 00:00:00+00:00'"

// unaudited changes the time of the audit row of an action.
func unaudited(promise, action string, also ...string) damage {
	return damage{promise: promise, also: also, table: "audit_entries", set: "created_time = WRONG", where: "action = '" + action + "'"}
}

// ofOrder is the start of a condition that selects the lines of orders.
const ofOrder = "order_id IN (SELECT id FROM orders WHERE "

// missing returns a statement that deletes the first version of a record with several.
func missing(history, of, table string) string {
	return fmt.Sprintf("DELETE FROM %s WHERE tenant_id > 0 AND version = 1 AND %s = (SELECT MAX(id) FROM %s WHERE version > 1)", history, of, table)
}

// damages contains at least one damage for each condition of each promise.
var damages = []damage{
	{promise: "config-versions", table: "configs", set: "version = version + 1", where: "version = 1"},
	{promise: "config-versions", insert: "DELETE FROM config_histories WHERE tenant_id > 0 AND version = 1 AND config_id = (SELECT id FROM configs WHERE version > 1 AND protected = 0 LIMIT 1)"},
	{promise: "config-content", table: "configs", set: "remark = 'by hand'", where: "1 = 1"},
	{promise: "order-versions", table: "orders", set: "version = version + 1", where: "1 = 1"},
	{promise: "order-versions", insert: missing("order_histories", "order_id", "orders")},
	{promise: "order-status", table: "order_histories", set: "to_status = 9", where: "version = (SELECT o.version FROM orders o WHERE o.id = x.order_id)"},
	{promise: "order-status", table: "order_histories", set: "from_status = (SELECT from_status FROM (SELECT from_status, order_id, version FROM order_histories) b WHERE b.order_id = x.order_id AND b.version = x.version - 1), to_status = to_status",
		where: "version = 3 AND from_status <> to_status AND order_id IN (SELECT order_id FROM (SELECT order_id FROM order_histories WHERE version = 2 AND from_status <> to_status) c)"},
	{promise: "refund-versions", table: "refunds", set: "version = version + 1", where: "1 = 1"},
	{promise: "refund-versions", insert: missing("refund_histories", "refund_id", "refunds")},
	{promise: "return-versions", table: "returns", set: "version = version + 1", where: "1 = 1"},
	{promise: "return-versions", insert: missing("return_histories", "return_id", "returns")},
	{promise: "return-versions", table: "return_histories", set: "to_status = 9", where: "version = (SELECT r.version FROM returns r WHERE r.id = x.return_id)"},
	{promise: "webhook-versions", table: "webhooks", set: "version = version + 1", where: "1 = 1"},
	{promise: "webhook-versions", insert: missing("webhook_histories", "webhook_id", "webhooks")},
	{promise: "webhook-positions", insert: "UPDATE webhook_positions SET position = 1000000000 WHERE tenant_id > 0"},
	{promise: "work-order-versions", table: "work_orders", set: "version = version + 1", where: "1 = 1"},
	{promise: "work-order-versions", insert: missing("work_order_histories", "work_order_id", "work_orders")},
	{promise: "work-order-versions", table: "work_order_histories", set: "to_status = 9", where: "version = (SELECT w.version FROM work_orders w WHERE w.id = x.work_order_id)"},
	{promise: "work-order-holders", table: "work_orders", set: "holder_id = 1", where: "status = 0"},
	{promise: "work-order-holders", table: "work_orders", set: "holder_id = NULL", where: "status = 1"},
	{promise: "approval-versions", table: "approvals", set: "version = version + 1", where: "1 = 1"},
	{promise: "approval-versions", insert: missing("approval_histories", "approval_id", "approvals")},
	{promise: "approvals-applied", table: "config_histories", set: "approval_id = approval_id + 1000", where: "approval_id <> 0"},
	{promise: "approvals-applied", table: "approvals", set: "status = 2", where: "status = 1 AND resource LIKE 'configs/%'"},
	{promise: "approval-votes", table: "approvals", set: "required = required + 1", where: "status = 1"},
	{promise: "approval-votes", table: "approval_histories", set: "changed_by = (SELECT MAX(v.user_id) FROM approval_votes v WHERE v.approval_id = x.approval_id)",
		where: "action = 'propose' AND approval_id IN (SELECT id FROM approvals WHERE status = 1)"},
	{promise: "protected-configs", table: "config_histories", set: "protected = 1", where: "version = 1 AND config_id IN (SELECT id FROM configs WHERE version > 1 AND protected = 0)"},
	{promise: "aggregate-versions", table: "aggregates", set: "version = version + 1", where: "1 = 1"},
	{promise: "aggregate-requests", insert: "DELETE FROM audit_entries WHERE tenant_id > 0 AND action = 'aggregate.append' LIMIT 1"},
	{promise: "aggregate-writers", table: "aggregate_writers", set: "last_seq = last_seq + 1", where: "1 = 1"},
	{promise: "action-counts", insert: "UPDATE action_counts SET likes = likes + 1 WHERE tenant_id > 0"},
	{promise: "action-counts", insert: "UPDATE action_counts SET dislikes = dislikes + 1 WHERE tenant_id > 0"},
	{promise: "action-counts", insert: "UPDATE action_counts SET bookmarks = bookmarks + 1 WHERE tenant_id > 0"},
	{promise: "wallet-balances", table: "wallets", set: "balance = balance + 1", where: "1 = 1"},
	{promise: "wallet-balances", table: "wallets", set: "balance = -1", where: "1 = 1"},
	{promise: "wallet-balances", table: "wallets", set: "version = version + 1", where: "1 = 1"},
	{promise: "wallet-transfers", table: "wallet_entries", set: "reference = 'elsewhere'", where: "other_user_id IS NOT NULL"},
	{promise: "payment-versions", table: "payments", set: "version = version + 1", where: "1 = 1"},
	{promise: "payment-versions", insert: missing("payment_histories", "payment_id", "payments")},
	{promise: "order-payments", table: "orders", set: "paid = paid - 1", where: "status = 1 AND paid > refunded + refund_reserved"},
	{promise: "order-payments", table: "orders", set: "paid_time = NULL", where: "status = 1 AND paid > 0"},
	{promise: "order-payments", table: "orders", set: "amount = paid - 1", where: "status = 1 AND paid > 0"},
	{promise: "payment-status", also: []string{"payment-refunds"}, table: "payments", set: "refunded = amount, refund_reserved = 0", where: "status = 1 AND amount > 0 AND method = 'external'"},
	{promise: "payment-status", table: "payments", set: "amount = -1", where: "status = 0"},
	{promise: "payment-status", also: []string{"payment-refunds"}, table: "payments", set: "refund_reserved = -1", where: "status = 1 AND refund_reserved = 0"},
	{promise: "payment-status", also: []string{"payment-refunds"}, table: "payments", set: "refunded = -1", where: "status = 1 AND refunded = 0"},
	{promise: "payment-status", also: []string{"order-payments"}, table: "payments", set: "applied_time = NULL", where: "status = 1"},
	{promise: "payment-status", also: []string{"order-payments"}, table: "payments", set: "order_id = NULL", where: "status = 1"},
	{promise: "payment-status", also: []string{"order-payments"}, table: "payments", set: "applied_time = WRONG", where: "status = 0"},
	{promise: "payment-status", table: "payments", set: "refund_reserved = 1", where: "status = 0 AND amount > 0"},
	{promise: "payment-refunds", table: "payments", set: "refund_reserved = refund_reserved + 1", where: "status = 1 AND amount > refund_reserved + refunded + 1"},
	{promise: "payment-refunds", table: "payments", set: "refunded = refunded + 1", where: "status = 1 AND amount > refund_reserved + refunded + 1"},
	{promise: "payment-debits", table: "wallet_entries", set: "reference = '@none'", where: "reference LIKE '@payments/%'"},
	{promise: "debits-of-payments", table: "wallet_entries", set: "kind = 'payment', reference = '@payments/0'", where: "kind <> 'refund' AND kind <> 'payment' AND other_user_id IS NULL"},
	{promise: "order-money", table: "orders", set: "refunded = refunded + 1", where: "paid > refunded + refund_reserved"},
	{promise: "order-money", table: "orders", set: "refunded = -1", where: "status = 1 AND refunded = 0"},
	{promise: "order-money", table: "orders", set: "refund_reserved = -1", where: "status = 1 AND refund_reserved = 0"},
	{promise: "order-money", table: "orders", set: "refund_reserved = paid + 1", where: "status = 1"},
	{promise: "refund-credits", table: "wallet_entries", set: "kind = 'gift'", where: "kind = 'refund'"},
	{promise: "credits-of-refunds", also: []string{"payment-debits", "debits-of-payments"}, table: "wallet_entries", set: "kind = 'refund', reference = '@none'", where: "kind <> 'refund' AND other_user_id IS NULL"},
	{promise: "refund-lines", table: "refund_lines", set: "quantity = quantity + 1000, restock = 0", where: "restock = 0 AND refund_id IN (SELECT id FROM refunds WHERE status IN (0, 1, 3, 5))"},
	{promise: "stock-movements", table: "inventories", set: "version = version + 1", where: "1 = 1"},
	{promise: "stock-movements", table: "inventories", set: "on_hand = on_hand + 1", where: "1 = 1"},
	{promise: "stock-movements", also: []string{"stock-holds"}, table: "inventories", set: "reserved = reserved + 1", where: "1 = 1"},
	{promise: "stock-holds", insert: "INSERT INTO inventory_holds (tenant_id, holder, sku, quantity) SELECT tenant_id, 'by hand', sku, 1 FROM inventories ORDER BY id LIMIT 1"},
	{promise: "stock-holds", also: []string{"stock-movements"}, table: "inventories", set: "reserved = -1", where: "1 = 1"},
	{promise: "stock-holds", also: []string{"stock-movements"}, table: "inventories", set: "on_hand = reserved - 1", where: "1 = 1"},
	{promise: "cancelled-orders", also: []string{"order-money"}, table: "orders", set: "refunded = refunded - 1", where: "status = 4 AND refunded > 0"},
	{promise: "order-units", also: []string{"order-holds", "shipped-orders"}, table: "order_lines", set: "to_ship = to_ship + 1", where: "1 = 1"},
	{promise: "order-units", also: []string{"order-holds"}, table: "order_lines", set: "to_ship = -1", where: ofOrder + "status = 2)"},
	{promise: "order-units", also: []string{"order-holds"}, table: "order_lines", set: "to_ship = 1", where: ofOrder + "status = 4)"},
	{promise: "order-units", also: []string{"order-holds"}, table: "order_lines", set: "in_refund = -1", where: ofOrder + "status = 2)"},
	{promise: "order-units", also: []string{"stock-shipped"}, table: "order_lines", set: "returned = -1", where: ofOrder + "status = 2)"},
	{promise: "order-units", also: []string{"stock-shipped"}, table: "order_lines", set: "returned = shipped + 1", where: ofOrder + "status = 2)"},
	{promise: "stock-shipped", also: []string{"order-shipments"}, table: "order_lines", set: "shipped = shipped + 1, quantity = quantity + 1", where: "shipped > 0"},
	{promise: "order-shipments", table: "shipment_lines", set: "quantity = quantity + 1", where: "1 = 1"},
	{promise: "shipped-orders", also: []string{"order-status"}, table: "orders", set: "status = 1", where: "status = 2"},
	{promise: "shipped-orders", also: []string{"order-units", "order-holds"}, table: "order_lines", set: "to_ship = to_ship + 1", where: ofOrder + "status = 3)"},
	{promise: "return-units", table: "order_lines", set: "in_returns = in_returns + 1", where: "shipped > in_returns"},
	{promise: "return-units", table: "order_lines", set: "in_returns = shipped + 1", where: "1 = 1"},
	{promise: "return-units", table: "order_lines", set: "written_off = written_off + 1", where: "shipped > returned + written_off"},
	{promise: "return-units", table: "return_lines", set: "received = received + 1", where: "received > 0"},
	{promise: "order-units", table: "return_lines", set: "received = received + 1, restocked = restocked + 1", also: []string{"return-units"}, where: "received > 0"},
	{promise: "order-holds", insert: "UPDATE inventory_holds SET holder = 'by hand' WHERE tenant_id > 0 AND quantity > 0 AND holder LIKE 'orders/%' LIMIT 1"},
	{promise: "sale-units", table: "flash_sale_stocks", set: "allotted = allotted + 1, sold = sold + 1", where: "1 = 1"},
	{promise: "sale-units", also: []string{"sale-holds"}, table: "flash_sale_stocks", set: "allotted = sold - 1", where: "sold > 0"},
	{promise: "sale-holds", table: "flash_sale_stocks", set: "allotted = allotted + 1", where: "1 = 1"},
	{promise: "sale-limits", insert: "UPDATE flash_sale_histories SET per_user_limit = 0 WHERE tenant_id > 0"},
	{promise: "sale-gates", insert: "UPDATE flash_sale_gates SET remaining = remaining + 1 WHERE tenant_id > 0"},
	unaudited("audited-configs", "config.create"),
	unaudited("audited-orders", "order.ship", "audited-stock"),
	unaudited("audited-payments", "payment.record"),
	unaudited("audited-refunds", "refund.reject", "audited-orders", "audited-payments"),
	unaudited("audited-returns", "return.reject", "audited-orders"),
	unaudited("audited-webhooks", "webhook.create"),
	unaudited("audited-work-orders", "work_order.claim"),
	unaudited("audited-approvals", "approval.propose"),
	unaudited("audited-wallets", "wallet.entry"),
	unaudited("audited-stock", "inventory.adjust"),
	{promise: "orders-audited-once", insert: `INSERT INTO audit_entries (tenant_id, unit_id, actor_kind, actor_id, actor_name, action, resource, detail, created_time)
		SELECT tenant_id, 'by hand', actor_kind, actor_id, actor_name, action, resource, detail, created_time FROM audit_entries WHERE action = 'order.ship' ORDER BY id LIMIT 1`},
	{promise: "approvals-audited", table: "audit_entries", set: "unit_id = 'by somebody'", where: "action = 'approval.approve'"},
}

func (d damage) on(dialect storage.Dialect) string {
	statement := d.insert
	if statement == "" {
		key := "id"
		if d.table == "aggregate_writers" {
			key = "aggregate_id"
		}
		statement = fmt.Sprintf("UPDATE %s AS x SET %s WHERE tenant_id > 0 AND %s = (SELECT last FROM (SELECT MAX(%s) AS last FROM %s AS x WHERE %s) l)",
			d.table, strings.ReplaceAll(d.set, "WRONG", wrong), key, key, d.table, d.where)
	}
	if dialect == storage.MySQL {
		statement = strings.ReplaceAll(statement, wrong, "'2001-01-01 00:00:00'")
	}
	if dialect == storage.SQLite && strings.HasSuffix(statement, " LIMIT 1") && !strings.HasPrefix(statement, "INSERT") {
		// SQLite has no UPDATE or DELETE with LIMIT.
		head, where, _ := strings.Cut(strings.TrimSuffix(statement, " LIMIT 1"), " WHERE ")
		statement = head + " WHERE rowid = (SELECT rowid FROM " + d.of() + " WHERE " + where + " LIMIT 1)"
	}
	return statement
}

func (d damage) do(t *testing.T, db *storage.DB) {
	t.Helper()
	write, statement := db.Write(storage.AcrossTenants(t.Context())), d.on(db.Dialect)
	// The damage must be found without the CHECK constraints too.
	if db.Dialect == storage.MySQL {
		statement = "SET STATEMENT check_constraint_checks = OFF FOR " + statement
	} else {
		require.NoError(t, write.Exec("PRAGMA ignore_check_constraints = ON").Error)
	}
	result := write.Exec(statement)
	require.NoError(t, result.Error, d.promise)
	require.NotZero(t, result.RowsAffected, "%s: there is nothing to break", d.promise)
}

func TestEveryPromiseHasATestThatViolatesIt(t *testing.T) {
	for _, p := range app.Promises() {
		require.True(t, slices.ContainsFunc(damages, func(d damage) bool { return d.promise == p.Name }), p.Name)
	}
}

// breakAlone applies each damage to a separate copy of an embedded database, and requires
// that nothing else is reported, and that the damages violate each condition of each promise.
func breakAlone(t *testing.T, admin *apptest.Caller) {
	violated := map[string]bool{}
	pool, err := sql.Open("sqlite", "file:"+strings.TrimPrefix(admin.Program.Services().DB.URL, "sqlite://"))
	require.NoError(t, err)
	defer pool.Close()
	for i, d := range damages {
		t.Run(d.promise, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".db"))
			_, err := pool.Exec("VACUUM INTO '" + path + "'")
			require.NoError(t, err)
			sv, err := app.Open(t.Context(), settings.Storage{DatabaseURL: "sqlite://" + path, MaxConnections: 4}, app.Options{WithoutKeys: true})
			require.NoError(t, err)
			defer sv.Close()
			d.do(t, sv.DB)
			d.isFound(t, sv)
			d.addViolated(t, sv.DB, violated)
		})
	}
	for _, p := range app.Promises() {
		for _, condition := range conditions(p.Broken) {
			require.True(t, p.Table == "" || violated[condition], "no damage violates a condition of %s: %s", p.Name, condition)
		}
	}
}

// addViolated adds the conditions of the damaged promise that are violated.
func (d damage) addViolated(t *testing.T, db *storage.DB, violated map[string]bool) {
	t.Helper()
	for _, p := range app.Promises() {
		if p.Name != d.promise || p.Table == "" {
			continue
		}
		rows := func(condition string) (n int) {
			require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw("SELECT COUNT(*) FROM "+p.Table+" x WHERE "+condition).Scan(&n).Error, condition)
			return n
		}
		all := conditions(p.Broken)
		require.Equal(t, rows(p.Broken), rows("("+strings.Join(all, ") OR (")+")"), "the conditions are those of %s", p.Name)
		for _, condition := range all {
			violated[condition] = violated[condition] || rows(condition) > 0
		}
	}
}

// breakInTurn applies one damage after the other to one database, and reverts each.
func breakInTurn(t *testing.T, admin *apptest.Caller) {
	sv := admin.Program.Services()
	for _, d := range damages {
		restore := saveTable(t, sv.DB, d.of())
		d.do(t, sv.DB)
		d.isFound(t, sv)
		restore()
	}
	require.Empty(t, check(t, sv))
}

// isFound requires that a damage is found, and nothing unrelated to it.
func (d damage) isFound(t *testing.T, sv *app.Services) {
	t.Helper()
	broken := check(t, sv)
	require.Positive(t, broken[d.promise], "%s is not found; found were: %v", d.promise, broken)
	for name := range broken {
		require.True(t, name == d.promise || slices.Contains(d.also, name), "%s is not about %s", name, d.promise)
	}
}

// of returns the damaged table.
func (d damage) of() string {
	if d.table != "" {
		return d.table
	}
	return strings.Fields(strings.NewReplacer("DELETE FROM ", "", "UPDATE ", "", "INSERT INTO ", "").Replace(d.insert))[0]
}

// saveTable copies a table of MariaDB, and returns a function that restores its rows.
func saveTable(t *testing.T, db *storage.DB, table string) (restore func()) {
	t.Helper()
	write := db.Write(storage.AcrossTenants(t.Context()))
	var columns []string
	require.NoError(t, write.Raw("SELECT CONCAT('`', column_name, '`') FROM information_schema.columns"+
		" WHERE table_schema = DATABASE() AND table_name = ? AND extra NOT LIKE '%GENERATED%'", table).Scan(&columns).Error)
	list := strings.Join(columns, ", ")
	run := func(statement string) { require.NoError(t, write.Exec(statement).Error, statement) }
	run("CREATE TABLE saved AS SELECT " + list + " FROM " + table)
	return func() {
		run("DELETE FROM " + table + " WHERE tenant_id >= 0")
		run("INSERT INTO " + table + " (" + list + ") SELECT " + list + " FROM saved")
		run("DROP TABLE saved")
	}
}

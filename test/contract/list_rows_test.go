package contract_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"interlock/internal/base/storage"
)

// table describes the rows of a table, numbered i from 1 to n.
type table struct {
	name string
	// share is the number of rows, in hundredths of the size.
	share int
	// columns are pairs of a column and its value, an expression that both engines
	// understand. In it {n} is the number of rows, {t} the tenant, {by} the author of the
	// change, and {at x} the time x seconds after a year ago.
	columns []string
}

// year is the period in which the rows were created, in seconds.
const year = 365 * 24 * 3600

// stamp are the columns of a guarded row. The order of the last changes differs from the
// order of creation.
var stamp = []string{
	"tenant_id", "{t}", "version", "1 + i % 9", "created_time", "{made}", "updated_time", "{at i * 7919 % 31536000}", "updated_by", "1", "updated_by_name", "'Li'",
}

// event are the columns of a history row. Each tenth parent has all history rows.
var event = []string{"tenant_id", "{t}", "action", "'update'", "changed_by", "1", "changed_by_name", "'Li'", "changed_time", "{made}"}

func guardedColumns(columns ...string) []string {
	return append(append([]string{}, stamp...), columns...)
}

// oneOfFive is a status of which one value is rare: only the newest rows have it, like new
// or open records.
const oneOfFive = "CASE WHEN i > {n} - {n} / 500 THEN 0 WHEN i % 10 = 0 THEN 4 WHEN i % 10 = 1 THEN 1 WHEN i % 10 = 2 THEN 2 ELSE 3 END"

const anyUser = "CASE WHEN i % 4 = 0 THEN 'heavy' ELSE CONCAT('u', i * 7919 % 49999) END"

// tables are the large tables of a shop. {n} of configs is a fifth of {n} of orders.
var tables = []table{
	{"orders", 100, guardedColumns("order_no", "CONCAT('20260101-', 10000000 + i)", "user_id", anyUser, "status", oneOfFive, "discount", "0", "amount", "100 + i * 7919 % 99991",
		"coupon_code", "CASE WHEN i % 7 = 0 THEN 'WELCOME' WHEN i % 4999 = 0 THEN 'RARE' ELSE '' END", "carrier", "''", "tracking_no", "CONCAT('JD', i * 7919 % 99991)", "cancel_reason", "''",
		"external_id", "CONCAT('web-', i)", "email", "CONCAT('c', i % 4999, '@example.com')", "sale_id", "CASE WHEN i % 3 = 0 THEN 1 WHEN i % 4999 = 0 THEN 17 END",
		"paid", "CASE WHEN i % 2 = 0 THEN 100 ELSE 0 END", "paid_time", "CASE WHEN i % 2 = 0 THEN {at i * 7919 % 63072000} END",
		"refunded", "CASE WHEN i % 5000 = 0 THEN 100 WHEN i % 2 = 0 AND i % 100 = 0 THEN 50 ELSE 0 END",
		"shipped_time", "CASE WHEN i % 3 = 0 THEN {at i * 7919 % 63072000} END", "units_to_ship", "CASE WHEN i % 3 = 0 THEN 0 ELSE 1 END",
		"fulfilment_status", "CASE WHEN i % 3 = 0 THEN 'shipped' WHEN i % 4999 = 0 THEN 'partly_shipped' ELSE 'none' END")},
	{"order_lines", 100, []string{"tenant_id", "{t}", "order_id", "i", "sku", "CASE WHEN i % 2 = 0 THEN 'popular' ELSE CONCAT('sku-', i % 999) END", "name", "'Tea'", "price", "100", "quantity", "1", "to_ship", "1", "in_refund", "0", "shipped", "0", "returned", "0"}},
	{"order_tags", 100, []string{"tenant_id", "{t}", "order_id", "i", "tag", "CASE WHEN i % 2 = 0 THEN 'gift' ELSE CONCAT('tag-', i % 999) END"}},
	{"order_histories", 100, append([]string{"order_id", "CASE WHEN i % 4 = 0 THEN 1 ELSE i + 1 END", "version", "i", "to_status", "1", "detail", "'{}'"}, event...)},
	{"audit_entries", 300, []string{
		"tenant_id", "{t}", "unit_id", "CONCAT('unit-', i)", "actor_kind", "CASE WHEN i % 50000 = 0 THEN 'customer' ELSE 'admin' END",
		"actor_id", "CASE WHEN i % 50000 = 0 THEN 'u1' WHEN i % 3 = 0 THEN '0' ELSE CONCAT('', 100 + i % 40) END",
		"actor_name", "CASE WHEN i % 50000 = 0 THEN 'Wang' WHEN i % 3 = 0 THEN 'system' ELSE CONCAT('Li ', 100 + i % 40) END",
		"action", "CASE WHEN i % 60000 = 0 THEN 'role.update' WHEN i % 2 = 0 THEN 'config.update' ELSE 'order.pay' END",
		"resource", "CASE WHEN i % 2 = 0 THEN CONCAT('configs/app.', i * 7919 % 9973) ELSE CONCAT('orders/', i % 99991) END",
		"detail", `'{"fromVersion": 1, "toVersion": 2}'`, "created_time", "{made}",
	}},
	{"audit_targets", 20, []string{"tenant_id", "{t}", "resource", "CONCAT('configs/app.', i * 7919 % 9973)", "entry_id", "(SELECT MIN(id) FROM audit_entries WHERE tenant_id = {t}) + i"}},
	{"configs", 20, guardedColumns("key", "CONCAT('app', i % 50, '.', 1000000 + i)",
		"value", `CASE WHEN i % 10 = 0 THEN '12' ELSE CONCAT('"a value of a hundred characters, as long as many of them are in a shop with this number: ', i, '"') END`,
		"value_type", "CASE WHEN i % 5000 = 0 THEN 'json' WHEN i % 10 = 0 THEN 'number' ELSE 'string' END", "value_schema", "''", "remark", "CONCAT('Remark ', i)")},
	{"config_histories", 20, append([]string{"config_id", "i", "key", "CASE WHEN i % 4 = 0 THEN 'app1.1000001' ELSE CONCAT('app1.', 1000000 + i) END", "version", "2", "value", "'1'", "value_type", "'number'",
		"value_schema", "''", "remark", "''", "note", "''"}, event...)},
	{"coupon_campaigns", 2, guardedColumns("name", "CONCAT('Campaign ', i)", "kind", "'amount'", "value", "100", "minimum_amount", "0", "total", "1000", "per_user", "1",
		"valid_from", "{made}", "valid_to", "{at i * 7919 % 63072000}", "issued", "100")},
	{"coupons", 100, guardedColumns("campaign_id", "(SELECT MIN(id) FROM coupon_campaigns WHERE tenant_id = {t}) + i % 99", "code", "CONCAT('C', 10000000 + i)", "user_id", anyUser, "status", "i % 4", "void_reason", "''")},
	{"items", 20, guardedColumns("sku", "CONCAT('sku-', 1000000 + i)", "name", "CONCAT('Tea no. ', i * 7919 % 999983)", "price", "100 + i * 7919 % 9973", "status", "CASE WHEN i % 3000 = 0 THEN 'archived' ELSE 'active' END")},
	{"inventories", 20, guardedColumns("sku", "CONCAT('sku-', 1000000 + i)", "on_hand", "i * 7919 % 9973", "reserved", "0")},
	{"inventory_movements", 20, []string{"tenant_id", "{t}", "sku", "CASE WHEN i % 4 = 0 THEN 'sku-1000001' ELSE CONCAT('sku-', 1000000 + i) END", "version", "i", "kind", "'adjust'", "on_hand_delta", "1", "reserved_delta", "0", "on_hand", "1", "reserved", "0",
		"holder", "''", "reason", "'count'", "reference", "CONCAT('r-', i)", "created_by", "1", "created_by_name", "'Li'", "created_time", "{made}"}},
	{"wallets", 20, guardedColumns("user_id", "CONCAT('u', i)", "balance", "i * 7919 % 9973")},
	{"wallet_entries", 100, []string{"tenant_id", "{t}", "user_id", "CASE WHEN i % 4 = 0 THEN 'u1' ELSE CONCAT('u', i) END", "version", "i", "amount", "1", "balance", "i", "kind", "CASE WHEN i % 1000 = 0 THEN 'gift' ELSE 'pay' END", "reference", "CONCAT('r-', i)",
		"created_by", "1", "created_by_name", "'Li'", "created_time", "{made}"}},
	{"payments", 20, guardedColumns("order_id", "i * 5", "named_order_id", "i * 5", "order_no", "'20260101-1'", "user_id", anyUser, "method", "CASE WHEN i % 1000 = 0 THEN 'wallet' ELSE 'external' END",
		"provider", "CASE WHEN i % 1000 = 0 THEN 'wallet' ELSE 'stripe' END", "reference", "CONCAT('pi-', 10000000 + i)", "amount", "100 + i * 7919 % 9973", "status", "CASE WHEN i % 1000 = 0 THEN 0 ELSE 1 END", "reason", "''",
		"recorded_by", "1", "recorded_by_name", "'Li'")},
	{"refunds", 20, guardedColumns("order_id", "i * 5", "order_no", "'20260101-1'", "user_id", anyUser, "payment_id", "i", "amount", "100 + i * 7919 % 9973", "method", "'wallet'", "origin", "'request'", "status", "i % 5", "reason", "'broken'",
		"requested_by", "1", "requested_by_name", "'Li'", "approved_by_name", "''", "reference", "NULL", "status_reason", "''")},
	{"returns", 20, guardedColumns("order_id", "i * 5", "order_no", "CONCAT('20260101-', 10000000 + i)", "user_id", anyUser, "status", "i % 4", "reason", "'broken'", "status_reason", "''")},
	{"return_lines", 20, []string{"tenant_id", "{t}", "return_id", "i", "order_id", "i * 5", "line_no", "1", "sku", "'sku-1'", "name", "'Tea'", "quantity", "1", "received", "0", "restocked", "0"}},
	{"work_orders", 20, guardedColumns("created_by", "1", "created_by_name", "'Li'", "title", "CONCAT('Call customer ', i)", "body", "''", "priority", "i % 4", "status", "CASE WHEN i > {n} - {n} / 500 THEN 0 WHEN i % 10 = 0 THEN 1 ELSE 3 END",
		"due_time", "CASE WHEN i % 3 = 0 THEN {at i * 7919 % 63072000} END", "holder_id", "CASE WHEN i % 10 = 0 THEN 100 + i % 7 END", "holder_name", "''", "resolution", "''", "comments", "0")},
	{"work_order_links", 20, []string{"tenant_id", "{t}", "work_order_id", "i", "resource", "CONCAT('orders/', i % 999)"}},
	{"approvals", 20, guardedColumns("status", "i % 5", "kind", "'config'", "resource", "CONCAT('configs/app.', i)", "author_id", "1 + i % 50", "author_name", "'Li'", "note", "''", "base_etag", "''", "content", "'{}'", "content_version", "1",
		"digest", "CONCAT('d', i)", "required", "1", "reason", "''", "expires_time", "{at i * 7919 % 63072000}")},
	{"approval_targets", 20, []string{"tenant_id", "{t}", "approval_id", "i", "resource", "CONCAT('configs/app.', i % 9973)", "pending", "CASE WHEN i % 5 = 0 THEN 1 ELSE 0 END"}},
	{"aggregates", 20, guardedColumns("type", "CASE WHEN i % 3000 = 0 THEN 'rare' ELSE 'counter' END", "name", "CONCAT('page-', i * 7919 % 999983, '-', i)", "counters", "'{}'", "writer_count", "0")},
	{"idempotency_keys", 100, []string{"tenant_id", "{t}", "scope", "'u:1'", "idempotency_key", "CONCAT('key-', 10000000 + i)", "fingerprint", "'01234567890123456789012345678901'", "method", "'POST'", "path", "'/api/v1/orders'", "request_id", "''",
		"actor_kind", "'token'", "actor_id", "'1'", "actor_name", "'Li'", "status", "CASE WHEN i % 40000 = 0 THEN 409 ELSE 201 END", "location", "''", "seal_key", "''", "duration_us", "900", "replays", "0", "created_time", "{made}", "expires_time", "{at 99999999}"}},
	{"flash_sales", 2, guardedColumns("name", "CONCAT('Sale ', i)", "sku", "CONCAT('sku-', i % 999)", "price", "100", "quantity", "100", "per_user_limit", "1", "starts_time", "{made}", "ends_time", "{at i * 7919 % 63072000}", "item_name", "'Tea'", "status", "3", "secret", "''")},
	{"users", 2, guardedColumns("username", "CONCAT('user', 1000000 + i)", "display_name", "CONCAT('Li ', i * 7919 % 999983)", "password_hash", "''", "disabled", "CASE WHEN i % 50 = 0 THEN 1 ELSE 0 END")},
	{"roles", 2, guardedColumns("name", "CONCAT('role ', i)")},
	{"api_tokens", 2, guardedColumns("user_id", "1 + i % 99", "name", "CONCAT('token ', i * 7919 % 99991)", "token_hash", "CONCAT('{t}-', i)", "scopes", "'[]'", "created_by", "1", "created_by_name", "'Li'")},
}

// perStatement is the number of rows that one INSERT creates: MariaDB must finish within
// the time limit of a statement.
const perStatement = 20_000

// fillShop fills each table of a tenant with that many rows, and updates the engine's
// statistics.
func fillShop(ctx context.Context, db *storage.DB, tenant int64, rows func(table) int) error {
	pool := db.Pools()["write"]
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if db.Dialect == storage.MySQL {
		if _, err := conn.ExecContext(ctx, "SET SESSION max_recursive_iterations = 1000000"); err != nil {
			return err
		}
	}
	for _, t := range tables {
		n := rows(t)
		for first := 1; first <= n; first += perStatement {
			if err := t.insert(ctx, conn, db.Dialect, tenant, first, min(first+perStatement-1, n), n); err != nil {
				return fmt.Errorf("fill %s: %w", t.name, err)
			}
		}
		analyze := "ANALYZE TABLE " + t.name
		if db.Dialect == storage.SQLite {
			// The service never collects SQLite's statistics, so the tests do not either.
			continue
		}
		if _, err := conn.ExecContext(ctx, analyze); err != nil {
			return err
		}
	}
	return nil
}

// ofSize returns the numbers of rows of a shop with that many orders.
func ofSize(orders int) func(table) int {
	return func(t table) int { return orders * t.share / 100 }
}

// large reports whether a table has many rows of one tenant.
func (t table) large() bool { return t.share >= 20 }

func (t table) insert(ctx context.Context, conn *sql.Conn, dialect storage.Dialect, tenant int64, first, last, n int) error {
	var columns, values []string
	for i := 0; i < len(t.columns); i += 2 {
		columns = append(columns, "`"+t.columns[i]+"`")
		values = append(values, expression(t.columns[i+1], dialect, tenant, n))
	}
	statement := fmt.Sprintf("INSERT INTO %s (%s) WITH RECURSIVE numbers(i) AS (SELECT %d UNION ALL SELECT i + 1 FROM numbers WHERE i < %d) SELECT %s FROM numbers",
		t.name, strings.Join(columns, ", "), first, last, strings.Join(values, ", "))
	_, err := conn.ExecContext(ctx, statement)
	return err
}

func expression(text string, dialect storage.Dialect, tenant int64, n int) string {
	text = strings.ReplaceAll(text, "{made}", fmt.Sprintf("{at i * %d / %d}", year, n))
	for {
		start := strings.Index(text, "{at ")
		if start < 0 {
			break
		}
		end := start + strings.Index(text[start:], "}")
		seconds := text[start+len("{at ") : end]
		moment := "FROM_UNIXTIME(FLOOR(UNIX_TIMESTAMP() - " + fmt.Sprint(year) + " + " + seconds + "))"
		if dialect == storage.SQLite {
			moment = "strftime('%Y-%m-%d %H:%M:%S', unixepoch() - " + fmt.Sprint(year) + " + " + seconds + ", 'unixepoch') || '+00:00'"
		}
		text = text[:start] + moment + text[end+1:]
	}
	return strings.NewReplacer("{t}", fmt.Sprint(tenant), "{n}", fmt.Sprint(n)).Replace(text)
}

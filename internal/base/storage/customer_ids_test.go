package storage_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/migrations"
)

// numbered is the last schema in which the shop's users were numbers.
const numbered = 18

// before returns a database at an earlier schema.
func before(t *testing.T, address string, version int64) *storage.DB {
	t.Helper()
	db, err := storage.Open(t.Context(), storage.Options{URL: address})
	require.NoError(t, err)
	t.Cleanup(func() { _ = db.Close() })
	dialect, files := goose.DialectMySQL, migrations.MySQL()
	if db.Dialect == storage.SQLite {
		dialect, files = goose.DialectSQLite3, migrations.SQLite()
	}
	provider, err := goose.NewProvider(dialect, pool(t, db), files)
	require.NoError(t, err)
	_, err = provider.UpTo(t.Context(), version)
	require.NoError(t, err)
	return db
}

// touched are the tables with users of the shop, as the numbered schema has them: the
// columns that name one and, where a table gives out ids, that it does.
var touched = map[string]struct {
	users []string
	ids   bool
	// others are the columns that have no default, beside those of a guarded row.
	others  string
	guarded bool
}{
	"items":            {[]string{"owned_by_user_id"}, true, "sku, name, price, status", true},
	"item_histories":   {[]string{"owned_by_user_id"}, true, "item_id, version, action, name, price, status, changed_by, changed_by_name, changed_time", false},
	"orders":           {[]string{"user_id"}, true, "order_no, status, discount, amount, coupon_code, payment_method, payment_reference, carrier, tracking_no, cancel_reason, sale_id, ticket, payment_due", true},
	"coupons":          {[]string{"user_id", "redeemed_by"}, true, "campaign_id, code, status, order_id, void_reason", true},
	"coupon_holders":   {[]string{"user_id"}, false, "campaign_id, held", false},
	"wallets":          {[]string{"user_id"}, true, "balance", true},
	"wallet_entries":   {[]string{"user_id", "other_user_id"}, true, "version, amount, balance, kind, reference, created_by, created_by_name, created_time", false},
	"actions":          {[]string{"actor_id"}, false, "entity_type, entity_id, action_group, actor_kind, last_action_id, last_action, state, updated_time", false},
	"idempotency_keys": {[]string{"actor_id", "on_behalf_of"}, true, "scope, idempotency_key, fingerprint, method, path, request_id, actor_kind, actor_name, status, location, seal_key, duration_us, replays, created_time, expires_time", false},
	"audit_entries":    {[]string{"actor_id", "on_behalf_of"}, true, "unit_id, request_id, actor_kind, actor_name, credential_id, action, resource, detail, note, created_time", false},
}

const guardedColumns = "version, created_time, updated_time, updated_by, updated_by_name, "

// row returns the columns of a row and its values: those given, and for all others one
// that is different in each row.
func row(table string, n int, given map[string]any) (columns []string, values []any) {
	has := touched[table]
	list := "tenant_id, " + has.others + ", " + strings.Join(has.users, ", ")
	if has.guarded {
		list = guardedColumns + list
	}
	if has.ids {
		list = "id, " + list
	}
	columns = strings.Split(list, ", ")
	for _, column := range columns {
		value, isGiven := given[column]
		switch {
		case isGiven:
		case strings.HasSuffix(column, "_time") || column == "payment_due":
			value = fmt.Sprintf("2026-01-02 03:04:%02d.123456", n%60)
		case column == "tenant_id":
			value = 1
		case column == "detail":
			value = `{}`
		case column == "fingerprint":
			value = []byte(fmt.Sprintf("%032d", n))
		default:
			value = n
		}
		values = append(values, value)
	}
	return columns, values
}

func insert(pool *sql.DB, table string, n int, given map[string]any) error {
	columns, values := row(table, n, given)
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	_, err := pool.Exec(fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(columns, ", "), marks), values...)
	return err
}

func TestUsersThatWereNumbersBecomeTheirDecimalText(t *testing.T) {
	storagetest.EachAddress(t, func(t *testing.T, address string) {
		db := before(t, address, numbered)
		pool := pool(t, db)
		const largest = "9223372036854775807"
		for table, has := range touched {
			numbers, nobody := map[string]any{}, map[string]any{}
			for _, user := range has.users {
				numbers[user], nobody[user] = largest, nil
			}
			require.NoError(t, insert(pool, table, 1, nil), table)
			require.NoError(t, insert(pool, table, 2, numbers), table)
			if nullable := has.users[len(has.users)-1]; nullable != "user_id" && nullable != "actor_id" {
				require.NoError(t, insert(pool, table, 3, map[string]any{nullable: nil}), table)
			}
			// The highest id is deleted and must not come again.
			if has.ids {
				require.NoError(t, insert(pool, table, 90, nil), table)
				_, err := pool.Exec("DELETE FROM " + table + " WHERE id = 90")
				require.NoError(t, err)
			}
		}
		olds := map[string][]string{}
		for table := range touched {
			olds[table] = texts(t, pool, table)
		}
		tellDetails(t, pool)

		count, err := db.Migrate(t.Context())
		require.NoError(t, err)
		require.Positive(t, count)

		for table, has := range touched {
			require.Equal(t, olds[table], texts(t, pool, table), "%s: each value reads as it did", table)
			for _, user := range has.users {
				kept := storagetest.Texts(t, pool, "SELECT "+user+" FROM "+table+" WHERE "+user+" IN ('1', '"+largest+"') ORDER BY "+user)
				require.Equal(t, []string{"1", largest}, kept, "%s.%s", table, user)
				require.Empty(t, storagetest.Texts(t, pool, "SELECT "+user+" FROM "+table+" WHERE "+user+" = '01'"), "%s.%s is a text", table, user)
			}
			if has.ids {
				columns, values := row(table, 5, nil)
				named := make(map[string]any, len(columns))
				for i, column := range columns {
					named[column] = values[i]
				}
				delete(named, "id")
				require.Equal(t, int64(91), next(t, pool, table, named), "%s: no id comes again", table)
			}
		}
		requireDetails(t, pool)
		requireUniques(t, pool)
		requireNames(t, pool)
	})
}

// next inserts a row without an id and returns the one that it got.
func next(t *testing.T, pool *sql.DB, table string, named map[string]any) int64 {
	t.Helper()
	var columns []string
	var values []any
	for column, value := range named {
		columns, values = append(columns, column), append(values, value)
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ")
	result, err := pool.Exec(fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s)", table, strings.Join(columns, ", "), marks), values...)
	require.NoError(t, err, table)
	id, err := result.LastInsertId()
	require.NoError(t, err)
	return id
}

// details are what was told of users in the words of the numbered schema, and what it is
// to be told as: by action, which is that of the audit log or of a coupon's history.
var details = []struct{ action, before, after string }{
	{"order.create", `{"orderNo":"A","userId":42,"version":1}`, `{"orderNo":"A","userId":"42","version":1}`},
	{"coupon.redeem", `{"detail":{"orderId":3,"userId":42}}`, `{"detail":{"orderId":3,"userId":"42"}}`},
	{"wallet.transfer", `{"amount":5,"toUserId":9223372036854775807}`, `{"amount":5,"toUserId":"9223372036854775807"}`},
	{"item.create", `{"content":{"name":"Tea","ownedByUserId":42}}`, `{"content":{"name":"Tea","ownedByUserId":"42"}}`},
	{"item.delete", `{"content":{"name":"Tea"}}`, `{"content":{"name":"Tea"}}`},
	{"item.update", `{"before":{"ownedByUserId":42},"after":{"ownedByUserId":43}}`, `{"before":{"ownedByUserId":"42"},"after":{"ownedByUserId":"43"}}`},
	{"token.revoke", `{"name":"n","userId":7}`, `{"name":"n","userId":7}`}, // a user of ours
}

func tellDetails(t *testing.T, pool *sql.DB) {
	t.Helper()
	for i, d := range details {
		require.NoError(t, insert(pool, "audit_entries", 70+i, map[string]any{"tenant_id": 2, "action": d.action, "detail": d.before}))
	}
	for i, text := range []string{`{"campaignId":1,"userId":42}`, `{"campaignId":1}`} {
		_, err := pool.Exec("INSERT INTO coupon_histories (tenant_id, coupon_id, version, action, to_status, detail, changed_by, changed_by_name, changed_time)"+
			" VALUES (2, ?, 1, 'issue', 0, ?, 7, 'Li', '2026-01-02 03:04:05')", i, text)
		require.NoError(t, err)
	}
}

func requireDetails(t *testing.T, pool *sql.DB) {
	t.Helper()
	told := storagetest.Texts(t, pool, "SELECT detail FROM audit_entries WHERE tenant_id = 2 ORDER BY id")
	require.Len(t, told, len(details))
	for i, d := range details {
		require.JSONEq(t, d.after, told[i], d.action)
	}
	coupons := storagetest.Texts(t, pool, "SELECT detail FROM coupon_histories WHERE tenant_id = 2 ORDER BY coupon_id")
	require.JSONEq(t, `{"campaignId":1,"userId":"42"}`, coupons[0])
	require.JSONEq(t, `{"campaignId":1}`, coupons[1])
}

// requireUniques checks that what was unique is, and that what was checked is.
func requireUniques(t *testing.T, pool *sql.DB) {
	t.Helper()
	for table, given := range map[string]map[string]any{
		"items":            {"sku": 1},
		"item_histories":   {"item_id": 1, "version": 1},
		"orders":           {"ticket": 1},
		"coupons":          {"code": 1},
		"coupon_holders":   {"campaign_id": 1, "user_id": "1"},
		"wallets":          {"user_id": "1"},
		"wallet_entries":   {"user_id": "1", "reference": 1},
		"actions":          {"entity_type": 1, "entity_id": 1, "action_group": 1, "actor_kind": 1, "actor_id": "1"},
		"idempotency_keys": {"scope": 1, "idempotency_key": 1},
		"audit_entries":    {"unit_id": 1, "resource": 1},
	} {
		require.Error(t, insert(pool, table, 30, given), "%s: %v is there", table, given)
	}
	require.Error(t, insert(pool, "wallets", 31, map[string]any{"balance": -1}), "a balance below zero")
}

// requireNames checks that users are told apart by their bytes.
func requireNames(t *testing.T, pool *sql.DB) {
	t.Helper()
	longest := strings.Repeat("x", 64)
	for n, user := range []string{"li", "Li", "LI", "a/b", "02", longest} {
		require.NoError(t, insert(pool, "wallets", 40+n, map[string]any{"user_id": user}), user)
		require.NoError(t, insert(pool, "actions", 1, map[string]any{"actor_id": user}), user)
		require.NoError(t, insert(pool, "idempotency_keys", 40+n, map[string]any{"scope": "user:" + "9223372036854775807/customer:" + user, "on_behalf_of": user}), user)
		require.NoError(t, insert(pool, "audit_entries", 40+n, map[string]any{"actor_id": user, "resource": "wallets/" + strings.Repeat("%2F", 64)}), user)
	}
	require.Error(t, insert(pool, "wallets", 60, map[string]any{"user_id": "Li"}))
	require.Equal(t, []string{"Li"}, storagetest.Texts(t, pool, "SELECT user_id FROM wallets WHERE user_id = 'Li'"))
}

// texts returns each row of a table as one text, in the order of the whole rows.
func texts(t *testing.T, pool *sql.DB, table string) (list []string) {
	t.Helper()
	columns, _ := row(table, 0, nil)
	for i, column := range columns {
		columns[i] = "COALESCE(" + column + ", 'NULL')"
		if column == "fingerprint" || column == "idempotency_key" {
			columns[i] = "HEX(" + column + ")"
		}
	}
	rows, err := pool.Query("SELECT " + strings.Join(columns, ", ") + " FROM " + table + " WHERE tenant_id = 1 ORDER BY " + columns[len(columns)-1] + ", 1")
	require.NoError(t, err, table)
	defer rows.Close()
	for rows.Next() {
		cells, into := make([]string, len(columns)), make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		require.NoError(t, rows.Scan(into...))
		list = append(list, strings.Join(cells, "|"))
	}
	require.NoError(t, rows.Err())
	return list
}

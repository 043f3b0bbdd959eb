package customers

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// never lists texts that name no customer, by table: users of this service, codes and fixed
// words, digests, and content of the shop that is not about a customer.
var never = map[string]string{
	"actions": "entity_type action_group last_action state", "action_counts": "entity_type", "aggregates": "type counters", "aggregate_events": "event_type deltas",
	"api_tokens": "name token_hash scopes created_by_name updated_by_name", "approvals": "kind base_etag digest open_digest", "approval_histories": "action",
	"approval_votes": "digest user_name creator_name verdict", "audit_entries": "unit_id creator_name action", "configs": "value_type value_key updated_by_name", "config_histories": "action value_type value_key changed_by_name",
	"conflict_counts": "day resource code", "coupons": "code", "coupon_campaigns": "kind updated_by_name", "coupon_campaign_histories": "action kind changed_by_name",
	"coupon_histories": "action", "customer_erasures": "user_id pseudonym", "flash_sales": "sku secret updated_by_name", "flash_sale_histories": "action sku changed_by_name",
	"flash_sale_rejections": "reason", "flash_sale_samples": "stats", "flash_sale_stocks": "updated_by_name", "flash_sale_tickets": "state order_no reason", "goose_db_version": "",
	"installation": "epoch reason", "inventories": "sku updated_by_name", "inventory_holds": "holder sku", "inventory_movements": "sku kind holder",
	"items": "status", "item_histories": "action status", "log_places": "name", "menus": "icon permission updated_by_name", "menu_histories": "action icon permission changed_by_name",
	"mq_batches": "id queue", "mq_queues": "name", "orders": "order_no coupon_code payment_method carrier", "order_histories": "action", "order_lines": "sku name",
	// A message belongs to a waiting ticket, and a customer with a waiting ticket is not
	// erased.
	"mq_messages": "queue message_id batch_id error trace", "promise_checks": "name place", "promise_violations": "name", "recovery_codes": "code_hash",
	"refunds": "order_no method origin", "refund_histories": "action", "refund_lines": "sku name", "retention_sweeps": "name place", "retention_tallies": "name",
	"roles": "name updated_by_name", "role_histories": "action name permissions changed_by_name", "role_permissions": "permission",
	"server_claims": "group_name run_id role host machine", "sessions": "token_hash address user_agent", "sign_in_attempts": "account network", "sign_in_challenges": "token_hash session_hash",
	"sign_in_flows": "state_hash browser_hash provider purpose tenant proof_hash nonce verifier", "tenants": "name currency", "tenant_settings": "updated_by_name",
	"tenant_setting_histories": "action changed_by_name", "users": "username display_name password_hash updated_by_name invitation_hash", "user_factors": "kind name secret_key",
	"user_histories": "action username display_name roles changed_by_name", "user_links": "identity_hash issuer subject", "user_passkeys": "site credential_hash transports model", "encryption_keys": "id", "wallet_entries": "kind", "work_order_histories": "action",
}

// Package idempotency handles the stored replies.
const elsewhere = "idempotency_keys"

// Proves E6.
func TestEachTextOfTheSchemaIsErasedOrNamesNoCustomer(t *testing.T) {
	db := storagetest.SQLite(t)
	var all []struct{ Tbl, Col string }
	require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw(`SELECT m.name AS tbl, p.name AS col FROM sqlite_master m JOIN pragma_table_info(m.name) p
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%' AND p.type = 'TEXT'`).Scan(&all).Error)
	covered := map[string]bool{}
	for _, t := range slices.Concat(tables, shops, []table{aggregates, writers, approvals, wallets, entries, settlements}) {
		for _, c := range t.columns {
			covered[t.name+"."+c.name] = true
		}
	}
	for _, one := range all {
		if one.Tbl == elsewhere {
			continue
		}
		if one.Tbl+"."+one.Col == "refunds.user_id" {
			continue // with the wallet (together.go)
		}
		exempt := slices.Contains(strings.Fields(never[one.Tbl]), one.Col)
		require.True(t, exempt != covered[one.Tbl+"."+one.Col], "%s.%s: add it to tables, or to those that name no customer", one.Tbl, one.Col)
	}
}

func TestErasureReplacesIDsInTexts(t *testing.T) {
	e := newErasure("kim@example.org/7", "erased-x", []byte("secret"))
	for text, want := range map[string]string{
		"kim@example.org/7":             "erased-x",
		"wallets/kim@example.org%2F7":   "wallets/erased-x",
		"gift of kim@example.org/7":     "gift of erased-x",
		"somebody else":                 "somebody else",
		"customer:kim@example.org/7":    "customer:erased-x",
		"from kim@example.org/7 to moe": "from erased-x to moe",
	} {
		require.Equal(t, want, e.name(text, false), text)
	}
	inside := e.name("xkim@example.org/7x", false)
	require.NotContains(t, inside, "kim", "it is no word of its own, and is recognised all the same")
	require.Equal(t, inside, e.name("xkim@example.org/7x", false), "references stay the same on both sides")
	require.NotEqual(t, inside, e.name("ykim@example.org/7x", false), "and others others")

	require.JSONEq(t, `{"userId":"erased-x","amount":5,"reason":"[erased]","others":["erased-x","moe"],"ticket":null}`,
		e.data(`{"userId":"kim@example.org/7","amount":5,"reason":"he moved","others":["kim@example.org/7","moe"],"ticket":null}`, true))
	unchanged := `{ "b": 1.50, "a": "moe" }`
	require.Equal(t, unchanged, e.data(unchanged, true), "what names nobody keeps its spelling")

	short := newErasure("7", "erased-x", []byte("secret"))
	for text, want := range map[string]string{"7": "erased-x", "wallets/7": "wallets/erased-x", "wallets/77": "wallets/77", "order-7": "order-7", "7 cups": "7 cups"} {
		require.Equal(t, want, short.name(text, false), text)
	}
	require.JSONEq(t, `{"userId":"erased-x","limitPerUser1":7,"quantity":7}`, short.shops(`{"userId":7,"limitPerUser1":7,"quantity":7}`))
	ours := `{"userId":7,"perUser":7}`
	require.Equal(t, ours, short.data(ours, true), "a number is a user of this service")

	ticket := e.ticket("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
	require.NotEqual(t, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", ticket)
	require.Equal(t, ticket, e.ticket(ticket), "a second look leaves it")
	require.Equal(t, e.digest(strings.Repeat("a", 64)), e.digest(e.digest(strings.Repeat("a", 64))))
}

// A row that changes between read and update retains the new value.
// Proves E4.
func TestConcurrentChangesAreNotOverwritten(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		p, _ := principal.From(ctx)
		write := db.Write(ctx)
		require.NoError(t, write.Exec(`INSERT INTO work_orders (tenant_id, version, created_time, updated_time, updated_by, updated_by_name, created_by, created_by_name, title, body, priority, status, holder_name, resolution, comments)
			VALUES (?, 1, '2026-01-01', '2026-01-01', 1, 'Li', 1, 'Li', 'Call kim@example.org', '', 1, 2, '', '', 0)`, p.TenantID).Error)
		orders := tables[slices.IndexFunc(tables, func(t table) bool { return t.name == "work_orders" })]
		s := New(Deps{DB: db, After: func() error { return errors.New("not reached") }})
		e := newErasure("kim@example.org", "erased-x", []byte("secret"))
		require.NoError(t, s.walk(ctx, orders, e, func(hits []found) error {
			require.Len(t, hits, 1)
			require.NoError(t, write.Exec("UPDATE work_orders SET title = 'Done' WHERE tenant_id = ?", p.TenantID).Error)
			set := orders.changes(e, hits[0])
			require.Equal(t, map[string]any{"title": erased}, set)
			changed, err := orders.update(write, p.TenantID, hits[0], set)
			require.False(t, changed)
			return err
		}))
		var title string
		require.NoError(t, db.Read(ctx).Raw("SELECT title FROM work_orders WHERE tenant_id = ?", p.TenantID).Scan(&title).Error)
		require.Equal(t, "Done", title)
	})
}

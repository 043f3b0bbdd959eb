package retention

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// exempt lists the tables that this package never changes, with the reason.
var exempt = map[string]string{
	"access_revisions": present, "actions": present, "action_counts": present, "aggregates": present, "api_tokens": present, "approvals": present,
	"configs": present, "coupons": present, "coupon_campaigns": present, "coupon_holders": present, "customer_erasures": present, "encryption_keys": present, "user_passkeys": present, "flash_sales": present, "flash_sale_arrivals": present,
	"flash_sale_gates": present, "flash_sale_stocks": present, "installation": present, "inventories": present, "inventory_holds": present, "items": present, "log_places": present,
	"menus": present, "menu_revisions": present, "orders": present, "promise_checks": present, "promise_keys": present,
	"promise_violations": present, "recovery_codes": present, "refunds": present, "retention_sweeps": present, "retention_tallies": present, "roles": present,
	"role_permissions": present, "server_claims": present, "tenants": present, "tenant_settings": present, "users": present, "user_links": present,
	"user_roles": present, "wallets": present, "work_orders": present, "work_order_links": present, "goose_db_version": present,

	"audit_targets": "they are removed with their audit entry",

	"aggregate_events": proof, "aggregate_writers": proof, "inventory_movements": proof, "order_lines": proof, "refund_lines": proof, "wallet_entries": proof,

	"approval_comments": votes, "approval_histories": votes, "approval_targets": votes, "approval_votes": votes,
	"flash_sale_histories": "the largest limit per customer that a sale ever had is part of a promise",
	"work_order_comments":  "what people wrote stays with the work order",

	"conflict_counts": elsewhere, "idempotency_keys": elsewhere, "sessions": elsewhere, "sign_in_attempts": elsewhere, "sign_in_challenges": elsewhere,
	"sign_in_flows": elsewhere, "user_factors": elsewhere, "mq_batches": elsewhere, "mq_messages": "a message that is dead is thrown away by people only", "mq_queues": present,
}

const (
	present   = "it is what is so now"
	proof     = "a balance, a stock or a counter is proved by it"
	votes     = "who wrote what was voted on, and how, is the evidence of it"
	elsewhere = "its rows have an end of their own, and a sweeper"
)

// Proves G6.10.
func TestEveryTableIsSweptOrExemptWithAReason(t *testing.T) {
	var tables []string
	db := storagetest.SQLite(t)
	require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'").Scan(&tables).Error)
	for _, table := range tables {
		swept := slices.ContainsFunc(List, func(t Table) bool { return t.Name == table })
		require.True(t, swept != (exempt[table] != ""), "%s: add it to List, or to exempt, with the reason", table)
	}
	for table := range exempt {
		require.Contains(t, tables, table)
	}
}

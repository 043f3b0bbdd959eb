package app_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// ground are the tables of packages below the domains. None contains text about a customer except
// the idempotency keys, which package idempotency erases, and messages, which belong to a waiting
// ticket: a customer with a waiting ticket is not erased.
var ground = []string{
	"conflict_counts", "customer_erasures", "encryption_keys", "goose_db_version", "idempotency_keys", "installation", "log_places",
	"mq_batches", "mq_messages", "mq_queues", "retention_tallies", "server_claims", "walks",
}

// Proves E6, G6.10.
func TestEachTableIsDeclaredWithItsTexts(t *testing.T) {
	db := storagetest.SQLite(t)
	var columns []struct{ Tbl, Col, Type string }
	require.NoError(t, db.Read(storage.AcrossTenants(t.Context())).Raw(`SELECT m.name AS tbl, p.name AS col, p.type AS type FROM sqlite_master m JOIN pragma_table_info(m.name) p
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`).Scan(&columns).Error)
	texts := map[string][]string{}
	for _, c := range columns {
		if c.Type == "TEXT" {
			texts[c.Tbl] = append(texts[c.Tbl], c.Col)
		} else if texts[c.Tbl] == nil {
			texts[c.Tbl] = []string{}
		}
	}
	for _, table := range ground {
		require.Contains(t, texts, table)
		delete(texts, table)
	}
	for _, declared := range app.Tables() {
		stored, exists := texts[declared.Name]
		require.True(t, exists, "%s: the schema has no such table, or it is declared twice", declared.Name)
		delete(texts, declared.Name)
		require.True(t, (declared.Expires != nil) != (declared.Stays != ""), "%s: declare when its rows expire, or why they stay", declared.Name)
		known := strings.Fields(declared.Plain)
		for _, c := range declared.Columns {
			known = append(known, c.Name)
		}
		slices.Sort(known)
		require.ElementsMatch(t, stored, slices.Compact(known), "%s: declare its text columns as Columns or Plain", declared.Name)
	}
	require.Empty(t, slices.Collect(maps.Keys(texts)), "declare these tables in their domains")
}

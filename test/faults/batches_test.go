package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/test/apptest"
)

// writeBatches makes writers send batches, each of which sets all of the ledger's configs
// to its mark.
func (l *ledger) writeBatches(ctx context.Context, c *apptest.Caller, writers, batches int) {
	var running sync.WaitGroup
	for w := range writers {
		running.Go(func() {
			for n := w; n < batches; n += writers {
				mark := fmt.Sprintf("batch %d", n)
				var changes []map[string]any
				for _, key := range l.keys {
					changes = append(changes, map[string]any{
						"key": key, "op": "update", "etag": l.newest(ctx, c, key), "patch": map[string]any{"value": mark},
					})
				}
				answer, err := c.Try(ctx, http.MethodPost, "/api/v1/config-batches", map[string]any{"note": mark, "changes": changes})
				l.book(mark, answer, err)
			}
		})
	}
	running.Wait()
}

// settleBatches checks that the configs went through the same batches in the same order,
// each with one audit row, and that these batches match the responses.
func (l *ledger) settleBatches(t *testing.T, databaseURL string) {
	t.Helper()
	db, err := storage.Open(t.Context(), storage.Options{URL: databaseURL, MaxConnections: 2})
	require.NoError(t, err)
	defer db.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	require.Empty(t, l.faults)
	query := db.Read(storage.AcrossTenants(t.Context()))
	var first []version
	for _, key := range l.keys {
		var history []version
		require.NoError(t, query.Raw("SELECT version, value FROM config_histories WHERE `key` = ? ORDER BY version", key).Scan(&history).Error)
		if first == nil {
			first = history
		}
		require.Equal(t, first, history, "a batch was applied in part")
	}
	found := map[string]bool{}
	for i, step := range first {
		var mark string
		require.NoError(t, json.Unmarshal([]byte(step.Value), &mark))
		require.EqualValues(t, i+1, step.Version)
		require.False(t, found[mark], "%s was applied twice", mark)
		found[mark] = true
	}
	for mark := range l.acknowledged {
		require.True(t, found[mark], "%s was acknowledged", mark)
	}
	for mark := range l.refused {
		require.False(t, found[mark], "%s was rejected", mark)
	}
	var audited int
	require.NoError(t, query.Raw("SELECT COUNT(*) FROM audit_entries WHERE action = 'config.batch'").Scan(&audited).Error)
	require.Equal(t, len(first)-1, audited)
}

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/storage"
	"interlock/internal/settings"
)

func TestPromisesCheckWarnsOfQuotasThatAreAlmostFull(t *testing.T) {
	database := settings.Storage{DatabaseURL: "sqlite://" + filepath.Join(t.TempDir(), "interlock.db"), MaxConnections: 4}
	sv, err := app.Open(t.Context(), database, app.Options{Create: true, Idempotency: settings.Idempotency{IdempotencyQuota: settings.IdempotencyQuota{Quota: 5}}})
	require.NoError(t, err)
	defer sv.Close()
	_, err = sv.MakeFirstAdmin(t.Context(), settings.FirstAdmin{AdminPassword: "correct horse battery"})
	require.NoError(t, err)
	for _, key := range []string{"user:1 a", "user:1 b", "user:1 c", "user:1 d", "customer:1 a"} {
		scope, name, _ := strings.Cut(key, " ")
		require.NoError(t, sv.DB.Write(storage.AcrossTenants(t.Context())).Exec(`INSERT INTO idempotency_keys
			(tenant_id, scope, idempotency_key, fingerprint, method, path, request_id, actor_kind, actor_id, actor_name, status, location, seal_key, duration_us, replays, created_time, expires_time)
			VALUES (1, ?, ?, '', 'POST', '/items', 'r', 'admin', '1', 'Li', 201, '', '', 1, 0, '2026-01-31 09:30:00', '2999-01-31 09:30:00')`, scope, name).Error)
	}
	var out strings.Builder
	require.NoError(t, warnOfQuotas(t.Context(), sv, &out))
	require.Equal(t, "warning: tenant default has 4 of 5 idempotency keys (user): raise INTERLOCK_IDEMPOTENCY_QUOTA, at the quota keyed writes get 429\n", out.String())
}

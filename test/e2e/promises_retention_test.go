package e2e_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/lock"
	"interlock/internal/module"
	"interlock/internal/views/retention"
	"interlock/test/apptest"
	"interlock/test/tier"
)

// The limit is one second ago, so that writes and deletions concern the same records.
// Proves G6.10.
func TestPromisesHoldDuringAndAfterRetention(t *testing.T) {
	for engine, database := range map[string]func(t *testing.T) string{
		"sqlite":  func(t *testing.T) string { return "sqlite://" + t.TempDir() + "/shop.db" },
		"mariadb": func(t *testing.T) string { return storagetest.NewMariaDBURL(t) },
	} {
		t.Run(engine, func(t *testing.T) {
			if engine == "mariadb" {
				tier.Nightly(t)
			}
			address := database(t)
			require.NoError(t, storagetest.Migrate(address))
			admin := openShop(t, address)
			sv := admin.Program.Services()
			outgrowWatchers(t, admin)
			const retained = time.Second
			sweeper := retention.New(retention.Deps{
				Tables: app.Tables(),
				DB:     sv.DB, Runner: sv.Runner, Locks: lock.NewInProcess(lock.Observer{}), Clock: sv.Clock, Every: 100 * time.Millisecond, Share: 1,
				Keep: map[module.Retention]time.Duration{module.AuditRows: retained, module.HistoryRows: retained, module.TicketRows: retained},
			})
			sweeping, stop := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				for sweeping.Err() == nil {
					if err := sweeper.Turn(sweeping); err != nil && sweeping.Err() == nil {
						t.Errorf("sweep: %v", err)
						return
					}
				}
			}()
			// From here on, the initial records of the shop exceed the limit, and later
			// ones do so while the test runs.
			clock.Sleep(t.Context(), retained)
			writeWhileChecking(t, admin)
			stop()
			<-ended
			clock.Sleep(t.Context(), retained)
			require.NoError(t, sweeper.Turn(t.Context()))
			require.Empty(t, check(t, sv))
			says, err := retention.Summary(t.Context(), sv.DB, app.Tables())
			require.NoError(t, err)
			for _, table := range []string{"audit_entries", "config_histories", "order_histories"} {
				require.Regexp(t, `(^|\. )`+table+`: [1-9]`, says, "nothing was removed, so nothing was tried")
			}
			// Records younger than the limit are still checked.
			exec := sv.DB.Write(storage.AcrossTenants(t.Context()))
			require.NoError(t, exec.Exec("DELETE FROM config_histories WHERE tenant_id > 0 AND id = (SELECT id FROM (SELECT MAX(h.id) AS id FROM config_histories h JOIN configs c ON c.id = h.config_id AND c.version = h.version) l)").Error)
			require.Positive(t, check(t, sv)["config-versions"])
		})
	}
}

// outgrowWatchers advances the log of configs until all versions so far are older than the
// oldest from which a watcher can resume.
func outgrowWatchers(t *testing.T, admin *apptest.Caller) {
	t.Helper()
	sv := admin.Program.Services()
	whole, err := sv.Configs.SequenceLog(t.Context())
	require.NoError(t, err)
	require.True(t, whole)
	statement := "UPDATE sqlite_sequence SET seq = seq + 20000 WHERE name = 'config_histories'"
	if sv.DB.Dialect == storage.MySQL {
		statement = "UPDATE log_places SET last = last + 20000 WHERE name = 'configs'"
	}
	require.NoError(t, sv.DB.Write(storage.AcrossTenants(t.Context())).Exec(statement).Error)
}

package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/storage/storagetest"
	"interlock/test/lostcommit"
	"interlock/test/tier"
)

// failover is a service with connections to a primary, and from one COMMIT on to its replica.
type failover struct {
	primary, replica *mariadb
	tap              *storagetest.Tap
	through          string
}

func newFailover(t *testing.T) *failover {
	t.Helper()
	f := &failover{primary: newMariaDB(t, "--log-bin", "--server-id=1"), replica: newMariaDB(t, "--server-id=2")}
	f.replica.follow(t, f.primary)
	require.NoError(t, storagetest.Migrate(f.primary.url()))
	storagetest.CreateThings(t, storagetest.Tenant(t), storagetest.Open(t, f.primary.url()))
	f.tap, f.through = storagetest.NewTap(t, f.primary.url())
	return f
}

// catchUp waits until the replica has applied everything from the primary.
func (f *failover) catchUp(t *testing.T) {
	t.Helper()
	f.replica.run(t, "START SLAVE")
	var at string
	require.NoError(t, f.primary.connect(t).QueryRowContext(t.Context(), "SELECT @@gtid_binlog_pos").Scan(&at))
	var timedOut int
	require.NoError(t, f.replica.connect(t).QueryRowContext(t.Context(), "SELECT MASTER_GTID_WAIT(?, 30)", at).Scan(&timedOut))
	require.Zero(t, timedOut, "the replica applies everything, and no local row conflicts")
}

// requireAt checks how often a thing, and the tombstone of its unit, exist at a server.
func requireAt(t *testing.T, m *mariadb, name string, things int) {
	t.Helper()
	var found, audited, places int
	require.NoError(t, m.connect(t).QueryRowContext(t.Context(), `SELECT (SELECT COUNT(*) FROM interlock.things WHERE name = ?),
		(SELECT COUNT(*) FROM interlock.audit_entries WHERE tenant_id > 0 AND resource = CONCAT('things/', ?)),
		(SELECT COUNT(*) FROM interlock.audit_entries WHERE tenant_id = 0 AND resource = CONCAT('things/', ?))`, name, name, name).Scan(&found, &audited, &places))
	require.Equal(t, [2]int{things, things}, [2]int{found, audited})
	require.Zero(t, places, "no key is used that replication may need")
}

// A promoted replica may lack the last commits of the former primary. If the
// unit finds nothing there, it must neither report that nothing was changed nor run again.
// Proves D4.
func TestCommitMissingOnTheNewPrimaryIsUnknown(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	f := newFailover(t)
	ctx := storagetest.Tenant(t)
	takeOver := func(before ...string) func() {
		return func() {
			f.replica.run(t, before...)
			f.tap.LeadTo(t, f.replica.url())
		}
	}
	for name, executed := range map[string]bool{"committed": true, "never committed": false} {
		f.catchUp(t)
		f.tap.LeadTo(t, f.primary.url())
		runs, err := lostcommit.Add(t, ctx, f.tap, f.through, name, executed, takeOver("STOP SLAVE SQL_THREAD"))
		require.True(t, apperr.Has(err, apperr.OutcomeUnknown), "%s: %v", name, err)
		require.NotContains(t, err.Error(), "othing was changed", name)
		require.Equal(t, 1, runs, "%s: it is not run again", name)
		requireAt(t, f.replica, name, 0)
		f.catchUp(t)
		requireAt(t, f.replica, name, map[bool]int{true: 1, false: 0}[executed])
	}

	f.tap.LeadTo(t, f.primary.url())
	late := time.AfterFunc(time.Hour, func() { _, _ = f.replica.connect(t).Exec("START SLAVE SQL_THREAD") })
	defer late.Stop()
	runs, err := lostcommit.Add(t, ctx, f.tap, f.through, "applied late", true, func() {
		takeOver("STOP SLAVE SQL_THREAD")()
		late.Reset(time.Second)
	})
	require.NoError(t, err, "existing rows are committed on any server")
	require.Equal(t, 1, runs)
	f.catchUp(t)
	requireAt(t, f.replica, "applied late", 1)

	f.tap.LeadTo(t, f.primary.url())
	runs, err = lostcommit.Add(t, ctx, f.tap, f.through, "at the same server", true, func() {})
	require.NoError(t, err)
	require.Equal(t, 1, runs)
	runs, err = lostcommit.Add(t, ctx, f.tap, f.through, "again at the same server", false, func() {})
	require.NoError(t, err)
	require.Equal(t, 2, runs, "its rollback is known there")
}

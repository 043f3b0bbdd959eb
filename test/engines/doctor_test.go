//go:build engines

package engines_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/settings"
	"interlock/internal/views/engines"
	"interlock/test/apptest"
	"interlock/test/freeport"
)

// TestDoctorReportsTheStateOfAGaleraCluster checks the doctor's findings on three
// servers, on two, and on one without a majority; on connections to one server and to
// several; and on settings that could break a promise, with which the service does not
// start.
// Proves G5.46, G5.47.
func TestDoctorReportsTheStateOfAGaleraCluster(t *testing.T) {
	nodes := cluster(t, 3)
	_, err := nodes[0].pool(t).ExecContext(t.Context(), "CREATE DATABASE interlock")
	require.NoError(t, err)
	first := nodes[0].url("interlock")
	_, err = app.Migrate(t.Context(), stored(first))
	require.NoError(t, err)
	running, err := storage.Open(t.Context(), storage.Options{URL: first, MaxConnections: 4})
	require.NoError(t, err)
	defer running.Close()

	t.Run("three servers", func(t *testing.T) { threeServers(t, first) })
	t.Run("several writers", func(t *testing.T) { severalWriters(t, balance(t, nodes, 1, spreading)[0]) })
	t.Run("a part without a majority that serves", func(t *testing.T) { ignoredSplit(t, nodes[0]) })
	t.Run("reads that are not causal", func(t *testing.T) { readsOfAMomentBefore(t, first) })
	nodes[2].kill(t)
	awaitStatus(t, nodes[0], "wsrep_cluster_size", "2")
	t.Run("two servers", func(t *testing.T) {
		found := examined(t, first)
		require.Equal(t, engines.Risk, found["wsrep_cluster_size"].Level)
		require.Contains(t, found["wsrep_cluster_size"].Says, "There are two members.")
		require.Equal(t, engines.Risk, found["innodb_flush_log_at_trx_commit"].Level, "%s", found["innodb_flush_log_at_trx_commit"].Says)
	})
	nodes[1].kill(t)
	awaitStatus(t, nodes[0], "wsrep_cluster_status", "non-Primary")
	t.Run("no majority", func(t *testing.T) { noMajority(t, running, first) })
}

func stored(url string) settings.Storage {
	return settings.Storage{DatabaseURL: url, MaxConnections: 24}
}

// examined returns the findings of the doctor by name.
func examined(t *testing.T, url string) map[string]engines.Finding {
	t.Helper()
	found := map[string]engines.Finding{}
	for _, f := range app.Examine(t.Context(), stored(url), "") {
		found[f.Name] = f
	}
	return found
}

func awaitStatus(t *testing.T, n *node, name, value string) {
	t.Helper()
	require.Eventually(t, func() bool { return status(t.Context(), n.pool(t), name) == value }, joinTimeout, 200*time.Millisecond, "%s is never %s:\n%s", name, value, n.log())
}

// requireNoStart checks that a service does not start, and its error.
func requireNoStart(t *testing.T, url string, is error, says string) {
	t.Helper()
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL = url
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := app.New(s, "test").Start(ctx)
	require.Error(t, err)
	if is != nil {
		require.ErrorIs(t, err, is)
	}
	require.ErrorContains(t, err, says)
}

func threeServers(t *testing.T, url string) {
	found := examined(t, url)
	for name, value := range map[string]string{
		"wsrep_cluster_status": "Primary", "wsrep_cluster_size": "3", "wsrep_sync_wait": "7", "isolation": "READ-COMMITTED", "writers": "1",
		"auto_increment_increment": "3", "capabilities": "statements", "storage_engine": "InnoDB", "pc.ignore_sb": "false", "innodb_flush_log_at_trx_commit": "2",
	} {
		require.Equal(t, value, found[name].Value, "%s: %s", name, found[name].Says)
		require.Equal(t, engines.OK, found[name].Level, "%s: %s", name, found[name].Says)
	}
	require.NotContains(t, found, "replicas", "nothing to fail over to, of a cluster")
	require.Contains(t, found["wsrep_cluster_size"].Says, "3 members, of which 3 have the data")
	require.Contains(t, found["innodb_flush_log_at_trx_commit"].Says, "only when all their machines fail together")
	require.Contains(t, found["writers"].Says, "find out only when they commit")
	require.Contains(t, found["capabilities"].Says, "one by one. Who migrates holds a row with a lease.")
}

func severalWriters(t *testing.T, port int) {
	writers := examined(t, fmt.Sprintf("mysql://root@%s/interlock", freeport.Address(port)))["writers"]
	require.Equal(t, engines.Risk, writers.Level, "%s", writers.Says)
	require.Equal(t, "3", writers.Value)
	require.Contains(t, writers.Says, "lead to 3 servers of the cluster, which all receive its writes. Several writers violate no promise")
}

func ignoredSplit(t *testing.T, n *node) {
	set := func(value string) {
		_, err := n.pool(t).ExecContext(t.Context(), "SET GLOBAL wsrep_provider_options = 'pc.ignore_sb="+value+"'")
		require.NoError(t, err)
	}
	set("true")
	defer set("false")
	found := examined(t, n.url("interlock"))["pc.ignore_sb"]
	require.Equal(t, engines.Broken, found.Level, "%s", found.Says)
	requireNoStart(t, n.url("interlock"), app.ErrUnfitEngine, "both continue to accept writes")
}

func readsOfAMomentBefore(t *testing.T, url string) {
	tap, through := storagetest.NewTap(t, url)
	tap.Refuse(func(statement string) *storagetest.Refusal {
		if statement == "SET SESSION wsrep_sync_wait = 7" {
			return &storagetest.Refusal{Ignored: true}
		}
		return nil
	})
	const says = `has wsrep_sync_wait at "0" although 7 was asked for`
	requireNoStart(t, through, storage.ErrUnfit, says)
	found := examined(t, through)["database"]
	require.Equal(t, engines.Broken, found.Level)
	require.Contains(t, found.Says, says)
}

func noMajority(t *testing.T, running *storage.DB, url string) {
	report := engines.Probe{DB: running, Clock: clock.System{}}.Inspect(t.Context())
	var found engines.Finding
	for _, f := range report.Findings {
		if f.Name == "wsrep_cluster_status" {
			found = f
		}
	}
	require.Equal(t, engines.Broken, found.Level, "a running service reports it: %v", report.Findings)
	require.Contains(t, found.Says, "serves neither reads nor writes")
	require.Empty(t, report.Fatal(), "and continues with a majority")

	const says = "its part of the cluster has no majority"
	doctor := examined(t, url)["database"]
	require.Equal(t, engines.Broken, doctor.Level)
	require.Contains(t, doctor.Says, says)
	requireNoStart(t, url, nil, says)
}

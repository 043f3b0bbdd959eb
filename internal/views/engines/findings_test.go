package engines_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/views/engines"
	"interlock/internal/views/engines/enginestest"
)

// with returns facts with some replaced.
func with(facts map[string]string, changes map[string]string) map[string]string {
	changed := maps.Clone(facts)
	maps.Copy(changed, changes)
	return changed
}

type facts = map[string]string

// expected is the expected finding about one setting.
type expected struct {
	name  string
	level engines.Level
	loss  engines.Loss
	says  []string
}

func (e expected) hold(t *testing.T, findings []engines.Finding) {
	t.Helper()
	enginestest.RequireSentences(t, findings)
	f := enginestest.About(t, findings, e.name)
	require.Equal(t, e.level, f.Level, f.Says)
	require.Equal(t, e.loss, f.Loss, f.Says)
	for _, part := range e.says {
		require.Contains(t, f.Says, part)
	}
}

// The sessions of the service have the bound unless a proxy drops it.
func TestLongIdleTransactionsAreARisk(t *testing.T) {
	for name, test := range map[string]struct {
		facts facts
		about string
		level engines.Level
	}{
		"MariaDB":                     {facts{"idle_transaction_timeout": "7", "wait_timeout": "28800"}, "idle_transaction_timeout", engines.OK},
		"MariaDB behind such a proxy": {facts{"idle_transaction_timeout": "0", "wait_timeout": "28800"}, "idle_transaction_timeout", engines.Risk},
		"MySQL":                       {facts{"wait_timeout": "7"}, "wait_timeout", engines.OK},
		"MySQL behind such a proxy":   {facts{"wait_timeout": "28800"}, "wait_timeout", engines.Risk},
		"a server that shows it not":  {facts{}, "wait_timeout", engines.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			expected{test.about, test.level, engines.Loss{}, nil}.hold(t, engines.MySQLFindings(test.facts))
		})
	}
}

// Proves G5.42.
func TestLossOfRedisIsReportedForEachSetting(t *testing.T) {
	info := facts{
		"aof_enabled": "1", "aof_last_write_status": "ok", "maxmemory": "0", "maxmemory_policy": "noeviction",
		"used_memory": "1000000", "evicted_keys": "0", "connected_slaves": "0",
	}
	settings := facts{
		"appendonly": "yes", "appendfsync": "always", "no-appendfsync-on-rewrite": "no", "save": "",
		"maxmemory-policy": "noeviction", "min-replicas-to-write": "0", "min-replicas-max-lag": "10",
	}
	all := engines.RedisFindings(info, settings)
	enginestest.RequireSentences(t, all)
	for _, f := range all {
		require.Equal(t, engines.OK, f.Level, "%s: %s", f.Name, f.Says)
		require.Equal(t, engines.Redis, f.Engine)
	}

	const tickets = "accepted purchases without an order"
	for name, test := range map[string]struct {
		info, settings facts
		expected
	}{
		"everysec": {nil, facts{"appendfsync": "everysec"}, expected{"appendfsync", engines.Risk,
			engines.Loss{Process: engines.Nothing, Machine: engines.Second}, []string{"It is everysec.", "about the last second", tickets, "Set appendfsync to always"}}},
		"never synced": {nil, facts{"appendfsync": "no"}, expected{"appendfsync", engines.Risk,
			engines.Loss{Process: engines.Nothing, Machine: engines.HalfMinute}, []string{"It is no.", "30 seconds", tickets, "always"}}},
		"not synced while it is rewritten": {nil, facts{"no-appendfsync-on-rewrite": "yes"}, expected{"no-appendfsync-on-rewrite", engines.Risk,
			engines.Loss{Process: engines.Nothing, Machine: engines.HalfMinute}, []string{"whatever appendfsync is", tickets}}},
		"a file that cannot be written": {facts{"aof_last_write_status": "err"}, nil, expected{"aof_last_write_status", engines.Risk,
			engines.Loss{Machine: engines.Moments}, []string{"rejects writes"}}},
		"snapshots only": {nil, facts{"appendonly": "no", "save": "3600 1 300 100"}, expected{"appendonly", engines.Risk,
			engines.Loss{Process: engines.SinceSnapshot, Machine: engines.SinceSnapshot}, []string{"save 3600 1 300 100", "everything since the last one", tickets, "Set appendonly to yes"}}},
		"nothing on the disk": {nil, facts{"appendonly": "no", "save": ""}, expected{"appendonly", engines.Risk,
			engines.Loss{Process: engines.Everything, Machine: engines.Everything}, []string{"loses everything in it", tickets}}},
		"any key may be evicted": {facts{"maxmemory": "100000000", "evicted_keys": "7"}, facts{"maxmemory-policy": "allkeys-lru"}, expected{"maxmemory-policy", engines.Risk,
			engines.Loss{Memory: engines.EvictedKeys}, []string{"It is allkeys-lru.", tickets, "7 keys have been dropped", "noeviction"}}},
		"any key may be evicted once there is a limit": {nil, facts{"maxmemory-policy": "allkeys-lru"}, expected{"maxmemory-policy", engines.Risk,
			engines.Loss{Memory: engines.EvictedKeys}, []string{"Nothing is dropped while maxmemory is 0"}}},
		"keys that expire may be evicted": {facts{"maxmemory": "100000000"}, facts{"maxmemory-policy": "volatile-ttl"}, expected{"maxmemory-policy", engines.Risk,
			engines.Loss{Memory: engines.HeldLocks}, []string{"held locks"}}},
		"nearly full": {facts{"maxmemory": "1100000"}, nil, expected{"memory", engines.Risk,
			engines.Loss{}, []string{"1.0 MB of 1.1 MB are used, 90 %", "rejects writes", "Raise maxmemory"}}},
		"nearly full and evicting": {facts{"maxmemory": "1100000"}, facts{"maxmemory-policy": "allkeys-lru"}, expected{"memory", engines.Risk,
			engines.Loss{}, []string{"drops keys"}}},
		"not nearly full": {facts{"maxmemory": "1200000"}, nil, expected{"memory", engines.OK,
			engines.Loss{}, []string{"83 %"}}},
		"a replica": {facts{"connected_slaves": "1"}, nil, expected{"replicas", engines.Risk,
			engines.Loss{Failover: engines.Moments}, []string{"1 replica follows asynchronously", tickets, "Set min-replicas-to-write to 1"}}},
		"fewer replicas than a write needs": {facts{"connected_slaves": "1", "min_slaves_good_slaves": "1"}, facts{"min-replicas-to-write": "2"}, expected{"replicas", engines.Broken,
			engines.Loss{}, []string{"NOREPLICAS", "503", "no accepted purchase is lost"}}},
		"as many as a write needs": {facts{"connected_slaves": "2", "min_slaves_good_slaves": "1"}, facts{"min-replicas-to-write": "1"}, expected{"replicas", engines.Risk,
			engines.Loss{Failover: engines.Moments}, nil}},
		"replicas within bounds": {facts{"connected_slaves": "2"}, facts{"min-replicas-to-write": "1"}, expected{"replicas", engines.Risk,
			engines.Loss{Failover: engines.Moments}, []string{"2 replicas follow asynchronously", "min-replicas-max-lag allows (10 s)"}}},
	} {
		t.Run(name, func(t *testing.T) {
			test.hold(t, engines.RedisFindings(with(info, test.info), with(settings, test.settings)))
		})
	}
}

// Proves G5.44.
func TestUnreadableSettingsOfRedisAreUnknown(t *testing.T) {
	info := facts{"aof_enabled": "1", "maxmemory": "1000", "maxmemory_policy": "allkeys-lru", "used_memory": "10", "evicted_keys": "0", "connected_slaves": "1"}
	const ask = "ask your provider"
	for name, test := range map[string]struct {
		info facts
		expected
	}{
		"how it syncs":                  {info, expected{"appendfsync", engines.Unknown, engines.Loss{Process: engines.Nothing, Machine: engines.Undisclosed}, []string{"It cannot be read", ask, "everysec"}}},
		"the values come from INFO":     {info, expected{"appendonly", engines.OK, engines.Loss{}, nil}},
		"and the policy":                {info, expected{"maxmemory-policy", engines.Risk, engines.Loss{Memory: engines.EvictedKeys}, nil}},
		"and the replicas":              {info, expected{"replicas", engines.Risk, engines.Loss{Failover: engines.Moments}, []string{"Ask your provider"}}},
		"without a file, no snapshots?": {with(info, facts{"aof_enabled": "0"}), expected{"appendonly", engines.Risk, engines.Loss{Process: engines.Everything, Machine: engines.Everything}, []string{"everything if none is made"}}},
		"no INFO: the file":             {nil, expected{"appendonly", engines.Unknown, engines.Loss{Process: engines.Undisclosed, Machine: engines.Undisclosed}, []string{ask}}},
		"no INFO: how it syncs":         {nil, expected{"appendfsync", engines.Unknown, engines.Loss{Process: engines.Nothing, Machine: engines.Undisclosed}, []string{ask}}},
		"no INFO: the policy":           {nil, expected{"maxmemory-policy", engines.Unknown, engines.Loss{Memory: engines.Undisclosed}, []string{ask}}},
		"no INFO: the memory":           {nil, expected{"memory", engines.Unknown, engines.Loss{Memory: engines.Undisclosed}, []string{"your provider"}}},
		"no INFO: the replicas":         {nil, expected{"replicas", engines.Unknown, engines.Loss{Failover: engines.Undisclosed}, []string{ask}}},
	} {
		t.Run(name, func(t *testing.T) { test.hold(t, engines.RedisFindings(test.info, nil)) })
	}
}

// Proves G5.42.
func TestLossOfDatabaseServerIsReportedForEachSetting(t *testing.T) {
	base := facts{
		"innodb_flush_log_at_trx_commit": "1", "innodb_flush_log_at_timeout": "1", "innodb_doublewrite": "ON", "idle_transaction_timeout": "7",
		"log_bin": "ON", "sync_binlog": "1", "read_only": "OFF", "slaves_connected": "0",
		"rpl_semi_sync_master_enabled": "OFF", "rpl_semi_sync_master_timeout": "10000", "rpl_semi_sync_master_wait_point": "AFTER_SYNC", "rpl_semi_sync_master_status": "OFF",
		"version": "10.11.19-MariaDB-0+deb12u1", "version_comment": "Debian 12", "tx_isolation": "READ-COMMITTED", "check_constraint_checks": "ON",
		"auto_increment_increment": "1", "wsrep_on": "OFF", "wsrep_sync_wait": "0",
	}
	all := engines.MySQLFindings(base)
	enginestest.RequireSentences(t, all)
	for _, f := range all {
		require.Equal(t, engines.OK, f.Level, "%s: %s", f.Name, f.Says)
		require.Equal(t, engines.Database, f.Engine)
	}

	const writes = "acknowledged writes"
	semiSync := facts{"slaves_connected": "1", "rpl_semi_sync_master_enabled": "ON", "rpl_semi_sync_master_status": "ON"}
	for name, test := range map[string]struct {
		changes facts
		expected
	}{
		"flushed once a second": {facts{"innodb_flush_log_at_trx_commit": "2"}, expected{"innodb_flush_log_at_trx_commit", engines.Risk,
			engines.Loss{Process: engines.Nothing, Machine: engines.Second}, []string{"It is 2.", writes, "about the last second;", "Set it to 1."}}},
		"written once in several seconds": {facts{"innodb_flush_log_at_trx_commit": "0", "innodb_flush_log_at_timeout": "30"}, expected{"innodb_flush_log_at_trx_commit", engines.Risk,
			engines.Loss{Process: engines.Second, Machine: engines.Second}, []string{"database server, or of its machine", "about the last 30 seconds"}}},
		"flushed more than enough": {facts{"innodb_flush_log_at_trx_commit": "3"}, expected{"innodb_flush_log_at_trx_commit", engines.OK,
			engines.Loss{Process: engines.Nothing, Machine: engines.Nothing}, nil}},
		"no double write": {facts{"innodb_doublewrite": "OFF"}, expected{"innodb_doublewrite", engines.Risk,
			engines.Loss{Machine: engines.TornPages}, []string{"torn", "ON"}}},
		"torn pages are only noticed": {facts{"innodb_doublewrite": "DETECT_ONLY"}, expected{"innodb_doublewrite", engines.Risk,
			engines.Loss{Machine: engines.TornPages}, nil}},
		"the other name for on": {facts{"innodb_doublewrite": "DETECT_AND_RECOVER"}, expected{"innodb_doublewrite", engines.OK,
			engines.Loss{Machine: engines.Nothing}, nil}},
		"a binary log that is not synced": {facts{"sync_binlog": "0"}, expected{"sync_binlog", engines.Risk,
			engines.Loss{Process: engines.Nothing, Machine: engines.HalfMinute}, []string{writes, "whatever innodb_flush_log_at_trx_commit is", "Set it to 1."}}},
		"a binary log that is synced seldom": {facts{"sync_binlog": "100"}, expected{"sync_binlog", engines.Risk,
			engines.Loss{Process: engines.Nothing, Machine: engines.Moments}, []string{"every 100th group"}}},
		"asynchronous replicas": {facts{"slaves_connected": "2"}, expected{"replicas", engines.Risk,
			engines.Loss{Failover: engines.Moments}, []string{"2 replicas follow asynchronously", writes, "Enable semi-synchronous replication"}}},
		"semi-synchronous replicas": {semiSync, expected{"replicas", engines.OK,
			engines.Loss{Failover: engines.Nothing}, []string{"semi-synchronously", "10000 ms"}}},
		"semi-synchronous replicas that are late": {with(semiSync, facts{"rpl_semi_sync_master_status": "OFF"}), expected{"replicas", engines.Risk,
			engines.Loss{Failover: engines.Moments}, []string{"no replica has acknowledged"}}},
		"early visibility for others": {with(semiSync, facts{"rpl_semi_sync_master_wait_point": "AFTER_COMMIT"}), expected{"replicas", engines.Risk,
			engines.Loss{Failover: engines.Moments}, []string{"AFTER_SYNC"}}},
		"the newer names of MySQL": {facts{
			"rpl_semi_sync_master_enabled": "", "rpl_semi_sync_master_status": "", "rpl_semi_sync_master_timeout": "", "rpl_semi_sync_master_wait_point": "", "slaves_connected": "",
			"rpl_semi_sync_source_enabled": "ON", "rpl_semi_sync_source_status": "ON", "rpl_semi_sync_source_clients": "1", "rpl_semi_sync_source_wait_point": "AFTER_SYNC", "rpl_semi_sync_source_timeout": "5000",
		}, expected{"replicas", engines.OK, engines.Loss{Failover: engines.Nothing}, []string{"5000 ms"}}},
		"replicas without a report": {facts{"slaves_connected": ""}, expected{"replicas", engines.Unknown,
			engines.Loss{Failover: engines.Undisclosed}, []string{"cannot be read: ask your provider"}}},
		"variables that are not shown": {facts{"innodb_flush_log_at_trx_commit": ""}, expected{"innodb_flush_log_at_trx_commit", engines.Unknown,
			engines.Loss{Process: engines.Undisclosed, Machine: engines.Undisclosed}, []string{"cannot be read: ask your provider"}}},
		"no binary log": {facts{"log_bin": "OFF", "sync_binlog": "0"}, expected{"replicas", engines.OK, engines.Loss{}, nil}},
		"replicas without GTIDs": {facts{"slaves_connected": "1", "gtid_mode": "OFF_PERMISSIVE"}, expected{"replicas", engines.Risk,
			engines.Loss{Failover: engines.Moments}, []string{"gtid_mode is OFF_PERMISSIVE"}}},
		"a MariaDB": {nil, expected{"version", engines.OK, engines.Loss{}, []string{"10.11.19-MariaDB-0+deb12u1 (Debian 12)"}}},
		"a MySQL":   {facts{"version": "8.4.2", "version_comment": ""}, expected{"version", engines.OK, engines.Loss{}, []string{"MySQL 8.4.2.", "tests use MariaDB"}}},
		"an engine without tests": {facts{"version": "8.0.11-TiDB-v7.5.0"}, expected{"version", engines.Risk,
			engines.Loss{}, []string{"is untested", "docs/engines.md"}}},
		"a version that is not shown": {facts{"version": ""}, expected{"version", engines.Unknown, engines.Loss{}, nil}},
		"another isolation level": {facts{"tx_isolation": "REPEATABLE-READ"}, expected{"isolation", engines.Broken,
			engines.Loss{}, []string{"at REPEATABLE-READ although"}}},
		"the level by its newer name": {facts{"tx_isolation": "", "transaction_isolation": "READ-COMMITTED"}, expected{"isolation", engines.OK, engines.Loss{}, nil}},
		"a level that is not shown":   {facts{"tx_isolation": ""}, expected{"isolation", engines.Unknown, engines.Loss{}, nil}},
		"checks that are off": {facts{"check_constraint_checks": "OFF"}, expected{"check_constraint_checks", engines.Risk,
			engines.Loss{}, []string{"guards decide", "Set it to ON"}}},
		"a MySQL that always checks": {facts{"check_constraint_checks": "", "version": "8.0.16"}, expected{"check_constraint_checks", engines.OK, engines.Loss{}, nil}},
		"one that does not yet":      {facts{"check_constraint_checks": "", "version": "8.0.15"}, expected{"check_constraint_checks", engines.Risk, engines.Loss{}, []string{"may not enforce"}}},
		"ids in steps":               {facts{"auto_increment_increment": "3"}, expected{"auto_increment_increment", engines.OK, engines.Loss{}, []string{"grow by 3", "numbered after the commit"}}},
		"Group Replication": {facts{"group_replication_group_name": "aa"}, expected{"group_replication_group_name", engines.Risk,
			engines.Loss{Failover: engines.Undisclosed}, []string{"untested"}}},
		"a server that rejects writes": {facts{"read_only": "ON"}, expected{"read_only", engines.Broken,
			engines.Loss{}, []string{"rejects writes"}}},
	} {
		t.Run(name, func(t *testing.T) { test.hold(t, engines.MySQLFindings(with(base, test.changes))) })
	}
}

// Proves G5.42.
func TestLossOfClusterIsReportedForEachSetting(t *testing.T) {
	base := facts{
		"version": "10.11.19-MariaDB", "tx_isolation": "READ-COMMITTED", "check_constraint_checks": "ON", "auto_increment_increment": "3",
		"innodb_flush_log_at_trx_commit": "2", "innodb_doublewrite": "ON", "idle_transaction_timeout": "7", "log_bin": "OFF", "sync_binlog": "0", "read_only": "OFF", "slaves_connected": "0",
		"wsrep_on": "ON", "wsrep_sync_wait": "7", "wsrep_provider_options": "base_port = 4567; pc.ignore_quorum = false; pc.ignore_sb = false; pc.weight = 1; ",
		"wsrep_cluster_size": "3", "wsrep_cluster_status": "Primary", "wsrep_local_state": "4", "wsrep_local_state_comment": "Synced", "wsrep_ready": "ON",
		"wsrep_incoming_addresses": "AUTO,AUTO,AUTO", "wsrep_local_cert_failures": "4", "wsrep_local_bf_aborts": "3",
	}
	all := engines.MySQLFindings(base)
	enginestest.RequireSentences(t, all)
	for _, f := range all {
		require.Equal(t, engines.OK, f.Level, "%s: %s", f.Name, f.Says)
		require.NotEqual(t, "replicas", f.Name, "the servers of a cluster do not follow by the binary log")
		require.False(t, f.Fatal, f.Name)
	}
	two := facts{"wsrep_cluster_size": "2", "wsrep_incoming_addresses": "AUTO,AUTO"}
	withArbitrator := facts{"wsrep_cluster_size": "3", "wsrep_incoming_addresses": "10.0.0.1:3306,,10.0.0.2:3306"}
	logged := facts{"log_bin": "ON"}
	for name, test := range map[string]struct {
		changes facts
		servers int
		fatal   bool
		expected
	}{
		"three servers": {nil, 1, false, expected{"wsrep_cluster_size", engines.OK,
			engines.Loss{Failover: engines.Nothing}, []string{"3 members, of which 3 have the data", "no failover loses it"}}},
		"four": {facts{"wsrep_cluster_size": "4"}, 1, false, expected{"wsrep_cluster_size", engines.OK,
			engines.Loss{Failover: engines.Nothing}, []string{"halves"}}},
		"three that do not sync": {nil, 1, false, expected{"innodb_flush_log_at_trx_commit", engines.OK,
			engines.Loss{Process: engines.Nothing, Machine: engines.Nothing}, []string{"only when all their machines fail together", "about the last second"}}},
		"three that do not write": {facts{"innodb_flush_log_at_trx_commit": "0"}, 1, false, expected{"innodb_flush_log_at_trx_commit", engines.OK,
			engines.Loss{Process: engines.Nothing, Machine: engines.Nothing}, []string{"It is 0", "all their machines"}}},
		"three with unsynced binary logs": {logged, 1, false, expected{"sync_binlog", engines.OK,
			engines.Loss{Process: engines.Nothing, Machine: engines.Nothing}, []string{"all their machines"}}},
		"two servers": {two, 1, false, expected{"wsrep_cluster_size", engines.Risk,
			engines.Loss{Failover: engines.Nothing}, []string{"503 until an operator bootstraps", "arbitrator (garbd)"}}},
		"two that do not sync": {two, 1, false, expected{"innodb_flush_log_at_trx_commit", engines.Risk,
			engines.Loss{Process: engines.Nothing, Machine: engines.Second}, []string{"Set it to 1"}}},
		"two and an arbitrator": {withArbitrator, 1, false, expected{"wsrep_cluster_size", engines.OK,
			engines.Loss{Failover: engines.Nothing}, []string{"3 members, of which 2 have the data"}}},
		"an arbitrator syncs nothing": {withArbitrator, 1, false, expected{"innodb_flush_log_at_trx_commit", engines.Risk,
			engines.Loss{Process: engines.Nothing, Machine: engines.Second}, nil}},
		"one server": {facts{"wsrep_cluster_size": "1"}, 1, false, expected{"wsrep_cluster_size", engines.Risk,
			engines.Loss{}, []string{"nothing to fail over to"}}},
		"a part without a majority": {facts{"wsrep_cluster_status": "non-Primary", "wsrep_ready": "OFF", "wsrep_cluster_size": "1"}, 1, false, expected{"wsrep_cluster_status", engines.Broken,
			engines.Loss{}, []string{"neither reads nor writes", "503", "bootstrap the part with the most data"}}},
		"its settings hold nothing together": {facts{"wsrep_cluster_status": "non-Primary", "wsrep_ready": "OFF"}, 1, false, expected{"innodb_flush_log_at_trx_commit", engines.Risk,
			engines.Loss{Process: engines.Nothing, Machine: engines.Second}, nil}},
		"a server that joins": {facts{"wsrep_ready": "OFF", "wsrep_local_state": "1", "wsrep_local_state_comment": "Joining"}, 1, false, expected{"wsrep_cluster_status", engines.Broken,
			engines.Loss{}, []string{"not ready (Joining)"}}},
		"a donor": {facts{"wsrep_local_state": "2", "wsrep_local_state_comment": "Donor/Desynced"}, 1, false, expected{"wsrep_cluster_status", engines.OK,
			engines.Loss{}, []string{"Donor/Desynced", "caught up"}}},
		"one writer": {nil, 1, false, expected{"writers", engines.OK,
			engines.Loss{}, []string{"are unknown", "run again", "rolled back 7 transactions"}}},
		"several writers": {nil, 3, false, expected{"writers", engines.Risk,
			engines.Loss{}, []string{"3 servers of the cluster", "violate no promise", "run again", "rolled back 7 transactions", "to one server"}}},
		"split brain": {facts{"wsrep_provider_options": "pc.ignore_quorum = false; pc.ignore_sb = true; "}, 1, true, expected{"pc.ignore_sb", engines.Broken,
			engines.Loss{Failover: engines.Moments}, []string{"both continue to accept writes", "Set it to false"}}},
		"no quorum": {facts{"wsrep_provider_options": "pc.ignore_quorum = yes; pc.ignore_sb = no; "}, 1, true, expected{"pc.ignore_quorum", engines.Broken,
			engines.Loss{Failover: engines.Moments}, nil}},
		"every part bootstraps itself": {facts{"wsrep_provider_options": "pc.bootstrap = 1"}, 1, true, expected{"pc.bootstrap", engines.Broken,
			engines.Loss{Failover: engines.Moments}, nil}},
		"options that are not shown": {facts{"wsrep_provider_options": ""}, 1, false, expected{"pc.ignore_sb", engines.Unknown,
			engines.Loss{Failover: engines.Undisclosed}, nil}},
		"reads of a moment before": {facts{"wsrep_sync_wait": "0"}, 1, true, expected{"wsrep_sync_wait", engines.Broken,
			engines.Loss{}, []string{"at 0 although it sets them to 7"}}},
		"more than required": {facts{"wsrep_sync_wait": "15"}, 1, false, expected{"wsrep_sync_wait", engines.OK, engines.Loss{}, nil}},
		"asynchronous replicas of the cluster": {with(logged, facts{"slaves_connected": "1"}), 1, false, expected{"replicas", engines.Risk,
			engines.Loss{Failover: engines.Moments}, nil}},
		"servers without a cluster": {facts{"wsrep_on": "OFF"}, 2, false, expected{"servers", engines.Risk,
			engines.Loss{Failover: engines.Moments}, []string{"2 servers that are no cluster"}}},
	} {
		t.Run(name, func(t *testing.T) {
			found := engines.ServerFindings(with(base, test.changes), test.servers)
			test.hold(t, found)
			require.Equal(t, test.fatal, enginestest.About(t, found, test.name).Fatal)
		})
	}
}

// Proves G5.47.
func TestServerStartsOnlyOnFitEngines(t *testing.T) {
	base := facts{"version": "10.11.19-MariaDB", "tx_isolation": "READ-COMMITTED", "wsrep_on": "OFF", "read_only": "OFF"}
	fatal := func(changes facts, otherEngines ...string) []string {
		report := engines.Report{Findings: engines.ServerFindings(with(base, changes), 1, otherEngines...)}
		var names []string
		for _, f := range report.Fatal() {
			require.Equal(t, engines.Broken, f.Level, f.Name)
			names = append(names, f.Name)
		}
		return names
	}
	require.Empty(t, fatal(nil))
	require.Equal(t, []string{"read_only"}, fatal(facts{"read_only": "ON"}))
	require.Equal(t, []string{"isolation"}, fatal(facts{"tx_isolation": "SERIALIZABLE"}))
	require.Equal(t, []string{"storage_engine"}, fatal(nil, "Aria", "MyISAM"))
}

// Proves G5.42.
func TestLossOfEmbeddedDatabaseIsReportedForEachSetting(t *testing.T) {
	for name, test := range map[string]struct {
		journal     string
		synchronous int
		expected
	}{
		"as it is opened":       {"wal", 2, expected{"synchronous", engines.OK, engines.Loss{Process: engines.Nothing, Machine: engines.Nothing}, nil}},
		"synced now and then":   {"wal", 1, expected{"synchronous", engines.Risk, engines.Loss{Process: engines.Nothing, Machine: engines.Moments}, []string{"acknowledged writes"}}},
		"never synced":          {"wal", 0, expected{"synchronous", engines.Risk, engines.Loss{Process: engines.Nothing, Machine: engines.TornPages}, nil}},
		"readers wait":          {"delete", 2, expected{"journal_mode", engines.Risk, engines.Loss{Process: engines.Nothing}, []string{"readers wait"}}},
		"a journal in memory":   {"memory", 2, expected{"journal_mode", engines.Risk, engines.Loss{Process: engines.TornPages, Machine: engines.TornPages}, nil}},
		"a log that is written": {"wal", 2, expected{"journal_mode", engines.OK, engines.Loss{Process: engines.Nothing}, nil}},
	} {
		t.Run(name, func(t *testing.T) { test.hold(t, engines.SQLiteFindings(test.journal, test.synchronous)) })
	}
}

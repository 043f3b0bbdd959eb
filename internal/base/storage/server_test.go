package storage_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// whenSet returns a rejection of the statement that configures a new session.
func whenSet(with storagetest.Refusal) func(statement string) *storagetest.Refusal {
	return func(statement string) *storagetest.Refusal {
		if strings.HasPrefix(statement, "SET ") && strings.Contains(statement, "READ-COMMITTED") {
			return &with
		}
		return nil
	}
}

// openError returns the error of opening a database.
func openError(t *testing.T, url string) error {
	t.Helper()
	db, err := storage.Open(t.Context(), storage.Options{URL: url})
	if err == nil {
		require.NoError(t, db.Close())
	}
	require.Error(t, err)
	return err
}

// Proves G5.47.
func TestServerThatIgnoresSessionSettingsIsRejected(t *testing.T) {
	tap, through := storagetest.NewTap(t, storagetest.NewMariaDBURL(t))
	ignored := whenSet(storagetest.Refusal{Ignored: true})
	tap.Refuse(ignored)
	err := openError(t, through)
	require.ErrorIs(t, err, storage.ErrUnfit)
	require.ErrorContains(t, err, "its transactions are at REPEATABLE-READ although READ-COMMITTED was requested")

	tap.Refuse(nil)
	db := storagetest.Open(t, through)
	ctx := storage.AcrossTenants(t.Context())
	held, err := db.Pools()["read"].Conn(ctx)
	require.NoError(t, err)
	defer held.Close()
	tap.Refuse(ignored)
	err = db.Read(ctx).Exec("SELECT 1").Error
	require.ErrorIs(t, err, storage.ErrUnfit, "a new connection of a running service")
	require.True(t, storage.IsAway(err))
	tap.Refuse(nil)
	require.NoError(t, db.Read(ctx).Exec("SELECT 1").Error)
}

// Proves G5.47.
func TestUnfitServerIsRejectedWithReason(t *testing.T) {
	tap, through := storagetest.NewTap(t, storagetest.NewMariaDBURL(t))
	tap.Refuse(whenSet(storagetest.Refusal{Number: 1286, Message: "Unknown storage engine 'InnoDB'"}))
	err := openError(t, through)
	require.ErrorIs(t, err, storage.ErrUnfit)
	require.ErrorContains(t, err, "it has no InnoDB")

	// Galera rejects the first query, and the first one after reads are causal, in this
	// way.
	for _, number := range []storagetest.Refusal{
		{Number: 1047, Message: "WSREP has not yet prepared node for application use"},
		{Number: 1205, Message: "Lock wait timeout exceeded; try restarting transaction"},
	} {
		tap.RefuseNext("SELECT VERSION()", number)
		err = openError(t, through)
		require.ErrorContains(t, err, "its part of the cluster has no majority")
		require.NotErrorIs(t, err, storage.ErrUnfit, "it will be")
	}
}

func TestCapabilitiesMatchTheEngine(t *testing.T) {
	require.Equal(t, storage.Capabilities{}, storagetest.SQLite(t).Capabilities())
	address := storagetest.NewMariaDBURL(t)
	all := storage.Capabilities{Packets: true, MigrationLease: true, SkipLocked: true, SequencedLogs: true}
	require.Equal(t, all, storagetest.Open(t, address).Capabilities())
	all.Packets = false
	require.Equal(t, all, storagetest.Open(t, address+"?packets=false").Capabilities())
	for version, skips := range map[string]bool{
		"10.11.19-MariaDB-0+deb12u1": true, "5.5.5-10.6.18-MariaDB-log": true, "10.6.0-MariaDB": true, "11.4.3-MariaDB-ubu2404": true,
		"10.5.26-MariaDB": false, "5.5.5-10.5.26-MariaDB": false, "5.5.68-MariaDB": false,
		"8.4.2": true, "8.0.36-28": true, "8.0.1": true, "9.1.0": true, "8.0.0": false, "5.7.44-log": false,
		"8.0.11-TiDB-v7.5.0": false, "8.0.30-Vitess": false, "": false,
	} {
		require.Equal(t, skips, storage.SkipsLocked(version), version)
	}
}

func TestConnectionsAreCountedByServer(t *testing.T) {
	db := storagetest.Open(t, storagetest.NewMariaDBURL(t))
	require.Equal(t, 1, db.Servers())
	var held []*sql.Conn
	for range 3 {
		conn, err := db.Pools()["read"].Conn(t.Context())
		require.NoError(t, err)
		held = append(held, conn)
	}
	require.Equal(t, 1, db.Servers())
	for _, conn := range held {
		require.NoError(t, conn.Close())
	}
	require.NoError(t, db.Close())
	require.Zero(t, db.Servers())
}

// Proves D4.
func TestCommitIsVisibleInItsClusterOnly(t *testing.T) {
	type is = map[string]string
	maria := is{"server_id": "1", "hostname": "a", "port": "3306", "server_uid": "x"}
	galera := is{"wsrep_on": "ON", "wsrep_cluster_state_uuid": "c1", "hostname": "a", "port": "3306"}
	for name, test := range map[string]struct {
		there, here is
		seen        bool
	}{
		"the same MySQL":                    {is{"server_uuid": "u1", "hostname": "a"}, is{"server_uuid": "u1", "hostname": "b"}, true},
		"another MySQL":                     {is{"server_uuid": "u1", "hostname": "a"}, is{"server_uuid": "u2", "hostname": "a"}, false},
		"the same MariaDB":                  {maria, maria, true},
		"another by its id":                 {maria, is{"server_id": "2", "hostname": "a", "port": "3306", "server_uid": "x"}, false},
		"another by its host":               {maria, is{"server_id": "1", "hostname": "b", "port": "3306", "server_uid": "x"}, false},
		"another by its port":               {maria, is{"server_id": "1", "hostname": "a", "port": "3307", "server_uid": "x"}, false},
		"an older MariaDB, without uid":     {is{"server_id": "1", "hostname": "a"}, is{"server_id": "1", "hostname": "a"}, true},
		"a server without an identity":      {is{"server_id": "1"}, is{"server_id": "1"}, false},
		"another server of the cluster":     {galera, is{"wsrep_on": "ON", "wsrep_cluster_state_uuid": "c1", "hostname": "b", "port": "3306"}, true},
		"another cluster":                   {galera, is{"wsrep_on": "ON", "wsrep_cluster_state_uuid": "c2", "hostname": "b", "port": "3306"}, false},
		"a cluster without an identity":     {is{"wsrep_on": "ON", "hostname": "a"}, is{"wsrep_on": "ON", "hostname": "a"}, false},
		"two that have joined none":         {is{"wsrep_on": "ON", "wsrep_cluster_state_uuid": "00000000-0000-0000-0000-000000000000", "hostname": "a"}, is{"wsrep_on": "ON", "wsrep_cluster_state_uuid": "00000000-0000-0000-0000-000000000000", "hostname": "b"}, false},
		"a replica of the cluster":          {galera, is{"hostname": "b", "port": "3306"}, false},
		"the server outside of its cluster": {galera, is{"hostname": "a", "port": "3306"}, false},
	} {
		require.Equal(t, test.seen, storage.SeenBy(test.there, test.here), name)
	}
}

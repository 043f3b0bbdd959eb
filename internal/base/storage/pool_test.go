package storage_test

import (
	"database/sql"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// By default a server accepts 151 connections, for all replicas.
func TestIdleConnectionsOfABurstAreClosed(t *testing.T) {
	db, err := storage.Open(t.Context(), storage.Options{URL: storagetest.NewMariaDBURL(t), MaxIdleTime: 200 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	pool := db.Pools()["read"]
	var burst []*sql.Conn
	for range 12 {
		conn, err := pool.Conn(t.Context())
		require.NoError(t, err)
		burst = append(burst, conn)
	}
	for _, conn := range burst {
		require.NoError(t, conn.Close())
	}
	require.Equal(t, 12, pool.Stats().OpenConnections, "the next burst finds them")
	require.Eventually(t, func() bool { return pool.Stats().OpenConnections == 0 }, life, 50*time.Millisecond)
}

// waitForClosed returns when the pools of a database have no open connections.
func waitForClosed(t *testing.T, db *storage.DB) {
	t.Helper()
	for _, pool := range db.Pools() {
		// Unused connections are closed at the pool's next check.
		require.Eventually(t, func() bool { return pool.Stats().OpenConnections == 0 }, life, 10*time.Millisecond)
	}
}

// A new connection costs two statements in addition to its handshake, which an idle replica
// would repeat constantly.
func TestRarelyUsedPoolReusesItsConnection(t *testing.T) {
	address, admin := crowded(t, 10)
	db, err := storage.Open(t.Context(), storage.Options{URL: address, MaxIdleTime: 20 * time.Millisecond})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	ctx := storage.AcrossTenants(t.Context())
	require.NoError(t, unit(ctx, db))
	opened := db.LinkChanges()
	for range 3 {
		waitForClosed(t, db)
		require.NoError(t, unit(ctx, db))
	}
	require.Equal(t, opened, db.LinkChanges())

	// The connection must not be in a transaction, even if its last user left one open.
	pool := db.Pools()["write"]
	conn, err := pool.Conn(ctx)
	require.NoError(t, err)
	_, err = conn.ExecContext(ctx, "START TRANSACTION")
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	waitForClosed(t, db)
	var open int
	require.NoError(t, pool.QueryRowContext(ctx, "SELECT @@in_transaction").Scan(&open))
	require.Zero(t, open)

	// A connection that the server has closed must not be used.
	waitForClosed(t, db)
	u, err := url.Parse(address)
	require.NoError(t, err)
	run(t, admin, "KILL HARD USER "+u.User.Username())
	require.NoError(t, unit(ctx, db))
	require.Equal(t, opened+2, db.LinkChanges())
}

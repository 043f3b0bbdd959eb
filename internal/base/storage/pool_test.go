package storage_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// A server takes 151 connections by default, for all replicas.
func TestConnectionsThatABurstOpenedAreClosedWhenNobodyNeedsThem(t *testing.T) {
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
	require.Eventually(t, func() bool { return pool.Stats().OpenConnections == 0 }, 20*time.Second, 50*time.Millisecond)
}

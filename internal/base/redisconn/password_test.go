package redisconn_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn"
	"interlock/internal/base/redisconn/redistest"
)

func TestPasswordFileIsReadForEachConnection(t *testing.T) {
	server := redistest.NewServer(t)
	file := filepath.Join(t.TempDir(), "password")
	write := func(password string) { require.NoError(t, os.WriteFile(file, []byte(password+"\n"), 0o600)) }
	admin := redistest.Connect(t, server.URL())
	rotate := func(old, password string) {
		require.NoError(t, admin.Do(t.Context(), "AUTH", "default", old).Err())
		require.NoError(t, admin.ConfigSet(t.Context(), "requirepass", password).Err())
		// A server does not close authenticated connections when the password changes.
		require.NoError(t, admin.ClientKillByFilter(t.Context(), "TYPE", "normal", "SKIPME", "yes").Err())
	}
	require.NoError(t, admin.ConfigSet(t.Context(), "requirepass", "first").Err())

	write("first")
	client := redistest.Connect(t, server.URL()+"?password_file="+file)
	require.NoError(t, client.Set(t.Context(), "key", 1, 0).Err())

	rotate("first", "second")
	// The client finds its killed connection closed.
	require.Eventually(t, func() bool { return redis.IsAuthError(client.Get(t.Context(), "key").Err()) }, 10*time.Second, 10*time.Millisecond)
	err := client.Incr(t.Context(), "key").Err()
	require.False(t, redisconn.Refused(err), "%v is about the connection, not the command", err)
	require.False(t, redisconn.MayHaveRun(err), "%v", err)

	write("second")
	require.Equal(t, "1", client.Get(t.Context(), "key").Val())
}

func TestMissingPasswordIsAConnectionError(t *testing.T) {
	server := redistest.NewServer(t)
	client := redistest.Connect(t, server.URL())
	require.NoError(t, client.ConfigSet(t.Context(), "requirepass", "secret").Err())
	other := redistest.Connect(t, server.URL())
	err := other.Incr(t.Context(), "key").Err()
	require.ErrorContains(t, err, "NOAUTH")
	require.False(t, redisconn.Refused(err))
	require.False(t, redisconn.MayHaveRun(err))
}

package redisconn_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
)

func TestTheMasterIsFoundThroughASentinelThatAnswers(t *testing.T) {
	master := redistest.NewServer(t)
	sentinel := redistest.NewSentinel(t, "mymaster", master)
	// The first Sentinel in the list is down.
	client := redistest.Connect(t, "redis+sentinel://127.0.0.1:1,"+sentinel.Addr+"/mymaster/2")
	require.Eventually(t, func() bool { return client.Set(t.Context(), "key", "value", 0).Err() == nil }, 10*time.Second, 10*time.Millisecond)

	_, port, err := net.SplitHostPort(master.Addr)
	require.NoError(t, err)
	got, err := redistest.Connect(t, "redis://127.0.0.1:"+port+"/2").Get(t.Context(), "key").Result()
	require.NoError(t, err)
	require.Equal(t, "value", got)
}

package redisconn_test

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/test/tier"
)

func TestMasterIsFoundThroughAResponsiveSentinel(t *testing.T) {
	master := redistest.NewServer(t)
	sentinel := redistest.NewSentinel(t, "mymaster", master)
	// The first Sentinel in the list is down.
	client := redistest.Connect(t, "redis+sentinel://127.0.0.1:1,"+sentinel.Addr+"/mymaster/2")
	require.Eventually(t, func() bool { return client.Set(t.Context(), "key", "value", 0).Err() == nil }, patience, 10*time.Millisecond)

	_, port, err := net.SplitHostPort(master.Addr)
	require.NoError(t, err)
	got, err := redistest.Connect(t, "redis://127.0.0.1:"+port+"/2").Get(t.Context(), "key").Result()
	require.NoError(t, err)
	require.Equal(t, "value", got)
}

func TestNewMasterIsUsedImmediatelyAfterFailover(t *testing.T) {
	t.Parallel()
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			if name == "frozen" {
				tier.Nightly(t)
			}
			t.Parallel()
			master := redistest.NewServer(t)
			replica := redistest.NewReplica(t, master)
			sentinel := redistest.NewSentinel(t, "mymaster", master)
			watch := redistest.Connect(t, "redis://"+sentinel.Addr+"/0")
			require.Eventually(t, func() bool {
				known, err := watch.Do(t.Context(), "SENTINEL", "REPLICAS", "mymaster").Slice()
				return err == nil && len(known) == 1
			}, patience, 20*time.Millisecond, "the Sentinel knows the replica")
			client := redistest.Connect(t, "redis+sentinel://"+sentinel.Addr+"/mymaster/0")
			require.NoError(t, client.Set(t.Context(), "key", "before", 0).Err())

			end(t, master)
			require.Eventually(t, func() bool {
				chosen, err := watch.Do(t.Context(), "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "mymaster").StringSlice()
				return err == nil && net.JoinHostPort(chosen[0], chosen[1]) == replica.Addr
			}, patience, 20*time.Millisecond, "the Sentinel fails over")
			requireServedSoon(t, client, "key")
		})
	}
}

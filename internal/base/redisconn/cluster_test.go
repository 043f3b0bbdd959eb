package redisconn_test

import (
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/test/tier"
)

// ends are the ways in which a master fails; a frozen master still accepts connections but
// does not respond.
var ends = map[string]func(t *testing.T, master *redistest.Server){
	"killed": func(t *testing.T, master *redistest.Server) { master.Kill(t) },
	"frozen": func(t *testing.T, master *redistest.Server) { master.Pause(t) },
}

// requireServedSoon checks that writes succeed before the client refreshes its map, once a minute.
func requireServedSoon(t *testing.T, client redis.UniversalClient, key string) {
	t.Helper()
	require.Eventually(t, func() bool { return client.Set(t.Context(), key, "after", 0).Err() == nil }, 30*time.Second, 20*time.Millisecond)
}

// A client that waits for the next refresh of its cluster map, once a minute, would send
// commands to the dead master until then.
func TestClusterIsUsableImmediatelyAfterFailover(t *testing.T) {
	t.Parallel()
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			if name == "frozen" {
				tier.Nightly(t)
			}
			t.Parallel()
			cluster := redistest.NewCluster(t)
			master := cluster.Nodes[0]
			cluster.Replicate(t, master)
			client := redistest.Connect(t, cluster.URL())
			key := keyOn(t, cluster, master, true)
			require.NoError(t, client.Set(t.Context(), key, "before", 0).Err())

			end(t, master)
			other := redistest.Connect(t, cluster.Nodes[1].URL())
			finished := func() bool {
				nodes, err := other.Do(t.Context(), "CLUSTER", "SLOTS").Slice()
				if err != nil {
					return false
				}
				for _, slots := range nodes {
					node := slots.([]any)[2].([]any)
					if net.JoinHostPort(node[0].(string), strconv.FormatInt(node[1].(int64), 10)) == master.Addr {
						return false
					}
				}
				return true
			}
			require.Eventually(t, func() bool {
				_ = client.Get(t.Context(), key).Err()
				return finished()
			}, patience, 20*time.Millisecond, "the cluster fails over")
			requireServedSoon(t, client, key)
		})
	}
}

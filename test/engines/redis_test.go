//go:build engines

package engines_test

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/flashsale/gate"
	"interlock/test/apptest"
	"interlock/test/traffic"
)

// failovers is the number of masters that are killed, each during a separate sale.
const failovers = 3

// redundant is a Redis with replicas that replace its masters.
type redundant struct {
	url     string
	servers []*redistest.Server
	// master returns the master with the gate of a sale.
	master func(t *testing.T, sale int64) *redistest.Server
	// awaitPromotion waits until a replica has replaced a killed master.
	awaitPromotion func(t *testing.T, killed *redistest.Server)
	// sentinels watch the masters; empty for a Redis Cluster.
	sentinels []*redistest.Server
}

// TestServiceContinuesAfterARedisFailover kills masters of a Redis during a flash sale
// and other writes at two replicas of the service.
func TestServiceContinuesAfterARedisFailover(t *testing.T) {
	for name, start := range map[string]func(t *testing.T) redundant{"cluster": threeMasters, "sentinel": func(t *testing.T) redundant { return watched(t, redistest.NewServer(t)) }} {
		t.Run(name, func(t *testing.T) { failOver(t, start(t)) })
	}
}

func failOver(t *testing.T, r redundant) {
	database := storagetest.NewMariaDBURL(t)
	programs := []*apptest.Program{replica(t, database, r.url), replica(t, database, r.url)}
	f := traffic.Begin(t, everywhere(t, programs)...)
	f.RequireWrites(t, "nothing")
	lost := 0
	for n := range failovers {
		lost += failOverUnderASale(t, f, programs, r, n%2 == 1)
	}
	f.End()
	t.Logf("%d failovers, which lost %d tickets; the slowest write after one: %v", failovers, lost, f.Slowest())
	verify(t, f, programs, database)
}

// failOverUnderASale kills the master with the gate of a sale after a quarter of its units
// are sold. The master's replicas have received all its writes, or are disconnected and
// behind. A ticket that only the master had is lost: its customer is notified, it is
// counted, and its unit is sold again. The result is the number of lost tickets.
func failOverUnderASale(t *testing.T, f *traffic.Traffic, programs []*apptest.Program, r redundant, behind bool) int {
	t.Helper()
	sale := openSale(t, programs, rushPace)
	id, err := strconv.ParseInt(strings.TrimPrefix(sale.Path, "/flash-sales/"), 10, 64)
	require.NoError(t, err)
	var breaking sync.WaitGroup
	breaking.Go(func() {
		sale.Await(t, t.Context(), rushUnits/4)
		master := r.master(t, id)
		if behind {
			r.cutOff(t, master)
			sale.Await(t, t.Context(), min(sale.Accepted()+rushUnits/6, rushUnits))
		}
		master.Kill(t)
		if behind {
			r.allow(t, master)
		}
		r.awaitPromotion(t, master)
		promoted, sold := clock.Mark(), sale.Accepted()
		f.RequireWrites(t, "a failover", "order", "entry", "edit")
		sale.Await(t, t.Context(), min(sold+1, rushUnits))
		took := clock.Since(promoted)
		f.Note("a failover, to a purchase", took)
		if took > traffic.Soon {
			t.Errorf("the sale continued %v after the failover, with %d tickets before it", took, sold)
		}
		master.Start(t)
		master.AwaitMaster(t)
	})
	sale.Rush(t)
	breaking.Wait()
	lost := sale.VerifyAfterLoss(t)
	if behind {
		require.Positive(t, lost, "writes that the replicas had not received were lost")
	}
	return lost
}

// cutOff disconnects a master's replicas, which cannot reconnect until allow: a master
// without a password rejects a replica that sends one.
func (r redundant) cutOff(t *testing.T, master *redistest.Server) {
	r.show(t, master, "a password")
	require.NoError(t, redistest.Connect(t, master.URL()).Do(t.Context(), "CLIENT", "KILL", "TYPE", "replica").Err())
}

// allow lets replicas connect to a master again.
func (r redundant) allow(t *testing.T, killed *redistest.Server) { r.show(t, killed, "") }

func (r redundant) show(t *testing.T, master *redistest.Server, password string) {
	for _, s := range r.servers {
		if s != master {
			require.NoError(t, redistest.Connect(t, s.URL()).ConfigSet(t.Context(), "masterauth", password).Err())
		}
	}
}

// threeMasters is a Redis Cluster of three masters with a replica each.
func threeMasters(t *testing.T) redundant {
	cluster := redistest.NewCluster(t)
	servers := slices.Clone(cluster.Nodes)
	for _, master := range cluster.Nodes {
		servers = append(servers, cluster.Replicate(t, master))
	}
	return redundant{
		url: cluster.URL(), servers: servers,
		master: func(t *testing.T, sale int64) *redistest.Server {
			client := redistest.Connect(t, cluster.URL())
			node, err := redisconn.NodeOf(t.Context(), client, keyOf(t, client, sale))
			require.NoError(t, err)
			return named(t, servers, node.(*redis.Client).Options().Addr)
		},
		awaitPromotion: func(t *testing.T, killed *redistest.Server) {
			living := slices.DeleteFunc(slices.Clone(servers), func(s *redistest.Server) bool { return s == killed })
			client := redistest.Connect(t, living[0].URL())
			require.Eventually(t, func() bool {
				ranges, err := client.ClusterSlots(t.Context()).Result()
				return err == nil && !slices.ContainsFunc(ranges, func(of redis.ClusterSlot) bool { return of.Nodes[0].Addr == killed.Addr })
			}, patience, 20*time.Millisecond, "the cluster fails over")
		},
	}
}

// sentinelName is the name of the master in the Sentinels.
const sentinelName = "mymaster"

// watched adds two replicas to a master, and three Sentinels that watch it.
func watched(t *testing.T, master *redistest.Server) redundant {
	servers := []*redistest.Server{master, redistest.NewReplica(t, master), redistest.NewReplica(t, master)}
	sentinels := redistest.NewSentinels(t, 3, sentinelName, master, len(servers)-1)
	addresses := make([]string, len(sentinels))
	for i, s := range sentinels {
		addresses[i] = s.Addr
	}
	// chosen returns the master according to one of the Sentinels.
	chosen := func(t *testing.T, sentinel *redistest.Server) string {
		at, err := redistest.Connect(t, "redis://"+sentinel.Addr+"/0").Do(t.Context(), "SENTINEL", "GET-MASTER-ADDR-BY-NAME", sentinelName).StringSlice()
		require.NoError(t, err)
		return net.JoinHostPort(at[0], at[1])
	}
	return redundant{
		servers: servers, sentinels: sentinels,
		url:    "redis+sentinel://" + strings.Join(addresses, ",") + "/" + sentinelName + "/0",
		master: func(t *testing.T, _ int64) *redistest.Server { return named(t, servers, chosen(t, sentinels[0])) },
		awaitPromotion: func(t *testing.T, killed *redistest.Server) {
			for _, sentinel := range sentinels {
				require.Eventually(t, func() bool { return chosen(t, sentinel) != killed.Addr }, patience, 20*time.Millisecond, "the Sentinels fail over")
			}
		},
	}
}

// keyOf returns the key of a sale's gate.
func keyOf(t *testing.T, client redis.UniversalClient, sale int64) string {
	t.Helper()
	var found []string
	var mu sync.Mutex
	require.NoError(t, client.(*redis.ClusterClient).ForEachMaster(t.Context(), func(ctx context.Context, node *redis.Client) error {
		keys, err := node.Keys(ctx, "*"+gate.QueueName(sale)+"}*gate").Result()
		mu.Lock()
		defer mu.Unlock()
		found = append(found, keys...)
		return err
	}))
	require.Len(t, found, 1)
	return found[0]
}

func named(t *testing.T, servers []*redistest.Server, address string) *redistest.Server {
	t.Helper()
	i := slices.IndexFunc(servers, func(s *redistest.Server) bool { return s.Addr == address })
	require.GreaterOrEqual(t, i, 0, address)
	return servers[i]
}

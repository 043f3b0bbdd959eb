package redisconn_test

import (
	"context"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/redisconn"
	"interlock/internal/base/redisconn/redistest"
)

func TestMain(m *testing.M) {
	// If a pool is closed while it cannot connect, its goroutine tryDial ends within a second.
	// A test does not wait for that.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// patience is the deadline of each wait. Only a hang reaches it.
const patience = 2 * time.Minute

func TestAURLNamesATopology(t *testing.T) {
	tests := map[string]struct {
		topology redisconn.Topology
		addrs    []string
		master   string
		database int
		says     string
	}{
		"redis://localhost":                            {redisconn.Single, []string{"localhost:6379"}, "", 0, "localhost:6379"},
		"redis://u:p%40ss@h:1/3":                       {redisconn.Single, []string{"h:1"}, "", 3, "h:1"},
		"rediss://:secret@[::1]:1/":                    {redisconn.Single, []string{"[::1]:1"}, "", 0, "[::1]:1"},
		"redis+sentinel://a,b:2/mymaster/4":            {redisconn.Sentinel, []string{"a:26379", "b:2"}, "mymaster", 4, "a:26379,b:2 (Sentinels of mymaster)"},
		"rediss+sentinel://a/m?sentinel_password=some": {redisconn.Sentinel, []string{"a:26379"}, "m", 0, "a:26379 (Sentinels of m)"},
		"redis+cluster://u:p@a:1,b:2,c":                {redisconn.Cluster, []string{"a:1", "b:2", "c:6379"}, "", 0, "a:1,b:2,c:6379 (cluster)"},
		"rediss+cluster://one:1/0":                     {redisconn.Cluster, []string{"one:1"}, "", 0, "one:1 (cluster)"},
	}
	for url, want := range tests {
		got, err := redisconn.Parse(url)
		require.NoError(t, err, url)
		require.Equal(t, want.topology, got.Topology, url)
		require.Equal(t, want.addrs, got.Addrs, url)
		require.Equal(t, want.master, got.Master, url)
		require.Equal(t, want.database, got.Database, url)
		require.Equal(t, want.says, got.String(), url)
	}
}

func TestURLErrorOmitsPassword(t *testing.T) {
	for url, want := range map[string]string{
		"":                                   "redis://HOST:PORT/0",
		"localhost:6379":                     "redis://HOST:PORT/0",
		"http://h":                           "redis+cluster://",
		"redis://u:hunter2@":                 "redis://HOST:PORT/0",
		"redis://u:hunter2@h:port":           "redis://HOST:PORT/0",
		"redis://u:hunter2@h#x":              "redis://HOST:PORT/0",
		"redis://u:hunter2@h/x":              "one number",
		"redis://u:hunter2@h/0/1":            "one number",
		"redis://u:hunter2@h/-1":             "one number",
		"redis://u:hunter2@a,b":              "redis+cluster://",
		"redis://u:hunter2@h?pool_size=1":    "pool_size",
		"redis+cluster://u:hunter2@a,b/1":    "database 0 only",
		"redis+cluster://u:hunter2@a,":       "redis+cluster://HOST:PORT",
		"redis+sentinel://u:hunter2@a,b":     "mymaster",
		"redis+sentinel://u:hunter2@a,b/m/x": "one number",
	} {
		_, err := redisconn.Parse(url)
		require.ErrorContains(t, err, want, url)
		require.NotContains(t, err.Error(), "hunter2", url)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"redis://u:p@h:1/2", "redis+sentinel://a,b/m/1?sentinel_password=x", "rediss+cluster://[::1]:7,b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		target, err := redisconn.Parse(text)
		if err != nil {
			return
		}
		require.NotEmpty(t, target.Addrs)
		for _, addr := range target.Addrs {
			_, port, err := net.SplitHostPort(addr)
			require.NoError(t, err)
			_, err = strconv.Atoi(port)
			require.NoError(t, err)
		}
	})
}

func TestConnectsToClusterThroughAnyNode(t *testing.T) {
	cluster := redistest.NewCluster(t)
	client := redistest.Connect(t, "redis+cluster://127.0.0.1:1,"+cluster.Nodes[2].Addr)
	for i := range 50 {
		require.NoError(t, client.Set(t.Context(), "key "+strconv.Itoa(i), i, 0).Err())
	}
	for _, node := range cluster.Nodes {
		n, err := redistest.Connect(t, node.URL()).DBSize(t.Context()).Result()
		require.NoError(t, err)
		require.Positive(t, n, "every master has a part")
	}
}

// The proxy simulates a connection that breaks after the command has arrived.
func TestCommandWithLostReplyIsNotRetried(t *testing.T) {
	t.Parallel()
	server := redistest.NewServer(t)
	cluster := redistest.NewCluster(t)
	for name, node := range map[string]*redistest.Server{"single": server, "cluster": cluster.Nodes[0]} {
		t.Run(name, func(t *testing.T) {
			url := node.URL()
			if name == "cluster" {
				url = cluster.URL()
			}
			direct := redistest.Connect(t, url)
			key := keyOn(t, cluster, node, name == "cluster")
			require.NoError(t, direct.Set(t.Context(), key, 0, 0).Err())

			// The server runs the command once it is resumed; by then the client's time
			// limit has expired.
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			client := redistest.Connect(t, url)
			require.NoError(t, client.Get(ctx, key).Err())
			node.Pause(t)
			var requests sync.WaitGroup
			var err error
			requests.Go(func() { err = client.Incr(ctx, key).Err() })
			requests.Wait()
			node.Resume(t)
			require.Error(t, err)
			require.Eventually(t, func() bool {
				got, err := direct.Get(t.Context(), key).Int()
				return err == nil && got >= 1
			}, patience, 10*time.Millisecond)
			got, err := direct.Get(t.Context(), key).Int()
			require.NoError(t, err)
			require.Equal(t, 1, got)
		})
	}
}

// keyOn returns a key that the node serves.
func keyOn(t *testing.T, cluster *redistest.Cluster, node *redistest.Server, inCluster bool) string {
	t.Helper()
	if !inCluster {
		return "count"
	}
	client := redistest.Connect(t, node.URL())
	for i := 0; ; i++ {
		key := "count " + strconv.Itoa(i)
		if client.Get(t.Context(), key).Err() == nil {
			return key
		}
		// A node of a cluster rejects the keys of other nodes.
		if err := client.Set(t.Context(), key, 0, 0).Err(); err == nil {
			return key
		}
	}
}

func TestUnreachableServerFailsQuickly(t *testing.T) {
	client := redistest.Connect(t, "redis://127.0.0.1:1/0")
	start := time.Now()
	require.Error(t, client.Ping(t.Context()).Err())
	require.Less(t, time.Since(start), 20*time.Second)
}

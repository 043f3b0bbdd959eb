package engines_test

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/views/engines"
	"interlock/internal/views/engines/enginestest"
)

const patience = 30 * time.Second

// set changes settings of a server, as an operator would.
func set(t *testing.T, client redis.UniversalClient, settings ...string) {
	t.Helper()
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, client.ConfigSet(t.Context(), settings[i], settings[i+1]).Err())
	}
}

// Proves G5.43.
func TestSettingsOfARealRedisAreRead(t *testing.T) {
	client := redistest.Connect(t, redistest.NewServer(t).URL())
	for _, test := range []struct {
		settings []string
		expected
	}{
		{[]string{"appendfsync", "always"}, expected{"appendfsync", engines.OK, engines.Loss{Process: engines.Nothing, Machine: engines.Nothing}, nil}},
		{[]string{"appendfsync", "everysec"}, expected{"appendfsync", engines.Risk, engines.Loss{Process: engines.Nothing, Machine: engines.Second}, nil}},
		{[]string{"appendfsync", "no"}, expected{"appendfsync", engines.Risk, engines.Loss{Process: engines.Nothing, Machine: engines.HalfMinute}, nil}},
		{[]string{"appendfsync", "always", "no-appendfsync-on-rewrite", "yes"}, expected{"no-appendfsync-on-rewrite", engines.Risk, engines.Loss{Process: engines.Nothing, Machine: engines.HalfMinute}, nil}},
		{[]string{"appendonly", "no"}, expected{"appendonly", engines.Risk, engines.Loss{Process: engines.Everything, Machine: engines.Everything}, []string{"save is empty"}}},
		{[]string{"save", "60 1000"}, expected{"appendonly", engines.Risk, engines.Loss{Process: engines.SinceSnapshot, Machine: engines.SinceSnapshot}, []string{"save 60 1000"}}},
		{[]string{"appendonly", "yes"}, expected{"appendonly", engines.OK, engines.Loss{}, nil}},
		{nil, expected{"maxmemory-policy", engines.OK, engines.Loss{Memory: engines.Nothing}, nil}},
		{[]string{"maxmemory-policy", "allkeys-lru"}, expected{"maxmemory-policy", engines.Risk, engines.Loss{Memory: engines.EvictedKeys}, []string{"Nothing is dropped while maxmemory is 0"}}},
		{[]string{"maxmemory-policy", "noeviction", "maxmemory", "1"}, expected{"memory", engines.Risk, engines.Loss{}, []string{"rejects writes"}}},
		{[]string{"maxmemory", "1000000000"}, expected{"memory", engines.OK, engines.Loss{}, []string{"of 1000.0 MB are used"}}},
		{nil, expected{"replicas", engines.OK, engines.Loss{}, []string{"There are none"}}},
	} {
		set(t, client, test.settings...)
		report := enginestest.Inspect(t, engines.Probe{Redis: client})
		test.hold(t, report.Findings)
		require.Len(t, report.Memory, 1)
		require.Positive(t, report.Memory[0].Used)
	}
}

func TestEvictedKeysAreCounted(t *testing.T) {
	client := redistest.Connect(t, redistest.NewServer(t).URL())
	set(t, client, "maxmemory-policy", "allkeys-lru", "maxmemory", "3000000")
	value := strings.Repeat("x", 100_000)
	for i := range 100 {
		require.NoError(t, client.Set(t.Context(), "key "+strings.Repeat("i", i), value, 0).Err())
	}
	report := enginestest.Inspect(t, engines.Probe{Redis: client})
	require.Positive(t, report.Memory[0].Evicted)
	require.EqualValues(t, 3000000, report.Memory[0].Limit)
	require.Equal(t, "allkeys-lru", report.Memory[0].Policy)
	require.NotContains(t, enginestest.About(t, report.Findings, "maxmemory-policy").Says, " 0 keys have been dropped")
}

// Proves G5.43.
func TestAsynchronousReplicasOfRedisAreReported(t *testing.T) {
	master, replica := redistest.NewServer(t), redistest.NewServer(t)
	client := redistest.Connect(t, master.URL())
	host, port, err := net.SplitHostPort(master.Addr)
	require.NoError(t, err)
	require.NoError(t, redistest.Connect(t, replica.URL()).ReplicaOf(t.Context(), host, port).Err())
	follows := func() bool {
		return enginestest.About(t, enginestest.Inspect(t, engines.Probe{Redis: client}).Findings, "replicas").Level == engines.Risk
	}
	require.Eventually(t, follows, patience, 50*time.Millisecond, "the replica never came")
	set(t, client, "min-replicas-to-write", "1", "min-replicas-max-lag", "3")
	require.Eventually(t, follows, patience, 50*time.Millisecond, "a replica that is still being synchronised does not count for writes, and then it does")
	expected{"replicas", engines.Risk, engines.Loss{Failover: engines.Moments}, []string{"1 replica follows", "min-replicas-max-lag allows (3 s)"}}.
		hold(t, enginestest.Inspect(t, engines.Probe{Redis: client}).Findings)
}

// Proves G5.35.
func TestRedisWithTooFewReplicasIsBroken(t *testing.T) {
	master := redistest.NewServer(t)
	client := redistest.Connect(t, master.URL())
	set(t, client, "min-replicas-to-write", "1")
	require.ErrorContains(t, client.Set(t.Context(), "x", 1, 0).Err(), "NOREPLICAS")
	expected{"replicas", engines.Broken, engines.Loss{}, []string{"0 of the replicas that follow are up to date"}}.hold(t, enginestest.Inspect(t, engines.Probe{Redis: client}).Findings)
	redistest.NewReplica(t, master)
	require.Eventually(t, func() bool {
		return enginestest.About(t, enginestest.Inspect(t, engines.Probe{Redis: client}).Findings, "replicas").Level == engines.Risk
	}, patience, 50*time.Millisecond)
}

// Proves G5.44.
func TestRejectedCONFIGOrINFOIsUnknown(t *testing.T) {
	server := redistest.NewServer(t)
	root := redistest.Connect(t, server.URL())
	for name, test := range map[string]struct {
		rights []any
		read   map[string]engines.Level
	}{
		"no-config": {[]any{"-config"}, map[string]engines.Level{
			"appendonly": engines.OK, "appendfsync": engines.Unknown, "maxmemory-policy": engines.OK, "memory": engines.OK, "replicas": engines.OK,
		}},
		"no-config-no-info": {[]any{"-config", "-info"}, map[string]engines.Level{
			"appendonly": engines.Unknown, "appendfsync": engines.Unknown, "maxmemory-policy": engines.Unknown, "memory": engines.Unknown, "replicas": engines.Unknown,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, root.Do(t.Context(), append([]any{"ACL", "SETUSER", name, "on", ">hunter2", "~*", "&*", "+@all"}, test.rights...)...).Err())
			client := redistest.Connect(t, "redis://"+name+":hunter2@"+server.Addr+"/0")
			report := enginestest.Inspect(t, engines.Probe{Redis: client})
			for name, level := range test.read {
				f := enginestest.About(t, report.Findings, name)
				require.Equal(t, level, f.Level, f.Says)
				require.NotContains(t, f.Says, "hunter2")
			}
			require.Contains(t, enginestest.About(t, report.Findings, "appendfsync").Says, "It cannot be read (the server rejects CONFIG): ask your provider.")
			require.Equal(t, engines.OK, enginestest.About(t, report.Findings, "clock").Level)
		})
	}
}

// Proves G5.43.
func TestMasterBehindSentinelsIsRead(t *testing.T) {
	master := redistest.NewServer(t)
	sentinel := redistest.NewSentinel(t, "mymaster", master)
	client := redistest.Connect(t, "redis+sentinel://"+sentinel.Addr+"/mymaster/0")
	require.Eventually(t, func() bool { return client.Ping(t.Context()).Err() == nil }, patience, 10*time.Millisecond)
	set(t, redistest.Connect(t, master.URL()), "appendfsync", "no")
	require.Equal(t, "no", enginestest.About(t, enginestest.Inspect(t, engines.Probe{Redis: client}).Findings, "appendfsync").Value)
}

// Proves G5.43.
func TestEveryMasterOfAClusterIsRead(t *testing.T) {
	cluster := redistest.NewCluster(t)
	set(t, redistest.Connect(t, cluster.Nodes[1].URL()), "appendfsync", "always")
	report := enginestest.Inspect(t, engines.Probe{Redis: redistest.Connect(t, cluster.URL())})
	found := map[string]string{}
	for _, f := range report.Findings {
		if f.Name == "appendfsync" {
			found[f.Node] = f.Value
		}
	}
	require.Equal(t, map[string]string{
		cluster.Nodes[0].Addr: "everysec", cluster.Nodes[1].Addr: "always", cluster.Nodes[2].Addr: "everysec",
	}, found)
	require.Len(t, report.Memory, 3)
	require.Len(t, report.Clocks, 3)
}

// Proves G5.44.
func TestSilentNodeDoesNotHideOthers(t *testing.T) {
	cluster := redistest.NewCluster(t)
	client := redistest.Connect(t, cluster.URL())
	require.NoError(t, client.Ping(t.Context()).Err())
	enginestest.Inspect(t, engines.Probe{Redis: client})
	// The other engines are queried afterwards.
	slices.SortFunc(cluster.Nodes, func(a, b *redistest.Server) int { return cmp.Compare(a.Addr, b.Addr) })
	cluster.Nodes[0].Kill(t)
	report := enginestest.Inspect(t, engines.Probe{Redis: client})
	levels := map[string]engines.Level{}
	for _, f := range report.Findings {
		if f.Name == "redis" || f.Name == "appendonly" {
			levels[f.Node] = f.Level
		}
	}
	require.Equal(t, map[string]engines.Level{
		cluster.Nodes[0].Addr: engines.Broken, cluster.Nodes[1].Addr: engines.OK, cluster.Nodes[2].Addr: engines.OK,
	}, levels)
}

// ahead is a clock that is wrong by a constant.
type ahead time.Duration

func (a ahead) Now() time.Time { return clock.System{}.Now().Add(time.Duration(a)) }

// late delays each reply.
type late time.Duration

func (late) DialHook(next redis.DialHook) redis.DialHook { return next }

func (late) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (l late) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if cmd.Name() == "time" {
			<-time.After(time.Duration(l))
		}
		return err
	}
}

// With replies that are 300 ms late the clock seems off by another 150 ms.
// Proves G5.48.
func TestSlowConnectionIsNoClockSkew(t *testing.T) {
	client := redistest.Connect(t, redistest.SharedURL(t))
	client.AddHook(late(300 * time.Millisecond))
	for skew, level := range map[time.Duration]engines.Level{900 * time.Millisecond: engines.OK, 1100 * time.Millisecond: engines.Risk} {
		report := enginestest.Inspect(t, engines.Probe{Redis: client, Clock: ahead(skew)})
		require.Len(t, report.Clocks, 1)
		c := report.Clocks[0]
		require.GreaterOrEqual(t, c.Error, 150*time.Millisecond)
		require.InDelta(t, -skew.Seconds(), c.Skew.Seconds(), c.Error.Seconds()+0.01)
		require.Equal(t, level, enginestest.About(t, report.Findings, "clock").Level)
	}
}

func TestHangingEngineIsReported(t *testing.T) {
	server := redistest.NewServer(t)
	client := redistest.Connect(t, server.URL())
	require.NoError(t, client.Ping(t.Context()).Err())
	server.Pause(t)
	defer server.Resume(t)
	report := enginestest.Inspect(t, engines.Probe{Redis: client})
	require.Empty(t, report.Clocks)
	require.Equal(t, engines.Broken, enginestest.About(t, report.Findings, "redis").Level)
}

func newMonitor(p engines.Probe, log *bytes.Buffer) (*engines.Monitor, *prometheus.Registry) {
	p.Clock = clock.System{}
	m, registry := engines.NewMonitor(p, slog.New(slog.NewJSONHandler(log, nil))), prometheus.NewRegistry()
	registry.MustRegister(m.Collectors()...)
	return m, registry
}

// Proves G5.45.
func TestEachRiskIsLoggedOnceAndItsEnd(t *testing.T) {
	client := redistest.Connect(t, redistest.NewServer(t).URL())
	set(t, client, "appendfsync", "everysec", "maxmemory-policy", "allkeys-lru")
	var log bytes.Buffer
	m, _ := newMonitor(engines.Probe{Redis: client}, &log)
	lines := func() []string {
		m.Inspect(t.Context())
		written := strings.TrimSpace(log.String())
		log.Reset()
		if written == "" {
			return nil
		}
		return strings.Split(written, "\n")
	}
	first := lines()
	require.Len(t, first, 2)
	for i, name := range []string{"appendfsync", "maxmemory-policy"} {
		require.Contains(t, first[i], `"level":"WARN"`)
		require.Equal(t, 1, strings.Count(first[i], `"level":`), "the severity does not hide the level")
		require.Contains(t, first[i], `"severity":"`)
		require.Contains(t, first[i], `"msg":"engines: finding"`)
		require.Contains(t, first[i], `"about":"`+name+`"`)
		require.Contains(t, first[i], `"detail":"It is `)
		require.Contains(t, first[i], "accepted purchases without an order")
	}
	require.Empty(t, lines())

	set(t, client, "appendfsync", "no")
	changed := lines()
	require.Len(t, changed, 1)
	require.Contains(t, changed[0], `"value":"no"`)

	set(t, client, "appendfsync", "always")
	gone := lines()
	require.Len(t, gone, 1)
	require.Contains(t, gone[0], `"level":"INFO"`)
	require.Contains(t, gone[0], `"msg":"engines: finding resolved"`)
	require.Contains(t, gone[0], `"about":"appendfsync"`)
	require.Empty(t, lines())
}

// Proves G5.45.
func TestRunningProgramReportsChangedSettings(t *testing.T) {
	client := redistest.Connect(t, redistest.NewServer(t).URL())
	m, _ := newMonitor(engines.Probe{Redis: client}, &bytes.Buffer{})
	services := background.NewGroup(clock.System{})
	require.NoError(t, services.Start(t.Context(), m.Background()))
	defer services.Stop(t.Context())
	for _, value := range []string{"no", "always"} {
		set(t, client, "appendfsync", value)
		require.NoError(t, services.RunNow(t.Context(), "inspect engines"))
		i := slices.IndexFunc(m.Report().Findings, func(f engines.Finding) bool { return f.Name == "appendfsync" })
		require.Equal(t, value, m.Report().Findings[i].Value)
	}
}

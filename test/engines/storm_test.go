//go:build engines

package engines_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/test/apptest"
	"interlock/test/freeport"
	"interlock/test/racing"
	"interlock/test/traffic"
)

// stormRounds is the number of repetitions of each fault, for each way to distribute the
// connections.
const stormRounds = 2

// galeraStorm is a cluster whose servers break while two replicas write to it.
type galeraStorm struct {
	nodes    []*node
	programs []*apptest.Program
	traffic  *traffic.Traffic
	random   *rand.Rand
}

// newStorm starts two replicas behind HAProxy, and writers, readers and watchers at both.
// The replicas have a separate Redis: a Redis that served another database contains gates
// of sales with the same ids.
func newStorm(t *testing.T, nodes []*node, how string) *galeraStorm {
	t.Helper()
	redis := redistest.NewServer(t).URL()
	return newStormOf(t, nodes, how, func(databaseURL string) *apptest.Program { return replica(t, databaseURL, redis) })
}

// newStormOf is newStorm with replicas that the test starts.
func newStormOf(t *testing.T, nodes []*node, how string, start func(databaseURL string) *apptest.Program) *galeraStorm {
	t.Helper()
	const replicas = 2
	s := &galeraStorm{nodes: nodes, random: racing.Seeded(t)}
	_, err := nodes[0].pool(t).ExecContext(t.Context(), "CREATE DATABASE interlock")
	require.NoError(t, err)
	for _, port := range balance(t, nodes, replicas, how) {
		s.programs = append(s.programs, start(fmt.Sprintf("mysql://root@%s/interlock", freeport.Address(port))))
	}
	s.traffic = traffic.Begin(t, everywhere(t, s.programs)...)
	s.traffic.RequireWrites(t, "nothing")
	return s
}

// end compares all results with the store.
func (s *galeraStorm) end(t *testing.T) {
	t.Helper()
	s.traffic.End()
	t.Logf("the slowest write after each fault: %v", s.traffic.Slowest())
	verify(t, s.traffic, s.programs, s.nodes[0].url("interlock"))
}

// TestGaleraCrashesLoseAndDoubleNoWrite kills a server that clients
// write to, alone and behind another server that was stopped and has not applied all
// writes; it makes the cluster lose its quorum; and it kills all servers together. At the
// same time writers with and without keys write at both replicas, readers read those
// writes, watchers follow, and each time a crowd buys at a flash sale.
func TestGaleraCrashesLoseAndDoubleNoWrite(t *testing.T) {
	for _, how := range []string{preferring, spreading} {
		t.Run(how, func(t *testing.T) {
			s := newStorm(t, cluster(t, 3), how)
			for round := range stormRounds {
				incremental := round%2 == 0
				underASale(t, s.programs, func() { s.killWriter(t, incremental) })
				underASale(t, s.programs, func() { s.killWriterBehindASlowOne(t, !incremental) })
				underASale(t, s.programs, func() { s.loseQuorum(t, incremental) })
			}
			underASale(t, s.programs, func() { s.killAll(t) })
			s.end(t)
		})
	}
}

// killWriter kills the server with the most connections and lets it rejoin.
func (s *galeraStorm) killWriter(t *testing.T, incremental bool) {
	writer := s.writer(t)
	writer.kill(t)
	s.awaitAny(t, s.others(writer), 2)
	s.traffic.RequireWrites(t, "kill the writer")
	s.rejoin(t, writer, incremental)
}

// killWriterBehindASlowOne kills the writer while another server is stopped, to which its
// connections go next and which may not have applied the last commits.
func (s *galeraStorm) killWriterBehindASlowOne(t *testing.T, incremental bool) {
	writer := s.writer(t)
	slow := s.nodes[(slices.Index(s.nodes, writer)+1)%len(s.nodes)]
	slow.stop(t)
	clock.Sleep(t.Context(), time.Duration(200+s.random.IntN(1800))*time.Millisecond)
	writer.kill(t)
	clock.Sleep(t.Context(), time.Duration(800+s.random.IntN(200))*time.Millisecond)
	slow.resume(t)
	s.awaitAny(t, s.others(writer), 2)
	s.traffic.RequireWrites(t, "kill the writer behind a slow one")
	s.rejoin(t, writer, incremental)
}

// loseQuorum stops two servers for longer than the third tolerates, with or without the
// writer among them.
func (s *galeraStorm) loseQuorum(t *testing.T, writerToo bool) {
	alone := s.writer(t)
	if writerToo {
		alone = s.nodes[(slices.Index(s.nodes, alone)+1)%len(s.nodes)]
	}
	for _, other := range s.others(alone) {
		other.stop(t)
	}
	pool := alone.pool(t)
	require.Eventually(t, func() bool { return status(t.Context(), pool, "wsrep_cluster_status") == "non-Primary" },
		joinTimeout, 100*time.Millisecond, "the third server notices")
	clock.Sleep(t.Context(), time.Second)
	for _, other := range s.others(alone) {
		other.resume(t)
	}
	// The stopped servers report their former status for some seconds. The third server's
	// status is correct.
	s.awaitAny(t, []*node{alone}, len(s.nodes))
	s.traffic.RequireWrites(t, "lose the quorum")
	s.awaitAll(t)
}

// killAll kills all servers together. The one with the last transaction starts a new
// cluster, as after an operator's command, and the others join it.
func (s *galeraStorm) killAll(t *testing.T) {
	for _, n := range s.nodes {
		require.NoError(t, n.process.Process.Kill())
	}
	for _, n := range s.nodes {
		_ = n.process.Wait()
	}
	furthest, most := s.nodes[0], int64(-1)
	for _, n := range s.nodes {
		_, text, _ := strings.Cut(n.recovered(t), ":")
		place, err := strconv.ParseInt(text, 10, 64)
		require.NoError(t, err)
		if place > most {
			furthest, most = n, place
		}
	}
	state := filepath.Join(furthest.directory, "grastate.dat")
	text, err := os.ReadFile(state)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(state, []byte(strings.Replace(string(text), "safe_to_bootstrap: 0", "safe_to_bootstrap: 1", 1)), 0o600))
	furthest.found(t, "--wsrep-start-position="+furthest.recovered(t))
	s.awaitAny(t, []*node{furthest}, 1)
	s.traffic.RequireWrites(t, "all killed")
	for _, n := range s.others(furthest) {
		n.join(t, []*node{furthest}, "--wsrep-start-position="+n.recovered(t))
	}
	s.awaitAll(t)
}

// writer returns the server with the most connections to the service's database.
func (s *galeraStorm) writer(t *testing.T) *node {
	t.Helper()
	most, writer := -1, s.nodes[0]
	for _, n := range s.nodes {
		var connections int
		require.NoError(t, n.pool(t).QueryRowContext(t.Context(), "SELECT COUNT(*) FROM information_schema.processlist WHERE db = 'interlock'").Scan(&connections))
		if connections > most {
			most, writer = connections, n
		}
	}
	return writer
}

func (s *galeraStorm) others(n *node) []*node {
	return slices.DeleteFunc(slices.Clone(s.nodes), func(other *node) bool { return other == n })
}

// awaitAny waits until one of some servers is synced in a cluster of that size, which means
// that the engine has recovered.
func (s *galeraStorm) awaitAny(t *testing.T, some []*node, size int) {
	t.Helper()
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(some, func(n *node) bool { return n.isSynced(t.Context(), n.pool(t), size) })
	}, joinTimeout, 50*time.Millisecond, "the cluster recovers")
}

// rejoin lets a killed server rejoin, and waits until all are synced.
func (s *galeraStorm) rejoin(t *testing.T, n *node, incremental bool) {
	t.Helper()
	n.rejoin(t, s.others(n), incremental)
	s.awaitAll(t)
	s.traffic.RequireWrites(t, map[bool]string{true: "join by IST", false: "join by SST"}[incremental])
}

func (s *galeraStorm) awaitAll(t *testing.T) {
	t.Helper()
	for _, n := range s.nodes {
		pool := n.pool(t)
		require.Eventually(t, func() bool { return n.isSynced(t.Context(), pool, len(s.nodes)) }, joinTimeout, 200*time.Millisecond, "%s did not join:\n%s", n.name, n.log())
	}
}

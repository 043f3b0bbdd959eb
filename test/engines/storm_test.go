//go:build engines

package engines_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/test/apptest"
	"interlock/test/freeport"
	"interlock/test/racing"
	"interlock/test/traffic"
)

// stormRounds is how often each fault comes, for each way to spread the connections.
const stormRounds = 2

// galeraStorm is a cluster whose servers break while two replicas write to it.
type galeraStorm struct {
	nodes   []*node
	traffic *traffic.Traffic
	random  *rand.Rand
}

// TestNoWriteIsLostOrDoubledWhenServersOfAGaleraClusterBreak has a server that is written to
// killed, alone and behind another that was stopped and has yet to apply what it was sent, and the
// cluster lose its quorum, while writers with and without keys write at both replicas, others read
// what they wrote, and watchers follow.
func TestNoWriteIsLostOrDoubledWhenServersOfAGaleraClusterBreak(t *testing.T) {
	for _, how := range []string{preferring, spreading} {
		t.Run(how, func(t *testing.T) { breakServers(t, how) })
	}
}

func breakServers(t *testing.T, how string) {
	const replicas = 2
	s := &galeraStorm{nodes: cluster(t, 3), random: racing.Seeded(t)}
	_, err := s.nodes[0].pool(t).ExecContext(t.Context(), "CREATE DATABASE interlock")
	require.NoError(t, err)
	var programs []*apptest.Program
	for _, port := range balance(t, s.nodes, replicas, how) {
		programs = append(programs, replica(t, fmt.Sprintf("mysql://root@%s/interlock", freeport.Address(port)), os.Getenv("INTERLOCK_TEST_REDIS_URL")))
	}
	s.traffic = traffic.Begin(t, everywhere(t, programs)...)
	s.traffic.RequireWrites(t, "nothing")
	for round := range stormRounds {
		incremental := round%2 == 0
		s.killWriter(t, incremental)
		s.killWriterBehindASlowOne(t, !incremental)
		s.loseQuorum(t, incremental)
	}
	s.traffic.End()
	t.Logf("%d rounds of each fault; the slowest write after one: %v", stormRounds, s.traffic.Slowest())
	verify(t, s.traffic, programs, s.nodes[0].url("interlock"))
}

// killWriter kills the server that has most of the connections, and has it join again.
func (s *galeraStorm) killWriter(t *testing.T, incremental bool) {
	writer := s.writer(t)
	writer.kill(t)
	s.awaitAny(t, s.others(writer), 2)
	s.traffic.RequireWrites(t, "kill the writer")
	s.rejoin(t, writer, incremental)
}

// killWriterBehindASlowOne kills the writer while another server is stopped, to which its
// connections go next: what was committed there last may not be applied yet.
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

// loseQuorum stops two servers for longer than the third believes in them, with the writer among
// them or not.
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
		joinPatience, 100*time.Millisecond, "the third server notices")
	clock.Sleep(t.Context(), time.Second)
	for _, other := range s.others(alone) {
		other.resume(t)
	}
	// Those that were stopped say for some seconds what held before. The third knows better.
	s.awaitAny(t, []*node{alone}, len(s.nodes))
	s.traffic.RequireWrites(t, "lose the quorum")
	s.awaitAll(t)
}

// writer is the server with the most connections to the service's database.
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

// awaitAny waits until one of some servers is synced in a cluster of that size: the engine has
// recovered.
func (s *galeraStorm) awaitAny(t *testing.T, some []*node, size int) {
	t.Helper()
	require.Eventually(t, func() bool {
		return slices.ContainsFunc(some, func(n *node) bool { return n.isSynced(t.Context(), n.pool(t), size) })
	}, joinPatience, 50*time.Millisecond, "the cluster recovers")
}

// rejoin has a server that was killed join again, and waits until all are synced.
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
		require.Eventually(t, func() bool { return n.isSynced(t.Context(), pool, len(s.nodes)) }, joinPatience, 200*time.Millisecond, "%s did not join:\n%s", n.name, n.log())
	}
}

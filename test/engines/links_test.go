//go:build engines

package engines_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"interlock/internal/base/clock"
)

// wires are the links between the servers of a cluster, each in a separate network
// namespace: packets on a link that is down are lost silently, as when a switch fails. The
// clients' links to the servers are separate and stay up. None of these addresses is
// reachable from outside the machine.
type wires struct {
	t *testing.T
	// name is part of the name of each device and namespace; net is the second byte of the
	// addresses.
	name string
	net  int
}

// newWires creates a switch, in its own namespace. It needs root.
func newWires(t *testing.T) *wires {
	t.Helper()
	w := &wires{t: t, name: fmt.Sprintf("il%04x", rand.N(1<<16)), net: 100 + rand.N(100)}
	w.addNamespace(w.name)
	w.ip("-n", w.name, "link", "add", "switch", "type", "bridge")
	w.ip("-n", w.name, "link", "set", "switch", "up")
	return w
}

// ip runs the ip command of Debian's iproute2.
func (w *wires) ip(arguments ...string) {
	w.t.Helper()
	said, err := exec.Command("ip", arguments...).CombinedOutput()
	require.NoErrorf(w.t, err, "ip %s: %s (this needs root and iproute2)", strings.Join(arguments, " "), said)
}

func (w *wires) addNamespace(name string) {
	w.t.Helper()
	w.ip("netns", "add", name)
	w.t.Cleanup(func() { w.ip("netns", "del", name) })
	w.ip("-n", name, "link", "set", "lo", "up")
}

// connect creates a namespace for a server, with a link to the switch and one to the
// clients.
func (w *wires) connect(i int, n *node) {
	w.t.Helper()
	own := w.name + n.name
	w.addNamespace(own)
	w.ip("link", "add", n.name, "netns", w.name, "type", "veth", "peer", "name", "inner", "netns", own)
	w.ip("-n", w.name, "link", "set", n.name, "master", "switch", "up")
	n.inner = fmt.Sprintf("10.%d.0.%d", w.net, i+1)
	w.ip("-n", own, "address", "add", n.inner+"/24", "dev", "inner")
	w.ip("-n", own, "link", "set", "inner", "up")

	w.ip("link", "add", own, "type", "veth", "peer", "name", "outer", "netns", own)
	here := fmt.Sprintf("10.%d.%d.1/30", w.net, i+1)
	n.host = fmt.Sprintf("10.%d.%d.2", w.net, i+1)
	w.ip("address", "add", here, "dev", own)
	w.ip("link", "set", own, "up")
	w.ip("-n", own, "address", "add", n.host+"/30", "dev", "outer")
	w.ip("-n", own, "link", "set", "outer", "up")
	n.launch = func(start func() error) error { return within(own, start) }
	// The server's accounts only admit clients on the same machine.
	n.options = append(n.options, "--skip-grant-tables")
}

// cut takes a server's link to the others down; mend takes it up.
func (w *wires) cut(n *node)     { w.ip("-n", w.name, "link", "set", n.name, "down") }
func (w *wires) restore(n *node) { w.ip("-n", w.name, "link", "set", n.name, "up") }

// within starts a process in a network namespace, which it inherits from its thread.
func within(namespace string, start func() error) error {
	runtime.LockOSThread()
	own, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	defer own.Close()
	other, err := os.Open("/run/netns/" + namespace)
	if err != nil {
		return err
	}
	defer other.Close()
	if err := unix.Setns(int(other.Fd()), unix.CLONE_NEWNET); err != nil {
		return err
	}
	started := start()
	// A thread that cannot return to its namespace stays locked, so that it is not used
	// again.
	if err := unix.Setns(int(own.Fd()), unix.CLONE_NEWNET); err != nil {
		return err
	}
	runtime.UnlockOSThread()
	return started
}

// TestGaleraPartitionLosesAndDoublesNoWrite cuts the links between the
// servers but not those of their clients: a server that clients write to is isolated
// without detecting it for some seconds, all servers are isolated, and a link goes down and
// up before the cluster detects it.
func TestGaleraPartitionLosesAndDoublesNoWrite(t *testing.T) {
	for _, how := range []string{preferring, spreading} {
		t.Run(how, func(t *testing.T) {
			w := newWires(t)
			s := newStorm(t, cluster(t, 3, w.connect), how)
			for _, statement := range []string{"CREATE DATABASE probe", "CREATE TABLE probe.commits (id INT PRIMARY KEY, time DATETIME(6) NOT NULL)"} {
				_, err := s.nodes[0].pool(t).ExecContext(t.Context(), statement)
				require.NoError(t, err)
			}
			underASale(t, s.programs, func() { s.cutOffWriter(t, w) })
			underASale(t, s.programs, func() { s.cutAll(t, w) })
			underASale(t, s.programs, func() { s.cutShortly(t, w) })
			s.end(t)
		})
	}
}

// cutOffWriter isolates the server with the most connections, and restores its link.
func (s *galeraStorm) cutOffWriter(t *testing.T, w *wires) {
	writer := s.writer(t)
	w.cut(writer)
	s.awaitAny(t, s.others(writer), 2)
	s.traffic.RequireWrites(t, "a disconnected writer")
	require.False(t, writer.isSynced(t.Context(), writer.pool(t), 0), "it rejects writes alone")
	w.restore(writer)
	s.awaitAll(t)
	s.traffic.RequireWrites(t, "a server that is linked again")
}

// awaitCommit waits until the server commits a transaction.
func (n *node) awaitCommit(t *testing.T) {
	t.Helper()
	pool := n.pool(t)
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		_, err := pool.ExecContext(ctx, "REPLACE INTO probe.commits VALUES (1, CURRENT_TIMESTAMP(6))")
		return err == nil
	}, joinTimeout, 50*time.Millisecond, "%s commits", n.name)
}

// cutAll isolates all servers from each other: none may write until they are connected
// again.
func (s *galeraStorm) cutAll(t *testing.T, w *wires) {
	for _, n := range s.nodes {
		w.cut(n)
	}
	for _, n := range s.nodes {
		pool := n.pool(t)
		require.Eventually(t, func() bool { return status(t.Context(), pool, "wsrep_cluster_status") == "non-Primary" },
			joinTimeout, 100*time.Millisecond, "%s notices", n.name)
	}
	for _, n := range s.nodes {
		w.restore(n)
	}
	s.awaitAny(t, s.nodes, len(s.nodes))
	s.traffic.RequireWrites(t, "all links cut")
	s.awaitAll(t)
}

// cutShortly cuts links for about the time that the detection takes: lost packets are sent
// again, or a server is excluded after its link is back. The servers report themselves as
// synced until then, so the recovery has ended when each server commits.
func (s *galeraStorm) cutShortly(t *testing.T, w *wires) {
	for range 5 {
		n := s.nodes[s.random.IntN(len(s.nodes))]
		w.cut(n)
		clock.Sleep(t.Context(), time.Duration(500+s.random.IntN(2000))*time.Millisecond)
		w.restore(n)
		clock.Sleep(t.Context(), time.Duration(200+s.random.IntN(1000))*time.Millisecond)
	}
	linked := clock.Mark()
	for _, n := range s.nodes {
		n.awaitCommit(t)
	}
	s.awaitAll(t)
	t.Logf("each server commits %v after the last link was back", clock.Since(linked))
	s.traffic.RequireWrites(t, "links that come and go")
}

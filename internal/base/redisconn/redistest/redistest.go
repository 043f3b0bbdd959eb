// Package redistest starts separate Redis servers for a test: a single one, with a
// Sentinel, or a cluster of three masters. They listen on free loopback ports, store their
// data in the test's folder, and are stopped by process id when the test ends.
//
// Tests share the server at INTERLOCK_TEST_REDIS_URL; tests that stop, restart or fill a
// server start one with this package.
package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn"
	"interlock/test/freeport"
	"interlock/test/tier"
)

const (
	startLimit   = 30 * time.Second
	pollInterval = 10 * time.Millisecond
	slots        = 16384
)

// SharedURL returns the address of the shared server.
func SharedURL(t testing.TB) string {
	t.Helper()
	tier.NeedServers(t)
	url := os.Getenv("INTERLOCK_TEST_REDIS_URL")
	require.NotEmpty(t, url, "INTERLOCK_TEST_REDIS_URL is not set: run through `make test`")
	return url
}

// Connect returns a client for a URL, closed when the test ends.
func Connect(t testing.TB, url string) redis.UniversalClient {
	t.Helper()
	target, err := redisconn.Parse(url)
	require.NoError(t, err)
	client := target.Connect()
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// Server is a redis-server with an append-only file, which it loads when it is restarted.
type Server struct {
	// Addr is HOST:PORT and stays the same over restarts.
	Addr string
	// Environment is added to the environment of the process at its next start.
	Environment []string

	directory string
	arguments []string
	process   *os.Process
	ended     chan struct{}
}

// NewServer starts a server with additional options of redis-server.
func NewServer(t testing.TB, options ...string) *Server {
	t.Helper()
	return newServer(t, options...)
}

// URL returns the server's address for redisconn.Parse.
func (s *Server) URL() string { return "redis://" + s.Addr + "/0" }

// PID returns the id of the running process.
func (s *Server) PID() int { return s.process.Pid }

// Kill kills the server immediately, like a crash.
func (s *Server) Kill(t testing.TB) {
	t.Helper()
	require.NoError(t, s.process.Kill())
	<-s.ended
}

// Start starts a killed server with the same port and data.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	require.NoError(t, s.start(), "start redis-server")
}

// Copy copies the current append-only file of a server, and returns the path of the copy.
func (s *Server) Copy(t testing.TB) string {
	t.Helper()
	copied, err := os.MkdirTemp(filepath.Dir(s.directory), "redis-copy-")
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(filepath.Join(copied, appendDir), os.DirFS(filepath.Join(s.directory, appendDir))))
	return copied
}

// StartFrom starts a killed server on a copy of its data: later writes are lost, as after a
// crash without a flush, or a failover to an older replica. With "" as the copy it is
// empty.
func (s *Server) StartFrom(t testing.TB, copied string) {
	t.Helper()
	require.NoError(t, os.RemoveAll(filepath.Join(s.directory, appendDir)))
	if copied == "" {
		s.Start(t)
		return
	}
	require.NoError(t, os.CopyFS(filepath.Join(s.directory, appendDir), os.DirFS(filepath.Join(copied, appendDir))))
	s.Start(t)
}

// appendDir is the default folder of the append-only file.
const appendDir = "appendonlydir"

// Pause stops the server's process: its connections stay open and transfer nothing.
func (s *Server) Pause(t testing.TB) {
	t.Helper()
	require.NoError(t, s.process.Signal(syscall.SIGSTOP))
}

// Resume continues a paused server.
func (s *Server) Resume(t testing.TB) {
	t.Helper()
	require.NoError(t, s.process.Signal(syscall.SIGCONT))
}

// Cluster is a Redis Cluster of three masters, without replicas unless Replicate adds some.
type Cluster struct {
	Nodes []*Server
}

// NewCluster starts a cluster and waits until every node serves every slot.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	const masters = 3
	c := &Cluster{}
	for range masters {
		c.Nodes = append(c.Nodes, newClusterNode(t))
	}
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	for i, node := range c.Nodes {
		client := node.client()
		require.NoError(t, client.ClusterAddSlotsRange(ctx, i*slots/masters, (i+1)*slots/masters-1).Err())
		if i > 0 {
			meet(t, ctx, client, c.Nodes[0])
		}
		require.NoError(t, client.Close())
	}
	for _, node := range c.Nodes {
		await(t, ctx, "the cluster's nodes agree", func() bool { return node.servesWith(ctx, masters) })
	}
	return c
}

// Replicate adds a replica that replaces the master on its failure, waits until it is in
// sync, and returns it.
func (c *Cluster) Replicate(t testing.TB, master *Server) *Server {
	t.Helper()
	replica := newClusterNode(t, "--cluster-replica-validity-factor", "0")
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	client, of := replica.client(), master.client()
	defer client.Close()
	defer of.Close()
	id, err := of.ClusterMyID(ctx).Result()
	require.NoError(t, err)
	meet(t, ctx, client, master)
	await(t, ctx, "the replica follows its master", func() bool { return client.ClusterReplicate(ctx, id).Err() == nil })
	replica.awaitMaster(t, ctx)
	for _, node := range c.Nodes {
		await(t, ctx, "every node knows the replica", func() bool {
			client := node.client()
			defer client.Close()
			nodes, err := client.ClusterNodes(ctx).Result()
			return err == nil && strings.Contains(nodes, "slave "+id)
		})
	}
	return replica
}

func newClusterNode(t testing.TB, options ...string) *Server {
	t.Helper()
	busPort := strconv.Itoa(freePort(t))
	return newServer(t, append(options, "--cluster-enabled", "yes", "--cluster-port", busPort, "--cluster-node-timeout", "2000")...)
}

// meet lets a node join the cluster of another.
func meet(t testing.TB, ctx context.Context, node *redis.Client, other *Server) {
	t.Helper()
	host, port, err := net.SplitHostPort(other.Addr)
	require.NoError(t, err)
	require.NoError(t, node.Do(ctx, "CLUSTER", "MEET", host, port, other.busPort()).Err())
}

// URL returns the cluster's address for redisconn.Parse.
func (c *Cluster) URL() string {
	addrs := make([]string, len(c.Nodes))
	for i, node := range c.Nodes {
		addrs[i] = node.Addr
	}
	return "redis+cluster://" + strings.Join(addrs, ",")
}

func newServer(t testing.TB, more ...string) *Server {
	t.Helper()
	tier.NeedServers(t)
	port := freePort(t)
	s := &Server{Addr: freeport.Address(port), directory: t.TempDir()}
	s.arguments = append([]string{
		"--bind", "127.0.0.1", "--port", strconv.Itoa(port), "--dir", s.directory, "--appendonly", "yes", "--save", "",
		// No rewrites, so that the files only grow and can be copied.
		"--auto-aof-rewrite-percentage", "0",
		// Tests stop servers and may slow them down.
		"--enable-debug-command", "local",
		// By default a master waits 5 s for more replicas.
		"--repl-diskless-sync-delay", "0",
	}, more...)
	t.Cleanup(s.end)
	require.NoError(t, s.start(), "start redis-server")
	return s
}

// NewReplica starts a replica of a master, and waits until it is in sync.
func NewReplica(t testing.TB, master *Server) *Server {
	t.Helper()
	host, port, err := net.SplitHostPort(master.Addr)
	require.NoError(t, err)
	replica := newServer(t, "--replicaof", host+" "+port)
	replica.AwaitMaster(t)
	return replica
}

// AwaitMaster waits until a server is a replica in sync with its master, for example a
// former master that was killed and restarted.
func (s *Server) AwaitMaster(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	s.awaitMaster(t, ctx)
}

func (s *Server) awaitMaster(t testing.TB, ctx context.Context) {
	t.Helper()
	client := s.client()
	defer client.Close()
	await(t, ctx, "the replica is in sync with its master", func() bool {
		about, err := client.Info(ctx, "replication").Result()
		return err == nil && strings.Contains(about, "master_link_status:up")
	})
}

// NewSentinel starts a Sentinel that monitors one master under a name, with a quorum of
// one.
func NewSentinel(t testing.TB, name string, master *Server) *Server {
	t.Helper()
	return newSentinel(t, name, master, 1)
}

// NewSentinels starts count Sentinels that monitor one master under a name, with a majority
// as the quorum, and waits until each has discovered the others and the given number of
// replicas.
func NewSentinels(t testing.TB, count int, name string, master *Server, replicas int) []*Server {
	t.Helper()
	sentinels := make([]*Server, count)
	for i := range sentinels {
		sentinels[i] = newSentinel(t, name, master, count/2+1)
	}
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	for _, s := range sentinels {
		client := s.client()
		await(t, ctx, "the Sentinels have discovered each other and the replicas", func() bool {
			others, err := client.Do(ctx, "SENTINEL", "SENTINELS", name).Slice()
			if err != nil || len(others) != count-1 {
				return false
			}
			known, err := client.Do(ctx, "SENTINEL", "REPLICAS", name).Slice()
			return err == nil && len(known) == replicas
		})
		require.NoError(t, client.Close())
	}
	return sentinels
}

func newSentinel(t testing.TB, name string, master *Server, quorum int) *Server {
	t.Helper()
	host, masterPort, err := net.SplitHostPort(master.Addr)
	require.NoError(t, err)
	port := freePort(t)
	s := &Server{Addr: freeport.Address(port), directory: t.TempDir()}
	// A Sentinel writes its state into its configuration.
	file := filepath.Join(s.directory, "sentinel.conf")
	text := fmt.Sprintf("bind 127.0.0.1\nport %[1]d\ndir %[2]s\nsentinel monitor %[3]s %[4]s %[5]s %[6]d\nsentinel down-after-milliseconds %[3]s 1000\n",
		port, s.directory, name, host, masterPort, quorum)
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	s.arguments = []string{file, "--sentinel"}
	t.Cleanup(s.end)
	require.NoError(t, s.start(), "start redis-server as a Sentinel")
	return s
}

func (s *Server) start() error {
	log, err := os.Create(filepath.Join(s.directory, "redis-server.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	command := exec.Command("redis-server", s.arguments...)
	command.Stdout, command.Stderr = log, log
	command.Env = append(os.Environ(), s.Environment...)
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	s.process, s.ended = command.Process, ended
	go func() {
		_ = command.Wait()
		close(ended)
	}()
	return s.awaitAnswer(log.Name())
}

// awaitAnswer waits until this process replies and has loaded its data.
func (s *Server) awaitAnswer(log string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	client := s.client()
	defer client.Close()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for {
		about, err := client.Info(ctx).Result()
		if err == nil && !strings.Contains(about, "\nloading:1\r") && strings.Contains(about, fmt.Sprintf("process_id:%d\r", s.PID())) {
			return nil
		}
		select {
		case <-tick.C:
		case <-s.ended:
			text, _ := os.ReadFile(log)
			return fmt.Errorf("it ended: %s", text)
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		}
	}
}

// end kills the process, even a paused one.
func (s *Server) end() {
	if s.process != nil {
		_ = s.process.Kill()
		<-s.ended
	}
}

func (s *Server) client() *redis.Client {
	return redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true})
}

func (s *Server) busPort() string {
	for i, argument := range s.arguments {
		if argument == "--cluster-port" {
			return s.arguments[i+1]
		}
	}
	return ""
}

func (s *Server) servesWith(ctx context.Context, nodes int) bool {
	client := s.client()
	defer client.Close()
	info, err := client.ClusterInfo(ctx).Result()
	if err != nil || !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, fmt.Sprintf("cluster_slots_ok:%d", slots)) {
		return false
	}
	served, err := client.ClusterShards(ctx).Result()
	return err == nil && len(served) == nodes
}

func await(t testing.TB, ctx context.Context, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			require.FailNow(t, "not in time", what)
		}
	}
}

func freePort(t testing.TB) int {
	t.Helper()
	port, err := freeport.Take()
	require.NoError(t, err)
	return port
}

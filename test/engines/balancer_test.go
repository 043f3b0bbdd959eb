//go:build engines

package engines_test

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/test/freeport"
	"interlock/test/servers"
)

// The ways in which HAProxy distributes the connections of a replica over the servers of a
// cluster.
const (
	// preferring sends all to one server, and to the next while that one is unavailable.
	// This is the recommended form for Galera, because writers at one server never conflict
	// at certification.
	preferring = "preferring"
	// spreading sends each to the server with the fewest connections: one unit of work may
	// read at one server and commit at another.
	spreading = "spreading"
)

// balance starts an HAProxy in front of the servers of a cluster, with a port for each
// replica, and returns the ports. Each replica prefers another server. HAProxy sends
// connections to a server while the server is synced in a primary component, and closes its
// connections when it is not.
func balance(t *testing.T, nodes []*node, replicas int, how string) []int {
	t.Helper()
	program := servers.Program(t, "haproxy", "install haproxy")
	checks := make([]int, len(nodes))
	for i, n := range nodes {
		checks[i] = sayWhetherSynced(t, n)
	}
	var config strings.Builder
	config.WriteString(`global
    maxconn 2000
defaults
    mode tcp
    option redispatch
    retries 3
    timeout connect 1s
    timeout client 10m
    timeout server 10m
    timeout check 1s
`)
	ports := make([]int, replicas)
	for r := range ports {
		ports[r] = take(t)
		fmt.Fprintf(&config, "listen replica-%d\n    bind %s\n    balance leastconn\n    option httpchk GET /\n"+
			"    default-server check inter 250ms fall 2 rise 2 on-marked-down shutdown-sessions\n", r+1, freeport.Address(ports[r]))
		for k := range nodes {
			i := (r + k) % len(nodes)
			backup := ""
			if how == preferring && k > 0 {
				backup = " backup"
			}
			fmt.Fprintf(&config, "    server %s %s addr 127.0.0.1 port %d%s\n", nodes[i].name, nodes[i].address(), checks[i], backup)
		}
	}
	file := filepath.Join(t.TempDir(), "haproxy.cfg")
	require.NoError(t, os.WriteFile(file, []byte(config.String()), 0o600))
	command := exec.Command(program, "-db", "-f", file)
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, command.Start())
	t.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	for _, port := range ports {
		require.Eventually(t, func() bool {
			pool, err := sql.Open("mysql", fmt.Sprintf("root@tcp(%s)/", freeport.Address(port)))
			require.NoError(t, err)
			defer pool.Close()
			return pool.PingContext(t.Context()) == nil
		}, patience, 100*time.Millisecond, "HAProxy leads to a server")
	}
	return ports
}

// sayWhetherSynced serves HAProxy's health check for one server of a cluster, like
// Percona's clustercheck, and returns its port.
func sayWhetherSynced(t *testing.T, n *node) int {
	t.Helper()
	pool := n.pool(t)
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	server := &http.Server{ReadHeaderTimeout: patience, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n.isSynced(r.Context(), pool, 0) {
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return listener.Addr().(*net.TCPAddr).Port
}

// isSynced reports whether a server executes statements as a synced member of a primary
// component, of that size unless it is 0.
func (n *node) isSynced(ctx context.Context, pool *sql.DB, size int) bool {
	ctx, cancel := context.WithTimeout(ctx, 700*time.Millisecond)
	defer cancel()
	rows, err := pool.QueryContext(ctx, `SHOW STATUS WHERE Variable_name IN ('wsrep_ready', 'wsrep_cluster_status', 'wsrep_local_state', 'wsrep_cluster_size')`)
	if err != nil {
		return false
	}
	defer rows.Close()
	is := map[string]string{}
	for rows.Next() {
		var name, value string
		if rows.Scan(&name, &value) != nil {
			return false
		}
		is[name] = value
	}
	const synced = "4"
	return rows.Err() == nil && is["wsrep_ready"] == "ON" && is["wsrep_cluster_status"] == "Primary" && is["wsrep_local_state"] == synced &&
		(size == 0 || is["wsrep_cluster_size"] == fmt.Sprint(size))
}

// kill kills the server, like a crash.
func (n *node) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, n.process.Process.Kill())
	_ = n.process.Wait()
}

// stop stops the server's process, whose connections stay open and carry nothing; resume
// continues it.
func (n *node) stop(t *testing.T)   { require.NoError(t, n.process.Process.Signal(syscall.SIGSTOP)) }
func (n *node) resume(t *testing.T) { require.NoError(t, n.process.Process.Signal(syscall.SIGCONT)) }

// rejoin starts a killed server again and joins it to the others. A server that announces
// its last transaction receives the later ones (IST); otherwise it receives a full copy
// (SST).
func (n *node) rejoin(t *testing.T, others []*node, incremental bool) {
	t.Helper()
	if incremental {
		n.join(t, others, "--wsrep-start-position="+n.recovered(t))
		return
	}
	n.join(t, others)
}

// recovered returns the last transaction on a server's disk, determined like
// galera_recovery. The process is killed after it has printed the position: sometimes it
// does not end and allocates all memory.
func (n *node) recovered(t *testing.T) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), joinTimeout)
	defer cancel()
	command := exec.CommandContext(ctx, need(t, "mariadbd"), "--no-defaults", "--datadir="+n.directory, "--tmpdir="+n.temporary(), "--socket=recover.sock", "--skip-networking",
		"--binlog-format=ROW", "--wsrep-on=ON", "--wsrep-provider="+provider, "--wsrep-sst-method=rsync", "--wsrep-cluster-address=gcomm://", "--wsrep-recover")
	command.SysProcAttr = &syscall.SysProcAttr{Credential: account(t), Pdeathsig: syscall.SIGKILL}
	said, err := command.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	var text strings.Builder
	position := ""
	for lines := bufio.NewScanner(said); position == "" && lines.Scan(); {
		text.WriteString(lines.Text() + "\n")
		_, position, _ = strings.Cut(lines.Text(), "Recovered position: ")
	}
	_ = command.Process.Kill()
	_ = command.Wait()
	require.NotEmpty(t, position, "%s", &text)
	return strings.TrimSpace(position)
}

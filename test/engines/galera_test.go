//go:build engines

package engines_test

import (
	"context"
	"database/sql"
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

	_ "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"interlock/test/freeport"
	"interlock/test/servers"
)

// provider is Galera's library, at the path of Debian's package galera-4.
const provider = "/usr/lib/galera/libgalera_smm.so"

// joinTimeout bounds the time in which a server must join its cluster.
const joinTimeout = 90 * time.Second

// node is one server of a Galera cluster.
type node struct {
	// directory contains its data, and journal is its log.
	name, directory, journal string
	port, group, state, copy int
	process                  *exec.Cmd
	connections              *sql.DB
	// host is its address for clients, and inner its address for the other servers.
	host, inner string
	// environment and options are specific to the server, in addition to the common ones.
	environment, options []string
	// launch starts its process, in a separate network namespace if its links are cut.
	launch func(start func() error) error
}

// address returns the address for clients.
func (n *node) address() string { return net.JoinHostPort(n.host, strconv.Itoa(n.port)) }

// member returns the address for the other servers of the cluster.
func (n *node) member() string { return net.JoinHostPort(n.inner, strconv.Itoa(n.group)) }

func (n *node) url(database string) string { return "mysql://root@" + n.address() + "/" + database }

// pool has direct connections to the server, with which the tests change it.
func (n *node) pool(t *testing.T) *sql.DB {
	t.Helper()
	if n.connections == nil {
		pool, err := sql.Open("mysql", "root@tcp("+n.address()+")/?timeout=2s")
		require.NoError(t, err)
		n.connections = pool
		t.Cleanup(func() { _ = pool.Close() })
	}
	return n.connections
}

// cluster starts that many servers that form a Galera cluster, and stops them at the end of
// the test. prepare may set the address of a server before it is created.
func cluster(t *testing.T, size int, prepare ...func(i int, n *node)) []*node {
	t.Helper()
	require.FileExists(t, provider, "install galera-4")
	for _, program := range []string{"mariadbd", "mariadb-install-db", "rsync", "lsof"} {
		need(t, program)
	}
	home, err := os.MkdirTemp("", "interlock-galera-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(home, 0o755))
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	nodes := make([]*node, size)
	for i := range nodes {
		n := &node{
			name: fmt.Sprintf("n%d", i+1), port: take(t), group: take(t), state: take(t), copy: take(t), host: "127.0.0.1", inner: "127.0.0.1",
			launch: func(start func() error) error { return start() },
		}
		n.directory, n.journal = filepath.Join(home, n.name), filepath.Join(home, n.name+".log")
		for _, fn := range prepare {
			fn(i, n)
		}
		nodes[i] = n
		n.initialise(t)
		if i == 0 {
			n.found(t)
		} else {
			n.join(t, nodes[:1])
		}
		n.awaitReady(t, i+1)
	}
	return nodes
}

func take(t *testing.T) int {
	t.Helper()
	port, err := freeport.Take()
	require.NoError(t, err)
	return port
}

// need returns the path of a program that a cluster needs.
func need(t *testing.T, name string) string {
	t.Helper()
	return servers.Program(t, name, "install mariadb-server, rsync and lsof")
}

// account returns the account that the server runs as.
func account(t *testing.T) *syscall.Credential {
	t.Helper()
	as, err := servers.MariaDBAccount()
	require.NoError(t, err)
	return as
}

func (n *node) initialise(t *testing.T) {
	t.Helper()
	as := account(t)
	for _, directory := range []string{n.directory, n.temporary()} {
		require.NoError(t, os.Mkdir(directory, 0o755))
		if as != nil {
			require.NoError(t, os.Chown(directory, int(as.Uid), int(as.Gid)))
		}
	}
	install := exec.Command(need(t, "mariadb-install-db"), "--no-defaults", "--datadir="+n.directory, "--tmpdir="+n.temporary(),
		"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve", "--force", "--innodb-log-file-size=16M")
	install.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	output, err := install.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// temporary is the directory of the server's temporary tables. A starting server deletes
// all tables that it finds there, also those of another server.
func (n *node) temporary() string { return n.directory + ".tmp" }

// found starts a server as the first of a cluster.
func (n *node) found(t *testing.T, more ...string) {
	t.Helper()
	n.start(t, append(more, "--wsrep-new-cluster", "--wsrep-cluster-address=gcomm://")...)
}

// join starts a server that joins the others.
func (n *node) join(t *testing.T, others []*node, more ...string) {
	t.Helper()
	addresses := make([]string, len(others))
	for i, other := range others {
		addresses[i] = other.member()
	}
	n.start(t, append(more, "--wsrep-cluster-address=gcomm://"+strings.Join(addresses, ","))...)
}

func (n *node) start(t *testing.T, more ...string) {
	t.Helper()
	arguments := append([]string{
		"--no-defaults", "--datadir=" + n.directory, "--tmpdir=" + n.temporary(), "--socket=mariadbd.sock", "--bind-address=" + n.host,
		"--port=" + strconv.Itoa(n.port), "--skip-name-resolve", "--character-set-server=utf8mb4",
		"--binlog-format=ROW", "--innodb-autoinc-lock-mode=2", "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=16M", "--innodb-flush-log-at-trx-commit=2",
		"--wsrep-on=ON", "--wsrep-provider=" + provider, "--wsrep-cluster-name=interlock", "--wsrep-node-name=" + n.name,
		"--wsrep-node-address=" + n.inner, "--wsrep-sst-method=rsync", "--wsrep-sst-receive-address=" + net.JoinHostPort(n.inner, strconv.Itoa(n.copy)),
		fmt.Sprintf("--wsrep-provider-options=base_port=%d;gmcast.listen_addr=tcp://%s;ist.recv_addr=%s;gcache.size=32M",
			n.group, n.member(), net.JoinHostPort(n.inner, strconv.Itoa(n.state))),
	}, append(n.options, more...)...)
	log, err := os.OpenFile(n.journal, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	n.process = exec.Command(need(t, "mariadbd"), arguments...)
	n.process.Stdout, n.process.Stderr = log, log
	n.process.Env = append(os.Environ(), n.environment...)
	n.process.SysProcAttr = &syscall.SysProcAttr{Credential: account(t), Pdeathsig: syscall.SIGKILL}
	require.NoError(t, n.launch(n.process.Start))
	require.NoError(t, log.Close())
	ended := n.process
	t.Cleanup(func() {
		_ = ended.Process.Signal(syscall.SIGCONT)
		_ = ended.Process.Kill()
		_ = ended.Wait()
	})
}

// awaitReady waits until the server executes statements in a cluster of that size.
func (n *node) awaitReady(t *testing.T, size int) {
	t.Helper()
	pool := n.pool(t)
	require.Eventually(t, func() bool {
		return status(t.Context(), pool, "wsrep_ready") == "ON" && status(t.Context(), pool, "wsrep_cluster_size") == strconv.Itoa(size)
	}, joinTimeout, 200*time.Millisecond, "%s did not join:\n%s", n.name, n.log())
}

func status(ctx context.Context, pool *sql.DB, name string) string {
	var variable, value string
	_ = pool.QueryRowContext(ctx, "SHOW STATUS LIKE '"+name+"'").Scan(&variable, &value)
	return value
}

// log returns the end of the server's log.
func (n *node) log() string {
	text, err := os.ReadFile(n.journal)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err.Error()
	}
	lines := strings.Split(string(text), "\n")
	return strings.Join(lines[max(0, len(lines)-40):], "\n")
}

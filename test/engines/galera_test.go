//go:build engines

package engines_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"interlock/test/freeport"
)

// provider is Galera's library, where Debian's package galera-4 puts it.
const provider = "/usr/lib/galera/libgalera_smm.so"

// joinPatience bounds how long a server may take to join its cluster.
const joinPatience = 90 * time.Second

// node is one server of a Galera cluster.
type node struct {
	name, directory          string
	port, group, state, copy int
	process                  *exec.Cmd
	connections              *sql.DB
}

func (n *node) url(database string) string {
	return fmt.Sprintf("mysql://root@127.0.0.1:%d/%s", n.port, database)
}

// pool has plain connections to the server, for what the tests do to it.
func (n *node) pool(t *testing.T) *sql.DB {
	t.Helper()
	if n.connections == nil {
		pool, err := sql.Open("mysql", fmt.Sprintf("root@tcp(127.0.0.1:%d)/", n.port))
		require.NoError(t, err)
		n.connections = pool
		t.Cleanup(func() { _ = pool.Close() })
	}
	return n.connections
}

// cluster starts so many servers that form a Galera cluster, and ends them with the test.
func cluster(t *testing.T, size int) []*node {
	t.Helper()
	require.FileExists(t, provider, "install galera-4")
	for _, program := range []string{"mariadbd", "mariadb-install-db", "rsync", "lsof"} {
		_, err := exec.LookPath(program)
		require.NoError(t, err, "install mariadb-server, rsync and lsof")
	}
	home, err := os.MkdirTemp("", "interlock-galera-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(home, 0o755))
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	nodes := make([]*node, size)
	for i := range nodes {
		n := &node{name: fmt.Sprintf("n%d", i+1), port: take(t), group: take(t), state: take(t), copy: take(t)}
		n.directory = filepath.Join(home, n.name)
		nodes[i] = n
		n.initialise(t)
		if i == 0 {
			n.start(t, "--wsrep-new-cluster", "--wsrep-cluster-address=gcomm://")
		} else {
			n.start(t, "--wsrep-cluster-address=gcomm://"+freeport.Address(nodes[0].group))
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

// account is whom the server runs as: it refuses root.
func account(t *testing.T) *syscall.Credential {
	t.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	found, err := user.Lookup("mysql")
	require.NoError(t, err)
	uid, err := strconv.ParseUint(found.Uid, 10, 32)
	require.NoError(t, err)
	gid, err := strconv.ParseUint(found.Gid, 10, 32)
	require.NoError(t, err)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
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
	install := exec.Command("mariadb-install-db", "--no-defaults", "--datadir="+n.directory, "--tmpdir="+n.temporary(),
		"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve", "--force")
	install.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	output, err := install.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// temporary is where the server has its temporary tables. A server that starts removes those that
// it finds, also another one's.
func (n *node) temporary() string { return n.directory + ".tmp" }

func (n *node) start(t *testing.T, more ...string) {
	t.Helper()
	arguments := append([]string{
		"--no-defaults", "--datadir=" + n.directory, "--tmpdir=" + n.temporary(), "--socket=mariadbd.sock", "--bind-address=127.0.0.1",
		"--port=" + strconv.Itoa(n.port), "--skip-name-resolve", "--character-set-server=utf8mb4",
		"--binlog-format=ROW", "--innodb-autoinc-lock-mode=2", "--innodb-buffer-pool-size=64M", "--innodb-flush-log-at-trx-commit=2",
		"--wsrep-on=ON", "--wsrep-provider=" + provider, "--wsrep-cluster-name=interlock", "--wsrep-node-name=" + n.name,
		"--wsrep-node-address=127.0.0.1", "--wsrep-sst-method=rsync", "--wsrep-sst-receive-address=" + freeport.Address(n.copy),
		fmt.Sprintf("--wsrep-provider-options=base_port=%d;gmcast.listen_addr=tcp://%s;ist.recv_addr=%s;gcache.size=32M",
			n.group, freeport.Address(n.group), freeport.Address(n.state)),
	}, more...)
	log, err := os.OpenFile(n.directory+".log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	n.process = exec.Command("mariadbd", arguments...)
	n.process.Stdout, n.process.Stderr = log, log
	n.process.SysProcAttr = &syscall.SysProcAttr{Credential: account(t), Pdeathsig: syscall.SIGKILL}
	require.NoError(t, n.process.Start())
	require.NoError(t, log.Close())
	ended := n.process
	t.Cleanup(func() {
		_ = ended.Process.Signal(syscall.SIGCONT)
		_ = ended.Process.Kill()
		_ = ended.Wait()
	})
}

// awaitReady waits until the server takes statements in a cluster of that size.
func (n *node) awaitReady(t *testing.T, size int) {
	t.Helper()
	pool := n.pool(t)
	require.Eventually(t, func() bool {
		return status(t.Context(), pool, "wsrep_ready") == "ON" && status(t.Context(), pool, "wsrep_cluster_size") == strconv.Itoa(size)
	}, joinPatience, 200*time.Millisecond, "%s did not join:\n%s", n.name, n.log())
}

func status(ctx context.Context, pool *sql.DB, name string) string {
	var variable, value string
	_ = pool.QueryRowContext(ctx, "SHOW STATUS LIKE '"+name+"'").Scan(&variable, &value)
	return value
}

// log is the end of what the server wrote.
func (n *node) log() string {
	text, err := os.ReadFile(n.directory + ".log")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err.Error()
	}
	lines := strings.Split(string(text), "\n")
	return strings.Join(lines[max(0, len(lines)-40):], "\n")
}

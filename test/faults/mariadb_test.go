package faults_test

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	gomysql "github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"interlock/test/servers"
)

// mariadb is a server of one test, which the test may kill.
type mariadb struct {
	address string
	data    string
	// temporary is the directory of its temporary tables. A starting server deletes all
	// tables that it finds there, also those of another server.
	temporary string
	account   *syscall.Credential
	command   *exec.Cmd
	ended     chan struct{}
	// options and environment are specific to the server, in addition to the common ones.
	options, environment []string
}

// newMariaDB creates and starts a server with an empty database, interlock.
func newMariaDB(t *testing.T, options ...string) *mariadb {
	t.Helper()
	dir, err := os.MkdirTemp("", "interlock-faults-mariadb-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o711))
	return newMariaDBIn(t, dir, options...)
}

// newMariaDBIn is newMariaDB with its data in a directory.
func newMariaDBIn(t *testing.T, dir string, options ...string) *mariadb {
	t.Helper()
	account, err := servers.MariaDBAccount()
	require.NoError(t, err)
	m := &mariadb{address: freeAddress(t), data: filepath.Join(dir, "data"), account: account, options: options}
	require.NoError(t, os.Mkdir(m.data, 0o755))
	m.temporary, err = os.MkdirTemp("", "interlock-faults-tables-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(m.temporary) })
	for _, directory := range []string{m.data, m.temporary} {
		if m.account != nil {
			require.NoError(t, os.Chown(directory, int(m.account.Uid), int(m.account.Gid)))
		}
	}
	install := exec.Command(find(t, "mariadb-install-db"), "--no-defaults", "--datadir="+m.data, "--tmpdir="+m.temporary,
		"--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve", "--force", "--innodb-log-file-size=8M")
	install.Dir = m.data
	install.SysProcAttr = &syscall.SysProcAttr{Credential: m.account}
	said, err := install.CombinedOutput()
	require.NoErrorf(t, err, "%s", said)
	m.start(t)
	t.Cleanup(m.kill)
	pool := m.connect(t)
	_, err = pool.Exec("CREATE DATABASE interlock CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
	require.NoError(t, err)
	return m
}

// url returns the URL of the database for the program.
func (m *mariadb) url() string { return "mysql://root@" + m.address + "/interlock" }

// start starts the server on its existing data, and waits until it responds.
func (m *mariadb) start(t *testing.T) {
	t.Helper()
	_, port, err := net.SplitHostPort(m.address)
	require.NoError(t, err)
	m.command = exec.Command(find(t, "mariadbd"), append([]string{
		"--no-defaults", "--datadir=" + m.data, "--tmpdir=" + m.temporary, "--socket=mariadbd.sock", "--bind-address=127.0.0.1", "--port=" + port,
		"--skip-name-resolve", "--innodb-flush-log-at-trx-commit=1", "--innodb-log-file-size=8M",
	}, m.options...)...)
	m.command.Dir = m.data
	m.command.Env = append(os.Environ(), m.environment...)
	m.command.SysProcAttr = &syscall.SysProcAttr{Credential: m.account, Pdeathsig: syscall.SIGKILL}
	require.NoError(t, m.command.Start())
	ended := make(chan struct{})
	m.ended = ended
	command := m.command
	go func() {
		_ = command.Wait()
		close(ended)
	}()
	pool := m.connect(t)
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		return pool.PingContext(ctx) == nil
	}, patience, 50*time.Millisecond, "the private MariaDB did not start")
}

// kill kills the server, like a crash.
func (m *mariadb) kill() {
	_ = m.command.Process.Kill()
	<-m.ended
}

func (m *mariadb) connect(t *testing.T) *sql.DB {
	t.Helper()
	config := gomysql.NewConfig()
	config.Net, config.Addr, config.User, config.Logger = "tcp", m.address, "root", &gomysql.NopLogger{}
	connector, err := gomysql.NewConnector(config)
	require.NoError(t, err)
	pool := sql.OpenDB(connector)
	t.Cleanup(func() { _ = pool.Close() })
	return pool
}

// follow makes m a replica of primary, starting at the primary's current position. Earlier
// changes are not replicated, because both servers already have the database that newMariaDB
// creates.
func (m *mariadb) follow(t *testing.T, primary *mariadb) {
	t.Helper()
	var at string
	require.NoError(t, primary.connect(t).QueryRowContext(t.Context(), "SELECT @@gtid_current_pos").Scan(&at))
	_, port, err := net.SplitHostPort(primary.address)
	require.NoError(t, err)
	m.run(t, "SET GLOBAL gtid_slave_pos = '"+at+"'",
		fmt.Sprintf("CHANGE MASTER TO MASTER_HOST='127.0.0.1', MASTER_PORT=%s, MASTER_USER='root', MASTER_USE_GTID=slave_pos", port), "START SLAVE")
}

// run executes statements, as an operator would.
func (m *mariadb) run(t *testing.T, statements ...string) {
	t.Helper()
	pool := m.connect(t)
	for _, statement := range statements {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		_, err := pool.ExecContext(ctx, statement)
		require.NoError(t, err, statement)
	}
}

// find returns a program's path. The services runner has installed it.
func find(t *testing.T, program string) string {
	t.Helper()
	return servers.Program(t, program, "run this through `make test` or `make faults`")
}

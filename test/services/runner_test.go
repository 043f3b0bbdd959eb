package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/test/servers"
	"interlock/test/tier"
)

// patience is the deadline of each wait. Only a hang reaches it.
const patience = 2 * time.Minute

// roleVariable makes this test binary the command of a runner. With -- as its first argument, the
// binary is a runner.
const roleVariable = "INTERLOCK_SERVICES_TEST_ROLE"

const (
	roleExits = "exits" // reports, leaves a process running, exits with 7
	roleWaits = "waits" // reports, waits for SIGTERM, exits with 9
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "--" {
		os.Exit(run(os.Args[1:], os.Stderr))
	}
	switch os.Getenv(roleVariable) {
	case roleExits:
		os.Exit(playCommand(false))
	case roleWaits:
		os.Exit(playCommand(true))
	}
	goleak.VerifyTestMain(m)
}

// playCommand writes to both servers and prints the process ids of MariaDB, of Redis and of
// a process that it leaves running.
func playCommand(wait bool) int {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	if err := useServers(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	leftBehind := exec.Command("sleep", "600")
	if err := leftBehind.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(os.Getenv("INTERLOCK_TEST_MYSQL_PID"), os.Getenv("INTERLOCK_TEST_REDIS_PID"), leftBehind.Process.Pid)
	if !wait {
		return 7
	}
	<-terminated
	return 9
}

func useServers() error {
	ctx := context.Background()
	address, err := url.Parse(os.Getenv("INTERLOCK_TEST_MYSQL_URL"))
	if err != nil {
		return err
	}
	database, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)/", address.User, address.Host))
	if err != nil {
		return err
	}
	defer database.Close()
	if _, err := database.ExecContext(ctx, "CREATE DATABASE proof"); err != nil {
		return err
	}
	options, err := redis.ParseURL(os.Getenv("INTERLOCK_TEST_REDIS_URL"))
	if err != nil {
		return err
	}
	client := redis.NewClient(options)
	defer client.Close()
	return client.Set(ctx, "proof", "written", 0).Err()
}

// runner is a running runner, in a separate temporary directory.
type runner struct {
	*exec.Cmd
	errors transcript
	output *bufio.Reader
}

// transcript collects the output of a running process.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *transcript) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(text)
}

func (l *transcript) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func startRunner(t *testing.T, temporary, role string) *runner {
	r := &runner{Cmd: exec.Command(os.Args[0], "--", os.Args[0])}
	r.Env = append(os.Environ(), "TMPDIR="+temporary, roleVariable+"="+role)
	r.Stderr = &r.errors
	output, err := r.StdoutPipe()
	require.NoError(t, err)
	r.output = bufio.NewReader(output)
	require.NoError(t, r.Start())
	t.Cleanup(func() { _ = r.Process.Kill() })
	return r
}

// reported waits for the command's report and returns the process ids in it.
func (r *runner) reported(t *testing.T) []int {
	line, err := r.output.ReadString('\n')
	if err != nil {
		_ = r.Wait()
		require.NoError(t, err, "the command did not report:\n%s", &r.errors)
	}
	var pids []int
	for _, field := range bytes.Fields([]byte(line)) {
		pid, err := strconv.Atoi(string(field))
		require.NoError(t, err)
		pids = append(pids, pid)
	}
	require.Len(t, pids, 3)
	return pids
}

func requireEnded(t *testing.T, pids []int) {
	for _, pid := range pids {
		require.Eventually(t, func() bool { return hasEnded(pid) }, patience, 10*time.Millisecond, "process %d", pid)
	}
}

func TestRunner(t *testing.T) {
	servers.Uncached()
	// Not t.TempDir, which user mysql cannot enter.
	temporary, err := os.MkdirTemp("", "services-test-")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(temporary)) })
	require.NoError(t, os.Chmod(temporary, 0o711))
	homes := func() []string {
		found, err := filepath.Glob(filepath.Join(temporary, "*"+homePrefix+"*"))
		require.NoError(t, err)
		return found
	}

	t.Run("the command reaches both servers, its exit code is returned and nothing outlives it", func(t *testing.T) {
		r := startRunner(t, temporary, roleExits)
		pids := r.reported(t)
		require.Equal(t, 7, exitCode(r.Wait()), "%s", &r.errors)
		require.Regexp(t, `left processes behind; they were ended: \d+ sleep`, r.errors.String())
		requireEnded(t, pids)
		require.Empty(t, homes())
	})

	t.Run("the runner reports a server that dies, and forwards a signal to the command", func(t *testing.T) {
		r := startRunner(t, temporary, roleWaits)
		pids := r.reported(t)
		require.NoError(t, syscall.Kill(pids[1], syscall.SIGKILL))
		require.Eventually(t, func() bool {
			return strings.Contains(r.errors.String(), "redis-server ended while the command ran")
		}, patience, 10*time.Millisecond)
		require.NoError(t, r.Process.Signal(syscall.SIGTERM))
		require.Equal(t, 9, exitCode(r.Wait()), "%s", &r.errors)
		requireEnded(t, pids)
		require.Empty(t, homes())
	})

	t.Run("the servers of a killed runner end and the next runner removes their data", func(t *testing.T) {
		tier.Nightly(t)
		killed := startRunner(t, temporary, roleWaits)
		pids := killed.reported(t)
		require.NoError(t, killed.Process.Kill())
		require.Equal(t, 128+9, exitCode(killed.Wait()))
		requireEnded(t, pids[:2])
		require.Len(t, homes(), 1)
		require.NoError(t, syscall.Kill(pids[2], syscall.SIGKILL), "the test ends the process that the command left behind")

		next := startRunner(t, temporary, roleExits)
		next.reported(t)
		require.Equal(t, 7, exitCode(next.Wait()))
		require.Empty(t, homes())
	})
}

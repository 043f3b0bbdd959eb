package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"interlock/test/freeport"
)

const (
	pollInterval = 50 * time.Millisecond
	stopLimit    = 10 * time.Second
	portAttempts = 5
	logTailLines = 40
)

// startedServers are the two servers of a command, and the folders with the same lifetime.
type startedServers struct {
	mariadb, redis *server
	// shared is the folder that the test packages share, and temporary the folder for
	// temporary files.
	shared, temporary string
	// run is a number that is unique to the run.
	run string
}

// startServers returns the started servers together with the error, so that the caller
// stops them in either case.
func startServers(ctx context.Context, programs programs, home string, place uint32, durable bool) (startedServers, error) {
	started := startedServers{
		shared: filepath.Join(home, sharedFolder), temporary: filepath.Join(home, temporaryFolder),
		run: strconv.FormatInt(time.Now().UnixNano(), 36),
	}
	var err error
	if started.mariadb, err = startMariaDB(ctx, programs, filepath.Join(home, "mariadb"), place, durable); err != nil {
		return started, err
	}
	started.redis, err = startRedis(ctx, programs, filepath.Join(home, "redis"), place+1)
	return started, err
}

func (s startedServers) stop() {
	s.redis.stop()
	s.mariadb.stop()
}

// environment replaces inherited URLs: a command never connects to a server that happens to
// run.
func environment(inherited []string, servers startedServers) []string {
	own := map[string]string{
		"INTERLOCK_TEST_MYSQL_URL":  servers.mariadb.url,
		"INTERLOCK_TEST_REDIS_URL":  servers.redis.url,
		"INTERLOCK_TEST_MYSQL_PID":  strconv.Itoa(servers.mariadb.pid),
		"INTERLOCK_TEST_REDIS_PID":  strconv.Itoa(servers.redis.pid),
		"INTERLOCK_TEST_SHARED_DIR": servers.shared,
		"TMPDIR":                    servers.temporary,
		"INTERLOCK_TEST_RUN":        servers.run,
	}
	var result []string
	for _, entry := range inherited {
		name, _, _ := strings.Cut(entry, "=")
		if _, replaced := own[name]; !replaced {
			result = append(result, entry)
		}
	}
	for name, value := range own {
		result = append(result, name+"="+value)
	}
	return result
}

// server is one running server process. A nil server has nothing to stop.
type server struct {
	name    string
	url     string
	pid     int
	logPath string
	ended   chan struct{}
}

// launch describes how to start one server.
type launch struct {
	name      string
	directory string
	// place determines the port that is tried first, by freeport.At.
	place uint32
	// command builds the command for a port. It is called again with another port if
	// another process has bound the first one.
	command func(port int) *exec.Cmd
	url     func(port int) string
	// responds reports whether the server on the port responds and is the process that was
	// started.
	responds func(ctx context.Context, port, pid int) error
}

// start starts the server and waits until it responds or ctx ends.
func (l launch) start(ctx context.Context) (*server, error) {
	port, err := freeport.At(l.place)
	for attempt := 1; ; attempt++ {
		if err != nil {
			return nil, err
		}
		running, failed := l.startOn(ctx, port)
		if failed == nil {
			return running, nil
		}
		running.stop()
		if attempt == portAttempts || !running.portWasTaken() {
			return nil, failed
		}
		port, err = freeport.Take()
	}
}

func (l launch) startOn(ctx context.Context, port int) (*server, error) {
	command := l.command(port)
	output, err := os.Create(filepath.Join(l.directory, l.name+".log"))
	if err != nil {
		return nil, fmt.Errorf("create the log of %s: %w", l.name, err)
	}
	defer output.Close()
	command.Dir = l.directory
	command.Stdout, command.Stderr = output, output
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	// A separate group prevents a Ctrl-C at the terminal from ending the server while the
	// command still needs it.
	command.SysProcAttr.Setpgid = true
	command.SysProcAttr.Pdeathsig = syscall.SIGKILL
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", l.name, err)
	}
	running := &server{
		name: l.name, url: l.url(port), pid: command.Process.Pid,
		logPath: output.Name(), ended: make(chan struct{}),
	}
	go func() {
		_ = command.Wait()
		close(running.ended)
	}()
	return running, l.await(ctx, running, port)
}

func (l launch) await(ctx context.Context, running *server, port int) error {
	poll := time.NewTicker(pollInterval)
	defer poll.Stop()
	for {
		answer := l.responds(ctx, port, running.pid)
		if answer == nil {
			return nil
		}
		select {
		case <-running.ended:
			return fmt.Errorf("%s ended at its start\n%s", l.name, running.logTail())
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return fmt.Errorf("interrupted while %s started", l.name)
			}
			return fmt.Errorf("%s did not answer within %s: %w\n%s", l.name, startLimit, answer, running.logTail())
		case <-poll.C:
		}
	}
}

// stop asks the server to end, and kills it if it has not ended in time.
func (s *server) stop() {
	if s != nil {
		s.stopWithin(stopLimit)
	}
}

func (s *server) stopWithin(limit time.Duration) {
	for _, request := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-s.ended:
			return
		default:
		}
		_ = syscall.Kill(s.pid, request)
		select {
		case <-s.ended:
		case <-time.After(limit):
		}
	}
}

func (s *server) portWasTaken() bool {
	return s != nil && strings.Contains(s.logTail(), "ddress already in use")
}

// logTail returns the last lines the server logged, each indented and ended by a
// newline.
func (s *server) logTail() string {
	content, err := os.ReadFile(s.logPath)
	if err != nil {
		return fmt.Sprintf("  (its log cannot be read: %v)\n", err)
	}
	lines := bytes.Split(bytes.TrimSpace(content), []byte("\n"))
	if len(lines) > logTailLines {
		lines = lines[len(lines)-logTailLines:]
	}
	var tail strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&tail, "  %s\n", line)
	}
	return tail.String()
}

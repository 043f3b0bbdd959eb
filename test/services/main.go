// Command services runs a command with a separate MariaDB and Redis:
//
//	go run ./test/services [-durable | -in-memory] -- go test ./...
//
// Invariants:
//   - No test depends on a server that happens to run: both servers have their
//     own data directory and a free port on the loopback interface, and the runner
//     verifies the identity of each before the command starts.
//   - Nothing outlives the runner. However the command ends, the runner stops the
//     servers by process id and removes their data and the temporary files of the
//     command. If the runner itself is killed, the kernel kills the servers, and
//     the next run removes the data.
//   - A missing server is installed or reported, never skipped.
//
// The command finds the servers in its environment:
//
//	INTERLOCK_TEST_MYSQL_URL  mysql://root@127.0.0.1:PORT/ (no database, no password)
//	INTERLOCK_TEST_REDIS_URL  redis://127.0.0.1:PORT/0
//	INTERLOCK_TEST_MYSQL_PID  process id of mariadbd
//	INTERLOCK_TEST_REDIS_PID  process id of redis-server
//	INTERLOCK_TEST_SHARED_DIR an empty folder with the lifetime of the servers
//	TMPDIR                    another one, for temporary files
//	INTERLOCK_TEST_RUN        a number that is unique to the run
//
// All except the process ids and the last are the same in each run, unless another process
// uses the ports or the folder, so that Go's test cache works across runs.
//
// The runner exits with the command's exit code, with 128 + n if signal n ended the
// command, and with 2 if it could not start the servers or the command. (go run itself
// turns every code except 0 into 1 and prints the real one.)
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	startLimit   = 60 * time.Second
	exitNotReady = 2
)

// The kernel sends a parent-death signal when the thread that started the child ends, not
// the process, so every child is started from the main thread.
func init() { runtime.LockOSThread() }

func main() {
	os.Exit(run(os.Args[1:], os.Stderr))
}

func run(arguments []string, log io.Writer) int {
	options, err := parseArguments(arguments, log)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return refuse(log, err)
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, forwarded...)
	starting, started := signal.NotifyContext(context.Background(), forwarded...)
	defer started()

	programs, err := findOrInstall(log)
	if err != nil {
		return refuse(log, err)
	}
	place := placeOf(programs)
	home, err := openHome(options.parent(), place)
	if err != nil {
		return refuse(log, err)
	}
	defer home.remove()

	bounded, cancel := context.WithTimeout(starting, startLimit)
	defer cancel()
	servers, err := startServers(bounded, programs, home.path, place, options.durable)
	defer servers.stop()
	if err != nil {
		return refuse(log, err)
	}
	fmt.Fprintf(log, "services: MariaDB at %s, Redis at %s\n", servers.mariadb.url, servers.redis.url)
	return runCommand(options.command, servers, signals, log)
}

func refuse(log io.Writer, err error) int {
	fmt.Fprintf(log, "services: %v\n", err)
	return exitNotReady
}

type options struct {
	durable, inMemory bool
	command           []string
}

// parent is the folder that contains the home.
func (o options) parent() string {
	if o.inMemory && hasRoom(memory, memoryNeeded) {
		return memory
	}
	return os.TempDir()
}

func parseArguments(arguments []string, log io.Writer) (options, error) {
	var parsed options
	flags := flag.NewFlagSet("services", flag.ContinueOnError)
	flags.SetOutput(log)
	flags.BoolVar(&parsed.durable, "durable", false,
		"MariaDB flushes its log at every commit (innodb_flush_log_at_trx_commit=1 instead of 2)")
	flags.BoolVar(&parsed.inMemory, "in-memory", false,
		"the data of the servers and the temporary files of the command are kept in memory, where there is room for them")
	flags.Usage = func() {
		fmt.Fprintln(log, "usage: go run ./test/services [flags] -- COMMAND [ARGUMENT...]")
		flags.PrintDefaults()
	}
	if err := flags.Parse(arguments); err != nil {
		return options{}, err
	}
	parsed.command = flags.Args()
	if parsed.durable && parsed.inMemory {
		return options{}, errors.New("files in memory are not durable: give one of -durable and -in-memory")
	}
	if len(parsed.command) == 0 {
		return options{}, errors.New("no command given; write it after --, as in: go run ./test/services -- go test ./pkg")
	}
	return parsed, nil
}

// runCommand runs the command in a separate process group. A Ctrl-C at the terminal then reaches the
// command once, through the runner, and the runner can end the processes that the command leaves
// behind.
func runCommand(command []string, servers startedServers, signals <-chan os.Signal, log io.Writer) int {
	child := exec.Command(command[0], command[1:]...)
	child.Env = environment(os.Environ(), servers)
	child.Stdin = inputUnlessTerminal(os.Stdin)
	child.Stdout = os.Stdout
	child.Stderr = os.Stderr
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if err := child.Start(); err != nil {
		return refuse(log, fmt.Errorf("start the command: %w", err))
	}
	group := -child.Process.Pid
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	mariadbEnded, redisEnded := servers.mariadb.ended, servers.redis.ended
	for {
		select {
		case received := <-signals:
			_ = syscall.Kill(group, received.(syscall.Signal))
		case <-mariadbEnded:
			fmt.Fprintf(log, "services: %s ended while the command ran\n%s", servers.mariadb.name, servers.mariadb.logTail())
			mariadbEnded = nil
		case <-redisEnded:
			fmt.Fprintf(log, "services: %s ended while the command ran\n%s", servers.redis.name, servers.redis.logTail())
			redisEnded = nil
		case err := <-ended:
			left := membersOf(-group)
			_ = syscall.Kill(group, syscall.SIGKILL)
			if len(left) > 0 {
				fmt.Fprintf(log, "services: the command left processes behind; they were ended: %s\n", strings.Join(left, ", "))
			}
			return exitCode(err)
		}
	}
}

// membersOf returns the processes of a group, each by the start of its command line. A
// process that has ended has no command line, even before it is reaped, and is left out.
func membersOf(group int) (names []string) {
	folders, _ := filepath.Glob("/proc/[0-9]*")
	for _, folder := range folders {
		pid, _ := strconv.Atoi(filepath.Base(folder))
		if of, err := syscall.Getpgid(pid); err != nil || of != group {
			continue
		}
		words, _ := os.ReadFile(filepath.Join(folder, "cmdline"))
		if line := strings.TrimSpace(strings.ReplaceAll(string(words), "\x00", " ")); line != "" {
			names = append(names, fmt.Sprintf("%d %.80s", pid, line))
		}
	}
	return names
}

// inputUnlessTerminal returns nil, which reads as empty, for a terminal: the command is not
// in the terminal's foreground group, and a read from it would stop the command.
func inputUnlessTerminal(input *os.File) io.Reader {
	about, err := input.Stat()
	if err != nil || about.Mode()&os.ModeCharDevice != 0 {
		return nil
	}
	return input
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return exitNotReady
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

var forwarded = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestArgumentsSplitIntoFlagsAndCommand(t *testing.T) {
	tests := map[string]struct {
		arguments []string
		want      options
	}{
		"a command alone":               {[]string{"--", "go", "test"}, options{command: []string{"go", "test"}}},
		"the dashes may be left out":    {[]string{"go", "test"}, options{command: []string{"go", "test"}}},
		"flags come before the command": {[]string{"-durable", "--", "env"}, options{durable: true, command: []string{"env"}}},
		"in memory":                     {[]string{"-in-memory", "env"}, options{inMemory: true, command: []string{"env"}}},
		"the command retains its flags": {[]string{"--", "env", "-durable"}, options{command: []string{"env", "-durable"}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			parsed, err := parseArguments(test.arguments, io.Discard)
			require.NoError(t, err)
			require.Equal(t, test.want, parsed)
		})
	}
}

func TestMissingCommandAndUnknownFlagsAreRejected(t *testing.T) {
	_, err := parseArguments([]string{"-durable", "--"}, io.Discard)
	require.ErrorContains(t, err, "no command given")

	_, err = parseArguments([]string{"-durable", "-in-memory", "--", "env"}, io.Discard)
	require.ErrorContains(t, err, "files in memory are not durable")

	var said bytes.Buffer
	_, err = parseArguments([]string{"-fast", "--", "env"}, &said)
	require.Error(t, err)
	require.Contains(t, said.String(), "usage: go run ./test/services")

	_, err = parseArguments([]string{"-h"}, io.Discard)
	require.ErrorIs(t, err, flag.ErrHelp)
}

func TestCommandNeverInheritsTheURLOfAnotherServer(t *testing.T) {
	own := startedServers{
		mariadb: &server{url: "mysql://root@127.0.0.1:1/", pid: 11},
		redis:   &server{url: "redis://127.0.0.1:2/0", pid: 12},
		shared:  "/tmp/x/shared", temporary: "/tmp/x/tmp", run: "now",
	}
	inherited := []string{"HOME=/home/x", "INTERLOCK_TEST_MYSQL_URL=mysql://production/", "INTERLOCK_TEST_REDIS_PID=1"}
	require.ElementsMatch(t, []string{
		"HOME=/home/x",
		"INTERLOCK_TEST_MYSQL_URL=mysql://root@127.0.0.1:1/",
		"INTERLOCK_TEST_REDIS_URL=redis://127.0.0.1:2/0",
		"INTERLOCK_TEST_MYSQL_PID=11",
		"INTERLOCK_TEST_REDIS_PID=12",
		"INTERLOCK_TEST_SHARED_DIR=/tmp/x/shared",
		"TMPDIR=/tmp/x/tmp",
		"INTERLOCK_TEST_RUN=now",
	}, environment(inherited, own))
}

func TestDurableServersFlushAtEveryCommit(t *testing.T) {
	require.Contains(t, mariadbArguments(mariadbFiles{}, 1, true), "--innodb-flush-log-at-trx-commit=1")
	require.Contains(t, mariadbArguments(mariadbFiles{}, 1, false), "--innodb-flush-log-at-trx-commit=2")
}

func TestMissingProgramsAreNamedByTheirPackages(t *testing.T) {
	directory := t.TempDir()
	found, missing := findPrograms([]string{directory})
	require.Equal(t, []string{"mariadb-server", "redis-server"}, missing)
	require.Zero(t, found)
	require.ErrorContains(t, missingError(missing), "apt-get install --no-install-recommends mariadb-server redis-server")

	for _, name := range []string{"mariadbd", "mariadb-install-db"} {
		require.NoError(t, os.WriteFile(filepath.Join(directory, name), nil, 0o755))
	}
	require.NoError(t, os.WriteFile(filepath.Join(directory, "redis-server"), nil, 0o644), "not executable, so not found")
	found, missing = findPrograms([]string{directory})
	require.Equal(t, []string{"redis-server"}, missing)
	require.Equal(t, filepath.Join(directory, "mariadbd"), found.mariadbd)
}

func TestPackagesAreInstalledOnDebianDerivativesOnly(t *testing.T) {
	tests := map[string]bool{
		"ID=debian\nVERSION_ID=\"12\"":               true,
		"ID=ubuntu\nID_LIKE=debian":                  true,
		"ID=linuxmint\nID_LIKE=\"ubuntu debian\"":    true,
		"ID=fedora\nNAME=\"not debian\"":             false,
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora": false,
		"": false,
	}
	for release, want := range tests {
		require.Equal(t, want, isDebian(release), "%q", release)
	}
}

func TestServiceStartsAreForbiddenOnlyWhileInstalling(t *testing.T) {
	const administrators = "#!/bin/sh\nexit 0\n"
	path := filepath.Join(t.TempDir(), "policy-rc.d")
	read := func() string {
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		return string(content)
	}

	allow, err := forbidServiceStart(path)
	require.NoError(t, err)
	require.Equal(t, policyForbidsAll, read())
	allow()
	require.NoFileExists(t, path, "there was no policy before")

	require.NoError(t, os.WriteFile(path, []byte(administrators), 0o755))
	_, err = forbidServiceStart(path)
	require.NoError(t, err, "this run is killed before it allows starts again")
	allow, err = forbidServiceStart(path)
	require.NoError(t, err)
	require.Equal(t, policyForbidsAll, read())
	allow()
	require.Equal(t, administrators, read(), "the administrator's policy outlives both runs")
}

func TestFilesAreInMemoryIfTheyFit(t *testing.T) {
	require.Equal(t, os.TempDir(), options{}.parent())
	require.Contains(t, []string{memory, os.TempDir()}, options{inMemory: true}.parent())
	require.True(t, hasRoom(t.TempDir(), 1))
	require.False(t, hasRoom(t.TempDir(), 1<<60))
	require.False(t, hasRoom(filepath.Join(t.TempDir(), "missing"), 1))
}

func TestOnlyAbandonedHomesAreRemoved(t *testing.T) {
	parent := t.TempDir()
	living, err := openHome(parent, 7)
	require.NoError(t, err)
	abandoned, err := openHome(parent, 8)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(abandoned.path, "data"), nil, 0o644))
	require.NoError(t, abandoned.lock.Close(), "as the kernel does when a runner is killed")

	next, err := openHome(parent, 7)
	require.NoError(t, err)
	require.NotEqual(t, living.path, next.path, "a runner has it")
	require.DirExists(t, living.path)
	require.NoDirExists(t, abandoned.path)

	living.remove()
	again, err := openHome(parent, 7)
	require.NoError(t, err)
	require.Equal(t, living.path, again.path, "the tests of the next run have the environment of this one")

	next.remove()
	again.remove()
	left, err := os.ReadDir(parent)
	require.NoError(t, err)
	require.Empty(t, left)
}

// standIn is a launch of a shell script instead of a server.
func standIn(t *testing.T, script string, answers error) launch {
	return launch{
		name:      "stand-in",
		directory: t.TempDir(),
		command:   func(int) *exec.Cmd { return exec.Command("sh", "-c", script) },
		url:       func(port int) string { return fmt.Sprint("stand-in://", port) },
		responds:  func(context.Context, int, int) error { return answers },
	}
}

func TestServerFailingAtStartIsReportedWithItsLog(t *testing.T) {
	script := `for n in $(seq 1 100); do echo "line $n"; done; exit 1`
	_, err := standIn(t, script, errors.New("refused")).start(t.Context())
	require.ErrorContains(t, err, "stand-in ended at its start")
	require.ErrorContains(t, err, "line 100")
	require.NotContains(t, err.Error(), "line 60\n")
}

func TestUnresponsiveServerIsReportedAndStopped(t *testing.T) {
	// The wait has ended once the script is known to run.
	silent := standIn(t, "echo recovering; exec sleep 60", nil)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	expired, expire := context.WithDeadline(ctx, time.Unix(0, 0))
	defer expire()
	var process int
	silent.responds = func(_ context.Context, _, pid int) error {
		process = pid
		require.Eventually(t, func() bool {
			log, err := os.ReadFile(filepath.Join(silent.directory, "stand-in.log"))
			return err == nil && len(log) > 0
		}, 10*time.Second, time.Millisecond)
		return errors.New("refused")
	}
	_, err := silent.start(expired)
	require.ErrorContains(t, err, "did not answer within 1m0s: refused")
	require.ErrorContains(t, err, "recovering")
	require.True(t, hasEnded(process))
}

func TestServerUsesAnotherPortIfItsPortIsInUse(t *testing.T) {
	moving := standIn(t, "", nil)
	var ports []int
	moving.command = func(port int) *exec.Cmd {
		ports = append(ports, port)
		if len(ports) == 1 {
			return exec.Command("sh", "-c", "echo 'bind: Address already in use'; exit 1")
		}
		return exec.Command("sleep", "60")
	}
	moving.responds = func(context.Context, int, int) error {
		if len(ports) == 1 {
			return errors.New("refused")
		}
		return nil
	}
	running, err := moving.start(t.Context())
	require.NoError(t, err)
	defer running.stop()
	require.Len(t, ports, 2)
	require.Equal(t, fmt.Sprint("stand-in://", ports[1]), running.url)
}

func TestServerThatIgnoresTermIsKilled(t *testing.T) {
	stubborn := standIn(t, "trap '' TERM; echo deaf; while :; do read -r line </dev/zero; done", nil)
	stubborn.responds = func(context.Context, int, int) error {
		log, err := os.ReadFile(filepath.Join(stubborn.directory, "stand-in.log"))
		if err == nil && len(log) == 0 {
			return errors.New("not deaf yet")
		}
		return err
	}
	running, err := stubborn.start(t.Context())
	require.NoError(t, err)
	running.stopWithin(50 * time.Millisecond)
	require.True(t, hasEnded(running.pid))
}

func TestExitCodeIsTheCommands(t *testing.T) {
	require.Equal(t, 0, exitCode(exec.Command("true").Run()))
	require.Equal(t, 7, exitCode(exec.Command("sh", "-c", "exit 7").Run()))
	require.Equal(t, 128+9, exitCode(exec.Command("sh", "-c", "kill -9 $$").Run()))
}

// hasEnded also counts a process that is not reaped yet.
func hasEnded(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	about, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(about), ") ")
	return strings.HasPrefix(state, "Z")
}

package faults_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/settings"
	"interlock/test/apptest"
	"interlock/test/servers"
)

// process is the program, or another program, running as a separate process.
type process struct {
	command *exec.Cmd
	output  *output
	ended   chan struct{}
}

// environment returns the settings as environment variables.
func environment(s settings.Settings) []string {
	return append(os.Environ(),
		"INTERLOCK_DATA_DIR="+s.DataDir,
		"INTERLOCK_DATABASE_URL="+s.DatabaseURL,
		fmt.Sprintf("INTERLOCK_MAX_CONNECTIONS=%d", s.MaxConnections),
		"INTERLOCK_ENCRYPTION_KEYS="+apptest.EncryptionKey,
		"INTERLOCK_REDIS_URL="+s.RedisURL,
		"INTERLOCK_ROLE="+s.Role,
		"INTERLOCK_ADDR="+s.Addr,
		"INTERLOCK_ADMIN_PASSWORD="+s.AdminPassword,
		"INTERLOCK_CUSTOMER_JWT_SECRET="+s.CustomerJWTSecret,
		"INTERLOCK_LOG_LEVEL="+s.LogLevel,
		fmt.Sprintf("INTERLOCK_RATE_LIMIT=%d", s.RateLimit),
		fmt.Sprintf("INTERLOCK_TENANT_RATE_LIMIT=%d", s.TenantRateLimit),
		fmt.Sprintf("INTERLOCK_SIGN_IN_LIMIT=%d", s.SignInLimit),
		"INTERLOCK_TRUSTED_PROXIES="+strings.Join(s.TrustedProxies, ","),
		"INTERLOCK_SHUTDOWN_DELAY="+s.ShutdownDelay.String(),
		"INTERLOCK_SHUTDOWN_TIMEOUT="+s.ShutdownTimeout.String(),
		"INTERLOCK_FLASH_SALE_PAYMENT_TIMEOUT="+cmp.Or(s.FlashSalePaymentTimeout, 15*time.Minute).String(),
	)
}

// launch starts `admin serve` and does not wait for it.
func launch(t *testing.T, s settings.Settings) *process {
	t.Helper()
	return launchProgram(t, programPath, s)
}

func launchProgram(t *testing.T, program string, s settings.Settings) *process {
	t.Helper()
	command := exec.Command(program, "serve")
	command.Env = environment(s)
	return start(t, command)
}

// start starts any program, which is killed at the end of the test.
func start(t *testing.T, command *exec.Cmd) *process {
	t.Helper()
	servers.Uncached()
	p := &process{command: command, output: &output{}, ended: make(chan struct{})}
	p.command.Stdout, p.command.Stderr = p.output, p.output
	p.command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, p.command.Start())
	go func() {
		_ = p.command.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("the last that %s said:\n%s", filepath.Base(command.Path), p.output.end())
		}
	})
	return p
}

// serve starts `admin serve` and waits until it prints its address.
func serve(t *testing.T, s settings.Settings) *process {
	t.Helper()
	return serveProgram(t, programPath, s)
}

func serveProgram(t *testing.T, program string, s settings.Settings) *process {
	t.Helper()
	p := launchProgram(t, program, s)
	require.Eventually(t, func() bool { return p.serves() || p.hasEnded() },
		patience, 5*time.Millisecond, "the program did not start")
	require.False(t, p.hasEnded(), "the program ended at its start: %s", p.output)
	return p
}

// serves reports whether the program has printed its address.
func (p *process) serves() bool {
	return strings.Contains(p.output.String(), "Interlock is at http://")
}

func (p *process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// kill kills the process, like a crash, and waits for its end.
func (p *process) kill() {
	p.signal(syscall.SIGKILL)
	<-p.ended
}

func (p *process) signal(s syscall.Signal) { _ = p.command.Process.Signal(s) }

// exitCode waits for the end.
func (p *process) exitCode(t *testing.T, within time.Duration) int {
	t.Helper()
	select {
	case <-p.ended:
		return p.command.ProcessState.ExitCode()
	case <-time.After(within):
		require.FailNow(t, fmt.Sprintf("the program was still running after %s", within))
		return 0
	}
}

// admin runs another command of the program to its end and returns its standard
// output, trimmed.
func admin(t *testing.T, s settings.Settings, arguments ...string) string {
	t.Helper()
	return adminOf(t, programPath, s, arguments...)
}

func adminOf(t *testing.T, program string, s settings.Settings, arguments ...string) string {
	t.Helper()
	command := exec.Command(program, arguments...)
	command.Env = environment(s)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	stdout, err := command.Output()
	require.NoErrorf(t, err, "admin %s: %s", strings.Join(arguments, " "), &stderr)
	return strings.TrimSpace(string(stdout))
}

// checkPromises checks each promise on everything that a program wrote.
func checkPromises(t *testing.T, s settings.Settings) {
	t.Helper()
	require.Equal(t, len(app.Promises()), 1+strings.Count(admin(t, s, "promises", "check"), "\n"))
}

// callerOf returns a caller of the admin for a process at s.Addr.
func callerOf(t *testing.T, s settings.Settings) *apptest.Caller {
	t.Helper()
	return callerBy(t, programPath, s)
}

func callerBy(t *testing.T, program string, s settings.Settings) *apptest.Caller {
	t.Helper()
	token := adminOf(t, program, s, "token", "create", "--user", "admin", "--name", "faults")
	require.NotEmpty(t, token)
	require.Len(t, strings.Fields(token), 1, "only the token is printed")
	return &apptest.Caller{Program: &apptest.Program{URL: "http://" + s.Addr}, Token: token, HTTP: newClient(t)}
}

// output collects the output of a process.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// end returns the last lines.
func (o *output) end() string {
	lines := strings.Split(o.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-100):], "\n")
}

// lastLine returns the last line that was printed.
func (o *output) lastLine() string {
	last := ""
	for lines := bufio.NewScanner(strings.NewReader(o.String())); lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); line != "" {
			last = line
		}
	}
	return last
}

// status requests a path and returns the status, or 0 without a response.
func status(ctx context.Context, c *apptest.Caller, path string) int {
	answer, err := c.Try(ctx, http.MethodGet, path, nil)
	if err != nil {
		return 0
	}
	return answer.Status
}

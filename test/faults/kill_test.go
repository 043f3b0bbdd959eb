package faults_test

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/settings"
	"interlock/test/apptest"
	"interlock/test/racing"
	"interlock/test/tier"
)

// asProcess starts the program as a process on fresh data.
func asProcess(t *testing.T, engine string) (*process, settings.Settings, *apptest.Caller) {
	t.Helper()
	s := fresh(t, engine)
	s.Addr = freeAddress(t)
	if engine == "mariadb" {
		admin(t, s, "migrate", "up")
	}
	p := serve(t, s)
	return p, s, callerOf(t, s)
}

// killInTheMiddle kills the program during edits as often as requested, starts it again,
// and compares the writers' responses and the watcher's events with the store.
func killInTheMiddle(t *testing.T, engine string, edits, kills int) {
	random := racing.Seeded(t)
	p, s, c := asProcess(t, engine)
	l := newLedger(t, c, 5)
	watching := follow(t, c)
	booked := make(chan struct{}, edits)
	l.booked = func() { booked <- struct{}{} }
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.write(t.Context(), c, random, 8, edits)
	}()
	for range kills {
		for range edits / (kills + 1) {
			<-booked
		}
		pause(t.Context(), time.Duration(random.IntN(5000))*time.Microsecond)
		p.kill()
		p = serve(t, s)
	}
	<-done

	l.settle(t, s.URL())
	watching.settle(t, s.URL())
	acknowledged, refused, unknown := l.totals()
	t.Logf("%d edits acknowledged, %d rejected, %d unknown", acknowledged, refused, unknown)
	require.Equal(t, edits, acknowledged+refused+unknown)
	require.Greater(t, acknowledged, edits/10, "too few edits landed to prove anything")
	p.signal(syscall.SIGTERM)
	require.Zero(t, p.exitCode(t, patience), "it ends cleanly on request")
}

// killAmongBatches kills the program while writers set both members of a pair of configs to
// one mark in one batch.
func killAmongBatches(t *testing.T, engine string, batches, kills int) {
	random := racing.Seeded(t)
	p, s, c := asProcess(t, engine)
	l := newLedger(t, c, 2)
	booked := make(chan struct{}, batches)
	l.booked = func() { booked <- struct{}{} }
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.writeBatches(t.Context(), c, 6, batches)
	}()
	for range kills {
		for range batches / (kills + 1) {
			<-booked
		}
		pause(t.Context(), time.Duration(random.IntN(5000))*time.Microsecond)
		p.kill()
		p = serve(t, s)
	}
	<-done

	l.settleBatches(t, s.URL())
	acknowledged, refused, unknown := l.totals()
	t.Logf("%d batches acknowledged, %d rejected, %d unknown", acknowledged, refused, unknown)
	require.Greater(t, acknowledged, batches/20)
}

// stopInTheMiddle stops the process for a time during edits, like a paused machine.
func stopInTheMiddle(t *testing.T, engine string, edits int, stopped time.Duration) {
	random := racing.Seeded(t)
	p, s, c := asProcess(t, engine)
	l := newLedger(t, c, 5)
	booked := make(chan struct{}, edits)
	l.booked = func() { booked <- struct{}{} }
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.write(t.Context(), c, random, 8, edits)
	}()
	for range edits / 3 {
		<-booked
	}
	p.signal(syscall.SIGSTOP)
	pause(t.Context(), stopped)
	p.signal(syscall.SIGCONT)
	<-done

	l.settle(t, s.URL())
	acknowledged, refused, unknown := l.totals()
	t.Logf("%d edits acknowledged, %d rejected, %d unknown", acknowledged, refused, unknown)
	require.Greater(t, acknowledged, edits/10)
	require.Equal(t, http.StatusOK, status(t.Context(), c, "/readyz"))
}

// asProcessBehindProxy starts the program as a process with a proxy in front of its
// database; direct is the database's URL. The settings can start the program again.
func asProcessBehindProxy(t *testing.T) (p *process, s settings.Settings, between *proxy, direct string, c *apptest.Caller) {
	t.Helper()
	s = fresh(t, "mariadb")
	direct = s.DatabaseURL
	s.Addr = freeAddress(t)
	admin(t, s, "migrate", "up")
	between, s.DatabaseURL = newProxy(t, direct)
	p = serve(t, s)
	return p, s, between, direct, callerOf(t, s)
}

// crashAtCommit kills the program at a point of one edit's COMMIT, and returns the number
// of the config's versions after the restart.
func crashAtCommit(t *testing.T, point fate) int {
	p, s, between, direct, c := asProcessBehindProxy(t)
	l := newLedger(t, c, 1)

	between.whenLost(p.kill)
	between.nextCommit(point)
	l.edit(t.Context(), c, l.keys[0], "mark")
	_, _, unknown := l.totals()
	require.Equal(t, 1, unknown, "the client is left without a reply")

	serve(t, s)
	l.settle(t, direct)
	c.HTTP = newClient(t)
	history := c.Do(t, http.MethodGet, "/api/v1/configs/"+l.keys[0]+"/history", nil)
	require.Equal(t, http.StatusOK, history.Status)
	l.edit(t.Context(), c, l.keys[0], "after the crash")
	l.settle(t, direct)
	acknowledged, _, _ := l.totals()
	require.Equal(t, 1, acknowledged, "edits continue after the crash")
	return len(history.JSON(t)["items"].([]any))
}

// Proves D12.
func TestUnreachableDatabaseEndsTheStart(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	s := fresh(t, "sqlite")
	address := freeAddress(t)
	s.DatabaseURL = fmt.Sprintf("mysql://interlock:hunter2@%s/interlock", address)
	p := launch(t, s)
	require.NotZero(t, p.exitCode(t, patience))
	require.Contains(t, p.output.lastLine(), "reach the database at "+address)
	require.NotContains(t, p.output.String(), "hunter2")
	require.NotContains(t, p.output.String(), "goroutine")
}

// Proves G4.36.
func TestCommandsWorkNextToTheOnlyServer(t *testing.T) {
	tier.Nightly(t)
	onEachEngine(t, func(t *testing.T, engine string) {
		p, s, c := asProcess(t, engine)
		second := s
		second.Addr = freeAddress(t)
		refused := launch(t, second)
		require.NotZero(t, refused.exitCode(t, patience))
		require.Contains(t, refused.output.lastLine(), "another `admin serve`")
		require.Contains(t, refused.output.lastLine(), fmt.Sprintf("process %d on ", p.command.Process.Pid))

		require.Equal(t, http.StatusOK, status(t.Context(), c, "/api/v1/configs"), "a token of a concurrent command works")
		admin(t, s, "tenant", "create", "shop-b", "--admin-password", "correct horse")
		c.Token = admin(t, s, "token", "create", "--user", "admin", "--name", "b", "--tenant", "shop-b", "--scope", "configs:read")
		require.Equal(t, http.StatusOK, status(t.Context(), c, "/api/v1/configs"))
		require.Equal(t, http.StatusForbidden, status(t.Context(), c, "/api/v1/orders"))

		p.signal(syscall.SIGTERM)
		require.Zero(t, p.exitCode(t, patience))
		serve(t, second)
	})
}

// Proves G4.37.
func TestResumedProgramEndsIfAnotherClaimedItsDatabase(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	stopped, s, _ := asProcess(t, "mariadb")
	stopped.signal(syscall.SIGSTOP)
	second := s
	second.Addr = freeAddress(t)
	// Rejected until the lease of the stopped process has expired.
	var next *process
	require.Eventually(t, func() bool {
		next = launch(t, second)
		require.Eventually(t, func() bool { return next.serves() || next.hasEnded() }, patience, 5*time.Millisecond)
		return next.serves()
	}, patience, 100*time.Millisecond, "the claim of the stopped program never ended")

	stopped.signal(syscall.SIGCONT)
	require.NotZero(t, stopped.exitCode(t, patience))
	require.Contains(t, stopped.output.lastLine(), "this server has lost its claim on the database and ends")
	require.Contains(t, stopped.output.lastLine(), fmt.Sprintf("process %d on ", next.command.Process.Pid))
	require.Equal(t, http.StatusOK, status(t.Context(), callerOf(t, second), "/api/v1/configs"))
}

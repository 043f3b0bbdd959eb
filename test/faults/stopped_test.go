package faults_test

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/internal/settings"
	"interlock/test/apptest"
)

// A program that was stopped until its lock expired writes nothing when it resumes. The
// caller's retry debits once, from the remaining balance; requireLedger checks it.
// Proves G4.8.
func TestDebitOfAStoppedHolderAppliesOnce(t *testing.T) {
	t.Parallel()
	// 200 if the program debited after its pause, 201 if it gave up its lost connection.
	answer := stopAHolder(t, purseOf12, 30, []int{100, 40, 10})
	require.Containsf(t, []int{http.StatusOK, http.StatusCreated}, answer.Status, "%s", answer.Body)
}

// stopAHolder stops a real program between its read and its guarded write, until its lock
// has expired and another program has withdrawn 60 of the 100 under it. It returns the response
// to the first program's entry of a quantity, and checks the remaining balance
// after each entry.
func stopAHolder(t *testing.T, h held, takes int, left []int) apptest.Answer {
	t.Helper()
	r := newReplicas(t, h)
	answered := r.stopWriting(t, h.entry(takes, "stopped"))

	locked := r.other.Do(t, http.MethodPost, h.path+"?wait=0", h.entry(60, "overtaking"))
	require.Equalf(t, http.StatusLocked, locked.Status, "the stopped program holds the lock: %s", locked.Body)
	overtaking := takeUntilDecided(t, r.other, h.path, h.entry(60, "overtaking"))
	require.Equalf(t, http.StatusCreated, overtaking.Status, "%s", overtaking.Body)

	require.Zero(t, r.gate.open(t), "the guarded write of the stopped program matches no row")
	r.program.signal(syscall.SIGCONT)
	select {
	case <-answered:
	case <-time.After(patience):
		require.FailNow(t, "the stopped program's client is left without an answer")
	}
	// The response may contain Retry-After; the reference makes the retry safe.
	answer := takeUntilDecided(t, r.one, h.path, h.entry(takes, "stopped"))
	r.requireLedger(t, left)
	return answer
}

// replicas are two programs on one MariaDB and one Redis; the first connects to the
// database through a proxy.
type replicas struct {
	held
	program    *process
	one, other *apptest.Caller
	between    *proxy
	gate       *gate
	database   string
}

func newReplicas(t *testing.T, h held) *replicas {
	t.Helper()
	s := fresh(t, "mariadb")
	s.RedisURL = redistest.NewServer(t).URL()
	admin(t, s, "migrate", "up")
	r := &replicas{held: h, database: s.DatabaseURL}
	first, second := s, s
	first.DataDir, first.Addr = t.TempDir(), freeAddress(t)
	r.between, first.DatabaseURL = newProxy(t, s.DatabaseURL)
	r.program = serve(t, first)
	r.one = callerOf(t, first)
	r.other = startNextTo(t, second, r.one)

	h.open(t, r.other, 100)
	return r
}

// startNextTo starts another program on the same engines and returns a caller of the same admin.
func startNextTo(t *testing.T, s settings.Settings, c *apptest.Caller) *apptest.Caller {
	t.Helper()
	s.DataDir, s.Addr = t.TempDir(), freeAddress(t)
	serve(t, s)
	return &apptest.Caller{Program: &apptest.Program{URL: "http://" + s.Addr}, Token: c.Token, HTTP: newClient(t)}
}

// stopWriting sends an entry to the first program and stops the program when it sends its
// guarded write. The channel is closed when the client's request has ended.
func (r *replicas) stopWriting(t *testing.T, entry map[string]any) (answered <-chan struct{}) {
	t.Helper()
	r.gate = r.between.stopAt(r.statement)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = r.one.Try(t.Context(), http.MethodPost, r.path, entry)
	}()
	select {
	case <-r.gate.reached:
	case <-done:
		require.FailNow(t, "it replied before its guarded write")
	}
	r.program.signal(syscall.SIGSTOP)
	return done
}

// takeUntilDecided repeats an entry, with its reference, until the response is neither 423
// nor 503.
func takeUntilDecided(t *testing.T, c *apptest.Caller, path string, entry map[string]any) apptest.Answer {
	t.Helper()
	for range 10 {
		answer := c.Do(t, http.MethodPost, path+"?wait=10000", entry)
		if answer.Status != http.StatusLocked && answer.Status != http.StatusServiceUnavailable {
			return answer
		}
	}
	require.FailNow(t, "it was not decided")
	return apptest.Answer{}
}

// requireLedger compares the entries with the expected remaining balances.
func (r *replicas) requireLedger(t *testing.T, left []int) {
	t.Helper()
	db, err := storage.Open(t.Context(), storage.Options{URL: r.database, MaxConnections: 2})
	require.NoError(t, err)
	defer db.Close()
	query := db.Read(storage.AcrossTenants(t.Context()))
	var entries []struct {
		Reference         string
		Amount, Remaining int
	}
	require.NoError(t, query.Raw(r.ledger).Scan(&entries).Error)
	var remaining []int
	sum := 0
	for i, entry := range entries {
		require.Equal(t, []string{"opening", "overtaking", "stopped"}[i], entry.Reference)
		sum += entry.Amount
		require.Equal(t, sum, entry.Remaining)
		remaining = append(remaining, entry.Remaining)
	}
	require.Equal(t, left, remaining)
	var audited int
	require.NoError(t, query.Raw("SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0 AND resource = ?", r.audited).Scan(&audited).Error)
	require.Equal(t, len(left), audited, fmt.Sprintf("one audit row of %s for each", r.audited))
}

//go:build previous

package faults_test

import (
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/edge/httpapi"
	"interlock/internal/settings"
	"interlock/test/apptest"
	"interlock/test/burst"
	"interlock/test/traffic"
)

// TestPreviousReleaseServesNextToThisOne upgrades two replicas behind HAProxy under
// writers, readers and watchers, following docs/operations.md, and downgrades one of them.
// The previous program is at $INTERLOCK_PREVIOUS: `make previous` builds it.
func TestPreviousReleaseServesNextToThisOne(t *testing.T) {
	previous := os.Getenv("INTERLOCK_PREVIOUS")
	require.NotEmpty(t, previous, "run make previous")
	kinds := []string{"order", "entry", "edit"}
	base := fresh(t, "mariadb")
	base.RedisURL = redistest.NewServer(t).URL()
	base.ShutdownDelay = 4 * time.Second
	adminOf(t, previous, base, "migrate", "up")
	addresses := []string{freeAddress(t), freeAddress(t)}
	replicas := make([]*process, len(addresses))
	at := func(i int) settings.Settings {
		s := base
		s.Addr = addresses[i]
		return s
	}
	for i := range replicas {
		replicas[i] = serveProgram(t, previous, at(i))
	}
	replace := func(i int, program string) {
		replicas[i].signal(syscall.SIGTERM)
		require.Zero(t, replicas[i].exitCode(t, patience), "it ends automatically")
		replicas[i] = serveProgram(t, program, at(i))
		pause(t.Context(), 2*time.Second)
	}
	front := base
	_, front.Addr = startHAProxy(t, addresses...)
	c := callerBy(t, previous, front)
	require.Eventually(t, func() bool { return status(t.Context(), c, "/readyz") == http.StatusOK }, patience, 50*time.Millisecond, "HAProxy found no replica")

	f := traffic.Begin(t, c, c)
	f.RequireWrites(t, "nothing", kinds...)
	admin(t, base, "migrate", "up")
	f.RequireWrites(t, "the migration under the programs before", kinds...)
	replace(0, programPath)
	f.RequireWrites(t, "one replica was replaced", kinds...)
	now, before := anotherShopAt(t, base, c, addresses[0]), anotherShopAt(t, base, c, addresses[1])
	repeatAtTheOther(t, before, now)
	sale := burst.Open(t, 200, 1000, before, now)
	sale.Rush(t)
	sale.Verify(t)
	replace(1, programPath)
	f.RequireWrites(t, "both replicas were replaced", kinds...)
	replace(0, previous)
	f.RequireWrites(t, "one replica was rolled back", kinds...)
	f.End()
	f.Verify(t, base.DatabaseURL)
	checkPromises(t, base)
}

// anotherShopAt returns a caller of one replica with all permissions in another tenant than
// c. No other client writes the orders of that tenant.
func anotherShopAt(t *testing.T, s settings.Settings, c *apptest.Caller, address string) *apptest.Caller {
	t.Helper()
	const tenant = "upgraded"
	if !strings.Contains(admin(t, s, "tenant", "list"), tenant) {
		admin(t, s, "tenant", "create", tenant, "--admin-password", "correct horse battery")
	}
	other := *c
	other.Program = &apptest.Program{URL: "http://" + address}
	other.Tenant, other.Token = tenant, admin(t, s, "token", "create", "--user", "admin", "--name", "upgrade", "--tenant", tenant)
	return &other
}

// repeatAtTheOther sends requests to the previous program, and repeats them with the same
// keys at this one.
func repeatAtTheOther(t *testing.T, before, now *apptest.Caller) {
	for path, body := range map[string]string{
		"/configs":                  `{"key":"upgraded","value":1,"valueType":"number"}`,
		"/wallets/upgraded/entries": `{"amount":5,"kind":"topup","reference":"upgraded"}`,
		"/items":                    `{"sku":"UPGRADED","name":"Upgraded","price":100}`,
	} {
		key := "upgrade-" + strings.ReplaceAll(path, "/", "-")
		first := before.Do(t, http.MethodPost, httpapi.Base+path, body, "X-Idempotency-Key", key)
		require.Equal(t, http.StatusCreated, first.Status, "%s", first.Body)
		again := now.Do(t, http.MethodPost, httpapi.Base+path, body, "X-Idempotency-Key", key)
		require.Equal(t, "true", again.Header.Get("X-Idempotency-Replay"), "%s", again.Body)
		require.Equal(t, string(first.Body), string(again.Body))
	}
}

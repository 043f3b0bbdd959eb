package faults_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/settings"
	"interlock/test/apptest"
	"interlock/test/tier"
)

// startHAProxy starts HAProxy in front of the replicas, as deployed except for the addresses.
func startHAProxy(t *testing.T, replicas ...string) (p *process, address string) {
	t.Helper()
	address = freeAddress(t)
	deployed := readDeployed(t, "haproxy/haproxy.cfg")
	deployed = regexp.MustCompile(`(?ms)^resolvers .*?\n\n`).ReplaceAllString(deployed, "")
	deployed = strings.ReplaceAll(deployed, " resolvers containers init-addr libc,none", "")
	deployed = strings.ReplaceAll(deployed, "bind :8080", "bind "+address)
	// This machine may not allow that many open files.
	deployed = strings.ReplaceAll(deployed, "maxconn 10000", "maxconn 1000")
	for i, replica := range replicas {
		name := fmt.Sprintf("interlock-%d", i+1)
		require.Contains(t, deployed, name+":8080")
		deployed = strings.ReplaceAll(deployed, name+":8080", replica)
	}
	path := filepath.Join(t.TempDir(), "haproxy.cfg")
	require.NoError(t, os.WriteFile(path, []byte(deployed), 0o600))
	return start(t, exec.Command(find(t, "haproxy"), "-db", "-f", path)), address
}

// Cookies are for TLS only if the service learns that its caller came over TLS.
func TestHAProxyForwardsTheSchemeOfTheTLSProxy(t *testing.T) {
	t.Parallel()
	schemes := make(chan []string, 1)
	replica := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/scheme" {
			schemes <- r.Header.Values("X-Forwarded-Proto")
		}
	}))
	t.Cleanup(replica.Close)
	address := strings.TrimPrefix(replica.URL, "http://")
	_, front := startHAProxy(t, address, address)
	for scheme, want := range map[string]string{"https": "https", "": "http"} {
		require.Eventually(t, func() bool {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+front+"/scheme", nil)
			require.NoError(t, err)
			if scheme != "" {
				request.Header.Set("X-Forwarded-Proto", scheme)
			}
			reply, err := http.DefaultClient.Do(request)
			if err != nil {
				return false
			}
			return reply.Body.Close() == nil && reply.StatusCode == http.StatusOK
		}, patience, 50*time.Millisecond)
		require.Equal(t, []string{want}, <-schemes)
	}
}

// Behind the deployed proxy, the replacement of the replicas is invisible to callers: no request is
// rejected, interrupted or sent twice.
// Proves G7.3.
func TestRollingReplacementFailsNoRequest(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	base := fresh(t, "mariadb")
	base.RedisURL = redistest.NewServer(t).URL()
	base.ShutdownDelay = 4 * time.Second
	admin(t, base, "migrate", "up")
	addresses := []string{freeAddress(t), freeAddress(t)}
	replicas := make([]*process, len(addresses))
	at := func(i int) settings.Settings {
		s := base
		s.Addr = addresses[i]
		return s
	}
	for i := range replicas {
		replicas[i] = serve(t, at(i))
	}
	front := base
	_, front.Addr = startHAProxy(t, addresses...)
	c := callerOf(t, front)
	ready := func() bool { return status(t.Context(), c, "/readyz") == http.StatusOK }
	require.Eventually(t, ready, patience, 50*time.Millisecond, "HAProxy found no replica")

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var sent atomic.Int64
	var paying sync.WaitGroup
	for n := range 8 {
		paying.Go(func() {
			if err := pay(ctx, c, fmt.Sprint("user-", n), &sent); err != nil {
				t.Error(err)
			}
		})
	}
	for range 3 {
		for i := range replicas {
			start := time.Now()
			replicas[i].signal(syscall.SIGTERM)
			require.Zero(t, replicas[i].exitCode(t, patience), "it ends regularly")
			require.GreaterOrEqual(t, time.Since(start), base.ShutdownDelay)
			replicas[i] = serve(t, at(i))
			pause(ctx, 2*time.Second)
		}
	}
	stop()
	paying.Wait()
	require.Greater(t, sent.Load(), int64(100), "too few requests were sent to notice a replacement")
	balance := 0
	for n := range 8 {
		balance += int(c.Do(t, http.MethodGet, fmt.Sprint("/api/v1/wallets/user-", n), nil).JSON(t)["balance"].(float64))
	}
	require.EqualValues(t, sent.Load(), balance)
	checkPromises(t, base)
}

// pay adds entries to one wallet, each once and one after the other, until ctx ends. The
// rate adapts to the machine, and no entry waits for the wallet's lock. It returns an error
// if an entry was not created.
func pay(ctx context.Context, c *apptest.Caller, user string, sent *atomic.Int64) error {
	for n := 0; ctx.Err() == nil; n++ {
		body := map[string]any{"amount": 1, "kind": "test", "reference": fmt.Sprint("entry-", n)}
		answer, err := c.Try(context.WithoutCancel(ctx), http.MethodPost, "/api/v1/wallets/"+user+"/entries", body)
		if err != nil {
			return fmt.Errorf("entry %d of %s: %w", n, user, err)
		}
		if answer.Status != http.StatusCreated {
			return fmt.Errorf("entry %d of %s: %d %s", n, user, answer.Status, answer.Body)
		}
		sent.Add(1)
	}
	return nil
}

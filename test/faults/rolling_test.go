package faults_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/settings"
	"interlock/test/apptest"
	"interlock/test/tier"
)

var (
	// rollings is how often both replicas are replaced, one after the other.
	rollings = tier.Rounds(1, 3)
	// arrivals is how many requests a second come meanwhile, whatever becomes of them.
	arrivals = tier.Rounds(100, 500)
)

// balance puts HAProxy before the replicas, as it is deployed but for the addresses.
func balance(t *testing.T, replicas ...string) (address string) {
	t.Helper()
	_, address = startHAProxy(t, replicas...)
	return address
}

func startHAProxy(t *testing.T, replicas ...string) (p *process, address string) {
	t.Helper()
	address = freeAddress(t)
	deployed := readDeployed(t, "haproxy/haproxy.cfg")
	deployed = regexp.MustCompile(`(?ms)^resolvers .*?\n\n`).ReplaceAllString(deployed, "")
	deployed = strings.ReplaceAll(deployed, " resolvers containers init-addr libc,none", "")
	deployed = strings.ReplaceAll(deployed, "bind :8080", "bind "+address)
	// As many files as that needs may not be open here.
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

// Behind the proxy that is deployed, nobody who sends requests notices that the replicas are
// replaced: none is refused, cut or sent twice.
func TestNobodyNoticesThatTheReplicasAreReplacedOneAfterTheOther(t *testing.T) {
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
	front.Addr = balance(t, addresses...)
	c := callerOf(t, front)
	ready := func() bool { return status(t.Context(), c, "/readyz") == http.StatusOK }
	require.Eventually(t, ready, patience, 50*time.Millisecond, "HAProxy found no replica")

	ctx, stop := context.WithCancel(t.Context())
	sent := make(chan arrived, 1)
	sums := &tally{of: map[string]int{}}
	go func() { sent <- arrive(ctx, c, sums) }()
	for range rollings {
		for i := range replicas {
			began := time.Now()
			replicas[i].signal(syscall.SIGTERM)
			require.Zero(t, replicas[i].exitCode(t, 25*time.Second), "it ends by itself")
			require.GreaterOrEqual(t, time.Since(began), base.ShutdownDelay)
			replicas[i] = serve(t, at(i))
			pause(ctx, 2*time.Second)
		}
	}
	stop()
	load := <-sent
	t.Logf("%d requests, the latest %s after its time", load.sent, load.latest)
	require.Less(t, load.latest, time.Second, "the load was as steady as was meant")
	require.Less(t, load.due-load.sent, int64(arrivals), "no arrival was dropped but those of the moment in which it ended")
	require.Equal(t, map[string]int{"201": int(load.sent)}, sums.of)
	var balance int64
	for _, user := range spread {
		balance += int64(c.Do(t, http.MethodGet, "/api/v1/wallets/"+user, nil).JSON(t)["balance"].(float64))
	}
	require.Equal(t, load.sent, balance)
	require.Greater(t, load.sent, int64(arrivals*rollings*8), "the load was as long as was meant")
	keepPromises(t, base)
}

// tally counts what became of requests.
type tally struct {
	mu sync.Mutex
	of map[string]int
}

func (f *tally) count(fate string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of[fate]++
}

// spread are the users whose wallets the arrivals pay into.
var spread = []string{"a", "b", "c", "d", "e", "f", "g", "h"}

// arrived is what an open loop has sent.
type arrived struct {
	// sent is how many requests there were, and due how many should have been.
	sent, due int64
	// latest is by how much the latest was later than it should have been.
	latest time.Duration
}

// arrive sends requests, each once, at a steady rate until ctx ends, and returns once each has its
// fate. Each comes at a time of its own, counted from the beginning, whatever became of those
// before it: where this process is late, it catches up and leaves none out.
func arrive(ctx context.Context, c *apptest.Caller, became *tally) (a arrived) {
	var open sync.WaitGroup
	defer open.Wait()
	began := time.Now()
	timeOf := func(n int64) time.Time {
		return began.Add(time.Duration(n) * time.Second / time.Duration(arrivals))
	}
	for ; ; a.sent++ {
		if pause(ctx, time.Until(timeOf(a.sent))); ctx.Err() != nil {
			for a.due = a.sent; timeOf(a.due).Before(time.Now()); a.due++ {
			}
			return a
		}
		a.latest = max(a.latest, time.Since(timeOf(a.sent)))
		n := a.sent
		open.Go(func() {
			body := map[string]any{"amount": 1, "kind": "test", "reference": fmt.Sprint("arrival-", n)}
			answer, err := c.Try(context.WithoutCancel(ctx), http.MethodPost, "/api/v1/wallets/"+spread[n%int64(len(spread))]+"/entries", body)
			switch {
			case err != nil:
				became.count(err.Error())
			case answer.Status != http.StatusCreated:
				became.count(fmt.Sprint(answer.Status, " ", string(answer.Body)))
			default:
				became.count("201")
			}
		})
	}
}

package faults_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
	"interlock/test/tier"
)

// Half of the guesses are for the admin's account, which locks it for unknown browsers; the
// admin uses a known browser. Other users send no cookie and come from an address without
// guesses. The response times are compared with those under the same number of cheap
// requests, in turns, because that number of requests also uses a share of the machine.
// Proves G7.38.
func TestAdminSignsInUnderFiveHundredGuessesPerSecond(t *testing.T) {
	tier.Nightly(t)
	const addresses, perSecond, rounds = 500, 500, 4
	s := fresh(t, "sqlite")
	s.Addr = freeAddress(t)
	s.TrustedProxies, s.SignInLimit, s.RateLimit, s.TenantRateLimit = []string{"127.0.0.0/8"}, 20, 500, 10_000
	serve(t, s)
	caller := callerOf(t, s)
	anyone := &apptest.Caller{Program: caller.Program, HTTP: newClient(t)}
	for i := range rounds {
		create := caller.Do(t, http.MethodPost, "/api/v1/users", map[string]any{
			"username": fmt.Sprintf("newcomer%d", i), "displayName": "New", "password": "a password of theirs", "roles": []string{"admin"},
		})
		require.Equalf(t, http.StatusCreated, create.Status, "%s", create.Body)
	}
	signIn := func(ctx context.Context, address, username, password, cookie string) (apptest.Answer, error) {
		return anyone.Try(ctx, http.MethodPost, "/api/v1/session", map[string]string{"username": username, "password": password},
			"X-Forwarded-For", address, "Cookie", cookie)
	}
	known := func(a apptest.Answer) string {
		for _, cookie := range (&http.Response{Header: a.Header}).Cookies() {
			if strings.HasSuffix(cookie.Name, "interlock_device") {
				return cookie.Name + "=" + cookie.Value
			}
		}
		require.FailNow(t, "the sign-in set no cookie for the device")
		return ""
	}
	first, err := signIn(t.Context(), "192.0.2.1", "admin", s.AdminPassword, "")
	require.NoError(t, err)
	require.Equalf(t, http.StatusCreated, first.Status, "%s", first.Body)
	device := known(first)

	var mu sync.Mutex
	answers := map[int]int{}
	// perpetually calls send at that rate until ctx ends, and waits for all calls.
	perpetually := func(ctx context.Context, send func(n int)) {
		var sent sync.WaitGroup
		defer sent.Wait()
		ticker := time.NewTicker(time.Second / perSecond)
		defer ticker.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				sent.Go(func() { send(n) })
			}
		}
	}
	harmless := func(ctx context.Context) {
		perpetually(ctx, func(int) { _, _ = anyone.Try(ctx, http.MethodGet, "/healthz", nil) })
	}
	flood := func(ctx context.Context) {
		perpetually(ctx, func(n int) {
			username, address := "admin", n%addresses
			if n%2 == 0 {
				username = fmt.Sprintf("user%d", n)
			}
			answer, err := signIn(ctx, fmt.Sprintf("198.18.%d.%d", address/250, address%250), username, "a guess", "")
			if err != nil {
				return // the flood has ended
			}
			mu.Lock()
			defer mu.Unlock()
			answers[answer.Status]++
		})
	}
	// during runs background in the background while fn runs.
	during := func(background func(ctx context.Context), fn func(ctx context.Context)) {
		ctx, stop := context.WithCancel(t.Context())
		var ended sync.WaitGroup
		ended.Go(func() { background(ctx) })
		fn(ctx)
		stop()
		ended.Wait()
	}

	ratios := make([]float64, 0, rounds)
	for round := range rounds {
		var idle, slow time.Duration
		during(harmless, func(ctx context.Context) {
			pause(ctx, time.Second)
			idle = tail(t, caller, 3*time.Second)
		})
		during(flood, func(ctx context.Context) {
			pause(ctx, 3*time.Second) // every address has sent more than one guess
			var measuring sync.WaitGroup
			defer measuring.Wait()
			measuring.Go(func() { slow = tail(t, caller, 3*time.Second) })
			for _, who := range []struct{ address, username, password, cookie string }{
				{"192.0.2.1", "admin", s.AdminPassword, device},
				{fmt.Sprintf("192.0.2.%d", 10+round), fmt.Sprintf("newcomer%d", round), "a password of theirs", ""},
			} {
				start := time.Now()
				answer, err := signIn(t.Context(), who.address, who.username, who.password, who.cookie)
				took := time.Since(start)
				require.NoError(t, err)
				require.Equalf(t, http.StatusCreated, answer.Status, "%s: %s", who.username, answer.Body)
				require.Less(t, took, time.Second, who.username)
				t.Logf("%s signed in after %s", who.username, took)
			}
		})
		t.Logf("99th percentile of a read: %s, under the flood %s", idle, slow)
		ratios = append(ratios, float64(slow)/float64(idle))
	}
	// Other load on the machine only increases the ratio of a round.
	require.Less(t, slices.Min(ratios), 3.0, "the best of the rounds: %v", ratios)
	t.Logf("times as slow under the flood: %.1f", ratios)
	mu.Lock()
	defer mu.Unlock()
	t.Logf("guesses by the status of their replies: %v", answers)
	require.Greater(t, answers[http.StatusTooManyRequests], rounds*perSecond, "the flood was no flood")
	require.Positive(t, answers[http.StatusUnauthorized])
	require.Len(t, answers, 2, "a guess is wrong or one too many")
}

// tail reads the list of configs two hundred times per second, and returns the 99th
// percentile of the response time.
func tail(t *testing.T, c *apptest.Caller, during time.Duration) time.Duration {
	ctx, cancel := context.WithTimeout(t.Context(), during)
	defer cancel()
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	var mu sync.Mutex
	var took []time.Duration
	var reads sync.WaitGroup
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-ticker.C:
			reads.Go(func() {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.Program.URL+"/api/v1/configs", nil)
				if err != nil {
					t.Error(err)
					return
				}
				c.Authenticate(request)
				start := time.Now()
				reply, err := c.HTTP.Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, reply.Body)
				reply.Body.Close()
				if reply.StatusCode != http.StatusOK {
					t.Errorf("a read had status %d", reply.StatusCode)
				}
				mu.Lock()
				defer mu.Unlock()
				took = append(took, time.Since(start))
			})
		}
	}
	reads.Wait()
	slices.Sort(took)
	return took[len(took)*99/100]
}

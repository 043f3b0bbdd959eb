package faults_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/settings"
	"interlock/test/apptest"
	"interlock/test/racing"
	"interlock/test/tier"
)

// behindProxy boots the program with a proxy in front of its database.
func behindProxy(t *testing.T) (between *proxy, direct string, p *apptest.Program, c *apptest.Caller) {
	t.Helper()
	s := fresh(t, "mariadb")
	direct = s.DatabaseURL
	between, s.DatabaseURL = newProxy(t, direct)
	p, c = serveHere(t, s)
	return between, direct, p, c
}

// oneEdit edits the ledger's first config once and returns the response.
func oneEdit(t *testing.T, c *apptest.Caller, l *ledger) apptest.Answer {
	t.Helper()
	path := "/api/v1/configs/" + l.keys[0]
	read := c.Do(t, http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, read.Status)
	answer, err := c.Try(t.Context(), http.MethodPatch, path, map[string]any{"value": "mark"}, "If-Match", read.Header.Get("ETag"))
	require.NoError(t, err)
	l.book("mark", answer, nil)
	return answer
}

// Proves G3.15.
func TestInterruptedCommitReturnsItsOutcome(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	for name, f := range map[string]fate{
		"the reply was lost":             loseReply,
		"it never reached the server":    cutBefore,
		"it reached the server too late": lateCommit,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			between, direct, _, c := behindProxy(t)
			l := newLedger(t, c, 1)
			between.nextCommit(f)
			answer := oneEdit(t, c, l)
			require.Equalf(t, http.StatusOK, answer.Status, "%s", answer.Body)
			require.EqualValues(t, 2, answer.JSON(t)["version"], "applied once")
			l.settle(t, direct)
		})
	}
}

// The created record does not reveal an earlier attempt: it has no version to compare and
// no unique name.
// Proves D6.
func TestLateCommitOfAKeylessCreationExistsOnce(t *testing.T) {
	tier.Nightly(t)
	t.Parallel()
	between, _, _, c := behindProxy(t)
	between.nextCommit(lateCommit)
	created := c.Do(t, http.MethodPost, "/api/v1/work-orders", map[string]any{"title": "Once"})
	require.Equalf(t, http.StatusCreated, created.Status, "%s", created.Body)
	select {
	case <-between.late:
	case <-time.After(patience):
		require.FailNow(t, "the delayed message never arrived")
	}
	listed := c.Do(t, http.MethodGet, "/api/v1/work-orders", nil)
	require.Equal(t, http.StatusOK, listed.Status)
	require.Len(t, listed.JSON(t)["items"], 1)
}

// loseTheOutcome applies a fate with an undeterminable outcome to the COMMIT of one edit,
// and returns the config's version once the database is reachable again.
func loseTheOutcome(t *testing.T, f fate, unreachable bool) (version int64) {
	between, direct, _, c := behindProxy(t)
	l := newLedger(t, c, 1)
	if unreachable {
		between.whenLost(between.cut)
	}
	between.nextCommit(f)

	answer := oneEdit(t, c, l)

	require.Equalf(t, http.StatusServiceUnavailable, answer.Status, "%s", answer.Body)
	require.Equal(t, "outcome_unknown", answer.Code())
	require.NotEmpty(t, answer.Header.Get("Retry-After"))
	between.restore()
	l.settle(t, direct)
	read := c.Do(t, http.MethodGet, "/api/v1/configs/"+l.keys[0], nil)
	require.Equal(t, http.StatusOK, read.Status)
	return int64(read.JSON(t)["version"].(float64))
}

// loseCommits applies every fate to COMMITs during edits.
func loseCommits(t *testing.T, edits int) {
	random := racing.Seeded(t)
	between, direct, _, c := behindProxy(t)
	l := newLedger(t, c, 5)
	roll := dice(random.Uint64())
	between.fateOfCommits(func() fate {
		if roll(8) > 0 {
			return passes
		}
		return []fate{loseReply, cutBefore, lateCommit}[roll(3)]
	})
	l.write(t.Context(), c, random, 8, edits)
	between.fateOfCommits(nil)
	l.settle(t, direct)
	acknowledged, refused, unknown := l.totals()
	t.Logf("%d edits acknowledged, %d rejected, %d unknown", acknowledged, refused, unknown)
	require.Greater(t, acknowledged, edits/10)
}

// awayAndBack makes the database unavailable during edits and then available again.
func awayAndBack(t *testing.T, c *apptest.Caller, direct string, edits int, away, back func()) {
	random := racing.Seeded(t)
	l := newLedger(t, c, 5)
	watching := follow(t, c)
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
	away()
	require.Eventually(t, func() bool { return status(t.Context(), c, "/readyz") == http.StatusServiceUnavailable },
		patience, 20*time.Millisecond, "it reports that it is ready while its database is unreachable")
	require.Equal(t, http.StatusOK, status(t.Context(), c, "/healthz"), "the process itself is well")
	requireUnavailable(t, c, l.keys[0])
	back()
	require.Eventually(t, func() bool { return status(t.Context(), c, "/readyz") == http.StatusOK },
		patience, 20*time.Millisecond, "it does not recover automatically")
	<-done

	l.settle(t, direct)
	watching.settle(t, direct)
	acknowledged, refused, unknown := l.totals()
	t.Logf("%d edits acknowledged, %d rejected, %d unknown", acknowledged, refused, unknown)
	require.Equal(t, edits, acknowledged+refused+unknown)
	require.Greater(t, acknowledged, edits/10)
}

// requireUnavailable checks that failing reads and writes state when to retry.
func requireUnavailable(t *testing.T, c *apptest.Caller, key string) {
	t.Helper()
	for _, method := range []string{http.MethodGet, http.MethodPatch} {
		var body any
		if method == http.MethodPatch {
			body = map[string]any{"value": "while it is away"}
		}
		answer := c.Do(t, method, "/api/v1/configs/"+key, body, "If-Match", `"1-1"`)
		require.Equalf(t, http.StatusServiceUnavailable, answer.Status, "%s", answer.Body)
		require.Equal(t, "unavailable", answer.Code())
		require.NotEmpty(t, answer.Header.Get("Retry-After"))
	}
}

// raceOnce makes clients edit one version of one config.
func raceOnce(t *testing.T, c *apptest.Caller, key string, clients int) {
	t.Helper()
	path := "/api/v1/configs/" + key
	read := c.Do(t, http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, read.Status)
	statuses := together(t, clients, func(ctx context.Context, i int) (apptest.Answer, error) {
		body := map[string]any{"value": fmt.Sprintf("racer %d of %s", i, read.Header.Get("ETag"))}
		return c.Try(ctx, http.MethodPatch, path, body, "If-Match", read.Header.Get("ETag"))
	})
	require.Equal(t, map[int]int{http.StatusOK: 1, http.StatusPreconditionFailed: clients - 1}, statuses)
}

// together makes concurrent calls and counts the statuses.
func together(t *testing.T, clients int, call func(ctx context.Context, i int) (apptest.Answer, error)) map[int]int {
	t.Helper()
	answers, errs := make([]apptest.Answer, clients), make([]error, clients)
	var running sync.WaitGroup
	for i := range clients {
		running.Go(func() { answers[i], errs[i] = call(t.Context(), i) })
	}
	running.Wait()
	statuses := map[int]int{}
	for i, answer := range answers {
		require.NoError(t, errs[i])
		statuses[answer.Status]++
		if answer.Status >= http.StatusInternalServerError {
			t.Logf("status %d %s", answer.Status, answer.Body)
		}
	}
	return statuses
}

// smallPool boots the program with two connections to its database.
func smallPool(t *testing.T, engine string) *apptest.Caller {
	t.Helper()
	s := fresh(t, engine)
	s.MaxConnections = 2
	_, c := serveHere(t, s)
	return c
}

// crowdASmallPool makes many clients concurrently do everything that uses a connection,
// with a pool of two connections.
func crowdASmallPool(t *testing.T, engine string, clients int) {
	c := smallPool(t, engine)
	value := map[string]any{}
	for i := range clients {
		value[fmt.Sprintf("m%d", i)] = 0
	}
	created := c.Do(t, http.MethodPost, "/api/v1/configs", map[string]any{"key": "crowd", "value": value, "valueType": "json"})
	require.Equalf(t, http.StatusCreated, created.Status, "%s", created.Body)
	item := c.Do(t, http.MethodPost, "/api/v1/items", map[string]any{"sku": "CROWD-1", "name": "Crowd", "price": 100})
	require.Equalf(t, http.StatusCreated, item.Status, "%s", item.Body)
	stocked := c.Do(t, http.MethodPost, "/api/v1/inventory/CROWD-1/adjustments", map[string]any{"delta": 1_000_000, "reason": "opening stock", "reference": "opening"})
	require.Equalf(t, http.StatusCreated, stocked.Status, "%s", stocked.Body)
	tag := created.Header.Get("ETag")

	// A unit that waits for a second connection while it has one fails after 30 s.
	merged := together(t, clients, func(ctx context.Context, i int) (apptest.Answer, error) {
		patch := map[string]any{"value": map[string]any{fmt.Sprintf("m%d", i): i + 1}}
		return c.Try(ctx, http.MethodPatch, "/api/v1/configs/crowd?merge=disjoint", patch, "If-Match", tag)
	})
	require.Equal(t, map[int]int{http.StatusOK: clients}, merged)
	stale := together(t, clients, func(ctx context.Context, i int) (apptest.Answer, error) {
		return c.Try(ctx, http.MethodPatch, "/api/v1/configs/crowd", map[string]any{"remark": fmt.Sprint(i)}, "If-Match", tag)
	})
	require.Equal(t, map[int]int{http.StatusPreconditionFailed: clients}, stale)
	placed := together(t, clients, func(ctx context.Context, i int) (apptest.Answer, error) {
		return c.Try(ctx, http.MethodPost, "/api/v1/orders", map[string]any{"userId": i + 1, "items": []any{map[string]any{"sku": "CROWD-1", "quantity": 1}}})
	})
	require.Equal(t, map[int]int{http.StatusCreated: clients}, placed)
	require.Equal(t, http.StatusOK, status(t.Context(), c, "/readyz"))
}

// slowLinks races clients while each message to and from the database is delayed by about
// 50 ms.
func slowLinks(t *testing.T, clients, rounds int) {
	roll := dice(racing.Seeded(t).Uint64())
	between, _, _, c := behindProxy(t)
	l := newLedger(t, c, 1)
	between.slow(func() time.Duration { return time.Duration(20+roll(60)) * time.Millisecond })
	for range rounds {
		raceOnce(t, c, l.keys[0], clients)
	}
	between.slow(nil)
	read := c.Do(t, http.MethodGet, "/api/v1/configs/"+l.keys[0], nil)
	require.EqualValues(t, 1+rounds, read.JSON(t)["version"])
}

// onOwnMariaDB boots the program on a server that the test can kill.
func onOwnMariaDB(t *testing.T) (*mariadb, settings.Settings) {
	t.Helper()
	m := newMariaDB(t)
	s := apptest.Settings(t.TempDir())
	s.DatabaseURL = m.url()
	return m, s
}

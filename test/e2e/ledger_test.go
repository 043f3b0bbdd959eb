package e2e_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
	"interlock/test/tier"
)

// onReplicas runs a test with callers of one tenant, each at a different replica: of the
// one embedded program, and of two programs that share a database and a Redis.
func onReplicas(t *testing.T, test func(t *testing.T, callers []*apptest.Caller)) {
	t.Run("embedded", func(t *testing.T) {
		test(t, []*apptest.Caller{apptest.Shared(t, "sqlite").Admin(t)})
	})
	t.Run("two replicas", func(t *testing.T) {
		tier.NeedServers(t)
		address := os.Getenv("INTERLOCK_TEST_REDIS_URL")
		require.NotEmpty(t, address, "INTERLOCK_TEST_REDIS_URL is not set: run through `make test`")
		s := apptest.Settings(t.TempDir())
		s.DatabaseURL = newDatabase(t)
		s.RedisURL = fmt.Sprintf("%s/%d", strings.TrimSuffix(address, "/0"), 1+rand.N(15))
		here, there := apptest.Start(t, s), apptest.Start(t, s)
		first := here.Admin(t)
		second := *first
		second.Program = there
		test(t, []*apptest.Caller{first, &second})
	})
}

const aggregate = "/api/v1/aggregates/shelf/A-17"

func stored(seq int) object {
	return object{"clientSeq": seq, "eventType": "stored", "eventTime": "2026-01-31T09:30:00Z", "deltas": object{"pieces": 1}}
}

func strictly(client string, events ...object) object {
	return object{"clientId": client, "enforceClientIdempotency": true, "events": events}
}

// atOnce sends n requests concurrently, from the callers in turn, and counts the responses
// by status and code.
func atOnce(t *testing.T, callers []*apptest.Caller, n int, request func(i int) object) map[string]int {
	t.Helper()
	var sent sync.WaitGroup
	var mu sync.Mutex
	answers := map[string]int{}
	for i := range n {
		sent.Go(func() {
			answer, err := retried(func() (apptest.Answer, error) {
				return callers[i%len(callers)].Try(t.Context(), http.MethodPost, aggregate+"/events?wait=10000", request(i))
			})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			answers[strings.TrimSpace(fmt.Sprint(answer.Status, " ", answer.Code()))]++
		})
	}
	sent.Wait()
	return answers
}

func TestConcurrentDuplicateEventsAreCountedOnce(t *testing.T) {
	onReplicas(t, func(t *testing.T, callers []*apptest.Caller) {
		for round := 1; round <= 5; round++ {
			answers := atOnce(t, callers, 20, func(int) object { return strictly("scanner", stored(round)) })
			require.Equal(t, 1, answers["201"], answers)
			require.Equal(t, 20, answers["201"]+answers["409 idempotency_violation"]+answers["409 inflight_duplicate"], answers)
			read := callers[0].Do(t, http.MethodGet, aggregate, nil).JSON(t)
			require.Equal(t, object{"pieces": float64(round)}, read["counters"])
			require.EqualValues(t, round, read["version"])
		}
		late := callers[len(callers)-1].Do(t, http.MethodPost, aggregate+"/events", strictly("scanner", stored(3)))
		require.Equal(t, []any{2002.0, 3.0, 5.0}, []any{late.JSON(t)["number"], late.JSON(t)["version"], late.JSON(t)["highestSeq"]})
	})
}

func TestAggregatesAreSearchableAndAnnounced(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c, stranger := p.Admin(t), p.Admin(t)
		live := open(t, c, "/api/v1/events?topics=aggregates")
		live.next(t, "ready")
		written := c.Do(t, http.MethodPost, aggregate+"/events", strictly("scanner", stored(1)))
		require.Equal(t, http.StatusCreated, written.Status, "%s", written.Body)
		data := live.next(t, "aggregates").Data
		require.Equal(t, []any{"shelf/A-17", "append", 1.0}, []any{data["key"], data["action"], data["version"]})

		require.Equal(t, []string{"aggregate A-17 /aggregates/shelf/A-17"}, found(t, c, "a-1"))
		require.Empty(t, found(t, stranger, "a-1"))
		require.Empty(t, found(t, p.Caller(t, c.Tenant, "configs:read"), "a-1"))
		deaf := p.Caller(t, c.Tenant, "configs:read").Do(t, http.MethodGet, "/api/v1/events?topics=aggregates", nil)
		require.Equal(t, http.StatusForbidden, deaf.Status)
	})
}

func TestWritersOnManyReplicasAllSucceed(t *testing.T) {
	onReplicas(t, func(t *testing.T, callers []*apptest.Caller) {
		const writers, each = 20, 4
		for seq := 1; seq <= each; seq++ {
			answers := atOnce(t, callers, writers, func(i int) object { return strictly(fmt.Sprintf("scanner-%d", i), stored(seq)) })
			require.Equal(t, map[string]int{"201": writers}, answers)
		}
		read := callers[0].Do(t, http.MethodGet, aggregate, nil).JSON(t)
		require.Equal(t, object{"pieces": float64(writers * each)}, read["counters"])
		require.Len(t, read["writers"], writers)
	})
}

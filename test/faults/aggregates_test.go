package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/test/apptest"
	"interlock/test/racing"
)

// shelf is one aggregate with many writers. A write without a response is repeated
// unchanged until it succeeds or the response reports that it had landed.
type shelf struct {
	writers, each int

	mu     sync.Mutex
	faults []string
	// landed counts the writes that had landed before they were repeated.
	landed int
	// decided is called after each write with a known outcome.
	decided func()
}

const shelfPath = "/api/v1/aggregates/shelf/A-17"

// stockUp makes each writer write its events, one to three at a time.
func (s *shelf) stockUp(ctx context.Context, c *apptest.Caller, random *rand.Rand) {
	var running sync.WaitGroup
	for w := range s.writers {
		chance := rand.New(rand.NewPCG(random.Uint64(), uint64(w)))
		running.Go(func() {
			for first := 1; first <= s.each; {
				last := min(first+chance.IntN(3), s.each)
				s.write(ctx, c, w, first, last)
				first = last + 1
			}
		})
	}
	running.Wait()
}

func (s *shelf) write(ctx context.Context, c *apptest.Caller, writer, first, last int) {
	var events []any
	for seq := first; seq <= last; seq++ {
		events = append(events, map[string]any{
			"clientSeq": seq, "eventId": fmt.Sprintf("%d/%d", writer, seq), "eventType": "stored", "eventTime": "2026-01-31T09:30:00Z",
			"deltas": map[string]any{"pieces": seq, fmt.Sprintf("by-%d", writer): 1},
		})
	}
	body := map[string]any{"clientId": fmt.Sprintf("writer-%d", writer), "enforceClientIdempotency": true, "events": events}
	for attempt := 1; ctx.Err() == nil; attempt++ {
		answer, err := c.Try(ctx, http.MethodPost, shelfPath+"/events?wait=10000", body)
		if err == nil && s.book(answer, len(events), attempt) {
			return
		}
		pause(ctx, 20*time.Millisecond)
	}
}

// book reports whether the response decides the write.
func (s *shelf) book(answer apptest.Answer, events, attempt int) bool {
	var reply struct {
		Code            string
		Applied, Landed int
	}
	_ = json.Unmarshal(answer.Body, &reply)
	s.mu.Lock()
	defer s.mu.Unlock()
	decided := true
	switch {
	case answer.Status == http.StatusCreated && reply.Applied == events:
	case answer.Status == http.StatusConflict && reply.Code == "idempotency_violation" && attempt > 1 && reply.Landed == events:
		s.landed++
	case answer.Status == http.StatusConflict && reply.Code == "inflight_duplicate", answer.Status == http.StatusServiceUnavailable,
		answer.Status == http.StatusLocked:
		decided = false
	default:
		s.faults = append(s.faults, fmt.Sprintf("attempt %d of %d events had status %d %s", attempt, events, answer.Status, answer.Body))
	}
	if decided && s.decided != nil {
		s.decided()
	}
	return decided
}

// settle compares the aggregate with its events, each of which must exist once, and the
// writes with the audit log.
func (s *shelf) settle(t *testing.T, databaseURL string) {
	t.Helper()
	require.Empty(t, s.faults)
	db, err := storage.Open(t.Context(), storage.Options{URL: databaseURL})
	require.NoError(t, err)
	defer db.Close()
	query := db.Read(storage.AcrossTenants(t.Context()))

	var events []struct {
		Version, BatchVersion int64
		ClientID              string
		ClientSeq             int64
	}
	require.NoError(t, query.Raw("SELECT version, batch_version, client_id, client_seq FROM aggregate_events ORDER BY version").Scan(&events).Error)
	require.Len(t, events, s.writers*s.each)
	sequences, batches := map[string][]int64{}, map[int64]bool{}
	for i, e := range events {
		require.EqualValues(t, i+1, e.Version)
		sequences[e.ClientID] = append(sequences[e.ClientID], e.ClientSeq)
		batches[e.BatchVersion] = true
	}
	want := map[string]int64{"pieces": int64(s.writers * s.each * (s.each + 1) / 2)}
	for w := range s.writers {
		written := sequences[fmt.Sprintf("writer-%d", w)]
		require.Len(t, written, s.each)
		require.True(t, slices.IsSorted(written), "a writer's events are in its order: %v", written)
		require.Len(t, slices.Compact(written), s.each, "each once")
		want[fmt.Sprintf("by-%d", w)] = int64(s.each)
	}

	var aggregate struct {
		Version  int64
		Counters string
	}
	require.NoError(t, query.Raw("SELECT version, counters FROM aggregates").Scan(&aggregate).Error)
	counters := map[string]int64{}
	require.NoError(t, json.Unmarshal([]byte(aggregate.Counters), &counters))
	require.Equal(t, want, counters, "the aggregate equals its events")
	require.EqualValues(t, len(events), aggregate.Version)
	var last []int64
	require.NoError(t, query.Raw("SELECT last_seq FROM aggregate_writers").Scan(&last).Error)
	require.Len(t, last, s.writers)
	require.Equal(t, []int64{int64(s.each)}, slices.Compact(last))
	var audited int
	require.NoError(t, query.Raw("SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0 AND resource = 'aggregates/shelf/A-17'").Scan(&audited).Error)
	require.Len(t, batches, audited, "one audit row each")
}

// stockWhileKilled kills the program during writes and starts it again. The repeated writes
// must have their effect once, whether they had landed or not.
func stockWhileKilled(t *testing.T, engine string, writers, each, kills int) {
	random := racing.Seeded(t)
	process, settings, c := asProcess(t, engine)
	decided := make(chan struct{}, writers*each)
	s := &shelf{writers: writers, each: each, decided: func() { decided <- struct{}{} }}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.stockUp(t.Context(), c, random)
	}()
	for range kills {
		for range writers * each / (3 * (kills + 1)) {
			<-decided
		}
		pause(t.Context(), time.Duration(random.IntN(5000))*time.Microsecond)
		process.kill()
		process = serve(t, settings)
	}
	<-done
	t.Logf("%d writes had landed when they were sent again", s.landed)
	s.settle(t, settings.URL())
	require.Contains(t, admin(t, settings, "ledger", "rebuild", "--all", "--dry-run"), "1 aggregate compared with their events; nothing differed.")
}

// stockOverBadLinks applies every fate to COMMITs during writes.
func stockOverBadLinks(t *testing.T, writers, each int) {
	random := racing.Seeded(t)
	roll := dice(random.Uint64())
	between, direct, _, c := behindProxy(t)
	between.fateOfCommits(func() fate {
		if roll(8) > 0 {
			return passes
		}
		return []fate{loseReply, cutBefore, lateCommit}[roll(3)]
	})
	s := &shelf{writers: writers, each: each}
	s.stockUp(t.Context(), c, random)
	between.fateOfCommits(nil)
	s.settle(t, direct)
}

package faults_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/test/apptest"
)

// ledger contains the responses to the clients' edits of some configs. Each edit sets a
// unique value, its mark.
type ledger struct {
	keys []string

	mu sync.Mutex
	// acknowledged edits with the version in the response.
	acknowledged map[string]int64
	// refused contains the rejected edits: the response promises that nothing was changed.
	refused map[string]string
	// unknown edits: no response, or one with an unknown outcome.
	unknown map[string]bool
	// faults are unexpected responses.
	faults []string
	// booked is called after each edit with its response or error.
	booked func()
}

// newLedger creates the configs that will be edited.
func newLedger(t *testing.T, c *apptest.Caller, configs int) *ledger {
	t.Helper()
	l := &ledger{acknowledged: map[string]int64{}, refused: map[string]string{}, unknown: map[string]bool{}}
	prefix := fmt.Sprintf("ledger-%d", rand.Uint32())
	for i := range configs {
		key := fmt.Sprintf("%s-%d", prefix, i)
		answer := c.Do(t, http.MethodPost, "/api/v1/configs", map[string]any{"key": key, "value": "created", "valueType": "string"})
		require.Equalf(t, http.StatusCreated, answer.Status, "%s", answer.Body)
		l.keys = append(l.keys, key)
	}
	return l
}

// write makes writers send edits, each of the newest version of a random config, up to that
// number. A writer that cannot read waits a little and retries, until the fault has ended.
func (l *ledger) write(ctx context.Context, c *apptest.Caller, random *rand.Rand, writers, edits int) {
	var running sync.WaitGroup
	for w := range writers {
		chance := rand.New(rand.NewPCG(random.Uint64(), uint64(w)))
		running.Go(func() {
			for n := w; n < edits; n += writers {
				key := l.keys[chance.IntN(len(l.keys))]
				l.edit(ctx, c, key, fmt.Sprintf("%s:%d", key, n))
			}
		})
	}
	running.Wait()
}

// edit reads a config and sends one edit.
func (l *ledger) edit(ctx context.Context, c *apptest.Caller, key, mark string) {
	etag := l.newest(ctx, c, key)
	answer, err := c.Try(ctx, http.MethodPatch, "/api/v1/configs/"+key, map[string]any{"value": mark}, "If-Match", etag)
	l.book(mark, answer, err)
}

// newest returns the ETag of a config, as soon as it can be read.
func (l *ledger) newest(ctx context.Context, c *apptest.Caller, key string) string {
	for ctx.Err() == nil {
		answer, err := c.Try(ctx, http.MethodGet, "/api/v1/configs/"+key, nil)
		if err == nil && answer.Status == http.StatusOK {
			return answer.Header.Get("ETag")
		}
		if err == nil {
			l.checkUnavailable("GET", answer)
		}
		pause(ctx, 20*time.Millisecond)
	}
	return ""
}

// book classifies the response to an edit.
func (l *ledger) book(mark string, answer apptest.Answer, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.booked != nil {
		defer l.booked()
	}
	switch {
	case neverSent(err):
		l.refused[mark] = "never sent"
	case err != nil:
		l.unknown[mark] = true
	case answer.Status == http.StatusOK:
		var config struct{ Version int64 }
		if err := json.Unmarshal(answer.Body, &config); err != nil {
			l.faults = append(l.faults, fmt.Sprintf("the reply to %s cannot be read: %v", mark, err))
		}
		l.acknowledged[mark] = config.Version
	case answer.Status == http.StatusPreconditionFailed, answer.Code() == "batch_conflict":
		l.refused[mark] = answer.Code()
	case answer.Status == http.StatusServiceUnavailable && answer.Code() == "outcome_unknown":
		l.unknown[mark] = true
		l.noteWithoutHint(answer)
	case answer.Status == http.StatusServiceUnavailable && answer.Code() == "unavailable":
		l.refused[mark] = answer.Code()
		l.noteWithoutHint(answer)
	default:
		l.faults = append(l.faults, fmt.Sprintf("an edit had status %d %s", answer.Status, answer.Body))
		l.unknown[mark] = true
	}
}

// checkUnavailable records a failed read that is not a valid 503.
func (l *ledger) checkUnavailable(method string, answer apptest.Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if answer.Status != http.StatusServiceUnavailable || answer.Code() != "unavailable" {
		l.faults = append(l.faults, fmt.Sprintf("%s had status %d %s", method, answer.Status, answer.Body))
		return
	}
	l.noteWithoutHint(answer)
}

func (l *ledger) noteWithoutHint(answer apptest.Answer) {
	if answer.Header.Get("Retry-After") == "" {
		l.faults = append(l.faults, fmt.Sprintf("a 503 without Retry-After: %s", answer.Body))
	}
}

// neverSent reports whether a request failed before its first byte was sent.
func neverSent(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "dial"
}

// totals returns how many edits had each fate.
func (l *ledger) totals() (acknowledged, refused, unknown int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acknowledged), len(l.refused), len(l.unknown)
}

// version is one row of a config's history.
type version struct {
	Version int64
	Value   string
}

// settle compares the ledger with the store.
func (l *ledger) settle(t *testing.T, databaseURL string) {
	t.Helper()
	db, err := storage.Open(t.Context(), storage.Options{URL: databaseURL, MaxConnections: 2})
	require.NoError(t, err)
	defer db.Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	require.Empty(t, l.faults)

	found := map[string]int64{}
	increments := 0
	for _, key := range l.keys {
		history := l.requireWhole(t, db, key)
		increments += len(history) - 1
		for _, step := range history[1:] {
			var mark string
			require.NoError(t, json.Unmarshal([]byte(step.Value), &mark))
			require.NotContains(t, found, mark, "an edit was applied twice")
			found[mark] = step.Version
		}
	}
	for mark, version := range l.acknowledged {
		require.Equal(t, version, found[mark], "%s was acknowledged", mark)
	}
	for mark, why := range l.refused {
		require.NotContains(t, found, mark, "it was rejected: %s", why)
	}
	for mark := range found {
		require.True(t, l.acknowledged[mark] > 0 || l.unknown[mark], "%s was applied without a request", mark)
	}
	require.LessOrEqual(t, len(l.acknowledged), increments)
	require.LessOrEqual(t, increments, len(l.acknowledged)+len(l.unknown))
}

// requireWhole checks that a config's version, history and audit agree, and returns
// its history.
func (l *ledger) requireWhole(t *testing.T, db *storage.DB, key string) []version {
	t.Helper()
	query := db.Read(storage.AcrossTenants(t.Context()))
	var now version
	require.NoError(t, query.Raw("SELECT version, value FROM configs WHERE `key` = ?", key).Scan(&now).Error)
	var history []version
	require.NoError(t, query.Raw("SELECT version, value FROM config_histories WHERE `key` = ? ORDER BY version", key).Scan(&history).Error)
	require.NotEmpty(t, history)
	for i, step := range history {
		require.EqualValues(t, i+1, step.Version, "the history of %s has a gap", key)
	}
	require.Equal(t, now, history[len(history)-1], "the history of %s does not end where the config is", key)
	var audited int
	require.NoError(t, query.Raw("SELECT COUNT(*) FROM audit_entries WHERE tenant_id > 0 AND resource = ?", "configs/"+key).Scan(&audited).Error)
	require.Len(t, history, audited, "each version of %s has one audit row", key)
	return history
}

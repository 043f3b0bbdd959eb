package passwords

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
)

func requireErrorCode(t testing.TB, code apperr.Code, err error) {
	t.Helper()
	require.Truef(t, apperr.Has(err, code), "want %s, have %v", code, err)
}

func requireRetryAfter(t testing.TB, err error) time.Duration {
	t.Helper()
	var e *apperr.Error
	require.ErrorAs(t, err, &e)
	return e.RetryAfter
}

func TestHashesHaveTheRecommendedCost(t *testing.T) {
	p := New(Cost{}, false)
	hash, err := p.Hash(t.Context(), "a password")
	require.NoError(t, err)
	for _, text := range []string{hash, p.Dummy} {
		params, _, _, err := argon2id.DecodeHash(text)
		require.NoError(t, err)
		require.Equal(t, argon2id.Params{Memory: 19456, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}, *params)
	}
	same, err := p.Matches(t.Context(), "a password", hash)
	require.NoError(t, err)
	require.True(t, same)
	same, err = p.Matches(t.Context(), "a password", p.Dummy)
	require.NoError(t, err)
	require.False(t, same)
}

func TestConcurrentHashesAreLimitedToSlots(t *testing.T) {
	const turns, callers = 2, 20
	p := New(Cost{}, false)
	p.queue, p.Timeout = newHashQueue(turns, callers), time.Minute
	var running, most atomic.Int64
	entered, proceed := make(chan struct{}, callers), make(chan struct{})
	p.Compare = func(string, string) (bool, error) {
		now := running.Add(1)
		defer running.Add(-1)
		for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
		}
		entered <- struct{}{}
		<-proceed
		return true, nil
	}
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			_, err := p.Matches(t.Context(), "", "")
			if err != nil {
				t.Error(err)
			}
		})
	}
	for range turns {
		<-entered
	}
	close(proceed)
	group.Wait()
	require.EqualValues(t, turns, most.Load())
}

func TestTimeoutInHashQueueReturnsUnavailable(t *testing.T) {
	p := New(Cost{}, false)
	p.queue, p.Timeout = newHashQueue(0, 1), 2*time.Millisecond
	_, err := p.Matches(t.Context(), "a", p.Dummy)
	requireErrorCode(t, apperr.Unavailable, err)
	require.Positive(t, requireRetryAfter(t, err))
}

func TestComparisonErrorIsNotAWrongPassword(t *testing.T) {
	p := New(Cost{}, false)
	broken := errors.New("broken")
	p.Compare = func(string, string) (bool, error) { return true, broken }
	same, err := p.Matches(t.Context(), "a", "b")
	require.ErrorIs(t, err, broken)
	require.False(t, same)
}

func TestPasswordNeedsTwelveTypeableCharacters(t *testing.T) {
	cases := []struct {
		name, password string
		refused        bool
	}{
		{"twelve characters", "äöüÄÖÜßéàçñø", false},
		{"eleven characters of two bytes", strings.Repeat("ä", 11), true},
		{"1024 bytes", strings.Repeat("nine green bottles stand ", 40) + "on that wall of ours all", false},
		{"none", "", true},
		{"1025 bytes", strings.Repeat("x", 1025), true},
		{"513 characters of two bytes", strings.Repeat("ä", 513), true},
		{"invalid UTF-8", "\xff\xfe", true},
		{"a NUL", "a\x00b", true},
	}
	p := New(Cost{}, false)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			hash, err := p.NewHash(t.Context(), Oneself, "/password", "li", c.password)
			if c.refused {
				requireErrorCode(t, apperr.ValidationFailed, err)
				return
			}
			require.NoError(t, err)
			same, err := p.Matches(t.Context(), c.password, hash)
			require.NoError(t, err)
			require.True(t, same)
		})
	}
}

func TestWeakPasswordIsAcceptedInDevelopmentAndLogged(t *testing.T) {
	log := capturedLog(t)
	p := New(Cost{}, true)
	_, err := p.NewHash(t.Context(), Oneself, "/password", "li", "123456789")
	require.NoError(t, err)
	require.Contains(t, log.String(), "at least 12 characters")
	require.NotContains(t, log.String(), "123456789")

	log.Reset()
	_, err = p.NewHash(t.Context(), Oneself, "/password", "li", "123456789012")
	require.NoError(t, err)
	require.Contains(t, log.String(), "must not be a common password")

	log.Reset()
	_, err = p.NewHash(t.Context(), Oneself, "/password", "li", "nine green bottles")
	require.NoError(t, err)
	require.Empty(t, log.String())
}

func capturedLog(t *testing.T) *bytes.Buffer {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

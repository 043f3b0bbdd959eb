package access

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

func TestHashesOfUsersAndOfNobodyCostWhatOWASPAsks(t *testing.T) {
	p := newPasswords()
	hash, err := p.hash(t.Context(), "a password")
	require.NoError(t, err)
	for _, text := range []string{hash, p.dummy} {
		params, _, _, err := argon2id.DecodeHash(text)
		require.NoError(t, err)
		require.Equal(t, argon2id.Params{Memory: 19456, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}, *params)
	}
	same, err := p.matches(t.Context(), "a password", hash)
	require.NoError(t, err)
	require.True(t, same)
	same, err = p.matches(t.Context(), "a password", p.dummy)
	require.NoError(t, err)
	require.False(t, same)
}

func TestNoMoreHashesRunAtOnceThanThereAreTurns(t *testing.T) {
	const turns, callers = 2, 20
	p := newPasswords()
	p.turns, p.timeout = newTurns(turns, callers), time.Minute
	var running, most atomic.Int64
	entered, proceed := make(chan struct{}, callers), make(chan struct{})
	p.compare = func(string, string) (bool, error) {
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
			_, err := p.matches(t.Context(), "", "")
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

func TestWaitingForATurnToHashEndsAsUnavailable(t *testing.T) {
	p := newPasswords()
	p.turns, p.timeout = newTurns(0, 1), 2*time.Millisecond
	_, err := p.matches(t.Context(), "a", p.dummy)
	requireCode(t, apperr.Unavailable, err)
	require.Positive(t, retryAfter(t, err))
}

func TestAFailureToCompareIsNoWrongPassword(t *testing.T) {
	p := newPasswords()
	broken := errors.New("broken")
	p.compare = func(string, string) (bool, error) { return true, broken }
	same, err := p.matches(t.Context(), "a", "b")
	require.ErrorIs(t, err, broken)
	require.False(t, same)
}

func TestPasswordsOfTwelveCharactersAreAcceptedUnlessNobodyCouldUseThem(t *testing.T) {
	cases := []struct {
		name, password string
		refused        bool
	}{
		{"twelve characters", strings.Repeat("ä", 12), false},
		{"eleven characters of two bytes", strings.Repeat("ä", 11), true},
		{"1024 bytes", strings.Repeat("x", 1024), false},
		{"none", "", true},
		{"1025 bytes", strings.Repeat("x", 1025), true},
		{"513 characters of two bytes", strings.Repeat("ä", 513), true},
		{"invalid UTF-8", "\xff\xfe", true},
		{"a NUL", "a\x00b", true},
	}
	p := newPasswords()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			hash, err := p.newHash(t.Context(), "/password", "li", c.password)
			if c.refused {
				requireCode(t, apperr.ValidationFailed, err)
				return
			}
			require.NoError(t, err)
			same, err := p.matches(t.Context(), c.password, hash)
			require.NoError(t, err)
			require.True(t, same)
		})
	}
}

func TestAShortPasswordIsTakenInDevelopmentAndWarnedAboutAndNotShown(t *testing.T) {
	log := captureLog(t)
	p := newPasswords()
	p.weak = true
	_, err := p.newHash(t.Context(), "/password", "li", "123456789")
	require.NoError(t, err)
	require.Contains(t, log.String(), "shorter than is safe")
	require.NotContains(t, log.String(), "123456789")

	log.Reset()
	_, err = p.newHash(t.Context(), "/password", "li", "123456789012")
	require.NoError(t, err)
	require.Empty(t, log.String())
}

func captureLog(t *testing.T) *bytes.Buffer {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

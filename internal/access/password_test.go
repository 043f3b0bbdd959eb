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
	"interlock/internal/base/clock"
	"interlock/internal/base/storage/storagetest"
)

func TestHashesOfUsersAndOfNobodyCostWhatOWASPAsks(t *testing.T) {
	p := New(Deps{Clock: clock.System{}}).passwords
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
	p := newPasswords(HashCost{})
	p.queue, p.timeout = newHashQueue(turns, callers), time.Minute
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
	p := newPasswords(HashCost{})
	p.queue, p.timeout = newHashQueue(0, 1), 2*time.Millisecond
	_, err := p.matches(t.Context(), "a", p.dummy)
	requireCode(t, apperr.Unavailable, err)
	require.Positive(t, retryAfter(t, err))
}

func TestAFailureToCompareIsNoWrongPassword(t *testing.T) {
	p := newPasswords(HashCost{})
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
		{"twelve characters", "äöüÄÖÜßéàçñø", false},
		{"eleven characters of two bytes", strings.Repeat("ä", 11), true},
		{"1024 bytes", strings.Repeat("nine green bottles stand ", 40) + "on that wall of ours all", false},
		{"none", "", true},
		{"1025 bytes", strings.Repeat("x", 1025), true},
		{"513 characters of two bytes", strings.Repeat("ä", 513), true},
		{"invalid UTF-8", "\xff\xfe", true},
		{"a NUL", "a\x00b", true},
	}
	p := newPasswords(HashCost{})
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			hash, err := p.newHash(t.Context(), oneself, "/password", "li", c.password)
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
	p := newPasswords(HashCost{})
	p.weak = true
	_, err := p.newHash(t.Context(), oneself, "/password", "li", "123456789")
	require.NoError(t, err)
	require.Contains(t, log.String(), "at least 12 characters")
	require.NotContains(t, log.String(), "123456789")

	log.Reset()
	_, err = p.newHash(t.Context(), oneself, "/password", "li", "123456789012")
	require.NoError(t, err)
	require.Contains(t, log.String(), "must not be a common password")

	log.Reset()
	_, err = p.newHash(t.Context(), oneself, "/password", "li", "nine green bottles")
	require.NoError(t, err)
	require.Empty(t, log.String())
}

func TestWhoChoosesHisOwnPasswordIsRefusedOneThatIsTriedFirst(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	ctx := h.inside(t)
	admin, err := h.UserNamed(ctx, "admin")
	require.NoError(t, err)
	session := h.mustSignIn(t)
	_, invitation := h.invite(t, "weidong")
	for _, password := range []string{"Password2026!", "Interlock-2026"} {
		for where, choose := range map[string]func() error{
			"own": func() error {
				_, err := h.ChangePassword(h.as(t, session), admin, PasswordChange{Current: adminPassword, New: password})
				return err
			},
			"invitation": func() error {
				_, err := h.AcceptInvitation(anonymous(t), Acceptance{Token: invitation.Token, Password: password})
				return err
			},
		} {
			var refused *apperr.Error
			require.ErrorAs(t, choose(), &refused, where)
			require.Equal(t, apperr.ValidationFailed, refused.Code, where)
			require.Equal(t, "common", refused.Fields[0].Code, where)
			require.Contains(t, refused.Fields[0].Message, "must not", where)
		}
	}
	_, err = h.AcceptInvitation(anonymous(t), Acceptance{Token: invitation.Token, Password: "weidong-2026!"})
	require.ErrorContains(t, err, "username", "the username is known to who guesses")
	_, err = h.signIn(t, "admin", adminPassword)
	require.NoError(t, err, "nothing was changed")
}

// An operator may have unknown reasons for a weak password, and the program must still start.
func TestAPasswordThatSomebodyGivesToAnotherIsWarnedOfWhenItIsTriedFirst(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	ctx := h.inside(t)
	for where, give := range map[string]func(password string) error{
		"start": func(password string) error { _, err := h.CreateTenant(ctx, "another", password, ""); return err },
		"create": func(password string) error {
			_, err := h.AddUser(ctx, UserSpec{Username: "li", Password: password})
			return err
		},
		"command": func(password string) error { return h.SetPassword(anonymous(t), h.tenant.Name, "admin", password) },
		"reset": func(password string) error {
			admin, err := h.UserNamed(ctx, "admin")
			if err != nil {
				return err
			}
			_, err = h.ResetPassword(ctx, admin, PasswordReset{Password: password})
			return err
		},
	} {
		require.ErrorContains(t, give("elevenchars"), "at least 12 characters", where)
		log := captureLog(t)
		require.NoError(t, give("Password2026!"), where)
		require.Contains(t, log.String(), "must not be a common password", where)
		require.NotContains(t, log.String(), "Password2026!", where)
	}
}

func captureLog(t *testing.T) *bytes.Buffer {
	var log bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return &log
}

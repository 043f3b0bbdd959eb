package access

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
	"github.com/stretchr/testify/require"

	"interlock/internal/access/callers"
	"interlock/internal/access/factors"
	"interlock/internal/access/guesses"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/encryption"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
)

// enrolled is the admin of a fixture's tenant with a second factor.
type enrolled struct {
	*fixture
	user     *users.User
	factorID int64
	secret   string
	// session is the token of the session in which the factor was set up.
	session string
	codes   []string
}

// code is the app's code at the fixture's time, shifted by a number of steps.
func (e *enrolled) code(t testing.TB, steps int) string {
	t.Helper()
	at := e.clock.Now().Add(time.Duration(steps) * factors.TOTPPeriod * time.Second)
	code, err := totp.GenerateCodeCustom(e.secret, at, totp.ValidateOpts{Period: factors.TOTPPeriod, Digits: otp.DigitsSix})
	require.NoError(t, err)
	return code
}

// nextCode advances the clock by one step and returns an unused code.
func (e *enrolled) nextCode(t testing.TB) string {
	e.clock.Advance(factors.TOTPPeriod * time.Second)
	return e.code(t, 0)
}

// as returns a context with the session's user.
func (h *fixture) as(t testing.TB, session string) context.Context {
	t.Helper()
	p, err := h.Callers.Authenticate(withCookie(http.MethodGet, session))
	require.NoError(t, err)
	return principal.With(anonymous(t), p)
}

func enroll(t testing.TB, h *fixture) *enrolled {
	t.Helper()
	e := &enrolled{fixture: h, session: h.mustSignIn(t)}
	ctx := h.as(t, e.session)
	var err error
	e.user, err = h.Users.UserNamed(ctx, "admin")
	require.NoError(t, err)
	setup, err := h.BeginFactor(ctx, e.user, users.FactorBeginning{Kind: factors.MethodTOTP, Name: "Phone", Password: adminPassword})
	require.NoError(t, err)
	e.secret, e.factorID = setup.Secret, setup.ID
	_, e.codes, err = h.ConfirmFactor(ctx, e.user, factors.Confirmation{FactorID: setup.ID, Code: e.code(t, 0), Session: e.session})
	require.NoError(t, err)
	require.Len(t, e.codes, factors.RecoveryCodes)
	return e
}

// challenged signs in with the right password and returns the challenge.
func (e *enrolled) challenged(t testing.TB) string {
	t.Helper()
	signedIn, err := e.SignIn(anonymous(t), SignIn{Tenant: e.tenant.Name, Username: "admin", Password: adminPassword})
	require.NoError(t, err)
	require.Empty(t, signedIn.Token, "no session exists before the second factor")
	require.NotNil(t, signedIn.Challenge)
	return signedIn.Challenge.Token
}

func (e *enrolled) finish(t testing.TB, challenge, method, code, address string) (string, error) {
	signedIn, err := e.FinishSignIn(anonymous(t), FactorSignIn{
		Shown: factors.Shown{Method: method, Code: code, Challenge: challenge}, Address: address,
	})
	return signedIn.Token, err
}

func (e *enrolled) sessions(t testing.TB) (open int64) {
	t.Helper()
	require.NoError(t, e.db.Read(e.inside(t)).Model(&sessions.Session{}).Count(&open).Error)
	return open
}

func TestConfirmedFactorIsRequiredAtSignIn(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		session, other := h.mustSignIn(t), h.mustSignIn(t)
		ctx := h.as(t, session)
		user, err := h.Users.UserNamed(ctx, "admin")
		require.NoError(t, err)
		setup, err := h.BeginFactor(ctx, user, users.FactorBeginning{Kind: factors.MethodTOTP, Name: "Phone", Password: adminPassword})
		require.NoError(t, err)
		require.Contains(t, setup.URI, "otpauth://totp/Interlock:admin?")
		require.Contains(t, setup.URI, setup.Secret)
		h.mustSignIn(t)

		e := &enrolled{fixture: h, user: user, secret: setup.Secret}
		_, _, err = h.ConfirmFactor(ctx, user, factors.Confirmation{FactorID: setup.ID, Code: "000000x", Session: session})
		requireCode(t, apperr.ValidationFailed, err)
		h.mustSignIn(t)

		factor, codes, err := h.ConfirmFactor(ctx, user, factors.Confirmation{FactorID: setup.ID, Code: e.code(t, 0), Session: session})
		require.NoError(t, err)
		require.Equal(t, "Phone", factor.Name)
		require.Len(t, codes, 10)
		for _, code := range codes {
			require.Regexp(t, `^[a-z2-7]{4}(-[a-z2-7]{4}){3}$`, code)
		}
		_, err = h.Callers.Authenticate(withCookie(http.MethodGet, session))
		require.NoError(t, err, "the session that it was set up in stays")
		_, err = h.Callers.Authenticate(withCookie(http.MethodGet, other))
		requireCode(t, apperr.Unauthenticated, err)

		signedIn, err := h.SignIn(anonymous(t), SignIn{Tenant: h.tenant.Name, Username: "admin", Password: adminPassword})
		require.NoError(t, err)
		require.Empty(t, signedIn.Token)
		require.Equal(t, []string{"totp", "recovery"}, signedIn.Challenge.Methods)

		_, err = e.finish(t, signedIn.Challenge.Token, factors.MethodTOTP, e.code(t, 0), "")
		requireCode(t, apperr.InvalidCredentials, err)
		token, err := e.finish(t, signedIn.Challenge.Token, factors.MethodTOTP, e.nextCode(t), "")
		require.NoError(t, err)
		p, err := h.Callers.Authenticate(withCookie(http.MethodGet, token))
		require.NoError(t, err)
		require.Equal(t, user.ID, p.UserID)
		require.Equal(t, h.tenant.ID, p.TenantID)
		require.False(t, p.StepUpRequired, "it was shown a moment ago")
	})
}

func TestFactorChangeIncrementsTheUsersVersion(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		e := enroll(t, newFixture(t, db))
		ctx := e.as(t, e.session)
		user, err := e.Users.UserNamed(ctx, "admin")
		require.NoError(t, err)
		second, err := e.BeginFactor(ctx, user, users.FactorBeginning{Kind: factors.MethodTOTP, Name: "Tablet"})
		require.NoError(t, err)
		confirmed := &enrolled{fixture: e.fixture, secret: second.Secret}
		_, codes, err := e.ConfirmFactor(ctx, e.user, factors.Confirmation{FactorID: second.ID, Code: confirmed.code(t, 0), Session: e.session})
		require.NoError(t, err)
		require.Empty(t, codes, "only the first factor brings recovery codes")
		fresh, err := e.NewRecoveryCodes(ctx, e.user, e.session)
		require.NoError(t, err)
		require.Len(t, fresh, 10)
		factors, left, err := e.Factors.List(ctx)
		require.NoError(t, err)
		require.Len(t, factors, 2)
		require.EqualValues(t, 10, left)
		for _, id := range []int64{e.factorID, second.ID} {
			remove := func(ctx context.Context, u *uow.Unit) error {
				user, err := e.Users.User(ctx, e.user.ID)
				require.NoError(t, err)
				return e.Users.RemoveFactor(ctx, u, user, id, e.session)
			}
			require.NoError(t, e.runner.Do(ctx, remove))
			requireCode(t, apperr.NotFound, e.runner.Do(ctx, remove))
		}
		factors, left, err = e.Factors.List(ctx)
		require.NoError(t, err)
		require.Empty(t, factors)
		require.Zero(t, left, "recovery codes end with the last factor")
		e.mustSignIn(t)

		var actions []string
		require.NoError(t, db.Read(e.inside(t)).Model(&users.UserVersion{}).Where("user_id = ?", e.user.ID).Order("version").Pluck("action", &actions).Error)
		require.Equal(t, []string{"create", "add-factor", "add-factor", "recovery-codes", "remove-factor", "remove-factor"}, actions)
		require.Equal(t, []string{
			"tenant.create", "session.create", "user.begin-factor", "user.add-factor", "user.begin-factor", "user.add-factor",
			"user.recovery-codes", "user.remove-factor", "user.remove-factor", "session.create",
		}, e.audited(t))
	})
}

// Proves G7.12.
func TestEachCodeAndChallengeOpensOneSession(t *testing.T) {
	const at = 100
	cases := []struct {
		name string
		// attempts returns the challenge, method and code of each attempt.
		attempts func(t *testing.T, e *enrolled) [at][3]string
	}{
		{"one TOTP code at many challenges", func(t *testing.T, e *enrolled) (all [at][3]string) {
			code := e.nextCode(t)
			for i := range all {
				all[i] = [3]string{e.challenged(t), factors.MethodTOTP, code}
			}
			return all
		}},
		{"one recovery code at many challenges", func(t *testing.T, e *enrolled) (all [at][3]string) {
			for i := range all {
				all[i] = [3]string{e.challenged(t), factors.MethodRecovery, e.codes[0]}
			}
			return all
		}},
		{"many codes at one challenge", func(t *testing.T, e *enrolled) (all [at][3]string) {
			challenge := e.challenged(t)
			for i := range all {
				all[i] = [3]string{challenge, factors.MethodRecovery, e.codes[i%len(e.codes)]}
			}
			return all
		}},
	}
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				e := enroll(t, newFixture(t, db))
				before := e.sessions(t)
				attempts := c.attempts(t, e)
				var opened atomic.Int64
				var all sync.WaitGroup
				start := make(chan struct{})
				for i, a := range attempts {
					all.Go(func() {
						<-start
						// Each attempt is from a separate network, so that all of them are compared.
						_, err := e.finish(t, a[0], a[1], a[2], fmt.Sprintf("10.0.%d.%d", i/100, i%100))
						switch {
						case err == nil:
							opened.Add(1)
						case !apperr.Has(err, apperr.InvalidCredentials) && !apperr.Has(err, apperr.Unauthenticated) && !apperr.Has(err, apperr.TooManyAttempts):
							t.Errorf("unexpected: %v", err)
						}
					})
				}
				close(start)
				all.Wait()
				require.EqualValues(t, 1, opened.Load())
				require.Equal(t, before+1, e.sessions(t))
			})
		}
	})
}

// Proves G7.13.
func TestWrongCodesCountLikeWrongPasswords(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		e := enroll(t, newFixture(t, db))
		// The right password in between allows no further guesses.
		for range 5 {
			_, err := e.finish(t, e.challenged(t), factors.MethodTOTP, "12345x", "")
			requireCode(t, apperr.InvalidCredentials, err)
			e.clock.Advance(time.Minute)
		}
		_, err := e.signIn(t, "admin", adminPassword)
		requireCode(t, apperr.TooManyAttempts, err)
		_, _, err = e.StepUp(e.as(t, e.session), StepUp{Session: e.session, Shown: factors.Shown{Method: factors.MethodRecovery, Code: e.codes[0]}})
		requireCode(t, apperr.TooManyAttempts, err)
		require.Equal(t, 10*time.Minute, retryAfter(t, err))

		e.clock.Advance(10 * time.Minute)
		_, err = e.finish(t, e.challenged(t), factors.MethodTOTP, e.nextCode(t), "")
		require.NoError(t, err)
	})
}

// Proves G7.13.
func TestWrongCodesCountOverAllNetworks(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		e := enroll(t, newFixture(t, db))
		for i := range 5 {
			_, err := e.finish(t, e.challenged(t), factors.MethodTOTP, "12345x", fmt.Sprintf("2001:db8:0:%d::1", i))
			requireCode(t, apperr.InvalidCredentials, err)
		}
		_, err := e.finish(t, e.challenged(t), factors.MethodTOTP, e.nextCode(t), "2001:db8:0:77::1")
		requireCode(t, apperr.TooManyAttempts, err)
		e.clock.Advance(guesses.Window)
		_, err = e.finish(t, e.challenged(t), factors.MethodTOTP, e.nextCode(t), "2001:db8:0:77::1")
		require.NoError(t, err)
	})
}

// Proves G7.13.
func TestWrongCodesInAStepUpCount(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		e := enroll(t, newFixture(t, db))
		for range 5 {
			_, _, err := e.StepUp(e.as(t, e.session), StepUp{Session: e.session, Shown: factors.Shown{Method: factors.MethodTOTP, Code: "12345x"}})
			requireCode(t, apperr.InvalidCredentials, err)
		}
		_, _, err := e.StepUp(e.as(t, e.session), StepUp{Session: e.session, Shown: factors.Shown{Method: factors.MethodTOTP, Code: e.nextCode(t)}})
		requireCode(t, apperr.TooManyAttempts, err)
	})
}

// Proves G7.12.
func TestOnlyCodesOfAdjacentStepsAreAccepted(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		e := enroll(t, newFixture(t, db))
		e.clock.Advance(time.Hour)
		_, err := e.finish(t, e.challenged(t), factors.MethodTOTP, e.code(t, -2), "")
		requireCode(t, apperr.InvalidCredentials, err)
		_, err = e.finish(t, e.challenged(t), factors.MethodTOTP, e.code(t, 2), "")
		requireCode(t, apperr.InvalidCredentials, err)
		_, err = e.finish(t, e.challenged(t), factors.MethodTOTP, e.code(t, -1), "")
		require.NoError(t, err)
		_, err = e.finish(t, e.challenged(t), factors.MethodTOTP, e.code(t, 1), "")
		require.NoError(t, err)
		_, err = e.finish(t, e.challenged(t), factors.MethodTOTP, e.code(t, 0), "")
		requireCode(t, apperr.InvalidCredentials, err)
	})
}

func TestRecoveryCodeIgnoresCaseAndSeparators(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		e := enroll(t, newFixture(t, db))
		typed := strings.ToUpper(strings.ReplaceAll(e.codes[3], "-", " "))
		_, err := e.finish(t, e.challenged(t), factors.MethodRecovery, typed, "")
		require.NoError(t, err)
		_, err = e.finish(t, e.challenged(t), factors.MethodRecovery, e.codes[3], "")
		requireCode(t, apperr.InvalidCredentials, err)
		_, left, err := e.Factors.List(e.as(t, e.session))
		require.NoError(t, err)
		require.EqualValues(t, 9, left)
	})
}

// Proves G7.14.
func TestChallengeEndsByTimeAndByUserChanges(t *testing.T) {
	cases := []struct {
		name string
		act  func(ctx context.Context, e *enrolled) error
	}{
		{"five minutes", func(_ context.Context, e *enrolled) error { e.clock.Advance(challengeTime); return nil }},
		{"a new password", func(ctx context.Context, e *enrolled) error {
			return e.Users.SetPassword(ctx, e.tenant.Name, "admin", "another password")
		}},
		{"disabling", func(ctx context.Context, e *enrolled) error {
			return e.Users.SetUserDisabled(ctx, e.tenant.Name, "admin", true)
		}},
		{"disabling and enabling", func(ctx context.Context, e *enrolled) error {
			if err := e.Users.SetUserDisabled(ctx, e.tenant.Name, "admin", true); err != nil {
				return err
			}
			return e.Users.SetUserDisabled(ctx, e.tenant.Name, "admin", false)
		}},
		{"a reset of the factors", func(ctx context.Context, e *enrolled) error {
			return e.Users.ResetUserFactors(ctx, e.tenant.Name, "admin")
		}},
	}
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				e := enroll(t, newFixture(t, db))
				challenge := e.challenged(t)
				require.NoError(t, c.act(anonymous(t), e))
				before := e.sessions(t)
				_, err := e.finish(t, challenge, factors.MethodRecovery, e.codes[0], "")
				requireCode(t, apperr.Unauthenticated, err)
				require.Equal(t, before, e.sessions(t))
			})
		}
	})
}

// A row lock excludes no other server of a cluster, but every change of a user increments the
// revision.
func TestConcurrentUserChangeVoidsTheChallenge(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		e := enroll(t, newFixture(t, db))
		before, err := e.Tenants.Revisions(ctx)
		require.NoError(t, err)
		e.challenged(t)
		after, err := e.Tenants.Revisions(ctx)
		require.NoError(t, err)
		require.Equal(t, before+1, after)
	})
}

// Proves G7.17.
func TestStepUpExpiresAfterFiveMinutesAndRenewsSession(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		e := enroll(t, newFixture(t, db))
		token, err := e.finish(t, e.challenged(t), factors.MethodTOTP, e.nextCode(t), "10.0.0.1")
		require.NoError(t, err)
		before, err := e.Current(t.Context(), token)
		require.NoError(t, err)
		var first sessions.Session
		require.NoError(t, db.Read(e.inside(t)).Where("token_hash = ?", secrets.DigestOf(token).String()).Take(&first).Error)

		e.clock.Advance(callers.StepUpFor - time.Microsecond)
		require.False(t, principalOf(t, e.as(t, token)).StepUpRequired)
		e.clock.Advance(time.Microsecond)
		ctx := e.as(t, token)
		require.True(t, principalOf(t, ctx).StepUpRequired)

		renewed, session, err := e.StepUp(ctx, StepUp{Session: token, Shown: factors.Shown{Method: factors.MethodTOTP, Code: e.nextCode(t)}})
		require.NoError(t, err)
		require.NotEqual(t, token, renewed)
		require.NotEqual(t, before.CSRFToken, session.CSRFToken)
		_, err = e.Callers.Authenticate(withCookie(http.MethodGet, token))
		requireCode(t, apperr.Unauthenticated, err)
		now, err := e.Current(t.Context(), renewed)
		require.NoError(t, err)
		require.Equal(t, session, now)
		p := principalOf(t, e.as(t, renewed))
		require.False(t, p.StepUpRequired)
		require.Equal(t, principalOf(t, ctx).CredentialID, p.CredentialID, "in the audit log it is the same session")

		var after sessions.Session
		require.NoError(t, db.Read(e.inside(t)).Where("token_hash = ?", secrets.DigestOf(renewed).String()).Take(&after).Error)
		require.Equal(t, first.ExpiresTime, after.ExpiresTime, "a session is not made longer")
		require.Equal(t, first.CreatedTime, after.CreatedTime)
		require.Equal(t, first.Address, after.Address)
	})
}

func principalOf(t testing.TB, ctx context.Context) principal.Principal {
	t.Helper()
	p, known := principal.From(ctx)
	require.True(t, known)
	return p
}

func TestAPITokenNeedsNoFactorAndReadsNone(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		e := enroll(t, newFixture(t, db))
		secret, _ := e.newToken(t)
		p, err := e.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err)
		require.False(t, p.StepUpRequired)
		ctx := principal.With(anonymous(t), p)
		_, _, err = e.Factors.List(ctx)
		requireCode(t, apperr.Forbidden, err)
		_, _, err = e.StepUp(ctx, StepUp{Shown: factors.Shown{Method: factors.MethodRecovery, Code: e.codes[0]}})
		requireCode(t, apperr.Forbidden, err)
	})
}

// Proves G7.19.
func TestFactorResetNeedsTheUsersPermissions(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		e := enroll(t, newFixture(t, db))
		require.NoError(t, e.Users.CreateRole(anonymous(t), e.tenant.Name, "helpdesk", []string{"users:*"}))
		_, err := e.Users.CreateUser(anonymous(t), users.UserSpec{Tenant: e.tenant.Name, Username: "li", Password: adminPassword, Roles: []string{"helpdesk"}})
		require.NoError(t, err)
		li, err := e.signIn(t, "li", adminPassword)
		require.NoError(t, err)
		reset := func(ctx context.Context, user *users.User) (after *users.User, err error) {
			err = e.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
				after, err = e.Users.ResetFactors(ctx, u, user, nil)
				return err
			})
			return after, err
		}
		admin, err := e.Users.UserNamed(e.inside(t), "admin")
		require.NoError(t, err)
		_, err = reset(e.as(t, li), admin)
		requireCode(t, apperr.Forbidden, err)
		e.challenged(t)

		other := e.as(t, e.session)
		require.NoError(t, e.Users.ResetUserFactors(anonymous(t), e.tenant.Name, "admin"))
		_, err = e.Callers.Authenticate(withCookie(http.MethodGet, e.session))
		requireCode(t, apperr.Unauthenticated, err)
		e.mustSignIn(t)
		factors, left, err := e.Factors.List(other)
		require.NoError(t, err)
		require.Empty(t, factors)
		require.Zero(t, left)

		admin, err = e.Users.UserNamed(e.inside(t), "admin")
		require.NoError(t, err)
		after, err := reset(e.as(t, li), admin)
		require.NoError(t, err)
		require.Equal(t, admin.Version, after.Version, "a user without factors is unchanged")
	})
}

// useKeys encrypts the secrets of factors with other keys.
func (h *fixture) useKeys(t testing.TB, keys ...string) {
	t.Helper()
	cipher, err := encryption.New(keys)
	require.NoError(t, err)
	*h.Factors = *factors.New(h.db, h.runner, cipher, "")
}

// Proves G7.19.
func TestFactorSecretsAreEncryptedWithTheKey(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		h.useKeys(t, "old:"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
		e := enroll(t, h)
		read := func() (row factors.Factor) {
			require.NoError(t, db.Read(e.inside(t)).Take(&row).Error)
			return row
		}
		require.Equal(t, "old", read().SecretKey)
		require.NotContains(t, string(read().Secret), e.secret)
		var codes []factors.RecoveryCode
		require.NoError(t, db.Read(e.inside(t)).Order("id").Find(&codes).Error)
		require.Len(t, codes, 10)
		require.Equal(t, factors.RecoveryDigest(e.codes[0]), codes[0].CodeHash)

		newKey := "new:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
		h.useKeys(t, newKey, "old:"+base64.StdEncoding.EncodeToString(make([]byte, 32)))
		_, err := e.finish(t, e.challenged(t), factors.MethodTOTP, e.nextCode(t), "")
		require.NoError(t, err)
		require.Equal(t, "new", read().SecretKey, "a use encrypts it with the current key")
		h.useKeys(t, newKey)
		_, err = e.finish(t, e.challenged(t), factors.MethodTOTP, e.nextCode(t), "")
		require.NoError(t, err)

		*h.Factors = *factors.New(h.db, h.runner, encryption.Cipher{}, "")
		_, err = e.finish(t, e.challenged(t), factors.MethodTOTP, e.nextCode(t), "")
		require.ErrorIs(t, err, encryption.ErrUnreadable)
	})
}

func TestReencryptedSecretProducesTheSameCodes(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		old, current := "old:"+base64.StdEncoding.EncodeToString(make([]byte, 32)), "new:"+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))
		for _, keys := range [][]string{{"none"}, {old}} {
			h := newFixture(t, db)
			h.useKeys(t, keys...)
			e := enroll(t, h)
			rotated, err := encryption.New([]string{current, old})
			require.NoError(t, err)
			done, err := encryption.Renew(t.Context(), db, rotated, factors.Encrypted, e.clock.Now())
			require.NoError(t, err)
			require.Equal(t, map[string]int{"user_factors": 1}, done.Renewed)
			require.Zero(t, done.Left.Rows())
			h.useKeys(t, current)
			_, err = e.finish(t, e.challenged(t), factors.MethodTOTP, e.nextCode(t), "")
			require.NoError(t, err)
		}
	})
}

func TestUnconfirmedFactorExpiresAndIsReplaced(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		session := h.mustSignIn(t)
		ctx := h.as(t, session)
		user, err := h.Users.UserNamed(ctx, "admin")
		require.NoError(t, err)
		first, err := h.BeginFactor(ctx, user, users.FactorBeginning{Kind: factors.MethodTOTP, Name: "Phone", Password: adminPassword})
		require.NoError(t, err)
		second, err := h.BeginFactor(ctx, user, users.FactorBeginning{Kind: factors.MethodTOTP, Name: "Phone", Password: adminPassword})
		require.NoError(t, err)
		for _, setup := range []factors.Setup{first, second} {
			e := &enrolled{fixture: h, secret: setup.Secret}
			if setup.ID == second.ID {
				h.clock.Advance(factors.SetupTime)
			}
			_, _, err = h.ConfirmFactor(ctx, user, factors.Confirmation{FactorID: setup.ID, Code: e.code(t, 0), Session: session})
			requireCode(t, apperr.NotFound, err)
		}
		require.NoError(t, h.Sweep(anonymous(t), 100))
		var left int64
		require.NoError(t, db.Read(h.inside(t)).Model(&factors.Factor{}).Count(&left).Error)
		require.Zero(t, left)
	})
}

// A sign-in and the confirmation of the first factor are serialized: no session without the
// factor starts after the confirmation.
// Proves G7.14.
func TestSignInBeforeFirstFactorOpensNoSession(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		in := SignIn{Tenant: h.tenant.Name, Username: "admin", Password: adminPassword}
		seen, err := h.verify(anonymous(t), in)
		require.NoError(t, err)
		e := enroll(t, h)
		before := e.sessions(t)
		_, err = h.begin(anonymous(t), in, guesses.SignInAttempt{At: guesses.Guess{Account: guesses.AccountKey(in.Tenant, in.Username)}}, seen, nil)
		requireCode(t, apperr.InvalidCredentials, err)
		require.Equal(t, before, e.sessions(t))
	})
}

func TestFirstFactorRequiresThePassword(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		ctx := h.as(t, h.mustSignIn(t))
		user, err := h.Users.UserNamed(ctx, "admin")
		require.NoError(t, err)
		begin := func(user *users.User, password string) error {
			_, err := h.BeginFactor(ctx, user, users.FactorBeginning{Kind: factors.MethodTOTP, Name: "Phone", Password: password, Address: "192.0.2.7"})
			return err
		}
		require.ErrorContains(t, begin(user, ""), "to confirm your identity")
		for range guesses.MaxAttempts {
			require.ErrorContains(t, begin(user, "not this one"), "is not your password")
		}
		requireCode(t, apperr.TooManyAttempts, begin(user, adminPassword))
		h.clock.Advance(guesses.Window)
		require.NoError(t, begin(user, adminPassword))

		// A copy that was read before the change is not accepted as proof.
		before := *user
		before.SecondFactor = true
		requireCode(t, apperr.ValidationFailed, begin(&before, ""))
		var begun int64
		require.NoError(t, db.Read(h.inside(t)).Model(&factors.Factor{}).Count(&begun).Error)
		require.EqualValues(t, 1, begun)
	})
}

package access

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/callers"
	"interlock/internal/access/factors"
	"interlock/internal/access/guesses"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/encryption"
	"interlock/internal/base/passkey"
	"interlock/internal/base/passkey/passkeytest"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
)

// here is the origin of the fixture's service.
const here = "http://localhost:8080"

// keyed is the admin of a fixture's tenant with a passkey.
type keyed struct {
	*enrolled
	key *passkeytest.Authenticator
}

// addPasskey registers an authenticator's passkey in a session.
func (h *fixture) addPasskey(t testing.TB, key *passkeytest.Authenticator, session, name string) (factors.Factor, []string) {
	t.Helper()
	ctx := h.as(t, session)
	user, err := h.Users.User(ctx, principalOf(t, ctx).UserID)
	require.NoError(t, err)
	setup, err := h.BeginFactor(ctx, user, users.FactorBeginning{Kind: factors.MethodPasskey, Name: name, Password: adminPassword, Origin: key.Origin})
	require.NoError(t, err)
	factor, codes, err := h.ConfirmFactor(ctx, user, factors.Confirmation{FactorID: setup.ID, Credential: key.Create(t, setup.Options), Session: session})
	require.NoError(t, err)
	return factor, codes
}

func withPasskey(t testing.TB, h *fixture) *keyed {
	t.Helper()
	k := &keyed{&enrolled{fixture: h, session: h.mustSignIn(t)}, passkeytest.New(here)}
	var factor factors.Factor
	factor, k.codes = h.addPasskey(t, k.key, k.session, "Laptop")
	k.factorID = factor.ID
	var err error
	k.user, err = h.Users.UserNamed(h.as(t, k.session), "admin")
	require.NoError(t, err)
	return k
}

// asked signs in with the right password and returns the challenge.
func (h *fixture) asked(t testing.TB, username string) *Challenge {
	t.Helper()
	signedIn, err := h.SignIn(anonymous(t), SignIn{Tenant: h.tenant.Name, Username: username, Password: adminPassword})
	require.NoError(t, err)
	require.Empty(t, signedIn.Token, "no session exists before the second factor")
	return signedIn.Challenge
}

func (h *fixture) show(t testing.TB, challenge *Challenge, answer json.RawMessage, address string) (string, error) {
	signedIn, err := h.FinishSignIn(anonymous(t), FactorSignIn{
		Shown: factors.Shown{Method: factors.MethodPasskey, Credential: answer, Challenge: challenge.Token}, Address: address,
	})
	return signedIn.Token, err
}

// enter signs the admin in with an authenticator.
func (k *keyed) enter(t testing.TB, key *passkeytest.Authenticator) (string, error) {
	t.Helper()
	challenge := k.asked(t, "admin")
	return k.show(t, challenge, key.Get(t, challenge.Passkey), "")
}

func (k *keyed) row(t testing.TB) factors.Passkey {
	t.Helper()
	var row factors.Passkey
	require.NoError(t, k.db.Read(k.inside(t)).Where("factor_id = ?", k.factorID).Take(&row).Error)
	return row
}

// lastAudited returns the newest entry of the tenant's audit log with an action, and its detail.
func (h *fixture) lastAudited(t testing.TB, action string) (uow.AuditRow, map[string]any) {
	t.Helper()
	var row uow.AuditRow
	require.NoError(t, h.db.Read(h.inside(t)).Where("action = ?", action).Order("id DESC").Take(&row).Error)
	var detail map[string]any
	require.NoError(t, json.Unmarshal(row.Detail, &detail))
	return row, detail
}

func TestRegisteredPasskeyIsRequiredAtSignIn(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		session, other := h.mustSignIn(t), h.mustSignIn(t)
		ctx := h.as(t, session)
		user, err := h.Users.UserNamed(ctx, "admin")
		require.NoError(t, err)
		_, err = h.BeginFactor(ctx, user, users.FactorBeginning{Kind: factors.MethodPasskey, Name: "Laptop", Password: "not this one"})
		requireCode(t, apperr.ValidationFailed, err)
		setup, err := h.BeginFactor(ctx, user, users.FactorBeginning{Kind: factors.MethodPasskey, Name: "Laptop", Password: adminPassword, Origin: here})
		require.NoError(t, err)
		require.Empty(t, setup.URI)
		asked := passkeytest.Read(t, setup.Options)
		require.Equal(t, "admin", asked.User.Name)
		require.Equal(t, "localhost", asked.Party.ID)
		h.mustSignIn(t)

		key := passkeytest.New(here)
		confirm := func(answer json.RawMessage) (factors.Factor, []string, error) {
			return h.ConfirmFactor(ctx, user, factors.Confirmation{FactorID: setup.ID, Credential: answer, Session: session})
		}
		elsewhere := passkeytest.New("https://evil.example")
		_, _, err = confirm(elsewhere.Create(t, setup.Options))
		requireCode(t, apperr.ValidationFailed, err)
		h.mustSignIn(t)
		answer := key.Create(t, setup.Options)
		factor, codes, err := confirm(answer)
		require.NoError(t, err)
		require.Len(t, codes, factors.RecoveryCodes, "they come with the first factor, whichever it is")
		require.Equal(t, []string{"internal", "hybrid"}, factor.Passkey.TransportList())
		_, _, err = confirm(answer)
		requireCode(t, apperr.NotFound, err)
		_, err = h.Callers.Authenticate(withCookie(http.MethodGet, session))
		require.NoError(t, err, "the session that it was set up in stays")
		_, err = h.Callers.Authenticate(withCookie(http.MethodGet, other))
		requireCode(t, apperr.Unauthenticated, err)

		challenge := h.asked(t, "admin")
		require.Equal(t, []string{"passkey", "recovery"}, challenge.Methods)
		require.NotContains(t, string(challenge.Passkey), challenge.Token, "an authenticator does not receive the token of the challenge")
		token, err := h.show(t, challenge, key.Get(t, challenge.Passkey), "")
		require.NoError(t, err)
		p := principalOf(t, h.as(t, token))
		require.Equal(t, user.ID, p.UserID)
		require.False(t, p.StepUpRequired, "it was shown a moment ago")

		factors, left, err := h.Factors.List(h.as(t, token))
		require.NoError(t, err)
		require.EqualValues(t, 10, left)
		require.Len(t, factors, 1)
		require.NotNil(t, factors[0].LastUsedTime)
		require.EqualValues(t, 2, factors[0].Passkey.Counter)
		require.Len(t, factors[0].Passkey.UserHandle, passkey.HandleBytes)
		require.Empty(t, factors[0].Secret, "its challenge is deleted")
		require.Equal(t, []string{
			"tenant.create", "session.create", "session.create", "user.begin-factor", "session.create", "session.create",
			"user.add-factor", "session.challenge", "session.create",
		}, h.audited(t))
	})
}

// Proves G7.18.
func TestOnePasskeyResponseOpensOneSession(t *testing.T) {
	const at = 100
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		for name, counts := range map[string]uint32{"an authenticator that counts": 1, "one that does not": 0} {
			t.Run(name, func(t *testing.T) {
				h := newFixture(t, db)
				k := withPasskey(t, h)
				if counts == 0 {
					k.key.Counter, k.key.Step = 0, 0
					require.NoError(t, db.Write(h.inside(t)).Exec("UPDATE user_passkeys SET counter = 0 WHERE tenant_id = ? AND factor_id = ?", h.tenant.ID, k.factorID).Error)
				}
				before := k.sessions(t)
				challenge := k.asked(t, "admin")
				answer := k.key.Get(t, challenge.Passkey)
				var opened atomic.Int64
				var all sync.WaitGroup
				start := make(chan struct{})
				for i := range at {
					all.Go(func() {
						<-start
						_, err := k.show(t, challenge, answer, fmt.Sprintf("10.0.%d.%d", i/100, i%100))
						switch {
						case err == nil:
							opened.Add(1)
						case !apperr.Has(err, apperr.Unauthenticated) && !apperr.Has(err, apperr.TooManyAttempts):
							t.Errorf("unexpected: %v", err)
						}
					})
				}
				close(start)
				all.Wait()
				require.EqualValues(t, 1, opened.Load())
				require.Equal(t, before+1, k.sessions(t))
				require.Nil(t, k.row(t).CloneWarningTime, "a form that is sent twice is not a cloned passkey")

				_, err := k.show(t, challenge, answer, "")
				requireCode(t, apperr.Unauthenticated, err)
				_, err = k.show(t, k.asked(t, "admin"), answer, "")
				requireCode(t, apperr.InvalidCredentials, err)
				require.Equal(t, before+1, k.sessions(t))
			})
		}
	})
}

func TestInvalidPasskeyResponseCountsLikeAWrongCode(t *testing.T) {
	ways := map[string]func(k *passkeytest.Authenticator){
		"another origin":            func(k *passkeytest.Authenticator) { k.Origin = "https://localhost.evil.example" },
		"another site":              func(k *passkeytest.Authenticator) { k.Site = "shop.example" },
		"without user verification": func(k *passkeytest.Authenticator) { k.Flags = passkeytest.Present },
		"without user presence":     func(k *passkeytest.Authenticator) { k.Flags = passkeytest.Verified },
		"a page in a page":          func(k *passkeytest.Authenticator) { k.CrossOrigin = true },
	}
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		k := withPasskey(t, newFixture(t, db))
		right := *k.key
		for name, make := range ways {
			wrong := right
			make(&wrong)
			_, err := k.enter(t, &wrong)
			require.Truef(t, apperr.Has(err, apperr.InvalidCredentials), "%s: %v", name, err)
		}
		require.Len(t, ways, guesses.MaxAttempts)
		_, err := k.signIn(t, "admin", adminPassword)
		requireCode(t, apperr.TooManyAttempts, err)
		k.clock.Advance(guesses.Window)
		_, err = k.enter(t, &right)
		require.NoError(t, err)
	})
}

func TestPasskeyOfAnotherUserIsRejected(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		k := withPasskey(t, newFixture(t, db))
		_, err := k.Users.CreateUser(anonymous(t), users.UserSpec{Tenant: k.tenant.Name, Username: "li", Password: adminPassword, Roles: []string{"admin"}})
		require.NoError(t, err)
		session, err := k.signIn(t, "li", adminPassword)
		require.NoError(t, err)
		lis := passkeytest.New(here)
		k.addPasskey(t, lis, session, "Li's")
		_, err = k.enter(t, lis)
		requireCode(t, apperr.InvalidCredentials, err)
		mine := k.asked(t, "admin")
		_, err = k.show(t, k.asked(t, "li"), k.key.Get(t, mine.Passkey), "")
		requireCode(t, apperr.InvalidCredentials, err)

		// A user who knows the id of a passkey could try to register it with another key.
		ctx := k.as(t, session)
		li, err := k.Users.UserNamed(ctx, "li")
		require.NoError(t, err)
		setup, err := k.BeginFactor(ctx, li, users.FactorBeginning{Kind: factors.MethodPasskey, Name: "Claimed"})
		require.NoError(t, err)
		claimed := passkeytest.New(here)
		claimed.Claim = k.key.ID
		_, _, err = k.ConfirmFactor(ctx, li, factors.Confirmation{FactorID: setup.ID, Credential: claimed.Create(t, setup.Options), Session: session})
		requireCode(t, apperr.ValidationFailed, err)
		require.ErrorContains(t, err, "already registered")
		_, err = k.enter(t, k.key)
		require.NoError(t, err)
	})
}

// Proves G7.18.
func TestDecreasedPasskeyCounterIsRejectedAndRecorded(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		k := withPasskey(t, newFixture(t, db))
		k.key.Counter = 40
		_, err := k.enter(t, k.key)
		require.NoError(t, err)
		before := k.sessions(t)
		for _, counter := range []uint32{40, 39, 0} {
			k.key.Counter = counter
			challenge := k.asked(t, "admin")
			_, err = k.show(t, challenge, k.key.Get(t, challenge.Passkey), "192.0.2.7")
			requireCode(t, apperr.InvalidCredentials, err)
			entry, detail := k.lastAudited(t, "user.clone-warning")
			require.Equal(t, fmt.Sprintf("users/%d", k.user.ID), entry.Resource)
			require.Equal(t, map[string]any{
				"username": "admin", "factorId": float64(k.factorID), "counter": float64(counter), "lastCounter": 40.0, "address": "192.0.2.7",
			}, detail)
			require.NotNil(t, k.row(t).CloneWarningTime)
			require.EqualValues(t, 40, k.row(t).Counter, "a rejected use only stores the warning")
		}
		require.Equal(t, before, k.sessions(t))

		// The same applies to a step-up. It counts as a guess, of which three were made.
		ctx := k.as(t, k.session)
		challenge, err := k.BeginStepUp(ctx, k.session)
		require.NoError(t, err)
		k.key.Counter = 3
		_, _, err = k.StepUp(ctx, StepUp{Session: k.session, Shown: factors.Shown{
			Method: factors.MethodPasskey, Credential: k.key.Get(t, challenge.Passkey), Challenge: challenge.Token,
		}})
		requireCode(t, apperr.InvalidCredentials, err)
		_, detail := k.lastAudited(t, "user.clone-warning")
		require.EqualValues(t, 3, detail["counter"])

		k.key.Counter = 41
		_, err = k.enter(t, k.key)
		require.NoError(t, err, "the authenticator with the higher counter continues")
	})
}

func TestAuthenticatorWithoutCounterIsAccepted(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		k := &keyed{&enrolled{fixture: h, session: h.mustSignIn(t)}, passkeytest.New(here)}
		k.key.Counter, k.key.Step = 0, 0
		factor, _ := h.addPasskey(t, k.key, k.session, "Phone")
		k.factorID = factor.ID
		for range 3 {
			_, err := k.enter(t, k.key)
			require.NoError(t, err)
		}
		k.key.Counter = 1
		_, err := k.enter(t, k.key)
		require.NoError(t, err)
		k.key.Counter = 0
		_, err = k.enter(t, k.key)
		requireCode(t, apperr.InvalidCredentials, err)
	})
}

func TestChangedBackupStateIsAcceptedAndAudited(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		k := withPasskey(t, newFixture(t, db))
		require.False(t, k.row(t).Flags.BackupEligible())
		k.key.Flags |= passkeytest.BackupEligible | passkeytest.BackedUp
		_, err := k.enter(t, k.key)
		require.NoError(t, err)
		require.True(t, k.row(t).Flags.BackupEligible())
		require.True(t, k.row(t).Flags.BackedUp())
		_, detail := k.lastAudited(t, "session.create")
		require.Equal(t, map[string]any{
			"before": map[string]any{"eligible": false, "backedUp": false}, "after": map[string]any{"eligible": true, "backedUp": true},
		}, detail["backup"])
		_, err = k.enter(t, k.key)
		require.NoError(t, err)
		_, detail = k.lastAudited(t, "session.create")
		require.NotContains(t, detail, "backup", "nothing changed")
		k.key.Flags = passkeytest.Present | passkeytest.Verified
		_, err = k.enter(t, k.key)
		require.NoError(t, err)
		require.False(t, k.row(t).Flags.BackedUp())
	})
}

func TestPasskeyChallengeEndsByTimeAndByUserChanges(t *testing.T) {
	cases := map[string]func(t *testing.T, k *keyed) error{
		"five minutes": func(_ *testing.T, k *keyed) error { k.clock.Advance(challengeTime); return nil },
		"a new password": func(t *testing.T, k *keyed) error {
			return k.Users.SetPassword(anonymous(t), k.tenant.Name, "admin", "another password")
		},
		"disabling": func(t *testing.T, k *keyed) error {
			return k.Users.SetUserDisabled(anonymous(t), k.tenant.Name, "admin", true)
		},
		"a reset of the factors": func(t *testing.T, k *keyed) error {
			return k.Users.ResetUserFactors(anonymous(t), k.tenant.Name, "admin")
		},
	}
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		for name, change := range cases {
			t.Run(name, func(t *testing.T) {
				k := withPasskey(t, newFixture(t, db))
				challenge := k.asked(t, "admin")
				answer := k.key.Get(t, challenge.Passkey)
				require.NoError(t, change(t, k))
				before := k.sessions(t)
				_, err := k.show(t, challenge, answer, "")
				requireCode(t, apperr.Unauthenticated, err)
				require.Equal(t, before, k.sessions(t))
			})
		}
		t.Run("a set-up after five minutes, and by another", func(t *testing.T) {
			k := withPasskey(t, newFixture(t, db))
			ctx := k.as(t, k.session)
			begin := func() factors.Setup {
				setup, err := k.BeginFactor(ctx, k.user, users.FactorBeginning{Kind: factors.MethodPasskey, Name: "Key"})
				require.NoError(t, err)
				return setup
			}
			confirm := func(setup factors.Setup, options json.RawMessage) error {
				_, _, err := k.ConfirmFactor(ctx, k.user, factors.Confirmation{
					FactorID: setup.ID, Credential: passkeytest.New(here).Create(t, options), Session: k.session,
				})
				return err
			}
			first := begin()
			second := begin()
			requireCode(t, apperr.NotFound, confirm(first, first.Options))
			requireCode(t, apperr.ValidationFailed, confirm(second, first.Options))
			k.clock.Advance(passkey.Timeout)
			requireCode(t, apperr.NotFound, confirm(second, second.Options))
			third := begin()
			require.NoError(t, confirm(third, third.Options))
		})
	})
}

func TestRemovedPasskeyIsRejected(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		k := withPasskey(t, newFixture(t, db))
		second := passkeytest.New(here)
		factor, codes := k.addPasskey(t, second, k.session, "Key")
		require.Empty(t, codes, "only the first factor brings recovery codes")
		require.Equal(t, k.key.Handle, second.Handle, "an authenticator knows both for one user's")
		challenge := k.asked(t, "admin")
		require.Equal(t, []string{"passkey", "recovery"}, challenge.Methods)
		require.Len(t, passkeytest.Read(t, challenge.Passkey).Allow, 2)
		for _, key := range []*passkeytest.Authenticator{k.key, second} {
			_, err := k.enter(t, key)
			require.NoError(t, err)
		}
		remove := func(id int64) {
			require.NoError(t, k.runner.Do(k.as(t, k.session), func(ctx context.Context, u *uow.Unit) error {
				user, err := k.Users.User(ctx, k.user.ID)
				require.NoError(t, err)
				return k.Users.RemoveFactor(ctx, u, user, id, k.session)
			}))
		}
		kept := k.asked(t, "admin")
		answer := k.key.Get(t, kept.Passkey)
		remove(k.factorID)
		_, err := k.show(t, kept, answer, "")
		requireCode(t, apperr.Unauthenticated, err)
		challenge = k.asked(t, "admin")
		require.Len(t, passkeytest.Read(t, challenge.Passkey).Allow, 1)
		_, err = k.show(t, challenge, k.key.Get(t, challenge.Passkey), "")
		requireCode(t, apperr.InvalidCredentials, err)
		_, err = k.enter(t, second)
		require.NoError(t, err)
		remove(factor.ID)
		k.mustSignIn(t)
		var left int64
		require.NoError(t, db.Read(k.inside(t)).Model(&factors.Passkey{}).Count(&left).Error)
		require.Zero(t, left)
		_, codesLeft, err := k.Factors.List(k.as(t, k.session))
		require.NoError(t, err)
		require.Zero(t, codesLeft, "recovery codes end with the last factor")
	})
}

func TestFactorResetDeletesPasskeys(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		k := withPasskey(t, newFixture(t, db))
		require.NoError(t, k.Users.ResetUserFactors(anonymous(t), k.tenant.Name, "admin"))
		k.session = k.mustSignIn(t)
		var left int64
		require.NoError(t, db.Read(k.inside(t)).Model(&factors.Passkey{}).Count(&left).Error)
		require.Zero(t, left)
		// The same authenticator can be registered again.
		k.addPasskey(t, k.key, k.session, "Laptop")
	})
}

// Proves G7.18.
func TestPasskeyStepUpIsValidOnceInItsSession(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		k := withPasskey(t, newFixture(t, db))
		token, err := k.enter(t, k.key)
		require.NoError(t, err)
		other, err := k.enter(t, k.key)
		require.NoError(t, err)
		k.clock.Advance(callers.StepUpFor)
		ctx := k.as(t, token)
		require.True(t, principalOf(t, ctx).StepUpRequired)
		begin := func(session string) *Challenge {
			challenge, err := k.BeginStepUp(k.as(t, session), session)
			require.NoError(t, err)
			return challenge
		}
		stepUp := func(session string, challenge *Challenge, answer json.RawMessage) (string, error) {
			renewed, _, err := k.StepUp(k.as(t, session), StepUp{Session: session, Shown: factors.Shown{
				Method: factors.MethodPasskey, Credential: answer, Challenge: challenge.Token,
			}})
			return renewed, err
		}
		challenge := begin(token)
		require.Equal(t, []string{"passkey", "recovery"}, challenge.Methods)
		answer := k.key.Get(t, challenge.Passkey)

		// A signature for one challenge is invalid for another.
		_, err = k.show(t, challenge, answer, "")
		requireCode(t, apperr.Unauthenticated, err)
		_, err = stepUp(other, challenge, answer)
		requireCode(t, apperr.ValidationFailed, err)
		signIn := k.asked(t, "admin")
		_, err = stepUp(token, signIn, k.key.Get(t, signIn.Passkey))
		requireCode(t, apperr.ValidationFailed, err)

		// Its counter was signed before the one above, which was not accepted.
		renewed, err := stepUp(token, challenge, answer)
		require.NoError(t, err)
		require.NotEqual(t, token, renewed)
		_, err = k.Callers.Authenticate(withCookie(http.MethodGet, token))
		requireCode(t, apperr.Unauthenticated, err)
		require.False(t, principalOf(t, k.as(t, renewed)).StepUpRequired)
		_, detail := k.lastAudited(t, "session.step-up")
		require.Equal(t, map[string]any{"address": "", "method": "passkey", "factorId": float64(k.factorID)}, detail)
		_, err = stepUp(renewed, challenge, answer)
		requireCode(t, apperr.ValidationFailed, err)

		late := begin(renewed)
		answer = k.key.Get(t, late.Passkey)
		k.clock.Advance(challengeTime)
		_, err = stepUp(renewed, late, answer)
		requireCode(t, apperr.ValidationFailed, err)
	})
}

func TestSessionHasLimitedChallenges(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		k := withPasskey(t, newFixture(t, db))
		ctx := k.as(t, k.session)
		for range maxStepUps + 3 {
			_, err := k.BeginStepUp(ctx, k.session)
			require.NoError(t, err)
		}
		var waiting int64
		require.NoError(t, db.Read(k.inside(t)).Model(&challengeRow{}).Count(&waiting).Error)
		require.EqualValues(t, maxStepUps, waiting)
		secret, _ := k.newToken(t)
		p, err := k.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err)
		_, err = k.BeginStepUp(principal.With(anonymous(t), p), k.session)
		requireCode(t, apperr.Forbidden, err)
	})
}

func TestPasskeyIsValidOnlyForItsSite(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		k := withPasskey(t, newFixture(t, db))
		local := k.Factors
		k.Factors = factors.New(db, k.runner, encryption.Cipher{}, "https://admin.shop.example")
		challenge := k.asked(t, "admin")
		require.Equal(t, []string{"passkey", "recovery"}, challenge.Methods, "the user has one, and cannot use it here")
		require.Nil(t, challenge.Passkey)
		asked, err := local.PasskeyRequest(db.Read(k.inside(t)), k.user.ID, challenge.Token)
		require.NoError(t, err)
		_, err = k.show(t, challenge, k.key.Get(t, asked), "")
		requireCode(t, apperr.InvalidCredentials, err)
		k.Factors = local
		_, err = k.enter(t, k.key)
		require.NoError(t, err)
	})
}

func TestUnavailablePasskeyIsRejectedWithReason(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	session := h.mustSignIn(t)
	ctx := h.as(t, session)
	user, err := h.Users.UserNamed(ctx, "admin")
	require.NoError(t, err)
	begin := func(origin string) error {
		_, err := h.BeginFactor(ctx, user, users.FactorBeginning{Kind: factors.MethodPasskey, Name: "Laptop", Password: adminPassword, Origin: origin})
		return err
	}
	err = begin("http://127.0.0.1:8080")
	requireCode(t, apperr.ValidationFailed, err)
	require.ErrorContains(t, err, "passkeys work at http://localhost")
	require.Equal(t, "localhost", h.Factors.PasskeySite())
	*h.Factors = *factors.New(h.db, h.runner, encryption.Cipher{}, "https://192.0.2.7")
	err = begin("https://192.0.2.7")
	requireCode(t, apperr.ValidationFailed, err)
	require.ErrorContains(t, err, "https://192.0.2.7 has an IP address as its host")
	require.Empty(t, h.Factors.PasskeySite())
}

func TestConcurrentFactorRenameIsRejected(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		k := withPasskey(t, newFixture(t, db))
		ctx := k.as(t, k.session)
		rename := func(id int64, from, to string) (factors.Factor, error) {
			var after factors.Factor
			err := k.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) (err error) {
				after, err = k.Factors.Rename(ctx, u, k.user.FactorOwner(), id, from, to)
				return err
			})
			return after, err
		}
		after, err := rename(k.factorID, "Laptop", "Work laptop")
		require.NoError(t, err)
		require.Equal(t, "Work laptop", after.Name)
		require.NotNil(t, after.Passkey)
		_, err = rename(k.factorID, "Laptop", "Old laptop")
		requireCode(t, apperr.ValidationFailed, err)
		require.ErrorContains(t, err, `"Work laptop"`)
		_, err = rename(k.factorID+1000, "Laptop", "Other")
		requireCode(t, apperr.NotFound, err)
		_, detail := k.lastAudited(t, "user.rename-factor")
		require.Equal(t, map[string]any{"from": "Laptop", "to": "Work laptop"}, detail)
		now, err := k.Users.User(ctx, k.user.ID)
		require.NoError(t, err)
		require.Equal(t, k.user.Version, now.Version, "the last sign-in method remains")
	})
}

// A rejected response costs at most one signature check and writes no rows.
func TestMalformedPasskeyResponseIsRejected(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	k := withPasskey(t, h)
	challenge := k.asked(t, "admin")
	before := h.audited(t)
	for _, answer := range []string{`{}`, `null`, `"x"`} {
		_, err := k.show(t, challenge, json.RawMessage(answer), "")
		requireCode(t, apperr.InvalidCredentials, err)
	}
	require.Equal(t, before, h.audited(t))
	_, err := k.show(t, challenge, k.key.Get(t, challenge.Passkey), "")
	require.NoError(t, err, "the challenge can be tried again")
	require.WithinDuration(t, h.clock.Now(), *mustFactors(t, k)[0].LastUsedTime, time.Second)
}

func mustFactors(t testing.TB, k *keyed) []factors.Factor {
	t.Helper()
	factors, _, err := k.Factors.List(k.as(t, k.session))
	require.NoError(t, err)
	return factors
}

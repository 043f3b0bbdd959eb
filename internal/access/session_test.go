package access

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/callers"
	"interlock/internal/access/guesses"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
)

func TestSessionActsAsItsUser(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		other := newFixture(t, db)
		other.mustSignIn(t)
		require.NoError(t, h.Users.CreateRole(anonymous(t), h.tenant.Name, "support", []string{"orders:read", "configs:*"}))
		user, err := h.Users.CreateUser(anonymous(t), users.UserSpec{
			Tenant: h.tenant.Name, Username: "li", DisplayName: "Li Wei", Password: "a long password", Roles: []string{"support"},
		})
		require.NoError(t, err)
		require.Equal(t, callers.Identity{ID: user.ID, Version: 1, Username: "li", DisplayName: "Li Wei", Roles: []string{"support"}, Permissions: []string{"configs:*", "orders:read"}}, user)

		token, err := h.signIn(t, "li", "a long password")
		require.NoError(t, err)
		p, err := h.Callers.Authenticate(withCookie(http.MethodGet, token))
		require.NoError(t, err)
		require.Equal(t, principal.Admin, p.Kind)
		require.Equal(t, h.tenant.ID, p.TenantID)
		require.Equal(t, user.ID, p.UserID)
		require.Equal(t, "Li Wei", p.Name)
		require.Equal(t, user.Permissions, p.Permissions)
	})
}

func TestSessionEndsAfterTwelveHours(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		token := h.mustSignIn(t)
		h.clock.Advance(12*time.Hour - time.Microsecond)
		_, err := h.Callers.Authenticate(withCookie(http.MethodGet, token))
		require.NoError(t, err)
		h.clock.Advance(time.Microsecond)
		_, err = h.Callers.Authenticate(withCookie(http.MethodGet, token))
		requireCode(t, apperr.Unauthenticated, err)
	})
}

func TestSignInEndsThePresentedSession(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		first, elsewhere := h.mustSignIn(t), h.mustSignIn(t)
		before, err := h.Current(t.Context(), first)
		require.NoError(t, err)

		signedIn, err := h.SignIn(anonymous(t), SignIn{Tenant: h.tenant.Name, Username: "admin", Password: adminPassword, Replaces: first})
		require.NoError(t, err)
		require.NotEqual(t, first, signedIn.Token)
		require.NotEqual(t, before.CSRFToken, signedIn.Session.CSRFToken)
		_, err = h.Callers.Authenticate(withCookie(http.MethodGet, first))
		requireCode(t, apperr.Unauthenticated, err)
		for _, token := range []string{signedIn.Token, elsewhere} {
			_, err = h.Callers.Authenticate(withCookie(http.MethodGet, token))
			require.NoError(t, err)
		}
	})
}

func TestInventedSessionTokenIsReplaced(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		planted := secrets.New()
		signedIn, err := h.SignIn(anonymous(t), SignIn{Tenant: h.tenant.Name, Username: "admin", Password: adminPassword, Replaces: planted})
		require.NoError(t, err)
		require.NotEqual(t, planted, signedIn.Token)
		_, err = h.Callers.Authenticate(withCookie(http.MethodGet, planted))
		requireCode(t, apperr.Unauthenticated, err)
	})
}

func TestDisabledUsersSessionsEndImmediately(t *testing.T) {
	cases := []struct {
		name string
		act  func(context.Context, *fixture) error
	}{
		{"a new password", func(ctx context.Context, h *fixture) error {
			return h.Users.SetPassword(ctx, h.tenant.Name, "admin", "another password")
		}},
		{"disabling", func(ctx context.Context, h *fixture) error {
			return h.Users.SetUserDisabled(ctx, h.tenant.Name, "admin", true)
		}},
	}
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				h, other := newFixture(t, db), newFixture(t, db)
				mine, theirs := []string{h.mustSignIn(t), h.mustSignIn(t)}, other.mustSignIn(t)
				for _, token := range mine {
					_, err := h.Callers.Authenticate(withCookie(http.MethodGet, token))
					require.NoError(t, err)
				}
				require.NoError(t, c.act(anonymous(t), h))
				for _, token := range mine {
					_, err := h.Callers.Authenticate(withCookie(http.MethodGet, token))
					requireCode(t, apperr.Unauthenticated, err)
				}
				_, err := h.signIn(t, "admin", adminPassword)
				requireCode(t, apperr.InvalidCredentials, err)
				_, err = other.Callers.Authenticate(withCookie(http.MethodGet, theirs))
				require.NoError(t, err)
			})
		}
	})
}

func TestSignInDuringPasswordChangeOpensNoSession(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		in := SignIn{Tenant: h.tenant.Name, Username: "admin", Password: adminPassword}
		seen, err := h.verify(anonymous(t), in)
		require.NoError(t, err)
		require.NoError(t, h.Users.SetPassword(anonymous(t), h.tenant.Name, "admin", "another password"))
		_, err = h.begin(anonymous(t), in, guesses.SignInAttempt{At: guesses.Guess{Account: guesses.AccountKey(in.Tenant, in.Username)}}, seen, nil)
		requireCode(t, apperr.InvalidCredentials, err)
		var open int64
		require.NoError(t, db.Read(h.inside(t)).Model(&sessions.Session{}).Count(&open).Error)
		require.Zero(t, open)
	})
}

func TestRejectedSignInsAreIndistinguishable(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		_, err := h.Users.CreateUser(anonymous(t), users.UserSpec{Tenant: h.tenant.Name, Username: "gone", Password: "a long password"})
		require.NoError(t, err)
		require.NoError(t, h.Users.SetUserDisabled(anonymous(t), h.tenant.Name, "gone", true))
		cases := []struct {
			name string
			in   SignIn
		}{
			{"a wrong password", SignIn{Tenant: h.tenant.Name, Username: "admin", Password: "wrong"}},
			{"an unknown user", SignIn{Tenant: h.tenant.Name, Username: "nobody", Password: adminPassword}},
			{"a name of other letters", SignIn{Tenant: h.tenant.Name, Username: "jürgen😀", Password: adminPassword}},
			{"a tenant of other letters", SignIn{Tenant: "日本", Username: "admin", Password: adminPassword}},
			{"an unknown tenant", SignIn{Tenant: "nowhere-" + h.tenant.Name, Username: "admin", Password: adminPassword}},
			{"a disabled user", SignIn{Tenant: h.tenant.Name, Username: "gone", Password: "a long password"}},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				before := h.hashed.Load()
				_, err := h.SignIn(anonymous(t), c.in)
				require.Equal(t, callers.ErrWrongCredentials(), err)
				require.EqualValues(t, 1, h.hashed.Load()-before)
			})
		}
	})
}

func TestSignInAndOutAreAuditedWithoutSecrets(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		secret, _ := h.newToken(t)
		token := h.mustSignIn(t)
		p, err := h.Callers.Authenticate(withCookie(http.MethodGet, token))
		require.NoError(t, err)
		ctx := principal.With(anonymous(t), p)
		for range 2 {
			require.NoError(t, h.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error { return h.SignOut(ctx, u, token) }))
		}
		_, err = h.Callers.Authenticate(withCookie(http.MethodGet, token))
		requireCode(t, apperr.Unauthenticated, err)
		require.Equal(t, []string{"tenant.create", "token.create", "session.create", "session.delete"}, h.audited(t))

		var rows []uow.AuditRow
		require.NoError(t, db.Read(h.inside(t)).Find(&rows).Error)
		require.Equal(t, strconv.FormatInt(p.UserID, 10), rows[2].ActorID)
		require.Equal(t, p.CredentialID, rows[2].CredentialID)
		require.Equal(t, p.CredentialID, rows[3].CredentialID)
		text, err := json.Marshal(rows)
		require.NoError(t, err)
		for _, hidden := range []string{adminPassword, token, secret, secrets.DigestOf(token).String(), secrets.DigestOf(secret).String()} {
			require.NotContains(t, string(text), hidden)
		}
	})
}

func TestSecretsAreStoredAsDigests(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		secret, _ := h.newToken(t)
		token := h.mustSignIn(t)
		var session sessions.Session
		require.NoError(t, db.Read(h.inside(t)).Take(&session).Error)
		require.Equal(t, secrets.DigestOf(token).String(), session.TokenHash)
		require.NotContains(t, string(session.Data), token)
		var row users.Token
		require.NoError(t, db.Read(h.inside(t)).Take(&row).Error)
		require.Equal(t, secrets.DigestOf(secret).String(), row.TokenHash)
		var user users.User
		require.NoError(t, db.Read(h.inside(t)).Take(&user).Error)
		require.Contains(t, user.PasswordHash, "$argon2id$")
	})
}

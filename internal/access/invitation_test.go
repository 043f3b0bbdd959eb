package access

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/factors"
	"interlock/internal/access/guesses"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
)

const chosen = "a password of my own"

// invite creates a user by invitation and returns it.
func (h *fixture) invite(t testing.TB, username string, roles ...string) (*users.User, users.Invitation) {
	t.Helper()
	user, invitation, err := h.AddInvited(h.inside(t), users.UserSpec{Username: username, Roles: roles})
	require.NoError(t, err)
	return user, invitation
}

// accept accepts an invitation from an address.
func (h *fixture) accept(t testing.TB, invitation users.Invitation, address string) (SignedIn, error) {
	return h.AcceptInvitation(anonymous(t), Acceptance{Token: invitation.Token, Password: chosen, Address: address})
}

// someAddress is in a random network, because guesses at invitations count per network only.
func someAddress() string {
	return fmt.Sprintf("10.%d.%d.%d", rand.IntN(256), rand.IntN(256), rand.IntN(256))
}

func (h *fixture) requireRefused(t testing.TB, invitation users.Invitation, words string) {
	t.Helper()
	address := someAddress()
	for _, err := range []error{
		func() error { _, err := h.accept(t, invitation, address); return err }(),
		func() error { _, err := h.CheckInvitation(anonymous(t), invitation.Token, address); return err }(),
	} {
		requireCode(t, apperr.InvalidCredentials, err)
		require.ErrorContains(t, err, words)
	}
}

func TestInvitedUserChoosesPasswordAndIsSignedIn(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		made := d.do(201, "POST", "/users", `{"username":"li","displayName":"Li Wei","roles":["admin"]}`)
		invitation := made.Body["invitation"].(map[string]any)
		require.Equal(t, "/invitation#"+invitation["token"].(string), invitation["path"])
		require.Equal(t, invitation["expiresTime"], made.Body["invitationExpiresTime"])
		path := fmt.Sprintf("/users/%v", made.Body["id"])
		require.NotContains(t, d.do(200, "GET", path, nil).Text, invitation["token"], "it is shown once")
		for _, password := range []string{"", chosen} {
			hashed := h.hashed.Load()
			_, err := h.signIn(t, "li", password)
			requireCode(t, apperr.InvalidCredentials, err)
			require.EqualValues(t, 1, h.hashed.Load()-hashed, "a user without a password has the reply and the cost of a wrong password")
		}

		b := newBrowser(t, h)
		shown := fmt.Sprintf(`{"invitation":%q}`, invitation["token"])
		checked := b.send(http.MethodPost, "/session/invitation/check", shown)
		require.Equal(t, http.StatusOK, checked.status)
		require.Equal(t, map[string]any{
			"tenant": h.tenant.Name, "username": "li", "displayName": "Li Wei", "expiresTime": invitation["expiresTime"],
		}, checked.body)
		withPassword := func(password string) string {
			return fmt.Sprintf(`{"invitation":%q,"password":%q}`, invitation["token"], password)
		}
		foreign := b.send(http.MethodPost, "/session/invitation", withPassword(chosen), "Sec-Fetch-Site", "cross-site")
		require.Equal(t, "csrf_failed", foreign.body["code"])
		short := b.send(http.MethodPost, "/session/invitation", withPassword("short"))
		require.Equal(t, "validation_failed", short.body["code"])
		accepted := b.send(http.MethodPost, "/session/invitation", withPassword(chosen))
		require.Equal(t, http.StatusCreated, accepted.status)
		require.Equal(t, "li", accepted.body["user"].(map[string]any)["username"])
		b.cookie = sessionCookieOf(t, accepted)
		require.Equal(t, accepted.body["csrfToken"], b.send(http.MethodGet, "/session", "").body["csrfToken"])

		_, err := h.signIn(t, "li", chosen)
		require.NoError(t, err)
		require.Nil(t, d.do(200, "GET", path, nil).Body["invitationExpiresTime"])
		h.requireRefused(t, users.Invitation{Token: invitation["token"].(string)}, "it was used")

		var actions []any
		for _, version := range d.do(200, "GET", path+"/history?sort=version", nil).Items() {
			actions = append(actions, version["action"])
		}
		require.Equal(t, []any{"create", "accept"}, actions)
		var row uow.AuditRow
		require.NoError(t, db.Read(h.inside(t)).Where("action = ?", "user.accept").Take(&row).Error)
		require.Equal(t, "Li Wei", row.ActorName, "the user is the author")
		require.Contains(t, string(row.Detail), "192.0.2.1")
		for _, secret := range []string{invitation["token"].(string), chosen} {
			requireNowhere(t, db, h, secret)
		}
	})
}

// requireNowhere requires that a secret is neither in the users nor in the audit log.
func requireNowhere(t *testing.T, db *storage.DB, h *fixture, secret string) {
	t.Helper()
	var users []users.User
	var audit []uow.AuditRow
	require.NoError(t, db.Read(h.inside(t)).Find(&users).Error)
	require.NoError(t, db.Read(h.inside(t)).Find(&audit).Error)
	require.NotEmpty(t, users)
	require.NotEmpty(t, audit)
	for _, user := range users {
		hash := ""
		if user.InvitationHash != nil {
			hash = *user.InvitationHash
		}
		require.NotContains(t, user.PasswordHash+hash, secret)
	}
	for _, row := range audit {
		require.NotContains(t, string(row.Detail), secret)
	}
}

// sessionCookieOf returns the session cookie of a reply, which may also set a device cookie.
func sessionCookieOf(t *testing.T, reply answer) *http.Cookie {
	t.Helper()
	for _, line := range reply.header.Values("Set-Cookie") {
		if cookie, err := http.ParseSetCookie(line); err == nil && strings.TrimPrefix(cookie.Name, "__Host-") == sessions.Cookie {
			return cookie
		}
	}
	require.Fail(t, "no cookie of a session")
	return nil
}

func TestInvalidInvitationIsRejected(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		ctx := h.inside(t)
		t.Run("replaced", func(t *testing.T) {
			user, first := h.invite(t, "replaced")
			_, second, err := h.Invite(ctx, user, nil)
			require.NoError(t, err)
			h.requireRefused(t, first, "replaced by a newer one")
			_, err = h.accept(t, second, someAddress())
			require.NoError(t, err)
		})
		t.Run("a password was set concurrently", func(t *testing.T) {
			user, invitation := h.invite(t, "set")
			_, err := h.ResetPassword(ctx, user, users.PasswordReset{Password: "set by an admin"})
			require.NoError(t, err)
			h.requireRefused(t, invitation, "is not valid")
		})
		t.Run("disabled", func(t *testing.T) {
			_, invitation := h.invite(t, "disabled")
			require.NoError(t, h.Users.SetUserDisabled(anonymous(t), h.tenant.Name, "disabled", true))
			h.requireRefused(t, invitation, "is disabled")
			require.NoError(t, h.Users.SetUserDisabled(anonymous(t), h.tenant.Name, "disabled", false))
			_, err := h.accept(t, invitation, someAddress())
			require.NoError(t, err)
		})
		t.Run("ended", func(t *testing.T) {
			_, invitation := h.invite(t, "ended")
			h.clock.Advance(users.InvitationTime)
			h.requireRefused(t, invitation, "expired at 2026-03-08T12:00:00Z")
		})
		t.Run("of an unknown user", func(t *testing.T) { h.requireRefused(t, users.Invitation{Token: secrets.New()}, "is not valid") })
	})
}

func TestOneOfParallelAcceptancesOpensASession(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		user, invitation := h.invite(t, "li", AdminRole)
		var racing sync.WaitGroup
		outs, errs := make([]SignedIn, 100), make([]error, 100)
		for i := range outs {
			// From many networks, so that no limit of guesses decides.
			racing.Go(func() { outs[i], errs[i] = h.accept(t, invitation, fmt.Sprintf("192.0.2.%d", i)) })
		}
		racing.Wait()
		opened := 0
		for i, err := range errs {
			if err == nil {
				opened++
				_, err := h.Current(anonymous(t), outs[i].Token)
				require.NoError(t, err)
			}
		}
		require.Equal(t, 1, opened)
		var open int64
		require.NoError(t, db.Read(h.inside(t)).Model(&sessions.Session{}).Where("user_id = ?", user.ID).Count(&open).Error)
		require.EqualValues(t, 1, open)
		accepted := 0
		for _, action := range h.audited(t) {
			if action == "user.accept" {
				accepted++
			}
		}
		require.Equal(t, 1, accepted)
	})
}

func TestWrongInvitationsUseSignInRateWithoutLockOut(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		_, invitation := h.invite(t, "li")
		first, second, third := someAddress(), someAddress(), someAddress()
		for range 2 * guesses.MaxAttempts {
			_, err := h.accept(t, users.Invitation{Token: secrets.New()}, first)
			requireCode(t, apperr.InvalidCredentials, err)
		}
		_, err := h.CheckInvitation(anonymous(t), invitation.Token, first)
		require.NoError(t, err, "old invitation links lock out no user")

		h.signIns.Rate = guesses.NetworkRate(1)
		for range 3 {
			_, err = h.CheckInvitation(anonymous(t), secrets.New(), second)
			requireCode(t, apperr.InvalidCredentials, err)
		}
		_, err = h.CheckInvitation(anonymous(t), secrets.New(), second)
		requireCode(t, apperr.RateLimited, err)
		for range 3 * guesses.MaxAttempts {
			_, err = h.CheckInvitation(anonymous(t), invitation.Token, third)
			require.NoError(t, err, "right ones count for nothing")
		}
		require.Zero(t, h.hashed.Load())
		_, err = h.accept(t, invitation, third)
		require.NoError(t, err)
	})
}

func TestNewInvitationVoidsPasswordAndEndsSessions(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		path, etag := d.hire("li")
		session, err := h.signIn(t, "li", "a long password")
		require.NoError(t, err)
		invited := d.do(200, "POST", path+"/invite", nil, "If-Match", etag)
		d.do(412, "POST", path+"/invite", nil, "If-Match", etag)
		_, err = h.Current(anonymous(t), session)
		requireCode(t, apperr.Unauthenticated, err)
		_, err = h.signIn(t, "li", "a long password")
		requireCode(t, apperr.InvalidCredentials, err)
		invitation := users.Invitation{Token: invited.Body["invitation"].(map[string]any)["token"].(string)}
		_, err = h.accept(t, invitation, someAddress())
		require.NoError(t, err)
	})
}

func TestInvitationNeedsPermissionsAndRetainsLastManager(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	d := newDesk(t, h)
	d.roles("hiring", "users:write")
	d.hire("hr", "hiring")
	admin, err := h.Users.UserNamed(h.inside(t), "admin")
	require.NoError(t, err)
	d.of("hr").do(403, "POST", "/"+admin.Path()+"/invite", nil)
	d.do(409, "POST", "/"+admin.Path()+"/invite", nil)

	_, invitation := h.invite(t, "second", AdminRole)
	refused := d.do(409, "POST", "/"+admin.Path()+"/disable", nil)
	require.Contains(t, refused.Body["detail"], "who can sign in", "an invited user may never accept")
	_, err = h.accept(t, invitation, someAddress())
	require.NoError(t, err)
	d.do(200, "POST", "/"+admin.Path()+"/invite", nil)
}

func TestInvitedUserWithFactorReceivesChallenge(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		e := enroll(t, newFixture(t, db))
		invitation, err := e.Users.InviteUser(anonymous(t), e.tenant.Name, "admin")
		require.NoError(t, err)
		accepted, err := e.accept(t, invitation, someAddress())
		require.NoError(t, err)
		require.Empty(t, accepted.Token)
		require.Zero(t, e.sessions(t))
		require.Equal(t, []string{factors.MethodTOTP, factors.MethodRecovery}, accepted.Challenge.Methods)
		_, err = e.finish(t, accepted.Challenge.Token, factors.MethodRecovery, e.codes[0], someAddress())
		require.NoError(t, err)
		e.requireRefused(t, invitation, "is not valid")
	})
}

// add adds a factor and a token to a user, in a session of the user, and returns the token's secret.
func (h *fixture) add(t testing.TB, username, session, password string) (secret string) {
	t.Helper()
	ctx := h.as(t, session)
	user, err := h.Users.UserNamed(ctx, username)
	require.NoError(t, err)
	secret, _, err = h.AddToken(ctx, user.ID, users.TokenSpec{Name: "added"})
	require.NoError(t, err)
	setup, err := h.BeginFactor(ctx, user, users.FactorBeginning{Kind: factors.MethodTOTP, Name: "Added", Password: password})
	require.NoError(t, err)
	e := &enrolled{fixture: h, secret: setup.Secret}
	_, _, err = h.ConfirmFactor(ctx, user, factors.Confirmation{FactorID: setup.ID, Code: e.code(t, 0), Session: session})
	require.NoError(t, err)
	return secret
}

func TestNewInvitationEndsCredentialsOfAnImpostor(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		user, intercepted := h.invite(t, "li", AdminRole)
		path := "/" + user.Path()
		impostor, err := h.accept(t, intercepted, someAddress())
		require.NoError(t, err)
		secret := h.add(t, "li", impostor.Token, chosen)

		h.clock.Advance(time.Hour)
		invited := d.do(200, "POST", path+"/invite", nil)
		require.Equal(t, []any{1.0, 1.0, 1.0}, []any{invited.Body["endedSessions"], invited.Body["endedTokens"], invited.Body["endedFactors"]})
		require.Equal(t, false, invited.Body["secondFactor"])
		_, err = h.Callers.Authenticate(withBearer(secret))
		requireCode(t, apperr.InvalidCredentials, err)
		_, detail := h.lastAudited(t, "user.invite")
		require.Equal(t, []any{1.0, 1.0, 1.0}, []any{detail["endedSessions"], detail["endedTokens"], detail["endedFactors"]})
		var codes int64
		require.NoError(t, db.Read(h.inside(t)).Model(&factors.RecoveryCode{}).Where("user_id = ?", user.ID).Count(&codes).Error)
		require.Zero(t, codes)

		accepted, err := h.accept(t, users.Invitation{Token: invited.Body["invitation"].(map[string]any)["token"].(string)}, someAddress())
		require.NoError(t, err)
		require.NotEmpty(t, accepted.Token, "no factor of the impostor is requested")
		secret = h.add(t, "li", accepted.Token, chosen)
		reset := d.do(200, "POST", path+"/reset-password", `{"password":"set by an admin"}`)
		require.Equal(t, []any{1.0, 1.0, 1.0}, []any{reset.Body["endedSessions"], reset.Body["endedTokens"], reset.Body["endedFactors"]})
		_, err = h.Callers.Authenticate(withBearer(secret))
		requireCode(t, apperr.InvalidCredentials, err)
	})
}

func TestCredentialsBeforeFirstInvitationRemain(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		e := enroll(t, newFixture(t, db))
		rightful, _, err := e.AddToken(e.as(t, e.session), e.user.ID, users.TokenSpec{Name: "before"})
		require.NoError(t, err)
		for range 2 {
			e.clock.Advance(time.Hour)
			_, err = e.Users.InviteUser(anonymous(t), e.tenant.Name, "admin")
			require.NoError(t, err)
		}
		_, detail := e.lastAudited(t, "user.invite")
		require.Equal(t, []any{0.0, 0.0}, []any{detail["endedTokens"], detail["endedFactors"]})
		_, err = e.Callers.Authenticate(withBearer(rightful))
		require.NoError(t, err)
		user, err := e.Users.UserNamed(e.inside(t), "admin")
		require.NoError(t, err)
		require.True(t, user.SecondFactor)
	})
}

func TestInvitationTokenIsOnlyInTheFragment(t *testing.T) {
	invitation := users.NewInvitation(time.Unix(0, 0))
	before, after, _ := strings.Cut(invitation.Path(), "#")
	require.Equal(t, "/invitation", before)
	require.Equal(t, invitation.Token, after)
	require.Len(t, invitation.Token, secrets.Length)
}

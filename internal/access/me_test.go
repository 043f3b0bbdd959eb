package access

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/access/guesses"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
)

// signedIn is a browser with a session of the fixture's admin.
func signedIn(t *testing.T, h *fixture, agent string) *browser {
	t.Helper()
	b := newBrowser(t, h)
	in := b.send("POST", "/session", fmt.Sprintf(`{"tenant":%q,"username":"admin","password":%q}`, h.tenant.Name, adminPassword), "User-Agent", agent)
	require.Equal(t, http.StatusCreated, in.status, "%v", in.body)
	b.csrf = in.body["csrfToken"].(string)
	return b
}

func (b *browser) sessions(t *testing.T) []map[string]any {
	t.Helper()
	list := b.send("GET", "/sessions", "")
	require.Equal(t, http.StatusOK, list.status, "%v", list.body)
	var rows []map[string]any
	for _, item := range list.body["items"].([]any) {
		rows = append(rows, item.(map[string]any))
	}
	return rows
}

// Proves G7.11.
func TestCallerListsAndEndsTheirSessions(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		here := signedIn(t, h, "Firefox at home")
		h.clock.Advance(time.Second)
		there := signedIn(t, h, "Chrome at work")
		h.clock.Advance(2 * time.Second)

		rows := here.sessions(t)
		require.Len(t, rows, 2)
		require.Equal(t, "Chrome at work", rows[0]["userAgent"])
		require.Equal(t, false, rows[0]["current"])
		require.Equal(t, "Firefox at home", rows[1]["userAgent"])
		require.Equal(t, true, rows[1]["current"])
		require.Equal(t, "admin", rows[1]["username"])
		require.NotEmpty(t, rows[1]["address"])
		require.NotContains(t, fmt.Sprint(rows), here.cookie.Value)

		ended := here.send("DELETE", fmt.Sprintf("/sessions/%v", rows[0]["id"]), "")
		require.Equal(t, http.StatusNoContent, ended.status, "%v", ended.body)
		require.Equal(t, http.StatusUnauthorized, there.send("GET", "/me", "").status)
		require.Len(t, here.sessions(t), 1)
		require.Equal(t, http.StatusNotFound, here.send("DELETE", fmt.Sprintf("/sessions/%v", rows[0]["id"]), "").status)

		again, elsewhere := signedIn(t, h, "a"), signedIn(t, h, "b")
		require.Equal(t, http.StatusNoContent, again.send("DELETE", "/sessions", "").status)
		require.Equal(t, http.StatusUnauthorized, elsewhere.send("GET", "/me", "").status)
		require.Equal(t, http.StatusUnauthorized, here.send("GET", "/me", "").status)
		require.Len(t, again.sessions(t), 1)
		require.Contains(t, h.audited(t), "session.end-others")
	})
}

// Proves G7.11.
func TestSessionsOfOtherUsersNeedPermission(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		require.NoError(t, h.Users.CreateRole(anonymous(t), h.tenant.Name, "clerk", []string{"configs:read"}))
		li, err := h.Users.CreateUser(anonymous(t), users.UserSpec{Tenant: h.tenant.Name, Username: "li", Password: "a long password", Roles: []string{"clerk"}})
		require.NoError(t, err)
		_, err = h.signIn(t, "li", "a long password")
		require.NoError(t, err)
		admin := signedIn(t, h, "")
		of := fmt.Sprintf("/sessions?userId=%d", li.ID)
		found := admin.send("GET", of, "").body["items"].([]any)
		require.Len(t, found, 1)
		id := found[0].(map[string]any)["id"]

		clerk := newBrowser(t, h)
		in := clerk.send("POST", "/session", fmt.Sprintf(`{"tenant":%q,"username":"li","password":"a long password"}`, h.tenant.Name))
		clerk.csrf = in.body["csrfToken"].(string)
		require.Equal(t, http.StatusForbidden, clerk.send("GET", fmt.Sprintf("/sessions?userId=%v", admin.send("GET", "/me", "").body["id"]), "").status)
		require.Equal(t, http.StatusNotFound, clerk.send("DELETE", fmt.Sprintf("/sessions/%v", admin.sessions(t)[0]["id"]), "").status)

		leaked, _, err := h.Users.CreateToken(anonymous(t), users.TokenSpec{Tenant: h.tenant.Name, Username: "li", Name: "leaked"})
		require.NoError(t, err)
		robot := newBrowser(t, h)
		for _, request := range [][2]string{{"GET", "/sessions"}, {"DELETE", "/sessions"}, {"DELETE", fmt.Sprintf("/sessions/%v", id)}} {
			require.Equal(t, http.StatusForbidden, robot.send(request[0], request[1], "", "Authorization", "Bearer "+leaked).status, "%v", request)
		}
		require.Equal(t, http.StatusOK, robot.send("GET", "/me", "", "Authorization", "Bearer "+leaked).status)

		require.Equal(t, http.StatusNoContent, admin.send("DELETE", fmt.Sprintf("/sessions/%v", id), "").status)
	})
}

// Proves G7.11.
func TestIdleSessionEnds(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		h.sessionStore.Idle = time.Hour
		used, left := h.mustSignIn(t), h.mustSignIn(t)
		for range 3 {
			h.clock.Advance(50 * time.Minute)
			_, err := h.Callers.Authenticate(withCookie(http.MethodGet, used))
			require.NoError(t, err, "each use counts from then on")
			require.NoError(t, h.Callers.WriteUses(t.Context()))
		}
		_, err := h.Callers.Authenticate(withCookie(http.MethodGet, left))
		requireCode(t, apperr.Unauthenticated, err)
		h.clock.Advance(time.Hour)
		_, err = h.Callers.Authenticate(withCookie(http.MethodGet, used))
		requireCode(t, apperr.Unauthenticated, err)
	})
}

// Proves G7.11.
func TestPasswordChangeEndsOtherSessions(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		here, there := signedIn(t, h, ""), signedIn(t, h, "")
		secret, _ := h.newToken(t)

		change := func(body string) answer { return here.send("POST", "/me/password", body) }
		for _, c := range []struct{ body, pointer string }{
			{`{"currentPassword":"not this one at all","newPassword":"another good password"}`, "/currentPassword"},
			{fmt.Sprintf(`{"currentPassword":%q,"newPassword":"short"}`, adminPassword), "/newPassword"},
			{fmt.Sprintf(`{"currentPassword":%q,"newPassword":%q}`, adminPassword, adminPassword), "/newPassword"},
		} {
			refused := change(c.body)
			require.Equal(t, http.StatusUnprocessableEntity, refused.status, "%v", refused.body)
			require.Equal(t, c.pointer, refused.body["fields"].([]any)[0].(map[string]any)["pointer"])
		}
		require.Equal(t, http.StatusOK, there.send("GET", "/me", "").status)

		done := change(fmt.Sprintf(`{"currentPassword":%q,"newPassword":"another good password"}`, adminPassword))
		require.Equal(t, http.StatusOK, done.status, "%v", done.body)
		require.Equal(t, http.StatusOK, here.send("GET", "/me", "").status, "the session that it was changed in stays")
		require.Equal(t, http.StatusUnauthorized, there.send("GET", "/me", "").status)
		_, err := h.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err, "tokens stay unless they are to end")
		_, err = h.signIn(t, "admin", adminPassword)
		requireCode(t, apperr.InvalidCredentials, err)

		done = change(`{"currentPassword":"another good password","newPassword":"yet another password","endTokens":true}`)
		require.Equal(t, http.StatusOK, done.status, "%v", done.body)
		_, err = h.Callers.Authenticate(withBearer(secret))
		requireCode(t, apperr.InvalidCredentials, err)
		var last uow.AuditRow
		require.NoError(t, h.db.Read(h.inside(t)).Order("id DESC").Take(&last).Error)
		require.JSONEq(t, `{"username":"admin","revokedTokens":["robot"]}`, string(last.Detail))
		require.Equal(t, http.StatusForbidden, newBrowser(t, h).send("POST", "/me/password", `{"currentPassword":"x","newPassword":"y"}`, "Authorization", "Bearer "+h.secret(t)).status)
	})
}

// secret returns a new token with all permissions.
func (h *fixture) secret(t *testing.T) string {
	secret, _ := h.newToken(t)
	return secret
}

func TestWrongCurrentPasswordsCountLikeSignIns(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		here := signedIn(t, h, "")
		for range guesses.MaxAttempts {
			refused := here.send("POST", "/me/password", `{"currentPassword":"a guess","newPassword":"another good password"}`)
			require.Equal(t, http.StatusUnprocessableEntity, refused.status, "%v", refused.body)
		}
		locked := here.send("POST", "/me/password", fmt.Sprintf(`{"currentPassword":%q,"newPassword":"another good password"}`, adminPassword))
		require.Equal(t, http.StatusTooManyRequests, locked.status, "%v", locked.body)
		in := newBrowser(t, h).send("POST", "/session", h.credentials(adminPassword))
		require.Equal(t, http.StatusTooManyRequests, in.status, "%v", in.body)
	})
}

func TestCallersNameChangesOnlyInASession(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		here := signedIn(t, h, "")
		me := here.send("GET", "/me", "")
		require.Equal(t, []any{"*"}, me.body["permissions"])
		etag := me.body["etag"].(string)
		require.Equal(t, etag, me.header.Get("ETag"))
		require.Equal(t, http.StatusPreconditionRequired, here.send("PATCH", "/me", `{"displayName":"Ana"}`).status)
		require.Equal(t, http.StatusBadRequest, here.send("PATCH", "/me", `{"roles":[]}`, "If-Match", etag).status)

		edited := here.send("PATCH", "/me", `{"displayName":"Ana"}`, "If-Match", etag)
		require.Equal(t, http.StatusOK, edited.status, "%v", edited.body)
		require.Equal(t, "Ana", edited.body["displayName"])
		require.Equal(t, http.StatusPreconditionFailed, here.send("PATCH", "/me", `{"displayName":"Bo"}`, "If-Match", etag).status)

		robot := newBrowser(t, h)
		require.Equal(t, http.StatusForbidden, robot.send("PATCH", "/me", `{"displayName":"Bo"}`, "If-Match", edited.body["etag"].(string), "Authorization", "Bearer "+h.secret(t)).status)
		scoped, _ := h.newToken(t, "configs:read")
		require.Equal(t, []any{"configs:read"}, robot.send("GET", "/me", "", "Authorization", "Bearer "+scoped).body["permissions"])
	})
}

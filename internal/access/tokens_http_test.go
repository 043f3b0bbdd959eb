package access

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"interlock/internal/access/callers"
	"interlock/internal/access/secrets"
	"interlock/internal/access/sessions"
	"interlock/internal/access/users"
	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi"
)

// issue creates a token by REST and returns its path, ETag and secret.
func (d desk) issue(body string) (path, etag, secret string) {
	d.t.Helper()
	made := d.do(http.StatusCreated, "POST", "/tokens", body)
	path = fmt.Sprintf("/tokens/%v", made.Body["id"])
	require.Equal(d.t, httpapi.Base+path, made.Header.Get("Location"))
	return path, made.Header.Get("ETag"), made.Body["token"].(string)
}

// A caller that was authenticated just before a password change must not keep a token that the
// change should have ended.
func TestChangedCallerCannotCreateToken(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		before := h.as(t, h.mustSignIn(t))
		user, err := h.Users.UserNamed(before, "admin")
		require.NoError(t, err)
		_, _, err = h.AddToken(before, user.ID, users.TokenSpec{Name: "in time"})
		require.NoError(t, err)
		_, err = h.ResetPassword(h.as(t, h.mustSignIn(t)), user, users.PasswordReset{Password: "another-long-password", EndTokens: true})
		require.NoError(t, err)
		_, _, err = h.AddToken(before, user.ID, users.TokenSpec{Name: "too late"})
		requireCode(t, apperr.ResourceLocked, err)
	})
}

// Proves G7.21.
func TestTokenIsCreatedListedUsedAndRevoked(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		made := d.do(http.StatusCreated, "POST", "/tokens", `{"name":"shop","scopes":["orders:read","configs:*","orders:read"]}`)
		path, secret := fmt.Sprintf("/tokens/%v", made.Body["id"]), made.Body["token"].(string)
		require.Equal(t, []any{"configs:*", "orders:read"}, made.Body["scopes"])
		require.Equal(t, h.clock.Now().Add(90*24*time.Hour).Format("2006-01-02T15:04:05.000000Z"), made.Body["expiresTime"], "90 days, and said")
		require.Nil(t, made.Body["lastUsedTime"])
		require.Equal(t, "admin", made.Body["username"])

		read := d.do(200, "GET", path, nil)
		require.NotContains(t, read.Text, secret, "it is shown once")
		require.NotContains(t, read.Text, secrets.DigestOf(secret).String())
		p, err := h.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err)
		require.Equal(t, []string{"configs:*", "orders:read"}, p.Permissions)
		require.NoError(t, h.Callers.WriteUses(t.Context()))
		list := d.do(200, "GET", "/tokens?q=SHOP", nil)
		require.EqualValues(t, 1, list.Body["total"])
		require.NotContains(t, list.Text, secret)
		require.Equal(t, h.clock.Now().Format("2006-01-02T15:04:05.000000Z"), list.Body["items"].([]any)[0].(map[string]any)["lastUsedTime"])

		d.do(428, "DELETE", path, nil)
		d.do(412, "DELETE", path, nil, "If-Match", `"1-9"`)
		d.do(204, "DELETE", path, nil, "If-Match", made.Header.Get("ETag"))
		_, err = h.Callers.Authenticate(withBearer(secret))
		requireCode(t, apperr.InvalidCredentials, err)
		d.do(404, "GET", path, nil)
		d.do(404, "DELETE", path, nil, "If-Match", made.Header.Get("ETag"))
		require.Contains(t, h.audited(t), "token.revoke")
	})
}

// Proves G7.21.
func TestInvalidScopesAndExpiryAreRejected(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	d := newDesk(t, h)
	before := h.audited(t)
	for body, pointer := range map[string]string{
		`{"name":"robot","scopes":[]}`:                                   "/scopes",
		`{"name":"robot","scopes":["configs:fly"]}`:                      "/scopes",
		`{"name":"robot","scopes":[""]}`:                                 "/scopes",
		`{"name":" "}`:                                                   "/name",
		`{"name":"robot","expiresTime":"2026-03-01T12:00:00Z"}`:          "/expiresTime",
		`{"name":"robot","scopes":["` + strings.Repeat("a", 101) + `"]}`: "/scopes/0",
	} {
		answer := d.do(422, "POST", "/tokens", body)
		require.Equal(t, pointer, answer.Body["fields"].([]any)[0].(map[string]any)["pointer"], body)
	}
	d.do(400, "POST", "/tokens", `{"name":"robot","scopes":null}`)
	d.do(404, "POST", "/tokens", `{"name":"robot","userId":99999999,"scopes":["configs:read"]}`)
	require.Equal(t, before, h.audited(t))

	_, _, secret := d.issue(`{"name":"robot","expiresTime":"2026-03-01T12:00:01Z"}`)
	p, err := h.Callers.Authenticate(withBearer(secret))
	require.NoError(t, err)
	require.Equal(t, []string{"*"}, p.Permissions, "without scopes it has the permissions of its user")
	h.clock.Advance(time.Second)
	_, err = h.Callers.Authenticate(withBearer(secret))
	requireCode(t, apperr.InvalidCredentials, err)
}

// Proves G7.25.
func TestTokenCannotExceedItsCreatorsPermissions(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		d.roles("reader", "configs:read", "payer", "orders:pay", "maker", "tokens:write")
		d.hire("li", "reader", "maker")
		li := d.of("li")
		li.do(403, "POST", "/tokens", `{"name":"robot","scopes":["orders:pay"]}`)
		li.do(403, "POST", "/tokens", `{"name":"robot","scopes":["configs:*"]}`)
		li.issue(`{"name":"robot","scopes":["configs:read"]}`)
		li.issue(`{"name":"all of Li's"}`)
		narrow := d.of("li", "tokens:write")
		narrow.do(403, "POST", "/tokens", `{"name":"wider than its maker"}`)
		narrow.do(403, "POST", "/tokens", `{"name":"wider than its maker","scopes":["configs:read"]}`)
		d.of("li", "configs:read").do(403, "POST", "/tokens", `{"name":"robot","scopes":["configs:read"]}`)
	})
}

// Proves G7.25.
func TestTokensOfOtherUsersNeedPermission(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		d.roles("maker", "tokens:write", "reader", "tokens:read")
		path, _ := d.hire("li", "maker", "reader")
		li := d.of("li")
		theirs, etag, _ := d.issue(`{"name":"the admin's"}`)
		li.do(404, "GET", theirs, nil)
		li.do(404, "DELETE", theirs, nil, "If-Match", etag)
		li.do(403, "POST", "/tokens", `{"name":"robot","userId":1}`)
		require.EqualValues(t, 1, li.do(200, "GET", "/tokens", nil).Body["total"], "Li's desk")
		require.EqualValues(t, 3, d.do(200, "GET", "/tokens", nil).Body["total"])
		id := strings.TrimPrefix(path, "/users/")
		require.EqualValues(t, 1, d.do(200, "GET", "/tokens?userId="+id, nil).Body["total"])
		d.do(400, "GET", "/tokens?userId=0", nil)
		lis, tag, secret := d.issue(`{"name":"for Li","scopes":["tokens:read"],"userId":` + id + `}`)
		p, err := h.Callers.Authenticate(withBearer(secret))
		require.NoError(t, err)
		require.Equal(t, []string{"tokens:read"}, p.Permissions)
		d.do(204, "DELETE", lis, nil, "If-Match", tag)
		d.do(200, "POST", path+"/disable", nil)
		li.do(401, "GET", "/tokens", nil)

		stranger := newDesk(t, newFixture(t, db))
		stranger.do(404, "DELETE", theirs, nil, "If-Match", etag)
		require.EqualValues(t, 1, stranger.do(200, "GET", "/tokens", nil).Body["total"])
	})
}

// Proves G7.24.
func TestTokenOfAnotherUserIsLimitedToScopes(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		d.roles("reader", "configs:read", "maker", "tokens:write", "all", "*")
		path, _ := d.hire("li", "reader", "maker")
		id := strings.TrimPrefix(path, "/users/")
		for scopes, code := range map[string]string{
			`null`: "", `[]`: "min", `["configs:write"]`: "not_held", `["configs:*"]`: "not_held",
			`["orders:decide"]`: "decides", `["orders:*"]`: "decides", `["*"]`: "decides",
		} {
			body := `{"name":"robot","userId":` + id + `,"scopes":` + scopes + `}`
			if code == "" {
				body, code = `{"name":"robot","userId":`+id+`}`, "required"
			}
			refused := d.do(422, "POST", "/tokens", body)
			require.Equal(t, code, refused.Body["fields"].([]any)[0].(map[string]any)["code"], scopes)
		}
		made := d.do(201, "POST", "/tokens", `{"name":"robot","userId":`+id+`,"scopes":["configs:read","tokens:write"]}`)
		admin, err := h.Users.UserNamed(h.inside(t), "admin")
		require.NoError(t, err)
		require.Equal(t, map[string]any{"id": float64(admin.ID), "name": "admin"}, made.Body["createdBy"])

		require.NoError(t, h.Users.SetUserRoles(anonymous(t), h.tenant.Name, "li", []string{"all"}))
		p, err := h.Callers.Authenticate(withBearer(made.Body["token"].(string)))
		require.NoError(t, err)
		require.Equal(t, []string{"configs:read", "tokens:write"}, p.Permissions, "it does not grow with its user")
		require.ElementsMatch(t, []int64{p.UserID, admin.ID}, p.Users())
		narrowed := d
		narrowed.secret = made.Body["token"].(string)
		refused := narrowed.do(403, "POST", "/tokens", `{"name":"laundered","scopes":["configs:read"]}`)
		require.Contains(t, refused.Body["detail"], "for another user")

		own := d.of("li").do(201, "POST", "/tokens", `{"name":"own"}`)
		p, err = h.Callers.Authenticate(withBearer(own.Body["token"].(string)))
		require.NoError(t, err)
		require.Equal(t, []int64{p.UserID}, p.Users())
		require.Equal(t, []string{"*"}, p.Permissions, "a user's own token may do all that the user may")
	})
}

// A stream ends with its credential, and does not keep an idle session open.
func TestStreamEndsWithItsCredential(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		h.Callers.Customers, h.Callers.CustomerMay = callers.SharedSecret(shopSecret), []string{"orders:read"}
		h.sessionStore.Idle = time.Hour
		soon := h.clock.Now().Add(time.Hour)
		token, _, err := h.Users.CreateToken(anonymous(t), users.TokenSpec{Tenant: h.tenant.Name, Username: "admin", Name: "robot", Expires: soon})
		require.NoError(t, err)
		session := h.mustSignIn(t)
		customer := signed(t, jwt.SigningMethodHS256, []byte(shopSecret), jwt.MapClaims{"sub": "1001", "tenant": h.tenant.Name, "exp": soon.Add(-callers.ClockSkew).Unix()})
		server := httpapi.NewServer(httpapi.Options{Authenticator: h.Callers})
		looks := make(chan struct{}, 100)
		httpapi.Listen(server.Router(), "/beats", "orders:read", func(ctx context.Context, _ httpapi.None, s *httpapi.Stream) error {
			if err := s.Send("", "begun", true); err != nil {
				return err
			}
			// Half an hour later it is still open.
			h.clock.Advance(30 * time.Minute)
			if err := s.Ping(); err != nil {
				return err
			}
			require.NoError(t, h.Callers.WriteUses(ctx))
			h.clock.Advance(30*time.Minute - 300*time.Millisecond)
			h.Callers.Invalidate()
			looks <- struct{}{}
			<-ctx.Done()
			return nil
		})
		listening := httptest.NewServer(server)
		defer listening.Close()
		began := h.clock.Now()
		for name, show := range map[string]func(r *http.Request){
			"a token":    func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) },
			"a session":  func(r *http.Request) { r.AddCookie(&http.Cookie{Name: sessions.Cookie, Value: session}) },
			"a customer": func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+customer) },
		} {
			h.clock.Advance(began.Sub(h.clock.Now()))
			// A stream that fails to end is interrupted by the timeout, and has then lasted too long.
			patient, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			request, err := http.NewRequestWithContext(patient, http.MethodGet, listening.URL+httpapi.Base+"/beats", nil)
			require.NoError(t, err)
			show(request)
			reply, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, reply.StatusCode, name)
			<-looks
			at := time.Now()
			// The test advances the fake clock: the credential has expired at the stream's next check.
			require.True(t, clock.Sleep(t.Context(), 50*time.Millisecond))
			h.clock.Advance(400 * time.Millisecond)
			lines := bufio.NewScanner(reply.Body)
			for lines.Scan() {
			}
			require.NoError(t, patient.Err(), "%s: the stream never ended", name)
			require.Less(t, time.Since(at), time.Second, name)
			_ = reply.Body.Close()
		}
	})
}

// Proves G7.20.
func TestRevokedTokensStreamsEndInOtherProcesses(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		d := newDesk(t, h)
		path, etag, secret := d.issue(`{"name":"robot"}`)
		// The fake clock does not advance, so without a notification the cache would stay valid.
		elsewhere := newProcess(db, h.clock)
		elsewhere.watch(t)
		beats := elsewhere.beats(t, "orders:read")
		// A stream that fails to end is interrupted by the timeout, and has then lasted too long.
		patient, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		open := func() (status int, lines *bufio.Scanner) {
			request, err := http.NewRequestWithContext(patient, http.MethodGet, beats, nil)
			require.NoError(t, err)
			request.Header.Set("Authorization", "Bearer "+secret)
			reply, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			t.Cleanup(func() { _ = reply.Body.Close() })
			return reply.StatusCode, bufio.NewScanner(reply.Body)
		}
		elsewhere.noticesChanges(t, d)
		status, lines := open()
		require.Equal(t, http.StatusOK, status)
		require.True(t, lines.Scan())

		began := time.Now()
		d.do(204, "DELETE", path, nil, "If-Match", etag)
		for lines.Scan() {
		}
		require.Less(t, time.Since(began), time.Second, "the stream has ended")
		status, _ = open()
		require.Equal(t, http.StatusUnauthorized, status)
		require.Less(t, time.Since(began), time.Second)
	})
}

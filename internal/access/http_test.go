package access

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi"
)

// browser sends requests to a fixture's routes and stores the session cookie.
type browser struct {
	t      *testing.T
	server *httpapi.Server
	origin string
	cookie *http.Cookie
	csrf   string
}

func newBrowser(t *testing.T, h *fixture) *browser {
	_, proxies, err := net.ParseCIDR("192.0.2.0/24") // httptest's own address
	require.NoError(t, err)
	server := httpapi.NewServer(httpapi.Options{Runner: h.runner, Authenticator: h.Callers, TrustedProxies: []*net.IPNet{proxies}})
	Routes(server.Router(), h.Service)
	return &browser{t: t, server: server, origin: "http://shop.example"}
}

// answer is a reply as the browser received it.
type answer struct {
	status int
	header http.Header
	body   map[string]any
}

func (b *browser) send(method, path, body string, header ...string) answer {
	b.t.Helper()
	r := httptest.NewRequest(method, b.origin+httpapi.Base+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	if b.cookie != nil {
		r.AddCookie(b.cookie)
	}
	if b.csrf != "" {
		r.Header.Set("X-CSRF-Token", b.csrf)
	}
	recorder := httptest.NewRecorder()
	b.server.ServeHTTP(recorder, r)
	if line := recorder.Header().Get("Set-Cookie"); line != "" {
		var err error
		b.cookie, err = http.ParseSetCookie(line)
		require.NoError(b.t, err)
	}
	reply := answer{status: recorder.Code, header: recorder.Header(), body: map[string]any{}}
	if recorder.Body.Len() > 0 {
		require.NoError(b.t, json.Unmarshal(recorder.Body.Bytes(), &reply.body))
	}
	return reply
}

func (h *fixture) credentials(password string) string {
	body, _ := json.Marshal(map[string]string{"tenant": h.tenant.Name, "username": "admin", "password": password})
	return string(body)
}

func TestAdminSignsInReadsSessionAndSignsOut(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
		h := newFixture(t, db)
		b := newBrowser(t, h)
		reply := b.send(http.MethodGet, "/session", "")
		require.Equal(t, http.StatusUnauthorized, reply.status)
		require.Equal(t, "unauthenticated", reply.body["code"])

		created := b.send(http.MethodPost, "/session", h.credentials(adminPassword))
		require.Equal(t, http.StatusCreated, created.status)
		require.Equal(t, "/api/v1/session", created.header.Get("Location"))
		user := created.body["user"].(map[string]any)
		require.Positive(t, user["id"])
		delete(user, "id")
		require.Equal(t, map[string]any{
			"username": "admin", "displayName": "admin", "roles": []any{"admin"}, "permissions": []any{"*"}, "secondFactor": false,
		}, user)

		read := b.send(http.MethodGet, "/session", "")
		require.Equal(t, http.StatusOK, read.status)
		require.Equal(t, created.body["csrfToken"], read.body["csrfToken"])
		for _, reply := range []answer{created, read} {
			require.Equal(t, h.tenant.Name, reply.body["tenant"])
			require.Equal(t, "EUR", reply.body["currency"])
		}

		reply = b.send(http.MethodDelete, "/session", "")
		require.Equal(t, http.StatusForbidden, reply.status)
		require.Equal(t, "csrf_failed", reply.body["code"])

		session := b.cookie
		b.csrf = created.body["csrfToken"].(string)
		reply = b.send(http.MethodDelete, "/session", "")
		require.Equal(t, http.StatusNoContent, reply.status)
		require.Empty(t, b.cookie.Value)
		require.Negative(t, b.cookie.MaxAge)

		b.cookie = session
		reply = b.send(http.MethodGet, "/session", "")
		require.Equal(t, http.StatusUnauthorized, reply.status, "the copied cookie is not valid")
		require.Equal(t, []string{"tenant.create", "session.create", "session.delete"}, h.audited(t))
	})
}

func TestSessionCookieHasSecureAttributes(t *testing.T) {
	cases := []struct {
		name, origin, forwarded string
		secure                  bool
	}{
		{"over plain HTTP", "http://shop.example", "", false},
		{"over TLS", "https://shop.example", "", true},
		{"over TLS up to a trusted proxy", "http://shop.example", "https", true},
	}
	h := newFixture(t, storagetest.SQLite(t))
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := newBrowser(t, h)
			b.origin = c.origin
			b.send(http.MethodPost, "/session", h.credentials(adminPassword), "X-Forwarded-Proto", c.forwarded)
			name, other := "interlock_session", "__Host-interlock_session"
			if c.secure {
				name, other = other, name
			}
			require.Equal(t, name, b.cookie.Name)
			require.Equal(t, http.StatusOK, b.send(http.MethodGet, "/session", "", "X-Forwarded-Proto", c.forwarded).status)
			tossed := *b.cookie
			b.cookie = &http.Cookie{Name: other, Value: tossed.Value}
			require.Equal(t, http.StatusUnauthorized, b.send(http.MethodGet, "/session", "", "X-Forwarded-Proto", c.forwarded).status,
				"the cookie of the other name, which another host may have set, is ignored")
			require.Equal(t, http.StatusUnauthorized, b.send(http.MethodGet, "/me", "", "X-Forwarded-Proto", c.forwarded).status)
			b.cookie = &tossed
			require.True(t, b.cookie.HttpOnly)
			require.Equal(t, http.SameSiteStrictMode, b.cookie.SameSite)
			require.Equal(t, "/", b.cookie.Path)
			require.Empty(t, b.cookie.Domain)
			require.Equal(t, c.secure, b.cookie.Secure)
		})
	}
}

func TestRepeatedSignInReplacesTheSession(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	b := newBrowser(t, h)
	b.send(http.MethodPost, "/session", h.credentials(adminPassword))
	old := b.cookie
	reply := b.send(http.MethodPost, "/session", h.credentials(adminPassword))
	require.Equal(t, http.StatusCreated, reply.status)
	require.NotEqual(t, old.Value, b.cookie.Value)
	b.cookie = old
	reply = b.send(http.MethodGet, "/session", "")
	require.Equal(t, http.StatusUnauthorized, reply.status)
}

func TestRejectedSignInsSetNoCookie(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	wrong := h.credentials("wrong")
	cases := []struct {
		name, body string
		header     []string
		status     int
		code       string
	}{
		{"no password", `{"username":"admin"}`, nil, http.StatusUnprocessableEntity, "validation_failed"},
		{"an unknown member", `{"username":"admin","password":"x","remember":true}`, nil, http.StatusBadRequest, "malformed_request"},
		{"no JSON", `username=admin`, nil, http.StatusBadRequest, "malformed_request"},
		{"from another origin of the site", h.credentials(adminPassword), []string{"Sec-Fetch-Site", "same-site"}, http.StatusForbidden, "csrf_failed"},
		{"from another origin, by a browser without Sec-Fetch-Site", h.credentials(adminPassword), []string{"Origin", "https://evil.example"}, http.StatusForbidden, "csrf_failed"},
		{"from a page without an origin", h.credentials(adminPassword), []string{"Origin", "null"}, http.StatusForbidden, "csrf_failed"},
		{"as a form", h.credentials(adminPassword), []string{"Content-Type", "text/plain"}, http.StatusBadRequest, "malformed_request"},
		{"from another site", h.credentials(adminPassword), []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden, "csrf_failed"},
		{"wrong, once", wrong, nil, http.StatusUnauthorized, "invalid_credentials"},
		{"wrong, twice", wrong, nil, http.StatusUnauthorized, "invalid_credentials"},
		{"wrong, three times", wrong, nil, http.StatusUnauthorized, "invalid_credentials"},
		{"wrong, four times", wrong, nil, http.StatusUnauthorized, "invalid_credentials"},
		{"wrong, five times", wrong, nil, http.StatusUnauthorized, "invalid_credentials"},
		{"right, too late", h.credentials(adminPassword), nil, http.StatusTooManyRequests, "too_many_attempts"},
	}
	b := newBrowser(t, h)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			reply := b.send(http.MethodPost, "/session", c.body, c.header...)
			require.Equal(t, c.status, reply.status)
			require.Equal(t, c.code, reply.body["code"])
			require.Nil(t, b.cookie)
			if c.status == http.StatusTooManyRequests {
				require.Equal(t, "900", reply.header.Get("Retry-After"))
			}
		})
	}
	require.Equal(t, []string{"tenant.create"}, h.audited(t))
}

func TestAPITokenHasNoSession(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	secret, _ := h.newToken(t)
	b := newBrowser(t, h)
	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		reply := b.send(method, "/session", "", "Authorization", "Bearer "+secret)
		require.Equal(t, http.StatusUnauthorized, reply.status)
		require.Equal(t, "unauthenticated", reply.body["code"])
	}
}

func TestPermissionsAreListedForPermittedCallers(t *testing.T) {
	h := newFixture(t, storagetest.SQLite(t))
	reader, _ := h.newToken(t, "access:read")
	other, _ := h.newToken(t, "configs:read")
	b := newBrowser(t, h)
	reply := b.send(http.MethodGet, "/permissions", "", "Authorization", "Bearer "+reader)
	require.Equal(t, http.StatusOK, reply.status)
	require.EqualValues(t, len(catalogue), reply.body["total"])
	require.Nil(t, reply.body["nextCursor"])
	var names []string
	for _, item := range reply.body["items"].([]any) {
		names = append(names, item.(map[string]any)["name"].(string))
	}
	require.Equal(t, []string{"access:read", "access:write", "configs:read", "configs:write", "customers:impersonate", "menus:read", "menus:write", "orders:decide", "orders:pay", "orders:read", "tokens:read", "tokens:write", "users:read", "users:write"}, names)
	reply = b.send(http.MethodGet, "/permissions", "", "Authorization", "Bearer "+other)
	require.Equal(t, http.StatusForbidden, reply.status)
	require.Equal(t, "forbidden", reply.body["code"])
}

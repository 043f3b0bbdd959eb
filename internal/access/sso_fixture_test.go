package access

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/oidc"
	"interlock/internal/base/oidc/oidctest"
	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
)

// sso is a fixture with one provider of single sign-on.
type sso struct {
	*fixture
	at     *oidctest.Provider
	server *httpapi.Server
}

func newSSO(t testing.TB, db *storage.DB) *sso {
	t.Helper()
	h := newFixture(t, db)
	at := oidctest.New(t)
	at.Now = h.clock.Now
	client := oidc.Client{Issuer: at.URL, ID: oidctest.ClientID, Secret: oidctest.ClientSecret}
	h.providers = []Provider{{Name: "corp", DisplayName: "Corp", OIDC: oidc.New(client, h.clock)}}
	server := httpapi.NewServer(httpapi.Options{Runner: h.runner, Authenticator: h.Callers})
	Routes(server.Router(), h.Service)
	return &sso{h, at, server}
}

// visitor is a browser with its cookies, at a separate address.
type visitor struct {
	*sso
	t       testing.TB
	address string
	cookies map[string]*http.Cookie
	csrf    string
}

func (s *sso) visitor(t testing.TB) *visitor {
	return &visitor{sso: s, t: t, address: someAddress(), cookies: map[string]*http.Cookie{}}
}

func (v *visitor) send(method, path, body string, header ...string) answer {
	v.t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:8080"+strings.TrimPrefix(path, "http://127.0.0.1:8080"), strings.NewReader(body))
	r.RemoteAddr = v.address + ":1"
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	for _, cookie := range v.cookies {
		r.AddCookie(cookie)
	}
	if v.csrf != "" {
		r.Header.Set("X-CSRF-Token", v.csrf)
	}
	recorder := httptest.NewRecorder()
	v.server.ServeHTTP(recorder, r)
	for _, cookie := range recorder.Result().Cookies() {
		v.cookies[cookie.Name] = cookie
	}
	reply := answer{status: recorder.Code, header: recorder.Header(), body: map[string]any{}}
	if recorder.Body.Len() > 0 {
		require.NoError(v.t, json.Unmarshal(recorder.Body.Bytes(), &reply.body))
	}
	return reply
}

func (v *visitor) do(status int, method, path, body string) answer {
	v.t.Helper()
	reply := v.send(method, httpapi.Base+path, body)
	require.Equal(v.t, status, reply.status, "%s %s: %v", method, path, reply.body)
	return reply
}

// signInByPassword starts a session.
func (v *visitor) signInByPassword(username, password string) {
	v.t.Helper()
	body := fmt.Sprintf(`{"tenant":%q,"username":%q,"password":%q}`, v.tenant.Name, username, password)
	v.csrf = v.do(201, "POST", "/session", body).body["csrfToken"].(string)
}

// begin starts a sign-in at the provider, and returns the redirect URL.
func (v *visitor) begin() string {
	v.t.Helper()
	reply := v.send("GET", httpapi.Base+"/session/oidc/corp?tenant="+v.tenant.Name, "")
	require.Equal(v.t, http.StatusSeeOther, reply.status)
	return reply.header.Get("Location")
}

// leave signs a subject in at the provider, and returns the callback URL.
func (v *visitor) leave(location, subject string) string {
	v.t.Helper()
	require.True(v.t, strings.HasPrefix(location, v.at.URL), "not sent to the provider but to %s", location)
	return v.at.SignIn(v.t, location, subject)
}

// arrive sends the callback without the SameSite=Strict cookies, and returns the parameters of
// the page.
func (v *visitor) arrive(callback string) url.Values {
	v.t.Helper()
	kept := v.cookies
	v.cookies = map[string]*http.Cookie{}
	for name, cookie := range kept {
		if cookie.SameSite != http.SameSiteStrictMode {
			v.cookies[name] = cookie
		}
	}
	reply := v.send("GET", callback, "")
	for name, cookie := range v.cookies {
		kept[name] = cookie
	}
	v.cookies = kept
	return redirectParameters(v.t, reply)
}

// redirectParameters returns the parameters that a redirect passes to the page of single sign-on.
func redirectParameters(t testing.TB, reply answer) url.Values {
	t.Helper()
	require.Equal(t, http.StatusSeeOther, reply.status, "%v", reply.body)
	page, fragment, _ := strings.Cut(reply.header.Get("Location"), "#")
	require.Equal(t, "/single-sign-on", page)
	values, err := url.ParseQuery(fragment)
	require.NoError(t, err)
	return values
}

// signIn runs a complete single sign-on, and returns the parameters of the page.
func (v *visitor) signIn(subject string) url.Values {
	v.t.Helper()
	return v.arrive(v.leave(v.begin(), subject))
}

// link links the user of the visitor's session.
func (v *visitor) link(subject string) url.Values {
	v.t.Helper()
	reply := v.do(200, "POST", "/me/links", fmt.Sprintf(`{"provider":"corp","password":%q}`, adminPassword))
	return v.arrive(v.leave(reply.body["location"].(string), subject))
}

func (v *visitor) isSignedIn() bool {
	return v.send("GET", httpapi.Base+"/session", "").status == http.StatusOK
}

// linkedAdmin links the fixture's admin, and returns the browser.
func (s *sso) linkedAdmin(t testing.TB, subject string) *visitor {
	t.Helper()
	v := s.visitor(t)
	v.signInByPassword("admin", adminPassword)
	require.Equal(t, "linked", v.link(subject).Get("result"))
	return v
}

func (s *sso) count(t testing.TB, model any) (n int64) {
	t.Helper()
	require.NoError(t, s.db.Read(s.inside(t)).Model(model).Count(&n).Error)
	return n
}

func failed(t testing.TB, reason string, told url.Values) {
	t.Helper()
	require.Equal(t, reason, told.Get("failure"), "%v", told)
}

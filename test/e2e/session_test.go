package e2e_test

import (
	"net/http"
	"net/http/cookiejar"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// browser returns a caller without a token that stores cookies.
func browser(t *testing.T, p *apptest.Program) *apptest.Caller {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	c := underContract(t, &apptest.Caller{Program: p})
	c.HTTP.Jar = jar
	return c
}

func TestSessionNeedsItsCSRFTokenAndEndsWithSignOut(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		tenant, b := p.NewTenant(t), browser(t, p)
		requireProblem(t, b.Do(t, http.MethodGet, "/api/v1/session", nil), http.StatusUnauthorized, "unauthenticated")

		signedIn := b.Do(t, http.MethodPost, "/api/v1/session", object{"tenant": tenant, "username": "admin", "password": "correct horse"})
		require.Equalf(t, http.StatusCreated, signedIn.Status, "%s", signedIn.Body)
		cookie := signedIn.Header.Get("Set-Cookie")
		require.Contains(t, cookie, "HttpOnly")
		require.Contains(t, cookie, "SameSite=Strict")
		require.NotContains(t, cookie, "Secure", "the test speaks plain HTTP")
		body := signedIn.JSON(t)
		require.Equal(t, "admin", body["user"].(object)["username"])
		token := body["csrfToken"].(string)

		require.Equal(t, http.StatusOK, b.Do(t, http.MethodGet, "/api/v1/configs", nil).Status)
		config := object{"key": "by-session", "value": 1, "valueType": "number"}
		requireProblem(t, b.Do(t, http.MethodPost, "/api/v1/configs", config), http.StatusForbidden, "csrf_failed")
		requireProblem(t, b.Do(t, http.MethodPost, "/api/v1/configs", config, "X-CSRF-Token", token+"x"), http.StatusForbidden, "csrf_failed")
		b.Tenant = tenant
		require.Zero(t, rows(t, b, "configs", "1 = 1"))
		require.Equal(t, http.StatusCreated, b.Do(t, http.MethodPost, "/api/v1/configs", config, "X-CSRF-Token", token).Status)

		require.Equal(t, http.StatusNoContent, b.Do(t, http.MethodDelete, "/api/v1/session", nil, "X-CSRF-Token", token).Status)
		requireProblem(t, b.Do(t, http.MethodGet, "/api/v1/configs", nil), http.StatusUnauthorized, "unauthenticated")
	})
}

func TestCookieIsInvalidAfterSignOut(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		tenant, b := p.NewTenant(t), browser(t, p)
		signedIn := b.Do(t, http.MethodPost, "/api/v1/session", object{"tenant": tenant, "username": "admin", "password": "correct horse"})
		require.Equal(t, http.StatusCreated, signedIn.Status)
		stolen := (&http.Response{Header: signedIn.Header}).Cookies()[0]
		thief := underContract(t, &apptest.Caller{Program: p})
		cookie := stolen.Name + "=" + stolen.Value
		require.Equal(t, http.StatusOK, thief.Do(t, http.MethodGet, "/api/v1/session", nil, "Cookie", cookie).Status)

		token := signedIn.JSON(t)["csrfToken"].(string)
		require.Equal(t, http.StatusNoContent, b.Do(t, http.MethodDelete, "/api/v1/session", nil, "X-CSRF-Token", token).Status)

		require.Equal(t, http.StatusUnauthorized, thief.Do(t, http.MethodGet, "/api/v1/session", nil, "Cookie", cookie).Status)
	})
}

func TestWrongPasswordsHaveOneErrorAndLockTheAccount(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		const known, unknown = "admin", "nobody"
		tenant, b := p.NewTenant(t), browser(t, p)
		signIn := func(username, password string) apptest.Answer {
			return b.Do(t, http.MethodPost, "/api/v1/session", object{"tenant": tenant, "username": username, "password": password})
		}
		for range 5 {
			ofKnown := requireProblem(t, signIn(known, "wrong horse"), http.StatusUnauthorized, "invalid_credentials")
			ofUnknown := requireProblem(t, signIn(unknown, "wrong horse"), http.StatusUnauthorized, "invalid_credentials")
			require.Equal(t, ofKnown["detail"], ofUnknown["detail"])
		}
		for _, username := range []string{known, unknown} {
			locked := signIn(username, "correct horse")
			requireProblem(t, locked, http.StatusTooManyRequests, "too_many_attempts")
			require.NotEmpty(t, locked.Header.Get("Retry-After"))
		}
		require.NoError(t, p.Services().Access.Users.SetPassword(t.Context(), tenant, known, "another horse"))
		require.Equal(t, http.StatusCreated, signIn(known, "another horse").Status)
	})
}

func TestTokenIsLimitedToItsScopes(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		config := newConfig(t, owner, "scoped", 1, "number")
		reader := p.Caller(t, owner.Tenant, "configs:read")
		require.Equal(t, config, read(t, reader, "/api/v1/configs/scoped"))
		requireProblem(t, reader.Do(t, http.MethodPatch, "/api/v1/configs/scoped", object{"value": 2}, "If-Match", etag(config)), http.StatusForbidden, "forbidden")
		requireProblem(t, reader.Do(t, http.MethodGet, "/api/v1/orders", nil), http.StatusForbidden, "forbidden")
		wrong := underContract(t, &apptest.Caller{Program: p, Token: owner.Token + "x"})
		requireProblem(t, wrong.Do(t, http.MethodGet, "/api/v1/configs", nil), http.StatusUnauthorized, "invalid_credentials")
		require.Equal(t, config, read(t, owner, "/api/v1/configs/scoped"))
	})
}

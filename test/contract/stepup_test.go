package contract_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// enrolled sets a second factor up for the admin of a caller's tenant. It returns the
// session of the setup, in which the factor has not been used, and the recovery codes.
func enrolled(t *testing.T, c *apptest.Caller) (d day, session []string, codes []any) {
	t.Helper()
	d = day{c, t}
	d.Token = ""
	answer := d.Do(t, "POST", httpapi.Base+"/session", map[string]any{"tenant": d.Tenant, "username": "admin", "password": apptest.AdminPassword})
	require.Equal(t, http.StatusCreated, answer.Status, "%s", answer.Body)
	session = sessionOf(t, answer)
	setup := d.do(201, "POST", "/me/factors", map[string]any{"kind": "totp", "name": "Phone", "password": apptest.AdminPassword}, session...)
	confirmed := d.do(200, "POST", "/me/factors/"+fmt.Sprint(int64(setup["id"].(float64)))+"/confirm", map[string]any{"code": codeOf(t, setup["secret"], 0)}, session...)
	return d, session, confirmed["recoveryCodes"].([]any)
}

// Proves G7.17.
func TestStepUpIsRequiredExactlyWhereDeclared(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		d, session, codes := enrolled(t, p.Admin(t))
		ask := func(route httpapi.Route) apptest.Answer {
			path := fill(t, route, func(string) string { return "999999999" })
			return d.Do(t, route.Method, path, example(t, route), session...)
		}
		walked := 0
		for _, route := range p.Routes() {
			if route.Public || route.Stream || !(route.StepUp || route.Method == http.MethodGet) {
				continue
			}
			walked++
			answer := ask(route)
			require.Equal(t, route.StepUp, answer.Code() == "step_up_required", "%s: %s", documentedAs(route), answer.Body)
			if route.StepUp {
				require.Equal(t, http.StatusForbidden, answer.Status)
			}
		}
		require.Greater(t, walked, len(stepUp))

		d.steppedUp(&session, codes[0])
		for _, route := range p.Routes() {
			if route.StepUp && hasParameter(route) {
				answer := ask(route)
				require.Equal(t, http.StatusNotFound, answer.Status, "%s: %s", documentedAs(route), answer.Body)
			}
		}
	})
}

// Proves G7.17.
func TestStepUpRejectionIsNotStoredUnderItsKey(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		d, session, codes := enrolled(t, p.Admin(t))
		create := func() apptest.Answer {
			return d.Do(t, "POST", httpapi.Base+"/roles", `{"name":"front desk","permissions":["orders:read"]}`, append([]string{"X-Idempotency-Key", "support-1"}, session...)...)
		}
		refused := create()
		require.Equal(t, "step_up_required", refused.Code(), "%s", refused.Body)
		require.Empty(t, d.do(200, "GET", "/idempotency-keys?key=support-1", nil, session...)["items"])

		d.steppedUp(&session, codes[0])
		made := create()
		require.Equal(t, http.StatusCreated, made.Status, "%s", made.Body)
		require.Empty(t, made.Header.Get("X-Idempotency-Replay"))
		again := create()
		require.Equal(t, "true", again.Header.Get("X-Idempotency-Replay"))
		require.Equal(t, made.Body, again.Body)
	})
}

// Proves G7.17.
func TestNoReplyWithACookieIsReplayed(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		d, session, codes := enrolled(t, p.Admin(t))
		keyed := func(headers ...string) []string { return append([]string{"X-Idempotency-Key", "again-1"}, headers...) }
		first := d.Do(t, "POST", httpapi.Base+"/session/step-up", map[string]any{"method": "recovery", "code": codes[0]}, keyed(session...)...)
		require.Equal(t, http.StatusOK, first.Status, "%s", first.Body)
		session = sessionOf(t, first)
		again := d.Do(t, "POST", httpapi.Base+"/session/step-up", map[string]any{"method": "recovery", "code": codes[0]}, keyed(session...)...)
		require.Equal(t, "invalid_credentials", again.Code(), "%s", again.Body)
		require.Empty(t, again.Header.Get("Set-Cookie"))

		credentials := map[string]any{"tenant": d.Tenant, "username": "admin", "password": apptest.AdminPassword}
		challenges := []any{d.do(202, "POST", "/session", credentials, keyed()...)["challenge"], d.do(202, "POST", "/session", credentials, keyed()...)["challenge"]}
		require.NotEqual(t, challenges[0], challenges[1])
		finish := map[string]any{"challenge": challenges[0], "method": "recovery", "code": codes[1]}
		d.do(201, "POST", "/session/factor", finish, keyed()...)
		d.do(401, "POST", "/session/factor", finish, keyed()...)
		require.Empty(t, d.do(200, "GET", "/idempotency-keys?key=again-1", nil, session...)["items"])
	})
}

// Proves G3.4, G7.17.
func TestReplayOfAFactorHasNoSecret(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		d := day{p.Admin(t), t}
		d.Token = ""
		session := sessionOf(t, d.Do(t, "POST", httpapi.Base+"/session", map[string]any{"tenant": d.Tenant, "username": "admin", "password": apptest.AdminPassword}))
		keyed := func(key string) []string { return append([]string{"X-Idempotency-Key", key}, session...) }
		twice := func(status int, key, path string, body any, secrets ...string) map[string]any {
			first := d.do(status, "POST", path, body, keyed(key)...)
			if codes, ok := first["recoveryCodes"].([]any); ok {
				d.steppedUp(&session, codes[0])
			}
			again := d.Do(t, "POST", httpapi.Base+path, body, keyed(key)...)
			require.Equal(t, []any{status, "true"}, []any{again.Status, again.Header.Get("X-Idempotency-Replay")}, "%s: %s", path, again.Body)
			want := map[string]any{"secretShownOnce": true}
			for name, value := range first {
				if !slices.Contains(secrets, name) {
					want[name] = value
				}
			}
			require.Equal(t, want, again.JSON(t), path)
			return first
		}
		setup := twice(201, "begin", "/me/factors", map[string]any{"kind": "totp", "name": "Phone", "password": apptest.AdminPassword}, "secret", "uri")
		confirm := "/me/factors/" + fmt.Sprint(int64(setup["id"].(float64))) + "/confirm"
		twice(200, "confirm", confirm, map[string]any{"code": codeOf(t, setup["secret"], 0)}, "recoveryCodes")
		twice(200, "codes", "/me/factors/recovery-codes", nil, "recoveryCodes")
	})
}

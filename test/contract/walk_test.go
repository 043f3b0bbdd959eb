package contract_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/views/audit"
	"interlock/test/apptest"
)

// walk is one route under test with callers of two tenants.
type walk struct {
	*apptest.Program
	route httpapi.Route
	// owner and stranger have all permissions, each in a separate tenant.
	owner, stranger *apptest.Caller
	// rows are the rows of the owner, by their keys in fixtures.
	rows map[string][]string
}

// path returns the URL of the route on rows of the owner. All routes of a walk share the
// rows, so no request of a walk may change them.
func (w walk) path(t *testing.T) string {
	t.Helper()
	return fill(t, w.route, func(key string) string { return w.have(t, key, 1)[0] })
}

// have returns n rows of the owner, and creates the missing ones.
func (w walk) have(t *testing.T, key string, n int) []string {
	t.Helper()
	for len(w.rows[key]) < n {
		w.rows[key] = append(w.rows[key], newRow(t, w.owner, key))
	}
	return w.rows[key][:n]
}

// haveOfEach makes sure that the owner has n rows of each resource.
func (w walk) haveOfEach(t *testing.T, n int) {
	t.Helper()
	for key := range fixtures {
		w.have(t, key, n)
	}
}

// eachRoute runs a test for every registered route that selects accepts, on both engines.
func eachRoute(t *testing.T, selects func(httpapi.Route) bool, test func(t *testing.T, w walk)) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner, stranger, walked := p.Admin(t), p.Admin(t), 0
		rows := map[string][]string{}
		for _, route := range p.Routes() {
			if !selects(route) {
				continue
			}
			walked++
			t.Run(documentedAs(route), func(t *testing.T) {
				w := walk{p, route, owner, stranger, rows}
				if slices.Contains(sessionOnly, documentedAs(route)) {
					w.owner, w.stranger = owner.SignedIn(t), stranger.SignedIn(t)
				}
				test(t, w)
			})
		}
		require.NotZero(t, walked)
	})
}

// sessionOnly are the operations on the user's account, which reject API tokens.
var sessionOnly = []string{"PATCH /api/v1/me", "POST /api/v1/me/password", "DELETE /api/v1/sessions",
	"POST /api/v1/session/step-up", "POST /api/v1/session/step-up/challenge", "POST /api/v1/me/factors/{id}/rename", "GET /api/v1/me/factors", "POST /api/v1/me/factors", "POST /api/v1/me/factors/{id}/confirm",
	"DELETE /api/v1/me/factors/{id}", "POST /api/v1/me/factors/recovery-codes",
	"GET /api/v1/me/links", "POST /api/v1/me/links", "DELETE /api/v1/me/links/{id}"}

// example is the documented request of a route, or nil.
func example(t *testing.T, route httpapi.Route) any {
	text := operationOf(t, route).Example()
	if text == nil {
		return nil
	}
	return []byte(text)
}

func private(route httpapi.Route) bool { return !route.Public }

// The response to a caller without permission does not depend on the existence of the row.
// Proves G7.1.
func TestPermissionIsCheckedBeforeExistence(t *testing.T) {
	named := func(route httpapi.Route) bool { return hasParameter(route) && private(route) }
	eachRoute(t, named, func(t *testing.T, w walk) {
		scopes := []string{audit.ReadPermission}
		if w.route.Permission != "" {
			scopes = allBut(w.route.Permission)
		}
		caller := w.Caller(t, w.owner.Tenant, scopes...)
		for _, value := range []string{"999999999", "nonesuch", "-1"} {
			path := fill(t, w.route, func(string) string { return value })
			answer := caller.Do(t, w.route.Method, path, example(t, w.route))
			require.Equal(t, http.StatusForbidden, answer.Status, "%s: %s", value, answer.Body)
			require.Equal(t, "forbidden", answer.Code())
		}
	})
}

// allBut returns every permission except one.
func allBut(missing string) []string {
	var names []string
	for _, grant := range app.Permissions() {
		if !principal.Covers([]string{grant.Name}, missing) {
			names = append(names, grant.Name)
		}
	}
	return names
}

func TestEveryRequiredPermissionIsGrantable(t *testing.T) {
	for _, route := range apptest.Shared(t, "sqlite").Routes() {
		if route.Permission != "" {
			require.Contains(t, names(app.Permissions()), route.Permission, route.Path)
		}
	}
}

func names(grants []principal.Grant) []string {
	var names []string
	for _, grant := range grants {
		names = append(names, grant.Name)
	}
	return names
}

// everybodys reports whether a route names something that exists in every tenant: each user
// has a wallet, used or not.
func everybodys(route httpapi.Route) bool { return strings.HasPrefix(route.Path, "/wallets/:userId") }

// ofSettings reports whether a route names something from the settings, which exists in
// every tenant.
func ofSettings(route httpapi.Route) bool { return strings.HasPrefix(route.Path, "/session/oidc/") }

// ofCustomers reports whether a route reads the records of the calling customer; an admin has no
// such records.
func ofCustomers(route httpapi.Route) bool { return strings.HasPrefix(route.Path, "/my/") }

// makes reports whether the first request of a route creates the resource in its path.
func makes(route httpapi.Route) bool {
	return route.Mutates && strings.HasPrefix(route.Path, "/aggregates/")
}

func TestSameNamesInTwoTenantsAreIndependent(t *testing.T) {
	eachRoute(t, makes, func(t *testing.T, w walk) {
		path := w.path(t)
		aggregate := strings.TrimSuffix(path, "/events")
		before := w.owner.Do(t, http.MethodGet, aggregate, nil).JSON(t)
		answer := w.stranger.Do(t, w.route.Method, path, example(t, w.route))
		require.Equal(t, http.StatusCreated, answer.Status, "%s", answer.Body)
		require.EqualValues(t, 1, answer.JSON(t)["version"], "the first event of the stranger's own")
		require.Equal(t, before, w.owner.Do(t, http.MethodGet, aggregate, nil).JSON(t))
	})
}

func TestRowsOfAnotherTenantDoNotExist(t *testing.T) {
	named := func(route httpapi.Route) bool {
		// Money for an unknown order is recorded.
		return hasParameter(route) && !everybodys(route) && !makes(route) && !ofSettings(route) && route.Path != "/orders/:id/payments"
	}
	eachRoute(t, named, func(t *testing.T, w walk) {
		path := w.path(t)
		verify := requireNoWrites(t, w.Program)

		answer := w.stranger.Do(t, w.route.Method, path, example(t, w.route), w.asCustomer(t)...)
		require.Equal(t, http.StatusNotFound, answer.Status, "%s", answer.Body)
		require.Equal(t, "not_found", answer.Code())
		verify()
	})
}

func TestWalletOfAnotherTenantReadsAsEmptyAndIsUnchanged(t *testing.T) {
	eachRoute(t, everybodys, func(t *testing.T, w walk) {
		path := w.path(t)
		wallet := strings.TrimSuffix(path, "/entries")
		before := w.owner.Do(t, http.MethodGet, wallet, nil).JSON(t)
		require.NotZero(t, before["balance"])

		answer := w.stranger.Do(t, w.route.Method, path, example(t, w.route))
		require.Less(t, answer.Status, 300, "%s", answer.Body)
		seen := answer.JSON(t)
		if w.route.Method == http.MethodGet {
			require.Contains(t, []any{seen["balance"], seen["total"]}, 0.0)
		} else {
			require.Equal(t, seen["amount"], seen["balance"], "the first entry of the stranger's own wallet")
		}
		require.Equal(t, before, w.owner.Do(t, http.MethodGet, wallet, nil).JSON(t))
	})
}

// neverEmpty are lists that contain rows from the creation of a tenant.
var neverEmpty = []string{"/users", "/roles", "/tokens", "/menus"}

func TestNonemptyListsShowNothingOfAnotherTenant(t *testing.T) {
	eachRoute(t, func(route httpapi.Route) bool {
		return route.Method == http.MethodGet && slices.Contains(neverEmpty, route.Path)
	}, func(t *testing.T, w walk) {
		ids := func(c *apptest.Caller) (ids []any) {
			for _, item := range c.Do(t, http.MethodGet, httpapi.Base+w.route.Path, nil).JSON(t)["items"].([]any) {
				ids = append(ids, item.(map[string]any)["id"])
			}
			return ids
		}
		owned, shown := ids(w.owner), ids(w.stranger)
		require.NotEmpty(t, shown)
		for _, id := range owned {
			require.NotContains(t, shown, id)
		}
	})
}

func TestListsShowNothingOfAnotherTenant(t *testing.T) {
	listing := func(route httpapi.Route) bool {
		return route.Method == http.MethodGet && !hasParameter(route) && pages(t, route) && !ofCustomers(route) && !slices.Contains([]string{"/audit-log", "/settings/history"}, route.Path) && !slices.Contains(neverEmpty, route.Path)
	}
	eachRoute(t, listing, func(t *testing.T, w walk) {
		w.haveOfEach(t, 1)
		require.NotZero(t, w.owner.Do(t, w.route.Method, httpapi.Base+w.route.Path, nil).JSON(t)["total"])

		answer := w.stranger.Do(t, w.route.Method, httpapi.Base+w.route.Path, nil)
		require.Equal(t, http.StatusOK, answer.Status)
		require.Zero(t, answer.JSON(t)["total"])
		require.Empty(t, answer.JSON(t)["items"])
	})
}

func guarded(route httpapi.Route) bool { return route.Guarded }

// Proves G1.5.
func TestGuardedRoutesRejectEmptyPreconditions(t *testing.T) {
	eachRoute(t, guarded, func(t *testing.T, w walk) {
		path := w.path(t)
		verify := requireNoWrites(t, w.Program)
		for _, c := range []struct {
			name, ifMatch string
			status        int
			code          string
		}{
			{"none", "", http.StatusPreconditionRequired, "precondition_required"},
			{"any", "*", http.StatusBadRequest, "precondition_malformed"},
			{"weak, of no row", `W/"zzzz-1"`, http.StatusPreconditionFailed, "version_conflict"},
			{"of a coding, of no row", `"zzzz-1-gzip"`, http.StatusPreconditionFailed, "version_conflict"},
			{"unquoted", `1-1`, http.StatusBadRequest, "precondition_malformed"},
			{"a list", `"1-1", "2-1"`, http.StatusBadRequest, "precondition_malformed"},
			{"of no row", `"zzzz-1"`, http.StatusPreconditionFailed, "version_conflict"},
			{"never returned", `"x"`, http.StatusPreconditionFailed, "version_conflict"},
		} {
			var headers []string
			if c.ifMatch != "" {
				headers = []string{"If-Match", c.ifMatch}
			}
			answer := w.owner.Do(t, w.route.Method, path, example(t, w.route), headers...)
			require.Equal(t, c.status, answer.Status, "If-Match %s: %s", c.name, answer.Body)
			require.Equal(t, c.code, answer.Code(), "If-Match %s", c.name)
		}
		verify()
	})
}

func TestEmptyPathParameterIsNotFound(t *testing.T) {
	eachRoute(t, hasParameter, func(t *testing.T, w walk) {
		verify := requireNoWrites(t, w.Program)
		for empty := range strings.Count(w.route.Path, ":") {
			n := -1
			path := fill(t, w.route, func(string) string {
				if n++; n == empty {
					return ""
				}
				return "1"
			})
			answer := w.owner.Do(t, w.route.Method, path, example(t, w.route), w.asCustomer(t)...)
			require.Equal(t, http.StatusNotFound, answer.Status, "%s: %s", path, answer.Body)
			require.Equal(t, "not_found", answer.Code(), path)
		}
		verify()
	})
}

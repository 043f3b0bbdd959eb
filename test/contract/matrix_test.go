package contract_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"interlock/internal/access"
	"interlock/internal/access/users"
	"interlock/internal/actions"
	"interlock/internal/app"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
	"interlock/test/tier"
)

// shopSecret signs the tokens of customers.
const shopSecret = "a secret that the shop and its back office share"

// intruder is a caller that every private route rejects, with a status and a code.
type intruder struct {
	name string
	*apptest.Caller
	// by returns the caller for a route, nil if the route is open to it; Caller is for all routes.
	by     func(route httpapi.Route) *apptest.Caller
	status int
	code   string
}

// intruders are all kinds of callers without permission for the owner's rows.
func intruders(t *testing.T, owner *apptest.Caller) []intruder {
	p := owner.Program
	with := func(token string, session apptest.Session) *apptest.Caller {
		other := *owner
		other.Token, other.Session = token, session
		return &other
	}
	customer := func(id string) *apptest.Caller {
		token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": id, "tenant": owner.Tenant, "exp": time.Now().Add(time.Hour).Unix()}).SignedString([]byte(shopSecret))
		require.NoError(t, err)
		return with(token, apptest.Session{})
	}
	user := func(permissions ...string) (username string, id, etag string) {
		roles := []any{}
		if len(permissions) > 0 {
			roles = append(roles, created(t, owner, "/roles", object{"name": unique("role"), "permissions": permissions})["name"])
		}
		made := created(t, owner, "/users", object{"username": unique("user"), "password": "correct horse battery", "roles": roles})
		return made["username"].(string), fmt.Sprint(int64(made["id"].(float64))), made["etag"].(string)
	}
	tokenOf := func(username string, scopes ...string) *apptest.Caller {
		token, _, err := p.Services().Access.Users.CreateToken(t.Context(), users.TokenSpec{Tenant: owner.Tenant, Username: username, Name: "intruder", Scopes: scopes})
		require.NoError(t, err)
		return with(token, apptest.Session{})
	}
	sessionOf := func(username string) *apptest.Caller {
		signIn, err := p.Services().Access.SignIn(t.Context(), access.SignIn{Tenant: owner.Tenant, Username: username, Password: "correct horse battery"})
		require.NoError(t, err)
		return with("", apptest.Session{Cookie: "interlock_session=" + signIn.Token, CSRF: signIn.Session.CSRFToken})
	}

	powerless, _, _ := user()
	scoped, scopedID, etag := user("*")
	byScope := map[string]*apptest.Caller{}
	for _, grant := range app.Permissions() {
		byScope[grant.Name] = tokenOf(scoped, grant.Name)
	}
	as(t, owner, 200, "PATCH", "/users/"+scopedID, object{"roles": []any{}}, "If-Match", etag)

	disabled, disabledID, _ := user("*")
	disabledToken, disabledSession := tokenOf(disabled), sessionOf(disabled)
	as(t, owner, 200, "POST", "/users/"+disabledID+"/disable", nil)

	expired, expiredID, _ := user("*")
	old := sessionOf(expired)
	db := p.Services().DB
	require.NoError(t, db.Write(storage.AcrossTenants(t.Context())).
		Exec("UPDATE sessions SET expires_time = ? WHERE tenant_id = (SELECT tenant_id FROM users WHERE id = ?) AND user_id = ?", time.Now().Add(-time.Second).UTC(), expiredID, expiredID).Error)

	toCustomers := func(caller *apptest.Caller) func(httpapi.Route) *apptest.Caller {
		return func(route httpapi.Route) *apptest.Caller {
			if slices.Contains(actions.CustomerPermissions, route.Permission) || route.Permission == "" {
				return nil
			}
			return caller
		}
	}
	permitted := func(caller func(route httpapi.Route) *apptest.Caller) func(httpapi.Route) *apptest.Caller {
		return func(route httpapi.Route) *apptest.Caller {
			if route.Permission == "" {
				return nil
			}
			return caller(route)
		}
	}
	without := tokenOf(powerless)
	return []intruder{
		{"no credentials", with("", apptest.Session{}), nil, 401, "unauthenticated"},
		{"a wrong token", with("ilk_wrong", apptest.Session{}), nil, 401, "invalid_credentials"},
		{"no permission", nil, permitted(func(httpapi.Route) *apptest.Caller { return without }), 403, "forbidden"},
		{"every permission except the route's", nil, permitted(func(route httpapi.Route) *apptest.Caller {
			return p.Caller(t, owner.Tenant, allBut(route.Permission)...)
		}), 403, "forbidden"},
		{"no permission, in a session", nil, permitted(func() func(httpapi.Route) *apptest.Caller {
			session := sessionOf(powerless)
			return func(httpapi.Route) *apptest.Caller { return session }
		}()), 403, "forbidden"},
		{"the scope alone", nil, permitted(func(route httpapi.Route) *apptest.Caller { return byScope[route.Permission] }), 403, "forbidden"},
		{"a customer", nil, toCustomers(customer("7")), 403, "forbidden"},
		{"a disabled user's token", disabledToken, nil, 401, "invalid_credentials"},
		{"a disabled user's session", disabledSession, nil, 401, "unauthenticated"},
		{"an expired session", old, nil, 401, "unauthenticated"},
	}
}

// onOwnPrograms is [apptest.Each] with programs that no other test uses, and that accept the tokens
// of customers.
func onOwnPrograms(t *testing.T, test func(t *testing.T, p *apptest.Program)) {
	start := func(t *testing.T, databaseURL string) {
		s := apptest.Settings(filepath.Join(t.TempDir(), "data"))
		s.CustomerJWTSecret, s.OIDCProviders, s.DatabaseURL = shopSecret, apptest.Providers(), databaseURL
		test(t, apptest.Start(t, s))
	}
	t.Run("sqlite", func(t *testing.T) { start(t, "") })
	if tier.IsNightly() {
		t.Run("mariadb", func(t *testing.T) { start(t, storagetest.NewMariaDBURL(t)) })
	}
}

// marked creates a row of each resource with a mark in its texts, and returns the mark.
func marked(t *testing.T, owner *apptest.Caller, rows map[string][]string) string {
	t.Helper()
	mark = "-nightingale"
	defer func() { mark = "" }()
	for key := range fixtures {
		rows[key] = []string{newRow(t, owner, key)}
	}
	return mark
}

// but removes the values of the request's path from a text.
func but(rows map[string][]string, text string) string {
	for _, value := range rows {
		if len(value[0]) > len("nightingale") {
			text = strings.ReplaceAll(text, value[0], "")
		}
	}
	return text
}

// Every private route of the contract rejects every caller without permission, on existing
// rows. Nothing changes, and no response contains any text of these rows except the values
// in the request.
// Proves G7.1.
func TestEveryRouteRejectsIntrudersWithoutALeak(t *testing.T) {
	onOwnPrograms(t, func(t *testing.T, p *apptest.Program) {
		owner, rows := p.Admin(t), map[string][]string{}
		canary := marked(t, owner, rows)
		// A caller with permission finds the mark.
		seen := 0
		for _, path := range []string{"/configs", "/items", "/orders", "/users", "/roles", "/payments", "/refunds", "/work-orders", "/coupon-campaigns", "/flash-sales", "/menus", "/tokens", "/approvals", "/idempotency-keys", "/audit-log"} {
			if strings.Contains(string(as(t, owner, 200, "GET", path, nil).Body), canary) {
				seen++
			}
		}
		require.Equal(t, 15, seen)
		refused := map[string]int{}
		for _, who := range intruders(t, owner) {
			for _, route := range p.Routes() {
				caller := who.Caller
				if who.by != nil {
					caller = who.by(route)
				}
				if route.Public || caller == nil {
					continue
				}
				what := who.name + ": " + documentedAs(route)
				path := fill(t, route, func(key string) string { return rows[key][0] })
				verify := requireNoWrites(t, p)
				answer := caller.Do(t, route.Method, path, example(t, route), "If-Match", `"1-1"`)
				require.Equal(t, who.status, answer.Status, "%s: %s", what, answer.Body)
				require.Equal(t, who.code, answer.Code(), what)
				if who.status == http.StatusUnauthorized {
					require.NotEmpty(t, answer.Header.Get("WWW-Authenticate"), what)
				} else {
					require.Contains(t, answer.JSON(t)["detail"], route.Permission, what)
				}
				require.NotContains(t, but(rows, string(answer.Body)+fmt.Sprint(answer.Header)), canary, what)
				verify(what)
				refused[who.name]++
			}
		}
		require.Len(t, refused, 10)
		for name, routes := range refused {
			require.Greater(t, routes, 100, name)
		}
	})
}

// Routes that require no permission return nothing about existing rows to a user without
// permissions or to a customer.
func TestOpenRoutesReturnNothingWithoutReadPermissions(t *testing.T) {
	onOwnPrograms(t, func(t *testing.T, p *apptest.Program) {
		owner, rows := p.Admin(t), map[string][]string{}
		canary := marked(t, owner, rows)
		made := created(t, owner, "/users", object{"username": unique("nobody"), "password": "correct horse battery"})
		token, _, err := p.Services().Access.Users.CreateToken(t.Context(), users.TokenSpec{Tenant: owner.Tenant, Username: made["username"].(string), Name: "nobody"})
		require.NoError(t, err)
		text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": "7", "tenant": owner.Tenant, "exp": time.Now().Add(time.Hour).Unix()}).SignedString([]byte(shopSecret))
		require.NoError(t, err)
		requests := 0
		for name, secret := range map[string]string{"a user": token, "a customer": text} {
			caller := *owner
			caller.Token = secret
			for _, route := range p.Routes() {
				// Every user sees a menu without a permission: see
				// TestEverybodyReadsWhatHisNavigationShowsAndNobodyElseMore.
				if route.Public || route.Permission != "" || route.Stream || route.Method != http.MethodGet || route.Path == "/menus" {
					continue
				}
				if name == "a customer" && ofCustomers(route) {
					continue // the rows are the customer's
				}
				path := fill(t, route, func(key string) string { return rows[key][0] })
				if route.Path == "/search" {
					path += "?q=walk"
				}
				answer := caller.Do(t, route.Method, path, nil)
				require.Less(t, answer.Status, 500, "%s: %s", documentedAs(route), answer.Body)
				require.NotContains(t, but(rows, string(answer.Body)), canary, "%s: %s", name, documentedAs(route))
				requests++
			}
		}
		require.GreaterOrEqual(t, requests, 14)
	})
}

// A caller with all permissions in another tenant gets nothing of this tenant, on any
// route.
func TestNoRouteLeaksToAnotherTenant(t *testing.T) {
	onOwnPrograms(t, func(t *testing.T, p *apptest.Program) {
		owner, stranger, rows := p.Admin(t), p.Admin(t), map[string][]string{}
		canary := marked(t, owner, rows)
		requests := 0
		for _, route := range p.Routes() {
			if route.Stream || route.Public {
				continue
			}
			caller := stranger
			if slices.Contains(sessionOnly, documentedAs(route)) {
				caller = stranger.SignedIn(t)
			}
			path := fill(t, route, func(key string) string { return rows[key][0] })
			answer := caller.Do(t, route.Method, path, example(t, route), "If-Match", `"1-1"`)
			require.Less(t, answer.Status, 500, "%s: %s", documentedAs(route), answer.Body)
			require.NotContains(t, but(rows, string(answer.Body)), canary, documentedAs(route))
			requests++
		}
		require.Greater(t, requests, 150)
	})
}

// A customer gets nothing about another customer's actions, on any route for customers.
func TestNoRouteLeaksToAnotherCustomer(t *testing.T) {
	onOwnPrograms(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		customer := func(id string) *apptest.Caller {
			token, err := jwt.NewWithClaims(jwt.SigningMethodHS256, jwt.MapClaims{"sub": id, "tenant": owner.Tenant, "exp": time.Now().Add(time.Hour).Unix()}).SignedString([]byte(shopSecret))
			require.NoError(t, err)
			other := *owner
			other.Token = token
			return &other
		}
		one, other := customer("nightingale"), customer("robin")
		sku := newStock(t, owner)
		sale := created(t, owner, "/flash-sales", object{"name": unique("sale"), "sku": sku, "price": 990, "quantity": 4, "perUserLimit": 1, "startsTime": "2020-01-01T00:00:00Z", "endsTime": "2100-01-01T00:00:00Z"})
		path := fmt.Sprintf("/flash-sales/%.0f", sale["id"])
		as(t, owner, 200, "POST", path+"/open", nil)
		bought := as(t, one, 202, "POST", path+"/orders", object{"quantity": 1})
		ticket := bought.JSON(t)["ticket"].(string)
		as(t, one, 200, "GET", path+"/tickets/"+ticket, nil)
		as(t, one, 200, "POST", "/actions", object{"entityType": "item", "entityId": sku, "action": "like", "actionId": 1, "active": true})

		requests := 0
		for _, route := range p.Routes() {
			if route.Stream || route.Public || route.Permission != "" && !slices.Contains(actions.CustomerPermissions, route.Permission) {
				continue
			}
			path := fill(t, route, func(key string) string {
				switch key {
				case "flash-sales/:id":
					return fmt.Sprintf("%.0f", sale["id"])
				case "tickets/:ticket":
					return ticket
				}
				return newRow(t, owner, key)
			})
			answer := other.Do(t, route.Method, path, example(t, route), "If-Match", `"1-1"`)
			require.Less(t, answer.Status, 500, "%s: %s", documentedAs(route), answer.Body)
			require.NotContains(t, string(answer.Body), "nightingale", documentedAs(route))
			if strings.Contains(route.Path, ":ticket") {
				require.Equal(t, http.StatusNotFound, answer.Status, "%s: %s", documentedAs(route), answer.Body)
			} else {
				require.NotContains(t, string(answer.Body), ticket, documentedAs(route))
			}
			requests++
		}
		require.Greater(t, requests, 10)
		mine := as(t, other, 200, "GET", "/actions?entityType=item&entityId="+sku, nil)
		require.NotContains(t, string(mine.Body), `"isLiked":true`)
	})
}

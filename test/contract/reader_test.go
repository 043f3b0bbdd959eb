package contract_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/app"
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// textsOf lists the texts in a JSON value that are long enough to be distinctive.
func textsOf(value any) []string {
	switch value := value.(type) {
	case string:
		if len(value) > 7 {
			return []string{value}
		}
	case []any:
		var all []string
		for _, element := range value {
			all = append(all, textsOf(element)...)
		}
		return all
	case map[string]any:
		var all []string
		for name, member := range value {
			if name != "etag" {
				all = append(all, textsOf(member)...)
			}
		}
		return all
	}
	return nil
}

// Every route with If-Match receives the ETag of another row: the conflict returns the current row
// to a caller that may change it.
// Proves G7.8.
func TestConflictShowsTheResourceToItsWriter(t *testing.T) {
	versioned := func(route httpapi.Route) bool {
		if !writes(route) || !hasParameter(route) || route.Permission == "" || strings.HasSuffix(route.Permission, ":read") {
			return false
		}
		return takesIfMatch(t, route)
	}
	eachRoute(t, versioned, func(t *testing.T, w walk) {
		path, other := pathOf(t, w.route, w.owner), pathOf(t, w.route, w.owner)
		stale := []string{"If-Match", w.owner.Do(t, "GET", rowOf(w.route, other), nil).Header.Get("ETag")}
		writer := w.Caller(t, w.owner.Tenant, w.route.Permission)
		conflict := writer.Do(t, w.route.Method, path, example(t, w.route), stale...)
		require.Equal(t, http.StatusPreconditionFailed, conflict.Status, "%s", conflict.Body)
		require.NotEmpty(t, textsOf(conflict.JSON(t)["current"]))
		require.Equal(t, http.StatusOK, writer.Do(t, "GET", rowOf(w.route, path), nil).Status, "and may read it")
	})
}

// Proves G7.8.
func TestEveryPermissionIncludesReadingItsResource(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		reads := map[string]string{
			"configs": "/configs", "items": "/items", "orders": "/orders", "payments": "/payments", "refunds": "/refunds", "returns": "/returns", "wallets": "/wallets", "inventory": "/inventory",
			"coupons": "/coupons", "ledger": "/aggregates", "flash-sales": "/flash-sales", "work-orders": "/work-orders", "users": "/users",
			"access": "/roles", "tokens": "/tokens", "settings": "/settings", "approvals": "/approvals", "menus": "/menus", "actions": "/actions/items/none",
		}
		for _, grant := range names(app.Permissions()) {
			resource, verb, _ := strings.Cut(grant, ":")
			if path := reads[resource]; path != "" && verb != "read" {
				answer := p.Caller(t, owner.Tenant, grant).Do(t, "GET", httpapi.Base+path, nil)
				require.NotEqual(t, http.StatusForbidden, answer.Status, "%s: %s", grant, answer.Body)
			}
		}
		require.Equal(t, http.StatusForbidden, p.Caller(t, owner.Tenant, "configs:write").Do(t, "GET", httpapi.Base+"/orders", nil).Status)
		require.False(t, principal.Covers([]string{principal.Impersonate}, "customers:read"), "a user that acts for a customer does not see all")
	})
}

// takesIfMatch reports whether a route accepts a precondition.
func takesIfMatch(t *testing.T, route httpapi.Route) bool {
	return parameter(operationOf(t, route), "header", "If-Match") != nil
}

// rowOf returns the URL of the row that a route's path refers to.
func rowOf(route httpapi.Route, path string) string {
	segments, filled := strings.Split(route.Path, "/"), strings.Split(strings.TrimPrefix(path, httpapi.Base), "/")
	for i := len(segments) - 1; i >= 0; i-- {
		if strings.HasPrefix(segments[i], ":") {
			return httpapi.Base + strings.Join(filled[:i+1], "/")
		}
	}
	return path
}

// Proves G7.8.
func TestAuditLogHidesUnreadableResources(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		key := unique("canary")
		config := created(t, owner, "/configs", map[string]any{"key": key, "value": "nightingale", "valueType": "string"})
		deleted := owner.Do(t, "DELETE", httpapi.Base+"/configs/"+key, nil, "If-Match", config["etag"].(string))
		require.Equal(t, http.StatusNoContent, deleted.Status, "%s", deleted.Body)
		for _, row := range []func(*testing.T, *apptest.Caller) string{newWallet, newOrder, newCampaign, newRole, newMenu, newUser, newToken, newAggregate, newSale} {
			row(t, owner)
		}

		auditor := p.Caller(t, owner.Tenant, "audit:read")
		log := auditor.Do(t, "GET", httpapi.Base+"/audit-log?limit=200", nil)
		entries := log.JSON(t)["items"].([]any)
		require.NotEmpty(t, entries)
		for _, entry := range entries {
			detail, _ := entry.(map[string]any)["detail"].(map[string]any)
			require.NotEmpty(t, detail["withheld"], "%v", entry)
			require.Len(t, detail, 1, "%v", entry)
		}
		exported := auditor.Do(t, "GET", httpapi.Base+"/audit-log/export", nil)
		lines := bytes.Split(bytes.TrimSpace(exported.Body), []byte("\n"))
		require.GreaterOrEqual(t, len(lines), len(entries))
		for _, line := range lines[:len(lines)-1] {
			require.Contains(t, string(line), `"detail":{"withheld":`)
		}
		full := p.Caller(t, owner.Tenant, "audit:read", "configs:read").Do(t, "GET", httpapi.Base+"/audit-log?resource=configs/", nil)
		require.NotContains(t, string(full.Body), "withheld")
	})
}

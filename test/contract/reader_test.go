package contract_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// requireWithheld asserts that a refusal tells nothing but what a writer without the
// permission to read may know.
func requireWithheld(t *testing.T, full, told apptest.Answer, request string) {
	t.Helper()
	require.Equal(t, full.Status, told.Status, "%s", told.Body)
	require.Equal(t, full.Code(), told.Code())
	require.Contains(t, told.JSON(t)["detail"], ":read", "the sentence names the permission that is missing")
	for _, member := range []string{"current", "base", "updatedBy", "changedBy", "currentStatus", "allowedTransitions", "balance"} {
		require.NotContains(t, told.JSON(t), member)
	}
	for _, member := range []string{"currentVersion", "currentEtag"} {
		require.Equal(t, full.JSON(t)[member], told.JSON(t)[member], "versions are no values")
		require.True(t, full.Code() != "transition_not_allowed" || told.JSON(t)[member] != nil)
	}
	for _, value := range textsOf(full.JSON(t)["current"]) {
		if !strings.Contains(request, value) {
			require.NotContains(t, string(told.Body), value)
		}
	}
}

// textsOf lists the texts in a JSON value that are long enough to be told apart.
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

// Every route that takes If-Match is given the ETag of another row, which answers with the
// row as it is: to who may read it.
func TestAConflictTellsAWriterNoMoreThanItMayRead(t *testing.T) {
	versioned := func(route httpapi.Route) bool {
		if !writes(route) || !hasParameter(route) || route.Permission == "" || strings.HasSuffix(route.Permission, ":read") {
			return false
		}
		return takesIfMatch(t, route)
	}
	eachRoute(t, versioned, func(t *testing.T, w walk) {
		path, other := pathOf(t, w.route, w.owner), pathOf(t, w.route, w.owner)
		stale := []string{"If-Match", w.owner.Do(t, "GET", rowOf(w.route, other), nil).Header.Get("ETag")}
		full := w.owner.Do(t, w.route.Method, path, example(t, w.route), stale...)
		require.Equal(t, http.StatusPreconditionFailed, full.Status, "%s", full.Body)
		require.NotEmpty(t, textsOf(full.JSON(t)["current"]), "the one who may read is told what is there")

		writer := w.Caller(t, w.owner.Tenant, w.route.Permission)
		told := writer.Do(t, w.route.Method, path, example(t, w.route), stale...)
		requireWithheld(t, full, told, path+fmt.Sprint(example(t, w.route)))
		require.Equal(t, full.JSON(t)["currentVersion"], told.JSON(t)["currentVersion"])
	})
}

// takesIfMatch reports whether a route takes a precondition.
func takesIfMatch(t *testing.T, route httpapi.Route) bool {
	return parameter(operationOf(t, route), "header", "If-Match") != nil
}

// rowOf returns the address of the row that a filled path of a route is about.
func rowOf(route httpapi.Route, path string) string {
	segments, filled := strings.Split(route.Path, "/"), strings.Split(strings.TrimPrefix(path, httpapi.Base), "/")
	for i := len(segments) - 1; i >= 0; i-- {
		if strings.HasPrefix(segments[i], ":") {
			return httpapi.Base + strings.Join(filled[:i+1], "/")
		}
	}
	return path
}

// What is refused for other reasons than a stale version.
func TestARefusalTellsAWriterNoMoreThanItMayRead(t *testing.T) {
	cases := []struct {
		name, permission string
		// request prepares the refusal and returns the request that meets it.
		request func(t *testing.T, owner *apptest.Caller) (path string, body any)
		secret  string
	}{
		{"a duplicate", "configs:write", func(t *testing.T, owner *apptest.Caller) (string, any) {
			key := unique("canary")
			created(t, owner, "/configs", map[string]any{"key": key, "value": "nightingale", "valueType": "string"})
			return "/configs", map[string]any{"key": key, "value": "mine", "valueType": "string"}
		}, "nightingale"},
		{"a member of a batch", "configs:write", func(t *testing.T, owner *apptest.Caller) (string, any) {
			key := unique("canary")
			created(t, owner, "/configs", map[string]any{"key": key, "value": "nightingale", "valueType": "string"})
			return "/config-batches", map[string]any{"note": "", "changes": []any{map[string]any{"key": key, "op": "create", "patch": map[string]any{"value": "mine", "valueType": "string"}}}}
		}, "nightingale"},
		{"an import", "configs:write", func(t *testing.T, owner *apptest.Caller) (string, any) {
			key := unique("canary")
			created(t, owner, "/configs", map[string]any{"key": key, "value": "nightingale", "valueType": "string"})
			return "/configs/import", map[string]any{"configs": []any{map[string]any{"key": key, "value": "mine", "valueType": "string"}}}
		}, "changed it last"},
		{"a transition from another status", "orders:write", func(t *testing.T, owner *apptest.Caller) (string, any) {
			return "/orders/" + newOrder(t, owner) + "/complete", nil
		}, "Walked item"},
		{"a balance that is too small", "wallets:write", func(t *testing.T, owner *apptest.Caller) (string, any) {
			wallet := unique("canary")
			created(t, owner, "/wallets/"+wallet+"/entries", map[string]any{"amount": 54321, "kind": "topup", "reference": "opening"})
			return "/wallets/" + wallet + "/entries", map[string]any{"amount": -99999, "kind": "charge", "reference": "too much"}
		}, "54321"},
		{"a reference with other content", "wallets:write", func(t *testing.T, owner *apptest.Caller) (string, any) {
			wallet := unique("canary")
			created(t, owner, "/wallets/"+wallet+"/entries", map[string]any{"amount": 54321, "kind": "topup", "reference": "opening"})
			return "/wallets/" + wallet + "/entries", map[string]any{"amount": 1, "kind": "topup", "reference": "opening"}
		}, "54321"},
		{"a role that is held", "access:write", func(t *testing.T, owner *apptest.Caller) (string, any) {
			role := created(t, owner, "/roles", map[string]any{"name": unique("nightingale"), "permissions": []string{"configs:read"}})
			return "/roles", map[string]any{"name": role["name"], "permissions": []string{}}
		}, "configs:read"},
	}
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				path, body := c.request(t, owner)
				full := owner.Do(t, "POST", httpapi.Base+path, body)
				require.Equal(t, http.StatusConflict, full.Status, "%s", full.Body)
				told := p.Caller(t, owner.Tenant, c.permission).Do(t, "POST", httpapi.Base+path, body)
				text, err := json.Marshal(body)
				require.NoError(t, err)
				requireWithheld(t, full, told, path+string(text))
				require.NotContains(t, string(told.Body), c.secret)
			})
		}
	})
}

// What was answered to who may read is not told again to who may not any more.
func TestAReplayTellsNoMoreThanItsCallerMayReadNow(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		role := created(t, owner, "/roles", map[string]any{"name": unique("clerk"), "permissions": []string{"configs:read", "configs:write"}})
		name := unique("clerk")
		user := created(t, owner, "/users", map[string]any{"username": name, "password": "correct horse battery", "roles": []any{role["name"]}})
		clerk := owner.As(t, user["username"].(string))
		key := unique("canary")
		created(t, owner, "/configs", map[string]any{"key": key, "value": "nightingale", "valueType": "string"})
		again := func() apptest.Answer {
			return clerk.Do(t, "POST", httpapi.Base+"/configs", map[string]any{"key": key, "value": "mine", "valueType": "string"}, "X-Idempotency-Key", "duplicate")
		}
		full := again()
		require.Contains(t, string(full.Body), "nightingale")

		etag := role["etag"].(string)
		edited := owner.Do(t, "PATCH", fmt.Sprintf("%s/roles/%v", httpapi.Base, role["id"]), map[string]any{"permissions": []string{"configs:write"}}, "If-Match", etag)
		require.Equal(t, http.StatusOK, edited.Status, "%s", edited.Body)
		told := again()
		require.Equal(t, "true", told.Header.Get("X-Idempotency-Replay"))
		requireWithheld(t, full, told, key)
	})
}

func TestTheAuditLogTellsNoMoreThanItsReaderMayRead(t *testing.T) {
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

func TestABatchesVerdictsTellAWriterNoMoreThanItMayRead(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner := p.Admin(t)
		id := json.Number(newOrder(t, owner))
		batch := map[string]any{"action": "complete", "ids": []any{id}}
		verdict := func(c *apptest.Caller) map[string]any {
			answer := c.Do(t, "POST", httpapi.Base+"/order-batches", batch)
			require.Equal(t, http.StatusOK, answer.Status, "%s", answer.Body)
			return answer.JSON(t)["items"].([]any)[0].(map[string]any)
		}
		require.Equal(t, "pending", verdict(owner)["status"])
		told := verdict(p.Caller(t, owner.Tenant, "orders:write"))
		require.Equal(t, "conflict", told["verdict"])
		require.NotContains(t, told, "status")
		require.NotContains(t, told, "detail")
	})
}

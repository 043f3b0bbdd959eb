package config_test

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// byGit are the parameters of a change by the manager git:main.
const byGit = "?manager=git:main&revision=abc"

// owners returns the managers of a reply, by field.
func owners(t *testing.T, body map[string]any) map[string]string {
	t.Helper()
	managers := map[string]string{}
	for field, owner := range body["owner"].(map[string]any) {
		managers[field] = owner.(map[string]any)["manager"].(string)
	}
	return managers
}

// ok sends a request that must succeed.
func (a *api) ok(method, path, body string, headers ...string) answer {
	a.t.Helper()
	reply := a.send(method, path, body, headers...)
	require.Less(a.t, reply.status, 300, reply.text)
	return reply
}

func TestManagerOwnsTheFieldsThatItSets(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		made := a.ok("POST", "/configs"+byGit, `{"key":"shop.tax","value":0.2}`)
		require.Equal(t, map[string]string{"value": "git:main"}, owners(t, made.body))
		owner := made.body["owner"].(map[string]any)["value"].(map[string]any)
		require.Equal(t, "abc", owner["revision"])
		require.NotEmpty(t, owner["since"])
		require.Equal(t, made.text, a.ok("GET", "/configs/shop.tax", "").text)

		remarked := a.ok("PATCH", "/configs/shop.tax", `{"remark":"free"}`, "If-Match", made.header.Get("ETag"))
		require.Equal(t, map[string]string{"value": "git:main"}, owners(t, remarked.body), "a field without an owner is changed freely")

		repeated := a.ok("PATCH", "/configs/shop.tax?manager=git:main&revision=def", `{"value":0.2}`, "If-Match", remarked.header.Get("ETag"))
		require.Equal(t, remarked.text, repeated.text, "an owner that confirms its value writes nothing")
		confirmed := a.ok("PATCH", "/configs/shop.tax?manager=git:main&revision=def", `{"remark":"free"}`, "If-Match", remarked.header.Get("ETag"))
		require.Equal(t, map[string]string{"remark": "git:main", "value": "git:main"}, owners(t, confirmed.body))
		require.EqualValues(t, 3, confirmed.body["version"])
		changed := a.ok("PATCH", "/configs/shop.tax?manager=git:main&revision=fed", `{"value":0.3}`, "If-Match", confirmed.header.Get("ETag"))
		require.Equal(t, "fed", changed.body["owner"].(map[string]any)["value"].(map[string]any)["revision"])
		require.Equal(t, "def", changed.body["owner"].(map[string]any)["remark"].(map[string]any)["revision"])

		versions := a.ok("GET", "/configs/shop.tax/history", "").body["items"].([]any)
		require.Equal(t, changed.body["owner"], versions[0].(map[string]any)["owner"])
		require.Equal(t, map[string]string{"value": "git:main"}, owners(t, versions[2].(map[string]any)))
	})
}

// Every route that changes a config rejects a change of a field of another owner, by a user and by
// another manager, and accepts it with a reason.
func TestEveryRouteProtectsOwnedFields(t *testing.T) {
	edit := func(path, body string) func(a *api, query, etag string) answer {
		return func(a *api, query, etag string) answer { return a.send("PATCH", path+query, body, "If-Match", etag) }
	}
	batch := func(change string) func(a *api, query, etag string) answer {
		return func(a *api, query, etag string) answer {
			return a.send("POST", "/config-batches"+query, `{"changes":[{"key":"k",`+strings.Replace(change, "ETAG", strings.ReplaceAll(etag, `"`, `\"`), 1)+`}]}`)
		}
	}
	routes := map[string]struct {
		send func(a *api, query, etag string) answer
		code string
	}{
		"edit": {edit("/configs/k", `{"value":"mine"}`), "in_use"},
		"type": {edit("/configs/k", `{"value":"7","valueType":"number"}`), "in_use"},
		"flag": {edit("/configs/k", `{"secret":true}`), "in_use"},
		"merge": {func(a *api, q, etag string) answer {
			return edit("/configs/k", `{"value":"mine"}`)(a, q+"&merge=disjoint", etag)
		}, "in_use"},
		"overwrite": {func(a *api, q, etag string) answer {
			return edit("/configs/k", `{"value":"mine"}`)(a, q+"&overwrite=now", etag)
		}, "in_use"},
		"json patch": {func(a *api, q, etag string) answer {
			return a.send("PATCH", "/configs/k"+q, `[{"op":"replace","path":"/value","value":"mine"}]`, "If-Match", etag, "Content-Type", "application/json-patch+json")
		}, "in_use"},
		"delete": {func(a *api, q, etag string) answer { return a.send("DELETE", "/configs/k"+q, "", "If-Match", etag) }, "in_use"},
		"rollback": {func(a *api, q, etag string) answer {
			return a.send("POST", "/configs/k/rollback"+q, `{"toVersion":1}`, "If-Match", etag)
		}, "in_use"},
		"batch update": {batch(`"op":"update","etag":"ETAG","patch":{"value":"mine"}`), "batch_conflict"},
		"batch delete": {batch(`"op":"delete","etag":"ETAG"`), "batch_conflict"},
		"import": {func(a *api, q, _ string) answer {
			return a.send("POST", "/configs/import"+q, `{"onExisting":"update","configs":[{"key":"k","value":"mine","secret":true}]}`)
		}, "batch_conflict"},
		"scheduled": {edit("/configs/k", `{"value":"mine"}`), "in_use"},
	}
	onBothEngines(t, func(t *testing.T, a *api) {
		for name, route := range routes {
			a.ok("POST", "/configs", `{"key":"k","value":"free"}`)
			first := a.ok("GET", "/configs/k", "").header.Get("ETag")
			owned := a.ok("PATCH", "/configs/k"+byGit, `{"value":"git's","secret":false}`, "If-Match", first)
			etag := owned.header.Get("ETag")
			queries := map[string]string{"user": "?", "other manager": "?manager=argo"}
			if name == "scheduled" {
				queries = map[string]string{"user": "?effectiveTime=2999-01-01T00:00:00Z"}
			}
			for caller, query := range queries {
				reply := route.send(a, query, etag)
				require.Equal(t, route.code, reply.code(), "%s by %s: %s", name, caller, reply.text)
				require.Contains(t, reply.text, "git:main", "%s by %s", name, caller)
				require.Equal(t, owned.text, a.ok("GET", "/configs/k", "").text, "%s by %s", name, caller)
			}
			if name == "scheduled" {
				a.ok("DELETE", "/configs/k?takeOver=end", "", "If-Match", etag)
				continue
			}
			taken := route.send(a, "?takeOver=the%20deploy%20is%20broken", etag)
			require.Less(t, taken.status, 300, "%s: %s", name, taken.text)
			version := newest(a, "/configs/k")
			require.Contains(t, version["note"], "the deploy is broken", name)
			if version["action"] != "delete" {
				by := owners(t, version)
				require.Contains(t, slices.Collect(maps.Values(by)), "user:Tester", name)
				a.ok("DELETE", "/configs/k?takeOver=end", "", "If-Match", a.ok("GET", "/configs/k", "").header.Get("ETag"))
			}
		}
	})
}

func TestUserTakingFieldsOverExcludesTheManager(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		made := a.ok("POST", "/configs"+byGit, `{"key":"k","value":"git's"}`)
		taken := a.ok("PATCH", "/configs/k?takeOver=incident", `{"value":"hotfix"}`, "If-Match", made.header.Get("ETag"))
		etag := taken.header.Get("ETag")
		back := a.send("PATCH", "/configs/k"+byGit, `{"value":"git's"}`, "If-Match", etag)
		require.Equal(t, "in_use", back.code(), back.text)
		require.Equal(t, "hotfix", a.ok("GET", "/configs/k", "").body["value"])
		require.Equal(t, "in_use", a.send("PATCH", "/configs/k"+byGit, `{"value":"hotfix"}`, "If-Match", etag).code(), "confirming another owner's value")

		edited := a.ok("PATCH", "/configs/k", `{"value":"second"}`, "If-Match", etag)
		again := a.ok("PATCH", "/configs/k"+byGit+"&takeOver=merged", `{"value":"second"}`, "If-Match", edited.header.Get("ETag"))
		require.Equal(t, map[string]string{"value": "git:main"}, owners(t, again.body))
		require.Equal(t, "second", again.body["value"])
		require.Equal(t, "merged", newest(a, "/configs/k")["note"])
	})
}

// A managed import owns the fields that it sets, also those that it does not change.
func TestManagedImportOwnsItsFields(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.ok("POST", "/configs", `{"key":"k","value":1}`)
		document := `{"onExisting":"update","configs":[{"key":"k","value":1},{"key":"new","value":2,"remark":"r"}]}`
		counts := func(reply answer) any { return reply.body["counts"].(map[string]any)["unchanged"] }
		require.EqualValues(t, 0, counts(a.ok("POST", "/configs/import"+byGit, document)))
		require.Equal(t, map[string]string{"value": "git:main"}, owners(t, a.ok("GET", "/configs/k", "").body))
		require.Equal(t, map[string]string{"value": "git:main", "remark": "git:main"}, owners(t, a.ok("GET", "/configs/new", "").body))
		require.EqualValues(t, 2, counts(a.ok("POST", "/configs/import"+byGit, document)))
		require.EqualValues(t, 2, counts(a.ok("POST", "/configs/import", document)), "a user who imports the same content")
	})
}

func TestOwnerParametersAreValidated(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		for _, query := range []string{"?manager=", "?manager=user:li", "?manager=a%20b", "?revision=abc", "?manager=git&revision=", "?takeOver=", "?takeOver=%20"} {
			reply := a.send("POST", "/configs"+query, `{"key":"k","value":1}`)
			require.Equal(t, "malformed_request", reply.code(), query)
		}
		require.Equal(t, "malformed_request", a.send("POST", "/configs", `{"key":"k","value":1,"owner":{}}`).code())
		made := a.ok("POST", "/configs", `{"key":"k","value":1}`)
		for body, kind := range map[string]string{`{"owner":{}}`: "application/merge-patch+json", `[{"op":"add","path":"/owner/value","value":"me"}]`: "application/json-patch+json"} {
			reply := a.send("PATCH", "/configs/k", body, "If-Match", made.header.Get("ETag"), "Content-Type", kind)
			require.Equal(t, http.StatusBadRequest, reply.status, reply.text)
		}
	})
}

// The approval of a managed change makes its manager the owner, not the approver.
func TestApprovedChangeHasItsManager(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		made := a.ok("POST", "/configs", `{"key":"k","value":1,"protected":true}`)
		waiting := a.send("PATCH", "/configs/k"+byGit, `{"value":2}`, "If-Match", made.header.Get("ETag"))
		require.Equal(t, http.StatusAccepted, waiting.status, waiting.text)
		a.approve()
		owned := a.ok("GET", "/configs/k", "")
		require.EqualValues(t, 2, owned.body["value"])
		require.Equal(t, map[string]string{"value": "git:main"}, owners(t, owned.body))

		etag := owned.header.Get("ETag")
		require.Equal(t, "in_use", a.send("PATCH", "/configs/k", `{"value":3}`, "If-Match", etag).code())
		confirmed := a.send("PATCH", "/configs/k"+byGit, `{"protected":true,"remark":""}`, "If-Match", etag)
		require.Equal(t, http.StatusAccepted, confirmed.status, "a change of the owner alone: "+confirmed.text)
		a.approve()
		owned = a.ok("GET", "/configs/k", "")
		require.Equal(t, map[string]string{"protected": "git:main", "remark": "git:main", "value": "git:main"}, owners(t, owned.body))

		taken := a.send("POST", "/config-batches?takeOver=incident", `{"note":"hotfix","changes":[{"key":"k","op":"update","etag":`+quoted(owned.header.Get("ETag"))+`,"patch":{"value":3}}]}`)
		require.Equal(t, http.StatusAccepted, taken.status, taken.text)
		require.Equal(t, "hotfix / incident", taken.body["note"])
		a.approve()
		require.Equal(t, "hotfix / incident", newest(a, "/configs/k")["note"])
		require.True(t, strings.HasPrefix(owners(t, a.ok("GET", "/configs/k", "").body)["value"], "user:"))

		removed := a.send("DELETE", "/configs/k?takeOver=end", "", "If-Match", a.ok("GET", "/configs/k", "").header.Get("ETag"))
		require.Equal(t, http.StatusAccepted, removed.status, removed.text)
		a.approve()
		require.Equal(t, "end", newest(a, "/configs/k")["note"])
	})
}

// A stale proposal of a user cannot be rebased onto a field that a manager owns since.
func TestRebaseRespectsOwners(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		made := a.ok("POST", "/configs", `{"key":"k","value":{"a":1,"b":1},"protected":true}`)
		waiting := a.send("PATCH", "/configs/k", `{"value":{"a":2}}`, "If-Match", made.header.Get("ETag"))
		require.Equal(t, http.StatusAccepted, waiting.status, waiting.text)
		proposed := a.waiting()
		require.Equal(t, http.StatusAccepted, a.send("PATCH", "/configs/k"+byGit, `{"value":{"b":2}}`, "If-Match", made.header.Get("ETag")).status)
		a.approve()
		stale, err := a.approvals.Approval(a.Ctx, proposed.ID)
		require.NoError(t, err)
		err = a.do(a.Ctx, func(ctx context.Context, u *uow.Unit) error {
			_, err := a.approvals.Rebase(ctx, u, stale, guard.Precondition{Ref: stale.Ref()})
			return err
		})
		require.True(t, apperr.Has(err, apperr.InUse), "%v", err)
	})
}

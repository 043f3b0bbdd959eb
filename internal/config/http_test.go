package config_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/config"
	"interlock/internal/edge/httpapi"
)

// asTester authenticates requests with the header X-Tester, which lists the permissions.
type asTester struct{ principal.Principal }

func (a asTester) Authenticate(r *http.Request) (principal.Principal, error) {
	permissions := r.Header.Get("X-Tester")
	if permissions == "" {
		return principal.Principal{}, apperr.New(apperr.Unauthenticated, "Sign in.")
	}
	p := a.Principal
	p.Permissions = strings.Split(permissions, ",")
	return p, nil
}

// api is a server with the routes of configs.
type api struct {
	*registry
	server *httpapi.Server
	url    string
}

func newAPI(t *testing.T, ctx context.Context, db *storage.DB) *api {
	w := newRegistry(t, ctx, db)
	p, _ := principal.From(ctx)
	server := httpapi.NewServer(httpapi.Options{Runner: w.Runner, Authenticator: asTester{p}})
	config.Routes(server.Router(), w.Service)
	listener := httptest.NewServer(server)
	t.Cleanup(listener.Close)
	return &api{registry: w, server: server, url: listener.URL + httpapi.Base}
}

// at returns the api with another prefix of its paths.
func (a *api) at(prefix string) *api {
	other := *a
	other.url = strings.TrimSuffix(a.url, httpapi.Base) + prefix
	return &other
}

func onBothEngines(t *testing.T, test func(t *testing.T, a *api)) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) { test(t, newAPI(t, ctx, db)) })
}

// answer is a complete response.
type answer struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (a answer) code() any { return a.body["code"] }

// fields lists the pointers of a problem.
func (a answer) fields() []string {
	var list []string
	fields, _ := a.body["fields"].([]any)
	for _, f := range fields {
		list = append(list, f.(map[string]any)["pointer"].(string))
	}
	return list
}

func (a *api) send(method, path, body string, headers ...string) answer {
	a.t.Helper()
	out := a.exchange(method, path, body, headers...)
	if out.text != "" {
		require.NoError(a.t, json.Unmarshal([]byte(out.text), &out.body), out.text)
	}
	return out
}

// plain sends a GET; the reply may not be JSON.
func (a *api) plain(path string, headers ...string) answer {
	a.t.Helper()
	return a.exchange("GET", path, "", headers...)
}

func (a *api) exchange(method, path, body string, headers ...string) answer {
	a.t.Helper()
	request, err := http.NewRequestWithContext(a.Ctx, method, a.url+path, strings.NewReader(body))
	require.NoError(a.t, err)
	request.Header.Set("X-Tester", "configs:*")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	reply, err := http.DefaultClient.Do(request)
	require.NoError(a.t, err)
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	require.NoError(a.t, err)
	return answer{status: reply.StatusCode, header: reply.Header, text: string(raw)}
}

// Proves G6.5.
func TestOverwriteNeedsPermissionAndRecordsDestroyedMembers(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		seen := a.send("POST", "/configs", `{"key":"shop.tax","value":"v1","remark":"r1"}`).header.Get("ETag")
		theirs := a.send("PATCH", "/configs/shop.tax", `{"value":"theirs","remark":"their remark"}`, "If-Match", seen)
		require.Equal(t, http.StatusOK, theirs.status)
		const why = "?overwrite=the%20campaign%20starts%20now"
		mine := `{"value":"mine"}`
		refused := func(want string, path string, permissions string) {
			t.Helper()
			answer := a.send("PATCH", "/configs/shop.tax"+path, mine, "If-Match", seen, "X-Tester", permissions)
			require.Equal(t, want, answer.code(), answer.text)
		}
		refused("forbidden", why, "configs:read,configs:write")
		refused("malformed_request", "?overwrite=", "configs:*")
		refused("malformed_request", "?overwrite=%20", "configs:*")
		refused("malformed_request", "?overwrite="+strings.Repeat("x", 501), "configs:*")
		refused("malformed_request", why+"&merge=disjoint", "configs:*")
		refused("version_conflict", "", "configs:*")
		require.Equal(t, theirs.text, a.send("GET", "/configs/shop.tax", "").text)

		over := a.send("PATCH", "/configs/shop.tax"+why, mine, "If-Match", seen)
		require.Equal(t, http.StatusOK, over.status, over.text)
		require.Equal(t, "mine", over.body["value"])
		require.Equal(t, "r1", over.body["remark"], "the author's page, whole")
		require.EqualValues(t, 3, over.body["version"])
		require.Equal(t, []any{"remark", "value"}, over.body["overwrote"])

		caller, _ := principal.From(a.Ctx)
		var audit struct{ Note, Detail string }
		require.NoError(t, a.DB.Read(a.Ctx).Raw(
			"SELECT note, detail FROM audit_entries WHERE tenant_id = ? AND resource = 'configs/shop.tax' ORDER BY id DESC LIMIT 1", caller.TenantID).Scan(&audit).Error)
		require.Equal(t, "the campaign starts now", audit.Note)
		require.JSONEq(t, `{"fromVersion":2,"toVersion":3,"changed":["remark","value"],"destroyed":{"remark":"their remark","value":"theirs"}}`, audit.Detail)
		history := a.send("GET", "/configs/shop.tax/history", "").body["items"].([]any)
		require.Equal(t, "the campaign starts now", history[0].(map[string]any)["note"])
		require.Equal(t, "overwrite", history[0].(map[string]any)["action"], "the history names the author and the reason")

		fresh := a.send("PATCH", "/configs/shop.tax"+why, `{"value":"next"}`, "If-Match", over.header.Get("ETag"))
		require.Equal(t, http.StatusOK, fresh.status)
		require.NotContains(t, fresh.body, "overwrote", "nothing was in the way")
		gone := a.send("PATCH", "/configs/shop.tax"+why, mine, "If-Match", `"made-up"`)
		require.Equal(t, "version_conflict", gone.code(), "the base of the author is unknown")
	})
}

func TestConfigLifecycleOverHTTP(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		made := a.send("POST", "/configs", `{"key":"shop.tax","value":{"rate":7.50},"remark":"percent","schema":{"type":"object"}}`)
		require.Equal(t, http.StatusCreated, made.status, made.text)
		require.Equal(t, "/api/v1/configs/shop.tax", made.header.Get("Location"))
		etag := made.header.Get("ETag")
		require.Equal(t, etag, made.body["etag"])
		require.Equal(t, "json", made.body["valueType"])
		require.Equal(t, false, made.body["protected"])
		require.EqualValues(t, 1, made.body["version"])
		require.Contains(t, made.text, `"value":{"rate":7.50}`)

		read := a.send("GET", "/configs/shop.tax", "")
		require.Equal(t, made.text, read.text)
		require.Equal(t, http.StatusNotModified, a.send("GET", "/configs/shop.tax", "", "If-None-Match", etag).status)

		edited := a.send("PATCH", "/configs/shop.tax", `{"value":{"reduced":5},"remark":null,"schema":null}`, "If-Match", etag)
		require.Equal(t, http.StatusOK, edited.status, edited.text)
		require.Equal(t, map[string]any{"rate": 7.5, "reduced": 5.0}, edited.body["value"])
		require.Equal(t, "", edited.body["remark"])
		require.NotContains(t, edited.body, "schema")
		require.NotContains(t, edited.body, "merged")

		stale := a.send("PATCH", "/configs/shop.tax", `{"value":{"rate":9}}`, "If-Match", etag)
		require.Equal(t, http.StatusPreconditionFailed, stale.status)
		require.Equal(t, "version_conflict", stale.code())
		require.Equal(t, edited.header.Get("ETag"), stale.body["currentEtag"])
		require.Equal(t, []any{"/remark", "/schema", "/value/reduced"}, stale.body["theirsOnly"])
		require.Equal(t, []any{"/value/rate"}, stale.body["yoursOnly"])
		require.Equal(t, true, stale.body["autoMergeable"])

		merged := a.send("PATCH", "/configs/shop.tax?merge=disjoint", `{"value":{"rate":9}}`, "If-Match", etag)
		require.Equal(t, http.StatusOK, merged.status, merged.text)
		require.Equal(t, map[string]any{"fromVersion": 1.0, "keptTheirs": []any{"/remark", "/schema", "/value/reduced"}}, merged.body["merged"])

		back := a.send("POST", "/configs/shop.tax/rollback", `{"toVersion":1,"note":"enough"}`, "If-Match", merged.header.Get("ETag"))
		require.Equal(t, http.StatusOK, back.status, back.text)
		require.EqualValues(t, 4, back.body["version"])
		require.Equal(t, map[string]any{"rate": 7.5}, back.body["value"])

		require.Equal(t, http.StatusNoContent, a.send("DELETE", "/configs/shop.tax", "", "If-Match", back.header.Get("ETag")).status)
		require.Equal(t, http.StatusNotFound, a.send("GET", "/configs/shop.tax", "").status)
		history := a.send("GET", "/configs/shop.tax/history?limit=2", "")
		require.EqualValues(t, 5, history.body["total"])
		newest := history.body["items"].([]any)[1].(map[string]any)
		require.Equal(t, "rollback", newest["action"])
		require.Equal(t, "enough", newest["note"])
		require.Equal(t, map[string]any{"id": 7.0, "name": "Tester"}, newest["changedBy"])
	})
}

func TestRejectionsFollowTheOrderOfChecks(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		etag := a.create("a", text("x")).Ref().ETag()
		before := a.traces()
		deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
		for _, c := range []struct {
			name, method, path, body string
			headers                  []string
			status                   int
			code                     string
			fields                   []string
		}{
			{"no credentials", "GET", "/configs/a", "", []string{"X-Tester", ""}, 401, "unauthenticated", nil},
			{"reading needs configs:read", "GET", "/configs/a", "", []string{"X-Tester", "orders:read"}, 403, "forbidden", nil},
			{"watching needs configs:read", "GET", "/configs/watch", "", []string{"X-Tester", "orders:read"}, 403, "forbidden", nil},
			{"editing needs configs:write", "PATCH", "/configs/none", "", []string{"X-Tester", "configs:read"}, 403, "forbidden", nil},
			{"batches need configs:write", "POST", "/config-batches", "", []string{"X-Tester", "configs:read"}, 403, "forbidden", nil},
			{"an unknown key before shape", "PATCH", "/configs/none", "{", nil, 404, "not_found", nil},
			{"an unknown key's history before shape", "GET", "/configs/none/history?limit=-1", "", nil, 404, "not_found", nil},
			{"overwriting needs its permission before existence", "PATCH", "/configs/none?overwrite=why", "{}", []string{"X-Tester", "configs:write"}, 403, "forbidden", nil},
			{"an unknown parameter", "GET", "/configs?keyPrefix=shop", "", nil, 400, "malformed_request", []string{"?keyPrefix"}},
			{"a parameter of another route", "DELETE", "/configs/a?merge=disjoint", "", []string{"If-Match", etag}, 400, "malformed_request", []string{"?merge"}},
			{"a long key", "GET", "/configs/" + strings.Repeat("k", 10_000), "", nil, 404, "not_found", nil},
			{"a padded key, which MySQL treats as equal", "GET", "/configs/a%20", "", nil, 404, "not_found", nil},
			{"shape before precondition", "PATCH", "/configs/a", `{"valeu":1}`, nil, 400, "malformed_request", []string{"/valeu"}},
			{"the key never changes", "PATCH", "/configs/a", `{"key":"b"}`, nil, 400, "malformed_request", []string{"/key"}},
			{"nor is the version sent", "PATCH", "/configs/a", `{"version":2}`, nil, 400, "malformed_request", []string{"/version"}},
			{"a type that is not text", "PATCH", "/configs/a", `{"valueType":1}`, nil, 400, "malformed_request", []string{"/valueType"}},
			{"a type that is null", "PATCH", "/configs/a", `{"valueType":null}`, nil, 400, "malformed_request", []string{"/valueType"}},
			{"an invalid schema", "PATCH", "/configs/a", `{"schema":[]}`, nil, 400, "malformed_request", []string{"/schema"}},
			{"protected that is not a boolean", "PATCH", "/configs/a", `{"protected":"no"}`, nil, 400, "malformed_request", []string{"/protected"}},
			{"a member twice", "PATCH", "/configs/a", `{"value":1,"value":2}`, nil, 400, "malformed_request", []string{"/value"}},
			{"too deep", "PATCH", "/configs/a", `{"value":` + deep + `}`, nil, 400, "malformed_request", nil},
			{"a patch that is not an object", "PATCH", "/configs/a", `[]`, nil, 400, "malformed_request", []string{""}},
			{"a NUL", "PATCH", "/configs/a", `{"value":"\u0000"}`, nil, 400, "malformed_request", []string{"/value"}},
			{"invalid UTF-8", "PATCH", "/configs/a", "{\"value\":\"\xff\"}", nil, 400, "malformed_request", []string{"/value"}},
			{"an unknown way to merge", "PATCH", "/configs/a?merge=all", `{"value":"y"}`, nil, 400, "malformed_request", []string{"?merge"}},
			{"an empty way to merge", "PATCH", "/configs/a?merge=", `{"value":"y"}`, nil, 400, "malformed_request", []string{"?merge"}},
			{"too long a body", "PATCH", "/configs/a", `{"value":"` + strings.Repeat("x", 1<<20) + `"}`, nil, 413, "payload_too_large", nil},
			{"no precondition", "PATCH", "/configs/a", `{"valueType":"none"}`, nil, 428, "precondition_required", nil},
			{"any version", "PATCH", "/configs/a", `{"value":"y"}`, []string{"If-Match", "*"}, 400, "precondition_malformed", nil},
			{"a weak tag", "PATCH", "/configs/a", `{"value":"y"}`, []string{"If-Match", "W/" + `"made-up"`}, 412, "version_conflict", nil},
			{"a tag of no row", "PATCH", "/configs/a", `{"value":"y"}`, []string{"If-Match", `"made-up"`}, 412, "version_conflict", nil},
			{"precondition before rules", "PATCH", "/configs/a", `{"valueType":"none"}`, []string{"If-Match", `"made-up"`}, 412, "version_conflict", nil},
			{"a rule", "PATCH", "/configs/a", `{"valueType":"none"}`, []string{"If-Match", etag}, 422, "validation_failed", []string{"/valueType"}},
			{"a value that is removed", "PATCH", "/configs/a", `{"value":null}`, []string{"If-Match", etag}, 422, "validation_failed", []string{"/value"}},
			{"a deletion without precondition", "DELETE", "/configs/a", "", nil, 428, "precondition_required", nil},
			{"a rollback without precondition", "POST", "/configs/a/rollback", `{"toVersion":1}`, nil, 428, "precondition_required", nil},
			{"a rollback to text", "POST", "/configs/a/rollback", `{"toVersion":"1"}`, nil, 400, "malformed_request", []string{"/toVersion"}},
			{"a rollback with a long note", "POST", "/configs/a/rollback", `{"toVersion":1,"note":"` + strings.Repeat("x", 501) + `"}`, []string{"If-Match", etag}, 422, "validation_failed", []string{"/note"}},
			{"a stale rollback with a long note", "POST", "/configs/a/rollback", `{"toVersion":1,"note":"` + strings.Repeat("x", 501) + `"}`, []string{"If-Match", `"made-up"`}, 412, "version_conflict", nil},
			{"a rollback beyond int64", "POST", "/configs/a/rollback", `{"toVersion":99999999999999999999}`, nil, 400, "malformed_request", []string{"/toVersion"}},
			{"an unknown member of a creation", "POST", "/configs", `{"key":"b","value":1,"extra":1}`, nil, 400, "malformed_request", []string{"/extra"}},
			{"an empty creation", "POST", "/configs", `{}`, nil, 422, "validation_failed", []string{"/key", "/value"}},
			{"a key that is an address", "POST", "/configs", `{"key":"watch","value":1}`, nil, 422, "validation_failed", []string{"/key"}},
			{"a long key of a creation", "POST", "/configs", `{"key":"` + strings.Repeat("k", 10_000) + `","value":1}`, nil, 422, "validation_failed", []string{"/key"}},
			{"a key that exists", "POST", "/configs", `{"key":"a","value":1}`, nil, 409, "already_exists", nil},
			{"an unknown sort", "GET", "/configs?sort=value", "", nil, 400, "malformed_request", []string{"?sort"}},
			{"a negative limit", "GET", "/configs?limit=-1", "", nil, 400, "malformed_request", []string{"?limit"}},
			{"a search text that no engine accepts", "GET", "/configs?q=" + strings.Repeat("x", 60_000), "", nil, 400, "malformed_request", []string{"?q"}},
			{"an illegal cursor", "GET", "/configs?cursor=x", "", nil, 400, "malformed_request", []string{"?cursor"}},
			{"an unknown type", "GET", "/configs?valueType=int", "", nil, 400, "malformed_request", []string{"?valueType"}},
			{"an unknown dry run", "POST", "/configs/import?dryRun=1", `{}`, nil, 400, "malformed_request", []string{"?dryRun"}},
			{"an import of nothing", "POST", "/configs/import", `{}`, nil, 422, "validation_failed", []string{"/configs"}},
			{"an unknown import mode", "POST", "/configs/import", `{"configs":[],"onExisting":"replace"}`, nil, 422, "validation_failed", []string{"/onExisting"}},
			{"a revision that is none", "GET", "/configs/watch?after=x", "", nil, 400, "malformed_request", []string{"?after"}},
			{"a last event that is none", "GET", "/configs/watch", "", []string{"Last-Event-ID", "x"}, 400, "malformed_request", []string{"Last-Event-ID"}},
			{"a negative revision", "GET", "/configs/watch?after=-1", "", nil, 400, "malformed_request", []string{"?after"}},
			{"an empty batch", "POST", "/config-batches", `{"changes":[]}`, nil, 422, "validation_failed", []string{"/changes"}},
			{"too large a batch", "POST", "/config-batches", `{"changes":[` + strings.Repeat(`{"key":"k","op":"delete"},`, 500) + `{"key":"k","op":"delete"}]}`, nil, 422, "validation_failed", []string{"/changes"}},
			{"an unknown operation", "POST", "/config-batches", `{"changes":[{"key":"a","op":"move"}]}`, nil, 422, "validation_failed", []string{"/changes/0/op"}},
			{"a batch without precondition", "POST", "/config-batches", `{"changes":[{"key":"b","op":"create","patch":{"value":1}},{"key":"a","op":"delete"}]}`, nil, 428, "precondition_required", []string{"/changes/1/etag"}},
			{"a batch with any version", "POST", "/config-batches", `{"changes":[{"key":"a","op":"delete","etag":"*"}]}`, nil, 400, "precondition_malformed", []string{"/changes/0/etag"}},
			{"a key twice in a batch", "POST", "/config-batches", `{"changes":[{"key":"b","op":"create","patch":{"value":1}},{"key":"b","op":"create","patch":{"value":1}}]}`, nil, 422, "validation_failed", []string{"/changes/1/key"}},
			{"a misplaced etag", "POST", "/config-batches", `{"changes":[{"key":"b","op":"create","etag":"x","patch":{"value":1}}]}`, nil, 422, "validation_failed", []string{"/changes/0/etag"}},
			{"a missing patch", "POST", "/config-batches", `{"changes":[{"key":"b","op":"create"}]}`, nil, 422, "validation_failed", []string{"/changes/0/patch"}},
			{"a misplaced patch", "POST", "/config-batches", `{"changes":[{"key":"a","op":"delete","etag":"x","patch":{}}]}`, nil, 422, "validation_failed", []string{"/changes/0/patch"}},
			{"an unknown member in a batch", "POST", "/config-batches", `{"changes":[{"key":"b","op":"create","patch":{"valeu":1}}]}`, nil, 400, "malformed_request", []string{"/changes/0/patch/valeu"}},
			{"a wrong type in a batch", "POST", "/config-batches", `{"changes":[{"key":"a","op":"update","patch":{"remark":1}}]}`, nil, 400, "malformed_request", []string{"/changes/0/patch/remark"}},
			{"a rule in a batch", "POST", "/config-batches", fmt.Sprintf(`{"changes":[{"key":"a","op":"update","etag":%q,"patch":{"value":1}}]}`, etag), nil, 422, "validation_failed", []string{"/changes/0/patch/value"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				got := a.send(c.method, c.path, c.body, c.headers...)
				require.Equal(t, c.status, got.status, got.text)
				require.Equal(t, c.code, got.code())
				if c.fields != nil {
					require.Equal(t, c.fields, got.fields())
				}
				require.Less(t, len(got.text), 4096)
			})
		}
		require.Equal(t, before, a.traces())
	})
}

func TestHTTPBatchNamesStaleMember(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		one, two := a.create("one", text("1")), a.create("two", text("1"))
		now := a.mustEdit("two", two.Ref(), `{"value":"2"}`)
		body := func(etag string) string {
			return fmt.Sprintf(`{"note":"n","changes":[{"key":"one","op":"update","etag":%q,"patch":{"value":"x"}},
				{"key":"two","op":"update","etag":%q,"patch":{"value":"x"}},{"key":"three","op":"create","patch":{"value":3}}]}`, one.Ref().ETag(), etag)
		}
		refused := a.send("POST", "/config-batches", body(two.Ref().ETag()))
		require.Equal(t, http.StatusConflict, refused.status, refused.text)
		require.Equal(t, "batch_conflict", refused.code())
		conflicts := refused.body["conflicts"].([]any)
		require.Len(t, conflicts, 1)
		conflict := conflicts[0].(map[string]any)
		require.EqualValues(t, 1, conflict["index"])
		require.Equal(t, "version_conflict", conflict["code"])
		require.Equal(t, now.Ref().ETag(), conflict["currentEtag"])
		require.Equal(t, "/value", conflict["conflicts"].([]any)[0].(map[string]any)["pointer"])

		landed := a.send("POST", "/config-batches", body(now.Ref().ETag()))
		require.Equal(t, http.StatusOK, landed.status, landed.text)
		require.Len(t, landed.body["results"], 3)
		require.Equal(t, `3`, a.get("three").Value)
	})
}

// Proves G1.6.
func TestJSONPatchSetsMembersToNull(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		row := a.create("a", object(`{"b":1.50,"c":{"d":2}}`))
		patch := func(query, etag, operations string) answer {
			return a.send("PATCH", "/configs/a"+query, operations, "If-Match", etag, "Content-Type", "application/json-patch+json")
		}
		done := patch("", row.Ref().ETag(), `[{"op":"replace","path":"/value/c/d","value":null},{"op":"add","path":"/value/n","value":null}]`)
		require.Equal(t, http.StatusOK, done.status, done.text)
		require.Equal(t, `{"b":1.50,"c":{"d":null},"n":null}`, a.get("a").Value)

		merged := patch("?merge=disjoint", row.Ref().ETag(), `[{"op":"add","path":"/remark","value":"kept"}]`)
		require.Equal(t, http.StatusOK, merged.status, merged.text)
		require.Equal(t, `{"b":1.50,"c":{"d":null},"n":null}`, a.get("a").Value)
		require.Equal(t, "kept", a.get("a").Remark)
		stale := patch("?merge=disjoint", row.Ref().ETag(), `[{"op":"replace","path":"/value/c/d","value":3}]`)
		require.Equal(t, http.StatusPreconditionFailed, stale.status, stale.text)
	})
}

func TestHTTPExportCanBeImportedUnchanged(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		a.create("a", object(`{"b":1}`))
		a.create("c", config.Content{Value: `"7"`, ValueType: config.Number, Schema: `{"minimum":1}`})
		export := a.send("GET", "/configs/export", "")
		require.Equal(t, http.StatusOK, export.status)
		require.Contains(t, export.header.Get("Content-Disposition"), "attachment")

		report := a.send("POST", "/configs/import?dryRun=true", export.text)
		require.Equal(t, http.StatusOK, report.status, report.text)
		require.Equal(t, true, report.body["dryRun"])
		require.EqualValues(t, 2, report.body["counts"].(map[string]any)["unchanged"])

		changed := strings.Replace(export.text, `{"b":1}`, `{"b":2}`, 1)
		conflict := a.send("POST", "/configs/import", changed)
		require.Equal(t, http.StatusConflict, conflict.status)
		require.Len(t, conflict.body["verdicts"], 1)
		applied := a.send("POST", "/configs/import", `{"onExisting":"update",`+strings.TrimPrefix(changed, "{"))
		require.Equal(t, http.StatusOK, applied.status, applied.text)
		require.Equal(t, `{"b":2}`, a.get("a").Value)
	})
}

// stream reads the events of one watch.
type stream struct {
	t     *testing.T
	reply *http.Response
	lines *bufio.Scanner
}

func (a *api) stream(t *testing.T, query string, headers ...string) *stream {
	request, err := http.NewRequestWithContext(a.Ctx, http.MethodGet, a.url+"/configs/watch"+query, nil)
	require.NoError(t, err)
	request.Header.Set("X-Tester", "configs:read")
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	client := &http.Client{Timeout: patience}
	reply, err := client.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { reply.Body.Close(); client.CloseIdleConnections() })
	require.Equal(t, http.StatusOK, reply.StatusCode)
	require.Equal(t, "text/event-stream", reply.Header.Get("Content-Type"))
	return &stream{t: t, reply: reply, lines: bufio.NewScanner(reply.Body)}
}

// next returns the next event; after the end of the stream its name is "".
func (s *stream) next() (id, name string, data map[string]any) {
	for s.lines.Scan() {
		key, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch key {
		case "id":
			id = value
		case "event":
			name = value
		case "data":
			require.NoError(s.t, json.Unmarshal([]byte(value), &data))
		case "":
			if name != "" {
				return id, name, data
			}
		}
	}
	return id, name, data
}

func TestHTTPWatchResumesAfterLastEvent(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		first := a.stream(t, "")
		start, name, data := first.next()
		require.Equal(t, "ready", name)
		require.Equal(t, start, data["revision"])

		row := a.create("a", text("1"))
		id, name, data := first.next()
		require.Equal(t, "change", name)
		require.Equal(t, id, data["revision"])
		require.Equal(t, "a", data["key"])
		require.Equal(t, row.Ref().ETag(), data["etag"])
		require.Equal(t, "create", data["action"])
		first.reply.Body.Close()

		row = a.mustEdit("a", row.Ref(), `{"value":"2"}`)
		// The header wins over the older revision in the query.
		second := a.stream(t, "?after="+start, "Last-Event-ID", id)
		resumed, name, _ := second.next()
		require.Equal(t, "ready", name)
		require.Equal(t, id, resumed)
		for {
			_, name, data = second.next()
			require.Equal(t, "change", name)
			if data["version"] == 2.0 {
				break
			}
		}
		require.Equal(t, "update", data["action"])
		a.mustEdit("a", row.Ref(), `{"value":"3"}`)
		_, _, data = second.next()
		require.EqualValues(t, 3, data["version"])
	})
}

func TestWatchWithoutItsCursorSendsGone(t *testing.T) {
	onBothEngines(t, func(t *testing.T, a *api) {
		s := a.stream(t, "?after=ab12-999999999")
		id, name, data := s.next()
		require.Equal(t, "gone", name)
		require.Equal(t, id, data["revision"])
		_, name, _ = s.next()
		require.Empty(t, name, "the stream continues after gone")
	})
}

func TestWatchEndsOnServerShutdown(t *testing.T) {
	ctx := storagetest.Tenant(t)
	a := newAPI(t, ctx, storagetest.SQLite(t))
	s := a.stream(t, "")
	_, name, _ := s.next()
	require.Equal(t, "ready", name)
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	require.NoError(t, a.server.Shutdown(within))
	_, name, _ = s.next()
	require.Empty(t, name)
}

func TestViewHasContractMembers(t *testing.T) {
	a := newAPI(t, storagetest.Tenant(t), storagetest.SQLite(t))
	a.create("a", object(`{"x":1}`))
	view := a.send("GET", "/configs/a", "").body
	for _, name := range []string{"key", "value", "valueType", "remark", "protected", "version", "etag", "createdTime", "updatedTime", "updatedBy"} {
		require.Contains(t, view, name)
	}
	at, err := time.Parse(time.RFC3339Nano, view["updatedTime"].(string))
	require.NoError(t, err)
	require.Equal(t, time.UTC, at.Location())
}

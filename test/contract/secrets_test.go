package contract_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// secretsWorld is a tenant that contains a canary only in its secret configs.
type secretsWorld struct {
	*apptest.Program
	canary string
	// owner may read secrets; blind has all other permissions.
	owner, blind *apptest.Caller
	// since is the revision of configs at the start.
	since string
	// keys and approvals are the configs and the approvals that involve the canary.
	keys, approvals []string
	// stale is the first ETag of the config keys[0].
	stale string
}

func (w *secretsWorld) do(t *testing.T, method, path string, body any, status int, headers ...string) apptest.Answer {
	t.Helper()
	answer := w.owner.Do(t, method, httpapi.Base+path, body, headers...)
	require.Equal(t, status, answer.Status, "%s %s: %s", method, path, answer.Body)
	if answer.Status == http.StatusAccepted {
		w.approvals = append(w.approvals, fmt.Sprint(int64(answer.JSON(t)["id"].(float64))))
	}
	return answer
}

// patch edits the newest version of a config, with an idempotency key.
func (w *secretsWorld) patch(t *testing.T, key, query string, body any, status int) apptest.Answer {
	t.Helper()
	etag := w.do(t, "GET", "/configs/"+key, nil, 200).Header.Get("ETag")
	return w.do(t, "PATCH", "/configs/"+key+query, body, status, "If-Match", etag, "X-Idempotency-Key", unique("k"))
}

// make creates a config, with an idempotency key.
func (w *secretsWorld) make(t *testing.T, members map[string]any) string {
	t.Helper()
	key := unique("secret")
	members["key"] = key
	w.do(t, "POST", "/configs", members, 201, "X-Idempotency-Key", key)
	w.keys = append(w.keys, key)
	return key
}

func newSecretsWorld(t *testing.T, p *apptest.Program) *secretsWorld {
	w := &secretsWorld{Program: p, canary: unique("nightingale"), owner: p.Admin(t)}
	w.blind = p.Caller(t, w.owner.Tenant, allBut("configs:secrets")...)
	w.since = w.do(t, "GET", "/configs/snapshot", nil, 200).JSON(t)["revision"].(string)

	// Edits, a conflict, an overwrite and a rollback.
	first := w.make(t, object{"value": w.canary + "-1", "valueType": "string", "secret": true})
	w.stale = w.do(t, "GET", "/configs/"+first, nil, 200).Header.Get("ETag")
	w.patch(t, first, "", object{"value": w.canary + "-2"}, 200)
	w.do(t, "PATCH", "/configs/"+first, object{"value": w.canary + "-3"}, 412, "If-Match", w.stale, "X-Idempotency-Key", unique("k"))
	w.do(t, "PATCH", "/configs/"+first+"?overwrite=because", object{"value": w.canary + "-4"}, 200, "If-Match", w.stale, "X-Idempotency-Key", unique("k"))
	etag := w.do(t, "GET", "/configs/"+first, nil, 200).Header.Get("ETag")
	w.do(t, "POST", "/configs/"+first+"/rollback", object{"toVersion": 2, "note": ""}, 200, "If-Match", etag, "X-Idempotency-Key", unique("k"))

	// A config that becomes secret later.
	late := w.make(t, object{"value": object{"password": w.canary}, "valueType": "json"})
	w.patch(t, late, "", object{"value": object{"user": w.canary}}, 200)
	w.patch(t, late, "", object{"secret": true}, 200)
	w.patch(t, late, "", object{"remark": "still " + late}, 200)

	// Changes that wait for votes or for their time, a batch and an import.
	protected := w.make(t, object{"value": w.canary, "secret": true, "protected": true})
	w.patch(t, protected, "", object{"value": w.canary + "-6"}, 202)
	etag = w.do(t, "GET", "/configs/"+protected, nil, 200).Header.Get("ETag")
	w.do(t, "POST", "/config-batches", object{"changes": []any{
		object{"key": protected, "op": "update", "etag": etag, "patch": object{"value": w.canary + "-7"}},
		object{"key": unique("secret"), "op": "create", "patch": object{"value": w.canary + "-8", "secret": true}},
	}}, 202, "X-Idempotency-Key", unique("k"))
	w.do(t, "POST", "/configs/import", object{"onExisting": "update", "configs": []any{
		object{"key": protected, "value": w.canary + "-9"}, object{"key": unique("secret"), "value": w.canary, "secret": true},
	}}, 202, "X-Idempotency-Key", unique("k"))
	w.patch(t, first, later, object{"value": w.canary + "-10"}, 202)
	withdrawn := w.approvals[0]
	approval := w.do(t, "GET", "/approvals/"+withdrawn, nil, 200)
	require.Contains(t, string(approval.Body), w.canary, "a reader of secrets sees the proposal")
	w.do(t, "PATCH", "/approvals/"+withdrawn, object{"patch": object{"value": w.canary + "-11"}}, 200, "If-Match", approval.Header.Get("ETag"), "X-Idempotency-Key", unique("k"))

	// A deleted config.
	gone := w.make(t, object{"value": w.canary, "secret": true})
	etag = w.do(t, "GET", "/configs/"+gone, nil, 200).Header.Get("ETag")
	w.do(t, "DELETE", "/configs/"+gone, nil, 204, "If-Match", etag)
	return w
}

func TestNoRouteRevealsASecretWithoutPermission(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := newSecretsWorld(t, p)
		silent := func(what string, answer apptest.Answer) apptest.Answer {
			t.Helper()
			require.NotContains(t, string(answer.Body), w.canary, what)
			require.NotContains(t, fmt.Sprint(answer.Header), w.canary, what)
			return answer
		}
		requests, walk := 0, walk{p, httpapi.Route{}, w.owner, w.owner, map[string][]string{"configs/:key": w.keys, "approvals/:id": w.approvals}}
		for _, route := range p.Routes() {
			if route.Method != http.MethodGet || route.Stream {
				continue
			}
			for i := range max(len(w.keys), len(w.approvals)) {
				path := fill(t, route, func(key string) string {
					rows := walk.rows[key]
					if rows == nil {
						rows = walk.have(t, key, 1)
					}
					return rows[i%len(rows)]
				})
				answer := silent(documentedAs(route), w.blind.Do(t, "GET", path, nil))
				require.Less(t, answer.Status, 500)
				requests++
				if !hasParameter(route) {
					break
				}
			}
		}
		require.Greater(t, requests, 60)
		for _, path := range []string{"/configs?q=" + w.canary, "/configs?limit=200&sort=-updatedTime", "/search?q=" + w.canary, "/audit-log?limit=200", "/idempotency-keys?limit=200"} {
			silent(path, w.blind.Do(t, "GET", httpapi.Base+path, nil))
		}
		require.EqualValues(t, 0, w.blind.Do(t, "GET", httpapi.Base+"/configs?q="+w.canary, nil).JSON(t)["total"])
		require.EqualValues(t, 0, w.owner.Do(t, "GET", httpapi.Base+"/configs?q="+w.canary, nil).JSON(t)["total"], "a search does not find secret values")
		for _, stream := range []string{"/configs/watch?after=" + w.since, "/events?topics=configs,approvals"} {
			require.NotContains(t, w.streamed(t, stream), w.canary)
		}
		full := w.do(t, "GET", "/configs/"+w.keys[0], nil, 200).JSON(t)
		require.Equal(t, w.canary+"-2", full["value"])
		require.NotContains(t, full, "masked")
		shown := silent("read", w.blind.Do(t, "GET", httpapi.Base+"/configs/"+w.keys[0], nil)).JSON(t)
		require.Nil(t, shown["value"])
		require.Equal(t, true, shown["masked"])
		require.Equal(t, full["etag"], shown["etag"])
	})
}

// streamed returns the events of a stream that blind receives until it has caught up.
func (w *secretsWorld) streamed(t *testing.T, path string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 700*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, "GET", w.URL+httpapi.Base+path, nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+w.blind.Token)
	response, err := apptest.Client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	text, err := io.ReadAll(response.Body)
	require.True(t, err == nil || errors.Is(err, context.DeadlineExceeded), "%v", err)
	require.Contains(t, string(text), "event: ready")
	return string(text)
}

func TestBlindWriteOfASecretRevealsNothing(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := newSecretsWorld(t, p)
		key := w.keys[0]
		do := func(status int, method, path string, body any, headers ...string) map[string]any {
			t.Helper()
			answer := w.blind.Do(t, method, httpapi.Base+path, body, headers...)
			require.Equal(t, status, answer.Status, "%s", answer.Body)
			require.NotContains(t, string(answer.Body), w.canary)
			if len(answer.Body) == 0 {
				return nil
			}
			return answer.JSON(t)
		}
		etag := func() string { return do(200, "GET", "/configs/"+key, nil)["etag"].(string) }

		conflict := do(412, "PATCH", "/configs/"+key, object{"value": "guess"}, "If-Match", w.stale)
		require.Equal(t, true, conflict["base"].(object)["masked"])
		require.Equal(t, true, conflict["current"].(object)["masked"])
		require.Equal(t, []any{object{"pointer": "/value", "base": nil, "yours": nil, "theirs": nil}}, conflict["conflicts"])
		do(412, "PATCH", "/configs/"+key+"?merge=disjoint", object{"value": "guess"}, "If-Match", w.stale)
		do(412, "DELETE", "/configs/"+key, nil, "If-Match", w.stale)
		do(412, "POST", "/configs/"+key+"/rollback", object{"toVersion": 1}, "If-Match", w.stale)
		do(409, "POST", "/configs", object{"key": key, "value": "guess"})
		do(409, "POST", "/config-batches", object{"changes": []any{object{"key": key, "op": "update", "etag": w.stale, "patch": object{"value": "guess"}}}})
		do(409, "POST", "/configs/import", object{"configs": []any{object{"key": key, "value": "guess"}}})
		do(200, "PATCH", "/configs/"+key+"?merge=disjoint", object{"remark": "merged"}, "If-Match", w.stale)

		// No response confirms a guess.
		was := do(200, "GET", "/configs/"+key, nil)
		guessed := do(200, "PATCH", "/configs/"+key, object{"value": w.canary + "-2"}, "If-Match", etag())
		require.EqualValues(t, was["version"].(float64)+1, guessed["version"], "also the value that it has makes a version")
		dry := do(200, "POST", "/configs/import?dryRun=true", object{"onExisting": "update", "configs": []any{object{"key": key, "value": w.canary + "-2", "valueType": "string", "remark": "merged"}}})
		require.EqualValues(t, 1, dry["counts"].(object)["update"])
		do(403, "PATCH", "/configs/"+key, object{"schema": object{"pattern": "^n"}}, "If-Match", etag())
		do(403, "PATCH", "/configs/"+key, object{"schema": object{"pattern": "^x"}}, "If-Match", etag())
		do(403, "PATCH", "/configs/"+key, object{"valueType": "json"}, "If-Match", etag())
		do(403, "PATCH", "/configs/"+key, object{"secret": false}, "If-Match", etag())
		do(403, "PATCH", "/configs/"+key, object{"secret": false, "value": "mine"}, "If-Match", etag())
		do(403, "POST", "/config-batches", object{"changes": []any{object{"key": key, "op": "update", "etag": etag(), "patch": object{"secret": false}}}})
		do(422, "POST", "/configs/import", object{"onExisting": "update", "configs": []any{object{"key": key, "value": "mine", "secret": false}}})
		do(403, "PATCH", "/approvals/"+w.ownApproval(t, key), object{"patch": object{"secret": false}}, "If-Match", w.blind.Do(t, "GET", httpapi.Base+"/approvals/"+w.ownApproval(t, key), nil).Header.Get("ETag"))

		do(403, "PATCH", "/configs/"+key+"?overwrite=because", object{"remark": "over"}, "If-Match", w.stale)
		w.do(t, "PATCH", "/configs/"+key+"?overwrite=because", object{"remark": "over"}, 200, "If-Match", w.stale)
		require.Equal(t, w.canary+"-1", w.do(t, "GET", "/configs/"+key, nil, 200).JSON(t)["value"], "an overwrite brings the value of its base back")

		// A patch is merged with the content that its author may read.
		late := w.keys[1]
		w.patch(t, late, "", object{"value": object{"more": 1}}, 200)
		require.Equal(t, object{"password": w.canary, "user": w.canary, "more": 1.0}, w.do(t, "GET", "/configs/"+late, nil, 200).JSON(t)["value"])
		do(200, "PATCH", "/configs/"+late, object{"value": object{"whole": nil}}, "If-Match", w.do(t, "GET", "/configs/"+late, nil, 200).Header.Get("ETag"))
		require.Equal(t, object{"whole": nil}, w.do(t, "GET", "/configs/"+late, nil, 200).JSON(t)["value"])

		// The user can set a new value, and an import of an export does not store the mask.
		refused := do(422, "PATCH", "/configs/"+key, object{"value": "blindly", "schema": object{"enum": []any{"other"}}}, "If-Match", etag())
		require.NotContains(t, fmt.Sprint(refused), "blindly")
		require.Contains(t, fmt.Sprint(refused["fields"]), `breaks the rule "enum"`)
		do(200, "PATCH", "/configs/"+key, object{"value": "blindly"}, "If-Match", etag())
		require.Equal(t, "blindly", w.do(t, "GET", "/configs/"+key, nil, 200).JSON(t)["value"])
		export := do(200, "GET", "/configs/export", nil)
		imported := do(422, "POST", "/configs/import", object{"onExisting": "update", "configs": export["configs"]})
		require.Contains(t, fmt.Sprint(imported["fields"]), "marks a withheld value")
		require.Equal(t, "blindly", w.do(t, "GET", "/configs/"+key, nil, 200).JSON(t)["value"])
		all := w.do(t, "GET", "/configs/export", nil, 200).JSON(t)
		again := w.do(t, "POST", "/configs/import?dryRun=true", object{"onExisting": "update", "configs": all["configs"]}, 200).JSON(t)
		require.EqualValues(t, 0, again["counts"].(object)["invalid"], "a reader of secrets restores them")

		// Making a config readable requires the permission and is audited.
		w.patch(t, key, "", object{"secret": false}, 200)
		require.Equal(t, "blindly", do(200, "GET", "/configs/"+key, nil)["value"])
		log := w.do(t, "GET", "/audit-log?resource=configs/"+key, nil, 200).JSON(t)["items"].([]any)[0].(object)
		require.Equal(t, []any{"secret"}, log["detail"].(object)["changed"])
		for i, version := range do(200, "GET", "/configs/"+key+"/history", nil)["items"].([]any) {
			require.Equal(t, i > 0, version.(object)["masked"] == true, "its secret versions stay secret")
		}
	})
}

// ownApproval schedules one edit of a config as blind, and returns the approval.
func (w *secretsWorld) ownApproval(t *testing.T, key string) string {
	t.Helper()
	list := w.blind.Do(t, "GET", httpapi.Base+"/approvals?status=scheduled", nil).JSON(t)["items"].([]any)
	for _, one := range list {
		if one := one.(object); one["note"] == "blind" {
			return fmt.Sprint(int64(one["id"].(float64)))
		}
	}
	read := w.blind.Do(t, "GET", httpapi.Base+"/configs/"+key, nil)
	answer := w.blind.Do(t, "PATCH", httpapi.Base+"/configs/"+key+later, object{"remark": "later"}, "If-Match", read.Header.Get("ETag"))
	require.Equal(t, 202, answer.Status, "%s", answer.Body)
	id := fmt.Sprint(int64(answer.JSON(t)["id"].(float64)))
	noted := w.blind.Do(t, "PATCH", httpapi.Base+"/approvals/"+id, object{"note": "blind"}, "If-Match", answer.JSON(t)["etag"].(string))
	require.Equal(t, 200, noted.Status, "%s", noted.Body)
	return id
}

// A replay contains no secret if the user has lost the permission to read secrets.
// Proves G7.8.
func TestReplayHidesSecretsAfterPermissionLoss(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		owner, canary := p.Admin(t), unique("nightingale")
		role := created(t, owner, "/roles", map[string]any{"name": unique("clerk"), "permissions": []string{"configs:read", "configs:write", "configs:secrets"}})
		user := created(t, owner, "/users", map[string]any{"username": unique("clerk"), "password": "correct horse battery", "roles": []any{role["name"]}})
		clerk := owner.As(t, user["username"].(string))
		key := unique("secret")
		body := object{"key": key, "value": canary, "secret": true}
		ask := func(idempotencyKey string) apptest.Answer {
			return clerk.Do(t, "POST", httpapi.Base+"/configs", body, "X-Idempotency-Key", idempotencyKey)
		}
		require.Contains(t, string(ask("made").Body), canary)
		require.Contains(t, string(ask("refused").Body), canary)
		require.Empty(t, ask("made").Header.Get(httpapi.HeaderReveals))

		edited := owner.Do(t, "PATCH", fmt.Sprintf("%s/roles/%v", httpapi.Base, role["id"]), map[string]any{"permissions": []string{"configs:read", "configs:write"}}, "If-Match", role["etag"].(string))
		require.Equal(t, http.StatusOK, edited.Status, "%s", edited.Body)
		for _, answer := range []apptest.Answer{ask("made"), ask("refused")} {
			require.Equal(t, "true", answer.Header.Get("X-Idempotency-Replay"))
			require.NotContains(t, string(answer.Body), canary)
			require.Empty(t, answer.Header.Get(httpapi.HeaderReveals))
		}
		require.Equal(t, httpapi.Base+"/configs/"+key, ask("made").Header.Get("Location"))
	})
}

func TestSecretValueIsNowhereInTheDatabase(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := newSecretsWorld(t, p)
		db := p.Services().DB
		pool, looked := db.Pools()["read"], 0
		for _, table := range rows(t, pool, tablesOf[db.Dialect]) {
			for _, cell := range cells(t, pool, table) {
				require.NotContains(t, cell, w.canary, table)
				looked++
			}
		}
		require.Greater(t, looked, 500)
		require.NotEmpty(t, rows(t, pool, "SELECT `key` FROM configs WHERE secret = 1 AND value = '' AND LENGTH(sealed_value) > 20"))
	})
}

// cells returns all cells of a table, as text.
func cells(t *testing.T, pool *sql.DB, table string) (all []string) {
	t.Helper()
	found, err := pool.QueryContext(t.Context(), "SELECT * FROM "+table)
	require.NoError(t, err)
	defer found.Close()
	columns, err := found.Columns()
	require.NoError(t, err)
	for found.Next() {
		row, into := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		require.NoError(t, found.Scan(into...))
		for _, cell := range row {
			all = append(all, strings.Clone(string(cell)))
		}
	}
	require.NoError(t, found.Err())
	return all
}

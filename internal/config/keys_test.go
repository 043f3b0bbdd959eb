package config_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/config"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

// keysOfEveryKind have each character of the syntax; the last one has the longest path.
var keysOfEveryKind = []string{
	"a/b[0]:c", "/", "a/../b", "history", "spring/redis.hosts[10]", strings.Repeat("k", 200), strings.Repeat("/", 200),
}

// Every route accepts a key as one escaped path segment, in the escapes of Go and of ECMAScript.
func TestEveryRouteAcceptsEveryKey(t *testing.T) {
	escapes := []func(string) string{
		url.PathEscape,
		func(key string) string { return strings.ReplaceAll(url.PathEscape(key), ":", "%3A") },
	}
	onBothEngines(t, func(t *testing.T, a *api) {
		for _, escape := range escapes {
			for _, key := range keysOfEveryKind {
				walk(t, a, key, "/configs/"+escape(key))
			}
		}
	})
}

// walk calls each route of one config.
func walk(t *testing.T, a *api, key, path string) {
	t.Helper()
	made := a.send("POST", "/configs", `{"key":"`+key+`","value":"first"}`)
	require.Equal(t, http.StatusCreated, made.status, made.text)
	require.Equal(t, "/api/v1/configs/"+url.PathEscape(key), made.header.Get("Location"))
	require.Equal(t, "already_exists", a.send("POST", "/configs", `{"key":"`+key+`","value":"x"}`).code())

	read := a.send("GET", path, "")
	require.Equal(t, http.StatusOK, read.status, read.text)
	require.Equal(t, key, read.body["key"])
	require.Equal(t, http.StatusNotModified, a.send("GET", path, "", "If-None-Match", read.header.Get("ETag")).status)
	edited := a.send("PATCH", path, `{"value":"second"}`, "If-Match", read.header.Get("ETag"))
	require.Equal(t, http.StatusOK, edited.status, edited.text)
	require.Equal(t, http.StatusPreconditionFailed, a.send("PATCH", path, `{"value":"third"}`, "If-Match", read.header.Get("ETag")).status)
	back := a.send("POST", path+"/rollback", `{"toVersion":1}`, "If-Match", edited.header.Get("ETag"))
	require.Equal(t, http.StatusOK, back.status, back.text)
	require.Equal(t, "rollback", newest(a, path)["action"])

	query := url.QueryEscape(key)
	for _, list := range []string{"/configs?prefix=" + query, "/configs?q=" + query, "/configs/snapshot?prefix=" + query} {
		items := a.send("GET", list, "").body["items"].([]any)
		require.Equal(t, key, items[0].(map[string]any)["key"], list)
	}
	exported := a.send("GET", "/configs/export?prefix="+query, "")
	require.Contains(t, exported.text, `"key":"`+key+`"`)
	imported := a.send("POST", "/configs/import", exported.text)
	require.Equal(t, http.StatusOK, imported.status, imported.text)
	found, err := a.ByKey(a.Ctx, key, 1)
	require.NoError(t, err)
	require.Equal(t, key, found[0].Key)

	batch := a.send("POST", "/config-batches", `{"changes":[{"key":"`+key+`","op":"update","etag":`+quoted(back.header.Get("ETag"))+`,"patch":{"protected":true}}]}`)
	require.Equal(t, http.StatusOK, batch.status, batch.text)
	proposed := a.send("PATCH", path, `{"value":"fourth","protected":false}`, "If-Match", a.send("GET", path, "").header.Get("ETag"))
	require.Equal(t, http.StatusAccepted, proposed.status, proposed.text)
	require.Equal(t, "configs/"+url.PathEscape(key), proposed.body["resource"])
	require.Equal(t, []any{proposed.body["resource"]}, proposed.body["targets"])
	a.approve()
	now := a.send("GET", path, "")
	require.Equal(t, "fourth", now.body["value"])
	require.Equal(t, http.StatusNoContent, a.send("DELETE", path, "", "If-Match", now.header.Get("ETag")).status)
	require.Equal(t, "not_found", a.send("GET", path, "").code())
	require.Equal(t, "delete", newest(a, path)["action"])

	var audited []string
	require.NoError(t, a.DB.Read(a.Ctx).Model(&uow.AuditRow{}).Where("action = ?", "config.delete").Order("id DESC").Limit(1).Pluck("resource", &audited).Error)
	require.Equal(t, []string{"configs/" + url.PathEscape(key)}, audited)
	across := a.DB.Read(storage.AcrossTenants(a.Ctx))
	for _, p := range config.Declaration.Promises {
		var broken int64
		require.NoError(t, across.Raw("SELECT COUNT(*) FROM "+p.Table+" x WHERE "+p.Broken).Scan(&broken).Error, p.Name)
		require.Zero(t, broken, p.Name)
		if p.Table == "config_histories" {
			var subject string
			require.NoError(t, across.Raw("SELECT "+p.Subject+" FROM config_histories x ORDER BY id DESC LIMIT 1").Scan(&subject).Error)
			require.Equal(t, audited[0], subject, p.Name)
		}
	}
}

// newest returns the newest version of a config.
func newest(a *api, path string) map[string]any {
	return a.send("GET", path+"/history", "").body["items"].([]any)[0].(map[string]any)
}

// approve approves the newest approval as another user.
func (a *api) approve() {
	a.t.Helper()
	other, _ := principal.From(a.Ctx)
	other.UserID, other.Name = 8, "Other"
	proposed, err := a.approvals.Approval(a.Ctx, a.waiting().ID)
	require.NoError(a.t, err)
	require.NoError(a.t, a.do(principal.With(a.Ctx, other), func(ctx context.Context, u *uow.Unit) error {
		_, err := a.approvals.Approve(ctx, u, proposed, guard.Precondition{Ref: proposed.Ref()})
		return err
	}))
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

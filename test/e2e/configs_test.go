package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

func newConfig(t *testing.T, c *apptest.Caller, key string, value any, valueType string) object {
	t.Helper()
	return create(t, c, "/api/v1/configs", object{"key": key, "value": value, "valueType": valueType, "remark": "as created"})
}

func TestOnlyOneOfFiftyEditsOfAVersionWins(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		const key, path, clients = "checkout.tax", "/api/v1/configs/checkout.tax", 50
		owner := p.Admin(t)
		admins := []*apptest.Caller{
			owner, colleague(t, owner, "ada", "Ada"), colleague(t, owner, "grace", "Grace"), colleague(t, owner, "li", "Li"),
		}
		before := newConfig(t, owner, key, 0, "number")

		answers := race(t, clients, func(ctx context.Context, i int) (apptest.Answer, error) {
			return admins[i%len(admins)].Try(ctx, http.MethodPatch, path, object{"value": 1 + i}, "If-Match", etag(before))
		})

		won, lost := split(answers, http.StatusOK)
		require.Len(t, won, 1)
		winner := won[0].JSON(t)
		require.EqualValues(t, 2, version(winner))
		require.Equal(t, etag(winner), won[0].Header.Get("ETag"))
		for _, answer := range lost {
			requireConflict(t, answer, before, winner)
		}
		require.Equal(t, winner["value"], read(t, owner, path)["value"])
		require.EqualValues(t, 2, rows(t, owner, "config_histories", "`key` = ?", key), "one for the creation, one for the edit that landed")
		require.EqualValues(t, 2, audited(t, owner, "configs/"+key))
		require.EqualValues(t, 1, rows(t, owner, "configs", "`key` = ? AND version = 2", key))
	})
}

// requireConflict checks the response to a stale edit of /value.
func requireConflict(t *testing.T, answer apptest.Answer, base, current object) {
	t.Helper()
	body := requireProblem(t, answer, http.StatusPreconditionFailed, "version_conflict")
	require.Equal(t, base["version"], body["expectedVersion"])
	require.Equal(t, current["version"], body["currentVersion"])
	require.Equal(t, current["etag"], body["currentEtag"])
	require.Equal(t, current["etag"], answer.Header.Get("ETag"))
	require.Equal(t, current["updatedBy"], body["updatedBy"])
	require.Equal(t, current["updatedTime"], body["updatedTime"])
	require.Equal(t, current, body["current"])
	require.Equal(t, base["value"], body["base"].(object)["value"])
	require.Equal(t, base["version"], body["base"].(object)["version"])
	require.Equal(t, false, body["autoMergeable"])
	conflicts := body["conflicts"].([]any)
	require.Len(t, conflicts, 1)
	conflict := conflicts[0].(object)
	require.Equal(t, "/value", conflict["pointer"])
	require.Equal(t, base["value"], conflict["base"])
	require.Equal(t, current["value"], conflict["theirs"])
	require.NotEqual(t, conflict["theirs"], conflict["yours"])
	require.Contains(t, body["detail"], name(current, "updatedBy"))
}

// Proves G1.2.
func TestDisjointEditsMergeOnRequest(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		const path = "/api/v1/configs/shop.title"
		c := p.Admin(t)
		base := newConfig(t, c, "shop.title", "Old", "string")

		first := c.Do(t, http.MethodPatch, path, object{"remark": "checked"}, "If-Match", etag(base))
		require.Equal(t, http.StatusOK, first.Status)
		second := c.Do(t, http.MethodPatch, path+"?merge=disjoint", object{"value": "New"}, "If-Match", etag(base))
		require.Equalf(t, http.StatusOK, second.Status, "%s", second.Body)
		merged := second.JSON(t)["merged"].(object)
		require.EqualValues(t, 1, merged["fromVersion"])
		require.Equal(t, []any{"/remark"}, merged["keptTheirs"])

		now := read(t, c, path)
		require.Equal(t, "New", now["value"])
		require.Equal(t, "checked", now["remark"])
		require.EqualValues(t, 3, version(now))

		overlapping := c.Do(t, http.MethodPatch, path+"?merge=disjoint", object{"value": "Newer"}, "If-Match", etag(base))
		requireProblem(t, overlapping, http.StatusPreconditionFailed, "version_conflict")
		require.Equal(t, now, read(t, c, path))
		require.EqualValues(t, 3, audited(t, c, "configs/shop.title"))
	})
}

func TestTwentyConcurrentDisjointEditsAllCommit(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		const key, path, clients = "limits", "/api/v1/configs/limits", 20
		c := p.Admin(t)
		value := object{}
		for i := range clients {
			value[fmt.Sprintf("m%d", i)] = 0
		}
		base := newConfig(t, c, key, value, "json")

		answers := race(t, clients, func(ctx context.Context, i int) (apptest.Answer, error) {
			patch := object{"value": object{fmt.Sprintf("m%d", i): 100 + i}}
			return c.Try(ctx, http.MethodPatch, path+"?merge=disjoint", patch, "If-Match", etag(base))
		})

		versions := make([]int64, clients)
		for i, answer := range answers {
			require.Equalf(t, http.StatusOK, answer.Status, "%s", answer.Body)
			versions[i] = version(answer.JSON(t))
		}
		slices.Sort(versions)
		require.EqualValues(t, 2, versions[0])
		require.Len(t, slices.Compact(versions), clients, "each edit made a separate version")
		now := read(t, c, path)
		require.EqualValues(t, clients+1, version(now))
		for i := range clients {
			require.EqualValues(t, 100+i, now["value"].(object)[fmt.Sprintf("m%d", i)])
		}
		require.EqualValues(t, clients+1, rows(t, c, "config_histories", "`key` = ?", key))
		require.EqualValues(t, clients+1, audited(t, c, "configs/"+key))
	})
}

func TestEditAndDeletionOfAVersionHaveOneWinner(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		const rounds, clients = 5, 16
		c := p.Admin(t)
		for round := range rounds {
			key := fmt.Sprintf("volatile-%d", round)
			path := "/api/v1/configs/" + key
			base := newConfig(t, c, key, 0, "number")
			answers := race(t, clients, func(ctx context.Context, i int) (apptest.Answer, error) {
				if i%2 == 0 {
					return c.Try(ctx, http.MethodDelete, path, nil, "If-Match", etag(base))
				}
				return c.Try(ctx, http.MethodPatch, path, object{"value": i}, "If-Match", etag(base))
			})
			edited, others := split(answers, http.StatusOK)
			deleted, losers := split(others, http.StatusNoContent)
			require.Equal(t, 1, len(edited)+len(deleted), "exactly one lands")
			refusal := http.StatusNotFound
			if len(edited) == 1 {
				refusal = http.StatusPreconditionFailed
			}
			for _, answer := range losers {
				require.Equalf(t, refusal, answer.Status, "%s", answer.Body)
			}
			require.EqualValues(t, len(edited), rows(t, c, "configs", "`key` = ?", key))
			require.EqualValues(t, 2, rows(t, c, "config_histories", "`key` = ?", key))
			require.EqualValues(t, 2, audited(t, c, "configs/"+key))
		}
	})
}

// Proves G1.5.
func TestETagModifiedByAProxyGuardsAnEdit(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		const path = "/api/v1/configs/proxied"
		c := p.Admin(t)
		tag := etag(newConfig(t, c, "proxied", 1, "number"))
		for value, change := range []func(tag string) string{
			func(tag string) string { return "W/" + tag },
			func(tag string) string { return strings.TrimSuffix(tag, `"`) + `-gzip"` },
			func(tag string) string { return "W/" + strings.TrimSuffix(tag, `"`) + `-br"` },
		} {
			changed := change(tag)
			edited := c.Do(t, http.MethodPatch, path, object{"value": value + 2}, "If-Match", changed)
			require.Equal(t, http.StatusOK, edited.Status, "%s: %s", changed, edited.Body)
			requireProblem(t, c.Do(t, http.MethodPatch, path, object{"value": 99}, "If-Match", changed), http.StatusPreconditionFailed, "version_conflict")
			tag = edited.Header.Get("ETag")
		}
	})
}

func TestEditWithoutAValidPreconditionIsRejected(t *testing.T) {
	cases := map[string]struct {
		headers []string
		status  int
		code    string
	}{
		"none":                {nil, http.StatusPreconditionRequired, "precondition_required"},
		"any version":         {[]string{"If-Match", "*"}, http.StatusBadRequest, "precondition_malformed"},
		"weak without quotes": {[]string{"If-Match", `W/%s`}, http.StatusBadRequest, "precondition_malformed"},
		"not in quotes":       {[]string{"If-Match", `%s`}, http.StatusBadRequest, "precondition_malformed"},
		"list":                {[]string{"If-Match", `"%s", "x"`}, http.StatusBadRequest, "precondition_malformed"},
		"empty list member":   {[]string{"If-Match", `"%s",`}, http.StatusBadRequest, "precondition_malformed"},
		"only half quoted":    {[]string{"If-Match", `"%s`}, http.StatusBadRequest, "precondition_malformed"},
		"never returned":      {[]string{"If-Match", `"x-%s"`}, http.StatusPreconditionFailed, "version_conflict"},
	}
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		const path = "/api/v1/configs/guarded"
		c := p.Admin(t)
		before := newConfig(t, c, "guarded", 1, "number")
		tag := strings.Trim(etag(before), `"`)
		for name, tc := range cases {
			for _, method := range []string{http.MethodPatch, http.MethodDelete} {
				t.Run(method+" "+name, func(t *testing.T) {
					headers := slices.Clone(tc.headers)
					if len(headers) > 0 {
						headers[1] = strings.ReplaceAll(headers[1], "%s", tag)
					}
					var body any
					if method == http.MethodPatch {
						body = object{"value": 2}
					}
					requireProblem(t, c.Do(t, method, path, body, headers...), tc.status, tc.code)
					require.Equal(t, before, read(t, c, path))
				})
			}
		}
		require.EqualValues(t, 1, audited(t, c, "configs/guarded"))
	})
}

func TestETagOfADeletedConfigMatchesNoRecreatedConfig(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		const path = "/api/v1/configs/reborn"
		c := p.Admin(t)
		first := newConfig(t, c, "reborn", 1, "number")
		require.Equal(t, http.StatusNoContent, c.Do(t, http.MethodDelete, path, nil, "If-Match", etag(first)).Status)
		second := newConfig(t, c, "reborn", 1, "number")
		require.Equal(t, first["version"], second["version"])

		answer := c.Do(t, http.MethodPatch, path, object{"value": 2}, "If-Match", etag(first))

		body := requireProblem(t, answer, http.StatusPreconditionFailed, "version_conflict")
		require.Equal(t, second["etag"], body["currentEtag"])
		require.Nil(t, body["base"])
		requireProblem(t, c.Do(t, http.MethodDelete, path, nil, "If-Match", etag(first)), http.StatusPreconditionFailed, "version_conflict")
		require.Equal(t, second, read(t, c, path))
	})
}

func TestPatchWithoutEffectLeavesNoTrace(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		const path = "/api/v1/configs/calm"
		c := p.Admin(t)
		before := newConfig(t, c, "calm", "same", "string")
		answer := c.Do(t, http.MethodPatch, path, object{"value": "same"}, "If-Match", etag(before))
		require.Equal(t, http.StatusOK, answer.Status)
		require.Equal(t, before, answer.JSON(t))
		require.EqualValues(t, 1, rows(t, c, "config_histories", "`key` = ?", "calm"))
		require.EqualValues(t, 1, audited(t, c, "configs/calm"))
	})
}

func TestBatchWithAStaleMemberChangesNothing(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		unchanged := newConfig(t, c, "batch.kept", 1, "number")
		doomed := newConfig(t, c, "batch.doomed", 1, "number")
		moved := newConfig(t, c, "batch.moved", 1, "number")
		winner := c.Do(t, http.MethodPatch, "/api/v1/configs/batch.moved", object{"value": 2}, "If-Match", etag(moved)).JSON(t)
		auditBefore := rows(t, c, "audit_entries", "1 = 1")
		historyBefore := rows(t, c, "config_histories", "1 = 1")
		changes := func(movedTag string) object {
			return object{"note": "release", "changes": []object{
				{"key": "batch.kept", "op": "update", "etag": etag(unchanged), "patch": object{"value": 10}},
				{"key": "batch.doomed", "op": "delete", "etag": etag(doomed)},
				{"key": "batch.moved", "op": "update", "etag": movedTag, "patch": object{"value": 30}},
				{"key": "batch.new", "op": "create", "patch": object{"value": 1, "valueType": "number"}},
			}}
		}

		refused := c.Do(t, http.MethodPost, "/api/v1/config-batches", changes(etag(moved)))

		body := requireProblem(t, refused, http.StatusConflict, "batch_conflict")
		conflicts := body["conflicts"].([]any)
		require.Len(t, conflicts, 1)
		conflict := conflicts[0].(object)
		require.EqualValues(t, 2, conflict["index"])
		require.Equal(t, "batch.moved", conflict["key"])
		require.Equal(t, "version_conflict", conflict["code"])
		require.Equal(t, unchanged, read(t, c, "/api/v1/configs/batch.kept"))
		require.Equal(t, doomed, read(t, c, "/api/v1/configs/batch.doomed"))
		require.Equal(t, winner, read(t, c, "/api/v1/configs/batch.moved"))
		require.Equal(t, http.StatusNotFound, c.Do(t, http.MethodGet, "/api/v1/configs/batch.new", nil).Status)
		require.Equal(t, auditBefore, rows(t, c, "audit_entries", "1 = 1"))
		require.Equal(t, historyBefore, rows(t, c, "config_histories", "1 = 1"))

		applied := c.Do(t, http.MethodPost, "/api/v1/config-batches", changes(etag(winner)))
		require.Truef(t, applied.Status == http.StatusOK || applied.Status == http.StatusCreated, "%d %s", applied.Status, applied.Body)
		require.EqualValues(t, 10, read(t, c, "/api/v1/configs/batch.kept")["value"])
		require.EqualValues(t, 30, read(t, c, "/api/v1/configs/batch.moved")["value"])
		require.EqualValues(t, 1, read(t, c, "/api/v1/configs/batch.new")["value"])
		require.Equal(t, http.StatusNotFound, c.Do(t, http.MethodGet, "/api/v1/configs/batch.doomed", nil).Status)
		require.Equal(t, auditBefore+1, rows(t, c, "audit_entries", "1 = 1"), "a batch is one mutation")
		require.Equal(t, historyBefore+4, rows(t, c, "config_histories", "1 = 1"))
	})
}

func TestOneOfRacingConfigBatchesIsApplied(t *testing.T) {
	apptest.Both(t, func(t *testing.T, p *apptest.Program) {
		const clients, members = 20, 4
		c := p.Admin(t)
		base := make([]object, members)
		for m := range members {
			base[m] = newConfig(t, c, fmt.Sprintf("pair-%d", m), 0, "number")
		}
		answers := race(t, clients, func(ctx context.Context, i int) (apptest.Answer, error) {
			changes := make([]object, members)
			for m := range members {
				// Every other client names the members in the opposite order.
				at := m
				if i%2 == 1 {
					at = members - 1 - m
				}
				changes[at] = object{"key": base[m]["key"], "op": "update", "etag": etag(base[m]), "patch": object{"value": i + 1}}
			}
			return c.Try(ctx, http.MethodPost, "/api/v1/config-batches", object{"note": "race", "changes": changes})
		})
		won, lost := split(answers, http.StatusOK)
		require.Len(t, won, 1)
		for _, answer := range lost {
			requireProblem(t, answer, http.StatusConflict, "batch_conflict")
		}
		value := read(t, c, "/api/v1/configs/pair-0")["value"]
		for m := range members {
			now := read(t, c, fmt.Sprintf("/api/v1/configs/pair-%d", m))
			require.Equal(t, value, now["value"], "all members are of one batch")
			require.EqualValues(t, 2, version(now))
		}
		require.EqualValues(t, 2*members, rows(t, c, "config_histories", "1 = 1"))
	})
}

func TestRollbackCreatesAVersionWithTheOldContent(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		const path = "/api/v1/configs/banner"
		c := p.Admin(t)
		first := newConfig(t, c, "banner", "one", "string")
		second := c.Do(t, http.MethodPatch, path, object{"value": "two"}, "If-Match", etag(first)).JSON(t)
		requireProblem(t, c.Do(t, http.MethodPost, path+"/rollback", object{"toVersion": 1, "note": "stale"}, "If-Match", etag(first)),
			http.StatusPreconditionFailed, "version_conflict")

		back := c.Do(t, http.MethodPost, path+"/rollback", object{"toVersion": 1, "note": "two was wrong"}, "If-Match", etag(second))

		require.Equalf(t, http.StatusOK, back.Status, "%s", back.Body)
		require.Equal(t, "one", back.JSON(t)["value"])
		require.EqualValues(t, 3, version(back.JSON(t)))
		require.EqualValues(t, 1, rows(t, c, "config_histories", "`key` = 'banner' AND version = 3 AND action = 'rollback' AND note = 'two was wrong'"))
		require.EqualValues(t, 3, audited(t, c, "configs/banner"))
	})
}

package contract_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// pair is a tenant with a user who may read secrets and a user with all other permissions.
type pair struct {
	canary       string
	owner, blind *apptest.Caller
}

func pairOf(t *testing.T, p *apptest.Program) pair {
	owner := p.Admin(t)
	return pair{unique("nightingale"), owner, p.Caller(t, owner.Tenant, allBut("configs:secrets")...)}
}

// as sends a request and returns the response, which must have the status.
func as(t *testing.T, who *apptest.Caller, status int, method, path string, body any, headers ...string) apptest.Answer {
	t.Helper()
	answer := who.Do(t, method, httpapi.Base+path, body, headers...)
	require.Equal(t, status, answer.Status, "%s %s: %s", method, path, answer.Body)
	return answer
}

// unseeing is as for blind; the response must not contain the canary.
func (w pair) unseeing(t *testing.T, status int, method, path string, body any, headers ...string) apptest.Answer {
	t.Helper()
	answer := as(t, w.blind, status, method, path, body, headers...)
	require.NotContains(t, string(answer.Body), w.canary, "%s %s", method, path)
	return answer
}

// make creates a config and returns its key and its ETag.
func (w pair) make(t *testing.T, content object) (key, etag string) {
	t.Helper()
	content["key"] = unique("config")
	return content["key"].(string), as(t, w.owner, 201, "POST", "/configs", content).Header.Get("ETag")
}

// patch edits the newest version of a config and returns its ETag.
func (w pair) patch(t *testing.T, key string, patch object) string {
	t.Helper()
	return as(t, w.owner, 200, "PATCH", "/configs/"+key, patch, "If-Match", w.tag(t, key)).Header.Get("ETag")
}

func (w pair) tag(t *testing.T, key string) string {
	t.Helper()
	return as(t, w.owner, 200, "GET", "/configs/"+key, nil).Header.Get("ETag")
}

// rebase merges an approval with later changes.
func (w pair) rebase(t *testing.T, who *apptest.Caller, status int, approval string) apptest.Answer {
	t.Helper()
	etag := as(t, who, 200, "GET", approval, nil).Header.Get("ETag")
	return as(t, who, status, "POST", approval+"/rebase", nil, "If-Match", etag)
}

// approvalIn returns the path of the approval in a response.
func approvalIn(t *testing.T, answer apptest.Answer) string {
	t.Helper()
	return fmt.Sprintf("/approvals/%.0f", answer.JSON(t)["id"])
}

// A config that is no longer secret can have secret versions. Only users who may read
// secrets may restore them.
func TestRollbackToASecretVersionNeedsSecretPermission(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairOf(t, p)
		always, first := w.make(t, object{"value": w.canary, "secret": true})
		newer, second := w.make(t, object{"value": w.canary})
		w.patch(t, newer, object{"secret": true})
		for key, stale := range map[string]string{always: first, newer: second} {
			etag := w.patch(t, key, object{"secret": false, "value": "public"})
			back, over := "/configs/"+key+"/rollback", "/configs/"+key+"?overwrite=because"

			refused := w.unseeing(t, 403, "POST", back, object{"toVersion": 1}, "If-Match", etag).JSON(t)
			require.Contains(t, refused["detail"], "requires the permission configs:secrets")
			w.unseeing(t, 403, "POST", back+later, object{"toVersion": 1}, "If-Match", etag)
			for _, patch := range []object{{"remark": "over"}, {"secret": false}, {"secret": true}, {"secret": false, "remark": "over"}, {"schema": object{"pattern": "^n"}}, {"protected": true}} {
				w.unseeing(t, 403, "PATCH", over, patch, "If-Match", stale)
				w.unseeing(t, 403, "PATCH", over+"&"+later[1:], patch, "If-Match", stale)
			}
			w.unseeing(t, 412, "PATCH", "/configs/"+key, object{"remark": "stale"}, "If-Match", stale)
			w.unseeing(t, 409, "POST", "/config-batches", object{"changes": []any{object{"key": key, "op": "update", "etag": stale, "patch": object{"secret": false}}}})
			w.unseeing(t, 200, "PATCH", "/configs/"+key+"?merge=disjoint", object{"remark": "merged"}, "If-Match", stale)
			now := w.unseeing(t, 200, "GET", "/configs/"+key, nil).JSON(t)
			require.Equal(t, []any{"public", "merged", 1.0}, []any{now["value"], now["remark"], now["version"].(float64) - etagVersion(t, w, key, etag)}, "the merge alone was made")

			given := w.unseeing(t, 200, "PATCH", over, object{"value": "mine", "secret": false}, "If-Match", stale).JSON(t)
			require.Equal(t, "mine", given["value"], "another value can be set")
			as(t, w.owner, 200, "POST", back, object{"toVersion": 1}, "If-Match", w.tag(t, key))
			require.Equal(t, w.canary, as(t, w.blind, 200, "GET", "/configs/"+key, nil).JSON(t)["value"], "a reader of the secret may make it readable")
		}
	})
}

// etagVersion returns the version with an ETag.
func etagVersion(t *testing.T, w pair, key, etag string) float64 {
	t.Helper()
	for _, one := range as(t, w.owner, 200, "GET", "/configs/"+key+"/history", nil).JSON(t)["items"].([]any) {
		if version := one.(object); version["etag"] == etag {
			return version["version"].(float64)
		}
	}
	t.Fatalf("no version of %s has the tag %s", key, etag)
	return 0
}

// schedule schedules an edit of the newest version as a caller, and returns its approval.
func (w pair) schedule(t *testing.T, who *apptest.Caller, key string, patch object) string {
	t.Helper()
	return approvalIn(t, as(t, who, 202, "PATCH", "/configs/"+key+later, patch, "If-Match", w.tag(t, key)))
}

// When a config becomes secret, its earlier proposals are masked, like the versions of that
// time.
func TestOlderApprovalOfASecretConfigIsMasked(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairOf(t, p)
		key, _ := w.make(t, object{"value": w.canary})
		waiting := []string{
			w.schedule(t, w.owner, key, object{"value": w.canary + "-2"}),
			w.schedule(t, w.owner, key, object{"remark": "the value stays"}),
			approvalIn(t, as(t, w.owner, 202, "POST", "/configs/import"+later, object{"onExisting": "update", "configs": []any{object{"key": key, "value": w.canary + "-3"}}})),
		}
		require.Contains(t, string(as(t, w.blind, 200, "GET", waiting[0], nil).Body), w.canary+"-2", "it is readable as long as the config is")
		shows := func(approval string) {
			t.Helper()
			for _, path := range []string{approval, approval + "/history"} {
				w.unseeing(t, 200, "GET", path, nil)
			}
			require.Contains(t, string(as(t, w.owner, 200, "GET", approval, nil).Body), w.canary)
		}
		w.patch(t, key, object{"secret": true})
		for _, approval := range waiting {
			shows(approval)
		}
		require.Equal(t, true, w.unseeing(t, 200, "GET", waiting[0], nil).JSON(t)["masked"])
		// The author set another value, or none: both are merged with a value that is now
		// secret.
		w.rebase(t, w.blind, 200, waiting[1])
		w.rebase(t, w.owner, 200, waiting[0])
		shows(waiting[0])
		w.unseeing(t, 200, "GET", waiting[1], nil)
		as(t, w.owner, 204, "DELETE", "/configs/"+key, nil, "If-Match", w.tag(t, key))
		for _, approval := range waiting {
			w.unseeing(t, 200, "GET", approval, nil)
			w.unseeing(t, 200, "GET", approval+"/history", nil)
		}
	})
}

// A pending proposal that would make a secret readable shows nothing of it. Only a user who
// could propose it may rebase it.
func TestProposalOfASecretDoesNotRevealIt(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairOf(t, p)
		key, _ := w.make(t, object{"value": w.canary, "secret": true})
		approval := w.schedule(t, w.owner, key, object{"secret": false})
		w.unseeing(t, 200, "GET", approval, nil)
		w.patch(t, key, object{"remark": "meanwhile"})
		w.unseeing(t, 200, "GET", approval, nil)
		refused := w.rebase(t, w.blind, 403, approval)
		require.NotContains(t, string(refused.Body), w.canary)
		w.rebase(t, w.owner, 200, approval)
		w.unseeing(t, 200, "GET", approval, nil)
	})
}

// Two configs have different secrets, and the guess matches one of them: all responses are
// the same.
func TestConflictsAndApprovalsConfirmNoGuessedSecret(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairOf(t, p)
		answers := func(secret string) (replies []any) {
			tell := func(answer apptest.Answer, members ...string) {
				body := answer.JSON(t)
				replies = append(replies, answer.Status)
				for _, member := range members {
					replies = append(replies, body[member])
				}
			}
			key, stale := w.make(t, object{"value": secret, "secret": true})
			approval := w.schedule(t, w.blind, key, object{"value": w.canary})
			tell(w.unseeing(t, 200, "GET", approval, nil), "patch", "masked")
			w.patch(t, key, object{"remark": "meanwhile"})
			tell(w.rebase(t, w.blind, 200, approval), "patch", "masked")

			as(t, w.blind, 200, "PATCH", "/configs/"+key, object{"value": w.canary}, "If-Match", w.tag(t, key))
			tell(w.unseeing(t, 412, "PATCH", "/configs/"+key, object{"remark": "mine"}, "If-Match", stale), "theirsOnly", "conflicts")
			tell(w.unseeing(t, 412, "PATCH", "/configs/"+key, object{"protected": true}, "If-Match", stale), "theirsOnly", "conflicts")
			tell(as(t, w.blind, 403, "PATCH", "/configs/"+key+"?overwrite=because", object{"protected": true}, "If-Match", stale), "code")
			merged := w.unseeing(t, 200, "PATCH", "/configs/"+key+"?merge=disjoint", object{"protected": true}, "If-Match", stale)
			replies = append(replies, merged.JSON(t)["merged"].(object)["keptTheirs"])

			taken := unique("config")
			create := w.blind.Do(t, "POST", httpapi.Base+"/config-batches"+later, object{"changes": []any{object{"key": taken, "op": "create", "patch": object{"value": w.canary, "secret": true}}}})
			require.Equal(t, 202, create.Status, "%s", create.Body)
			as(t, w.owner, 201, "POST", "/configs", object{"key": taken, "value": secret, "secret": true})
			tell(w.rebase(t, w.blind, 409, approvalIn(t, create)), "code")
			return replies
		}
		wrong := answers(unique("another"))
		require.Equal(t, wrong, answers(w.canary))
		require.Contains(t, wrong[7], "/value", "a set value is a change: %v", wrong)
	})
}

// Retention may delete the base of a pending approval.
func TestApprovalWithoutAStoredBaseIsStale(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairOf(t, p)
		key, first := w.make(t, object{"value": "one", "remark": "r"})
		second := w.patch(t, key, object{"value": "two"})
		back := as(t, w.owner, 202, "POST", "/configs/"+key+"/rollback"+later, object{"toVersion": 1}, "If-Match", second)
		edit := as(t, w.owner, 202, "PATCH", "/configs/"+key+later, object{"remark": "mine"}, "If-Match", second)
		w.patch(t, key, object{"value": "three"})
		require.NotEqual(t, first, second)
		db := p.Services().DB
		// The test restores the row, because the promises check all histories after the
		// tests.
		toggle := func() {
			require.NoError(t, db.Write(storage.AcrossTenants(context.Background())).Exec("UPDATE config_histories SET config_id = -config_id WHERE `key` = ? AND version = 2", key).Error)
		}
		toggle()
		defer toggle()
		for name, answer := range map[string]apptest.Answer{"rollback": back, "edit": edit} {
			approval := approvalIn(t, answer)
			as(t, w.owner, 200, "GET", approval, nil)
			refused := w.rebase(t, w.owner, 409, approval).JSON(t)
			require.Equal(t, "approval_stale", refused["code"], name)
			require.Contains(t, refused["detail"], "is no longer stored", name)
			etag := as(t, w.owner, 200, "GET", approval, nil).Header.Get("ETag")
			refused = as(t, w.blind, 409, "POST", approval+"/approve", nil, "If-Match", etag).JSON(t)
			require.Equal(t, "approval_stale", refused["code"], name)
			require.Contains(t, refused["detail"], "is no longer stored", name)
		}
		etag := as(t, w.owner, 200, "GET", approvalIn(t, edit), nil).Header.Get("ETag")
		refused := as(t, w.owner, 409, "PATCH", approvalIn(t, edit), object{"patch": object{"remark": "other"}}, "If-Match", etag)
		require.Contains(t, string(refused.Body), "not")
	})
}

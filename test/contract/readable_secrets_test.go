package contract_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// pair is a tenant with somebody who reads secrets and somebody who may do everything but that.
type pair struct {
	canary       string
	owner, blind *apptest.Caller
}

func pairOf(t *testing.T, p *apptest.Program) pair {
	owner := p.Admin(t)
	return pair{unique("nightingale"), owner, p.Caller(t, owner.Tenant, allBut("configs:secrets")...)}
}

// as sends a request and returns the answer, which has the status.
func as(t *testing.T, who *apptest.Caller, status int, method, path string, body any, headers ...string) apptest.Answer {
	t.Helper()
	answer := who.Do(t, method, httpapi.Base+path, body, headers...)
	require.Equal(t, status, answer.Status, "%s %s: %s", method, path, answer.Body)
	return answer
}

// unseeing is as, for blind, who is told no canary.
func (w pair) unseeing(t *testing.T, status int, method, path string, body any, headers ...string) apptest.Answer {
	t.Helper()
	answer := as(t, w.blind, status, method, path, body, headers...)
	require.NotContains(t, string(answer.Body), w.canary, "%s %s", method, path)
	return answer
}

// make creates a config and returns its key and its tag.
func (w pair) make(t *testing.T, content object) (key, etag string) {
	t.Helper()
	content["key"] = unique("config")
	return content["key"].(string), as(t, w.owner, 201, "POST", "/configs", content).Header.Get("ETag")
}

// patch edits a config by its newest version and returns its tag.
func (w pair) patch(t *testing.T, key string, patch object) string {
	t.Helper()
	return as(t, w.owner, 200, "PATCH", "/configs/"+key, patch, "If-Match", w.tag(t, key)).Header.Get("ETag")
}

func (w pair) tag(t *testing.T, key string) string {
	t.Helper()
	return as(t, w.owner, 200, "GET", "/configs/"+key, nil).Header.Get("ETag")
}

// rebase merges an approval with what was changed since.
func (w pair) rebase(t *testing.T, who *apptest.Caller, status int, approval string) apptest.Answer {
	t.Helper()
	etag := as(t, who, 200, "GET", approval, nil).Header.Get("ETag")
	return as(t, who, status, "POST", approval+"/rebase", nil, "If-Match", etag)
}

// approvalIn is the path of the approval that an answer is of.
func approvalIn(t *testing.T, answer apptest.Answer) string {
	t.Helper()
	return fmt.Sprintf("/approvals/%.0f", answer.JSON(t)["id"])
}

// A config that is not secret any more has versions that are: those are brought back by nobody who
// may not read them.
func TestASecretVersionOfAConfigThatIsReadableNowIsBroughtBackByItsReadersAlone(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairOf(t, p)
		always, first := w.make(t, object{"value": w.canary, "secret": true})
		meanwhile, second := w.make(t, object{"value": w.canary})
		w.patch(t, meanwhile, object{"secret": true})
		for key, stale := range map[string]string{always: first, meanwhile: second} {
			etag := w.patch(t, key, object{"secret": false, "value": "public"})
			back, over := "/configs/"+key+"/rollback", "/configs/"+key+"?overwrite=because"

			refused := w.unseeing(t, 403, "POST", back, object{"toVersion": 1}, "If-Match", etag).JSON(t)
			require.Contains(t, refused["detail"], "takes the permission configs:secrets")
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
			require.Equal(t, "mine", given["value"], "another value can be given")
			as(t, w.owner, 200, "POST", back, object{"toVersion": 1}, "If-Match", w.tag(t, key))
			require.Equal(t, w.canary, as(t, w.blind, 200, "GET", "/configs/"+key, nil).JSON(t)["value"], "who reads it may make it readable")
		}
	})
}

// etagVersion is the version that has a tag.
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

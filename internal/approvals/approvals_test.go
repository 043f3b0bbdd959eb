package approvals_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi/httpapitest"
)

func each(t *testing.T, test func(t *testing.T, o *office)) {
	t.Parallel()
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) { test(t, open(t, ctx, db)) })
}

// onBoth is each on both engines, for races and for the lifecycle of an approval.
func onBoth(t *testing.T, test func(t *testing.T, o *office)) {
	t.Parallel()
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) { test(t, open(t, ctx, db)) })
}

func TestLastVoteAppliesProtectedChangeInOneUnit(t *testing.T) {
	onBoth(t, func(t *testing.T, o *office) {
		li, wu := o.user("Li", editor...), o.user("Wu", approver...)
		etag := li.protect("tax", 0.19)
		before := li.config("tax")
		require.Equal(t, object{"approvals": 1.0}, before["changeNeeds"])

		answer := li.do(202, "PATCH", "/configs/tax", `{"value":0.21}`, "If-Match", etag)
		proposed := approvalOf(t, answer)
		require.Equal(t, "/api/v1"+proposed.path, answer.Header.Get("Location"))
		require.Equal(t, before, li.config("tax"), "the config is unchanged")
		require.Equal(t, "pending", proposed.body["status"])
		require.Equal(t, "config.update", proposed.body["kind"])
		require.Equal(t, "configs/tax", proposed.body["resource"])
		require.Equal(t, etag, proposed.body["baseEtag"])
		require.Equal(t, object{"value": 0.21}, proposed.body["patch"])
		require.Equal(t, false, proposed.body["waitingForMe"])

		seen := wu.read(proposed)
		require.Equal(t, true, seen.body["waitingForMe"])
		side := seen.body["sides"].([]any)[0].(object)
		require.Equal(t, []any{0.19, 0.21, 0.19}, []any{side["base"].(object)["value"], side["proposed"].(object)["value"], side["current"].(object)["value"]})

		done := approvalOf(t, wu.act(200, seen, "approve", nil))
		require.Equal(t, "approved", done.body["status"])
		vote := done.body["votes"].([]any)[0].(object)
		require.Equal(t, "Wu", vote["user"].(object)["name"])
		require.Equal(t, 1.0, vote["version"])
		after := li.config("tax")
		require.Equal(t, 0.21, after["value"])
		require.Equal(t, 2.0, after["version"])
		newest := li.do(200, "GET", "/configs/tax/history", nil).Items()[0]
		require.Equal(t, float64(proposed.id), newest["approvalId"])
		require.EqualValues(t, 2, o.count("audit_entries", "unit_id = (SELECT unit_id FROM audit_entries WHERE tenant_id > 0 AND action = 'approval.approve' AND resource = ?) AND resource IN (?, 'configs/tax')", proposed.path[1:], proposed.path[1:]))
		require.Equal(t, []string{"approve", "propose"}, actions(wu, proposed))

		refused := wu.act(409, done, "approve", nil)
		require.Equal(t, "transition_not_allowed", refused.Body["code"])
		require.Equal(t, "Wu", refused.Body["changedBy"].(object)["name"])
	})
}

// actions returns the actions in an approval's history, newest first.
func actions(d *desk, a approval) (found []string) {
	for _, event := range d.do(200, "GET", a.path+"/history", nil).Items() {
		found = append(found, event["action"].(string))
	}
	return found
}

func TestWriterOfContentCannotDecide(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu, mo := o.user("Li", both...), o.user("Wu", both...), o.user("Mo", append(both, "approvals:bypass")...)
		proposed := li.propose("tax", li.protect("tax", object{"rate": 1, "name": "a"}), `{"value":{"rate":2}}`)
		for _, author := range []*desk{li, li.token()} {
			for action, body := range map[string]any{"approve": nil, "reject": `{"reason":"no"}`} {
				refused := author.act(403, proposed, action, body)
				require.Equal(t, "four_eyes", refused.Body["reason"])
			}
		}
		// Mo changes the config, and Wu rebases the proposal.
		mo.do(200, "PATCH", "/configs/tax?bypass=emergency", `{"value":{"name":"b"}}`, "If-Match", li.config("tax")["etag"].(string))
		proposed = li.read(proposed)
		require.Equal(t, "stale", proposed.body["status"])
		proposed = approvalOf(t, wu.act(200, proposed, "rebase", nil))
		require.Equal(t, "pending", proposed.body["status"])
		for _, writer := range []*desk{li, wu, wu.token()} {
			refused := writer.act(403, proposed, "approve", nil)
			require.Equal(t, "four_eyes", refused.Body["reason"])
		}
		mo.act(200, proposed, "approve", nil)
		require.Equal(t, object{"rate": 2.0, "name": "b"}, li.config("tax")["value"], "both changes")
	})
}

func TestMergePatchAndJSONPatchEditAlike(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		etag := li.protect("tax", 1)
		for mediaType, body := range map[string]string{
			"application/merge-patch+json": `{"patch":{"value":3,"remark":"new"},"note":"three"}`,
			"application/json-patch+json": `[{"op":"test","path":"/patch/value","value":2},{"op":"replace","path":"/patch/value","value":3},
				{"op":"add","path":"/note","value":"three"}]`,
		} {
			proposed := li.propose("tax", etag, `{"value":2,"remark":"new"}`)
			send := func(status int, body string) httpapitest.Answer {
				return li.do(status, "PATCH", proposed.path, body, "If-Match", proposed.etag, "Content-Type", mediaType)
			}
			if mediaType == "application/json-patch+json" {
				for pointer, code := range map[string]string{"/patch/value": "test", "/changes/0": "test"} {
					refused := send(422, `[{"op":"test","path":"`+pointer+`","value":7}]`)
					require.Equal(t, []any{object{"pointer": "/0", "code": code, "message": "tests for a value that the resource does not have"}}, refused.Body["fields"])
				}
				send(400, `[{"op":"add","path":"/status","value":"approved"}]`)
				send(400, `[{"op":"remove","path":"/note"}]`)
			}
			edited := approvalOf(t, send(200, body))
			require.Equal(t, object{"value": 3.0, "remark": "new"}, edited.body["patch"], mediaType)
			require.Equal(t, []any{"three", 2.0}, []any{edited.body["note"], edited.body["version"]}, mediaType)
			li.act(200, edited, "withdraw", nil)
		}
	})
}

func TestVoteAppliesToReadVersionOnly(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.need(2)
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", approver...)
		proposed := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		voted := approvalOf(t, wu.act(200, proposed, "approve", nil))
		require.Equal(t, "pending", voted.body["status"])
		require.Equal(t, 2.0, voted.body["version"], "a vote increments the version")
		refused := wu.act(409, voted, "approve", nil)
		require.Equal(t, "transition_not_allowed", refused.Body["code"], "one vote per user")

		edited := approvalOf(t, li.do(200, "PATCH", proposed.path, `{"patch":{"value":3},"note":"three"}`, "If-Match", voted.etag))
		require.Equal(t, false, edited.body["votes"].([]any)[0].(object)["stands"], "the vote was for other content")
		stale := mo.act(412, voted, "approve", nil)
		require.Equal(t, "pending", stale.Body["currentStatus"])
		require.Equal(t, "Li", stale.Body["updatedBy"].(object)["name"])

		one := approvalOf(t, mo.act(200, edited, "approve", nil))
		require.Equal(t, "pending", one.body["status"], "the vote for the older content does not count")
		require.Equal(t, 1.0, li.config("tax")["value"])
		last := approvalOf(t, wu.act(200, one, "approve", nil))
		require.Equal(t, "approved", last.body["status"])
		after := li.config("tax")
		require.Equal(t, 3.0, after["value"])
		require.Equal(t, "three", li.do(200, "GET", "/configs/tax/history", nil).Items()[0]["note"])
		var patches []any
		for _, event := range li.do(200, "GET", proposed.path+"/history?sort=version", nil).Items() {
			if patch, brought := event["patch"]; brought {
				patches = append(patches, patch)
			}
		}
		require.Equal(t, []any{object{"value": 2.0}, object{"value": 3.0}}, patches, "the content of the first vote remains readable")
	})
}

func TestDisabledVoterDoesNotCount(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.need(2)
		li, wu, mo, xu := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", approver...), o.user("Xu", approver...)
		proposed := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		proposed = approvalOf(t, wu.act(200, proposed, "approve", nil))
		wu.disable()
		proposed = approvalOf(t, mo.act(200, proposed, "approve", nil))
		require.Equal(t, "pending", proposed.body["status"])
		require.Equal(t, 1.0, li.config("tax")["value"])
		// Xu's role lost the permission, which Xu's credential still lists.
		require.NoError(t, o.DB.Write(o.Ctx).Exec("DELETE FROM role_permissions WHERE tenant_id = ? AND permission = 'approvals:decide' AND role_id IN (SELECT role_id FROM user_roles WHERE user_id = ?)", xu.who.TenantID, xu.who.UserID).Error)
		xu.act(403, proposed, "approve", nil)
		require.Equal(t, 1.0, li.config("tax")["value"])
		last := o.user("Yi", approver...)
		require.Equal(t, "approved", last.act(200, proposed, "approve", nil).Body["status"])
	})
}

func TestPendingApprovalIsWithdrawnRejectedOrExpires(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		// The sweeper handles all tenants, so other tests use another time.
		o.Clock.Advance(-2000 * 24 * time.Hour)
		li, wu := o.user("Li", editor...), o.user("Wu", both...)
		etag := li.protect("tax", 1)
		proposed := li.propose("tax", etag, `{"value":2}`)
		again := li.do(202, "PATCH", "/configs/tax", `{"value":2}`, "If-Match", etag)
		require.Equal(t, float64(proposed.id), again.Body["id"], "the same proposal is not inserted twice")
		require.Equal(t, proposed.etag, again.Header.Get("ETag"))
		wu.act(403, proposed, "withdraw", nil)
		wu.do(403, "PATCH", proposed.path, `{"note":"mine"}`, "If-Match", proposed.etag)
		gone := approvalOf(t, li.act(200, proposed, "withdraw", nil))
		require.Equal(t, "withdrawn", gone.body["status"])
		require.Equal(t, "transition_not_allowed", wu.act(409, gone, "approve", nil).Body["code"])

		proposed = li.propose("tax", etag, `{"value":2}`)
		wu.act(422, proposed, "reject", `{"reason":""}`)
		no := approvalOf(t, wu.act(200, proposed, "reject", `{"reason":"too early"}`))
		require.Equal(t, "rejected", no.body["status"])
		require.Equal(t, "too early", no.body["reason"])

		proposed = li.propose("tax", etag, `{"value":2}`)
		o.Clock.Advance(7*24*time.Hour + time.Second)
		late := wu.read(proposed)
		require.Equal(t, "expired", late.body["status"])
		require.Equal(t, "expired", wu.act(409, proposed, "approve", nil).Body["currentStatus"])
		require.NoError(t, o.approvals.ExpireDue(o.Ctx, 1))
		late = wu.read(proposed)
		require.Equal(t, "expired", late.body["status"])
		require.Equal(t, 2.0, late.body["version"])
		require.Equal(t, 1.0, li.config("tax")["value"])
		require.NotEqual(t, proposed.id, li.propose("tax", etag, `{"value":2}`).id)
	})
}

func TestConfigReportsRequiredVotes(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		etag := li.protect("tax", 1)
		li.do(201, "POST", "/configs", `{"key":"free","value":1}`)
		require.Equal(t, object{"approvals": 1.0}, li.config("tax")["changeNeeds"])
		o.need(2)
		require.Equal(t, object{"approvals": 2.0}, li.config("tax")["changeNeeds"])
		require.NotContains(t, li.config("free"), "changeNeeds")
		require.Equal(t, 2.0, li.propose("tax", etag, `{"value":2}`).body["required"])
	})
}

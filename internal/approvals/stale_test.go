package approvals_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/config"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
)

var bypasser = append([]string{"approvals:bypass"}, both...)

// Proves G8.13.
func TestConfigChangeMakesItsApprovalsStale(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", bypasser...)
		blind := o.user("Blind", "approvals:read", "approvals:decide")
		etag := li.protect("tax", object{"rate": 1, "name": "a"})
		first := li.propose("tax", etag, `{"value":{"rate":2}}`)
		second := li.propose("tax", etag, `{"value":{"name":"b"}}`)
		third := li.propose("tax", etag, `{"value":{"rate":3}}`)

		wu.act(200, first, "approve", nil)
		require.Equal(t, "approved", wu.read(first).body["status"], "the applied approval is not stale")
		for _, overtaken := range []approval{second, third} {
			seen := wu.read(overtaken)
			require.Equal(t, "stale", seen.body["status"])
			require.Equal(t, "Wu", seen.body["updatedBy"].(object)["name"], "the user who changed its resource")
			require.Equal(t, []string{"outdate", "propose"}, actions(wu, overtaken))
		}

		refused := wu.act(409, wu.read(second), "approve", nil)
		require.Equal(t, "approval_stale", refused.Body["code"])
		require.Equal(t, "stale", refused.Body["currentStatus"])
		require.Equal(t, []any{1.0, 2.0}, []any{refused.Body["expectedVersion"], refused.Body["currentVersion"]})
		require.Equal(t, true, refused.Body["autoMergeable"])
		require.Equal(t, []any{"/value/rate"}, refused.Body["theirsOnly"])
		require.Equal(t, "Wu", refused.Body["updatedBy"].(object)["name"])
		require.Equal(t, "approval_stale", wu.act(409, second, "approve", nil).Body["code"], "also with the earlier etag")
		require.Equal(t, 2.0, li.config("tax")["value"].(object)["rate"])

		hidden := blind.act(409, second, "approve", nil)
		require.Equal(t, "approval_stale", hidden.Body["code"])
		for _, member := range []string{"base", "current", "conflicts", "theirsOnly"} {
			require.NotContains(t, hidden.Body, member, "the error omits content without the read permission")
		}
		require.Equal(t, 2.0, hidden.Body["currentVersion"])

		rebased := approvalOf(t, li.act(200, li.read(second), "rebase", nil))
		require.Equal(t, "pending", rebased.body["status"])
		wu.act(200, rebased, "approve", nil)
		require.Equal(t, object{"rate": 2.0, "name": "b"}, li.config("tax")["value"])

		contested := li.act(409, li.read(third), "rebase", nil)
		require.Equal(t, "approval_stale", contested.Body["code"])
		require.Equal(t, "/value/rate", contested.Body["conflicts"].([]any)[0].(object)["pointer"])
		li.act(200, li.read(third), "withdraw", nil)

		// A deletion makes them stale too.
		fourth := li.propose("tax", li.config("tax")["etag"].(string), `{"remark":"mine"}`)
		mo.do(204, "DELETE", "/configs/tax?bypass=gone", nil, "If-Match", li.config("tax")["etag"].(string))
		require.Equal(t, "stale", wu.read(fourth).body["status"])
		require.Equal(t, "approval_stale", wu.act(409, fourth, "approve", nil).Body["code"])
	})
}

// Proves G8.33.
func TestApprovalOmitsContentWithoutReadPermission(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, blind, writer := o.user("Li", editor...), o.user("Blind", "approvals:read", "approvals:decide"), o.user("Writer", "configs:write")
		etag := li.protect("tax", "secret")
		proposed := li.propose("tax", etag, `{"value":"other"}`)
		seen := blind.read(proposed)
		require.NotContains(t, seen.body, "patch")
		require.NotContains(t, seen.body, "sides")
		require.Contains(t, blind.act(403, proposed, "approve", nil).Body["detail"], "configs:read")
		own := writer.do(202, "PATCH", "/configs/tax", `{"remark":"mine"}`, "If-Match", etag)
		require.Contains(t, own.Body, "patch", "the write permission includes reading")
	})
}

// Proves G8.13.
func TestBatchWithProtectedMemberIsOneApproval(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu := o.user("Li", editor...), o.user("Wu", approver...)
		free := li.do(201, "POST", "/configs", `{"key":"free","value":1}`).Body
		gone := li.do(201, "POST", "/configs", `{"key":"gone","value":1}`).Body
		batch := func() object {
			return object{"note": "together", "changes": []any{
				object{"key": "tax", "op": "update", "etag": li.config("tax")["etag"], "patch": object{"value": 2}},
				object{"key": "free", "op": "update", "etag": li.config("free")["etag"], "patch": object{"value": 2}},
				object{"key": "gone", "op": "delete", "etag": gone["etag"]},
				object{"key": "new", "op": "create", "patch": object{"value": 2, "protected": true}},
			}}
		}
		li.protect("tax", 1)
		proposed := approvalOf(t, li.do(202, "POST", "/config-batches", batch()))
		require.Equal(t, []any{"configs/tax", "configs/free", "configs/gone", "configs/new"}, proposed.body["targets"])
		require.Equal(t, 1.0, li.config("free")["value"], "the unprotected member waits too")
		require.Len(t, wu.read(proposed).body["sides"], 4)

		// An edit of the unprotected member makes the batch stale.
		li.do(200, "PATCH", "/configs/free", `{"remark":"meanwhile"}`, "If-Match", free["etag"].(string))
		overtaken := wu.read(proposed)
		require.Equal(t, "stale", overtaken.body["status"])
		refused := wu.act(409, overtaken, "approve", nil)
		require.Equal(t, "free", refused.Body["members"].([]any)[0].(object)["key"])
		require.Equal(t, 1.0, li.config("tax")["value"], "no member is applied")
		rebased := approvalOf(t, li.act(200, overtaken, "rebase", nil))
		wu.act(200, rebased, "approve", nil)
		require.Equal(t, []any{2.0, 2.0, 2.0}, []any{li.config("tax")["value"], li.config("free")["value"], li.config("new")["value"]})
		require.Equal(t, "meanwhile", li.config("free")["remark"])
		li.do(404, "GET", "/configs/gone", nil)
		require.Equal(t, "together", li.do(200, "GET", "/configs/tax/history", nil).Items()[0]["note"])

		// A config created concurrently is detected when the batch is applied.
		made := approvalOf(t, li.do(202, "POST", "/config-batches", object{"changes": []any{
			object{"key": "tax", "op": "update", "etag": li.config("tax")["etag"], "patch": object{"value": 3}},
			object{"key": "later", "op": "create", "patch": object{"value": 3}},
		}}))
		li.do(201, "POST", "/configs", `{"key":"later","value":1}`)
		require.Equal(t, "stale", wu.read(made).body["status"])
		require.Equal(t, "approval_stale", wu.act(409, made, "approve", nil).Body["code"])
	})
}

// Proves G8.15.
func TestEveryProposedWriteIsAppliedExactly(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu := o.user("Li", append([]string{"configs:overwrite"}, editor...)...), o.user("Wu", approver...)
		decided := func(answer approval) {
			require.Equal(t, "approved", wu.act(200, answer, "approve", nil).Body["status"])
		}
		tag := func() string { return li.config("tax")["etag"].(string) }
		etag := li.protect("tax", object{"z": 1, "a": nil})
		decided(li.propose("tax", etag, `{"value":{"z":2}}`))

		over := approvalOf(t, li.do(202, "PATCH", "/configs/tax?overwrite=mine+counts", `{"remark":"over"}`, "If-Match", etag))
		decided(over)
		after := li.config("tax")
		require.Equal(t, object{"z": 1.0, "a": nil}, after["value"])
		newest := li.do(200, "GET", "/configs/tax/history", nil).Items()[0]
		require.Equal(t, []any{"overwrite", "mine counts"}, []any{newest["action"], newest["note"]})

		decided(approvalOf(t, li.do(202, "POST", "/configs/tax/rollback", `{"toVersion":2,"note":"back"}`, "If-Match", tag())))
		newest = li.do(200, "GET", "/configs/tax/history", nil).Items()[0]
		require.Equal(t, []any{"rollback", "back", true}, []any{newest["action"], newest["note"], newest["protected"]})
		require.Equal(t, object{"z": 2.0, "a": nil}, li.config("tax")["value"])

		decided(approvalOf(t, li.do(202, "POST", "/configs/import", `{"onExisting":"update","note":"all","configs":[{"key":"tax","value":{"b":1,"a":2}},{"key":"new","value":1}]}`)))
		require.Contains(t, li.do(200, "GET", "/configs/tax", nil).Text, `"value":{"b":1,"a":2}`, "the exact text")
		require.Equal(t, true, li.config("tax")["protected"], "an import without the member leaves it protected")

		decided(li.propose("tax", tag(), `{"protected":false}`))
		li.do(200, "PATCH", "/configs/tax", `{"value":1}`, "If-Match", tag())
		li.do(200, "PATCH", "/configs/tax", `{"protected":true}`, "If-Match", tag())
		gone := approvalOf(t, li.do(202, "DELETE", "/configs/tax", nil, "If-Match", tag()))
		decided(gone)
		li.do(404, "GET", "/configs/tax", nil)
	})
}

// Proves G8.18.
func TestBypassLeavesApprovalForReview(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, mo, wu := o.user("Li", editor...), o.user("Mo", bypasser...), o.user("Wu", approver...)
		etag := li.protect("tax", 1)
		require.Contains(t, li.do(403, "PATCH", "/configs/tax?bypass=now", `{"value":2}`, "If-Match", etag).Body["detail"], "approvals:bypass")
		mo.do(400, "PATCH", "/configs/tax?bypass=+", `{"value":2}`, "If-Match", etag)
		mo.do(200, "PATCH", "/configs/tax?bypass=the+shop+is+down", `{"value":2}`, "If-Match", etag)
		require.Equal(t, 2.0, li.config("tax")["value"])
		left := wu.do(200, "GET", "/approvals?status=bypassed", nil).Items()
		require.Len(t, left, 1)
		require.Equal(t, "the shop is down", left[0]["reason"])
		require.EqualValues(t, 2, o.count("audit_entries", "action IN ('approval.bypass', 'config.update')"))

		a := approvalOf(t, wu.do(200, "GET", "/approvals/"+jsonID(left[0]), nil))
		mo.act(403, a, "review", `{}`)
		require.Equal(t, "reviewed", wu.act(200, a, "review", `{"note":"right"}`).Body["status"])

		// A pending approval can be bypassed too, once.
		proposed := li.propose("tax", li.config("tax")["etag"].(string), `{"value":3}`)
		mo.do(200, "POST", proposed.path+"/approve?bypass=still+down", nil, "If-Match", proposed.etag)
		require.Equal(t, 3.0, li.config("tax")["value"])
		require.Equal(t, "bypassed", wu.read(proposed).body["status"])
	})
}

func jsonID(row object) string { return strconv.FormatInt(int64(row["id"].(float64)), 10) }

// The UPDATE checks it, whatever a route does.
// Proves G8.3.
func TestProtectedRowRejectsWritesWithoutApproval(t *testing.T) {
	onBoth(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		li.protect("tax", 1)
		row, err := o.configs.Get(o.Ctx, "tax")
		require.NoError(t, err)
		for name, write := range map[string]func(ctx context.Context, u *uow.Unit) error{
			"update": func(ctx context.Context, u *uow.Unit) error {
				return guard.Update[config.Config](ctx, u, row.Ref(), guard.Set{"value": "9"})
			},
			"update of a proposed row": func(ctx context.Context, u *uow.Unit) error {
				return guard.UpdateProposed[config.Config](ctx, u, row.Ref(), guard.Set{"value": "9"})
			},
			"delete": func(ctx context.Context, u *uow.Unit) error { return guard.Delete[config.Config](ctx, u, row.Ref()) },
			"adjust": func(ctx context.Context, u *uow.Unit) error {
				return guard.Adjust[config.Config](ctx, u, row.ID, guard.Set{"value": "9"}, "1 = 1")
			},
		} {
			err := o.Runner.Do(o.Ctx, func(ctx context.Context, u *uow.Unit) error {
				u.Audit(uow.Entry{Action: "config.update", Resource: "configs/tax"})
				return write(ctx, u)
			})
			require.ErrorIs(t, err, guard.ErrProtected, name)
			require.False(t, apperr.Has(err, apperr.Forbidden), "it is a programming error, not one of the caller")
		}
		require.Equal(t, 1.0, li.config("tax")["version"])
	})
}

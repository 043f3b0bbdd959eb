package approvals_test

import (
	"cmp"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
)

// Proves G8.30.
func TestEditIntoDuplicateProposalIsRejected(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, mo := o.user("Li", editor...), o.user("Mo", bypasser...)
		etag := li.protect("tax", object{"rate": 1, "name": "a"})
		first := li.propose("tax", etag, `{"value":{"rate":2}}`)
		second := li.propose("tax", etag, `{"value":{"rate":3}}`)
		refused := li.do(409, "PATCH", second.path, `{"patch":{"value":{"rate":2}}}`, "If-Match", second.etag)
		require.Equal(t, "already_exists", refused.Body["code"])
		require.EqualValues(t, first.id, refused.Body["current"].(object)["id"])
		require.Contains(t, refused.Body["detail"], first.path[1:])
		require.Equal(t, second.etag, li.read(second).etag, "the approval is unchanged")
		li.act(200, second, "withdraw", nil)

		// A rebase can produce the same duplicate.
		mo.do(200, "PATCH", "/configs/tax?bypass=now", `{"value":{"name":"b"}}`, "If-Match", etag)
		third := li.propose("tax", li.config("tax")["etag"].(string), `{"value":{"rate":2}}`)
		refused = li.act(409, li.read(first), "rebase", nil)
		require.Equal(t, "already_exists", refused.Body["code"])
		require.EqualValues(t, third.id, refused.Body["current"].(object)["id"])
		require.Equal(t, "stale", li.read(first).body["status"])
		li.act(200, third, "withdraw", nil)
		require.Equal(t, "pending", li.act(200, li.read(first), "rebase", nil).Body["status"])
	})
}

// Proves G8.30.
func TestOverdueApprovalDoesNotBlockDuplicate(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		etag := li.protect("tax", 1)
		first := li.propose("tax", etag, `{"value":2}`)
		o.Clock.Advance(7*24*time.Hour + time.Second)
		second := li.propose("tax", etag, `{"value":3}`)
		edited := approvalOf(t, li.do(200, "PATCH", second.path, `{"patch":{"value":2}}`, "If-Match", second.etag))
		require.Equal(t, object{"value": 2.0}, edited.body["patch"])
		require.Equal(t, "expired", li.read(first).body["status"])
		require.Equal(t, []string{"expire", "propose"}, actions(li, first))
	})
}

// Proves G8.30.
func TestConfigChangeExpiresOverdueApproval(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, mo := o.user("Li", editor...), o.user("Mo", bypasser...)
		etag := li.protect("tax", 1)
		proposed := li.propose("tax", etag, `{"value":2}`)
		o.Clock.Advance(7*24*time.Hour + time.Second)
		require.Equal(t, "expired", li.read(proposed).body["status"])
		mo.do(200, "PATCH", "/configs/tax?bypass=now", `{"remark":"other"}`, "If-Match", etag)
		late := li.read(proposed)
		require.Equal(t, "expired", late.body["status"], "an expired approval becomes neither stale nor pending")
		require.Equal(t, []string{"expire", "propose"}, actions(li, proposed))
		require.Equal(t, "transition_not_allowed", li.act(409, late, "rebase", nil).Body["code"])
	})
}

// A change that marks no approval is detected on apply: here, another user creates a config that a
// pending batch also creates.
// Proves G8.16.
func TestUnnoticedBaseChangeMakesApprovalStaleOnApply(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", bypasser...)
		etag := li.protect("tax", 1)
		for _, act := range []func(a approval) object{
			func(a approval) object { return wu.act(409, a, "approve", nil).Body },
			func(a approval) object {
				return mo.do(409, "POST", a.path+"/approve?bypass=now", nil, "If-Match", a.etag).Body
			},
		} {
			proposed := approvalOf(t, li.do(202, "POST", "/config-batches", object{"changes": []any{
				object{"key": "tax", "op": "update", "etag": etag, "patch": object{"value": 2}},
				object{"key": "new", "op": "create", "patch": object{"value": 2}},
			}}))
			// The config is created between the batch's read and its commit.
			require.NoError(t, o.DB.Write(o.Ctx).Exec("UPDATE approval_targets SET pending = ? WHERE tenant_id = ? AND approval_id = ?", false, o.Tenant(), proposed.id).Error)
			made := mo.do(201, "POST", "/configs", `{"key":"new","value":2}`)
			require.NoError(t, o.DB.Write(o.Ctx).Exec("UPDATE approval_targets SET pending = ? WHERE tenant_id = ? AND approval_id = ?", true, o.Tenant(), proposed.id).Error)
			require.Equal(t, "pending", li.read(proposed).body["status"])

			refused := act(proposed)
			require.Equal(t, []any{"approval_stale", "stale"}, []any{refused["code"], refused["currentStatus"]})
			seen := li.read(proposed)
			require.Equal(t, "stale", seen.body["status"])
			require.Equal(t, []string{"outdate", "propose"}, actions(li, proposed))
			require.EqualValues(t, 1, o.count("audit_entries", "action = 'approval.outdate' AND resource = ?", proposed.path[1:]))
			require.Equal(t, 1.0, li.config("tax")["value"])
			rebased := approvalOf(t, li.act(200, seen, "rebase", nil))
			require.Equal(t, []any{"configs/tax"}, rebased.body["targets"], "an existing config is no longer a target")
			require.Empty(t, li.do(200, "GET", "/approvals?status=pending&resource=configs/new", nil).Items())
			li.act(200, rebased, "withdraw", nil)
			mo.do(204, "DELETE", "/configs/new", nil, "If-Match", made.Header.Get("ETag"))
		}
	})
}

// In a cluster, a proposal that does not write the config's row would not conflict with a concurrent
// change of the config on another node.
// Proves G8.12.
func TestProposalWritesItsTargetRows(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu := o.user("Li", editor...), o.user("Wu", approver...)
		etag := li.protect("tax", 1)
		for n := range 200 {
			require.EqualValues(t, 1, o.count("configs", "`key` = 'tax' AND proposed = ?", n))
			li.act(200, li.propose("tax", etag, `{"value":2}`), "withdraw", nil)
		}
		wu.act(200, li.propose("tax", etag, `{"value":2}`), "approve", nil)
		require.EqualValues(t, 1, o.count("configs", "`key` = 'tax' AND proposed = 0"))
	})
}

// Proves G8.11.
func TestPreviousVoterCompletesReachedQuorum(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.need(2)
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", approver...)
		proposed := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		proposed = approvalOf(t, wu.act(200, proposed, "approve", nil))
		require.Equal(t, false, proposed.body["waitingForMe"])
		wu.setDisabled(true)
		proposed = approvalOf(t, mo.act(200, proposed, "approve", nil))
		require.Contains(t, mo.act(409, proposed, "approve", nil).Body["detail"], "waits for the votes of others")
		wu.setDisabled(false)
		for _, voter := range []*desk{wu, mo} {
			require.Equal(t, true, voter.read(proposed).body["waitingForMe"])
			require.Len(t, voter.do(200, "GET", "/approvals?waitingFor=me", nil).Items(), 1)
		}
		require.Equal(t, false, li.read(proposed).body["waitingForMe"])
		done := approvalOf(t, mo.act(200, proposed, "approve", nil))
		require.Equal(t, "approved", done.body["status"])
		require.Len(t, done.body["votes"], 2, "one vote per user")
		require.Equal(t, 2.0, li.config("tax")["value"])
	})
}

// Proves G8.33.
func TestApprovalWaitsOnlyForReaders(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, blind := o.user("Li", editor...), o.user("Blind", "approvals:read", "approvals:decide")
		proposed := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		require.Equal(t, false, blind.read(proposed).body["waitingForMe"])
		require.Empty(t, blind.do(200, "GET", "/approvals?waitingFor=me", nil).Items())
		waiting, err := o.approvals.CountWaiting(blind.ctx())
		require.NoError(t, err)
		require.Zero(t, waiting.ToDecide)
	})
}

// Proves G8.15.
func TestRebasedRollbackIsRecordedAsUpdate(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", bypasser...)
		first := li.protect("tax", 1)
		second := mo.do(200, "PATCH", "/configs/tax?bypass=now", `{"value":2}`, "If-Match", first).Header.Get("ETag")
		proposed := approvalOf(t, li.do(202, "POST", "/configs/tax/rollback", `{"toVersion":1,"note":"back"}`, "If-Match", second))
		mo.do(200, "PATCH", "/configs/tax?bypass=now", `{"remark":"meanwhile"}`, "If-Match", second)
		proposed = approvalOf(t, li.act(200, li.read(proposed), "rebase", nil))
		require.Equal(t, "config.update", proposed.body["kind"])
		require.Equal(t, object{"value": 1.0}, proposed.body["patch"])
		wu.act(200, proposed, "approve", nil)
		newest := li.do(200, "GET", "/configs/tax/history", nil).Items()[0]
		require.Equal(t, []any{"update", 1.0, "meanwhile"}, []any{newest["action"], newest["value"], newest["remark"]})
		require.NotContains(t, newest, "contentOfVersion")
		require.Zero(t, o.count("audit_entries", "action = 'config.rollback'"))
	})
}

func TestExpiryFailureOfTenantDoesNotAffectOthers(t *testing.T) {
	// Not parallel: the sweepers of other tests would hit the fault.
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		offices := []*office{open(t, ctx, db), open(t, storagetest.Tenant(t), db)}
		slices.SortFunc(offices, func(a, b *office) int { return cmp.Compare(a.Tenant(), b.Tenant()) })
		var proposed []approval
		for _, o := range offices {
			// The sweeper handles all tenants, so other tests use another time.
			o.Clock.Advance(-4000 * 24 * time.Hour)
			li := o.user("Li", editor...)
			proposed = append(proposed, li.propose("tax", li.protect("tax", 1), `{"value":2}`))
			o.Clock.Advance(7*24*time.Hour + time.Second)
		}
		bad := offices[0]
		bad.insert("approval_histories", object{
			"approval_id": proposed[0].id, "version": 2, "action": "vote", "to_status": 0, "detail": "{}",
			"changed_by": 1, "changed_by_name": "a fault", "changed_time": bad.Clock.Now(),
		})
		require.Error(t, offices[1].approvals.ExpireDue(ctx, 1))
		for i, status := range []int{0, 5} {
			require.EqualValues(t, 1, offices[i].count("approvals", "id = ? AND status = ?", proposed[i].id, status))
		}
		require.NoError(t, db.Write(storage.AcrossTenants(ctx)).Exec("DELETE FROM approval_histories WHERE tenant_id = ? AND changed_by_name = 'a fault'", bad.Tenant()).Error)
		require.NoError(t, bad.approvals.ExpireDue(ctx, 1))
	})
}

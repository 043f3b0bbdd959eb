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

func TestAnApprovalIsNotMadeIntoOneThatItsAuthorHasPendingAlready(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, mo := o.user("Li", editor...), o.user("Mo", bypasser...)
		etag := li.protect("tax", object{"rate": 1, "name": "a"})
		first := li.propose("tax", etag, `{"value":{"rate":2}}`)
		second := li.propose("tax", etag, `{"value":{"rate":3}}`)
		refused := li.do(409, "PATCH", second.path, `{"patch":{"value":{"rate":2}}}`, "If-Match", second.etag)
		require.Equal(t, "already_exists", refused.Body["code"])
		require.EqualValues(t, first.id, refused.Body["current"].(object)["id"])
		require.Contains(t, refused.Body["detail"], first.path[1:])
		require.Equal(t, second.etag, li.read(second).etag, "nothing has changed")
		li.act(200, second, "withdraw", nil)

		// A rebase makes the same of what has gone stale.
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

func TestAnOverdueApprovalThatTheSweeperHasNotSeenStandsInNobodysWay(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		etag := li.protect("tax", 1)
		first := li.propose("tax", etag, `{"value":2}`)
		o.clock.Advance(7*24*time.Hour + time.Second)
		second := li.propose("tax", etag, `{"value":3}`)
		edited := approvalOf(t, li.do(200, "PATCH", second.path, `{"patch":{"value":2}}`, "If-Match", second.etag))
		require.Equal(t, object{"value": 2.0}, edited.body["patch"])
		require.Equal(t, "expired", li.read(first).body["status"])
		require.Equal(t, []string{"expire", "propose"}, actions(li, first))
	})
}

func TestAnOverdueApprovalExpiresAlsoWhenItsConfigIsChangedBeforeTheSweeperComes(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, mo := o.user("Li", editor...), o.user("Mo", bypasser...)
		etag := li.protect("tax", 1)
		asked := li.propose("tax", etag, `{"value":2}`)
		o.clock.Advance(7*24*time.Hour + time.Second)
		require.Equal(t, "expired", li.read(asked).body["status"])
		mo.do(200, "PATCH", "/configs/tax?bypass=now", `{"remark":"other"}`, "If-Match", etag)
		late := li.read(asked)
		require.Equal(t, "expired", late.body["status"], "what has expired comes back neither as stale nor as pending")
		require.Equal(t, []string{"expire", "propose"}, actions(li, asked))
		require.Equal(t, "transition_not_allowed", li.act(409, late, "rebase", nil).Body["code"])
	})
}

// What moves nothing that is marked is noticed when the change is to be made: here, a config
// is created of which a batch that waits creates one as well.
func TestAnApprovalWhoseBaseHasMovedUnseenIsStaleOnceItIsFoundOutAndCanBeRebased(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", bypasser...)
		etag := li.protect("tax", 1)
		for _, act := range []func(a approval) object{
			func(a approval) object { return wu.act(409, a, "approve", nil).Body },
			func(a approval) object {
				return mo.do(409, "POST", a.path+"/approve?bypass=now", nil, "If-Match", a.etag).Body
			},
		} {
			asked := approvalOf(t, li.do(202, "POST", "/config-batches", object{"changes": []any{
				object{"key": "tax", "op": "update", "etag": etag, "patch": object{"value": 2}},
				object{"key": "new", "op": "create", "patch": object{"value": 2}},
			}}))
			// As when somebody creates it between the batch's read and its commit.
			require.NoError(t, o.db.Write(o.ctx).Exec("UPDATE approval_targets SET pending = ? WHERE tenant_id = ? AND approval_id = ?", false, o.tenant(), asked.id).Error)
			made := mo.do(201, "POST", "/configs", `{"key":"new","value":2}`)
			require.NoError(t, o.db.Write(o.ctx).Exec("UPDATE approval_targets SET pending = ? WHERE tenant_id = ? AND approval_id = ?", true, o.tenant(), asked.id).Error)
			require.Equal(t, "pending", li.read(asked).body["status"])

			refused := act(asked)
			require.Equal(t, []any{"approval_stale", "stale"}, []any{refused["code"], refused["currentStatus"]})
			seen := li.read(asked)
			require.Equal(t, "stale", seen.body["status"])
			require.Equal(t, []string{"outdate", "propose"}, actions(li, asked))
			require.EqualValues(t, 1, o.count("audit_entries", "action = 'approval.outdate' AND resource = ?", asked.path[1:]))
			require.Equal(t, 1.0, li.config("tax")["value"])
			rebased := approvalOf(t, li.act(200, seen, "rebase", nil))
			require.Equal(t, []any{"configs/tax"}, rebased.body["targets"], "what is there already is not named any more")
			require.Empty(t, li.do(200, "GET", "/approvals?status=pending&resource=configs/new", nil).Items())
			li.act(200, rebased, "withdraw", nil)
			mo.do(204, "DELETE", "/configs/new", nil, "If-Match", made.Header.Get("ETag"))
		}
	})
}

// On a cluster, a proposal that changed nothing of its row would not be certified against a
// change of the config that another node commits at the same time.
func TestEachProposalChangesTheRowsThatItNames(t *testing.T) {
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

func TestAQuorumThatStandsIsCompletedAlsoByWhoHasVotedForIt(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.need(2)
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", approver...)
		asked := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		asked = approvalOf(t, wu.act(200, asked, "approve", nil))
		require.Equal(t, false, asked.body["waitingForMe"])
		wu.setDisabled(true)
		asked = approvalOf(t, mo.act(200, asked, "approve", nil))
		require.Contains(t, mo.act(409, asked, "approve", nil).Body["detail"], "waits for the votes of others")
		wu.setDisabled(false)
		for _, voter := range []*desk{wu, mo} {
			require.Equal(t, true, voter.read(asked).body["waitingForMe"])
			require.Len(t, voter.do(200, "GET", "/approvals?waitingFor=me", nil).Items(), 1)
		}
		require.Equal(t, false, li.read(asked).body["waitingForMe"])
		done := approvalOf(t, mo.act(200, asked, "approve", nil))
		require.Equal(t, "approved", done.body["status"])
		require.Len(t, done.body["votes"], 2, "nobody votes twice")
		require.Equal(t, 2.0, li.config("tax")["value"])
	})
}

func TestNothingWaitsForWhoMayNotReadWhatHeWouldVoteFor(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, blind := o.user("Li", editor...), o.user("Blind", "approvals:read", "approvals:decide")
		asked := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		require.Equal(t, false, blind.read(asked).body["waitingForMe"])
		require.Empty(t, blind.do(200, "GET", "/approvals?waitingFor=me", nil).Items())
		waiting, err := o.approvals.CountWaiting(blind.ctx())
		require.NoError(t, err)
		require.Zero(t, waiting.ToDecide)
	})
}

func TestARebasedRollbackIsRecordedAsTheMergeThatItIs(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", bypasser...)
		first := li.protect("tax", 1)
		second := mo.do(200, "PATCH", "/configs/tax?bypass=now", `{"value":2}`, "If-Match", first).Header.Get("ETag")
		asked := approvalOf(t, li.do(202, "POST", "/configs/tax/rollback", `{"toVersion":1,"note":"back"}`, "If-Match", second))
		mo.do(200, "PATCH", "/configs/tax?bypass=now", `{"remark":"meanwhile"}`, "If-Match", second)
		asked = approvalOf(t, li.act(200, li.read(asked), "rebase", nil))
		require.Equal(t, "config.update", asked.body["kind"])
		require.Equal(t, object{"value": 1.0}, asked.body["patch"])
		wu.act(200, asked, "approve", nil)
		newest := li.do(200, "GET", "/configs/tax/history", nil).Items()[0]
		require.Equal(t, []any{"update", 1.0, "meanwhile"}, []any{newest["action"], newest["value"], newest["remark"]})
		require.NotContains(t, newest, "contentOfVersion")
		require.Zero(t, o.count("audit_entries", "action = 'config.rollback'"))
	})
}

func TestWhatFailsForOneTenantKeepsTheApprovalsOfNoOtherFromExpiring(t *testing.T) {
	// Not beside the others: their sweepers would meet the fault.
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		offices := []*office{open(t, ctx, db), open(t, storagetest.Tenant(t), db)}
		slices.SortFunc(offices, func(a, b *office) int { return cmp.Compare(a.tenant(), b.tenant()) })
		var asked []approval
		for _, o := range offices {
			// The sweeper serves all tenants: those of other tests are of another time.
			o.clock.Advance(-4000 * 24 * time.Hour)
			li := o.user("Li", editor...)
			asked = append(asked, li.propose("tax", li.protect("tax", 1), `{"value":2}`))
			o.clock.Advance(7*24*time.Hour + time.Second)
		}
		bad := offices[0]
		bad.insert("approval_histories", object{
			"approval_id": asked[0].id, "version": 2, "action": "vote", "to_status": 0, "detail": "{}",
			"changed_by": 1, "changed_by_name": "a fault", "changed_time": bad.clock.Now(),
		})
		require.Error(t, offices[1].approvals.ExpireDue(ctx, 1))
		for i, status := range []int{0, 5} {
			require.EqualValues(t, 1, offices[i].count("approvals", "id = ? AND status = ?", asked[i].id, status))
		}
		require.NoError(t, db.Write(storage.AcrossTenants(ctx)).Exec("DELETE FROM approval_histories WHERE tenant_id = ? AND changed_by_name = 'a fault'", bad.tenant()).Error)
		require.NoError(t, bad.approvals.ExpireDue(ctx, 1))
	})
}

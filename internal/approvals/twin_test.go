package approvals_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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

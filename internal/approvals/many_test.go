package approvals_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/core/uow"
)

// Proves G8.17.
func TestAuthorHasLimitOfPendingChanges(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu, mo := o.user("Li", editor...), o.user("Wu", both...), o.user("Mo", bypasser...)
		etag := li.protect("tax", 0)
		overtaken := li.propose("tax", etag, `{"remark":"stale"}`)
		etag = mo.do(200, "PATCH", "/configs/tax?bypass=now", `{"value":-1}`, "If-Match", etag).Header.Get("ETag")
		var newest approval
		for n := range 200 {
			newest = li.propose("tax", etag, object{"value": n})
		}
		for _, refused := range []object{
			li.do(409, "PATCH", "/configs/tax", `{"value":1000}`, "If-Match", etag).Body,
			li.do(409, "DELETE", "/configs/tax", nil, "If-Match", etag).Body,
			wu.act(409, li.read(overtaken), "rebase", nil).Body,
		} {
			require.Equal(t, "limit_reached", refused["code"])
			require.Contains(t, refused["detail"], "Li has reached the limit of 200 pending changes")
		}
		require.Equal(t, newest.id, li.propose("tax", etag, object{"value": 199}).id, "an open duplicate does not count")
		wu.propose("tax", etag, `{"value":1001}`)
		li.act(200, newest, "withdraw", nil)
		require.Equal(t, "pending", wu.act(200, li.read(overtaken), "rebase", nil).Body["status"])
		mo.do(200, "PATCH", "/configs/tax?bypass=now", `{"value":7}`, "If-Match", etag)
		require.Zero(t, o.count("approvals", "status = 0"))
	})
}

// The number exceeds SQLite's limit of parameters in one statement.
// Proves G8.17.
func TestConfigNamedByManyApprovalsCanBeChanged(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		require.NoError(t, o.DB.Write(o.Ctx).Exec(`INSERT INTO approval_targets (tenant_id, approval_id, resource, pending)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
			SELECT ?, a.i * 1000000 + b.i, 'configs/tax', ? FROM n a JOIN n b`, o.Tenant(), true).Error)
		require.NoError(t, o.Runner.Do(o.Ctx, func(ctx context.Context, u *uow.Unit) error {
			return o.approvals.MarkStale(ctx, u, "configs/tax")
		}))
	})
}

// Proves G8.17.
func TestLargeApprovalListsFirstResources(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu := o.user("Li", editor...), o.user("Wu", approver...)
		batch := func(value int, keys ...string) object {
			var changes []any
			for _, key := range keys {
				changes = append(changes, object{"key": key, "op": "update", "etag": li.config(key)["etag"], "patch": object{"value": value}})
			}
			return object{"changes": changes}
		}
		keys := []string{}
		for n := range 25 {
			keys = append(keys, fmt.Sprintf("free-%02d", n))
			li.do(201, "POST", "/configs", object{"key": keys[n], "value": 0})
		}
		li.protect("tax", 0)
		proposed := approvalOf(t, li.do(202, "POST", "/config-batches", batch(1, append([]string{"tax"}, keys...)...)))
		listed := wu.do(200, "GET", "/approvals", nil).Items()[0]
		require.Equal(t, 26.0, listed["targetCount"])
		require.Len(t, listed["targets"], 20)
		require.Equal(t, []any{"configs/tax", "configs/free-00"}, listed["targets"].([]any)[:2])
		require.Len(t, wu.read(proposed).body["targets"], 26)

		li.do(200, "POST", "/config-batches", batch(2, keys...))
		refused := wu.act(409, wu.read(proposed), "approve", nil)
		require.Equal(t, "approval_stale", refused.Body["code"])
		require.Equal(t, 25.0, refused.Body["moved"])
		require.Len(t, refused.Body["members"], 20)
		require.Contains(t, refused.Body["detail"], "25 of its 26 changes")
	})
}

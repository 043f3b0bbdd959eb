package approvals_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Proves G8.31.
func TestEachMutatingRouteIsReplayedUnderItsKey(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", bypasser...)
		keys := 0
		propose := func() (key string, proposed approval) {
			keys++
			key = fmt.Sprintf("tax-%d", keys)
			return key, li.propose(key, li.protect(key, 1), `{"value":2}`)
		}
		pending := func() approval {
			_, proposed := propose()
			return proposed
		}
		outdated := func() approval {
			key, proposed := propose()
			mo.do(200, "PATCH", "/configs/"+key+"?bypass=now", `{"remark":"other"}`, "If-Match", li.config(key)["etag"].(string))
			return li.read(proposed)
		}
		bypassed := func() approval {
			proposed := pending()
			return approvalOf(t, mo.do(200, "POST", proposed.path+"/approve?bypass=now", nil, "If-Match", proposed.etag))
		}
		protected := li.protect("tax", 1)
		for i, c := range []struct {
			by           *desk
			method, path string
			of           approval
			body         any
			status       int
			becomes      string
		}{
			{li, "PATCH", "/configs/tax", approval{etag: protected}, `{"value":2}`, 202, "pending"},
			{mo, "PATCH", "/configs/tax?bypass=now", approval{etag: protected}, `{"value":3}`, 200, ""},
			{li, "PATCH", "", pending(), `{"patch":{"value":3}}`, 200, "pending"},
			{li, "POST", "/comments", pending(), `{"text":"Why?"}`, 201, ""},
			{wu, "POST", "/approve", pending(), nil, 200, "approved"},
			{mo, "POST", "/approve?bypass=now", pending(), nil, 200, "bypassed"},
			{wu, "POST", "/reject", pending(), `{"reason":"too early"}`, 200, "rejected"},
			{li, "POST", "/withdraw", pending(), nil, 200, "withdrawn"},
			{li, "POST", "/rebase", outdated(), nil, 200, "pending"},
			{wu, "POST", "/review", bypassed(), `{}`, 200, "reviewed"},
		} {
			path, headers := c.of.path+c.path, []string{"If-Match", c.of.etag, "X-Idempotency-Key", fmt.Sprintf("key-%d", i)}
			first := c.by.do(c.status, c.method, path, c.body, headers...)
			if c.becomes != "" {
				require.Equal(t, c.becomes, first.Body["status"], path)
			}
			versions := o.count("approval_histories", "1 = 1")
			again := c.by.do(c.status, c.method, path, c.body, headers...)
			require.Equal(t, []string{first.Text, "true"}, []string{again.Text, again.Header.Get("X-Idempotency-Replay")}, path)
			require.Equal(t, versions, o.count("approval_histories", "1 = 1"), path)
		}
		require.Zero(t, o.count("approvals a", "version <> (SELECT COUNT(*) FROM approval_histories h WHERE h.tenant_id = a.tenant_id AND h.approval_id = a.id)"))
	})
}

package approvals_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// limited returns a desk of the same user with a token that has fewer permissions.
func (d *desk) limited(permissions ...string) *desk {
	who := d.token().who
	who.Permissions = permissions
	return d.office.desk(who)
}

// Proves G8.19.
func TestReadPermissionAllowsNoApprovalChange(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		proposed := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		reader := li.limited("approvals:read")
		for name, refused := range map[string]object{
			"another patch":         reader.do(403, "PATCH", proposed.path, `{"patch":{"value":666}}`, "If-Match", proposed.etag).Body,
			"a guess of the config": reader.do(403, "PATCH", proposed.path, `{"patch":{"value":1}}`, "If-Match", proposed.etag).Body,
			"another note":          reader.do(403, "PATCH", proposed.path, `{"note":"mine"}`, "If-Match", proposed.etag).Body,
			"withdraw":              reader.act(403, proposed, "withdraw", nil).Body,
		} {
			require.Contains(t, refused["detail"], "configs:write", name)
		}
		writer := li.limited("approvals:read", "configs:write")
		require.Equal(t, proposed.etag, li.read(proposed).etag, "the approval is unchanged")
		edited := approvalOf(t, writer.do(200, "PATCH", proposed.path, `{"note":"mine"}`, "If-Match", proposed.etag))
		require.Equal(t, "withdrawn", writer.act(200, edited, "withdraw", nil).Body["status"])
	})
}

// Proves G8.18.
func TestBypassNeedsWritePermissionOfResource(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		proposed := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		refused := o.user("Mo", "configs:read", "approvals:decide", "approvals:bypass").do(403, "POST", proposed.path+"/approve?bypass=now", nil, "If-Match", proposed.etag)
		require.Contains(t, refused.Body["detail"], "configs:write")
		require.Equal(t, proposed.etag, li.read(proposed).etag, "the approval is unchanged")
		require.Equal(t, 1.0, li.config("tax")["value"])
	})
}

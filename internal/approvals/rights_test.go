package approvals_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// limited is another desk of the same user: that of a token with fewer permissions.
func (d *desk) limited(permissions ...string) *desk {
	who := d.token().who
	who.Permissions = permissions
	return d.office.desk(who)
}

func TestWhoMayOnlyReadApprovalsChangesNoneNotEvenHisOwn(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		asked := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		reader := li.limited("approvals:read")
		for name, refused := range map[string]object{
			"another patch":         reader.do(403, "PATCH", asked.path, `{"patch":{"value":666}}`, "If-Match", asked.etag).Body,
			"a guess of the config": reader.do(403, "PATCH", asked.path, `{"patch":{"value":1}}`, "If-Match", asked.etag).Body,
			"another note":          reader.do(403, "PATCH", asked.path, `{"note":"mine"}`, "If-Match", asked.etag).Body,
			"withdraw":              reader.act(403, asked, "withdraw", nil).Body,
		} {
			require.Contains(t, refused["detail"], "configs:write", name)
		}
		writer := li.limited("approvals:read", "configs:write")
		require.Equal(t, asked.etag, li.read(asked).etag, "nothing has changed")
		edited := approvalOf(t, writer.do(200, "PATCH", asked.path, `{"note":"mine"}`, "If-Match", asked.etag))
		require.Equal(t, "withdrawn", writer.act(200, edited, "withdraw", nil).Body["status"])
	})
}

func TestTheVotesAreBypassedOnlyByWhoMayWriteWhatIsChanged(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		asked := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		refused := o.user("Mo", "configs:read", "approvals:decide", "approvals:bypass").do(403, "POST", asked.path+"/approve?bypass=now", nil, "If-Match", asked.etag)
		require.Contains(t, refused.Body["detail"], "configs:write")
		require.Equal(t, asked.etag, li.read(asked).etag, "nothing has changed")
		require.Equal(t, 1.0, li.config("tax")["value"])
	})
}

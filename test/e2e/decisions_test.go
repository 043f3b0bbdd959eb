package e2e_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/test/apptest"
)

// newUser adds a user with these roles and returns a caller with the user's token.
func newUser(t *testing.T, c *apptest.Caller, name string, roles ...string) *apptest.Caller {
	t.Helper()
	create(t, c, "/api/v1/users", object{"username": name, "password": "correct horse battery", "roles": roles})
	return c.As(t, name)
}

// Proves G8.32.
func TestApproverRoleFindsCountsAndDecidesEveryKind(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		c := p.Admin(t)
		second, approver, agent := newUser(t, c, "second", "admin"), newUser(t, c, "approver", "approver"), newUser(t, c, "agent", "support")
		patch(t, c, "/api/v1/settings?bypass=test", object{"walletApprovalThreshold": 0, "refundApprovalThreshold": 0}, etag(read(t, c, "/api/v1/settings")))
		newItem(t, c, "TEA-1", 100)
		order := newOrder(t, c, "TEA-1")
		answer(t, c, orderPath(order)+"/pay", paymentOf(order))
		refund := create(t, agent, orderPath(order)+"/refunds", object{"amount": 100, "reason": "broken"})
		config := create(t, c, "/api/v1/configs", object{"key": "tax", "value": 1, "protected": true})

		propose := func(method, path string, body any, headers ...string) object {
			proposal := second.Do(t, method, "/api/v1"+path, body, headers...)
			require.Equal(t, http.StatusAccepted, proposal.Status, "%s: %s", path, proposal.Body)
			return proposal.JSON(t)
		}
		proposed := []object{
			propose(http.MethodPatch, "/configs/tax", object{"value": 2}, "If-Match", etag(config)),
			propose(http.MethodPost, "/wallets/li/entries", object{"amount": 5, "kind": "gift", "reference": "first"}),
			propose(http.MethodPost, refundPath(refund)+"/approve", nil),
		}
		work := create(t, agent, "/api/v1/work-orders", object{"title": "Tax is wrong"})
		require.ElementsMatch(t, []string{
			"config tax /configs/tax", fmt.Sprintf("approval configs/tax /approvals/%v", proposed[0]["id"]), fmt.Sprintf("work-order Tax is wrong /work-orders/%v", work["id"]),
		}, found(t, c, "tax"))
		board := read(t, approver, "/api/v1/dashboard")
		require.EqualValues(t, len(proposed), board["approvals"].(object)["toDecide"])
		require.EqualValues(t, 1, board["refundsByStatus"].(object)["requested"])
		require.EqualValues(t, 1, read(t, agent, "/api/v1/dashboard")["workOrdersByStatus"].(object)["open"])

		for _, approval := range proposed {
			path := fmt.Sprintf("/api/v1/approvals/%d", int64(approval["id"].(float64)))
			decided := answer(t, approver, path+"/approve", nil, "If-Match", approval["etag"].(string))
			require.Equal(t, "approved", decided["status"])
		}
		require.EqualValues(t, 2, read(t, c, "/api/v1/configs/tax")["value"])
		require.EqualValues(t, 5, read(t, c, "/api/v1/wallets/li")["balance"])
		settled := answer(t, second, "/api/v1"+refundPath(refund)+"/settle", object{"reference": "psp-9"})
		require.Equal(t, "settled", settled["status"])
		require.Equal(t, []string{"refund psp-9 " + refundPath(refund)}, found(t, c, "psp-9"))
	})
}

func refundPath(refund object) string {
	return fmt.Sprintf("/refunds/%d", int64(refund["id"].(float64)))
}

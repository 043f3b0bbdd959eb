package contract_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi"
	"interlock/test/apptest"
)

// Proves G8.8.
func TestSettingsChangeAsProtectedThingsDo(t *testing.T) {
	apptest.Each(t, func(t *testing.T, p *apptest.Program) {
		w := pairUp(t, p)
		const settings = httpapi.Base + "/settings"
		read := func() object { return w.author.Do(t, "GET", settings, nil).JSON(t) }
		edit := func(by *apptest.Caller, query string, patch object) apptest.Answer {
			return by.Do(t, "PATCH", settings+query, patch, "If-Match", read()["etag"].(string))
		}
		before := read()
		require.Equal(t, object{"approvals": 1.0}, before["changeNeeds"])
		for _, patch := range []object{{"walletApprovalThreshold": 5}, {"refundApprovalThreshold": 5}, {"approvalsRequired": 2}, {"approvalDays": 3}, {"selfApproval": true}} {
			proposal := edit(w.author, "", patch)
			require.Equal(t, http.StatusAccepted, proposal.Status, "%s", proposal.Body)
			require.Equal(t, []any{"settings.update", "settings"}, []any{proposal.JSON(t)["kind"], proposal.JSON(t)["resource"]})
			require.Equal(t, before, read(), "nothing has changed")
			requireFourEyes(t, decide(t, w.author, proposal.JSON(t), "approve", nil))
		}
		require.Equal(t, http.StatusOK, edit(w.author, "", object{"approvalsRequired": 1}).Status, "no change needs no votes")
		require.Equal(t, http.StatusUnprocessableEntity, edit(w.author, "", object{"approvalDays": 0}).Status)

		for _, invalid := range []object{
			{"timeZone": "Berlin"}, {"timeZone": "Local"}, {"timeZone": ""}, {"unpaidOrderMinutes": 4}, {"unpaidOrderMinutes": 43201},
		} {
			require.Equal(t, http.StatusUnprocessableEntity, edit(w.author, "", invalid).Status, "%v", invalid)
		}
		require.Equal(t, []any{"UTC", 0.0, false}, []any{before["timeZone"], before["unpaidOrderMinutes"], before["selfApproval"]})

		proposal := edit(w.author, "", object{"approvalsRequired": 2}).JSON(t)
		seen := w.approver.Do(t, "GET", fmt.Sprintf("%s/approvals/%v", httpapi.Base, proposal["id"]), nil).JSON(t)
		side := seen["sides"].([]any)[0].(object)
		require.Equal(t, []any{1.0, 2.0}, []any{side["base"].(object)["approvalsRequired"], side["proposed"].(object)["approvalsRequired"]})
		require.Equal(t, http.StatusOK, decide(t, w.approver, proposal, "approve", nil).Status)
		after := read()
		require.Equal(t, []any{2.0, 2.0, w.ids[w.approver]}, []any{after["approvalsRequired"], after["version"], after["updatedBy"].(object)["id"]})

		// The other proposals of the author are on a version that has passed.
		list := w.author.Do(t, "GET", httpapi.Base+"/approvals?resource=settings&status=stale", nil).JSON(t)
		require.Len(t, list["items"], 4)
		stale := list["items"].([]any)[0].(object)
		rebased := decide(t, w.author, stale, "rebase", nil)
		require.Equal(t, []any{"pending", 2.0}, []any{rebased.JSON(t)["status"], rebased.JSON(t)["required"]}, "%s", rebased.Body)
		path := fmt.Sprintf("%s/approvals/%v", httpapi.Base, stale["id"])
		revised := w.author.Do(t, "PATCH", path, object{"patch": object{"approvalDays": 0}}, "If-Match", rebased.JSON(t)["etag"].(string))
		require.Equal(t, "/patch/approvalDays", revised.JSON(t)["fields"].([]any)[0].(object)["pointer"], "%s", revised.Body)
		revised = w.author.Do(t, "PATCH", path, object{"patch": object{"approvalDays": 9}}, "If-Match", rebased.JSON(t)["etag"].(string))
		require.Equal(t, http.StatusOK, revised.Status, "%s", revised.Body)

		weak := w.Caller(t, w.admin.Tenant, "settings:write")
		require.Equal(t, http.StatusForbidden, edit(weak, "?bypass=alone", object{"approvalsRequired": 1}).Status)
		bypassed := edit(w.author, "?bypass=alone", object{"approvalsRequired": 1})
		require.Equal(t, []any{http.StatusOK, 1.0}, []any{bypassed.Status, bypassed.JSON(t)["approvalsRequired"]}, "%s", bypassed.Body)
		zoned := edit(w.author, "?bypass=alone", object{"timeZone": "Asia/Shanghai", "unpaidOrderMinutes": 5, "selfApproval": true}).JSON(t)
		require.Equal(t, []any{"Asia/Shanghai", 5.0, true}, []any{zoned["timeZone"], zoned["unpaidOrderMinutes"], zoned["selfApproval"]})
		require.Equal(t, true, w.admin.Do(t, "GET", httpapi.Base+"/promises", nil).JSON(t)["selfApproval"], "its limit of four eyes is shown")
		list = w.admin.Do(t, "GET", httpapi.Base+"/approvals?resource=settings&status=bypassed", nil).JSON(t)
		require.Len(t, list["items"], 2, "others review it")
	})
}

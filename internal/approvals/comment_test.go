package approvals_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/racing"
)

// comment posts a comment on an approval.
func (d *desk) comment(status int, a approval, text string) object {
	d.t.Helper()
	return d.do(status, "POST", a.path+"/comments", object{"text": text}).Body
}

// Proves G8.25.
func TestCommentIncrementsVersionAndRetainsVotes(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.need(2)
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", approver...)
		proposed := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		require.Equal(t, 0.0, proposed.body["comments"])
		proposed = approvalOf(t, wu.act(200, proposed, "approve", nil))
		comment := mo.comment(201, proposed, "Is this the rate of 2026?")
		require.Equal(t, []any{float64(proposed.id), "Is this the rate of 2026?", object{"id": float64(mo.who.UserID), "name": "Mo"}},
			[]any{comment["approvalId"], comment["text"], comment["createdBy"]})
		li.comment(201, proposed, "It is.")

		now := li.read(proposed)
		require.Equal(t, []any{2.0, 4.0, "pending", proposed.body["digest"]}, []any{now.body["comments"], now.body["version"], now.body["status"], now.body["digest"]})
		require.Equal(t, true, now.body["votes"].([]any)[0].(object)["stands"], "a comment retains the votes")
		require.Equal(t, []string{"comment", "comment", "vote", "propose"}, actions(li, proposed))
		require.EqualValues(t, 2, o.count("audit_entries", "action = 'approval.comment' AND resource = ?", proposed.path[1:]))
		list := li.do(200, "GET", proposed.path+"/comments", nil).Items()
		require.Len(t, list, 2)
		require.Equal(t, comment, list[0])

		conflict := mo.act(412, proposed, "approve", nil).Body
		require.Equal(t, object{"id": float64(li.who.UserID), "name": "Li"}, conflict["updatedBy"], "the conflict names the author of the comment")
		require.Equal(t, "approved", mo.act(200, now, "approve", nil).Body["status"], "a comment does not make its author a writer of the content")
	})
}

// Proves G8.25.
func TestCommentNeedsDecideOrWritePermission(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		proposed := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		refused := o.user("Bo", "configs:read", "approvals:read").comment(403, proposed, "me too")
		require.Contains(t, refused["detail"], "configs:write")
		require.Contains(t, li.limited("approvals:read").comment(403, proposed, "me too")["detail"], "configs:write")
		li.comment(422, proposed, "")
		li.comment(422, proposed, strings.Repeat("t", 5_001))
		require.Equal(t, proposed.etag, li.read(proposed).etag)
		require.Zero(t, o.count("approval_comments", "1 = 1"))
	})
}

// A comment after the decision does not change the decider, who may not review it.
// Proves G8.25.
func TestCommentRetainsDeciderOfStatus(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", bypasser...)
		decided := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		wu.act(200, decided, "approve", nil)
		li.comment(201, decided, "Thank you.")
		decided = li.read(decided)
		require.Equal(t, object{"id": float64(wu.who.UserID), "name": "Wu"}, decided.body["statusBy"])
		refused := mo.act(409, decided, "reject", object{"reason": "late"}).Body
		require.Equal(t, object{"id": float64(wu.who.UserID), "name": "Wu"}, refused["changedBy"])
		require.Contains(t, refused["detail"], "Wu approved it")

		bypassed := li.propose("duty", li.protect("duty", 1), `{"value":2}`)
		bypassed = approvalOf(t, mo.do(200, "POST", bypassed.path+"/approve?bypass=outage", nil, "If-Match", bypassed.etag))
		li.comment(201, bypassed, "Who did this?")
		bypassed = li.read(bypassed)
		require.Equal(t, "four_eyes", mo.act(403, bypassed, "review", object{"note": "fine"}).Body["reason"])
		require.Equal(t, "reviewed", wu.act(200, bypassed, "review", object{"note": "looked"}).Body["status"])
	})
}

// Proves G8.25.
func TestConcurrentCommentsAreAllStored(t *testing.T) {
	onBoth(t, func(t *testing.T, o *office) {
		li, wu := o.user("Li", editor...), o.user("Wu", approver...)
		proposed := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		answers := make([]httpapitest.Answer, 8)
		racing.Together(len(answers), func(i int) {
			answers[i] = wu.Send(t, "POST", proposed.path+"/comments", object{"text": strings.Repeat("!", i+1)})
		})
		for _, answer := range answers {
			require.Equal(t, http.StatusCreated, answer.Status, answer.Text)
		}
		require.Equal(t, []any{8.0, 9.0}, []any{li.read(proposed).body["comments"], li.read(proposed).body["version"]})
		require.EqualValues(t, 9, o.count("approval_histories", "approval_id = ?", proposed.id))
	})
}

package approvals_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/racing"
)

// say comments on an approval.
func (d *desk) say(status int, a approval, text string) object {
	d.t.Helper()
	return d.do(status, "POST", a.path+"/comments", object{"text": text}).Body
}

func TestACommentIsAVersionThatLeavesTheVotesAndTheAuthorsAsTheyAre(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.need(2)
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", approver...)
		asked := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		require.Equal(t, 0.0, asked.body["comments"])
		asked = approvalOf(t, wu.act(200, asked, "approve", nil))
		said := mo.say(201, asked, "Is this the rate of 2026?")
		require.Equal(t, []any{float64(asked.id), "Is this the rate of 2026?", object{"id": float64(mo.who.UserID), "name": "Mo"}},
			[]any{said["approvalId"], said["text"], said["createdBy"]})
		li.say(201, asked, "It is.")

		now := li.read(asked)
		require.Equal(t, []any{2.0, 4.0, "pending", asked.body["digest"]}, []any{now.body["comments"], now.body["version"], now.body["status"], now.body["digest"]})
		require.Equal(t, true, now.body["votes"].([]any)[0].(object)["stands"], "what was said changes nothing of what was voted for")
		require.Equal(t, []string{"comment", "comment", "vote", "propose"}, actions(li, asked))
		require.EqualValues(t, 2, o.count("audit_entries", "action = 'approval.comment' AND resource = ?", asked.path[1:]))
		list := li.do(200, "GET", asked.path+"/comments", nil).Items()
		require.Len(t, list, 2)
		require.Equal(t, said, list[0])

		conflict := mo.act(412, asked, "approve", nil).Body
		require.Equal(t, object{"id": float64(li.who.UserID), "name": "Li"}, conflict["updatedBy"], "who votes for what he read before the comment is told who spoke")
		require.Equal(t, "approved", mo.act(200, now, "approve", nil).Body["status"], "who has commented has not written what is proposed")
	})
}

func TestOnlyWhoTakesPartInAnApprovalCommentsOnIt(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		asked := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		refused := o.user("Bo", "configs:read", "approvals:read").say(403, asked, "me too")
		require.Contains(t, refused["detail"], "configs:write")
		require.Contains(t, li.limited("approvals:read").say(403, asked, "me too")["detail"], "configs:write")
		li.say(422, asked, "")
		li.say(422, asked, strings.Repeat("t", 5_001))
		require.Equal(t, asked.etag, li.read(asked).etag)
		require.Zero(t, o.count("approval_comments", "1 = 1"))
	})
}

// Whoever speaks after the decision neither takes it over nor frees the one who made it.
func TestACommentDoesNotTakeOverWhoDecided(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", bypasser...)
		decided := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		wu.act(200, decided, "approve", nil)
		li.say(201, decided, "Thank you.")
		decided = li.read(decided)
		require.Equal(t, object{"id": float64(wu.who.UserID), "name": "Wu"}, decided.body["statusBy"])
		refused := mo.act(409, decided, "reject", object{"reason": "late"}).Body
		require.Equal(t, object{"id": float64(wu.who.UserID), "name": "Wu"}, refused["changedBy"])
		require.Contains(t, refused["detail"], "Wu approved it")

		bypassed := li.propose("duty", li.protect("duty", 1), `{"value":2}`)
		bypassed = approvalOf(t, mo.do(200, "POST", bypassed.path+"/approve?bypass=outage", nil, "If-Match", bypassed.etag))
		li.say(201, bypassed, "Who did this?")
		bypassed = li.read(bypassed)
		require.Equal(t, "four_eyes", mo.act(403, bypassed, "review", object{"note": "fine"}).Body["reason"])
		require.Equal(t, "reviewed", wu.act(200, bypassed, "review", object{"note": "looked"}).Body["status"])
	})
}

func TestCommentsAtOnceAreAllThere(t *testing.T) {
	onBoth(t, func(t *testing.T, o *office) {
		li, wu := o.user("Li", editor...), o.user("Wu", approver...)
		asked := li.propose("tax", li.protect("tax", 1), `{"value":2}`)
		answers := make([]httpapitest.Answer, 8)
		racing.Together(len(answers), func(i int) {
			answers[i] = wu.Send(t, "POST", asked.path+"/comments", object{"text": strings.Repeat("!", i+1)})
		})
		for _, answer := range answers {
			require.Equal(t, http.StatusCreated, answer.Status, answer.Text)
		}
		require.Equal(t, []any{8.0, 9.0}, []any{li.read(asked).body["comments"], li.read(asked).body["version"]})
		require.EqualValues(t, 9, o.count("approval_histories", "approval_id = ?", asked.id))
	})
}

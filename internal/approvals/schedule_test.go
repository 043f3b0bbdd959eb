package approvals_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// in is a time so long from now, as a query has it.
func (o *office) in(d time.Duration) string {
	return "?effectiveTime=" + url.QueryEscape(o.Clock.Now().Add(d).Format(time.RFC3339Nano))
}

// plain creates an unprotected config and returns its etag.
func (d *desk) plain(key string, value any) string {
	d.t.Helper()
	return d.do(201, "POST", "/configs", object{"key": key, "value": value}).Header.Get("ETag")
}

// schedule asks for an edit at a time.
func (d *desk) schedule(key, etag string, in time.Duration, patch any) approval {
	d.t.Helper()
	return approvalOf(d.t, d.do(202, "PATCH", "/configs/"+key+d.in(in), patch, "If-Match", etag))
}

// sweep makes what is due.
func (o *office) sweep() {
	o.t.Helper()
	require.NoError(o.t, o.approvals.ApplyDueOf(o.Ctx, o.Tenant(), 2))
}

func TestAScheduledChangeIsMadeWhenItsTimeHasComeAndNotBefore(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu := o.user("Li", editor...), o.user("Wu", approver...)
		etag := li.plain("tax", 1)
		asked := li.schedule("tax", etag, time.Hour, `{"value":2}`)
		require.Equal(t, "scheduled", asked.body["status"])
		require.Equal(t, 0.0, asked.body["required"])
		require.Equal(t, "2026-03-01T13:00:00.000000Z", asked.body["effectiveTime"])
		require.Equal(t, []any{"reject", "withdraw"}, asked.body["allowedTransitions"])
		require.Equal(t, 1.0, li.config("tax")["value"])
		require.Len(t, wu.do(200, "GET", "/approvals?status=scheduled", nil).Items(), 1)
		wu.act(409, asked, "approve", nil)

		again := li.schedule("tax", etag, time.Hour, `{"value":2}`)
		require.Equal(t, asked.id, again.id, "the same change at the same time waits once")
		o.sweep()
		o.Clock.Advance(time.Hour - time.Microsecond)
		o.sweep()
		require.Equal(t, 1.0, li.config("tax")["value"], "it is not time yet")
		o.Clock.Advance(time.Microsecond)
		o.sweep()
		o.sweep()

		require.Equal(t, []any{2.0, 2.0}, []any{li.config("tax")["value"], li.config("tax")["version"]})
		newest := li.do(200, "GET", "/configs/tax/history", nil).Items()[0]
		require.Equal(t, float64(asked.id), newest["approvalId"])
		require.Equal(t, object{"id": float64(li.who.UserID), "name": "Li"}, newest["changedBy"], "who scheduled it")
		made := wu.read(asked)
		require.Equal(t, "approved", made.body["status"])
		require.Equal(t, []string{"apply", "propose"}, actions(wu, made))
		for _, action := range []string{"config.update", "approval.apply"} {
			require.EqualValues(t, 1, o.count("audit_entries", "action = ? AND actor_kind = 'system' AND actor_id = ?", action, fmt.Sprint(li.who.UserID)), action)
		}
		require.EqualValues(t, 1, o.count("audit_entries", "action = 'approval.apply' AND detail LIKE ?", "%2026-03-01T13:00:00%Z%"), "that it was scheduled")
	})
}

func TestAScheduledChangeOfAProtectedConfigTakesItsVotesFirst(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.need(2)
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", approver...)
		asked := li.schedule("tax", li.protect("tax", 1), time.Hour, `{"value":2}`)
		require.Equal(t, []any{"pending", 2.0}, []any{asked.body["status"], asked.body["required"]})
		o.Clock.Advance(2 * time.Hour)
		o.sweep()
		require.Equal(t, 1.0, li.config("tax")["value"], "its time alone is not enough")
		asked = approvalOf(t, wu.act(200, asked, "approve", nil))
		require.Equal(t, "pending", asked.body["status"])
		require.Equal(t, "approved", mo.act(200, asked, "approve", nil).Body["status"], "the last vote comes after its time")
		require.Equal(t, 2.0, li.config("tax")["value"])

		asked = li.schedule("tax", li.config("tax")["etag"].(string), time.Hour, `{"value":3}`)
		asked = approvalOf(t, wu.act(200, asked, "approve", nil))
		waits := approvalOf(t, mo.act(200, asked, "approve", nil))
		require.Equal(t, "scheduled", waits.body["status"])
		require.Len(t, waits.body["votes"], 2)
		require.Equal(t, []string{"schedule", "vote", "propose"}, actions(wu, waits))
		require.Equal(t, 2.0, li.config("tax")["value"])
		require.Equal(t, false, wu.read(waits).body["waitingForMe"])
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Equal(t, 3.0, li.config("tax")["value"])
		require.Equal(t, "approved", wu.read(waits).body["status"])
	})
}

func TestWhatChangesMeanwhileMakesAScheduledChangeStaleAndIsNotOverwritten(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, mo := o.user("Li", editor...), o.user("Mo", editor...)
		etag := li.plain("tax", object{"rate": 1, "name": "a"})
		asked := li.schedule("tax", etag, time.Hour, `{"value":{"rate":2}}`)
		mo.do(200, "PATCH", "/configs/tax", `{"value":{"name":"b"}}`, "If-Match", etag)
		seen := li.read(asked)
		require.Equal(t, "stale", seen.body["status"])
		require.Equal(t, "Mo", seen.body["statusBy"].(object)["name"])
		require.Len(t, li.do(200, "GET", "/approvals?status=stale&author=me", nil).Items(), 1, "its author is told")
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Equal(t, object{"rate": 1.0, "name": "b"}, li.config("tax")["value"])

		rebased := approvalOf(t, li.act(200, seen, "rebase", nil))
		require.Equal(t, "scheduled", rebased.body["status"], "it takes no votes now either")
		o.sweep()
		require.Equal(t, object{"rate": 2.0, "name": "b"}, li.config("tax")["value"], "its time has passed, so it is made at once")

		// What is protected meanwhile takes its votes.
		asked = li.schedule("tax", li.config("tax")["etag"].(string), time.Hour, `{"remark":"mine"}`)
		mo.do(200, "PATCH", "/configs/tax", `{"protected":true}`, "If-Match", li.config("tax")["etag"].(string))
		rebased = approvalOf(t, li.act(200, li.read(asked), "rebase", nil))
		require.Equal(t, []any{"pending", 1.0}, []any{rebased.body["status"], rebased.body["required"]})
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Equal(t, "", li.config("tax")["remark"])
	})
}

func TestAfterDowntimeWhatIsDueIsMadeInTheOrderOfItsTimes(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		etag := li.plain("tax", 1)
		var late []approval
		for hours := 9; hours > 1; hours-- {
			late = append(late, li.schedule("tax", etag, time.Duration(hours)*time.Hour, object{"value": 100 + hours}))
		}
		first := li.schedule("tax", etag, time.Hour, `{"value":2}`)
		other := li.schedule("other", li.plain("other", 1), 5*time.Hour, `{"value":2}`)
		o.Clock.Advance(24 * time.Hour)
		o.sweep()
		require.Equal(t, 2.0, li.config("tax")["value"])
		require.Equal(t, "approved", li.read(first).body["status"])
		require.Equal(t, "approved", li.read(other).body["status"])
		for _, a := range late {
			require.Equal(t, "stale", li.read(a).body["status"], "what was changed by then is not overwritten")
		}
		require.EqualValues(t, 2, o.count("config_histories", "`key` = 'tax'"))
	})
}

func TestAScheduledChangeWhoseAuthorOrVotersMayNoMoreIsNotMade(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, boss := o.user("Li", editor...), o.user("Boss", both...)
		asked := li.schedule("tax", li.plain("tax", 1), time.Hour, `{"value":2}`)
		li.disable()
		o.Clock.Advance(time.Hour)
		o.sweep()
		refused := boss.read(asked)
		require.Equal(t, "stale", refused.body["status"])
		require.Contains(t, refused.body["reason"], "Li, who scheduled it, was disabled")
		require.Equal(t, 1.0, boss.config("tax")["value"])
		require.Contains(t, boss.act(409, refused, "approve", nil).Body["detail"], "was disabled", "who asks reads why")
		li.setDisabled(false)
		rebased := approvalOf(t, li.act(200, refused, "rebase", nil))
		require.Equal(t, []any{"scheduled", ""}, []any{rebased.body["status"], rebased.body["reason"]})
		o.sweep()
		require.Equal(t, 2.0, boss.config("tax")["value"])

		gone := o.user("Gone", editor...)
		asked = gone.schedule("tax", boss.config("tax")["etag"].(string), time.Hour, `{"value":3}`)
		require.NoError(t, o.DB.Write(o.Ctx).Exec("DELETE FROM user_roles WHERE tenant_id = ? AND user_id = ?", o.Tenant(), gone.who.UserID).Error)
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Contains(t, boss.read(asked).body["reason"], "had lost the permission configs:write")

		wu := o.user("Wu", approver...)
		asked = li.schedule("vat", li.protect("vat", 1), time.Hour, `{"value":2}`)
		asked = approvalOf(t, wu.act(200, asked, "approve", nil))
		wu.disable()
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Contains(t, boss.read(asked).body["reason"], "too few of those who approved it")
		require.Equal(t, 1.0, boss.config("vat")["value"])
	})
}

// Its author cannot be told of it, and could not withdraw it.
func TestAStaleChangeOfADisabledAuthorWaitsForWhoMayWriteWhatItChanges(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu, mo := o.user("Li", editor...), o.user("Wu", editor...), o.user("Mo", approver...)
		stale := func(d *desk) (ids []any) {
			t.Helper()
			waiting, err := o.approvals.CountWaiting(d.ctx())
			require.NoError(t, err)
			for _, a := range d.do(200, "GET", "/approvals?status=stale&waitingFor=me", nil).Items() {
				require.Equal(t, true, a["waitingForMe"])
				ids = append(ids, a["id"])
			}
			require.EqualValues(t, len(ids), waiting.Stale.N)
			return ids
		}
		etag := wu.plain("other", 1)
		own := wu.schedule("other", etag, time.Hour, `{"value":2}`)
		li.do(200, "PATCH", "/configs/other", `{"value":3}`, "If-Match", etag)
		asked := li.schedule("tax", li.plain("tax", 1), time.Hour, `{"value":2}`)
		li.disable()
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Equal(t, []any{float64(asked.id), float64(own.id)}, stale(wu), "his own, and what nobody else is told of")
		require.Empty(t, stale(mo), "who may not write it can do nothing about it")
		left := wu.read(asked)
		require.Equal(t, true, left.body["waitingForMe"])
		require.Equal(t, false, mo.read(asked).body["waitingForMe"])
		mo.act(403, mo.read(asked), "withdraw", nil)

		li.setDisabled(false)
		require.Equal(t, []any{float64(own.id)}, stale(wu), "he is there again")
		require.Contains(t, wu.act(403, left, "withdraw", nil).Body["detail"], "Only Li")
		require.Equal(t, []any{float64(asked.id)}, stale(li))
		li.disable()
		withdrawn := wu.act(200, left, "withdraw", nil)
		require.Equal(t, []any{"withdrawn", "Wu"}, []any{withdrawn.Body["status"], withdrawn.Body["statusBy"].(object)["name"]})
		require.Equal(t, []any{float64(own.id)}, stale(wu))
		require.Equal(t, 1.0, wu.config("tax")["value"])

		// What still waits is its author's alone, disabled or not.
		li.setDisabled(false)
		open := li.propose("gate", li.protect("gate", 1), `{"value":2}`)
		li.disable()
		wu.act(403, open, "withdraw", nil)
	})
}

func TestAScheduledChangeIsEditedWithdrawnAndRejectedLikeOthers(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu := o.user("Li", editor...), o.user("Wu", approver...)
		etag := li.plain("tax", 1)
		asked := li.schedule("tax", etag, time.Hour, `{"value":2}`)
		patch := func(status int, a approval, body any) approval {
			answer := li.do(status, "PATCH", a.path, body, "If-Match", a.etag)
			if status != 200 {
				return a
			}
			return approvalOf(t, answer)
		}
		patch(422, asked, `{"effectiveTime":"2026-03-01T11:00:00Z"}`)
		patch(422, asked, `{"effectiveTime":null}`)
		patch(400, asked, `{"effectiveTime":"tomorrow"}`)
		edited := patch(200, asked, `{"effectiveTime":"2026-03-01T15:00:00+01:00"}`)
		require.Equal(t, []any{"scheduled", "2026-03-01T14:00:00.000000Z"}, []any{edited.body["status"], edited.body["effectiveTime"]})
		require.NotEqual(t, asked.body["digest"], edited.body["digest"], "when it is made is part of what is voted for")
		edited = patch(200, edited, `{"patch":{"value":3},"note":"three"}`)
		require.Equal(t, []any{"scheduled", "2026-03-01T14:00:00.000000Z", 0.0}, []any{edited.body["status"], edited.body["effectiveTime"], edited.body["required"]})
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Equal(t, 1.0, li.config("tax")["value"], "it was put off")
		wu.act(403, edited, "withdraw", nil)
		li.act(200, edited, "withdraw", nil)
		rejected := li.schedule("tax", etag, time.Hour, `{"value":4}`)
		wu.act(200, rejected, "reject", `{"reason":"no"}`)
		o.Clock.Advance(2 * time.Hour)
		o.sweep()
		require.Equal(t, 1.0, li.config("tax")["value"])

		// Where votes were cast, another time voids them.
		voted := li.schedule("vat", li.protect("vat", 1), time.Hour, `{"value":2}`)
		voted = approvalOf(t, wu.act(200, voted, "approve", nil))
		voted = patch(200, voted, `{"effectiveTime":null}`)
		require.Equal(t, []any{"pending", nil}, []any{voted.body["status"], voted.body["effectiveTime"]})
		require.Equal(t, false, voted.body["votes"].([]any)[0].(object)["stands"])
		require.Equal(t, "approved", wu.act(200, voted, "approve", nil).Body["status"])
	})
}

func TestWhateverWritesAConfigCanBeScheduled(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, mad := o.user("Li", editor...), o.user("Mad", bypasser...)
		etag := li.plain("tax", 1)
		li.do(200, "PATCH", "/configs/tax", `{"value":2}`, "If-Match", etag)
		tag := func(key string) string { return li.config(key)["etag"].(string) }
		li.do(412, "PATCH", "/configs/tax"+o.in(time.Hour), `{"value":3}`, "If-Match", etag)
		li.do(422, "PATCH", "/configs/tax"+o.in(0), `{"value":3}`, "If-Match", tag("tax"))
		li.do(422, "PATCH", "/configs/tax"+o.in(20*365*24*time.Hour), `{"value":3}`, "If-Match", tag("tax"))
		li.do(400, "PATCH", "/configs/tax?effectiveTime=soon", `{"value":3}`, "If-Match", tag("tax"))
		mad.do(400, "PATCH", "/configs/tax"+o.in(time.Hour)+"&bypass=now", `{"value":3}`, "If-Match", tag("tax"))
		li.do(200, "PATCH", "/configs/tax"+o.in(time.Hour), `{"value":2}`, "If-Match", tag("tax"))
		require.Zero(t, o.count("approvals", "1 = 1"), "nothing of it was scheduled, what changes nothing neither")

		gone := li.plain("gone", 1)
		li.do(202, "POST", "/configs/tax/rollback"+o.in(time.Hour), `{"toVersion":1,"note":"back"}`, "If-Match", tag("tax"))
		li.do(202, "DELETE", "/configs/gone"+o.in(time.Hour), nil, "If-Match", gone)
		li.do(202, "POST", "/config-batches"+o.in(time.Hour), object{"changes": []any{
			object{"key": "batched", "op": "create", "patch": object{"value": 1}},
			object{"key": "other", "op": "update", "etag": li.plain("other", 1), "patch": object{"value": 2}},
		}})
		li.do(202, "POST", "/configs/import"+o.in(time.Hour), `{"configs":[{"key":"imported","value":1}]}`)
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Equal(t, 1.0, li.config("tax")["value"])
		require.Equal(t, "rollback", li.do(200, "GET", "/configs/tax/history", nil).Items()[0]["action"])
		li.do(404, "GET", "/configs/gone", nil)
		require.Equal(t, []any{1.0, 2.0, 1.0}, []any{li.config("batched")["value"], li.config("other")["value"], li.config("imported")["value"]})
		require.EqualValues(t, 4, o.count("approvals", "status = 1"))
	})
}

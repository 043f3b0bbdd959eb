package approvals_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/edge/httpapi/httpapitest"
)

// in returns the query that schedules a change after d.
func (o *office) in(d time.Duration) string {
	return "?effectiveTime=" + url.QueryEscape(o.Clock.Now().Add(d).Format(time.RFC3339Nano))
}

// plain creates an unprotected config and returns its etag.
func (d *desk) plain(key string, value any) string {
	d.t.Helper()
	return d.do(201, "POST", "/configs", object{"key": key, "value": value}).Header.Get("ETag")
}

// schedule proposes an edit for a time.
func (d *desk) schedule(key, etag string, in time.Duration, patch any) approval {
	d.t.Helper()
	return approvalOf(d.t, d.do(202, "PATCH", "/configs/"+key+d.in(in), patch, "If-Match", etag))
}

// sweep applies due changes.
func (o *office) sweep() {
	o.t.Helper()
	require.NoError(o.t, o.approvals.ApplyDueOf(o.Ctx, o.Tenant(), 2))
}

func TestScheduledChangeIsAppliedAtItsTime(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu := o.user("Li", editor...), o.user("Wu", approver...)
		etag := li.plain("tax", 1)
		proposed := li.schedule("tax", etag, time.Hour, `{"value":2}`)
		require.Equal(t, "scheduled", proposed.body["status"])
		require.Equal(t, 0.0, proposed.body["required"])
		require.Equal(t, "2026-03-01T13:00:00.000000Z", proposed.body["effectiveTime"])
		require.Equal(t, []any{"reject", "withdraw"}, proposed.body["allowedTransitions"])
		require.Equal(t, 1.0, li.config("tax")["value"])
		require.Len(t, wu.do(200, "GET", "/approvals?status=scheduled", nil).Items(), 1)
		wu.act(409, proposed, "approve", nil)

		again := li.schedule("tax", etag, time.Hour, `{"value":2}`)
		require.Equal(t, proposed.id, again.id, "a duplicate returns the open approval")
		o.sweep()
		o.Clock.Advance(time.Hour - time.Microsecond)
		o.sweep()
		require.Equal(t, 1.0, li.config("tax")["value"], "it is not due yet")
		o.Clock.Advance(time.Microsecond)
		o.sweep()
		o.sweep()

		require.Equal(t, []any{2.0, 2.0}, []any{li.config("tax")["value"], li.config("tax")["version"]})
		newest := li.do(200, "GET", "/configs/tax/history", nil).Items()[0]
		require.Equal(t, float64(proposed.id), newest["approvalId"])
		require.Equal(t, object{"id": float64(li.who.UserID), "name": "Li"}, newest["changedBy"], "its author")
		made := wu.read(proposed)
		require.Equal(t, "approved", made.body["status"])
		require.Equal(t, []string{"apply", "propose"}, actions(wu, made))
		for _, action := range []string{"config.update", "approval.apply"} {
			require.EqualValues(t, 1, o.count("audit_entries", "action = ? AND actor_kind = 'system' AND actor_id = ?", action, fmt.Sprint(li.who.UserID)), action)
		}
		require.EqualValues(t, 1, o.count("audit_entries", "action = 'approval.apply' AND detail LIKE ?", "%2026-03-01T13:00:00%Z%"), "the entry names the effective time")
	})
}

func TestProtectedScheduledChangeNeedsVotesFirst(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.need(2)
		li, wu, mo := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", approver...)
		proposed := li.schedule("tax", li.protect("tax", 1), time.Hour, `{"value":2}`)
		require.Equal(t, []any{"pending", 2.0}, []any{proposed.body["status"], proposed.body["required"]})
		o.Clock.Advance(2 * time.Hour)
		o.sweep()
		require.Equal(t, 1.0, li.config("tax")["value"], "it needs its votes too")
		proposed = approvalOf(t, wu.act(200, proposed, "approve", nil))
		require.Equal(t, "pending", proposed.body["status"])
		require.Equal(t, "approved", mo.act(200, proposed, "approve", nil).Body["status"], "the last vote is cast after its time")
		require.Equal(t, 2.0, li.config("tax")["value"])

		proposed = li.schedule("tax", li.config("tax")["etag"].(string), time.Hour, `{"value":3}`)
		proposed = approvalOf(t, wu.act(200, proposed, "approve", nil))
		waits := approvalOf(t, mo.act(200, proposed, "approve", nil))
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

func TestConcurrentEditMakesScheduledChangeStale(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, mo := o.user("Li", editor...), o.user("Mo", editor...)
		etag := li.plain("tax", object{"rate": 1, "name": "a"})
		proposed := li.schedule("tax", etag, time.Hour, `{"value":{"rate":2}}`)
		mo.do(200, "PATCH", "/configs/tax", `{"value":{"name":"b"}}`, "If-Match", etag)
		seen := li.read(proposed)
		require.Equal(t, "stale", seen.body["status"])
		require.Equal(t, "Mo", seen.body["statusBy"].(object)["name"])
		require.Len(t, li.do(200, "GET", "/approvals?status=stale&author=me", nil).Items(), 1, "its author sees it")
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Equal(t, object{"rate": 1.0, "name": "b"}, li.config("tax")["value"])

		rebased := approvalOf(t, li.act(200, seen, "rebase", nil))
		require.Equal(t, "scheduled", rebased.body["status"], "it still needs no votes")
		o.sweep()
		require.Equal(t, object{"rate": 2.0, "name": "b"}, li.config("tax")["value"], "its time has passed, so it is applied immediately")

		// A config that is protected since then needs votes.
		proposed = li.schedule("tax", li.config("tax")["etag"].(string), time.Hour, `{"remark":"mine"}`)
		mo.do(200, "PATCH", "/configs/tax", `{"protected":true}`, "If-Match", li.config("tax")["etag"].(string))
		rebased = approvalOf(t, li.act(200, li.read(proposed), "rebase", nil))
		require.Equal(t, []any{"pending", 1.0}, []any{rebased.body["status"], rebased.body["required"]})
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Equal(t, "", li.config("tax")["remark"])
	})
}

func TestOverdueChangesAreAppliedInTimeOrder(t *testing.T) {
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
			require.Equal(t, "stale", li.read(a).body["status"], "a changed config is not overwritten")
		}
		require.EqualValues(t, 2, o.count("config_histories", "`key` = 'tax'"))
	})
}

func TestScheduledChangeNeedsAuthorAndVotersPermissions(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, boss := o.user("Li", editor...), o.user("Boss", both...)
		proposed := li.schedule("tax", li.plain("tax", 1), time.Hour, `{"value":2}`)
		li.disable()
		o.Clock.Advance(time.Hour)
		o.sweep()
		refused := boss.read(proposed)
		require.Equal(t, "stale", refused.body["status"])
		require.Contains(t, refused.body["reason"], "its author Li was disabled")
		require.Equal(t, 1.0, boss.config("tax")["value"])
		require.Contains(t, boss.act(409, refused, "approve", nil).Body["detail"], "was disabled", "the error contains the reason")
		li.setDisabled(false)
		rebased := approvalOf(t, li.act(200, refused, "rebase", nil))
		require.Equal(t, []any{"scheduled", ""}, []any{rebased.body["status"], rebased.body["reason"]})
		o.sweep()
		require.Equal(t, 2.0, boss.config("tax")["value"])

		gone := o.user("Gone", editor...)
		proposed = gone.schedule("tax", boss.config("tax")["etag"].(string), time.Hour, `{"value":3}`)
		require.NoError(t, o.DB.Write(o.Ctx).Exec("DELETE FROM user_roles WHERE tenant_id = ? AND user_id = ?", o.Tenant(), gone.who.UserID).Error)
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Contains(t, boss.read(proposed).body["reason"], "had lost the permission configs:write")

		wu := o.user("Wu", approver...)
		proposed = li.schedule("vat", li.protect("vat", 1), time.Hour, `{"value":2}`)
		proposed = approvalOf(t, wu.act(200, proposed, "approve", nil))
		wu.disable()
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Contains(t, boss.read(proposed).body["reason"], "too few of its approvers")
		require.Equal(t, 1.0, boss.config("vat")["value"])
	})
}

// Its author would not notice it and could not withdraw it.
func TestStaleChangeOfDisabledAuthorWaitsForWriters(t *testing.T) {
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
		proposed := li.schedule("tax", li.plain("tax", 1), time.Hour, `{"value":2}`)
		li.disable()
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Equal(t, []any{float64(proposed.id), float64(own.id)}, stale(wu), "the caller's, and one that no other user is notified of")
		require.Empty(t, stale(mo), "it needs the write permission")
		left := wu.read(proposed)
		require.Equal(t, true, left.body["waitingForMe"])
		require.Equal(t, false, mo.read(proposed).body["waitingForMe"])
		mo.act(403, mo.read(proposed), "withdraw", nil)

		li.setDisabled(false)
		require.Equal(t, []any{float64(own.id)}, stale(wu), "its author is enabled again")
		require.Contains(t, wu.act(403, left, "withdraw", nil).Body["detail"], "Only its author, Li")
		require.Equal(t, []any{float64(proposed.id)}, stale(li))
		li.disable()
		withdrawn := wu.act(200, left, "withdraw", nil)
		require.Equal(t, []any{"withdrawn", "Wu"}, []any{withdrawn.Body["status"], withdrawn.Body["statusBy"].(object)["name"]})
		require.Equal(t, []any{float64(own.id)}, stale(wu))
		require.Equal(t, 1.0, wu.config("tax")["value"])

		// An open approval is its author's only, also while the author is disabled.
		li.setDisabled(false)
		open := li.propose("gate", li.protect("gate", 1), `{"value":2}`)
		li.disable()
		wu.act(403, open, "withdraw", nil)
	})
}

func TestScheduledChangeCanBeEditedWithdrawnAndRejected(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li, wu := o.user("Li", editor...), o.user("Wu", approver...)
		etag := li.plain("tax", 1)
		proposed := li.schedule("tax", etag, time.Hour, `{"value":2}`)
		patch := func(status int, a approval, body any) approval {
			answer := li.do(status, "PATCH", a.path, body, "If-Match", a.etag)
			if status != 200 {
				return a
			}
			return approvalOf(t, answer)
		}
		patch(422, proposed, `{"effectiveTime":"2026-03-01T11:00:00Z"}`)
		patch(422, proposed, `{"effectiveTime":null}`)
		patch(400, proposed, `{"effectiveTime":"tomorrow"}`)
		edited := patch(200, proposed, `{"effectiveTime":"2026-03-01T15:00:00+01:00"}`)
		require.Equal(t, []any{"scheduled", "2026-03-01T14:00:00.000000Z"}, []any{edited.body["status"], edited.body["effectiveTime"]})
		require.NotEqual(t, proposed.body["digest"], edited.body["digest"], "the digest includes the effective time")
		operations := func(status int, body string) httpapitest.Answer {
			return li.do(status, "PATCH", edited.path, body, "If-Match", edited.etag, "Content-Type", "application/json-patch+json")
		}
		operations(422, `[{"op":"remove","path":"/effectiveTime"}]`)
		operations(422, `[{"op":"test","path":"/effectiveTime","value":"2026-03-01T15:00:00.000000Z"}]`)
		operations(200, `[{"op":"replace","path":"/effectiveTime","value":"2026-03-01T14:00:00.000000Z"}]`)
		edited = patch(200, edited, `{"patch":{"value":3},"note":"three"}`)
		require.Equal(t, []any{"scheduled", "2026-03-01T14:00:00.000000Z", 0.0}, []any{edited.body["status"], edited.body["effectiveTime"], edited.body["required"]})
		o.Clock.Advance(time.Hour)
		o.sweep()
		require.Equal(t, 1.0, li.config("tax")["value"], "it was postponed")
		wu.act(403, edited, "withdraw", nil)
		li.act(200, edited, "withdraw", nil)
		rejected := li.schedule("tax", etag, time.Hour, `{"value":4}`)
		wu.act(200, rejected, "reject", `{"reason":"no"}`)
		o.Clock.Advance(2 * time.Hour)
		o.sweep()
		require.Equal(t, 1.0, li.config("tax")["value"])

		// Another time voids the votes.
		voted := li.schedule("vat", li.protect("vat", 1), time.Hour, `{"value":2}`)
		voted = approvalOf(t, wu.act(200, voted, "approve", nil))
		voted = patch(200, voted, `{"effectiveTime":null}`)
		require.Equal(t, []any{"pending", nil}, []any{voted.body["status"], voted.body["effectiveTime"]})
		require.Equal(t, false, voted.body["votes"].([]any)[0].(object)["stands"])
		require.Equal(t, "approved", wu.act(200, voted, "approve", nil).Body["status"])
	})
}

func TestEveryConfigWriteCanBeScheduled(t *testing.T) {
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
		require.Zero(t, o.count("approvals", "1 = 1"), "neither errors nor empty edits are scheduled")

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

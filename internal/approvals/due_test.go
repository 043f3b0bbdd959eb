package approvals_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/approvals"
	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/racing"
	"interlock/test/tier"
)

// It sweeps all tenants of the database, so it does not run in parallel with other tests.
func TestSweepAppliesDueChangesOfAllTenants(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		here, there := open(t, ctx, db), open(t, storagetest.Tenant(t), db)
		li, wu := here.user("Li", editor...), there.user("Wu", editor...)
		for n := range 5 {
			key := fmt.Sprint("tax-", n)
			li.schedule(key, li.plain(key, 1), time.Hour, `{"value":2}`)
		}
		wu.schedule("tax", wu.plain("tax", 1), time.Hour, `{"value":2}`)
		li.schedule("later", li.plain("later", 1), 2*time.Hour, `{"value":2}`)
		here.Clock.Advance(time.Hour)
		there.Clock.Advance(time.Hour)
		require.NoError(t, here.approvals.ApplyDue(ctx, 2))
		require.EqualValues(t, 5, here.count("configs", "version = 2"))
		require.EqualValues(t, 1, here.count("approvals", "status = 8"))
		require.EqualValues(t, 1, there.count("configs", "version = 2"))
	})
}

func TestNextScheduledIsEarliestOfAllTenants(t *testing.T) {
	storagetest.EachAlone(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		here, there := open(t, ctx, db), open(t, storagetest.Tenant(t), db)
		li, wu := here.user("Li", editor...), there.user("Wu", editor...)
		next := func() time.Time {
			t.Helper()
			at, err := here.approvals.NextScheduled(ctx)
			require.NoError(t, err)
			return at
		}
		require.True(t, next().IsZero())
		start := here.Clock.Now()
		li.schedule("tax", li.plain("tax", 1), 2*time.Hour, `{"value":2}`)
		require.Equal(t, start.Add(2*time.Hour), next())
		wu.schedule("tax", wu.plain("tax", 1), time.Hour, `{"value":2}`)
		require.Equal(t, start.Add(time.Hour), next())
		there.Clock.Advance(time.Hour)
		there.sweep()
		require.Equal(t, start.Add(2*time.Hour), next(), "an applied change is no longer due")
	})
}

// The replicas do not share locks, as after the loss of a lease: only the guard applies each change
// once.
// Proves G8.20.
func TestConcurrentReplicasApplyScheduledChangeOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		replicas := []*office{o, o.replica(), o.replica()}
		for n := range tier.Rounds(5, 100) {
			etag := li.plain(fmt.Sprint("race-", n), 1)
			var proposed []approval
			for i := range 4 {
				key := fmt.Sprintf("tax-%d-%d", n, i)
				proposed = append(proposed, li.schedule(key, li.plain(key, 1), time.Duration(1+i)*time.Minute, `{"value":2}`))
			}
			first := li.schedule(fmt.Sprint("race-", n), etag, time.Minute, `{"value":2}`)
			second := li.schedule(fmt.Sprint("race-", n), etag, 2*time.Minute, `{"value":3}`)
			o.Clock.Advance(time.Hour)
			errs := racing.Errors(len(replicas), func(i int) error { return replicas[i].approvals.ApplyDueOf(o.Ctx, o.Tenant(), 3) })
			for _, err := range errs {
				require.NoError(t, err)
			}
			o.sweep()
			for _, a := range proposed {
				made := li.read(a)
				require.Equal(t, []any{"approved", 2.0}, []any{made.body["status"], made.body["version"]})
				require.EqualValues(t, 1, o.count("config_histories", "approval_id = ?", a.id))
				require.EqualValues(t, 1, o.count("audit_entries", "action = 'approval.apply' AND resource = ?", fmt.Sprint("approvals/", a.id)))
			}
			require.Equal(t, "approved", li.read(first).body["status"])
			require.Equal(t, "stale", li.read(second).body["status"])
			require.Equal(t, 2.0, li.config(fmt.Sprint("race-", n))["value"])
		}
	})
}

// Proves G8.20.
func TestDueChangeOrConcurrentEditWins(t *testing.T) {
	onBoth(t, func(t *testing.T, o *office) {
		li, mo := o.user("Li", editor...), o.user("Mo", editor...)
		made := 0
		for n := range tier.Rounds(20, 1000) {
			key := fmt.Sprint("tax-", n)
			etag := li.plain(key, 1)
			proposed := li.schedule(key, etag, time.Minute, `{"value":2}`)
			o.Clock.Advance(time.Minute)
			var edited httpapitest.Answer
			racing.Together(2, func(i int) {
				if i == 0 {
					require.NoError(t, o.approvals.ApplyDueOf(o.Ctx, o.Tenant(), 10))
				} else {
					edited = mo.Send(t, "PATCH", "/configs/"+key, `{"value":3}`, "If-Match", etag)
				}
			})
			after, current := li.read(proposed), li.config(key)
			require.EqualValues(t, 2, o.count("config_histories", "`key` = ?", key), "exactly one of them")
			if edited.Status == http.StatusOK {
				require.Equal(t, []any{"stale", 3.0}, []any{after.body["status"], current["value"]})
				continue
			}
			made++
			require.Equal(t, []any{"approved", 2.0}, []any{after.body["status"], current["value"]})
			requireConflict(t, edited, li, "version_conflict")
		}
		t.Logf("%d were made", made)
	})
}

// Proves G8.20.
func TestDueChangeOrConcurrentWithdrawalWins(t *testing.T) {
	onBoth(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		for n := range tier.Rounds(20, 1000) {
			key := fmt.Sprint("tax-", n)
			proposed := li.schedule(key, li.plain(key, 1), time.Minute, `{"value":2}`)
			o.Clock.Advance(time.Minute)
			var withdrawn httpapitest.Answer
			racing.Together(2, func(i int) {
				if i == 0 {
					require.NoError(t, o.approvals.ApplyDueOf(o.Ctx, o.Tenant(), 10))
				} else {
					withdrawn = li.try(proposed, "withdraw")
				}
			})
			want := map[bool][]any{true: {"withdrawn", 1.0}, false: {"approved", 2.0}}[withdrawn.Status == http.StatusOK]
			require.Equal(t, want, []any{li.read(proposed).body["status"], li.config(key)["value"]})
		}
	})
}

// After a sweep has read the approval, its author postpones it, or the clock is set back.
// Proves G8.20.
func TestPostponedChangeIsNotApplied(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		proposed := li.schedule("tax", li.plain("tax", 1), time.Hour, `{"value":2}`)
		o.Clock.Advance(time.Hour)
		found, err := o.approvals.Approval(o.Ctx, proposed.id)
		require.NoError(t, err)
		o.Clock.Advance(-time.Minute)
		o.sweep()
		require.NoError(t, o.approvals.ApplyScheduled(o.Ctx, found))
		require.Equal(t, 1.0, li.config("tax")["value"])
		o.Clock.Advance(time.Minute)
		put := approvalOf(t, li.do(200, "PATCH", proposed.path, object{"effectiveTime": o.Clock.Now().Add(time.Hour)}, "If-Match", proposed.etag))
		require.NoError(t, o.approvals.ApplyScheduled(o.Ctx, found))
		require.Equal(t, 1.0, li.config("tax")["value"])
		require.Equal(t, "scheduled", li.read(put).body["status"])
		o.Clock.Advance(48 * time.Hour)
		o.sweep()
		require.Equal(t, 2.0, li.config("tax")["value"])
	})
}

// shop is a Subject with changes that return the error that a test sets.
type shop struct {
	service *approvals.Service
	ends    map[string]error
	made    []string
}

func (*shop) Grants() approvals.Grants {
	return approvals.Grants{Kind: "shop", Path: "shops/", Read: "configs:read", Write: "configs:write"}
}
func (*shop) Lock(ctx context.Context, _ *uow.Unit, _ approvals.Proposal) (context.Context, error) {
	return ctx, nil
}
func (s *shop) Apply(ctx context.Context, u *uow.Unit, p approvals.Proposal) error {
	if err := s.ends[p.Note]; err != nil {
		return err
	}
	u.Audit(uow.Entry{Action: "shop.change", Resource: p.Resource, Note: p.Note})
	s.made = append(s.made, p.Note)
	return s.service.MarkStale(ctx, u, p.Targets...)
}
func (*shop) Revise(_ context.Context, _ *uow.Unit, p approvals.Proposal, _ json.RawMessage) (approvals.Proposal, error) {
	return p, approvals.Unrevisable()
}
func (*shop) Rebase(_ context.Context, _ *uow.Unit, p approvals.Proposal) (approvals.Proposal, error) {
	return p, nil
}
func (*shop) Conflict(context.Context, approvals.Proposal) (approvals.Conflict, error) {
	return approvals.Conflict{Detail: "It has not moved."}, nil
}
func (*shop) Show(_ context.Context, p approvals.Proposal) (approvals.Rendered, error) {
	return approvals.ShownAs(p.Content), nil
}
func (*shop) Sides(context.Context, approvals.Proposal) ([]approvals.Comparison, error) {
	return nil, nil
}

// plan schedules a change of a shop.
func (d *desk) plan(shop, note string, in time.Duration) {
	d.t.Helper()
	ctx := approvals.Scheduling(d.ctx(), new(d.Clock.Now().Add(in)))
	require.NoError(d.t, d.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
		path := "shops/" + shop
		now, err := d.approvals.Propose(ctx, u, approvals.Proposal{
			Kind: "shop.change", Resource: path, Targets: []string{path}, Content: []byte(`{"note":"` + note + `"}`), Note: note, Unvoted: true,
		})
		require.False(d.t, now)
		return err
	}))
}

// Proves G8.22.
func TestRejectedChangeBecomesStaleTransientFailureIsRetried(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		li := o.user("Li", editor...)
		s := &shop{service: o.approvals, ends: map[string]error{
			"broken":  apperr.Invalid(apperr.Field{Pointer: "/price", Code: "min", Message: "must be at least 0"}),
			"passing": apperr.New(apperr.Unavailable, "Later."),
		}}
		o.approvals.Offer(s)
		status := func(note string) (status int) {
			require.NoError(t, o.DB.Read(o.Ctx).Raw("SELECT status FROM approvals WHERE tenant_id = ? AND note = ?", o.Tenant(), note).Scan(&status).Error)
			return status
		}
		li.plan("a", "broken", time.Minute)
		li.plan("b", "passing", 2*time.Minute)
		li.plan("b", "after it", 3*time.Minute)
		li.plan("c", "fine", 4*time.Minute)
		o.Clock.Advance(time.Hour)
		require.ErrorContains(t, o.approvals.ApplyDueOf(o.Ctx, o.Tenant(), 10), "Later.")
		require.Equal(t, []string{"fine"}, s.made, "a failure delays only later changes of the same resource")
		require.Equal(t, []int{4, 8, 8, 1}, []int{status("broken"), status("passing"), status("after it"), status("fine")})
		require.EqualValues(t, 1, o.count("approvals", "note = 'broken' AND reason LIKE '%must be at least 0%'"))
		require.EqualValues(t, 1, o.count("audit_entries", "action = 'approval.outdate' AND note LIKE '%must be at least 0%'"))

		delete(s.ends, "passing")
		require.NoError(t, o.approvals.ApplyDueOf(o.Ctx, o.Tenant(), 10))
		require.Equal(t, []string{"fine", "passing"}, s.made, "in their order")
		require.Equal(t, 4, status("after it"), "its resource has changed")
	})
}

func TestOnlyUsersScheduleChanges(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		program := o.desk(principal.System(o.Tenant(), "a job"))
		etag := program.plain("tax", 1)
		program.do(403, "PATCH", "/configs/tax"+o.in(time.Hour), `{"value":2}`, "If-Match", etag)
	})
}

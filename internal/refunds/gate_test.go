package refunds_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/refunds"
	"interlock/test/racing"
)

// asked is the approval of a refund that waits for votes.
type asked struct{ path, etag string }

// propose has the boss approve a refund that is above the threshold.
func (s *shop) propose(t *testing.T, by *httpapitest.Caller, refund object) asked {
	t.Helper()
	a := by.Send(t, http.MethodPost, found(refund)+"/approve", nil)
	require.Equal(t, http.StatusAccepted, a.Status, a.Body)
	require.Equal(t, "pending", a.Body["status"])
	return asked{fmt.Sprintf("/approvals/%d", idOf(a.Body)), a.Body["etag"].(string)}
}

func vote(t *testing.T, by *httpapitest.Caller, a asked) httpapitest.Answer {
	return by.Send(t, http.MethodPost, a.path+"/approve", nil, "If-Match", a.etag)
}

// guarded opens a shop in which refunds of more than 50 wait for votes.
func guarded(ctx context.Context, t *testing.T, db *storage.DB) (s *shop, third *httpapitest.Caller) {
	s = open(ctx, t, db)
	s.item(t, "TEA-1", 100, 1000)
	s.fund(t, 100_000)
	s.above[refunds.ApprovalKind] = 50
	return s, s.as(9, "Wu", "*")
}

func TestARefundAboveTheThresholdIsApprovedByTheLastVoteAndNotBefore(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		for method, status := range map[string]string{"wallet": "settled", "external": "approved"} {
			order := s.paid(t, method, of("TEA-1", 2))
			at := s.request(t, order, object{"amount": 50})
			require.Equal(t, status, must(t, s.boss, 200, found(at)+"/approve", nil)["status"], "at the threshold nobody is asked")
			refund := s.request(t, order, object{"lines": []object{{"sku": "TEA-1", "quantity": 1, "restock": true}}})
			before := s.balance(t)
			must(t, s.Caller, 403, found(refund)+"/approve", nil)
			a := s.propose(t, s.boss, refund)
			require.Equal(t, "requested", s.read(t, found(refund))["status"])
			require.Equal(t, before, s.balance(t))
			require.Equal(t, a, s.propose(t, s.boss, refund), "the same is proposed once")

			side := s.read(t, a.path)["sides"].([]any)[0].(object)
			require.Equal(t, []any{"requested", status, "requested"}, []any{side["base"].(object)["status"], side["proposed"].(object)["status"], side["current"].(object)["status"]})
			for name, by := range map[string]*httpapitest.Caller{"who proposed": s.boss, "who requested the refund": s.Caller} {
				refused := vote(t, by, a)
				require.Equal(t, []any{http.StatusForbidden, "four_eyes"}, []any{refused.Status, refused.Body["reason"]}, name)
			}
			require.Zero(t, s.Send(t, http.MethodGet, "/approvals?waitingFor=me", nil).Body["total"], "it waits for others than who requested the refund")
			require.EqualValues(t, 1, wu.Send(t, http.MethodGet, "/approvals?waitingFor=me", nil).Body["total"])

			voted := vote(t, wu, a)
			require.Equal(t, []any{http.StatusOK, "approved"}, []any{voted.Status, voted.Body["status"]}, voted.Body)
			done := s.read(t, found(refund))
			require.Equal(t, status, done["status"])
			require.Equal(t, object{"id": 9.0, "name": "Wu"}, done["approvedBy"])
			if method == "wallet" {
				require.Equal(t, before+100, s.balance(t))
			}
			require.EqualValues(t, 2, s.count(t, &uow.AuditRow{}, "resource IN ? AND action IN ?",
				[]string{found(refund)[1:], a.path[1:]}, []string{"refund.approve", "approval.approve"}), "both are told of")
		}
		s.requireBooks(t)
	})
}

func TestARefundSaysBeforeItIsApprovedHowManyVotesThatNeeds(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		order := s.paid(t, "external", of("TEA-1", 3))
		refund, small := s.request(t, order, object{"amount": 51}), s.request(t, order, object{"amount": 50})
		require.Equal(t, object{"approvals": 1.0}, s.read(t, found(refund))["changeNeeds"])
		require.NotContains(t, s.read(t, found(small)), "changeNeeds", "at the threshold nobody is asked")

		// What is needed changes while the refund does not: whoever has read it reads it again.
		tag := s.read(t, found(small))["etag"].(string)
		require.Equal(t, http.StatusNotModified, s.Send(t, http.MethodGet, found(small), nil, "If-None-Match", tag).Status)
		s.above[refunds.ApprovalKind], s.rulesSince = 49, opening
		again := s.Send(t, http.MethodGet, found(small), nil, "If-None-Match", tag)
		require.Equal(t, http.StatusOK, again.Status)
		require.Equal(t, object{"approvals": 1.0}, again.Body["changeNeeds"])
		delete(s.above, refunds.ApprovalKind)
		require.NotContains(t, s.read(t, found(refund)), "changeNeeds")

		s.above[refunds.ApprovalKind] = 50
		require.Equal(t, http.StatusOK, vote(t, wu, s.propose(t, s.boss, refund)).Status)
		done := s.read(t, found(refund))
		require.NotContains(t, done, "changeNeeds", "it cannot be approved now")
		require.Equal(t, http.StatusNotModified, s.Send(t, http.MethodGet, found(refund), nil, "If-None-Match", done["etag"].(string)).Status)
		must(t, s.boss, 200, found(refund)+"/fail", object{"reason": "the card has expired"})
		require.Equal(t, object{"approvals": 1.0}, s.read(t, found(refund))["changeNeeds"], "one that has failed is approved again")
	})
}

// The votes cannot be bypassed into an approval of one's own request.
func TestWhoRequestedARefundDoesNotBypassTheVotesForItEither(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		refund := s.request(t, s.paid(t, "wallet", of("TEA-1", 1)), object{"amount": 100})
		a := s.propose(t, s.boss, refund)
		own := s.Send(t, http.MethodPost, a.path+"/approve?bypass=hurry", nil, "If-Match", a.etag)
		require.Equal(t, http.StatusForbidden, own.Status, own.Body)
		require.Equal(t, "requested", s.read(t, found(refund))["status"])
		bypassed := wu.Send(t, http.MethodPost, a.path+"/approve?bypass=hurry", nil, "If-Match", a.etag)
		require.Equal(t, []any{http.StatusOK, "bypassed"}, []any{bypassed.Status, bypassed.Body["status"]}, bypassed.Body)
		require.Equal(t, "settled", s.read(t, found(refund))["status"])
		s.requireBooks(t)
	})
}

func TestARefundThatMovesOnMakesItsApprovalsStaleInTheSameUnit(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		refund := s.request(t, s.paid(t, "external", of("TEA-1", 1)), object{"amount": 100})
		first, second := s.propose(t, s.boss, refund), s.propose(t, s.as(10, "Bo", "*"), refund)
		must(t, wu, 200, found(refund)+"/reject", object{"reason": "no"})
		for _, a := range []asked{first, second} {
			require.Equal(t, []any{"stale", object{"id": 9.0, "name": "Wu"}}, []any{s.read(t, a.path)["status"], s.read(t, a.path)["statusBy"]})
			refused := vote(t, s.as(11, "Mo", "*"), a)
			require.Equal(t, "approval_stale", refused.Body["code"])
			require.Contains(t, refused.Body["detail"], "Wu rejected it")
			require.Equal(t, "rejected", refused.Body["current"].(object)["status"])
		}
		require.Equal(t, "approval_stale", s.boss.Send(t, http.MethodPost, first.path+"/rebase", nil, "If-Match", s.read(t, first.path)["etag"].(string)).Body["code"])

		// One that is approved while there is no threshold any more is approved, and its approval stale.
		refund = s.request(t, s.paid(t, "external", of("TEA-1", 1)), object{"amount": 100})
		a := s.propose(t, s.boss, refund)
		delete(s.above, refunds.ApprovalKind)
		must(t, s.boss, 200, found(refund)+"/approve", nil)
		stale := s.read(t, a.path)
		require.Equal(t, "stale", stale["status"])
		require.Equal(t, "transition_not_allowed", s.boss.Send(t, http.MethodPost, a.path+"/rebase", nil, "If-Match", stale["etag"].(string)).Body["code"])
		s.requireBooks(t)
	})
}

// A refund that has failed is approved again with votes; when others have taken its amount
// meanwhile, its approval is stale and says so.
func TestAnApprovalOfAFailedRefundWhoseAmountIsTakenIsStale(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		order := s.paid(t, "external", of("TEA-1", 1))
		refund := s.request(t, order, object{"amount": 100})
		require.Equal(t, http.StatusOK, vote(t, wu, s.propose(t, s.boss, refund)).Status)
		must(t, s.boss, 200, found(refund)+"/fail", object{"reason": "the card has expired"})
		a := s.propose(t, s.boss, refund)
		other := s.request(t, order, object{"amount": 30})
		refused := vote(t, wu, a)
		require.Equal(t, []any{"approval_stale", "stale"}, []any{refused.Body["code"], refused.Body["currentStatus"]}, refused.Body)
		require.Contains(t, refused.Body["detail"], "not enough is left for it")
		must(t, wu, 200, found(other)+"/reject", object{"reason": "no"})
		rebased := s.boss.Send(t, http.MethodPost, a.path+"/rebase", nil, "If-Match", s.read(t, a.path)["etag"].(string))
		require.Equal(t, http.StatusOK, rebased.Status, rebased.Body)
		require.Equal(t, http.StatusOK, vote(t, wu, asked{a.path, rebased.Body["etag"].(string)}).Status)
		require.Equal(t, "approved", s.read(t, found(refund))["status"])
		s.requireBooks(t)
	})
}

// What the cancellation of an order gives back by itself is asked of nobody; what was paid
// outside waits for an approval like any other refund.
func TestTheRestOfACancelledOrderIsCreditedWithoutVotesAndApprovedWithThem(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		before := s.balance(t)
		must(t, s.Caller, 200, path(s.paid(t, "wallet", of("TEA-1", 1)))+"/cancel", object{"reason": "changed their mind"})
		require.Equal(t, before, s.balance(t))
		outside := s.paid(t, "external", of("TEA-1", 1))
		must(t, s.Caller, 200, path(outside)+"/cancel", object{"reason": "changed their mind"})
		rest := s.read(t, fmt.Sprintf("/refunds?orderId=%d", idOf(outside)))["items"].([]any)[0].(object)
		require.Equal(t, http.StatusOK, vote(t, wu, s.propose(t, s.boss, rest)).Status)
		require.Equal(t, "approved", s.read(t, found(rest))["status"])
		s.requireBooks(t)
	})
}

// raced runs races about one refund each, and holds the books after all of them.
func raced(t *testing.T, race func(t *testing.T, s *shop, refund object)) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, _ := guarded(ctx, t, db)
		for range 10 {
			race(t, s, s.request(t, s.paid(t, "wallet", of("TEA-1", 1)), object{"amount": 100}))
		}
		s.requireBooks(t)
	})
}

func TestOfTheLastVoteAndARejectionOneWins(t *testing.T) {
	raced(t, func(t *testing.T, s *shop, refund object) {
		a, before := s.propose(t, s.boss, refund), s.balance(t)
		var voted, rejected httpapitest.Answer
		racing.Together(2, func(i int) {
			if i == 0 {
				voted = vote(t, s.as(9, "Wu", "*"), a)
			} else {
				rejected = s.as(10, "Bo", "*").Send(t, http.MethodPost, found(refund)+"/reject", object{"reason": "no"})
			}
		})
		if voted.Status == http.StatusOK {
			require.Contains(t, []any{"status_changed", "transition_not_allowed"}, rejected.Body["code"], rejected.Body)
			require.Equal(t, object{"id": 9.0, "name": "Wu"}, rejected.Body["changedBy"])
			require.Equal(t, []any{"approved", "settled"}, []any{s.read(t, a.path)["status"], s.read(t, found(refund))["status"]})
			require.Equal(t, before+100, s.balance(t))
			return
		}
		require.Equal(t, http.StatusOK, rejected.Status, rejected.Body)
		require.Equal(t, "approval_stale", voted.Body["code"], voted.Body)
		require.Equal(t, []any{"stale", "rejected"}, []any{s.read(t, a.path)["status"], s.read(t, found(refund))["status"]})
		require.Equal(t, before, s.balance(t))
	})
}

func TestOfTwoApprovalsOfOneRefundOneIsAppliedAndTheOtherStale(t *testing.T) {
	raced(t, func(t *testing.T, s *shop, refund object) {
		before := s.balance(t)
		both := []asked{s.propose(t, s.boss, refund), s.propose(t, s.as(10, "Bo", "*"), refund)}
		answers := make([]httpapitest.Answer, 4)
		racing.Together(len(answers), func(i int) { answers[i] = vote(t, s.as(int64(20+i), fmt.Sprintf("Voter %d", i), "*"), both[i%2]) })
		made := 0
		for _, answer := range answers {
			if answer.Status == http.StatusOK {
				made++
				continue
			}
			require.Contains(t, []any{"approval_stale", "version_conflict"}, answer.Body["code"], answer.Body)
		}
		require.Equal(t, 1, made)
		require.ElementsMatch(t, []any{"approved", "stale"}, []any{s.read(t, both[0].path)["status"], s.read(t, both[1].path)["status"]})
		require.Equal(t, before+100, s.balance(t), "credited once")
	})
}

// A proposal and a rejection that do not see each other: the approval waits for a refund that
// is there, or is stale or refused.
func TestNoApprovalWaitsForARefundThatIsRejectedMeanwhile(t *testing.T) {
	raced(t, func(t *testing.T, s *shop, refund object) {
		var proposed, rejected httpapitest.Answer
		racing.Together(2, func(i int) {
			if i == 0 {
				proposed = s.boss.Send(t, http.MethodPost, found(refund)+"/approve", nil)
			} else {
				rejected = s.as(10, "Bo", "*").Send(t, http.MethodPost, found(refund)+"/reject", object{"reason": "no"})
			}
		})
		require.Equal(t, http.StatusOK, rejected.Status, rejected.Body)
		if proposed.Status == http.StatusAccepted {
			require.Equal(t, "stale", s.read(t, fmt.Sprintf("/approvals/%d", idOf(proposed.Body)))["status"])
			return
		}
		require.Contains(t, []any{"status_changed", "transition_not_allowed"}, proposed.Body["code"], proposed.Body)
	})
}

// A write that forgets to look for approvals meets the mark in the statement.
func TestARefundThatIsProposedIsMovedOnlyByWhoLooksForItsApprovals(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, _ := guarded(ctx, t, db)
		refund := s.request(t, s.paid(t, "external", of("TEA-1", 1)), object{"amount": 100})
		s.propose(t, s.boss, refund)
		row, err := s.refunds.Refund(ctx, idOf(refund))
		require.NoError(t, err)
		err = s.runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			return guard.Update[refunds.Refund](ctx, u, row.Ref(), guard.Set{"reason": "another"})
		})
		require.ErrorIs(t, err, guard.ErrProposed)
	})
}

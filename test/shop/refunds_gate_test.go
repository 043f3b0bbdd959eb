package shop

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
	"interlock/test/world"
)

// proposal is a pending approval of a refund.
type proposal struct{ path, etag string }

// propose approves a refund above the threshold, which creates an approval.
func (s *Shop) propose(t *testing.T, by *httpapitest.Caller, refund object) proposal {
	t.Helper()
	a := by.Post(t, http.StatusAccepted, RefundPath(refund)+"/approve", nil)
	require.Equal(t, "pending", a["status"])
	return proposal{fmt.Sprintf("/approvals/%d", world.ID(a)), a["etag"].(string)}
}

func vote(t *testing.T, by *httpapitest.Caller, a proposal) httpapitest.Answer {
	return by.Send(t, http.MethodPost, a.path+"/approve", nil, "If-Match", a.etag)
}

// guarded opens a shop in which refunds of more than 50 need an approval.
func guarded(ctx context.Context, t *testing.T, db *storage.DB) (s *Shop, third *httpapitest.Caller) {
	s = Open(ctx, t, db)
	s.Stock(t, "TEA-1", 100, 1000)
	s.Fund(t, Buyer, 100_000)
	s.Above[refunds.ApprovalKind] = 50
	return s, s.As(9, "Wu", "*")
}

// Proves G8.28.
func TestRefundAboveTheThresholdNeedsAllVotes(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		for method, status := range map[string]string{"wallet": "settled", "external": "approved"} {
			order := s.paid(t, method, Line("TEA-1", 2))
			at := s.request(t, order, object{"amount": 50})
			require.Equal(t, status, s.boss().Post(t, 200, RefundPath(at)+"/approve", nil)["status"], "no votes are needed at the threshold")
			refund := s.request(t, order, object{"lines": []object{{"sku": "TEA-1", "quantity": 1, "restock": true}}})
			before := s.Balance(t, Buyer)
			s.Post(t, 403, RefundPath(refund)+"/approve", nil)
			a := s.propose(t, s.boss(), refund)
			require.Equal(t, "requested", s.Get(t, RefundPath(refund)).Body["status"])
			require.Equal(t, before, s.Balance(t, Buyer))
			require.Equal(t, a, s.propose(t, s.boss(), refund), "the same is proposed once")

			side := s.Get(t, a.path).Body["sides"].([]any)[0].(object)
			require.Equal(t, []any{"requested", status, "requested"}, []any{side["base"].(object)["status"], side["proposed"].(object)["status"], side["current"].(object)["status"]})
			for name, by := range map[string]*httpapitest.Caller{"the proposer": s.boss(), "the requester of the refund": s.Caller} {
				refused := vote(t, by, a)
				require.Equal(t, []any{http.StatusForbidden, "four_eyes"}, []any{refused.Status, refused.Body["reason"]}, name)
			}
			require.Zero(t, s.Send(t, http.MethodGet, "/approvals?waitingFor=me", nil).Body["total"], "it waits for other users than the requester")
			require.EqualValues(t, 1, wu.Send(t, http.MethodGet, "/approvals?waitingFor=me", nil).Body["total"])

			voted := vote(t, wu, a)
			require.Equal(t, []any{http.StatusOK, "approved"}, []any{voted.Status, voted.Body["status"]}, voted.Body)
			done := s.Get(t, RefundPath(refund)).Body
			require.Equal(t, status, done["status"])
			require.Equal(t, object{"id": 9.0, "name": "Wu"}, done["approvedBy"])
			if method == "wallet" {
				require.Equal(t, before+100, s.Balance(t, Buyer))
			}
			require.EqualValues(t, 2, s.Count(t, &uow.AuditRow{}, "resource IN ? AND action IN ?",
				[]string{RefundPath(refund)[1:], a.path[1:]}, []string{"refund.approve", "approval.approve"}), "both are reported")
		}
		s.requireBooks(t)
	})
}

// Proves G8.2.
func TestRefundStatesItsRequiredVotes(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		order := s.paid(t, "external", Line("TEA-1", 3))
		refund, small := s.request(t, order, object{"amount": 51}), s.request(t, order, object{"amount": 50})
		require.Equal(t, object{"approvals": 1.0}, s.Get(t, RefundPath(refund)).Body["changeNeeds"])
		require.NotContains(t, s.Get(t, RefundPath(small)).Body, "changeNeeds", "no votes are needed at the threshold")

		// The threshold changes and the refund does not: the ETag must change all the same.
		tag := s.Get(t, RefundPath(small)).Body["etag"].(string)
		require.Equal(t, http.StatusNotModified, s.Send(t, http.MethodGet, RefundPath(small), nil, "If-None-Match", tag).Status)
		s.Above[refunds.ApprovalKind], s.RulesSince = 49, world.Opening
		again := s.Send(t, http.MethodGet, RefundPath(small), nil, "If-None-Match", tag)
		require.Equal(t, http.StatusOK, again.Status)
		require.Equal(t, object{"approvals": 1.0}, again.Body["changeNeeds"])
		delete(s.Above, refunds.ApprovalKind)
		require.NotContains(t, s.Get(t, RefundPath(refund)).Body, "changeNeeds")

		s.Above[refunds.ApprovalKind] = 50
		require.Equal(t, http.StatusOK, vote(t, wu, s.propose(t, s.boss(), refund)).Status)
		done := s.Get(t, RefundPath(refund)).Body
		require.NotContains(t, done, "changeNeeds", "it cannot be approved now")
		require.Equal(t, http.StatusNotModified, s.Send(t, http.MethodGet, RefundPath(refund), nil, "If-None-Match", done["etag"].(string)).Status)
		s.boss().Post(t, 200, RefundPath(refund)+"/fail", object{"reason": "the card has expired"})
		require.Equal(t, object{"approvals": 1.0}, s.Get(t, RefundPath(refund)).Body["changeNeeds"], "one that has failed is approved again")
	})
}

// A bypass of the votes does not let a user approve their own request.
// Proves G8.28.
func TestRequesterCannotBypassTheVotesForARefund(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		refund := s.request(t, s.paid(t, "wallet", Line("TEA-1", 1)), object{"amount": 100})
		a := s.propose(t, s.boss(), refund)
		s.Post(t, http.StatusForbidden, a.path+"/approve?bypass=hurry", nil, "If-Match", a.etag)
		require.Equal(t, "requested", s.Get(t, RefundPath(refund)).Body["status"])
		bypassed := wu.Send(t, http.MethodPost, a.path+"/approve?bypass=hurry", nil, "If-Match", a.etag)
		require.Equal(t, []any{http.StatusOK, "bypassed"}, []any{bypassed.Status, bypassed.Body["status"]}, bypassed.Body)
		require.Equal(t, "settled", s.Get(t, RefundPath(refund)).Body["status"])
		s.requireBooks(t)
	})
}

// Proves G8.29.
func TestRefundTransitionMakesApprovalsStaleInItsUnit(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		refund := s.request(t, s.paid(t, "external", Line("TEA-1", 1)), object{"amount": 100})
		first, second := s.propose(t, s.boss(), refund), s.propose(t, s.As(10, "Bo", "*"), refund)
		wu.Post(t, 200, RefundPath(refund)+"/reject", object{"reason": "no"})
		for _, a := range []proposal{first, second} {
			require.Equal(t, []any{"stale", object{"id": 9.0, "name": "Wu"}}, []any{s.Get(t, a.path).Body["status"], s.Get(t, a.path).Body["statusBy"]})
			refused := vote(t, s.As(11, "Mo", "*"), a)
			require.Equal(t, "approval_stale", refused.Body["code"])
			require.Contains(t, refused.Body["detail"], "Wu rejected it")
			require.Equal(t, "rejected", refused.Body["current"].(object)["status"])
		}
		require.Equal(t, "approval_stale", s.boss().Send(t, http.MethodPost, first.path+"/rebase", nil, "If-Match", s.Get(t, first.path).Body["etag"].(string)).Body["code"])

		// After the threshold is removed, the refund is approved directly and its approval becomes stale.
		refund = s.request(t, s.paid(t, "external", Line("TEA-1", 1)), object{"amount": 100})
		a := s.propose(t, s.boss(), refund)
		delete(s.Above, refunds.ApprovalKind)
		s.boss().Post(t, 200, RefundPath(refund)+"/approve", nil)
		stale := s.Get(t, a.path).Body
		require.Equal(t, "stale", stale["status"])
		require.Equal(t, "transition_not_allowed", s.boss().Send(t, http.MethodPost, a.path+"/rebase", nil, "If-Match", stale["etag"].(string)).Body["code"])
		s.requireBooks(t)
	})
}

// A failed refund is approved again with votes. If other refunds have used its amount since then, its
// approval is stale and names the reason.
// Proves G8.29.
func TestApprovalIsStaleWhenTheAmountIsUsed(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		order := s.paid(t, "external", Line("TEA-1", 1))
		refund := s.request(t, order, object{"amount": 100})
		require.Equal(t, http.StatusOK, vote(t, wu, s.propose(t, s.boss(), refund)).Status)
		s.boss().Post(t, 200, RefundPath(refund)+"/fail", object{"reason": "the card has expired"})
		a := s.propose(t, s.boss(), refund)
		other := s.request(t, order, object{"amount": 30})
		refused := vote(t, wu, a)
		require.Equal(t, []any{"approval_stale", "stale"}, []any{refused.Body["code"], refused.Body["currentStatus"]}, refused.Body)
		require.Contains(t, refused.Body["detail"], "too little of the payment is left")
		wu.Post(t, 200, RefundPath(other)+"/reject", object{"reason": "no"})
		rebased := s.boss().Send(t, http.MethodPost, a.path+"/rebase", nil, "If-Match", s.Get(t, a.path).Body["etag"].(string))
		require.Equal(t, http.StatusOK, rebased.Status, rebased.Body)
		require.Equal(t, http.StatusOK, vote(t, wu, proposal{a.path, rebased.Body["etag"].(string)}).Status)
		require.Equal(t, "approved", s.Get(t, RefundPath(refund)).Body["status"])
		s.requireBooks(t)
	})
}

// The refund of a cancelled order that was paid by wallet needs no approval. The refund of an external
// payment needs one, like any other refund.
func TestCancellationRefundIsCreditedWithoutVotesOrApprovedWithVotes(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		before := s.Balance(t, Buyer)
		s.Post(t, 200, OrderPath(s.paid(t, "wallet", Line("TEA-1", 1)))+"/cancel", object{"reason": "changed their mind"})
		require.Equal(t, before, s.Balance(t, Buyer))
		outside := s.paid(t, "external", Line("TEA-1", 1))
		s.Post(t, 200, OrderPath(outside)+"/cancel", object{"reason": "changed their mind"})
		rest := s.Get(t, fmt.Sprintf("/refunds?orderId=%d", world.ID(outside))).Body["items"].([]any)[0].(object)
		require.Equal(t, http.StatusOK, vote(t, wu, s.propose(t, s.boss(), rest)).Status)
		require.Equal(t, "approved", s.Get(t, RefundPath(rest)).Body["status"])
		s.requireBooks(t)
	})
}

// raced runs a race ten times, each time with a new refund, and checks the books at the end.
func raced(t *testing.T, race func(t *testing.T, s *Shop, refund object)) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, _ := guarded(ctx, t, db)
		for range 10 {
			race(t, s, s.request(t, s.paid(t, "wallet", Line("TEA-1", 1)), object{"amount": 100}))
		}
		s.requireBooks(t)
	})
}

// Proves G8.29.
func TestLastVoteOrRejectionWins(t *testing.T) {
	raced(t, func(t *testing.T, s *Shop, refund object) {
		a, before := s.propose(t, s.boss(), refund), s.Balance(t, Buyer)
		var voted, rejected httpapitest.Answer
		racing.Together(2, func(i int) {
			if i == 0 {
				voted = vote(t, s.As(9, "Wu", "*"), a)
			} else {
				rejected = s.As(10, "Bo", "*").Send(t, http.MethodPost, RefundPath(refund)+"/reject", object{"reason": "no"})
			}
		})
		if voted.Status == http.StatusOK {
			require.Contains(t, []any{"status_changed", "transition_not_allowed"}, rejected.Body["code"], rejected.Body)
			require.Equal(t, object{"id": 9.0, "name": "Wu"}, rejected.Body["changedBy"])
			require.Equal(t, []any{"approved", "settled"}, []any{s.Get(t, a.path).Body["status"], s.Get(t, RefundPath(refund)).Body["status"]})
			require.Equal(t, before+100, s.Balance(t, Buyer))
			return
		}
		require.Equal(t, http.StatusOK, rejected.Status, rejected.Body)
		require.Equal(t, "approval_stale", voted.Body["code"], voted.Body)
		require.Equal(t, []any{"stale", "rejected"}, []any{s.Get(t, a.path).Body["status"], s.Get(t, RefundPath(refund)).Body["status"]})
		require.Equal(t, before, s.Balance(t, Buyer))
	})
}

// Proves G8.29.
func TestOneOfTwoApprovalsIsAppliedAndOneStale(t *testing.T) {
	raced(t, func(t *testing.T, s *Shop, refund object) {
		before := s.Balance(t, Buyer)
		both := []proposal{s.propose(t, s.boss(), refund), s.propose(t, s.As(10, "Bo", "*"), refund)}
		answers := make([]httpapitest.Answer, 4)
		racing.Together(len(answers), func(i int) { answers[i] = vote(t, s.As(int64(20+i), fmt.Sprintf("Voter %d", i), "*"), both[i%2]) })
		made := 0
		for _, answer := range answers {
			if answer.Status == http.StatusOK {
				made++
				continue
			}
			require.Contains(t, []any{"approval_stale", "version_conflict"}, answer.Body["code"], answer.Body)
		}
		require.Equal(t, 1, made)
		require.ElementsMatch(t, []any{"approved", "stale"}, []any{s.Get(t, both[0].path).Body["status"], s.Get(t, both[1].path).Body["status"]})
		require.Equal(t, before+100, s.Balance(t, Buyer), "credited once")
	})
}

// A proposal and a concurrent rejection: the approval is stale, or the proposal is rejected.
// Proves G8.29.
func TestRejectionOfARefundEndsItsApproval(t *testing.T) {
	raced(t, func(t *testing.T, s *Shop, refund object) {
		var proposed, rejected httpapitest.Answer
		racing.Together(2, func(i int) {
			if i == 0 {
				proposed = s.boss().Send(t, http.MethodPost, RefundPath(refund)+"/approve", nil)
			} else {
				rejected = s.As(10, "Bo", "*").Send(t, http.MethodPost, RefundPath(refund)+"/reject", object{"reason": "no"})
			}
		})
		require.Equal(t, http.StatusOK, rejected.Status, rejected.Body)
		if proposed.Status == http.StatusAccepted {
			require.Equal(t, "stale", s.Get(t, fmt.Sprintf("/approvals/%d", world.ID(proposed.Body))).Body["status"])
			return
		}
		require.Contains(t, []any{"status_changed", "transition_not_allowed"}, proposed.Body["code"], proposed.Body)
	})
}

// A write that does not check for approvals is rejected by the predicate of its statement.
// Proves G8.29.
func TestProposedRefundMovesOnlyWithItsApprovals(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, _ := guarded(ctx, t, db)
		refund := s.request(t, s.paid(t, "external", Line("TEA-1", 1)), object{"amount": 100})
		s.propose(t, s.boss(), refund)
		row, err := s.Refunds.Refund(ctx, world.ID(refund))
		require.NoError(t, err)
		err = s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			return guard.Update[refunds.Refund](ctx, u, row.Ref(), guard.Set{"reason": "another"})
		})
		require.ErrorIs(t, err, guard.ErrProposed)
	})
}

// Proves G8.28.
func TestSelfApprovalPermitsOnlyRefundsWithoutVotes(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s, wu := guarded(ctx, t, db)
		order := s.paid(t, "external", Line("TEA-1", 2))
		small, large := s.request(t, order, object{"amount": 50}), s.request(t, order, object{"amount": 51})
		s.Post(t, http.StatusForbidden, RefundPath(small)+"/approve", nil)

		s.SelfApproved = []string{refunds.ApprovalKind}
		require.Equal(t, "approved", s.Post(t, 200, RefundPath(small)+"/approve", nil)["status"])
		a := s.propose(t, s.Caller, large)
		require.Equal(t, "four_eyes", vote(t, s.Caller, a).Body["reason"], "votes are those of other users")
		require.Equal(t, http.StatusOK, vote(t, wu, a).Status)
		require.Equal(t, "approved", s.Get(t, RefundPath(large)).Body["status"])
	})
}

package shop

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/wallets"
	"interlock/test/racing"
	"interlock/test/world"
)

// proposed sends an entry above the threshold, and returns the path and the ETag of its approval.
func (s *Shop) proposed(t *testing.T, user principal.CustomerID, amount int64, reference string) (path, etag string) {
	t.Helper()
	a := s.enter(t, user, amount, reference)
	require.Equal(t, http.StatusAccepted, a.Status, a.Body)
	require.Equal(t, "pending", a.Body["status"])
	return fmt.Sprintf("/approvals/%d", int64(a.Body["id"].(float64))), a.Body["etag"].(string)
}

func approve(t *testing.T, by *httpapitest.Caller, path, etag string) httpapitest.Answer {
	return by.Send(t, http.MethodPost, path+"/approve", nil, "If-Match", etag)
}

func statusOf(t *testing.T, s *Shop, path string) any {
	t.Helper()
	return s.Send(t, http.MethodGet, path, nil).Body["status"]
}

// Proves G8.27.
func TestEntryAboveTheThresholdNeedsAllVotes(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Fund(t, "li", 900)
		s.Above[wallets.ApprovalKind] = 500
		ana := s.As(8, "Ana")
		s.Clock.Advance(24 * time.Hour)
		require.Equal(t, http.StatusCreated, s.enter(t, "li", 500, "at the threshold").Status)
		s.Clock.Advance(24 * time.Hour)
		require.Equal(t, http.StatusCreated, s.enter(t, "li", -500, "at it below zero").Status)
		s.Clock.Advance(24 * time.Hour)
		for reference, amount := range map[string]int64{"more": 501, "less": -501} {
			before := s.Balance(t, "li")
			path, etag := s.proposed(t, "li", amount, reference)
			require.Equal(t, before, s.Balance(t, "li"), "nothing has changed yet")
			again := s.enter(t, "li", amount, reference)
			require.Equal(t, []any{http.StatusAccepted, etag}, []any{again.Status, again.Body["etag"]}, "the same is proposed once")
			side := ana.Send(t, http.MethodGet, path, nil).Body["sides"].([]any)[0].(object)
			require.Equal(t, object{"userId": "li", "amount": float64(amount), "kind": "test", "reference": reference, "balance": float64(before + amount)}, side["proposed"])

			own := approve(t, s.Caller, path, etag)
			require.Equal(t, []any{http.StatusForbidden, "four_eyes"}, []any{own.Status, own.Body["reason"]})
			voted := approve(t, ana, path, etag)
			require.Equal(t, []any{http.StatusOK, "approved"}, []any{voted.Status, voted.Body["status"]}, voted.Body)
			require.Equal(t, before+amount, s.Balance(t, "li"))
			made := s.enter(t, "li", amount, reference)
			require.Equal(t, http.StatusOK, made.Status, "the created entry has the reply of any entry: %v", made.Body)
			require.Equal(t, object{"id": 8.0, "name": "Ana"}, made.Body["createdBy"])
		}
		s.requireLedger(t, "li", 900)
	})
}

// Proves G8.2.
func TestWalletStatesItsApprovalThreshold(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Fund(t, "li", 900)
		s.Clock.Advance(24 * time.Hour)
		for _, user := range []string{"li", "untouched"} {
			read := func(headers ...string) httpapitest.Answer {
				return s.Send(t, http.MethodGet, "/wallets/"+user, nil, headers...)
			}
			first := read()
			require.NotContains(t, first.Body, "changeNeeds")
			s.Above[wallets.ApprovalKind] = 500
			tag := cmp.Or(first.Header.Get("ETag"), `"none"`)
			s.RulesSince = world.Opening
			after := read("If-None-Match", tag)
			require.Equal(t, http.StatusOK, after.Status, "the required votes change although the wallet does not")
			require.Equal(t, object{"above": 500.0, "approvals": 1.0}, after.Body["changeNeeds"])
			delete(s.Above, wallets.ApprovalKind)
			require.NotContains(t, read("If-None-Match", tag).Body, "changeNeeds")
			s.RulesSince = world.Opening.Add(-time.Hour)
		}
		require.Equal(t, http.StatusNotModified, s.Send(t, http.MethodGet, "/wallets/li", nil, "If-None-Match", s.Send(t, http.MethodGet, "/wallets/li", nil).Header.Get("ETag")).Status)
	})
}

// Proves G8.26.
func TestInternalEntriesNeedNoApproval(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Fund(t, "li", 900)
		s.Above[wallets.ApprovalKind] = 0
		require.NoError(t, s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
			ctx, err := s.Wallets.Lock(ctx, u, 0, "li")
			if err != nil {
				return err
			}
			u.Audit(uow.Entry{Action: "test", Resource: "wallets/li"})
			return s.Wallets.Refund(ctx, u, "li", 400, "@refunds/1")
		}))
		s.requireLedger(t, "li", 1300)
		s.proposed(t, "li", 1, "every entry by hand is above 0")
	})
}

// Proves G8.9.
func TestDailyEntriesOfAnAuthorCountTogether(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Fund(t, "li", 5000)
		s.Clock.Advance(24 * time.Hour)
		s.Above[wallets.ApprovalKind] = 500
		above := func() any { return s.Get(t, "/wallets/li").Body["changeNeeds"].(object)["above"] }
		require.Equal(t, http.StatusCreated, s.enter(t, "li", 300, "first").Status)
		require.Equal(t, 200.0, above(), "the amount that still needs no votes is reported")
		require.Equal(t, http.StatusCreated, s.enter(t, "li", -200, "second").Status, "at the threshold")
		path, etag := s.proposed(t, "li", 1, "third")
		require.Equal(t, http.StatusCreated, s.enter(t, "wu", 500, "another wallet").Status)

		ana := s.As(8, "Ana")
		require.Equal(t, http.StatusOK, approve(t, ana, path, etag).Status)
		entry := func(by *httpapitest.Caller, amount int, reference string) int {
			return by.Send(t, http.MethodPost, "/wallets/li/entries", object{"amount": amount, "kind": "test", "reference": reference}).Status
		}
		require.Equal(t, http.StatusCreated, entry(ana, 500, "ana's"), "an approved entry does not count for the last voter")
		require.Equal(t, http.StatusAccepted, entry(ana, 1, "ana's second"))
		s.Clock.Advance(24 * time.Hour)
		require.Equal(t, 500.0, above())
		require.Equal(t, http.StatusCreated, s.enter(t, "li", 500, "a day later").Status)
		s.requireLedger(t, "li", 6101)
	})
}

// Proves G8.9.
func TestTransferAboveTheThresholdNeedsAllVotes(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Fund(t, "li", 900)
		s.Clock.Advance(24 * time.Hour)
		s.Above[wallets.ApprovalKind] = 500
		transfer := func(amount int, reference string) httpapitest.Answer {
			return s.Send(t, http.MethodPost, "/wallet-transfers", object{"fromUserId": "li", "toUserId": "wu", "amount": amount, "reference": reference})
		}
		require.Equal(t, http.StatusCreated, transfer(300, "below").Status)
		proposal := transfer(201, "the sum is above")
		require.Equal(t, []any{http.StatusAccepted, "wallet.transfer"}, []any{proposal.Status, proposal.Body["kind"]}, proposal.Body)
		require.Equal(t, []int64{600, 300}, []int64{s.Balance(t, "li"), s.Balance(t, "wu")})
		path, ana := fmt.Sprintf("/approvals/%d", int64(proposal.Body["id"].(float64))), s.As(8, "Ana")
		sides := ana.Send(t, http.MethodGet, path, nil).Body["sides"].([]any)
		require.Equal(t, []any{399.0, 501.0}, []any{sides[0].(object)["proposed"].(object)["balance"], sides[1].(object)["proposed"].(object)["balance"]})
		require.Equal(t, http.StatusForbidden, approve(t, s.Caller, path, proposal.Body["etag"].(string)).Status)
		require.Equal(t, http.StatusOK, approve(t, ana, path, proposal.Body["etag"].(string)).Status)
		require.Equal(t, []int64{399, 501}, []int64{s.Balance(t, "li"), s.Balance(t, "wu")})
		require.Equal(t, http.StatusOK, transfer(201, "the sum is above").Status)
	})
}

// Proves G8.27.
func TestImpossibleEntryMakesItsApprovalStale(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		ana := s.As(8, "Ana")
		s.Fund(t, "li", 900)
		s.Clock.Advance(24 * time.Hour)
		s.Above[wallets.ApprovalKind] = 500
		path, etag := s.proposed(t, "li", -800, "payout")
		require.Equal(t, http.StatusCreated, s.enter(t, "li", -200, "smaller").Status, "other entries do not concern it")
		require.Equal(t, "pending", statusOf(t, s, path))
		refused := approve(t, ana, path, etag)
		require.Equal(t, []any{http.StatusConflict, "approval_stale", "stale"}, []any{refused.Status, refused.Body["code"], refused.Body["currentStatus"]}, refused.Body)
		require.Contains(t, refused.Body["detail"], "has less than the entry debits")
		require.Equal(t, 700.0, refused.Body["current"].(object)["balance"])
		require.EqualValues(t, 700, s.Balance(t, "li"))

		stale := ana.Send(t, http.MethodGet, path, nil).Body["etag"].(string)
		contested := s.Send(t, http.MethodPost, path+"/rebase", nil, "If-Match", stale)
		require.Equal(t, "approval_stale", contested.Body["code"], "it is not possible yet")
		require.Equal(t, http.StatusCreated, s.enter(t, "li", 200, "back").Status)
		rebased := s.Send(t, http.MethodPost, path+"/rebase", nil, "If-Match", stale)
		require.Equal(t, []any{http.StatusOK, "pending"}, []any{rebased.Status, rebased.Body["status"]}, rebased.Body)
		require.Equal(t, http.StatusOK, approve(t, ana, path, rebased.Body["etag"].(string)).Status)
		s.requireLedger(t, "li", 100)

		// Another entry used the reference while there was no threshold.
		path, etag = s.proposed(t, "li", 600, "once")
		delete(s.Above, wallets.ApprovalKind)
		require.Equal(t, http.StatusCreated, s.enter(t, "li", 600, "once").Status)
		made := approve(t, ana, path, etag)
		require.Equal(t, "approval_stale", made.Body["code"], made.Body)
		require.Contains(t, made.Body["detail"], `Tester made the entry "once"`)
		done := s.Send(t, http.MethodPost, path+"/rebase", nil, "If-Match", s.Send(t, http.MethodGet, path, nil).Body["etag"].(string))
		require.Equal(t, "transition_not_allowed", done.Body["code"], done.Body)
		s.requireLedger(t, "li", 700)
	})
}

func TestImpossibleEntryIsNotProposed(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Fund(t, "li", 900)
		s.Above[wallets.ApprovalKind] = 500
		require.Equal(t, "insufficient_balance", s.enter(t, "li", -901, "too much").Body["code"])
		require.Equal(t, "payload_mismatch", s.enter(t, "li", 901, "opening").Body["code"])
		require.Zero(t, s.Send(t, http.MethodGet, "/approvals", nil).Body["total"])
		path, etag := s.proposed(t, "li", 901, "no edit")
		patched := s.Send(t, http.MethodPatch, path, object{"patch": object{"amount": 1}}, "If-Match", etag)
		require.Equal(t, []any{http.StatusUnprocessableEntity, "/patch"}, []any{patched.Status, patched.Pointer()})
	})
}

// Two users propose the same entry and others approve both concurrently: the entry is made once.
// Proves G8.27.
func TestRepeatedlyApprovedEntryIsAppliedOnce(t *testing.T) {
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Above[wallets.ApprovalKind] = 0
		wu := s.As(9, "Wu")
		for n := range 5 {
			body := object{"amount": 100, "kind": "test", "reference": fmt.Sprintf("gift-%d", n)}
			paths, tags := make([]string, 2), make([]string, 2)
			for i, by := range []*httpapitest.Caller{s.Caller, wu} {
				a := by.Send(t, http.MethodPost, "/wallets/li/entries", body)
				require.Equal(t, http.StatusAccepted, a.Status, a.Body)
				paths[i], tags[i] = fmt.Sprintf("/approvals/%d", int64(a.Body["id"].(float64))), a.Body["etag"].(string)
			}
			answers := make([]httpapitest.Answer, 6)
			racing.Together(len(answers), func(i int) {
				answers[i] = approve(t, s.As(int64(20+i), fmt.Sprintf("Voter %d", i)), paths[i%2], tags[i%2])
			})
			var made int
			for _, a := range answers {
				if a.Status == http.StatusOK {
					made++
					continue
				}
				require.Contains(t, []any{"version_conflict", "approval_stale"}, a.Body["code"], a.Body)
			}
			require.Equal(t, 1, made)
			require.EqualValues(t, 100*(n+1), s.Balance(t, "li"))
		}
		s.requireLedger(t, "li", 500)
	})
}

// The threshold also applies to callers of the service in Go.
// Proves G8.26.
func TestEveryEntryAboveTheThresholdIsProposed(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		s := Open(ctx, t, db)
		s.Above[wallets.ApprovalKind] = 0
		for name, ask := range map[string]func(ctx context.Context, u *uow.Unit) error{
			"as an entry": func(ctx context.Context, u *uow.Unit) error {
				_, _, err := s.Wallets.Enter(ctx, u, wallets.Posting{UserID: "li", Amount: 5, Kind: "test", Reference: "entry"}, 0)
				return err
			},
			"as a credit under a name of the caller's": func(ctx context.Context, u *uow.Unit) error {
				return s.Wallets.Refund(ctx, u, "li", 5, "credit")
			},
		} {
			require.NoError(t, s.Runner.Do(ctx, func(ctx context.Context, u *uow.Unit) error {
				err := ask(ctx, u)
				require.NotNil(t, u.Proposed(), name)
				return err
			}))
		}
		require.Zero(t, s.Balance(t, "li"))
	})
}

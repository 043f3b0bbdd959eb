package approvals_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/racing"
	"interlock/test/tier"
)

// round is one race for one approval of one config.
type round struct {
	*office
	key                string
	author, other, mad *desk
	proposed           approval
	order              order
}

// order is the order in which the two clients of a round start. In every fourth round the second
// waits for the first, so that the late rejection is covered in short runs too.
type order int

const (
	together order = iota
	firstFirst
	secondFirst
)

func orderOf(n int) order {
	switch n % 8 {
	case 3:
		return firstFirst
	case 7:
		return secondFirst
	}
	return together
}

// rounds runs races of two on both engines, each with a separate approval.
func rounds(t *testing.T, race func(r round) (first, second httpapitest.Answer)) {
	t.Parallel()
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		o := open(t, ctx, db)
		author, other, mad := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", bypasser...)
		// In the long form, 1,000 rounds start concurrently.
		won, total := [2]int{}, tier.Rounds(20, 1334)
		for n := range total {
			r := round{office: o, key: fmt.Sprintf("tax-%d", n), author: author, other: other, mad: mad, order: orderOf(n)}
			r.proposed = author.propose(r.key, author.protect(r.key, 1), `{"value":2}`)
			first, second := race(r)
			require.NotEqual(t, first.Status == http.StatusOK, second.Status == http.StatusOK, "exactly one wins:\n%s\n%s", first.Text, second.Text)
			switch {
			case r.order != together:
			case first.Status == http.StatusOK:
				won[0]++
			default:
				won[1]++
			}
			r.agrees()
			r.end()
		}
		t.Logf("won %v", won)
		if total >= 1000 {
			require.Positive(t, min(won[0], won[1]), "each side wins at least once")
		}
	})
}

// agrees checks that the config changed if and only if the approval was applied.
func (r round) agrees() {
	r.t.Helper()
	a := r.author.read(r.proposed)
	require.EqualValues(r.t, a.body["version"], r.count("approval_histories", "approval_id = ?", r.proposed.id))
	current := r.author.config(r.key)
	require.EqualValues(r.t, current["version"], r.count("config_histories", "`key` = ?", r.key))
	applied := r.count("config_histories", "`key` = ? AND approval_id = ?", r.key, r.proposed.id)
	if a.body["status"] == "approved" {
		require.EqualValues(r.t, 1, applied)
		require.Equal(r.t, a.body["patch"].(object)["value"], current["value"])
		return
	}
	require.Zero(r.t, applied)
}

// end withdraws an approval that is still pending, because of the author's limit.
func (r round) end() {
	r.t.Helper()
	if left := r.author.read(r.proposed); left.body["status"] == "pending" {
		r.author.act(http.StatusOK, left, "withdraw", nil)
	}
}

// requireConflict requires that the losing response names the winner.
func requireConflict(t *testing.T, answer httpapitest.Answer, winner *desk, codes ...string) {
	t.Helper()
	require.Contains(t, codes, answer.Body["code"], answer.Text)
	who := answer.Body["updatedBy"]
	if who == nil {
		who = answer.Body["changedBy"]
	}
	require.Equal(t, object{"id": float64(winner.who.UserID), "name": winner.who.Name}, who, answer.Text)
}

func (d *desk) try(a approval, action string) httpapitest.Answer {
	return d.Send(d.t, "POST", a.path+"/"+action, nil, "If-Match", a.etag)
}

// race runs both acts in the round's order.
func (r round) race(first, second func() httpapitest.Answer) (a, b httpapitest.Answer) {
	switch r.order {
	case firstFirst:
		a = first()
		return a, second()
	case secondFirst:
		b = second()
		return first(), b
	}
	racing.Together(2, func(i int) {
		if i == 0 {
			a = first()
		} else {
			b = second()
		}
	})
	return a, b
}

// Proves G8.6.
func TestApprovalOrConcurrentConfigEditWins(t *testing.T) {
	rounds(t, func(r round) (approved, edited httpapitest.Answer) {
		etag := r.proposed.body["baseEtag"].(string)
		approved, edited = r.race(
			func() httpapitest.Answer { return r.other.try(r.proposed, "approve") },
			func() httpapitest.Answer {
				return r.mad.Send(r.t, "PATCH", "/configs/"+r.key+"?bypass=race", `{"value":3}`, "If-Match", etag)
			})
		if approved.Status == http.StatusOK {
			requireConflict(r.t, edited, r.other, "version_conflict")
		} else {
			requireConflict(r.t, approved, r.mad, "approval_stale")
			require.Equal(r.t, "stale", r.author.read(r.proposed).body["status"])
			require.Equal(r.t, 3.0, r.author.config(r.key)["value"])
		}
		return approved, edited
	})
}

// Proves G8.6.
func TestSecondConcurrentApproverGetsConflict(t *testing.T) {
	rounds(t, func(r round) (first, second httpapitest.Answer) {
		first, second = r.race(
			func() httpapitest.Answer { return r.other.try(r.proposed, "approve") },
			func() httpapitest.Answer { return r.mad.try(r.proposed, "approve") })
		if first.Status == http.StatusOK {
			requireConflict(r.t, second, r.other, "version_conflict")
		} else {
			requireConflict(r.t, first, r.mad, "version_conflict")
		}
		return first, second
	})
}

// Proves G8.6.
func TestApprovalOrConcurrentWithdrawalWins(t *testing.T) {
	rounds(t, func(r round) (approved, withdrawn httpapitest.Answer) {
		approved, withdrawn = r.race(
			func() httpapitest.Answer { return r.other.try(r.proposed, "approve") },
			func() httpapitest.Answer { return r.author.try(r.proposed, "withdraw") })
		if approved.Status == http.StatusOK {
			requireConflict(r.t, withdrawn, r.other, "version_conflict")
		} else {
			requireConflict(r.t, approved, r.author, "version_conflict")
		}
		return approved, withdrawn
	})
}

// Proves G8.5.
func TestVoteOrConcurrentProposalEditWins(t *testing.T) {
	rounds(t, func(r round) (approved, edited httpapitest.Answer) {
		approved, edited = r.race(
			func() httpapitest.Answer { return r.other.try(r.proposed, "approve") },
			func() httpapitest.Answer {
				return r.author.Send(r.t, "PATCH", r.proposed.path, `{"patch":{"value":4}}`, "If-Match", r.proposed.etag)
			})
		if approved.Status == http.StatusOK {
			requireConflict(r.t, edited, r.other, "version_conflict", "transition_not_allowed")
			require.Equal(r.t, 2.0, r.author.config(r.key)["value"], "the content that was read is applied")
		} else {
			requireConflict(r.t, approved, r.author, "version_conflict")
			require.Equal(r.t, 1.0, r.author.config(r.key)["value"])
		}
		return approved, edited
	})
}

// Of three concurrent votes for the same version, one counts and the others get a conflict: votes
// that did not see each other never make a quorum.
// Proves G8.11.
func TestConcurrentVotesCountOneAtATime(t *testing.T) {
	onBoth(t, func(t *testing.T, o *office) {
		o.need(2)
		li := o.user("Li", editor...)
		voters := []*desk{o.user("A", approver...), o.user("B", approver...), o.user("C", approver...)}
		for n := range 10 {
			key := fmt.Sprintf("tax-%d", n)
			proposed := li.propose(key, li.protect(key, 1), `{"value":2}`)
			answers := make([]httpapitest.Answer, len(voters))
			racing.Together(len(voters), func(i int) { answers[i] = voters[i].try(proposed, "approve") })
			counted := 0
			for _, answer := range answers {
				if answer.Status == http.StatusOK {
					counted++
				}
			}
			require.Equal(t, 1, counted)
			require.Equal(t, "pending", li.read(proposed).body["status"])
			require.Equal(t, 1.0, li.config(key)["value"])
		}
	})
}

// A voter who is disabled during the last vote counts or does not count, consistently for the count
// and the change.
// Proves G8.11.
func TestVoterDisabledDuringTheLastVoteIsAtomic(t *testing.T) {
	onBoth(t, func(t *testing.T, o *office) {
		o.need(2)
		li, last := o.user("Li", editor...), o.user("Last", approver...)
		for n := range 10 {
			key, first := fmt.Sprintf("tax-%d", n), o.user("First", approver...)
			proposed := li.propose(key, li.protect(key, 1), `{"value":2}`)
			proposed = approvalOf(t, first.act(200, proposed, "approve", nil))
			var answer httpapitest.Answer
			racing.Together(2, func(i int) {
				if i == 0 {
					first.disable()
				} else {
					answer = last.try(proposed, "approve")
				}
			})
			require.Equal(t, http.StatusOK, answer.Status, answer.Text)
			made := li.config(key)["value"] == 2.0
			require.Equal(t, made, answer.Body["status"] == "approved")
		}
	})
}

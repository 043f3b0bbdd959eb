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

// round is one race about one approval of one config.
type round struct {
	*office
	key                string
	author, other, mad *desk
	asked              approval
	order              order
}

// order is how the two of a round begin. Every fourth round the second waits for the first: who
// comes just too late is refused too, and in the rounds of make test may never come that late.
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

// rounds runs races of two on both engines, each with an approval of its own.
func rounds(t *testing.T, race func(r round) (first, second httpapitest.Answer)) {
	t.Parallel()
	storagetest.Both(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		o := open(t, ctx, db)
		author, other, mad := o.user("Li", editor...), o.user("Wu", approver...), o.user("Mo", bypasser...)
		// Of the longer form 1,000 rounds begin together.
		won, total := [2]int{}, tier.Rounds(20, 1334)
		for n := range total {
			r := round{office: o, key: fmt.Sprintf("tax-%d", n), author: author, other: other, mad: mad, order: orderOf(n)}
			r.asked = author.propose(r.key, author.protect(r.key, 1), `{"value":2}`)
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
			require.Positive(t, min(won[0], won[1]), "a race that one side always wins is none")
		}
	})
}

// agrees checks that a config has changed exactly as what became of its approval says.
func (r round) agrees() {
	r.t.Helper()
	a := r.author.read(r.asked)
	require.EqualValues(r.t, a.body["version"], r.count("approval_histories", "approval_id = ?", r.asked.id))
	current := r.author.config(r.key)
	require.EqualValues(r.t, current["version"], r.count("config_histories", "`key` = ?", r.key))
	applied := r.count("config_histories", "`key` = ? AND approval_id = ?", r.key, r.asked.id)
	if a.body["status"] == "approved" {
		require.EqualValues(r.t, 1, applied)
		require.Equal(r.t, a.body["patch"].(object)["value"], current["value"])
		return
	}
	require.Zero(r.t, applied)
}

// end withdraws an approval that the race has left pending: an author has a limit of those.
func (r round) end() {
	r.t.Helper()
	if left := r.author.read(r.asked); left.body["status"] == "pending" {
		r.author.act(http.StatusOK, left, "withdraw", nil)
	}
}

// told requires that a loser was told who was first.
func told(t *testing.T, answer httpapitest.Answer, winner *desk, codes ...string) {
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

// race has both act in the round's order.
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

func TestOfAnApprovalAndAnEditOfItsConfigOneWins(t *testing.T) {
	rounds(t, func(r round) (approved, edited httpapitest.Answer) {
		etag := r.asked.body["baseEtag"].(string)
		approved, edited = r.race(
			func() httpapitest.Answer { return r.other.try(r.asked, "approve") },
			func() httpapitest.Answer {
				return r.mad.Send(r.t, "PATCH", "/configs/"+r.key+"?bypass=race", `{"value":3}`, "If-Match", etag)
			})
		if approved.Status == http.StatusOK {
			told(r.t, edited, r.other, "version_conflict")
		} else {
			told(r.t, approved, r.mad, "approval_stale")
			require.Equal(r.t, "stale", r.author.read(r.asked).body["status"])
			require.Equal(r.t, 3.0, r.author.config(r.key)["value"])
		}
		return approved, edited
	})
}

func TestOfTwoWhoApproveOneChangesTheConfigAndTheOtherIsToldWho(t *testing.T) {
	rounds(t, func(r round) (first, second httpapitest.Answer) {
		first, second = r.race(
			func() httpapitest.Answer { return r.other.try(r.asked, "approve") },
			func() httpapitest.Answer { return r.mad.try(r.asked, "approve") })
		if first.Status == http.StatusOK {
			told(r.t, second, r.other, "version_conflict")
		} else {
			told(r.t, first, r.mad, "version_conflict")
		}
		return first, second
	})
}

func TestOfAnApprovalAndAWithdrawalOneWins(t *testing.T) {
	rounds(t, func(r round) (approved, withdrawn httpapitest.Answer) {
		approved, withdrawn = r.race(
			func() httpapitest.Answer { return r.other.try(r.asked, "approve") },
			func() httpapitest.Answer { return r.author.try(r.asked, "withdraw") })
		if approved.Status == http.StatusOK {
			told(r.t, withdrawn, r.other, "version_conflict")
		} else {
			told(r.t, approved, r.author, "version_conflict")
		}
		return approved, withdrawn
	})
}

func TestOfAVoteAndAnEditOfTheRequestOneWins(t *testing.T) {
	rounds(t, func(r round) (approved, edited httpapitest.Answer) {
		approved, edited = r.race(
			func() httpapitest.Answer { return r.other.try(r.asked, "approve") },
			func() httpapitest.Answer {
				return r.author.Send(r.t, "PATCH", r.asked.path, `{"patch":{"value":4}}`, "If-Match", r.asked.etag)
			})
		if approved.Status == http.StatusOK {
			told(r.t, edited, r.other, "version_conflict", "transition_not_allowed")
			require.Equal(r.t, 2.0, r.author.config(r.key)["value"], "what was read is what was made")
		} else {
			told(r.t, approved, r.author, "version_conflict")
			require.Equal(r.t, 1.0, r.author.config(r.key)["value"])
		}
		return approved, edited
	})
}

// Of three votes of which two are needed, cast at once for what all of them read, one counts
// and the others are asked to read again: a quorum is never reached by votes that did not see
// each other.
func TestVotesThatAreCastAtOnceAreCountedOneByOne(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.need(2)
		li := o.user("Li", editor...)
		voters := []*desk{o.user("A", approver...), o.user("B", approver...), o.user("C", approver...)}
		for n := range 10 {
			key := fmt.Sprintf("tax-%d", n)
			asked := li.propose(key, li.protect(key, 1), `{"value":2}`)
			answers := make([]httpapitest.Answer, len(voters))
			racing.Together(len(voters), func(i int) { answers[i] = voters[i].try(asked, "approve") })
			counted := 0
			for _, answer := range answers {
				if answer.Status == http.StatusOK {
					counted++
				}
			}
			require.Equal(t, 1, counted)
			require.Equal(t, "pending", li.read(asked).body["status"])
			require.Equal(t, 1.0, li.config(key)["value"])
		}
	})
}

// A voter who is disabled while the last vote is cast counts or does not, and who may do what
// does not change between the count and the change.
func TestAVoterWhoIsDisabledWhileTheChangeIsMadeCountsOrDoesNot(t *testing.T) {
	each(t, func(t *testing.T, o *office) {
		o.need(2)
		li, last := o.user("Li", editor...), o.user("Last", approver...)
		for n := range 10 {
			key, first := fmt.Sprintf("tax-%d", n), o.user("First", approver...)
			asked := li.propose(key, li.protect(key, 1), `{"value":2}`)
			asked = approvalOf(t, first.act(200, asked, "approve", nil))
			var answer httpapitest.Answer
			racing.Together(2, func(i int) {
				if i == 0 {
					first.disable()
				} else {
					answer = last.try(asked, "approve")
				}
			})
			require.Equal(t, http.StatusOK, answer.Status, answer.Text)
			made := li.config(key)["value"] == 2.0
			require.Equal(t, made, answer.Body["status"] == "approved")
		}
	})
}

package flashsale_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/test/racing"
	"interlock/test/tier"
	"interlock/test/world"
)

// planner is a user who schedules changes of sales.
type planner struct {
	*market
	*httpapitest.Caller
}

func (s *market) planner() planner {
	return planner{s, s.Caller}
}

// schedule schedules a change of a sale, and returns its approval.
func (p planner) schedule(t *testing.T, status int, sale string, in time.Duration, patch object) object {
	t.Helper()
	etag := p.must(t, 200, "GET", sale, nil).Header.Get("ETag")
	at := url.QueryEscape(p.Clock.Now().Add(in).Format(time.RFC3339))
	answer := p.send(t, "PATCH", sale+"?effectiveTime="+at, patch, "If-Match", etag)
	require.Equal(t, status, answer.Status, answer.Text)
	return answer.Body
}

func pathOf(approval object) string {
	return "/approvals/" + strconv.FormatInt(int64(approval["id"].(float64)), 10)
}

func (p planner) approval(t *testing.T, a object) object {
	t.Helper()
	answer := p.Send(t, "GET", pathOf(a), nil)
	require.Equal(t, http.StatusOK, answer.Status, answer.Text)
	return answer.Body
}

// due advances the clock, and applies due approvals.
func (p planner) due(t *testing.T, in time.Duration) {
	t.Helper()
	p.Clock.Advance(in)
	require.NoError(t, p.Approvals.ApplyDue(p.Ctx, 10))
}

// Proves G8.20.
func TestScheduledSaleChangeIsAppliedAtItsTime(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		p := s.planner()
		s.Stock(t, "TEA-1", 900, 1000)
		sale := s.plan(t, object{"queueCap": 5})
		later := world.Opening.Add(2 * time.Hour)
		proposed := p.schedule(t, 202, sale, 10*time.Minute, object{"price": 450, "perUserLimit": 3, "endsTime": later, "queueCap": nil})
		require.Equal(t, []any{"scheduled", "flash_sale.update"}, []any{proposed["status"], proposed["kind"]})
		p.schedule(t, 422, sale, 10*time.Minute, object{"price": -1})
		p.schedule(t, 422, sale, 10*time.Minute, object{"sku": "NONE"})
		p.due(t, 9*time.Minute)
		require.EqualValues(t, 500, s.must(t, 200, "GET", sale, nil).Body["price"])
		sides := p.approval(t, proposed)["sides"].([]any)[0].(object)
		require.Equal(t, []any{500.0, 450.0, 500.0}, []any{sides["base"].(object)["price"], sides["proposed"].(object)["price"], sides["current"].(object)["price"]})
		p.due(t, time.Minute)
		p.due(t, time.Minute)
		changed := s.must(t, 200, "GET", sale, nil).Body
		require.Equal(t, []any{450.0, 3.0, later.Format("2006-01-02T15:04:05.000000Z"), nil, 2.0}, []any{changed["price"], changed["perUserLimit"], changed["endsTime"], changed["queueCap"], changed["version"]})
		require.Equal(t, object{"id": 7.0, "name": "Tester"}, changed["updatedBy"])
		require.Equal(t, "approved", p.approval(t, proposed)["status"])
		require.EqualValues(t, 1, s.Count(t, &uow.AuditRow{}, "action = 'flash_sale.update' AND actor_kind = 'system' AND actor_id = '7'"))
	})
}

// Proves G8.22.
func TestScheduledQuantityChangeMovesTheAllotment(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		p := s.planner()
		sale := s.open(t, nil)
		more := p.schedule(t, 202, sale, time.Minute, object{"quantityDelta": 5})
		require.EqualValues(t, 10, s.numbers(t, sale).Allotted)
		p.due(t, time.Minute)
		require.Equal(t, "approved", p.approval(t, more)["status"])
		require.EqualValues(t, 15, s.numbers(t, sale).Allotted)
		available, reserved := s.available(t)
		require.Equal(t, []int64{985, 15}, []int64{available, reserved})
		fewer := p.schedule(t, 202, sale, time.Minute, object{"quantity": 8})
		p.due(t, time.Minute)
		require.Equal(t, "approved", p.approval(t, fewer)["status"])
		require.EqualValues(t, 8, s.numbers(t, sale).Allotted)
		available, reserved = s.available(t)
		require.Equal(t, []int64{992, 8}, []int64{available, reserved})

		// Units that are sold by then cannot be removed; the sale continues with its units.
		fewer = p.schedule(t, 202, sale, time.Minute, object{"quantity": 1})
		for user := range int64(3) {
			require.Equal(t, 202, s.buy(t, sale, 10+user, 2).Status)
		}
		s.consume(t, sale)
		p.due(t, time.Minute)
		refused := p.approval(t, fewer)
		require.Equal(t, "stale", refused["status"])
		require.Contains(t, refused["reason"], "Fewer than 7 units")
		require.EqualValues(t, 8, s.numbers(t, sale).Allotted)
		require.Equal(t, 202, s.buy(t, sale, 20, 2).Status, "nothing stays withheld")
		p.schedule(t, 422, sale, time.Minute, object{"price": 1})
	})
}

// Proves G8.20.
func TestSaleTransitionMakesScheduledChangesStale(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		p := s.planner()
		s.Stock(t, "TEA-1", 900, 1000)
		sale := s.plan(t, nil)
		stale := func(a object, because string) object {
			t.Helper()
			seen := p.approval(t, a)
			require.Equal(t, "stale", seen["status"], because)
			return seen
		}
		first := renamedTo(t, p, sale, "Evening sale")
		s.must(t, 200, "PATCH", sale, object{"price": 400}, "If-Match", s.must(t, 200, "GET", sale, nil).Header.Get("ETag"))
		seen := stale(first, "an edit")
		refused := p.Send(t, "POST", pathOf(first)+"/approve", nil, "If-Match", seen["etag"].(string))
		require.Equal(t, []any{409, "approval_stale", []any{"/price"}}, []any{refused.Status, refused.Body["code"], refused.Body["theirsOnly"]})
		p.due(t, time.Hour)
		require.Equal(t, "Noon sale", s.must(t, 200, "GET", sale, nil).Body["name"])
		require.Equal(t, "scheduled", p.Send(t, "POST", pathOf(first)+"/rebase", nil, "If-Match", seen["etag"].(string)).Body["status"])
		p.due(t, 0)
		changed := s.must(t, 200, "GET", sale, nil).Body
		require.Equal(t, []any{"Evening sale", 400.0}, []any{changed["name"], changed["price"]})

		edited := renamedTo(t, p, sale, "Night sale")
		revised := p.Send(t, "PATCH", pathOf(edited), object{"patch": object{"name": "Late sale"}}, "If-Match", edited["etag"].(string))
		require.Equal(t, []any{200, object{"name": "Late sale"}}, []any{revised.Status, revised.Body["patch"]}, revised.Text)
		require.Equal(t, 422, p.Send(t, "PATCH", pathOf(edited), object{"patch": object{"price": -1}}, "If-Match", revised.Body["etag"].(string)).Status)
		s.must(t, 200, "PATCH", sale, object{"endsTime": world.Opening.Add(24 * time.Hour)}, "If-Match", changed["etag"].(string))
		stale(edited, "another edit")

		opened := renamedTo(t, p, sale, "A")
		s.must(t, 200, "POST", sale+"/open", nil)
		stale(opened, "a transition")
		s.sales = s.selling(s.gate, &poisonous{s.Orders, 8})
		ticket := s.buy(t, sale, 8, 1).Body["ticket"].(string)
		s.consume(t, sale)
		other := renamedTo(t, p, sale, "D")
		s.must(t, 204, "POST", sale+"/dead/"+ticket+"/discard", nil)
		stale(other, "a decision that is a version of the sale")
		taken := renamedTo(t, p, sale, "B")
		s.must(t, 200, "POST", sale+"/close", nil)
		seen = stale(taken, "its end")
		require.Equal(t, 409, p.Send(t, "POST", pathOf(taken)+"/rebase", nil, "If-Match", seen["etag"].(string)).Status, "a closed sale is not changed")

		gone := s.plan(t, nil)
		deleted := renamedTo(t, p, gone, "C")
		s.must(t, 204, "DELETE", gone, nil, "If-Match", s.must(t, 200, "GET", gone, nil).Header.Get("ETag"))
		require.Nil(t, stale(deleted, "its deletion")["sides"].([]any)[0].(object)["current"])
	})
}

func renamedTo(t *testing.T, p planner, sale, name string) object {
	t.Helper()
	return p.schedule(t, 202, sale, time.Hour, object{"name": name})
}

func TestDueScheduledChangeAndEditOneWins(t *testing.T) {
	onAllTables(t, func(t *testing.T, s *market) {
		p := s.planner()
		s.Stock(t, "TEA-1", 900, 1000)
		for range tier.Rounds(10, 200) {
			sale := s.plan(t, object{"endsTime": world.Opening.AddDate(5, 0, 0)})
			proposed := p.schedule(t, 202, sale, time.Second, object{"price": 400})
			etag := s.must(t, 200, "GET", sale, nil).Header.Get("ETag")
			s.Clock.Advance(time.Second)
			var edited httpapitest.Answer
			racing.Together(2, func(i int) {
				if i == 0 {
					require.NoError(t, s.Approvals.ApplyDue(s.Ctx, 10))
				} else {
					edited = s.send(t, "PATCH", sale, object{"price": 300}, "If-Match", etag)
				}
			})
			after := s.must(t, 200, "GET", sale, nil).Body
			want := map[int][]any{200: {"stale", 300.0, 2.0}, 412: {"approved", 400.0, 2.0}}[edited.Status]
			require.Equal(t, want, []any{p.approval(t, proposed)["status"], after["price"], after["version"]}, edited.Text)
		}
	})
}

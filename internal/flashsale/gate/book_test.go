package gate

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var states = []State{Queued, Processing, Buried, Confirmed, Rejected, Cancelled}

// model applies the same steps to a book and to a gate.
type model struct {
	g      *underTest
	book   *book
	rules  Rules
	queued []string
}

// modelled compares a gate with its specification.
func modelled(t *testing.T, g *underTest) {
	epoch := int64(1)
	rapid.Check(t, func(rt *rapid.T) {
		epoch += 2
		m := &model{g: g, rules: g.rules}
		m.rules.Epoch = epoch
		require.NoError(rt, g.Build(g.ctx, m.rules, nil))
		m.book = built(m.rules, nil)
		rt.Repeat(map[string]func(*rapid.T){
			"admit": m.admit, "move": m.move, "apply": m.apply, "withhold": m.withhold, "adopt": m.adopt, "requeue": m.requeue,
			"replace": func(rt *rapid.T) { m.replace(rt, &epoch) }, "": m.check,
		})
	})
}

var someTicket = rapid.SampledFrom([]string{"A", "B", "C", "D", "E"})

// userOf returns the customer of a ticket: B and C belong to one customer.
func userOf(ticket string) string {
	if ticket == "C" {
		return "of-B"
	}
	return "of-" + ticket
}

func (m *model) admit(t *rapid.T) {
	ticket := someTicket.Draw(t, "ticket")
	p := Purchase{Ref: m.rules.Ref, Ticket: ticket, User: userOf(ticket), Units: rapid.Int64Range(1, 3).Draw(t, "units"), Time: m.g.clock.Now()}
	want, wantErr := m.book.admit(p, m.g.clock.Now())
	got, err := m.g.Admit(m.g.ctx, p)
	require.Equal(t, wantErr, err)
	require.Equal(t, want, got)
	if want.Verdict == Accepted {
		m.queued = append(m.queued, ticket)
	}
}

func (m *model) move(t *rapid.T) {
	var steps []Step
	for range rapid.IntRange(1, 3).Draw(t, "steps") {
		steps = append(steps, Step{
			Ticket: someTicket.Draw(t, "ticket"), From: rapid.SliceOfN(rapid.SampledFrom(states), 0, 3).Draw(t, "from"), To: rapid.SampledFrom(states).Draw(t, "to"),
			OrderID: rapid.Int64Range(0, 2).Draw(t, "order"), Reason: rapid.SampledFrom([]string{"", "limit"}).Draw(t, "reason"),
		})
	}
	want := make([]Moved, len(steps))
	for i, s := range steps {
		want[i] = m.book.move(s, m.g.clock.Now())
	}
	got, err := m.g.Move(m.g.ctx, m.rules.Ref, steps)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func (m *model) apply(t *rapid.T) {
	r := m.rules
	r.Version += rapid.Int64Range(0, 1).Draw(t, "newer")
	r.StockVersion += rapid.Int64Range(0, 1).Draw(t, "newer units")
	if r.Version > m.rules.Version {
		r.Open = rapid.IntRange(0, 3).Draw(t, "open") > 0
		r.PerUserLimit = rapid.Int64Range(1, 4).Draw(t, "limit")
		r.QueueCap = rapid.Int64Range(0, 3).Draw(t, "cap")
	}
	if r.StockVersion > m.rules.StockVersion {
		r.Allotted = rapid.Int64Range(0, 12).Draw(t, "allotted")
	}
	m.book.apply(r)
	require.NoError(t, m.g.Apply(m.g.ctx, r))
	m.rules = r
}

func (m *model) withhold(t *rapid.T) {
	version := m.rules.StockVersion - rapid.Int64Range(0, 1).Draw(t, "older")
	units := rapid.Int64Range(0, 12).Draw(t, "units")
	require.Equal(t, m.book.withhold(version, units), m.g.Withhold(m.g.ctx, m.rules.Ref, version, units))
}

func (m *model) adopt(t *rapid.T) {
	id := someTicket.Draw(t, "ticket")
	ticket := Ticket{
		ID: id, State: rapid.SampledFrom([]State{Confirmed, Rejected, Cancelled}).Draw(t, "state"), User: userOf(id),
		Units: rapid.Int64Range(1, 3).Draw(t, "units"), AcceptedTime: m.g.clock.Now(), OrderID: 9, OrderNo: "N",
	}
	want := 0
	if m.book.adopt(ticket) {
		want = 1
	}
	got, err := m.g.Adopt(m.g.ctx, m.rules.Ref, []Ticket{ticket})
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func (m *model) requeue(t *rapid.T) {
	id := someTicket.Draw(t, "ticket")
	want := 0
	if m.book.requeue(id) {
		want = 1
		m.queued = append(m.queued, id)
	}
	got, err := m.g.Requeue(m.g.ctx, m.rules.Ref, []Ticket{{ID: id, User: userOf(id), Units: 1}})
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// replace retires the gate, if its queue is empty, and builds the next one with the settled
// tickets.
func (m *model) replace(t *rapid.T, epoch *int64) {
	var ended []Ticket
	for _, ticket := range m.book.tickets {
		if ticket.State.HasEnded() {
			ended = append(ended, *ticket)
		}
	}
	want := m.book.retire(m.rules.Epoch, len(m.queued) > 0)
	got, err := m.g.Retire(m.g.ctx, m.rules.Ref, true)
	require.NoError(t, err)
	require.Equal(t, want, got)
	if !want {
		return
	}
	*epoch++
	m.rules.Epoch = *epoch
	require.True(t, m.book.mayBuild(*epoch))
	m.book = built(m.rules, ended)
	require.NoError(t, m.g.Build(m.g.ctx, m.rules, ended))
}

func (m *model) check(t *rapid.T) {
	got, err := m.g.Counts(m.g.ctx, m.rules.Sale)
	require.NoError(t, err)
	got.Time, got.AcceptedPerSecond, got.ConfirmedPerSecond = time.Time{}, 0, 0
	require.Equal(t, m.book.counts(), got)
	sum := got.Remaining + got.Queued + got.Processing + got.Dead + got.Confirmed
	require.Equal(t, got.Allotted, sum, "%+v", got)
	for _, id := range []string{"A", "B", "C", "D", "E"} {
		ticket, err := m.g.Ticket(m.g.ctx, m.rules.Ref, id)
		require.NoError(t, err)
		require.Equal(t, m.book.tickets[id], ticket, id)
	}
	stats, err := m.g.queue.Stats(m.g.ctx)
	require.NoError(t, err)
	require.EqualValues(t, len(m.queued), stats.Pending, fmt.Sprint(m.queued))
}

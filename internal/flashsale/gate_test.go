package flashsale_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"interlock/internal/clock"
	"interlock/internal/flashsale"
	"interlock/internal/mq"
	"interlock/internal/redisconn/redistest"
	"interlock/internal/storage/storagetest"
	"interlock/test/racing"
)

// gateUnderTest is one implementation of the gate with its queue.
type gateUnderTest struct {
	flashsale.Gate
	ctx   context.Context
	queue mq.Queue
	clock *clock.Fake
	rules flashsale.Rules
}

// eachGate runs a test against the gate in SQLite, MariaDB, Redis and a Redis Cluster,
// each with a sale of ten units that is open.
func eachGate(t *testing.T, test func(t *testing.T, g *gateUnderTest)) {
	run := func(name string, open func(t *testing.T, now *clock.Fake) (context.Context, flashsale.Gate, mq.Broker)) {
		t.Run(name, func(t *testing.T) {
			now := clock.NewFake(opening)
			ctx, gate, broker := open(t, now)
			g := &gateUnderTest{Gate: gate, ctx: ctx, clock: now, rules: flashsale.Rules{
				Sale: 1 + rand.Int64N(1<<40), Epoch: 1, Version: 1, StockVersion: 1, Open: true,
				Starts: opening, Ends: opening.Add(time.Hour), PerUserLimit: 3, Allotted: 10,
			}}
			g.queue = broker.Queue(flashsale.QueueName(g.rules.Sale))
			require.NoError(t, gate.Build(ctx, g.rules, nil))
			test(t, g)
		})
	}
	run("sqlite", func(t *testing.T, now *clock.Fake) (context.Context, flashsale.Gate, mq.Broker) {
		db := storagetest.SQLite(t)
		broker := mq.NewSQL(db, now, mq.Options{})
		return storagetest.Tenant(t), flashsale.NewSQLGate(db, broker, now), broker
	})
	run("mariadb", func(t *testing.T, now *clock.Fake) (context.Context, flashsale.Gate, mq.Broker) {
		db := storagetest.MariaDB(t)
		broker := mq.NewSQL(db, now, mq.Options{})
		return storagetest.Tenant(t), flashsale.NewSQLGate(db, broker, now), broker
	})
	onServer := func(url func(t *testing.T) string) func(t *testing.T, now *clock.Fake) (context.Context, flashsale.Gate, mq.Broker) {
		return func(t *testing.T, now *clock.Fake) (context.Context, flashsale.Gate, mq.Broker) {
			client := redistest.Connect(t, url(t))
			broker := mq.NewRedis(client, "gate:", mq.Options{Clock: now})
			return storagetest.Tenant(t), flashsale.NewRedisGate(client, broker, now), broker
		}
	}
	run("redis", onServer(func(t *testing.T) string { return redistest.SharedURL(t) }))
	run("cluster", onServer(func(t *testing.T) string { return redistest.NewCluster(t).URL() }))
}

func (g *gateUnderTest) admit(t require.TestingT, ticket string, user, units int64) flashsale.Admission {
	a, err := g.Admit(g.ctx, flashsale.Purchase{
		Sale: g.rules.Sale, Epoch: g.rules.Epoch, Ticket: ticket, User: user, Units: units, Time: g.clock.Now(),
	})
	require.NoError(t, err)
	return a
}

func (g *gateUnderTest) move(t require.TestingT, ticket string, to flashsale.State, from ...flashsale.State) *flashsale.Ticket {
	moved, err := g.Move(g.ctx, g.rules.Sale, g.rules.Epoch, []flashsale.Step{{Ticket: ticket, From: from, To: to}})
	require.NoError(t, err)
	return moved[0]
}

func (g *gateUnderTest) counts(t require.TestingT) flashsale.Counts {
	c, err := g.Counts(g.ctx, g.rules.Sale)
	require.NoError(t, err)
	require.True(t, c.Balanced(), "%+v", c)
	return counters(c)
}

func TestAnAcceptedTicketIsInTheQueueOnce(t *testing.T) {
	eachGate(t, func(t *testing.T, g *gateUnderTest) {
		require.Equal(t, flashsale.Accepted, g.admit(t, "A", 7, 2).Verdict)
		again := g.admit(t, "A", 7, 2)
		require.Equal(t, flashsale.Known, again.Verdict)
		require.Equal(t, flashsale.Ticket{ID: "A", State: flashsale.Queued, User: 7, Units: 2, AcceptedTime: opening}, again.Ticket)
		require.EqualValues(t, 1, g.admit(t, "B", 8, 1).Ticket.Ahead)
		g.move(t, "B", flashsale.Rejected, flashsale.Queued)
		g.move(t, "A", flashsale.Processing, flashsale.Queued)
		require.EqualValues(t, 1, g.admit(t, "B", 8, 1).Ticket.Ahead, "what waited before it is kept")
		batch, err := g.queue.Claim(g.ctx, 10, time.Minute)
		require.NoError(t, err)
		require.Len(t, batch.Messages, 2)
		require.Equal(t, "A", batch.Messages[0].ID)
		require.Equal(t, flashsale.Counts{Epoch: 1, Allotted: 10, Remaining: 8, Processing: 2, Rejected: 1}, g.counts(t))
	})
}

func TestAStepIsTakenFromItsStatesOnly(t *testing.T) {
	eachGate(t, func(t *testing.T, g *gateUnderTest) {
		g.admit(t, "A", 7, 3)
		require.Equal(t, flashsale.LimitReached, g.admit(t, "B", 7, 1).Verdict)
		require.Equal(t, flashsale.Queued, g.move(t, "A", flashsale.Confirmed, flashsale.Processing).State)
		require.Equal(t, flashsale.Processing, g.move(t, "A", flashsale.Processing, flashsale.Queued).State)
		require.Equal(t, flashsale.Confirmed, g.move(t, "A", flashsale.Confirmed, flashsale.Processing).State)
		for range 3 {
			require.Equal(t, flashsale.Cancelled, g.move(t, "A", flashsale.Cancelled, flashsale.Confirmed).State)
		}
		require.Nil(t, g.move(t, "NOBODYS", flashsale.Processing, flashsale.Queued))
		require.Equal(t, flashsale.Counts{Epoch: 1, Allotted: 10, Remaining: 10, Returned: 3}, g.counts(t), "given back once")
		require.Equal(t, flashsale.Accepted, g.admit(t, "B", 7, 3).Verdict, "and so is the customer's allowance")
	})
}

func TestOlderRulesChangeNothingAndNewerOnesMoveWhatRemains(t *testing.T) {
	eachGate(t, func(t *testing.T, g *gateUnderTest) {
		g.admit(t, "A", 7, 2)
		newer := g.rules
		newer.Version, newer.StockVersion, newer.Open, newer.Allotted = 3, 4, false, 15
		require.NoError(t, g.Apply(g.ctx, newer))
		require.EqualValues(t, 13, g.counts(t).Remaining)
		require.Equal(t, flashsale.NotOpen, g.admit(t, "B", 8, 1).Verdict)
		require.NoError(t, g.Apply(g.ctx, g.rules))
		require.EqualValues(t, 13, g.counts(t).Remaining)
		require.Equal(t, flashsale.NotOpen, g.admit(t, "B", 8, 1).Verdict)

		require.ErrorIs(t, g.Shrink(g.ctx, g.rules.Sale, 1, 14), flashsale.ErrTooFew)
		require.NoError(t, g.Shrink(g.ctx, g.rules.Sale, 1, 13))
		require.Zero(t, g.counts(t).Remaining)
		require.NoError(t, g.Apply(g.ctx, newer), "what SQL did not give away comes back")
		require.EqualValues(t, 13, g.counts(t).Remaining)
	})
}

func TestAGateOfAnotherEpochAdmitsNobody(t *testing.T) {
	eachGate(t, func(t *testing.T, g *gateUnderTest) {
		g.admit(t, "A", 7, 1)
		next := g.rules
		next.Epoch = 2
		require.NoError(t, g.Build(g.ctx, next, []flashsale.Ticket{
			{ID: "S", State: flashsale.Confirmed, User: 8, Units: 3, AcceptedTime: opening, OrderID: 5, OrderNo: "N-5"},
			{ID: "X", State: flashsale.Cancelled, User: 9, Units: 2, AcceptedTime: opening, OrderID: 6, OrderNo: "N-6"},
		}))
		for _, err := range []error{
			func() error {
				_, err := g.Admit(g.ctx, flashsale.Purchase{Sale: g.rules.Sale, Epoch: 1, Ticket: "B", User: 7, Units: 1})
				return err
			}(),
			func() error { _, err := g.Move(g.ctx, g.rules.Sale, 1, []flashsale.Step{{Ticket: "A"}}); return err }(),
			func() error { _, err := g.Ticket(g.ctx, g.rules.Sale, 1, "A"); return err }(),
			g.Apply(g.ctx, g.rules), g.Shrink(g.ctx, g.rules.Sale, 1, 1),
		} {
			require.ErrorIs(t, err, flashsale.ErrNoGate)
		}
		require.NoError(t, g.Build(g.ctx, g.rules, nil), "an earlier epoch changes nothing")
		g.rules = next
		require.Equal(t, flashsale.Counts{Epoch: 2, Allotted: 10, Remaining: 7, Confirmed: 3, Returned: 2}, g.counts(t))
		require.Equal(t, flashsale.LimitReached, g.admit(t, "C", 8, 1).Verdict)
		known, err := g.Ticket(g.ctx, g.rules.Sale, 2, "S")
		require.NoError(t, err)
		require.Equal(t, "N-5", known.OrderNo)
		unknown, err := g.Ticket(g.ctx, g.rules.Sale, 2, "A")
		require.NoError(t, err)
		require.Nil(t, unknown)
		_, err = g.Counts(g.ctx, 1<<50)
		require.ErrorIs(t, err, flashsale.ErrNoGate)
	})
}

func TestAForgottenTicketIsAdoptedOnceAndOnlyIfItsUnitsRemain(t *testing.T) {
	eachGate(t, func(t *testing.T, g *gateUnderTest) {
		g.admit(t, "A", 7, 3)
		forgotten := []flashsale.Ticket{
			{ID: "A", State: flashsale.Confirmed, User: 7, Units: 3, AcceptedTime: opening, OrderID: 1, OrderNo: "N-1"},
			{ID: "B", State: flashsale.Confirmed, User: 8, Units: 2, AcceptedTime: opening, OrderID: 2, OrderNo: "N-2"},
			{ID: "C", State: flashsale.Cancelled, User: 9, Units: 3, AcceptedTime: opening, OrderID: 3, OrderNo: "N-3"},
			{ID: "D", State: flashsale.Confirmed, User: 9, Units: 6, AcceptedTime: opening, OrderID: 4, OrderNo: "N-4"},
		}
		for _, expected := range []int{2, 0} {
			adopted, err := g.Adopt(g.ctx, g.rules.Sale, g.rules.Epoch, forgotten)
			require.NoError(t, err)
			require.Equal(t, expected, adopted)
			require.Equal(t, flashsale.Counts{Epoch: 1, Allotted: 10, Remaining: 5, Queued: 3, Confirmed: 2, Returned: 3, Waiting: 1}, g.counts(t))
		}
		refused := g.admit(t, "E", 8, 2)
		require.Equal(t, flashsale.LimitReached, refused.Verdict)
		require.EqualValues(t, 2, refused.Held)
		require.Equal(t, "B", refused.Earlier)
		_, err := g.Adopt(g.ctx, g.rules.Sale, g.rules.Epoch+1, forgotten)
		require.ErrorIs(t, err, flashsale.ErrNoGate)
	})
}

func TestTwentyRacersTakeExactlyWhatThereIs(t *testing.T) {
	eachGate(t, func(t *testing.T, g *gateUnderTest) {
		var taken atomic.Int64
		racing.Together(20, func(i int) {
			for n := range 3 {
				if g.admit(t, fmt.Sprintf("%d-%d", i, n), int64(1+i), 1).Verdict == flashsale.Accepted {
					taken.Add(1)
				}
			}
		})
		require.EqualValues(t, 10, taken.Load())
		require.Zero(t, g.counts(t).Remaining)
	})
}

// TestNoOrderOfStepsBringsAGateOutOfBalance moves tickets at random and looks at the
// numbers after each step.
func TestNoOrderOfStepsBringsAGateOutOfBalance(t *testing.T) {
	states := []flashsale.State{flashsale.Queued, flashsale.Processing, flashsale.Buried, flashsale.Confirmed, flashsale.Rejected, flashsale.Cancelled}
	eachGate(t, func(t *testing.T, g *gateUnderTest) {
		base := g.rules
		round := int64(0)
		rapid.Check(t, func(rt *rapid.T) {
			round++
			g.rules = base
			g.rules.Epoch = base.Epoch + round
			require.NoError(rt, g.Build(g.ctx, g.rules, nil))
			for range rapid.IntRange(1, 12).Draw(rt, "steps") {
				ticket := rapid.SampledFrom([]string{"A", "B", "C", "D"}).Draw(rt, "ticket")
				if rapid.Bool().Draw(rt, "admit") {
					g.admit(rt, ticket, int64(ticket[0]), rapid.Int64Range(1, 3).Draw(rt, "units"))
				} else {
					g.move(rt, ticket, rapid.SampledFrom(states).Draw(rt, "to"), rapid.SampledFrom(states).Draw(rt, "from"))
				}
				g.counts(rt)
			}
		})
	})
}

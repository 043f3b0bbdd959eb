package gate

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/mq"
	"interlock/test/racing"
	"interlock/test/tier"
)

func TestMain(m *testing.M) {
	// The suite runs on four engines; the command line, parsed later, may request more
	// checks.
	if err := flag.Set("rapid.checks", strconv.Itoa(tier.Rounds(15, 200))); err != nil {
		panic(err)
	}
	slog.SetLogLoggerLevel(slog.LevelError)
	goleak.VerifyTestMain(m)
}

var opening = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// underTest is one implementation of the gate, with its queue and an open sale of ten
// units, three per customer.
type underTest struct {
	Gate
	ctx   context.Context
	queue mq.Queue
	clock *clock.Fake
	rules Rules
	// reopened is the gate of another process.
	reopened func() Gate
}

// contract lists the tests that every gate must pass.
var contract = map[string]func(t *testing.T, g *underTest){
	"an accepted ticket is in the queue once":                                         checkQueuedOnce,
	"a step applies only to its states":                                               checkSteps,
	"older rules change nothing and newer ones change the remaining units":            checkRules,
	"units withheld stay so until a newer version of the units is applied":            checkWithheld,
	"a gate of another epoch does nothing":                                            checkOtherEpoch,
	"a rebuild that comes late changes nothing":                                       checkLateRebuild,
	"a gate with a queued ticket is not replaced":                                     checkWaitedFor,
	"a build empties the queue and its leases are lost":                               checkPurged,
	"a lost ticket is adopted once and only if its units remain":                      checkAdopted,
	"a dead letter and its ticket are retried together and discarded apart":           checkDeadLetters,
	"tickets and messages that lack each other are found and queued again":            checkStrays,
	"racing processes admit exactly the units":                                        checkRacers,
	"an admitted customer gets the ticket when the sale is sold out":                  checkSoldOutToBuyer,
	"buyers can be listed up to the limit":                                            checkBuyers,
	"consumers of several processes together confirm at most the rate":                checkRate,
	"attempts of all processes add up, with the rate of the last full seconds":        checkAttempts,
	"a clock that is set forward and back shuts the sale and opens it, and counts on": checkClockSteps,
	"the next process knows the arrivals":                                             checkAttemptsOutlive,
	"any sequence of steps equals that of the book":                                   modelled,
}

// store opens a gate and its queues, on one store for all tests.
type store func(t *testing.T, now *clock.Fake) (Gate, mq.Broker)

// Proves G5.2, G5.3, G5.4, G5.27, G5.33.
func TestEveryGateFulfilsTheContract(t *testing.T) {
	stores := map[string]func(t *testing.T) store{
		"sqlite":  func(t *testing.T) store { return tables(storagetest.SQLite(t)) },
		"mariadb": func(t *testing.T) store { return tables(storagetest.MariaDB(t)) },
		"mariadb without locks": func(t *testing.T) store {
			db, _ := storagetest.WithoutLocks(t)
			return tables(db)
		},
		"redis":   func(t *testing.T) store { return server(redistest.SharedURL(t)) },
		"cluster": func(t *testing.T) store { return server(redistest.NewCluster(t).URL()) },
	}
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			opened := open(t)
			for sentence, test := range contract {
				t.Run(sentence, func(t *testing.T) { test(t, newUnderTest(t, opened)) })
			}
		})
	}
}

func tables(db *storage.DB) store {
	return func(_ *testing.T, now *clock.Fake) (Gate, mq.Broker) {
		broker := mq.NewSQL(db, now, mq.Options{})
		return NewSQL(db, broker, now), broker
	}
}

func server(url string) store {
	return func(t *testing.T, now *clock.Fake) (Gate, mq.Broker) {
		client := redistest.Connect(t, url)
		broker := mq.NewRedis(client, "gate:", mq.Options{Clock: now})
		return NewRedis(client, broker, now), broker
	}
}

func newUnderTest(t *testing.T, open store) *underTest {
	now := clock.NewFake(opening)
	gate, broker := open(t, now)
	g := &underTest{Gate: gate, ctx: storagetest.Tenant(t), clock: now, rules: Rules{
		Ref: Ref{Sale: 1 + rand.Int64N(1<<40), Epoch: 1}, Version: 1, StockVersion: 1, Open: true,
		Starts: opening, Ends: opening.Add(time.Hour), PerUserLimit: 3, Allotted: 10,
	}}
	g.queue = broker.Queue(QueueName(g.rules.Sale))
	g.reopened = func() Gate {
		again, _ := open(t, now)
		return again
	}
	require.NoError(t, gate.Build(g.ctx, g.rules, nil))
	return g
}

// elsewhere returns the same gate in another process.
func (g *underTest) elsewhere() *underTest {
	other := *g
	other.Gate = g.reopened()
	return &other
}

func (g *underTest) purchase(ticket, user string, units int64) Purchase {
	return Purchase{Ref: g.rules.Ref, Ticket: ticket, User: user, Units: units, Time: g.clock.Now()}
}

func (g *underTest) admit(t require.TestingT, ticket, user string, units int64) Admission {
	a, err := g.Admit(g.ctx, g.purchase(ticket, user, units))
	require.NoError(t, err)
	return a
}

func (g *underTest) move(t require.TestingT, ticket string, to State, from ...State) *Ticket {
	moved, err := g.Move(g.ctx, g.rules.Ref, []Step{{Ticket: ticket, From: from, To: to}})
	require.NoError(t, err)
	return moved[0].Ticket
}

// counts returns the numbers of the gate, which must be balanced, without those that depend
// on the second.
func (g *underTest) counts(t require.TestingT) Counts {
	c, err := g.Counts(g.ctx, g.rules.Sale)
	require.NoError(t, err)
	require.True(t, c.Balanced(), "%+v", c)
	c.Time, c.AcceptedPerSecond, c.ConfirmedPerSecond = time.Time{}, 0, 0
	c.Version = 0
	return c
}

// claim claims the pending messages, and returns their IDs.
func (g *underTest) claim(t require.TestingT) []string {
	var ids []string
	for {
		b, err := g.queue.Claim(g.ctx, 100, time.Hour)
		require.NoError(t, err)
		if b == nil {
			return ids
		}
		for _, m := range b.Messages {
			ids = append(ids, m.ID)
		}
	}
}

// bury claims the only pending message and makes it dead.
func (g *underTest) bury(t *testing.T) {
	b, err := g.queue.Claim(g.ctx, 1, time.Hour)
	require.NoError(t, err)
	require.NoError(t, g.queue.Settle(g.ctx, b, []mq.Outcome{mq.Dead(fmt.Errorf("broken"))}))
}

func confirmed(id, user string, units int64) Ticket {
	return Ticket{ID: id, State: Confirmed, User: user, Units: units, AcceptedTime: opening, OrderID: 5, OrderNo: "N-" + id}
}

func cancelled(id, user string, units int64) Ticket {
	return Ticket{ID: id, State: Cancelled, User: user, Units: units, AcceptedTime: opening, OrderID: 6, OrderNo: "N-" + id}
}

func checkQueuedOnce(t *testing.T, g *underTest) {
	require.Equal(t, Accepted, g.admit(t, "A", "li@shop.example", 2).Verdict)
	again := g.admit(t, "A", "li@shop.example", 2)
	require.Equal(t, Known, again.Verdict)
	require.Equal(t, Ticket{ID: "A", State: Queued, User: "li@shop.example", Units: 2, AcceptedTime: opening}, again.Ticket)
	require.EqualValues(t, 1, g.admit(t, "B", "8", 1).Ticket.Ahead)
	g.move(t, "B", Rejected, Queued)
	g.move(t, "A", Processing, Queued)
	require.EqualValues(t, 1, g.admit(t, "B", "8", 1).Ticket.Ahead, "earlier waiting tickets remain")
	batch, err := g.queue.Claim(g.ctx, 10, time.Minute)
	require.NoError(t, err)
	require.Len(t, batch.Messages, 2)
	requested, err := TicketOf(batch.Messages[0])
	require.NoError(t, err)
	require.Equal(t, Ticket{ID: "A", State: Queued, User: "li@shop.example", Units: 2, AcceptedTime: opening}, requested)
	require.Equal(t, Counts{Epoch: 1, Allotted: 10, Remaining: 8, Processing: 2, Rejected: 1, Working: 1}, g.counts(t))
}

func checkSteps(t *testing.T, g *underTest) {
	g.admit(t, "A", "7", 3)
	require.Equal(t, LimitReached, g.admit(t, "B", "7", 1).Verdict)
	require.Equal(t, Queued, g.move(t, "A", Confirmed, Processing).State)
	require.Equal(t, Processing, g.move(t, "A", Processing, Queued).State)
	require.Equal(t, Confirmed, g.move(t, "A", Confirmed, Processing).State)
	for range 3 {
		require.Equal(t, Cancelled, g.move(t, "A", Cancelled, Confirmed).State)
	}
	require.Nil(t, g.move(t, "NOBODYS", Processing, Queued))
	require.Equal(t, Counts{Epoch: 1, Allotted: 10, Remaining: 10, Returned: 3}, g.counts(t), "released once")
	require.Equal(t, Accepted, g.admit(t, "B", "7", 3).Verdict, "and so is the customer's allowance")
}

func checkRules(t *testing.T, g *underTest) {
	g.admit(t, "A", "7", 2)
	newer := g.rules
	newer.Version, newer.StockVersion, newer.Open, newer.Allotted = 3, 4, false, 15
	require.NoError(t, g.Apply(g.ctx, newer))
	require.EqualValues(t, 13, g.counts(t).Remaining)
	require.Equal(t, NotOpen, g.admit(t, "B", "8", 1).Verdict)
	require.NoError(t, g.Apply(g.ctx, g.rules))
	require.EqualValues(t, 13, g.counts(t).Remaining)
	require.Equal(t, NotOpen, g.admit(t, "B", "8", 1).Verdict)
}

func checkWithheld(t *testing.T, g *underTest) {
	g.admit(t, "A", "7", 2)
	ref := g.rules.Ref
	require.ErrorIs(t, g.Withhold(g.ctx, ref, 1, 9), ErrTooFew)
	require.ErrorIs(t, g.Withhold(g.ctx, ref, 2, 1), ErrOutdated)
	require.NoError(t, g.Withhold(g.ctx, ref, 1, 5))
	require.NoError(t, g.Withhold(g.ctx, ref, 1, 7), "replaces the earlier withholding")
	require.Equal(t, Counts{Epoch: 1, Allotted: 3, Remaining: 1, Queued: 2, Waiting: 1}, g.counts(t))

	require.NoError(t, g.Apply(g.ctx, g.rules), "another process with the same version")
	require.EqualValues(t, 1, g.counts(t).Remaining, "does not undo it")
	require.Equal(t, SoldOut, g.admit(t, "B", "8", 2).Verdict)

	newer := g.rules
	newer.StockVersion, newer.Allotted = 2, 3
	require.NoError(t, g.Apply(g.ctx, newer), "SQL gave them away")
	require.Equal(t, Counts{Epoch: 1, Allotted: 3, Remaining: 1, Queued: 2, Waiting: 1}, g.counts(t))
	require.NoError(t, g.Withhold(g.ctx, ref, 2, 1))
	require.NoError(t, g.Withhold(g.ctx, ref, 2, 0), "SQL did not")
	require.EqualValues(t, 1, g.counts(t).Remaining)

	newer.StockVersion, newer.Allotted = 3, 1
	require.NoError(t, g.Apply(g.ctx, newer), "fewer than waiting, which an older store does not know")
	require.ErrorIs(t, g.Withhold(g.ctx, ref, 3, 1), ErrTooFew)
	require.NoError(t, g.Withhold(g.ctx, ref, 3, 0), "to give back is always possible")
	c, err := g.Counts(g.ctx, g.rules.Sale)
	require.NoError(t, err)
	require.EqualValues(t, -1, c.Remaining)
}

func checkOtherEpoch(t *testing.T, g *underTest) {
	g.admit(t, "A", "7", 1)
	first, next := g.rules, g.rules
	next.Epoch = 2
	require.NoError(t, g.Build(g.ctx, next, []Ticket{confirmed("S", "8", 3), cancelled("X", "9", 2), {ID: "R", State: Rejected, User: "6", Units: 1, AcceptedTime: opening, Reason: "lost"}}))
	g.rules = next
	g.admit(t, "D", "10", 1)
	g.bury(t)
	g.move(t, "D", Buried, Queued)
	for name, command := range map[string]func() error{
		"admit": func() error {
			_, err := g.Admit(g.ctx, Purchase{Ref: first.Ref, Ticket: "B", User: "7", Units: 1})
			return err
		},
		"move": func() error {
			_, err := g.Move(g.ctx, first.Ref, []Step{{Ticket: "D", From: InFlight, To: Rejected}})
			return err
		},
		"look up":  func() error { _, err := g.Ticket(g.ctx, first.Ref, "S"); return err },
		"apply":    func() error { return g.Apply(g.ctx, first) },
		"withhold": func() error { return g.Withhold(g.ctx, first.Ref, 1, 1) },
		"adopt":    func() error { _, err := g.Adopt(g.ctx, first.Ref, []Ticket{confirmed("F", "7", 1)}); return err },
		"buyers":   func() error { _, err := g.Buyers(g.ctx, first.Ref, 10); return err },
		"strays":   func() error { _, err := g.FindInconsistencies(g.ctx, first.Ref); return err },
		"requeue": func() error {
			_, err := g.Requeue(g.ctx, first.Ref, []Ticket{{ID: "D", User: "10", Units: 1}})
			return err
		},
		"retry dead":   func() error { return g.RetryDead(g.ctx, first.Ref, "D") },
		"discard dead": func() error { return g.DiscardDead(g.ctx, first.Ref, "D") },
	} {
		require.ErrorIs(t, command(), ErrNoGate, name)
	}
	require.NoError(t, g.Build(g.ctx, first, nil), "an earlier epoch is not built")
	retired, err := g.Retire(g.ctx, first.Ref, false)
	require.NoError(t, err)
	require.False(t, retired, "nor retired again")
	require.Equal(t, Counts{Epoch: 2, Allotted: 10, Remaining: 6, Dead: 1, Confirmed: 3, Returned: 2, Rejected: 1, Buried: 1}, g.counts(t))
	require.Equal(t, LimitReached, g.admit(t, "C", "8", 1).Verdict)
	known, err := g.Ticket(g.ctx, next.Ref, "S")
	require.NoError(t, err)
	require.Equal(t, "N-S", known.OrderNo)
	ended, err := g.Ticket(g.ctx, next.Ref, "R")
	require.NoError(t, err)
	require.Equal(t, "lost", ended.Reason)
	unknown, err := g.Ticket(g.ctx, next.Ref, "A")
	require.NoError(t, err)
	require.Nil(t, unknown)
	_, err = g.Counts(g.ctx, 1<<50)
	require.ErrorIs(t, err, ErrNoGate)
}

// A rebuild consists of three steps: retire the old epoch, start the next one in SQL,
// build. If a process is paused anywhere in between, it must not harm a newer gate.
func checkLateRebuild(t *testing.T, g *underTest) {
	first, second, third := g.rules, g.rules, g.rules
	second.Epoch, third.Epoch = 2, 3
	retired, err := g.Retire(g.ctx, first.Ref, false)
	require.NoError(t, err)
	require.False(t, retired, "a sound gate is left alone")
	retired, err = g.Retire(g.ctx, first.Ref, true)
	require.NoError(t, err)
	require.True(t, retired, "unless it is to be replaced")
	_, err = g.Admit(g.ctx, g.purchase("A", "7", 1))
	require.ErrorIs(t, err, ErrNoGate)
	_, err = g.Counts(g.ctx, g.rules.Sale)
	require.ErrorIs(t, err, ErrNoGate)
	require.NoError(t, g.Build(g.ctx, first, nil), "the builder of a concurrently retired epoch")
	_, err = g.Counts(g.ctx, g.rules.Sale)
	require.ErrorIs(t, err, ErrNoGate)
	retired, err = g.Retire(g.ctx, first.Ref, true)
	require.NoError(t, err)
	require.True(t, retired, "a second process has the same result")

	// The first builder of the second epoch is paused. Another process retires that epoch,
	// too.
	retired, err = g.Retire(g.ctx, second.Ref, false)
	require.NoError(t, err)
	require.True(t, retired)
	retired, err = g.Retire(g.ctx, first.Ref, true)
	require.NoError(t, err)
	require.False(t, retired, "a process one epoch late does not restore the second epoch")
	require.NoError(t, g.Build(g.ctx, second, nil))
	_, err = g.Counts(g.ctx, g.rules.Sale)
	require.ErrorIs(t, err, ErrNoGate, "its admissions would be purged")
	require.NoError(t, g.Build(g.ctx, third, nil))
	g.rules = third
	require.Equal(t, Accepted, g.admit(t, "B", "7", 1).Verdict)
	require.NoError(t, g.Build(g.ctx, second, nil))
	require.NoError(t, g.Build(g.ctx, third, []Ticket{confirmed("S", "8", 3)}), "built once")
	require.Equal(t, []string{"B"}, g.claim(t), "and the queue is not emptied")
	require.Equal(t, Counts{Epoch: 3, Allotted: 10, Remaining: 9, Queued: 1, Waiting: 1}, g.counts(t))
}

func checkWaitedFor(t *testing.T, g *underTest) {
	g.admit(t, "A", "7", 1)
	for range 2 {
		retired, err := g.Retire(g.ctx, g.rules.Ref, true)
		require.NoError(t, err)
		require.False(t, retired)
		require.Equal(t, Accepted, g.admit(t, fmt.Sprint("B", rand.Int()), "8", 1).Verdict, "and it stays open")
	}
}

func checkPurged(t *testing.T, g *underTest) {
	for i := range 4 {
		g.admit(t, fmt.Sprint("T", i), fmt.Sprint(i), 1)
	}
	held, err := g.queue.Claim(g.ctx, 2, time.Hour)
	require.NoError(t, err)
	g.bury(t)
	next := g.rules
	next.Epoch = 2
	require.NoError(t, g.Build(g.ctx, next, nil))
	require.ErrorIs(t, g.queue.Settle(g.ctx, held, []mq.Outcome{mq.Done(), mq.Done()}), mq.ErrLeaseLost)
	stats, err := g.queue.Stats(g.ctx)
	require.NoError(t, err)
	require.Zero(t, stats.Total())
}

func checkAdopted(t *testing.T, g *underTest) {
	g.admit(t, "A", "7", 3)
	forgotten := []Ticket{
		confirmed("A", "7", 3), confirmed("B", "8", 2), cancelled("C", "9", 3), confirmed("D", "9", 6),
		{ID: "E", State: Rejected, User: "5", Units: 2, AcceptedTime: opening, Reason: "limit"},
	}
	for _, expected := range []int{3, 0} {
		adopted, err := g.Adopt(g.ctx, g.rules.Ref, forgotten)
		require.NoError(t, err)
		require.Equal(t, expected, adopted)
		require.Equal(t, Counts{Epoch: 1, Allotted: 10, Remaining: 5, Queued: 3, Confirmed: 2, Returned: 3, Rejected: 2, Waiting: 1}, g.counts(t))
	}
	refused := g.admit(t, "F", "8", 2)
	require.Equal(t, LimitReached, refused.Verdict)
	require.EqualValues(t, 2, refused.Held)
	require.Equal(t, "B", refused.Earlier)
	require.Equal(t, Known, g.admit(t, "E", "5", 2).Verdict, "it ended and is not admitted again")
}

func checkDeadLetters(t *testing.T, g *underTest) {
	g.admit(t, "A", "7", 1)
	g.bury(t)
	g.move(t, "A", Buried, Queued)
	require.NoError(t, g.RetryDead(g.ctx, g.rules.Ref, "A"))
	require.Equal(t, Counts{Epoch: 1, Allotted: 10, Remaining: 9, Queued: 1, Waiting: 1}, g.counts(t))
	require.ErrorIs(t, g.RetryDead(g.ctx, g.rules.Ref, "A"), mq.ErrNoSuchMessage)
	require.ErrorIs(t, g.DiscardDead(g.ctx, g.rules.Ref, "A"), mq.ErrNoSuchMessage)
	g.bury(t)
	g.move(t, "A", Buried, Queued)
	require.NoError(t, g.DiscardDead(g.ctx, g.rules.Ref, "A"))
	require.Equal(t, Counts{Epoch: 1, Allotted: 10, Remaining: 9, Dead: 1, Buried: 1}, g.counts(t), "its ticket ends by a separate step")
}

func checkStrays(t *testing.T, g *underTest) {
	for i, user := range []string{"a", "b", "c", "d", "e"} {
		g.admit(t, fmt.Sprint("T", i), user, 1)
	}
	b, err := g.queue.Claim(g.ctx, 3, time.Hour)
	require.NoError(t, err)
	// Two of them are settled although their tickets are not, as after a loss of the queue;
	// one letter's ticket is unknown, as after a loss of the gate.
	require.NoError(t, g.queue.Settle(g.ctx, b, []mq.Outcome{mq.Done(), mq.Done(), mq.Postpone(fmt.Errorf("later"), time.Hour)}))
	g.move(t, "T1", Processing, Queued)
	require.NoError(t, g.queue.Enqueue(g.ctx, mq.Message{ID: "GHOST", Body: []byte(`{"user":"7","units":1}`)}))
	batch, err := g.queue.Claim(g.ctx, 3, time.Hour)
	require.NoError(t, err)
	require.NoError(t, g.queue.Settle(g.ctx, batch, []mq.Outcome{mq.Postpone(fmt.Errorf("later"), 0), mq.Postpone(fmt.Errorf("later"), 0), mq.Dead(fmt.Errorf("broken"))}))

	strays, err := g.FindInconsistencies(g.ctx, g.rules.Ref)
	require.NoError(t, err)
	var ids []string
	for _, ticket := range strays.Tickets {
		ids = append(ids, ticket.ID)
	}
	require.ElementsMatch(t, []string{"T0", "T1"}, ids)
	require.Equal(t, []string{"GHOST"}, strays.DeadMessages)

	queued, err := g.Requeue(g.ctx, g.rules.Ref, strays.Tickets)
	require.NoError(t, err)
	require.Equal(t, 2, queued)
	require.NoError(t, g.DiscardDead(g.ctx, g.rules.Ref, "GHOST"))
	strays, err = g.FindInconsistencies(g.ctx, g.rules.Ref)
	require.NoError(t, err)
	require.Empty(t, strays.Tickets)
	require.Empty(t, strays.DeadMessages)
	require.Equal(t, Counts{Epoch: 1, Allotted: 10, Remaining: 5, Queued: 5, Waiting: 5}, g.counts(t))
	require.ElementsMatch(t, []string{"T0", "T1", "T3", "T4"}, g.claim(t))
	g.move(t, "T0", Confirmed, Queued)
	queued, err = g.Requeue(g.ctx, g.rules.Ref, []Ticket{{ID: "T0", User: "a", Units: 1}, {ID: "NOBODYS", User: "x", Units: 1}})
	require.NoError(t, err)
	require.Zero(t, queued, "an ended ticket stays ended")
}

func checkRacers(t *testing.T, g *underTest) {
	random := racing.Seeded(t)
	processes := []*underTest{g, g.elsewhere()}
	for range tier.Rounds(2, 200) {
		g.rules.Epoch++
		g.rules.Allotted = 5 + random.Int64N(20)
		require.NoError(t, g.Build(g.ctx, g.rules, nil))
		racers, wishes := 2+random.IntN(20), 1+random.IntN(4)
		var taken [22]atomic.Int64
		racing.Together(racers, func(i int) {
			for n := range wishes {
				at := *processes[i%len(processes)]
				at.rules = g.rules
				if at.admit(t, fmt.Sprintf("%d-%d", i, n), fmt.Sprint("user-", i), 1).Verdict == Accepted {
					taken[i].Add(1)
				}
			}
		})
		all := int64(0)
		for i := range racers {
			all += taken[i].Load()
			require.LessOrEqual(t, taken[i].Load(), g.rules.PerUserLimit)
		}
		require.Equal(t, min(g.rules.Allotted, int64(racers)*min(int64(wishes), g.rules.PerUserLimit)), all)
		require.Equal(t, g.rules.Allotted-all, g.counts(t).Remaining)
		require.Len(t, g.claim(t), int(all), "each has one message")
	}
}

func checkClockSteps(t *testing.T, g *underTest) {
	admitted := int64(0)
	for i, step := range []time.Duration{0, 2 * time.Minute, -90 * time.Second, -time.Hour, 3 * time.Hour, -2 * time.Hour} {
		g.clock.Advance(step)
		a := g.admit(t, fmt.Sprint("T", i), fmt.Sprint("user-", i), 1)
		switch now := g.clock.Now(); {
		case now.Before(g.rules.Starts):
			require.Equal(t, NotStarted, a.Verdict)
		case !now.Before(g.rules.Ends):
			require.Equal(t, Ended, a.Verdict)
		default:
			admitted++
			require.Equal(t, Accepted, a.Verdict)
			require.Equal(t, now, a.Ticket.AcceptedTime)
		}
		require.Equal(t, admitted, g.counts(t).Queued)
	}
	require.EqualValues(t, 4, admitted)
}

func checkSoldOutToBuyer(t *testing.T, g *underTest) {
	held := func(user string) Holding {
		h, err := g.Held(g.ctx, g.rules.Ref, user)
		require.NoError(t, err)
		return h
	}
	require.Equal(t, Holding{}, held("u1"))
	for ticket, units := range map[string]int64{"1": 1, "2": 3, "3": 3, "4": 2} {
		require.Equal(t, Accepted, g.admit(t, ticket, "u"+ticket, units).Verdict)
	}
	require.Equal(t, Admission{Verdict: SoldOut, Remaining: 1, LetIn: 9}, g.admit(t, "A", "u1", 2), "some remain, and the customer may have them")
	require.Equal(t, Accepted, g.admit(t, "5", "u5", 1).Verdict)
	require.Equal(t, Admission{Verdict: LimitReached, Held: 1, Earlier: "1"}, g.admit(t, "A", "u1", 2))
	require.Equal(t, Admission{Verdict: SoldOut, LetIn: 10}, g.admit(t, "A", "u6", 1), "a stranger")
	require.Equal(t, Holding{Units: 1, Ticket: "1"}, held("u1"))
	require.Equal(t, Holding{}, held("u6"))
	g.move(t, "1", Rejected, Queued)
	require.Equal(t, Holding{Ticket: "1"}, held("u1"), "a rejected ticket has no units")
	_, err := g.Held(g.ctx, Ref{Sale: g.rules.Sale, Epoch: 2}, "u1")
	require.ErrorIs(t, err, ErrNoGate)
	require.Equal(t, Accepted, g.admit(t, "6", "u6", 1).Verdict)
	require.Equal(t, Admission{Verdict: SoldOut, LetIn: 11}, g.admit(t, "A", "u7", 1), "a returned unit was admitted again")
}

func checkBuyers(t *testing.T, g *underTest) {
	buyers, err := g.Buyers(g.ctx, g.rules.Ref, 5)
	require.NoError(t, err)
	require.Empty(t, buyers)
	var users []string
	for i := range 10 {
		users = append(users, fmt.Sprintf("li-%d@shop.example", i))
		require.Equal(t, Accepted, g.admit(t, fmt.Sprint(i), users[i], 1).Verdict)
	}
	g.move(t, "1", Rejected, Queued)
	buyers, err = g.Buyers(g.ctx, g.rules.Ref, 10)
	require.NoError(t, err)
	require.ElementsMatch(t, users, buyers, "earlier buyers are included")
	_, err = g.Buyers(g.ctx, g.rules.Ref, 9)
	require.ErrorIs(t, err, ErrTooMany)
	_, err = g.Buyers(g.ctx, Ref{Sale: g.rules.Sale, Epoch: 2}, 10)
	require.ErrorIs(t, err, ErrNoGate)

	g.rules.StockVersion, g.rules.Allotted, g.rules.PerUserLimit = 2, 5000, 5000
	require.NoError(t, g.Apply(g.ctx, g.rules))
	var forgotten []Ticket
	for i := range 2500 {
		users = append(users, fmt.Sprintf("user-%d", i))
		forgotten = append(forgotten, confirmed(fmt.Sprintf("F%d", i), users[len(users)-1], 1))
	}
	_, err = g.Adopt(g.ctx, g.rules.Ref, forgotten)
	require.NoError(t, err)
	buyers, err = g.Buyers(g.ctx, g.rules.Ref, 5000)
	require.NoError(t, err)
	slices.Sort(buyers)
	slices.Sort(users)
	require.Equal(t, users, slices.Compact(buyers), "more than one part")
}

func checkRate(t *testing.T, g *underTest) {
	const rate, bucket, orders = 50, 5, 40
	g.rules.StockVersion, g.rules.Allotted = 2, orders
	require.NoError(t, g.Apply(g.ctx, g.rules))
	for i := range orders {
		require.Equal(t, Accepted, g.admit(t, fmt.Sprint(i), fmt.Sprint("u", i), 1).Verdict)
	}
	ctx, stop := context.WithCancel(g.ctx)
	var consumers sync.WaitGroup
	defer func() {
		stop()
		consumers.Wait()
	}()
	// The tables use the clock of the test, Redis that of the server.
	start, seen := time.Now(), opening
	for range 2 {
		consumer := mq.NewConsumer(g.queue, func(ctx context.Context, messages []mq.Message) []mq.Outcome {
			steps := make([]Step, len(messages))
			for i, m := range messages {
				steps[i] = Step{Ticket: m.ID, From: []State{Queued}, To: Confirmed}
			}
			if _, err := g.Move(ctx, g.rules.Ref, steps); err != nil {
				return slices.Repeat([]mq.Outcome{mq.Postpone(err, 0)}, len(messages))
			}
			return make([]mq.Outcome, len(messages))
		}, mq.ConsumerOptions{Rate: rate})
		consumers.Go(func() { consumer.Run(ctx) })
	}
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for confirmed := int64(0); confirmed < orders; <-look.C {
		now := opening.Add(time.Since(start))
		g.clock.Advance(now.Sub(seen))
		seen = now
		confirmed = g.counts(t).Confirmed
		require.LessOrEqual(t, float64(confirmed), rate*time.Since(start).Seconds()+bucket, "the rate and one full bucket")
		require.Less(t, time.Since(start), 30*time.Second)
	}
}

func checkAttemptsOutlive(t *testing.T, g *underTest) {
	reported := Attempts{Accepted: 2, Refused: Refusals[int64]{SoldOut: 40, LimitReached: 3, SaleNotOpen: 4, QueueFull: 1}}
	refusals := func(of Gate) Refusals[int64] {
		c, err := of.Counts(g.ctx, g.rules.Sale)
		require.NoError(t, err)
		return c.Refusals
	}
	require.NoError(t, g.Count(g.ctx, g.rules.Sale, reported))
	require.NoError(t, g.SaveAttempts(g.ctx))
	require.NoError(t, g.SaveAttempts(g.ctx), "a second time there is nothing to save")
	require.Equal(t, reported.Refused, refusals(g))
	next := g.reopened()
	require.NoError(t, next.Count(g.ctx, g.rules.Sale, reported))
	twice := Refusals[int64]{SoldOut: 80, LimitReached: 6, SaleNotOpen: 8, QueueFull: 2}
	require.Equal(t, twice, refusals(next))
	require.NoError(t, next.SaveAttempts(g.ctx))
	require.Equal(t, twice, refusals(next))
	require.Equal(t, twice, refusals(g.reopened()))
}

func checkAttempts(t *testing.T, g *underTest) {
	reported := Attempts{Accepted: 2, Refused: Refusals[int64]{SoldOut: 40, LimitReached: 3, SaleNotOpen: 4, QueueFull: 1}}
	racing.Together(5, func(int) { require.NoError(t, g.Count(g.ctx, g.rules.Sale, reported)) })
	look := func() Counts {
		c, err := g.Counts(g.ctx, g.rules.Sale)
		require.NoError(t, err)
		return c
	}
	total := Refusals[int64]{SoldOut: 200, LimitReached: 15, SaleNotOpen: 20, QueueFull: 5}
	require.Equal(t, total, look().Refusals)
	require.Zero(t, look().ArrivalsPerSecond, "this second is not over")

	for second := range 5 {
		g.clock.Advance(time.Second)
		require.InDelta(t, 50, look().ArrivalsPerSecond, 0, "after %d s", second+1)
		require.Equal(t, Refusals[float64]{SoldOut: 40, LimitReached: 3, SaleNotOpen: 4, QueueFull: 1}, look().RefusedPerSecond)
	}
	g.clock.Advance(time.Second)
	require.Zero(t, look().ArrivalsPerSecond)
	require.Zero(t, look().RefusedPerSecond)

	g.clock.Advance(2 * time.Second) // the counters of the first second are reused
	require.NoError(t, g.Count(g.ctx, g.rules.Sale, Attempts{Refused: Refusals[int64]{LimitReached: 5}}))
	g.clock.Advance(time.Second)
	require.Equal(t, Refusals[float64]{LimitReached: 1}, look().RefusedPerSecond)
	require.InDelta(t, 1, look().ArrivalsPerSecond, 0)

	g.rules.Epoch++
	require.NoError(t, g.Build(g.ctx, g.rules, nil))
	total.LimitReached += 5
	require.Equal(t, total, look().Refusals, "a rebuilt gate retains them")
}

// TestRedisWithPartOfGateHasNoGate drops keys like a server with full memory.
// Proves G5.16.
func TestRedisWithPartOfGateHasNoGate(t *testing.T) {
	for _, part := range []string{"gate", "tickets", "buyers"} {
		t.Run(part, func(t *testing.T) {
			now := clock.NewFake(opening)
			client := redistest.Connect(t, redistest.SharedURL(t))
			prefix := fmt.Sprintf("drop:%d:", rand.Uint64())
			g := NewRedis(client, mq.NewRedis(client, prefix, mq.Options{Clock: now}), now)
			ctx := storagetest.Tenant(t)
			rules := Rules{Ref: Ref{1, 1}, Version: 1, StockVersion: 1, Open: true, Starts: opening, Ends: opening.Add(time.Hour), PerUserLimit: 3, Allotted: 10}
			require.NoError(t, g.Build(ctx, rules, []Ticket{confirmed("S", "8", 3)}))
			_, err := g.Admit(ctx, Purchase{Ref: rules.Ref, Ticket: "A", User: "7", Units: 1, Time: opening})
			require.NoError(t, err)
			_, err = g.Counts(ctx, 1)
			require.NoError(t, err)
			require.NoError(t, client.Del(ctx, prefix+"{fs:1}:"+part).Err())
			_, err = g.Counts(ctx, 1)
			require.ErrorIs(t, err, ErrNoGate)
			retired, err := g.Retire(ctx, rules.Ref, false)
			require.NoError(t, err)
			require.True(t, retired, "and the next epoch may begin")
		})
	}
}

// TestBuildOfLargeGateDoesNotBlockRedis also stops a builder halfway.
// Proves G5.15.
func TestBuildOfLargeGateDoesNotBlockRedis(t *testing.T) {
	now := clock.NewFake(opening)
	server := redistest.NewServer(t)
	client := redistest.Connect(t, server.URL())
	g := NewRedis(client, mq.NewRedis(client, "large:", mq.Options{Clock: now}), now)
	ctx := storagetest.Tenant(t)
	units := tier.Rounds(30_000, 300_000)
	tickets := make([]Ticket, units)
	for i := range tickets {
		tickets[i] = confirmed(fmt.Sprintf("%026d", i), fmt.Sprint(i%100_000), 1)
	}
	rules := Rules{Ref: Ref{1, 1}, Version: 1, StockVersion: 1, Open: true, Starts: opening, Ends: opening.Add(time.Hour), PerUserLimit: 9, Allotted: int64(units) + 5}

	half, stop := context.WithCancel(ctx)
	steps := 0
	client.AddHook(each(func(cmd redis.Cmder) {
		if steps++; steps == 20 {
			stop()
		}
	}))
	require.Error(t, g.Build(half, rules, tickets))
	_, err := g.Counts(ctx, 1)
	require.ErrorIs(t, err, ErrNoGate, "half a gate is none")

	var longest time.Duration
	client.AddHook(timed{&longest})
	require.NoError(t, g.Build(ctx, rules, tickets))
	require.Less(t, longest, time.Second)
	c, err := g.Counts(ctx, 1)
	require.NoError(t, err)
	require.EqualValues(t, units, c.Confirmed)
	require.EqualValues(t, 5, c.Remaining)
	t.Logf("the longest command took %v", longest)
	left, err := client.Keys(ctx, "*:buyers").Result()
	require.NoError(t, err)
	for _, key := range left {
		life, err := client.TTL(ctx, key).Result()
		require.NoError(t, err)
		require.Equal(t, key != "large:{fs:1}:buyers", life > 0, "%s expires in %v", key, life)
	}
}

// TestGateIsNotBuiltFromPartialStaging drops staged keys, like a server with full
// memory, or after a builder was paused for longer than their TTL.
// Proves G5.15.
func TestGateIsNotBuiltFromPartialStaging(t *testing.T) {
	for _, part := range []string{"tickets", "buyers"} {
		t.Run(part, func(t *testing.T) {
			g := newOnRedis(t, redistest.SharedURL(t))
			dropped := 0
			g.client.AddHook(each(func(cmd redis.Cmder) {
				// The last step of a build has twelve keys, including the staged tickets.
				if args := cmd.Args(); dropped == 0 && strings.HasPrefix(cmd.Name(), "eval") && fmt.Sprint(args[2]) == "12" {
					dropped++
					staged := map[string]any{"tickets": args[13], "buyers": args[14]}[part]
					require.NoError(t, g.client.Del(g.ctx, staged.(string)).Err())
				}
			}))
			next := Rules{Ref: Ref{1, 2}, Version: 1, StockVersion: 1, Open: true, Starts: opening, Ends: opening.Add(time.Hour), PerUserLimit: 3, Allotted: 10}
			require.ErrorIs(t, g.Build(g.ctx, next, []Ticket{confirmed("S", "8", 3)}), errIncomplete)
			require.Equal(t, 1, dropped)
			c, err := g.Counts(g.ctx, 1)
			require.NoError(t, err)
			require.EqualValues(t, 1, c.Epoch, "the gate is unchanged")
			require.NoError(t, g.Build(g.ctx, next, []Ticket{confirmed("S", "8", 3)}))
			c, err = g.Counts(g.ctx, 1)
			require.NoError(t, err)
			require.EqualValues(t, 3, c.Confirmed)
		})
	}
}

// each calls a function before each command.
type each func(cmd redis.Cmder)

func (each) DialHook(next redis.DialHook) redis.DialHook { return next }
func (each) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (e each) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		e(cmd)
		return next(ctx, cmd)
	}
}

// timed records the longest duration of a command.
type timed struct{ longest *time.Duration }

func (timed) DialHook(next redis.DialHook) redis.DialHook { return next }
func (timed) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (h timed) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		start := clock.Mark()
		err := next(ctx, cmd)
		*h.longest = max(*h.longest, clock.Since(start))
		return err
	}
}

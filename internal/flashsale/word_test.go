package flashsale_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
	"interlock/internal/orders"
	"interlock/test/racing"
	"interlock/test/tier"
	"interlock/test/world"
)

// eventful is a sale with random events, and the results that its customers were shown.
type eventful struct {
	*market
	sale   string
	looks  func(ctx context.Context) error
	random *rand.Rand
	// client, replies and older belong to a gate in Redis: its client, a way to lose its
	// replies, and a copy of its store, nil before there is one.
	client  redis.UniversalClient
	replies *losing
	older   *keysOf
	bought  []bought
	byKey   map[string]string
}

// bought is a ticket that was accepted, or may have been.
type bought struct {
	ticket string
	user   int64
	// reported is the result in the customer's response, "" before.
	reported string
}

const (
	eventfulUnits = 6
	eventfulLimit = 2
	// briefly is a lease that has expired at the next check, also one in a restored store.
	// Leases in Redis use its clock.
	briefly = time.Millisecond
)

// TestTicketOutcomeNeverChangesUnderFaults kills workers at any point,
// empties the store of the gate, drops a part of it or restores an older one, loses
// replies, cancels, edits and rebuilds. No customer is shown two results, none gets more
// than the limit, no unit is sold twice, and the sale ends balanced.
// Proves G5.12.
func TestTicketOutcomeNeverChangesUnderFaults(t *testing.T) {
	t.Run("tables", func(t *testing.T) {
		storagetest.Each(t, func(t *testing.T, _ context.Context, db *storage.DB) {
			random := racing.Seeded(t)
			for range tier.Rounds(3, 200) {
				now := clock.NewFake(world.Opening)
				queues := mq.NewSQL(db, now, mq.Options{})
				s := newMarket(storagetest.Tenant(t), t, db, now, queues, gate.NewSQL(db, queues, now))
				(&eventful{market: s, random: random}).live(t)
			}
		})
	})
	t.Run("redis", func(t *testing.T) {
		random, db := racing.Seeded(t), storagetest.MariaDB(t)
		client := redistest.Connect(t, redistest.NewServer(t).URL())
		replies := &losing{}
		client.AddHook(replies)
		for range tier.Rounds(3, 200) {
			now := clock.NewFake(world.Opening)
			queues := mq.NewRedis(client, "test:", mq.Options{Clock: now})
			s := newMarket(storagetest.Tenant(t), t, db, now, queues, gate.NewRedis(client, queues, now))
			(&eventful{market: s, random: random, client: client, replies: replies}).live(t)
		}
	})
}

func (e *eventful) live(t *testing.T) {
	t.Helper()
	e.byKey = map[string]string{}
	e.sale = e.open(t, object{"quantity": eventfulUnits, "perUserLimit": eventfulLimit})
	e.looks = e.sales.Rounds()
	events := []func(t *testing.T){
		e.purchase, e.purchase, e.purchase, e.purchase, e.work, e.work, e.work, e.ask, e.ask, e.cancelOne, e.edit, e.lookAround, e.lookAround, e.repair, e.lose,
	}
	for range 20 + e.random.IntN(40) {
		events[e.random.IntN(len(events))](t)
	}
	e.end(t)
	e.addUp(t)
}

func (e *eventful) purchase(t *testing.T) {
	user, quantity := 1+e.random.Int64N(5), 1+e.random.IntN(eventfulLimit)
	key, headers := "", []string(nil)
	if e.random.IntN(2) == 0 {
		key = fmt.Sprintf("k%d-%d-%d", user, quantity, e.random.IntN(2))
		headers = []string{"X-Idempotency-Key", key}
	}
	if e.replies != nil && e.random.IntN(6) == 0 {
		e.replies.times.Store(1 + e.random.Int64N(2))
		defer e.replies.times.Store(0)
	}
	a := e.buy(t, e.sale, user, quantity, headers...)
	ticket, _ := a.Body["ticket"].(string)
	switch {
	case a.Status == 202 || a.Body["code"] == "outcome_unknown":
	case a.Status == 409 || a.Status == 503:
		return
	default:
		require.Fail(t, "a purchase had an unexpected reply", "%d %v", a.Status, a.Body)
	}
	if first := e.byKey[key]; key != "" && first != "" {
		require.Equal(t, first, ticket, "one key, one ticket")
		return
	}
	e.byKey[key] = ticket
	e.bought = append(e.bought, bought{ticket: ticket, user: user})
}

// work lets a worker handle some pending messages. It may die before it starts, or after
// its COMMIT and before it updates the gate; between its reads and its COMMIT any other
// event may happen.
func (e *eventful) work(t *testing.T) {
	queue := e.queues.Queue(gate.QueueName(idOf(e.sale)))
	batch, err := queue.Claim(e.Ctx, 1+e.random.IntN(4), briefly)
	require.NoError(t, err)
	if batch == nil {
		return
	}
	outcomes := make([]mq.Outcome, len(batch.Messages))
	for i := range outcomes {
		outcomes[i] = mq.Postpone(errors.New("its worker died"), 0)
	}
	sales := e.sales
	switch e.random.IntN(4) {
	case 0:
		sales = nil
	case 1:
		sales = e.with(&deaf{Gate: e.gate, deaf: true})
	case 2:
		sales = e.placedBy(&halting{Service: e.Orders, interrupt: func() { e.disturb(t) }})
	}
	if sales != nil {
		for i, outcome := range sales.Handler(idOf(e.sale))(e.worker(), batch.Messages) {
			if outcome.Err() == nil {
				outcomes[i] = outcome
			}
		}
	}
	if err := queue.Settle(e.Ctx, batch, outcomes); !errors.Is(err, mq.ErrLeaseLost) {
		require.NoError(t, err)
	}
}

func (e *eventful) disturb(t *testing.T) {
	events := []func(t *testing.T){e.lose, e.cancelOne, e.askElsewhere, func(*testing.T) {
		_, _ = e.elsewhere().Reconcile(e.worker(), idOf(e.sale), time.Second)
	}}
	for range 1 + e.random.IntN(2) {
		events[e.random.IntN(len(events))](t)
	}
}

func (e *eventful) ask(t *testing.T) { e.askOf(t, e.sales) }

func (e *eventful) askElsewhere(t *testing.T) { e.askOf(t, e.elsewhere()) }

// askOf reads a ticket as its customer. A settled ticket stays settled, except that its
// order may be cancelled.
func (e *eventful) askOf(t *testing.T, sales *flashsale.Service) {
	if len(e.bought) == 0 {
		return
	}
	b := &e.bought[e.random.IntN(len(e.bought))]
	reported, err := sales.Follow(e.Ctx, idOf(e.sale), fmt.Sprint(b.user), b.ticket)
	if err != nil {
		require.True(t, apperr.Has(err, apperr.Unavailable), "%v", err)
		return
	}
	b.observe(t, reported)
}

func (b *bought) observe(t *testing.T, reported *gate.Ticket) {
	t.Helper()
	if !reported.State.HasEnded() {
		require.Empty(t, b.reported, "ticket %s had ended, and is %s", b.ticket, reported.State)
		return
	}
	end := string(reported.State) + " " + reported.Reason
	if b.reported != "" && (b.reported != string(gate.Confirmed)+" " || reported.State != gate.Cancelled) {
		require.Equal(t, b.reported, end, "ticket %s has two ends", b.ticket)
	}
	b.reported = end
}

// cancelOne cancels an order like its customer.
func (e *eventful) cancelOne(t *testing.T) {
	var placed []orders.Order
	require.NoError(t, e.DB.Read(e.Ctx).Where("status = 0").Find(&placed).Error)
	if len(placed) > 0 {
		require.NoError(t, e.cancel(placed[e.random.IntN(len(placed))].ID))
	}
}

func (e *eventful) edit(t *testing.T) {
	tag := e.must(t, 200, "GET", e.sale, nil).Body["etag"].(string)
	a := e.send(t, "PATCH", e.sale, object{"quantityDelta": e.random.IntN(5) - 2}, "If-Match", tag)
	require.Contains(t, []int{200, 409, 422, 503}, a.Status, "%v", a.Body)
}

func (e *eventful) lookAround(t *testing.T) {
	e.Clock.Advance(time.Duration(e.random.IntN(5)) * time.Second)
	require.NoError(t, e.looks(e.worker()))
}

func (e *eventful) repair(t *testing.T) {
	a := e.send(t, "POST", e.sale+"/reconcile", nil)
	require.Contains(t, []int{200, 503}, a.Status, "%v", a.Body)
}

// lose loses the store of the gate, a part of it, or its last changes.
func (e *eventful) lose(t *testing.T) {
	if e.client == nil {
		e.emptyGate(t, nil)
		return
	}
	switch n := e.random.IntN(6); {
	case n == 0:
		e.emptyGate(t, e.client)
	case n <= 2:
		part := []string{"pending", "tickets", "buyers", "gate"}[e.random.IntN(4)]
		require.NoError(t, e.client.Del(t.Context(), fmt.Sprintf("test:{%s}:%s", gate.QueueName(idOf(e.sale)), part)).Err())
	case e.older == nil:
		older := copyOf(t, e.client)
		e.older = &older
	default:
		e.older.putBack(t)
		e.older = nil
	}
}

// end closes the sale, and lets an undisturbed worker supervise it until it is finished.
func (e *eventful) end(t *testing.T) {
	e.must(t, 200, "POST", e.sale+"/close", nil)
	queue := e.queues.Queue(gate.QueueName(idOf(e.sale)))
	for range 40 {
		if !e.sales.Supervises(e.Ctx, idOf(e.sale)) {
			return
		}
		e.Clock.Advance(3 * time.Second)
		require.NoError(t, e.looks(e.worker()))
		_, err := queue.Reap(e.Ctx)
		require.NoError(t, err)
		batch, err := queue.Claim(e.Ctx, 100, time.Minute)
		require.NoError(t, err)
		if batch != nil {
			require.NoError(t, queue.Settle(e.Ctx, batch, e.sales.Handler(idOf(e.sale))(e.worker(), batch.Messages)))
		}
	}
	counts, err := e.gate.Counts(e.Ctx, idOf(e.sale))
	waiting, queueErr := queue.Stats(e.Ctx)
	sold, allotted := e.soldInSQL(t, e.sale)
	found, foundErr := e.sales.Reconcile(e.worker(), idOf(e.sale), time.Second)
	require.Fail(t, "the sale is never finished", "gate %+v %v, queue %+v %v, sold %d of %d, %+v %v", counts, err, waiting, queueErr, sold, allotted, found, foundErr)
}

// addUp compares the results shown to customers with the orders and the stock.
func (e *eventful) addUp(t *testing.T) {
	made := map[string]string{}
	held, live := map[string]int64{}, int64(0)
	require.NoError(t, e.Orders.EachOfSale(e.Ctx, idOf(e.sale), func(part []orders.SaleOrder) error {
		for _, order := range part {
			state := gate.Cancelled
			if order.Live {
				state = gate.Confirmed
				held[string(order.UserID)] += order.Units
				live += order.Units
			}
			require.Empty(t, made[order.Ticket], "ticket %s has two orders", order.Ticket)
			made[order.Ticket] = string(state)
		}
		return nil
	}))
	for user, units := range held {
		require.LessOrEqual(t, units, int64(eventfulLimit), "customer %s", user)
	}
	for i := range e.bought {
		b := &e.bought[i]
		reported, err := e.sales.Follow(e.Ctx, idOf(e.sale), fmt.Sprint(b.user), b.ticket)
		require.NoError(t, err)
		b.observe(t, reported)
		require.NotEmpty(t, b.reported, "ticket %s has not ended", b.ticket)
		if reported.State == gate.Rejected {
			require.Empty(t, made[b.ticket])
		} else {
			require.Equal(t, made[b.ticket], string(reported.State))
		}
		delete(made, b.ticket)
	}
	require.Empty(t, made, "orders without tickets")
	sold, allotted := e.soldInSQL(t, e.sale)
	require.Equal(t, [2]int64{live, live}, [2]int64{sold, allotted})
	available, reserved := e.available(t)
	require.Equal(t, [2]int64{1000 - live, live}, [2]int64{available, reserved})
	require.Equal(t, true, e.must(t, 200, "POST", e.sale+"/reconcile", nil).Body["consistent"])
}

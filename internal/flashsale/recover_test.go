package flashsale_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
	"interlock/internal/orders"
	"interlock/test/world"
)

// onRedis runs a test with a separate Redis, which it may empty and stop.
func onRedis(t *testing.T, test func(t *testing.T, s *market, server *redistest.Server, client redis.UniversalClient)) {
	now := clock.NewFake(world.Opening)
	server := redistest.NewServer(t)
	client := redistest.Connect(t, server.URL())
	queues := mq.NewRedis(client, "test:", mq.Options{Clock: now})
	s := newMarket(storagetest.Tenant(t), t, storagetest.MariaDB(t), now, queues, gate.NewRedis(client, queues, now))
	test(t, s, server, client)
}

// Proves G5.17.
func TestSaleWithEmptiedStoreIsRebuiltFromOrders(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
		sale := s.open(t, object{"perUserLimit": 2})
		sold := s.buy(t, sale, 7, 2).Body["ticket"]
		cancelled := s.buy(t, sale, 8, 1).Body["ticket"]
		s.consume(t, sale)
		s.must(t, 200, "POST", fmt.Sprintf("/orders/%d/cancel", int64(s.ticket(t, sale, 8, cancelled)["orderId"].(float64))), object{"reason": "no"})
		lost := s.buy(t, sale, 9, 2, "X-Idempotency-Key", "k9").Body["ticket"]
		require.NoError(t, client.FlushAll(t.Context()).Err())

		shut := s.buy(t, sale, 10, 1)
		require.Equal(t, 503, shut.Status)
		require.Equal(t, "unavailable", shut.Body["code"])
		require.NotEmpty(t, shut.Header.Get("Retry-After"))
		require.Equal(t, 503, s.send(t, "GET", sale+"/stats", nil).Status)
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, sold)["status"], "SQL contains the sold units")
		require.Equal(t, 503, s.send(t, "GET", sale+"/tickets/"+lost.(string), nil, "Customer", "9").Status)

		rebuilt := s.must(t, 200, "POST", sale+"/reconcile", nil).Body
		require.Equal(t, true, rebuilt["rebuilt"])
		require.Equal(t, true, rebuilt["consistent"])
		require.Equal(t, gate.Counts{Epoch: 2, Allotted: 10, Remaining: 8, Confirmed: 2, Returned: 1}, counters(s.numbers(t, sale)))
		require.Equal(t, "limit_reached", s.buy(t, sale, 7, 1).Body["code"], "the units of a customer are rebuilt")
		gone := s.ticket(t, sale, 9, lost)
		require.Equal(t, "rejected", gone["status"])
		require.Equal(t, "lost", gone["reason"])
		require.Equal(t, 202, s.buy(t, sale, 9, 2, "X-Idempotency-Key", "k10").Status, "the customer can buy again")
		require.Equal(t, 202, s.buy(t, sale, 11, 2).Status)
		require.Equal(t, 202, s.buy(t, sale, 12, 2).Status)
		require.Equal(t, 202, s.buy(t, sale, 13, 2).Status)
		require.Equal(t, "sold_out", s.buy(t, sale, 14, 1).Body["code"])
		s.consume(t, sale)
		require.Equal(t, gate.Counts{Epoch: 2, Allotted: 10, Confirmed: 10, Returned: 1}, counters(s.numbers(t, sale)))
		require.EqualValues(t, 5, s.Count(t, &orders.Order{}, "status = 0"))
	})
}

// Proves G5.17.
func TestBatchDuringAnEmptiedStoreSellsNothingTwice(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
		sale := s.open(t, object{"quantity": 2, "perUserLimit": 1})
		before := s.buy(t, sale, 7, 1).Body["ticket"]
		queue := s.queues.Queue(gate.QueueName(idOf(sale)))
		batch, err := queue.Claim(s.Ctx, 100, time.Minute)
		require.NoError(t, err)
		require.NoError(t, client.FlushAll(t.Context()).Err())
		require.NoError(t, s.sales.Round(s.worker()))
		require.Equal(t, "rejected", s.ticket(t, sale, 7, before)["status"])
		outcomes := s.sales.Handler(idOf(sale))(s.worker(), batch.Messages)
		require.NoError(t, outcomes[0].Err())
		require.Zero(t, s.Count(t, &orders.Order{}, "1 = 1"), "its customer sees that it is lost")
		require.Equal(t, 202, s.buy(t, sale, 8, 1).Status)
		require.Equal(t, 202, s.buy(t, sale, 9, 1).Status)
		s.consume(t, sale)
		require.EqualValues(t, 2, s.Count(t, &orders.Order{}, "1 = 1"))
	})
}

// Proves G5.34.
func TestSalesRecoverAfterRedisIsUnavailable(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, server *redistest.Server, client redis.UniversalClient) {
		// Otherwise a write waits for a running sync, and a kill loses it.
		require.NoError(t, client.ConfigSet(t.Context(), "appendfsync", "always").Err())
		sale := s.open(t, nil)
		ticket := s.buy(t, sale, 7, 1).Body["ticket"]
		server.Kill(t)
		away := s.buy(t, sale, 8, 1)
		require.Equal(t, 503, away.Status)
		require.Equal(t, "unavailable", away.Body["code"])
		require.NotEmpty(t, away.Header.Get("Retry-After"))
		require.Equal(t, 503, s.send(t, "GET", sale+"/stats", nil).Status)
		require.Equal(t, 200, s.send(t, "GET", "/items/TEA-1", nil).Status)
		server.Start(t)
		require.Equal(t, 202, s.buy(t, sale, 8, 1).Status)
		s.consume(t, sale)
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, ticket)["status"], "the append-only file retained it")
		require.EqualValues(t, 2, s.numbers(t, sale).Confirmed)
	})
}

// Proves G5.23.
func TestUnbalancedSaleIsRebuiltWhenQueueIsEmpty(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
		sale := s.open(t, nil)
		waiting := s.buy(t, sale, 7, 2).Body["ticket"]
		key := fmt.Sprintf("test:{%s}:gate", gate.QueueName(idOf(sale)))
		require.NoError(t, client.HIncrBy(t.Context(), key, "remaining", 1).Err())
		require.Equal(t, false, s.must(t, 200, "GET", sale+"/stats", nil).Body["balanced"])
		seen := s.must(t, 200, "POST", sale+"/reconcile", nil).Body
		require.Equal(t, false, seen["consistent"])
		require.Equal(t, false, seen["rebuilt"], "a waiting customer would be lost")
		require.Equal(t, 202, s.buy(t, sale, 8, 1).Status, "and the gate is open")

		queue := s.queues.Queue(gate.QueueName(idOf(sale)))
		batch, err := queue.Claim(s.Ctx, 100, time.Minute)
		require.NoError(t, err)
		require.NoError(t, queue.Settle(s.Ctx, batch, s.sales.Handler(idOf(sale))(s.worker(), batch.Messages)))
		mended := s.must(t, 200, "POST", sale+"/reconcile", nil).Body
		require.Equal(t, true, mended["rebuilt"])
		require.Equal(t, true, mended["consistent"])
		require.Equal(t, gate.Counts{Epoch: 2, Allotted: 10, Remaining: 7, Confirmed: 3}, counters(s.numbers(t, sale)))
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, waiting)["status"])
		require.Equal(t, 202, s.buy(t, sale, 9, 1).Status)
	})
}

// TestRestoredStoreReceivesMissingOrders restores a slightly older
// copy of the keys of Redis.
// Proves G5.13.
func TestRestoredStoreReceivesMissingOrders(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
		sale := s.open(t, object{"quantity": 4, "perUserLimit": 2})
		retained := s.buy(t, sale, 7, 1).Body["ticket"]
		older := copyOf(t, client)
		forgotten := s.buy(t, sale, 8, 2).Body["ticket"]
		cancelled := s.buy(t, sale, 9, 1).Body["ticket"]
		s.consume(t, sale)
		s.must(t, 200, "POST", fmt.Sprintf("/orders/%d/cancel", int64(s.ticket(t, sale, 9, cancelled)["orderId"].(float64))), object{"reason": "no"})
		older.putBack(t)
		require.Equal(t, gate.Counts{Epoch: 1, Allotted: 4, Remaining: 3, Queued: 1, Waiting: 1}, counters(s.numbers(t, sale)))

		// One purchase precedes the reconciler: the gate counts 3 remaining units, but
		// there is 1.
		greedy := s.buy(t, sale, 10, 2).Body["ticket"]
		first := s.must(t, 200, "POST", sale+"/reconcile", nil).Body
		require.Equal(t, false, first["rebuilt"])
		require.Equal(t, false, first["consistent"], "its units are reserved for waiting customers")
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, retained)["status"])
		s.consume(t, sale)
		require.Equal(t, "rejected", s.ticket(t, sale, 10, greedy)["status"], "nothing is sold twice")
		second := s.must(t, 200, "POST", sale+"/reconcile", nil).Body
		require.Equal(t, true, second["consistent"])
		require.Equal(t, false, second["rebuilt"])
		require.Equal(t, gate.Counts{Epoch: 1, Allotted: 4, Remaining: 1, Confirmed: 3, Rejected: 2, Returned: 1}, counters(s.numbers(t, sale)))
		require.Equal(t, "confirmed", s.ticket(t, sale, 8, forgotten)["status"])
		require.Equal(t, "order_cancelled", s.ticket(t, sale, 9, cancelled)["reason"])
		require.Equal(t, "limit_reached", s.buy(t, sale, 8, 1).Body["code"], "the units of a customer are known again")
		require.Equal(t, 202, s.buy(t, sale, 11, 1).Status)
		require.Equal(t, "sold_out", s.buy(t, sale, 12, 1).Body["code"])
		s.consume(t, sale)
		sold, allotted := s.soldInSQL(t, sale)
		require.EqualValues(t, 4, sold)
		require.EqualValues(t, 4, allotted)
	})
}

// keysOf is a copy of all keys of a Redis.
type keysOf struct {
	client redis.UniversalClient
	values map[string]string
}

func copyOf(t *testing.T, client redis.UniversalClient) keysOf {
	t.Helper()
	names, err := client.Keys(t.Context(), "*").Result()
	require.NoError(t, err)
	k := keysOf{client, make(map[string]string, len(names))}
	for _, name := range names {
		k.values[name], err = client.Dump(t.Context(), name).Result()
		require.NoError(t, err)
	}
	return k
}

func (k keysOf) putBack(t *testing.T) {
	t.Helper()
	require.NoError(t, k.client.FlushAll(t.Context()).Err())
	for name, value := range k.values {
		require.NoError(t, k.client.Restore(t.Context(), name, 0, value).Err())
	}
}

// poisonous fails to place orders for one customer.
type poisonous struct {
	*orders.Service
	user int64
}

func (p *poisonous) PlaceMany(ctx context.Context, u *uow.Unit, lot orders.SaleLot, tickets []orders.SaleTicket) ([]orders.SaleOrder, error) {
	for _, ticket := range tickets {
		if string(ticket.UserID) == fmt.Sprint(p.user) {
			return nil, errors.New("the customer's record is broken")
		}
	}
	return p.Service.PlaceMany(ctx, u, lot, tickets)
}

// cutOff runs the parts of one request each time it is sent. The first attempt ends when a
// part has committed; a later one continues.
type cutOff struct {
	runner *uow.Runner
	dies   bool
	done   map[string]bool
}

var errKilled = errors.New("the program was killed")

func (c *cutOff) Do(ctx context.Context, part string, _ any, fn uow.Func) error {
	if c.done[part] {
		return nil
	}
	if err := c.runner.Do(ctx, fn); err != nil {
		return err
	}
	c.done[part] = true
	if c.dies {
		return errKilled
	}
	return nil
}

// Proves G3.8.
func TestInterruptedDeadLetterDecisionIsCompletedOnce(t *testing.T) {
	type decision func(ctx context.Context, units orders.Units, sale *flashsale.Sale, message string) error
	discard := func(s *market) decision {
		return func(ctx context.Context, units orders.Units, sale *flashsale.Sale, message string) error {
			return s.sales.DiscardDead(ctx, units, sale, message, time.Second)
		}
	}
	for name, dies := range map[string]bool{"after it was recorded": true, "after it was done": false} {
		t.Run(name, func(t *testing.T) {
			eachMarket(t, func(t *testing.T, s *market) {
				sale := s.open(t, nil)
				poison := &poisonous{s.Orders, 8}
				s.sales = s.selling(s.gate, poison)
				for verb, decide := range map[string]decision{"retry_dead": s.sales.RetryDead, "discard_dead": discard(s)} {
					poison.user = 8
					ticket := s.buy(t, sale, 8, 1).Body["ticket"].(string)
					s.consume(t, sale)
					require.EqualValues(t, 1, s.numbers(t, sale).Dead)
					before := len(s.must(t, 200, "GET", sale+"/history", nil).Body["items"].([]any))

					planned, err := s.sales.Sale(s.Ctx, idOf(sale))
					require.NoError(t, err)
					request := &cutOff{runner: s.Runner, dies: dies, done: map[string]bool{}}
					err = decide(s.Ctx, request, planned, ticket)
					if dies {
						require.ErrorIs(t, err, errKilled)
						require.EqualValues(t, 1, s.numbers(t, sale).Dead, "%s: recorded and not done", verb)
					} else {
						require.NoError(t, err)
					}
					for range 2 {
						request.dies = false
						require.NoError(t, decide(s.Ctx, request, planned, ticket), "%s: the repeat has the answer of the first", verb)
					}
					require.Zero(t, s.numbers(t, sale).Dead, verb)
					history := s.must(t, 200, "GET", sale+"/history", nil).Body["items"].([]any)
					require.Len(t, history, before+1, "%s: it is recorded once", verb)
					require.Equal(t, verb, history[0].(object)["action"])
					poison.user = 0
					s.consume(t, sale)
					require.Equal(t, map[string]string{"retry_dead": "confirmed", "discard_dead": "rejected"}[verb], s.ticket(t, sale, 8, ticket)["status"])
				}
			})
		})
	}
}

// Proves G5.25.
func TestPoisonTicketBecomesADeadLetterAlone(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		poison := &poisonous{s.Orders, 8}
		s.sales = s.selling(s.gate, poison)
		bad := s.buy(t, sale, 8, 2).Body["ticket"].(string)
		good := s.buy(t, sale, 7, 1).Body["ticket"]
		s.consume(t, sale)
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, good)["status"], "the others are not held up")
		c := s.numbers(t, sale)
		require.EqualValues(t, 2, c.Dead)
		require.Equal(t, "queued", s.ticket(t, sale, 8, bad)["status"])
		dead := s.must(t, 200, "GET", sale+"/dead", nil).Body["items"].([]any)[0].(object)
		require.Equal(t, bad, dead["messageId"])
		require.Contains(t, dead["error"], "the customer's record is broken")
		require.EqualValues(t, 5, dead["attempts"])
		require.EqualValues(t, 2, dead["quantity"])

		s.must(t, 404, "POST", sale+"/dead/NOBODYS/retry", nil)
		s.must(t, 204, "POST", sale+"/dead/"+bad+"/discard", nil)
		require.Equal(t, "rejected", s.ticket(t, sale, 8, bad)["status"])
		require.EqualValues(t, 9, s.numbers(t, sale).Remaining)
		s.must(t, 404, "POST", sale+"/dead/"+bad+"/retry", nil)

		poison.user = 9
		again := s.buy(t, sale, 9, 1).Body["ticket"].(string)
		s.consume(t, sale)
		require.EqualValues(t, 1, s.numbers(t, sale).Dead)
		poison.user = 0
		s.must(t, 204, "POST", sale+"/dead/"+again+"/retry", nil)
		s.consume(t, sale)
		require.Equal(t, "confirmed", s.ticket(t, sale, 9, again)["status"])
		history := s.must(t, 200, "GET", sale+"/history", nil).Body["items"].([]any)
		require.Equal(t, "retry_dead", history[0].(object)["action"])
		require.Equal(t, "discard_dead", history[1].(object)["action"])
		require.Equal(t, bad, history[1].(object)["note"])
	})
}

// Proves G5.26.
func TestDeadLettersArePagedAndRejectUnknownCursor(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"perUserLimit": 5})
		s.sales = s.selling(s.gate, &poisonous{s.Orders, 8})
		var sent, listed []any
		for range 5 {
			sent = append(sent, s.buy(t, sale, 8, 1).Body["ticket"])
		}
		s.consume(t, sale)
		for cursor := any(""); cursor != nil; {
			page := s.must(t, 200, "GET", sale+"/dead?limit=2&cursor="+cursor.(string), nil).Body
			require.EqualValues(t, 5, page["total"])
			items := page["items"].([]any)
			require.LessOrEqual(t, len(items), 2)
			for _, item := range items {
				listed = append(listed, item.(object)["messageId"])
			}
			cursor = page["nextCursor"]
		}
		require.ElementsMatch(t, sent, listed)
		for _, garbage := range []string{"x", "1.x", "9999999999999999999"} {
			a := s.must(t, 400, "GET", sale+"/dead?cursor="+garbage, nil)
			require.Equal(t, "?cursor", a.Pointer())
		}
	})
}

// Proves G4.35.
func TestLockedStockRejectsDeadLetterDecision(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		poison := &poisonous{s.Orders, 8}
		s.sales = s.selling(s.gate, poison)
		bad := s.buy(t, sale, 8, 2).Body["ticket"].(string)
		s.consume(t, sale)
		before := s.numbers(t, sale)

		require.NoError(t, s.Runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) error {
			_, err := s.Inventory.Lock(ctx, u, 0, "TEA-1")
			require.NoError(t, err)
			for _, path := range []string{sale + "/reconcile", sale + "/dead/" + bad + "/discard"} {
				for _, wait := range []string{"0", "20"} {
					refused := s.must(t, 423, "POST", path+"?wait="+wait, nil)
					require.Equal(t, "resource_locked", refused.Body["code"])
					require.NotEmpty(t, refused.Header.Get("Retry-After"))
				}
				require.Equal(t, "malformed_request", s.must(t, 400, "POST", path+"?wait=10001", nil).Body["code"])
			}
			return nil
		}))
		require.Equal(t, before, s.numbers(t, sale))
		require.Equal(t, "open", s.must(t, 200, "GET", sale+"/history", nil).Body["items"].([]any)[0].(object)["action"], "no decision is on record")

		require.Equal(t, true, s.must(t, 200, "POST", sale+"/reconcile?wait=0", nil).Body["consistent"])
		s.must(t, 204, "POST", sale+"/dead/"+bad+"/discard?wait=0", nil)
		require.Equal(t, "rejected", s.ticket(t, sale, 8, bad)["status"])
	})
}

// Proves G5.24.
func TestReconcilerUpdatesGateWithMissedResults(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		door := &deaf{Gate: s.gate}
		s.sales = s.selling(door, s.Orders)
		sale := s.open(t, nil)
		confirmed := s.buy(t, sale, 7, 2).Body["ticket"]
		cancelled := s.buy(t, sale, 8, 1).Body["ticket"]
		queue := s.queues.Queue(gate.QueueName(idOf(sale)))
		batch, err := queue.Claim(s.Ctx, 100, time.Minute)
		require.NoError(t, err)
		door.deaf = true
		s.sales.Handler(idOf(sale))(s.worker(), batch.Messages)
		var order orders.Order
		require.NoError(t, s.DB.Read(s.Ctx).Where("user_id = '8'").Take(&order).Error)
		s.must(t, 200, "POST", fmt.Sprintf("/orders/%d/cancel", order.ID), object{"reason": "no"})
		s.must(t, 200, "POST", sale+"/pause", nil)
		door.deaf = false
		require.EqualValues(t, 3, s.numbers(t, sale).Processing)

		r := s.must(t, 200, "POST", sale+"/reconcile", nil).Body
		require.EqualValues(t, 2, r["repaired"])
		require.Equal(t, true, r["consistent"])
		require.Equal(t, gate.Counts{Epoch: 1, Allotted: 10, Remaining: 8, Confirmed: 2, Returned: 1}, counters(s.numbers(t, sale)))
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, confirmed)["status"])
		require.Equal(t, "order_cancelled", s.ticket(t, sale, 8, cancelled)["reason"])
		require.Equal(t, "paused", s.buy(t, sale, 9, 1).Body["reason"])
	})
}

// Proves G5.24.
func TestMissedPauseReachesTheGateAtTheNextCheck(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		door := &deaf{Gate: s.gate}
		s.sales = s.selling(door, s.Orders)
		sale := s.open(t, nil)
		looks := s.sales.Rounds()
		require.NoError(t, looks(s.worker()))
		door.deaf = true
		s.must(t, 200, "POST", sale+"/pause", nil)
		door.deaf = false
		require.Equal(t, "paused", s.buy(t, sale, 7, 1).Body["reason"], "a process that knows the pause does not query")
		wish := gate.Purchase{Ref: gate.Ref{Sale: idOf(sale), Epoch: 1}, Ticket: "A", User: "8", Units: 1, Time: world.Opening}
		a, err := s.gate.Admit(s.Ctx, wish)
		require.NoError(t, err)
		require.Equal(t, gate.Accepted, a.Verdict, "the gate is open still")
		require.NoError(t, looks(s.worker()))
		wish.Ticket = "B"
		a, err = s.gate.Admit(s.Ctx, wish)
		require.NoError(t, err)
		require.Equal(t, gate.NotOpen, a.Verdict)
	})
}

// Proves G5.25.
func TestDeadLetterWithOrderIsNotRejected(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		poison := &poisonous{s.Orders, 8}
		s.sales = s.selling(s.gate, poison)
		ticket := s.buy(t, sale, 8, 2).Body["ticket"].(string)
		s.consume(t, sale)
		require.EqualValues(t, 2, s.numbers(t, sale).Dead)
		poison.user = 0
		letter, err := s.queues.Queue(gate.QueueName(idOf(sale))).Claim(s.Ctx, 1, time.Minute)
		require.NoError(t, err)
		require.Nil(t, letter, "it is dead")
		// A consumer claimed the message before it became a dead letter. It commits the order, and
		// ends before it updates the gate.
		door := &deaf{Gate: s.gate, deaf: true}
		late := s.selling(door, poison)
		body := fmt.Appendf(nil, `{"user":8,"units":2}`)
		late.Handler(idOf(sale))(s.worker(), []mq.Message{{ID: ticket, Body: body}})
		require.EqualValues(t, 1, s.Count(t, &orders.Order{}, "user_id = '8'"))

		s.serve(s.sales)
		s.must(t, 204, "POST", sale+"/dead/"+ticket+"/discard", nil)
		require.Equal(t, "confirmed", s.ticket(t, sale, 8, ticket)["status"])
		require.Equal(t, gate.Counts{Epoch: 1, Allotted: 10, Remaining: 8, Confirmed: 2}, counters(s.numbers(t, sale)))
		require.Equal(t, true, s.must(t, 200, "POST", sale+"/reconcile", nil).Body["consistent"])
	})
}

// deaf is a gate that loses the updates after a commit.
type deaf struct {
	gate.Gate
	deaf bool
}

func (g *deaf) Move(ctx context.Context, ref gate.Ref, steps []gate.Step) ([]gate.Moved, error) {
	if g.deaf && steps[0].To != gate.Processing {
		return nil, errors.New("connection reset")
	}
	return g.Gate.Move(ctx, ref, steps)
}

func (g *deaf) Apply(ctx context.Context, r gate.Rules) error {
	if g.deaf {
		return errors.New("connection reset")
	}
	return g.Gate.Apply(ctx, r)
}

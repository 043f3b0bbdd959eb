package flashsale_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/internal/mq"
	"interlock/internal/orders"
	"interlock/test/racing"
	"interlock/test/tier"
	"interlock/test/world"
)

// Proves G5.1.
func TestPurchaseIsQueuedAndBecomesAnOrder(t *testing.T) {
	allMarkets(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		available, reserved := s.available(t)
		require.EqualValues(t, 990, available)
		require.EqualValues(t, 10, reserved)

		bought := s.buy(t, sale, 7, 2)
		require.Equal(t, 202, bought.Status, bought.Body)
		require.Equal(t, "queued", bought.Body["status"])
		require.EqualValues(t, 0, bought.Body["ahead"])
		ticket := bought.Body["ticket"].(string)
		require.Equal(t, "/api/v1"+sale+"/tickets/"+ticket, bought.Header.Get("Location"))
		require.EqualValues(t, 1, s.buy(t, sale, 8, 1).Body["ahead"])
		require.Equal(t, "queued", s.ticket(t, sale, 7, ticket)["status"])
		require.EqualValues(t, 3, s.numbers(t, sale).Queued)

		before := s.Count(t, &uow.AuditRow{}, "1 = 1")
		s.consume(t, sale)
		require.EqualValues(t, before+1, s.Count(t, &uow.AuditRow{}, "1 = 1"), "one batch, one audit row")

		confirmed := s.ticket(t, sale, 7, ticket)
		require.Equal(t, "confirmed", confirmed["status"])
		order := s.must(t, 200, "GET", fmt.Sprintf("/orders/%d", int64(confirmed["orderId"].(float64))), nil).Body
		require.Equal(t, confirmed["orderNo"], order["orderNo"])
		require.EqualValues(t, 1000, order["amount"])
		require.Equal(t, "7", order["userId"])
		require.Equal(t, "pending", order["status"])
		require.Equal(t, ticket, order["ticket"])
		line := order["items"].([]any)[0].(object)
		require.Equal(t, "Item TEA-1", line["name"])
		require.EqualValues(t, 2, line["quantity"])

		c := s.numbers(t, sale)
		require.Equal(t, gate.Counts{Epoch: 1, Allotted: 10, Remaining: 7, Confirmed: 3}, counters(c))
		sold, allotted := s.soldInSQL(t, sale)
		require.EqualValues(t, 3, sold)
		require.EqualValues(t, 10, allotted)
		available, reserved = s.available(t)
		require.EqualValues(t, 990, available)
		require.EqualValues(t, 10, reserved, "sold units stay reserved, for the orders now")
	})
}

func TestSimilarCustomerNamesStaySeparate(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		names := []string{"li", "Li", "a/b", "a:b", "a", "a/b:key", "shop/li+1=x@example.com", "7", "07", "-7", "q", strings.Repeat("x", 64)}
		sale := s.open(t, object{"quantity": len(names), "perUserLimit": 1})
		tickets := map[string]string{}
		for _, name := range names {
			bought := s.send(t, "POST", sale+"/orders", object{"quantity": 1}, "Customer", name, "X-Idempotency-Key", "key")
			require.Equal(t, 202, bought.Status, "%s: %v", name, bought.Body)
			again := s.send(t, "POST", sale+"/orders", object{"quantity": 1}, "Customer", name, "X-Idempotency-Key", "key")
			require.Equal(t, bought.Body["ticket"], again.Body["ticket"], name)
			more := s.send(t, "POST", sale+"/orders", object{"quantity": 1}, "Customer", name)
			require.Equal(t, []any{"limit_reached", bought.Body["ticket"]}, []any{more.Body["code"], more.Body["ticket"]}, name)
			receipt, err := s.sales.Buy(s.Ctx, flashsale.PurchaseRequest{Sale: idOf(sale), User: name, Units: 1, Key: "customer:" + name + ":key"})
			require.NoError(t, err)
			require.Equal(t, bought.Body["ticket"], receipt.Ticket.ID, "%s: under the key that tickets were made from while customers were numbers", name)
			tickets[bought.Body["ticket"].(string)] = name
		}
		require.Len(t, tickets, len(names), "each has a separate ticket, also under one key")
		s.consume(t, sale)
		for ticket, name := range tickets {
			confirmed := s.must(t, 200, "GET", sale+"/tickets/"+ticket, nil, "Customer", name).Body
			require.Equal(t, "confirmed", confirmed["status"], name)
			order := s.must(t, 200, "GET", fmt.Sprintf("/orders/%d", int64(confirmed["orderId"].(float64))), nil).Body
			require.Equal(t, name, order["userId"])
			s.must(t, 404, "GET", sale+"/tickets/"+ticket, nil, "Customer", "LI")
			listed := s.must(t, 200, "GET", "/orders?userId="+url.QueryEscape(name), nil).Items()
			require.Equal(t, []object{order}, listed, name)
		}
		require.EqualValues(t, len(names), s.numbers(t, sale).Confirmed)
	})
}

// counters omits the version, and the rates, which depend on the second.
func counters(c gate.Counts) gate.Counts {
	c.Version, c.Time, c.AcceptedPerSecond, c.ConfirmedPerSecond = 0, time.Time{}, 0, 0
	return c
}

// Proves G5.1.
func TestGateEnforcesSaleRules(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 5, "perUserLimit": 3, "queueCap": 3, "startsTime": world.Opening.Add(time.Minute)})
		early := s.buy(t, sale, 1, 1)
		require.Equal(t, 409, early.Status)
		require.Equal(t, "sale_not_open", early.Body["code"])
		require.Equal(t, "not_started", early.Body["reason"])
		s.Clock.Advance(time.Minute)

		first := s.buy(t, sale, 1, 2)
		require.Equal(t, 202, first.Status, first.Body)
		greedy := s.buy(t, sale, 1, 2)
		require.Equal(t, 409, greedy.Status)
		require.Equal(t, "limit_reached", greedy.Body["code"], "the limit is in units")
		require.Equal(t, first.Body["ticket"], greedy.Body["ticket"])
		require.Equal(t, 202, s.buy(t, sale, 1, 1).Status)

		late := s.buy(t, sale, 2, 3)
		require.Equal(t, 409, late.Status)
		require.Equal(t, "sold_out", late.Body["code"])
		require.Equal(t, 202, s.buy(t, sale, 2, 1).Status, "fewer are still there")
		full := s.buy(t, sale, 3, 1)
		require.Equal(t, 503, full.Status)
		require.Equal(t, "queue_full", full.Body["code"])
		require.Equal(t, "1", full.Header.Get("Retry-After"))
		s.consume(t, sale)
		require.Equal(t, 202, s.buy(t, sale, 3, 1).Status, "draining reopens the queue")
		require.Equal(t, "sold_out", s.buy(t, sale, 4, 1).Body["code"])

		s.must(t, 200, "POST", sale+"/pause", nil)
		halted := s.buy(t, sale, 4, 1)
		require.Equal(t, "sale_not_open", halted.Body["code"])
		require.Equal(t, "paused", halted.Body["reason"])
		s.must(t, 200, "POST", sale+"/resume", nil)
		s.Clock.Advance(2 * time.Hour)
		require.Equal(t, "ended", s.buy(t, sale, 4, 1).Body["reason"])

		require.Equal(t, 422, s.buy(t, sale, 4, 0).Status)
		require.Equal(t, 403, s.send(t, "POST", sale+"/orders", object{"quantity": 1}).Status, "an admin is not a customer")
		require.Equal(t, 404, s.buy(t, "/flash-sales/999999999", 4, 1).Status)
		s.consume(t, sale)
		require.EqualValues(t, 4, s.Count(t, &orders.Line{}, "sku = 'TEA-1'"), "orders of 2, 1, 1 and 1 units")
	})
}

// Proves G5.6.
func TestRetriedPurchaseReturnsFirstReply(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 3, "perUserLimit": 1})
		require.Equal(t, 202, s.buy(t, sale, 6, 1).Status)
		first := s.buy(t, sale, 7, 1, "X-Idempotency-Key", "k1")
		require.Equal(t, 202, first.Status)
		require.EqualValues(t, 1, first.Body["ahead"])
		require.Empty(t, first.Header.Get("X-Idempotency-Replay"))
		other := s.buy(t, sale, 8, 1, "Idempotency-Key", "k1")
		require.Equal(t, 202, other.Status)
		require.NotEqual(t, first.Body["ticket"], other.Body["ticket"], "a key is its customer's own")
		require.Empty(t, other.Header.Get("X-Idempotency-Replay"))
		require.Equal(t, "sold_out", s.buy(t, sale, 9, 1, "X-Idempotency-Key", "k9").Body["code"])
		repeat := func(why string) {
			t.Helper()
			again := s.buy(t, sale, 7, 1, "X-Idempotency-Key", "k1")
			require.Equal(t, first.Status, again.Status, why)
			require.Equal(t, first.Text, again.Text, why)
			require.Equal(t, first.Header.Get("Location"), again.Header.Get("Location"), why)
			require.Equal(t, "true", again.Header.Get("X-Idempotency-Replay"), why)
		}
		repeat("neither the limit nor sold_out matters")
		require.Equal(t, "idempotency_key_reused", s.buy(t, sale, 7, 2, "X-Idempotency-Key", "k1").Body["code"])
		require.Equal(t, 400, s.buy(t, sale, 7, 1, "X-Idempotency-Key", "k1", "Idempotency-Key", "k2").Status)
		s.consume(t, sale)
		repeat("the ticket is confirmed now, at its address")
		confirmed := s.ticket(t, sale, 7, first.Body["ticket"])
		require.Equal(t, "confirmed", confirmed["status"])
		order := fmt.Sprintf("/orders/%d/cancel", int64(confirmed["orderId"].(float64)))
		s.must(t, 200, "POST", order, object{"reason": "no"})
		repeat("its order was cancelled")
		refused := s.buy(t, sale, 9, 1, "X-Idempotency-Key", "k9")
		require.Equal(t, 202, refused.Status, "a rejection is not stored")
		require.Empty(t, refused.Header.Get("X-Idempotency-Replay"))
		s.must(t, 200, "POST", sale+"/close", nil)
		repeat("the sale is closed")
		require.EqualValues(t, 3, s.Count(t, &orders.Order{}, "1 = 1"))
	})
}

func TestTicketIsVisibleToItsCustomerOnly(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		ticket := s.buy(t, sale, 7, 1).Body["ticket"].(string)
		require.Equal(t, 404, s.send(t, "GET", sale+"/tickets/"+ticket, nil, "Customer", "8").Status)
		require.Equal(t, 200, s.send(t, "GET", sale+"/tickets/"+ticket, nil).Status, "a reader of sales reads tickets")
		require.Equal(t, 404, s.send(t, "GET", sale+"/tickets/0123", nil, "Customer", "7").Status)
	})
}

// Proves G5.8.
func TestRedeliveredBatchMakesNoSecondOrder(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		for user := range int64(3) {
			require.Equal(t, 202, s.buy(t, sale, 7+user, 2).Status)
		}
		queue := s.queues.Queue(gate.QueueName(idOf(sale)))
		batch, err := queue.Claim(s.Ctx, 100, time.Minute)
		require.NoError(t, err)
		// The program ends after the COMMIT and before it acknowledges the batch.
		for range 3 {
			for _, outcome := range s.sales.Handler(idOf(sale))(s.worker(), batch.Messages) {
				require.NoError(t, outcome.Err())
			}
		}
		require.EqualValues(t, 3, s.Count(t, &orders.Order{}, "1 = 1"))
		require.Equal(t, gate.Counts{Epoch: 1, Allotted: 10, Remaining: 4, Confirmed: 6}, counters(s.numbers(t, sale)))
		sold, _ := s.soldInSQL(t, sale)
		require.EqualValues(t, 6, sold)
	})
}

// forgetful is a gate that fails losses times to settle tickets.
type forgetful struct {
	gate.Gate
	losses atomic.Int64
}

func (g *forgetful) Move(ctx context.Context, ref gate.Ref, steps []gate.Step) ([]gate.Moved, error) {
	if steps[0].To == gate.Confirmed && g.losses.Add(-1) >= 0 {
		return nil, errors.New("connection reset")
	}
	return g.Gate.Move(ctx, ref, steps)
}

// Proves G5.8.
func TestCrashBetweenCommitAndGateIsReconciled(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		door := &forgetful{Gate: s.gate}
		door.losses.Store(1)
		sales := s.with(door)
		sale := s.open(t, nil)
		ticket := s.buy(t, sale, 7, 2).Body["ticket"]
		queue := s.queues.Queue(gate.QueueName(idOf(sale)))
		batch, err := queue.Claim(s.Ctx, 100, time.Minute)
		require.NoError(t, err)
		outcomes := sales.Handler(idOf(sale))(s.worker(), batch.Messages)
		require.Error(t, outcomes[0].Err(), "it is to come again")
		require.EqualValues(t, 1, s.Count(t, &orders.Order{}, "1 = 1"))
		s.numbers(t, sale)
		require.NoError(t, queue.Settle(s.Ctx, batch, []mq.Outcome{mq.Postpone(outcomes[0].Err(), 0)}))
		s.consume(t, sale)
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, ticket)["status"])
		require.EqualValues(t, 1, s.Count(t, &orders.Order{}, "1 = 1"))
		require.EqualValues(t, 2, s.numbers(t, sale).Confirmed)
	})
}

// Proves G5.8.
func TestTicketWithOrderIsConfirmed(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		door := &forgetful{Gate: s.gate}
		sales := s.with(door)
		sale := s.open(t, object{"quantity": 5, "perUserLimit": 2})
		queue := s.queues.Queue(gate.QueueName(idOf(sale)))
		// lost redelivers the batch's tickets although they have orders.
		lost := func() {
			door.losses.Store(1)
			batch, err := queue.Claim(s.Ctx, 100, time.Minute)
			require.NoError(t, err)
			outcomes := sales.Handler(idOf(sale))(s.worker(), batch.Messages)
			for i, outcome := range outcomes {
				require.Error(t, outcome.Err())
				outcomes[i] = mq.Postpone(outcome.Err(), 0)
			}
			require.NoError(t, queue.Settle(s.Ctx, batch, outcomes))
		}
		require.Equal(t, 202, s.buy(t, sale, 7, 2).Status)
		lost()
		require.Equal(t, 202, s.buy(t, sale, 8, 1).Status)
		s.consume(t, sale)
		require.EqualValues(t, 2, s.Count(t, &orders.Order{}, "1 = 1"))
		require.EqualValues(t, 3, s.numbers(t, sale).Confirmed)

		last := s.buy(t, sale, 9, 2).Body["ticket"]
		lost()
		s.consume(t, sale)
		require.Equal(t, "confirmed", s.ticket(t, sale, 9, last)["status"])
		require.EqualValues(t, 3, s.Count(t, &orders.Order{}, "1 = 1"))
		require.EqualValues(t, 5, s.numbers(t, sale).Confirmed)
		sold, _ := s.soldInSQL(t, sale)
		require.EqualValues(t, 5, sold)
	})
}

// Proves G5.5.
func TestBuyersRaceForTheLastUnits(t *testing.T) {
	allMarkets(t, func(t *testing.T, s *market) {
		random := racing.Seeded(t)
		s.Stock(t, "TEA-1", 900, 20_000)
		for range tier.Rounds(1, 200) {
			s.raceForUnits(t, 10+random.Int64N(15), 1+random.Int64N(3), 25+random.Int64N(30))
		}
	})
}

// raceForUnits runs a hundred concurrent purchases of some buyers for fewer units.
func (s *market) raceForUnits(t *testing.T, units, limit, buyers int64) {
	t.Helper()
	sale := s.plan(t, object{"quantity": units, "perUserLimit": limit})
	s.must(t, 200, "POST", sale+"/open", nil)
	before := s.Count(t, &orders.Order{}, "1 = 1")
	var accepted atomic.Int64
	racing.Together(100, func(i int) {
		a := s.buy(t, sale, 1+int64(i)%buyers, 1)
		switch a.Status {
		case 202:
			accepted.Add(1)
		case 409:
		default:
			t.Errorf("buyer %d: %v", i, a.Body)
		}
	})
	require.Equal(t, units, accepted.Load())
	racing.Together(2, func(int) { s.consume(t, sale) })
	require.Equal(t, gate.Counts{Epoch: 1, Allotted: units, Confirmed: units}, counters(s.numbers(t, sale)))
	require.EqualValues(t, units, s.Count(t, &orders.Order{}, "1 = 1")-before)
}

func TestReturnedStockReopensSoldOutSale(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 1})
		bought := s.buy(t, sale, 7, 1)
		require.Equal(t, "sold_out", s.buy(t, sale, 8, 1).Body["code"])
		s.consume(t, sale)
		order := int64(s.ticket(t, sale, 7, bought.Body["ticket"])["orderId"].(float64))
		s.must(t, 200, "POST", fmt.Sprintf("/orders/%d/cancel", order), object{"reason": "changed my mind"})
		require.EqualValues(t, 1, s.numbers(t, sale).Remaining)
		require.Equal(t, 202, s.buy(t, sale, 8, 1).Status)
		require.EqualValues(t, 1, s.numbers(t, sale).Returned)
		sold, _ := s.soldInSQL(t, sale)
		require.EqualValues(t, 0, sold)
	})
}

// The units return to the sale once, whatever the outcome of the refund.
// Proves G4.19.
func TestCancelledPaidOrderReturnsItsUnitsOnceAndIsRefunded(t *testing.T) {
	allMarkets(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 2, "perUserLimit": 2})
		bought := s.buy(t, sale, 7, 2)
		s.consume(t, sale)
		order := fmt.Sprintf("/orders/%d", int64(s.ticket(t, sale, 7, bought.Body["ticket"])["orderId"].(float64)))
		s.must(t, 200, "POST", order+"/pay", object{"method": "external", "reference": order})
		units := object{"reason": "broken", "lines": []object{{"sku": "TEA-1", "quantity": 1, "restock": true}}}
		refused := s.must(t, 422, "POST", order+"/refunds", units)
		require.Equal(t, "/lines/0/restock", refused.Pointer(), "before it is shipped a unit goes back to the sale, with the whole order")
		statuses := make([]int, 4)
		racing.Together(len(statuses), func(i int) {
			statuses[i] = s.send(t, "POST", order+"/cancel", object{"reason": "changed my mind"}).Status
		})
		require.ElementsMatch(t, []int{200, 409, 409, 409}, statuses)
		require.EqualValues(t, 2, s.numbers(t, sale).Remaining)
		require.EqualValues(t, 2, s.numbers(t, sale).Returned)
		made := s.must(t, 200, "GET", "/refunds?orderId="+order[len("/orders/"):], nil).Items()
		require.Len(t, made, 1)
		require.Equal(t, []any{1000.0, "requested"}, []any{made[0]["amount"], made[0]["status"]})

		again := s.buy(t, sale, 8, 2)
		s.consume(t, sale)
		order = fmt.Sprintf("/orders/%d", int64(s.ticket(t, sale, 8, again.Body["ticket"])["orderId"].(float64)))
		s.must(t, 200, "POST", order+"/pay", object{"method": "external", "reference": order})
		s.must(t, 200, "POST", order+"/ship", object{"carrier": "DHL", "trackingNo": "1"})
		s.must(t, 201, "POST", order+"/refunds", units)
		sold, _ := s.soldInSQL(t, sale)
		require.EqualValues(t, 2, sold, "shipped units stay sold")
	})
}

// A sale counts the units of its orders, so it cannot receive a part of an order's units.
// Proves G4.51.
func TestShippedSaleOrderCannotBeCancelled(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 2, "perUserLimit": 2})
		bought := s.buy(t, sale, 7, 2)
		s.consume(t, sale)
		order := fmt.Sprintf("/orders/%d", int64(s.ticket(t, sale, 7, bought.Body["ticket"])["orderId"].(float64)))
		s.must(t, 200, "POST", order+"/pay", object{"method": "external", "reference": order})
		for range 2 {
			s.must(t, 201, "POST", order+"/shipments", object{"carrier": "DHL", "trackingNo": "1", "lines": []object{{"lineId": 1, "quantity": 1}}})
			refused := s.must(t, 409, "POST", order+"/cancel", object{"reason": "changed my mind"})
			require.Contains(t, refused.Body["detail"], "Shipped units that were not returned")
		}
		refund := s.must(t, 201, "POST", order+"/refunds", object{"reason": "broken", "lines": []object{{"sku": "TEA-1", "quantity": 2, "restock": true}}}).Body
		boss := s.As(8, "Ana")
		path := fmt.Sprintf("/refunds/%d", int64(refund["id"].(float64)))
		boss.Post(t, 200, path+"/approve", nil)
		boss.Post(t, 200, path+"/settle", object{"reference": "re_" + order})
		refused := s.must(t, 409, "POST", order+"/cancel", object{"reason": "changed my mind"})
		require.Contains(t, refused.Body["detail"], "Units of its flash sale were shipped. Refund it instead.")
		require.Equal(t, []any{"complete"}, refused.Body["allowedTransitions"])
		sold, _ := s.soldInSQL(t, sale)
		require.EqualValues(t, 2, sold)
	})
}

// Proves G5.3.
func TestSoldOutSaleReturnsTicketOfBuyer(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 2, "perUserLimit": 2})
		mine := s.buy(t, sale, 7, 1).Body["ticket"]
		require.Equal(t, 202, s.buy(t, sale, 8, 1).Status)
		reported := func(how string) {
			for range 2 {
				require.Equal(t, "sold_out", s.buy(t, sale, 9, 1).Body["code"], how)
				again := s.buy(t, sale, 7, 1)
				require.Equal(t, 409, again.Status)
				require.Equal(t, "limit_reached", again.Body["code"], how)
				require.Equal(t, mine, again.Body["ticket"])
				require.EqualValues(t, 1, again.Body["held"])
				require.Contains(t, again.Body["detail"], "is sold out. You have 1 of its units.")
			}
		}
		require.Equal(t, "limit_reached", s.buy(t, sale, 7, 1).Body["code"], "the gate decides")
		reported("also after this process has learned from a stranger's purchase that all is sold")
		s.consume(t, sale)
		reported("and when the ticket was confirmed")
	})
}

// Proves G5.22.
func TestUnpaidOrdersReturnOnceDespiteRacingPayments(t *testing.T) {
	allMarkets(t, func(t *testing.T, s *market) {
		random := racing.Seeded(t)
		s.Stock(t, "TEA-1", 900, 20_000)
		for range tier.Rounds(1, 200) {
			s.racePaymentsWithTheirEnd(t, 2+random.IntN(4), 1+random.IntN(4))
		}
	})
}

// racePaymentsWithTheirEnd pays expired orders while sweeps cancel them.
func (s *market) racePaymentsWithTheirEnd(t *testing.T, payments, sweeps int) {
	t.Helper()
	sale := s.plan(t, object{"startsTime": s.Clock.Now(), "endsTime": s.Clock.Now().Add(time.Hour)})
	s.must(t, 200, "POST", sale+"/open", nil)
	paidBefore, cancelledBefore := s.Count(t, &orders.Order{}, "status = 1"), s.Count(t, &orders.Order{}, "status = 4")
	var paths []string
	for user := range int64(payments) {
		ticket := s.buy(t, sale, 7+user, 2).Body["ticket"]
		s.consume(t, sale)
		paths = append(paths, fmt.Sprintf("/orders/%d", int64(s.ticket(t, sale, 7+user, ticket)["orderId"].(float64))))
	}
	s.Clock.Advance(16 * time.Minute)
	var won atomic.Int64
	racing.Together(payments+sweeps, func(i int) {
		if i < len(paths) {
			a := s.send(t, "POST", paths[i]+"/pay", object{"method": "external", "reference": paths[i]})
			if a.Status == 200 {
				won.Add(1)
			} else if a.Status != 409 || a.Body["currentStatus"] != "cancelled" {
				t.Errorf("%d %v", a.Status, a.Body)
			}
			return
		}
		if err := s.Orders.CancelUnpaid(s.Ctx, s.Clock.Now(), 100); err != nil {
			t.Error(err)
		}
	})
	require.NoError(t, s.Orders.CancelUnpaid(s.Ctx, s.Clock.Now(), 100))
	paid, all := won.Load(), int64(payments)
	require.Equal(t, paid, s.Count(t, &orders.Order{}, "status = 1")-paidBefore)
	require.Equal(t, all-paid, s.Count(t, &orders.Order{}, "status = 4")-cancelledBefore)
	c := s.numbers(t, sale)
	require.Equal(t, 2*paid, c.Confirmed)
	require.Equal(t, 10-2*paid, c.Remaining)
	require.Equal(t, 2*(all-paid), c.Returned)
	sold, _ := s.soldInSQL(t, sale)
	require.Equal(t, 2*paid, sold)
	late := s.send(t, "POST", paths[0]+"/pay", object{"method": "external", "reference": "late"})
	require.Equal(t, 409, late.Status)
}

// Proves G5.20.
func TestClosedSaleReleasesUnsoldUnits(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		ticket := s.buy(t, sale, 7, 2).Body["ticket"]
		s.must(t, 200, "POST", sale+"/close", nil)
		require.Equal(t, "sale_not_open", s.buy(t, sale, 8, 1).Body["code"])
		require.NoError(t, s.sales.Round(s.worker()))
		_, reserved := s.available(t)
		require.EqualValues(t, 10, reserved, "a ticket still waits")
		s.consume(t, sale)
		for range 3 {
			require.NoError(t, s.sales.Round(s.worker()))
		}
		available, reserved := s.available(t)
		require.EqualValues(t, 998, available)
		require.EqualValues(t, 2, reserved)
		require.Equal(t, gate.Counts{Epoch: 1, Allotted: 2, Confirmed: 2}, counters(s.numbers(t, sale)))

		order := int64(s.ticket(t, sale, 7, ticket)["orderId"].(float64))
		s.must(t, 200, "POST", fmt.Sprintf("/orders/%d/cancel", order), object{"reason": "changed my mind"})
		require.NoError(t, s.sales.Round(s.worker()))
		available, reserved = s.available(t)
		require.EqualValues(t, 1000, available, "it goes back to the item's stock, once")
		require.Zero(t, reserved)
	})
}

func TestTenantSeesTheQueuesOfItsSales(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		now := clock.NewFake(world.Opening)
		broker := mq.NewSQL(db, now, mq.Options{})
		s := newMarket(ctx, t, db, now, broker, gate.NewSQL(db, broker, now))
		ended := s.open(t, nil)
		s.must(t, 200, "POST", ended+"/close", nil)
		planned := s.plan(t, nil)
		queues, err := s.sales.Queues(ctx)
		require.NoError(t, err)
		require.Equal(t, map[string]bool{gate.QueueName(idOf(ended)): false, gate.QueueName(idOf(planned)): true}, queues)
		queues, err = s.sales.Queues(storagetest.Tenant(t))
		require.NoError(t, err)
		require.Empty(t, queues, "another tenant has none of them")
	})
}

func TestSaleIsClosedAfterItsEnd(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		s.Clock.Advance(2 * time.Hour)
		require.NoError(t, s.sales.Round(s.worker()))
		require.Equal(t, "closed", s.must(t, 200, "GET", sale, nil).Body["status"])
		require.NoError(t, s.sales.Round(s.worker()))
		available, _ := s.available(t)
		require.EqualValues(t, 1000, available)
	})
}

// Proves G5.28.
func TestAllotmentOfAnOpenSaleGrowsAndShrinks(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 4})
		require.Equal(t, 202, s.buy(t, sale, 7, 2).Status)
		tag := func() string { return s.must(t, 200, "GET", sale, nil).Body["etag"].(string) }
		grown := s.must(t, 200, "PATCH", sale, object{"quantityDelta": 6}, "If-Match", tag())
		require.EqualValues(t, 10, grown.Body["quantity"])
		require.EqualValues(t, 8, s.numbers(t, sale).Remaining)
		_, reserved := s.available(t)
		require.EqualValues(t, 10, reserved)

		s.must(t, 200, "PATCH", sale, object{"quantityDelta": -7}, "If-Match", tag())
		require.EqualValues(t, 1, s.numbers(t, sale).Remaining)
		available, reserved := s.available(t)
		require.EqualValues(t, 3, reserved)
		require.EqualValues(t, 997, available)

		refused := s.must(t, 409, "PATCH", sale, object{"quantityDelta": -2}, "If-Match", tag())
		require.Equal(t, "sold_out", refused.Body["code"])
		require.EqualValues(t, 1, s.numbers(t, sale).Remaining)
		short := s.must(t, 409, "PATCH", sale, object{"quantityDelta": 2000}, "If-Match", tag())
		require.Equal(t, "insufficient_stock", short.Body["code"])
		require.Equal(t, 412, s.send(t, "PATCH", sale, object{"quantityDelta": -1}, "If-Match", `"zz-1"`).Status)
		require.EqualValues(t, 1, s.numbers(t, sale).Remaining)
		require.Equal(t, 422, s.send(t, "PATCH", sale, object{"price": 1}, "If-Match", tag()).Status, "customers rely on the price")
		require.Equal(t, 422, s.send(t, "PATCH", sale, object{"price": 1, "quantity": 2}, "If-Match", tag()).Status)
		require.EqualValues(t, 1, s.numbers(t, sale).Remaining, "units withheld for a rejected edit are for sale again")
		s.consume(t, sale)
		require.EqualValues(t, 2, s.numbers(t, sale).Confirmed)
	})
}

func TestSaleRequestsAreCheckedInTheOrderOfTheContract(t *testing.T) {
	onTables(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		const missing = "/flash-sales/999999999"
		for _, r := range []struct {
			method, path string
			body         any
			headers      []string
			status       int
			pointer      string
		}{
			{"POST", missing + "/reconcile?wait=x", nil, nil, 404, "(none)"},
			{"POST", sale + "/reconcile?wait=x", nil, nil, 400, "?wait"},
			{"POST", missing + "/dead/x/discard?wait=x", nil, nil, 404, "(none)"},
			{"POST", sale + "/dead/x/retry?wait=1", nil, nil, 400, "?wait"},
			{"GET", sale + "/dead?sort=id", nil, nil, 400, "?sort"},
			{"GET", "/flash-sales?createdFrom=2026-11-21T08:00:00Z", nil, nil, 400, "?createdFrom"},
			{"GET", "/flash-sales?status=gone", nil, nil, 400, "?status"},
			{"GET", "/flash-sales?q=" + strings.Repeat("q", 101), nil, nil, 400, "?q"},
			{"PATCH", missing, object{"quantityDelta": "x"}, nil, 404, "(none)"},
			{"PATCH", sale, object{"quantityDelta": "x"}, nil, 400, "/quantityDelta"},
			{"PATCH", sale, object{"quantityDelta": 1, "quantity": 9}, nil, 422, "/quantityDelta"},
			{"PATCH", sale, object{"quantityDelta": 100_000_001}, nil, 422, "/quantityDelta"},
			{"PATCH", sale, object{"quantityDelta": 1}, nil, 428, "(none)"},
			{"POST", missing + "/orders", object{}, nil, 403, "(none)"},
			{"POST", missing + "/orders", object{}, []string{"Customer", "7"}, 404, "(none)"},
			{"POST", sale + "/orders", object{}, nil, 403, "(none)"},
			{"POST", sale + "/orders", object{}, []string{"Customer", "7"}, 422, "/quantity"},
			{"POST", sale + "/pause", object{"reason": "tea"}, nil, 400, "/reason"},
		} {
			a := s.send(t, r.method, r.path, r.body, r.headers...)
			require.Equal(t, r.status, a.Status, "%s %s: %s", r.method, r.path, a.Text)
			require.Equal(t, r.pointer, a.Pointer(), "%s %s: %s", r.method, r.path, a.Text)
		}
		draft := s.plan(t, object{"endsTime": world.Opening.Add(time.Minute)})
		s.Clock.Advance(time.Hour)
		require.Equal(t, 412, s.send(t, "POST", draft+"/open", nil, "If-Match", `"zz-1"`).Status, "precondition before rules")
		require.Equal(t, "/endsTime", s.send(t, "POST", draft+"/open", nil).Pointer())
	})
}

func TestSaleOrderIsDueAtItsPaymentTimeout(t *testing.T) {
	for name, due := range map[string]struct{ timeout, within time.Duration }{
		"as it is set": {20 * time.Second, 20 * time.Second}, "of itself": {0, 15 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			onTables(t, func(t *testing.T, s *market) {
				deps := s.deps(s.gate, s.Orders)
				deps.PaymentTimeout = due.timeout
				s.sales = flashsale.New(deps)
				s.serve(s.sales)
				sale := s.open(t, nil)
				s.buy(t, sale, 7, 1)
				s.consume(t, sale)
				var order orders.Order
				require.NoError(t, s.DB.Read(s.Ctx).Where("user_id = '7'").Take(&order).Error)
				require.Equal(t, world.Opening.Add(due.within), order.PaymentDue.UTC())
			})
		})
	}
}

func TestQueueNamesOfFinishedSalesAreDeleted(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		open := s.plan(t, nil)
		s.must(t, 200, "POST", open+"/open", nil)
		for _, one := range []string{sale, open} {
			require.Equal(t, 202, s.buy(t, one, 7, 1).Status)
			s.consume(t, one)
		}
		names := func() []string {
			require.NoError(t, s.sales.DeleteQueueNames(s.worker(), 1))
			all, err := s.queues.Names(s.Ctx)
			require.NoError(t, err)
			return all
		}
		require.Subset(t, names(), []string{gate.QueueName(idOf(sale)), gate.QueueName(idOf(open))})
		s.must(t, 200, "POST", sale+"/close", nil)
		require.Eventually(t, func() bool {
			s.must(t, 200, "POST", sale+"/reconcile", nil)
			return !s.sales.Supervises(s.Ctx, idOf(sale))
		}, 30*time.Second, time.Millisecond)
		left := names()
		require.NotContains(t, left, gate.QueueName(idOf(sale)))
		require.Contains(t, left, gate.QueueName(idOf(open)))
	})
}

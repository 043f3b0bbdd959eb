package flashsale_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/internal/lock"
	"interlock/internal/mq"
	"interlock/internal/orders"
	"interlock/test/world"
)

// elsewhere returns the sales service of another process that does not share this one's
// locks, as after a pause longer than the lock's TTL.
func (s *market) elsewhere() *flashsale.Service {
	runner := uow.NewRunner(uow.Options{DB: s.DB, Locks: lock.NewInProcess(lock.Observer{}), Clock: s.Clock})
	return flashsale.New(flashsale.Deps{
		DB: s.DB, Runner: runner, Bus: s.Bus, Clock: s.Clock, Gate: s.gate, Queues: s.queues, Items: s.Catalog, Inventory: s.Inventory, Orders: s.Orders, Approvals: s.Approvals,
	})
}

// halting is an orders service that calls a function once, after a batch has read its facts
// and before it commits.
type halting struct {
	*orders.Service
	interrupt func()
}

func (h *halting) OfCustomers(ctx context.Context, sale int64, users []principal.CustomerID) ([]orders.SaleOrder, error) {
	found, err := h.Service.OfCustomers(ctx, sale, users)
	if interrupt := h.interrupt; interrupt != nil {
		h.interrupt = nil
		interrupt()
	}
	return found, err
}

// claimOne claims the only pending message.
func (s *market) claimOne(t *testing.T, sale string) *mq.Batch {
	t.Helper()
	batch, err := s.queues.Queue(gate.QueueName(idOf(sale))).Claim(s.Ctx, 100, time.Minute)
	require.NoError(t, err)
	require.Len(t, batch.Messages, 1)
	return batch
}

// comeBack expires a batch's lease.
func (s *market) comeBack(t *testing.T, sale string, batch *mq.Batch) {
	t.Helper()
	queue := s.queues.Queue(gate.QueueName(idOf(sale)))
	require.NoError(t, queue.Settle(s.Ctx, batch, []mq.Outcome{mq.Postpone(errors.New("its consumer died"), 0)}))
}

// Proves G5.20.
func TestClosedSoldOutSaleIsProcessedUntilTicketsEnd(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 1})
		ticket := s.buy(t, sale, 7, 1).Body["ticket"]
		batch := s.claimOne(t, sale)
		// A worker commits the order and dies before it updates the gate. The sale is
		// closed.
		died := s.with(&deaf{Gate: s.gate, deaf: true})
		require.Error(t, died.Handler(idOf(sale))(s.worker(), batch.Messages)[0].Err())
		s.must(t, 200, "POST", sale+"/close", nil)
		s.comeBack(t, sale, batch)

		looks := s.sales.Rounds()
		require.NoError(t, looks(s.worker()))
		require.True(t, s.sales.Supervises(s.Ctx, idOf(sale)), "a ticket of it is in flight")
		s.consume(t, sale)
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, ticket)["status"])
		require.Equal(t, gate.Counts{Epoch: 1, Allotted: 1, Confirmed: 1}, counters(s.numbers(t, sale)))
		require.NoError(t, looks(s.worker()))
		require.False(t, s.sales.Supervises(s.Ctx, idOf(sale)), "nothing of it is")
	})
}

// Proves G5.20.
func TestDeadLetterPreventsFinishingClosedSale(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 1})
		poison := &poisonous{s.Orders, 8}
		s.sales = s.selling(s.gate, poison)
		ticket := s.buy(t, sale, 8, 1).Body["ticket"].(string)
		s.consume(t, sale)
		s.must(t, 200, "POST", sale+"/close", nil)
		looks := s.sales.Rounds()
		for range 3 {
			require.NoError(t, looks(s.worker()))
		}
		require.True(t, s.sales.Supervises(s.Ctx, idOf(sale)))
		s.must(t, 204, "POST", sale+"/dead/"+ticket+"/discard", nil)
		for range 2 {
			require.NoError(t, looks(s.worker()))
		}
		require.False(t, s.sales.Supervises(s.Ctx, idOf(sale)))
		ended := s.ticket(t, sale, 8, ticket)
		require.Equal(t, "rejected", ended["status"])
		require.Equal(t, "discarded", ended["reason"])
	})
}

// Proves G5.20.
func TestClosedSaleWithTicketsInFlightIsNotFinished(t *testing.T) {
	for name, inFlight := range map[string]struct {
		// leave leaves an operation of a sold-out sale in flight; end completes it.
		leave func(t *testing.T, s *market, sale string)
		end   func(t *testing.T, s *market, sale string)
	}{
		"a ticket that has lost its message": {
			leave: func(t *testing.T, s *market, sale string) {
				batch := s.claimOne(t, sale)
				died := s.with(&deaf{Gate: s.gate, deaf: true})
				require.Error(t, died.Handler(idOf(sale))(s.worker(), batch.Messages)[0].Err())
				queue := s.queues.Queue(gate.QueueName(idOf(sale)))
				require.NoError(t, queue.Settle(s.Ctx, batch, []mq.Outcome{mq.Done()}))
			},
			end: func(_ *testing.T, s *market, _ string) { s.Clock.Advance(3 * time.Second) },
		},
		"a message with a ticket that the gate has lost": {
			leave: func(t *testing.T, s *market, sale string) {
				s.consume(t, sale)
				require.NoError(t, s.queues.Queue(gate.QueueName(idOf(sale))).Enqueue(s.Ctx, mq.Message{ID: "GHOST", Body: []byte(`{"user":"8","units":1}`)}))
			},
			end: func(t *testing.T, s *market, sale string) {
				s.consume(t, sale)
				require.EqualValues(t, 1, s.Count(t, &flashsale.Rejection{}, "ticket = 'GHOST' AND reason = 'lost'"))
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachMarket(t, func(t *testing.T, s *market) {
				sale := s.open(t, object{"quantity": 1})
				ticket := s.buy(t, sale, 7, 1).Body["ticket"]
				looks := s.sales.Rounds()
				require.NoError(t, looks(s.worker()))
				inFlight.leave(t, s, sale)
				s.must(t, 200, "POST", sale+"/close", nil)
				require.NoError(t, looks(s.worker()))
				require.True(t, s.sales.Supervises(s.Ctx, idOf(sale)))
				inFlight.end(t, s, sale)
				for range 2 {
					require.NoError(t, looks(s.worker()))
				}
				require.False(t, s.sales.Supervises(s.Ctx, idOf(sale)))
				require.Equal(t, "confirmed", s.ticket(t, sale, 7, ticket)["status"])
				require.EqualValues(t, 1, s.Count(t, &orders.Order{}, "1 = 1"))
			})
		})
	}
}

// Proves G5.28.
func TestReconcilerReleasesWithheldUnits(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, nil)
		// A process withholds units for an edit and ends before the change in SQL.
		require.NoError(t, s.gate.Withhold(s.Ctx, gate.Ref{Sale: idOf(sale), Epoch: 1}, 1, 8))
		require.EqualValues(t, 2, s.numbers(t, sale).Remaining)
		require.Equal(t, true, s.must(t, 200, "POST", sale+"/reconcile", nil).Body["consistent"])
		require.EqualValues(t, 10, s.numbers(t, sale).Remaining)
	})
}

// Proves G5.20.
func TestFinishedSaleReadsTicketsFromSQL(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
		sale := s.open(t, object{"quantity": 2})
		ticket := s.buy(t, sale, 7, 1, "X-Idempotency-Key", "k7").Body["ticket"]
		older := copyOf(t, client)
		s.consume(t, sale)
		s.must(t, 200, "POST", sale+"/close", nil)
		looks := s.sales.Rounds()
		for range 3 {
			require.NoError(t, looks(s.worker()))
		}
		require.False(t, s.sales.Supervises(s.Ctx, idOf(sale)))
		available, reserved := s.available(t)
		require.EqualValues(t, 999, available)
		require.EqualValues(t, 1, reserved)

		older.putBack(t)
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, ticket)["status"])
		require.Equal(t, "closed", s.buy(t, sale, 8, 1).Body["reason"], "its gate is open")
		replay := s.buy(t, sale, 7, 1, "X-Idempotency-Key", "k7")
		require.Equal(t, 202, replay.Status)
		require.Equal(t, ticket, replay.Body["ticket"])
		stats := s.must(t, 200, "GET", sale+"/stats", nil).Body
		require.EqualValues(t, 1, stats["confirmed"])
		require.EqualValues(t, 1, stats["allotted"])

		order := int64(s.ticket(t, sale, 7, ticket)["orderId"].(float64))
		s.must(t, 200, "POST", fmt.Sprintf("/orders/%d/cancel", order), object{"reason": "no"})
		available, reserved = s.available(t)
		require.EqualValues(t, 1000, available, "it goes straight back to the item's stock")
		require.Zero(t, reserved)
		require.Equal(t, "order_cancelled", s.ticket(t, sale, 7, ticket)["reason"])
		require.Equal(t, true, s.must(t, 200, "POST", sale+"/reconcile", nil).Body["consistent"])
	})
}

// Proves G5.6.
func TestPurchaseWithoutGateReplyIsUnknown(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
		sale := s.open(t, object{"perUserLimit": 9})
		replies := &losing{}
		client.AddHook(replies)
		for name, key := range map[string][]string{"with a key": {"X-Idempotency-Key", "k1"}, "without a key": nil} {
			t.Run(name, func(t *testing.T) {
				replies.times.Store(2)
				unknown := s.buy(t, sale, 7, 1, key...)
				require.Equal(t, 503, unknown.Status)
				require.Equal(t, "outcome_unknown", unknown.Body["code"], "never that nothing was changed")
				require.NotEmpty(t, unknown.Header.Get("Retry-After"))
				ticket := unknown.Body["ticket"].(string)
				require.Equal(t, "queued", s.ticket(t, sale, 7, ticket)["status"])
				if key == nil {
					return
				}
				again := s.buy(t, sale, 7, 1, key...)
				require.Equal(t, 202, again.Status)
				require.Equal(t, "true", again.Header.Get("X-Idempotency-Replay"))
				require.Equal(t, ticket, again.Body["ticket"])
			})
		}
		s.consume(t, sale)
		require.EqualValues(t, 2, s.Count(t, &orders.Order{}, "1 = 1"))
	})
}

// losing loses the replies of scripts that ran.
type losing struct{ times atomic.Int64 }

func (*losing) DialHook(next redis.DialHook) redis.DialHook { return next }
func (*losing) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}
func (l *losing) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		err := next(ctx, cmd)
		if strings.HasPrefix(cmd.Name(), "eval") && err == nil && l.times.Add(-1) >= 0 {
			err = &net.OpError{Op: "read", Err: errors.New("connection reset")}
			cmd.SetErr(err)
		}
		return err
	}
}

// Proves G5.11.
func TestEndedTicketSurvivesRestoreOfStore(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
		sale := s.open(t, nil)
		ticket := s.buy(t, sale, 7, 1, "X-Idempotency-Key", "k7").Body["ticket"].(string)
		waiting := copyOf(t, client)
		s.consume(t, sale)
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, ticket)["status"])
		waiting.putBack(t)
		known, err := s.gate.Ticket(s.Ctx, gate.Ref{Sale: idOf(sale), Epoch: 1}, ticket)
		require.NoError(t, err)
		require.Equal(t, gate.Queued, known.State, "the gate has it waiting")
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, ticket)["status"])
		s.consume(t, sale)
		require.EqualValues(t, 1, s.Count(t, &orders.Order{}, "1 = 1"))
		require.Equal(t, gate.Counts{Epoch: 1, Allotted: 10, Remaining: 9, Confirmed: 1}, counters(s.numbers(t, sale)))
	})
}

// The database was restored to a state older than the store's, or lost the order in another
// way.
// Proves R3.
func TestTicketWithLostOrderIsNotConfirmed(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, _ redis.UniversalClient) {
		sale := s.open(t, nil)
		ticket := s.buy(t, sale, 7, 1).Body["ticket"].(string)
		s.consume(t, sale)
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, ticket)["status"])
		require.NoError(t, s.DB.Write(s.Ctx).Exec("UPDATE orders SET ticket = 'elsewhere' WHERE tenant_id = ? AND ticket = ?", s.Tenant(), ticket).Error)
		reported := s.ticket(t, sale, 7, ticket)
		require.Equal(t, "rejected", reported["status"])
		require.Equal(t, "lost", reported["reason"])
	})
}

// Proves G5.11.
func TestRejectedTicketSurvivesRestoreOfStore(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
		sale := s.open(t, object{"perUserLimit": 1})
		empty := copyOf(t, client)
		first := s.buy(t, sale, 7, 1).Body["ticket"]
		s.consume(t, sale)
		empty.putBack(t)
		over := s.buy(t, sale, 7, 1).Body["ticket"]
		waiting := copyOf(t, client)
		s.consume(t, sale)
		require.Equal(t, "limit", s.ticket(t, sale, 7, over)["reason"])
		order := int64(s.ticket(t, sale, 7, first)["orderId"].(float64))
		require.NoError(t, s.cancel(order), "and the limit would allow it now")
		waiting.putBack(t)
		s.consume(t, sale)
		require.Equal(t, "limit", s.ticket(t, sale, 7, over)["reason"])
		require.EqualValues(t, 1, s.Count(t, &orders.Order{}, "1 = 1"))
	})
}

// Proves G5.9.
func TestTicketReportedLostIsNeverConfirmed(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
		sale := s.open(t, object{"perUserLimit": 1})
		older := copyOf(t, client)
		ticket := s.buy(t, sale, 7, 1, "X-Idempotency-Key", "k7").Body["ticket"].(string)
		batch := s.claimOne(t, sale)
		placer := &halting{Service: s.Orders}
		sales := s.selling(s.gate, placer)
		placer.interrupt = func() {
			older.putBack(t)
			reported, err := s.elsewhere().Follow(s.Ctx, idOf(sale), "7", ticket)
			require.NoError(t, err)
			require.Equal(t, gate.Rejected, reported.State)
			require.Equal(t, "lost", reported.Reason)
		}
		require.NoError(t, sales.Handler(idOf(sale))(s.worker(), batch.Messages)[0].Err())
		require.Nil(t, placer.interrupt)
		require.Zero(t, s.Count(t, &orders.Order{}, "1 = 1"), "a ticket reported as lost becomes no order")

		again := s.buy(t, sale, 7, 1, "X-Idempotency-Key", "k7b").Body["ticket"]
		repeated := s.buy(t, sale, 7, 1, "X-Idempotency-Key", "k7")
		require.Equal(t, 202, repeated.Status, "%v", repeated.Body)
		require.Equal(t, ticket, repeated.Body["ticket"], "its key has its ticket")
		s.consume(t, sale)
		require.Equal(t, "lost", s.ticket(t, sale, 7, ticket)["reason"])
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, again)["status"])
		stats := s.must(t, 200, "GET", sale+"/stats", nil).Body
		require.EqualValues(t, 1, stats["lost"])
		require.Equal(t, true, stats["balanced"])
		require.EqualValues(t, 1, s.Count(t, &uow.AuditRow{}, "action = ?", "flash_sale.lose"))
		require.Equal(t, true, s.must(t, 200, "POST", sale+"/reconcile", nil).Body["consistent"])
	})
}

// Proves G5.10.
func TestCustomerLimitSurvivesRestoreOfStore(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
		sale := s.open(t, object{"perUserLimit": 2})
		older := copyOf(t, client)
		first := s.buy(t, sale, 7, 2).Body["ticket"]
		s.consume(t, sale)
		older.putBack(t)
		second := s.buy(t, sale, 7, 2)
		require.Equal(t, 202, second.Status, "the gate has lost the first two")
		third := s.buy(t, sale, 8, 1).Body["ticket"]
		s.consume(t, sale)
		over := s.ticket(t, sale, 7, second.Body["ticket"])
		require.Equal(t, "rejected", over["status"])
		require.Equal(t, "limit", over["reason"])
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, first)["status"])
		require.Equal(t, "confirmed", s.ticket(t, sale, 8, third)["status"])
		sold, _ := s.soldInSQL(t, sale)
		require.EqualValues(t, 3, sold)
		require.Equal(t, true, s.must(t, 200, "POST", sale+"/reconcile", nil).Body["consistent"])
		require.Equal(t, "limit_reached", s.buy(t, sale, 7, 1).Body["code"], "the gate knows again")

		// A gate that is rebuilt from SQL alone also has the rejection.
		require.NoError(t, client.FlushAll(t.Context()).Err())
		require.Equal(t, true, s.must(t, 200, "POST", sale+"/reconcile", nil).Body["rebuilt"])
		known, err := s.gate.Ticket(s.Ctx, gate.Ref{Sale: idOf(sale), Epoch: 2}, second.Body["ticket"].(string))
		require.NoError(t, err)
		require.Equal(t, "limit", known.Reason)
	})
}

// Proves G5.10.
func TestLimitCountsAllTicketsOfACustomerInABatch(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"perUserLimit": 2})
		// The gate accepts three purchases, as after the loss of two of them.
		for i := range 3 {
			ticket := fmt.Sprintf("T%d", i)
			ref := gate.Ref{Sale: idOf(sale), Epoch: 1}
			_, err := s.gate.Admit(s.Ctx, gate.Purchase{Ref: ref, Ticket: ticket, User: fmt.Sprint(100 + i), Units: 1, Time: world.Opening})
			require.NoError(t, err)
		}
		queue := s.queues.Queue(gate.QueueName(idOf(sale)))
		batch, err := queue.Claim(s.Ctx, 10, time.Minute)
		require.NoError(t, err)
		same := &oneCustomer{Gate: s.gate, user: "7"}
		for _, outcome := range s.with(same).Handler(idOf(sale))(s.worker(), batch.Messages) {
			require.NoError(t, outcome.Err())
		}
		require.EqualValues(t, 2, s.Count(t, &orders.Order{}, "user_id = '7'"))
		require.EqualValues(t, 1, s.Count(t, &flashsale.Rejection{}, "reason = 'limit'"))
	})
}

// oneCustomer makes one customer the owner of all tickets.
type oneCustomer struct {
	gate.Gate
	user string
}

func (o *oneCustomer) Move(ctx context.Context, ref gate.Ref, steps []gate.Step) ([]gate.Moved, error) {
	moved, err := o.Gate.Move(ctx, ref, steps)
	for _, m := range moved {
		if m.Ticket != nil {
			m.Ticket.User = o.user
		}
	}
	return moved, err
}

// stopped is a gate that blocks the next Build.
type stopped struct {
	gate.Gate
	reached, goOn chan struct{}
}

func (g *stopped) Build(ctx context.Context, r gate.Rules, tickets []gate.Ticket) error {
	close(g.reached)
	<-g.goOn
	return g.Gate.Build(ctx, r, tickets)
}

// emptyGate deletes the gate of a sale from its store, tables or Redis.
func (s *market) emptyGate(t *testing.T, client redis.UniversalClient) {
	t.Helper()
	if client != nil {
		require.NoError(t, client.FlushAll(t.Context()).Err())
		return
	}
	for _, table := range []string{"flash_sale_gates", "flash_sale_tickets", "flash_sale_buyers"} {
		require.NoError(t, s.DB.Write(s.Ctx).Exec("DELETE FROM "+table+" WHERE tenant_id = ?", s.Tenant()).Error)
	}
}

// eachOwnShop is eachMarket with a separate Redis, which the test may empty.
func eachOwnShop(t *testing.T, test func(t *testing.T, s *market, client redis.UniversalClient)) {
	t.Run("tables", func(t *testing.T) {
		onTables(t, func(t *testing.T, s *market) { test(t, s, nil) })
	})
	t.Run("redis", func(t *testing.T) {
		onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) { test(t, s, client) })
	})
}

// Proves G5.14.
func TestStoppedRebuildDoesNotHarmNewerGate(t *testing.T) {
	eachOwnShop(t, func(t *testing.T, s *market, client redis.UniversalClient) {
		sale := s.open(t, nil)
		s.emptyGate(t, client)
		door := &stopped{Gate: s.gate, reached: make(chan struct{}), goOn: make(chan struct{})}
		slow := s.with(door)
		ended := make(chan error)
		go func() {
			_, err := slow.Reconcile(s.worker(), idOf(sale), time.Second)
			ended <- err
		}()
		<-door.reached
		found, err := s.elsewhere().Reconcile(s.worker(), idOf(sale), time.Second)
		require.NoError(t, err)
		require.True(t, found.Rebuilt)
		bought := s.buy(t, sale, 7, 1)
		require.Equal(t, 202, bought.Status, "%v", bought.Body)
		close(door.goOn)
		require.NoError(t, <-ended)
		s.consume(t, sale)
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, bought.Body["ticket"])["status"])
		require.Equal(t, gate.Counts{Epoch: 3, Allotted: 10, Remaining: 9, Confirmed: 1}, counters(s.numbers(t, sale)))
	})
}

// after is a gate with a callback that runs once, after Retire.
type after struct {
	gate.Gate
	retired func()
}

func (g *after) Retire(ctx context.Context, ref gate.Ref, replace bool) (bool, error) {
	over, err := g.Gate.Retire(ctx, ref, replace)
	if retired := g.retired; over && retired != nil {
		g.retired = nil
		retired()
	}
	return over, err
}

// Proves G5.14.
func TestNoAdmissionWhileGateIsReplaced(t *testing.T) {
	eachOwnShop(t, func(t *testing.T, s *market, client redis.UniversalClient) {
		door := &after{Gate: s.gate}
		s.sales = s.selling(door, s.Orders)
		sale := s.open(t, nil)
		if client != nil {
			require.NoError(t, client.HIncrBy(t.Context(), fmt.Sprintf("test:{%s}:gate", gate.QueueName(idOf(sale))), "remaining", 1).Err())
		} else {
			require.NoError(t, s.DB.Write(s.Ctx).Exec("UPDATE flash_sale_gates SET remaining = remaining + 1 WHERE tenant_id = ?", s.Tenant()).Error)
		}
		happened := false
		door.retired = func() {
			happened = true
			tag := s.must(t, 200, "GET", sale, nil).Body["etag"].(string)
			s.must(t, 200, "PATCH", sale, object{"name": "Evening sale"}, "If-Match", tag)
			require.Equal(t, "unavailable", s.buy(t, sale, 7, 1).Body["code"], "an edit does not open a gate during its replacement")
		}
		mended := s.must(t, 200, "POST", sale+"/reconcile", nil).Body
		require.True(t, happened)
		require.Equal(t, true, mended["rebuilt"])
		require.Equal(t, true, mended["consistent"])
		bought := s.buy(t, sale, 7, 1)
		require.Equal(t, 202, bought.Status)
		s.consume(t, sale)
		require.Equal(t, "confirmed", s.ticket(t, sale, 7, bought.Body["ticket"])["status"])
	})
}

// Proves G5.9.
func TestStoppedBatchDoesNotRejectSoldTickets(t *testing.T) {
	eachMarket(t, func(t *testing.T, s *market) {
		sale := s.open(t, object{"quantity": 1})
		first := s.buy(t, sale, 7, 1).Body["ticket"]
		s.consume(t, sale)
		// The gate accepts a second purchase although the only unit is sold.
		ref := gate.Ref{Sale: idOf(sale), Epoch: 1}
		wide := gate.Rules{Ref: ref, Version: 1, StockVersion: 1 << 40, Open: true, Starts: world.Opening, Ends: world.Opening.Add(time.Hour), PerUserLimit: 2, Allotted: 2}
		require.NoError(t, s.gate.Apply(s.Ctx, wide))
		second := s.buy(t, sale, 8, 1).Body["ticket"].(string)
		batch := s.claimOne(t, sale)
		placer := &halting{Service: s.Orders}
		sales := s.selling(s.gate, placer)
		placer.interrupt = func() {
			order := int64(s.ticket(t, sale, 7, first)["orderId"].(float64))
			require.NoError(t, s.cancel(order), "which frees the unit")
			require.NoError(t, s.elsewhere().Handler(idOf(sale))(s.worker(), batch.Messages)[0].Err())
			require.Equal(t, "confirmed", s.ticket(t, sale, 8, second)["status"])
		}
		require.NoError(t, sales.Handler(idOf(sale))(s.worker(), batch.Messages)[0].Err())
		require.Nil(t, placer.interrupt)
		require.Equal(t, "confirmed", s.ticket(t, sale, 8, second)["status"])
		known, err := s.gate.Ticket(s.Ctx, ref, second)
		require.NoError(t, err)
		require.Equal(t, gate.Confirmed, known.State)
		require.Zero(t, s.Count(t, &flashsale.Rejection{}, "1 = 1"))
	})
}

// TestPartialLossOfStoreIsRepaired drops keys like a server with full memory and an eviction
// policy.
// Proves G5.16.
func TestPartialLossOfStoreIsRepaired(t *testing.T) {
	for part, want := range map[string]string{
		"pending": "confirmed", "tickets": "rejected", "buyers": "rejected", "gate": "rejected",
	} {
		t.Run(part, func(t *testing.T) {
			onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
				sale := s.open(t, nil)
				sold := s.buy(t, sale, 6, 1).Body["ticket"]
				s.consume(t, sale)
				ticket := s.buy(t, sale, 7, 2).Body["ticket"]
				looks := s.sales.Rounds()
				require.NoError(t, looks(s.worker()))
				require.NoError(t, client.Del(t.Context(), fmt.Sprintf("test:{%s}:%s", gate.QueueName(idOf(sale)), part)).Err())
				s.Clock.Advance(3 * time.Second)
				require.NoError(t, looks(s.worker()))
				s.consume(t, sale)
				ended := s.ticket(t, sale, 7, ticket)
				require.Equal(t, want, ended["status"])
				if want == "rejected" {
					require.Equal(t, "lost", ended["reason"])
				}
				require.Equal(t, "confirmed", s.ticket(t, sale, 6, sold)["status"])
				r := s.must(t, 200, "POST", sale+"/reconcile", nil).Body
				require.Equal(t, true, r["consistent"])
				c := s.numbers(t, sale)
				require.Zero(t, c.InFlight())
			})
		})
	}
}

// Proves G5.20.
func TestClosedSaleWithLostGateIsFinished(t *testing.T) {
	for _, part := range []string{"tickets", "buyers", "gate", "epoch"} {
		t.Run(part, func(t *testing.T) {
			onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
				sale := s.open(t, nil)
				first := copyOf(t, client)
				s.emptyGate(t, client)
				require.Equal(t, true, s.must(t, 200, "POST", sale+"/reconcile", nil).Body["rebuilt"], "this is the second epoch")
				s.buy(t, sale, 7, 2)
				s.consume(t, sale)
				s.must(t, 200, "POST", sale+"/close", nil)
				if part == "epoch" {
					first.putBack(t)
				} else {
					require.NoError(t, client.Del(t.Context(), fmt.Sprintf("test:{%s}:%s", gate.QueueName(idOf(sale)), part)).Err())
				}
				looks := s.sales.Rounds()
				for range 4 {
					s.Clock.Advance(3 * time.Second)
					require.NoError(t, looks(s.worker()))
				}
				require.False(t, s.sales.Supervises(s.Ctx, idOf(sale)))
				available, reserved := s.available(t)
				require.Equal(t, [2]int64{998, 2}, [2]int64{available, reserved}, "unsold units are released")
			})
		})
	}
}

// Proves G5.16.
func TestReconcilerEndsDeadLettersOfLostTickets(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
		sale := s.open(t, nil)
		poison := &poisonous{s.Orders, 8}
		s.sales = s.selling(s.gate, poison)
		tickets := s.loseTicketsOfLetters(t, client, sale, 1)

		r := s.must(t, 200, "POST", sale+"/reconcile", nil).Body
		require.EqualValues(t, 1, r["repaired"])
		require.Equal(t, true, r["consistent"])
		require.Empty(t, s.must(t, 200, "GET", sale+"/dead", nil).Body["items"])
		require.Equal(t, "lost", s.ticket(t, sale, 8, tickets[0])["reason"])
	})
}

// loseTicketsOfLetters lets customer 8 buy n tickets, which become dead, and deletes these
// from the gate together with their counts.
func (s *market) loseTicketsOfLetters(t *testing.T, client redis.UniversalClient, sale string, n int) []string {
	t.Helper()
	tickets := make([]string, n)
	for i := range tickets {
		tickets[i] = s.buy(t, sale, 8, 1).Body["ticket"].(string)
	}
	s.consume(t, sale)
	require.EqualValues(t, n, s.numbers(t, sale).Dead)
	ref, key := gate.Ref{Sale: idOf(sale), Epoch: 1}, fmt.Sprintf("test:{%s}:", gate.QueueName(idOf(sale)))
	for _, ticket := range tickets {
		_, err := s.gate.Move(s.Ctx, ref, []gate.Step{{Ticket: ticket, From: gate.InFlight, To: gate.Rejected}})
		require.NoError(t, err)
		require.NoError(t, client.HDel(t.Context(), key+"tickets", ticket).Err())
		require.NoError(t, client.HIncrBy(t.Context(), key+"gate", "known", -1).Err())
	}
	return tickets
}

// decided is a gate in which one letter without a ticket is handled concurrently, and which
// becomes unreachable after some discards.
type decided struct {
	gate.Gate
	handled  string
	discards int
}

func (g *decided) FindInconsistencies(ctx context.Context, ref gate.Ref) (gate.Inconsistencies, error) {
	strays, err := g.Gate.FindInconsistencies(ctx, ref)
	strays.DeadMessages = append([]string{g.handled}, strays.DeadMessages...)
	return strays, err
}

func (g *decided) DiscardDead(ctx context.Context, ref gate.Ref, message string) error {
	if g.discards == 0 {
		return errors.New("connection reset")
	}
	g.discards--
	return g.Gate.DiscardDead(ctx, ref, message)
}

// Proves G5.26.
func TestSettledDeadLetterDoesNotBlockOthers(t *testing.T) {
	onRedis(t, func(t *testing.T, s *market, _ *redistest.Server, client redis.UniversalClient) {
		sale := s.open(t, object{"perUserLimit": 3})
		confirmed := s.buy(t, sale, 7, 1).Body["ticket"].(string)
		s.consume(t, sale)
		door := &decided{Gate: s.gate, handled: confirmed, discards: 1}
		s.sales = s.selling(door, &poisonous{s.Orders, 8})
		tickets := s.loseTicketsOfLetters(t, client, sale, 3)

		s.must(t, 503, "POST", sale+"/reconcile", nil)
		for _, ticket := range tickets {
			require.Equal(t, "lost", s.ticket(t, sale, 8, ticket)["reason"])
		}
		require.EqualValues(t, 1, s.Count(t, &uow.AuditRow{}, "action = ?", "flash_sale.lose"), "in one unit")
		require.EqualValues(t, 2, s.must(t, 200, "GET", sale+"/dead", nil).Body["total"])

		door.discards = 3
		require.EqualValues(t, 2, s.must(t, 200, "POST", sale+"/reconcile", nil).Body["repaired"])
		require.Empty(t, s.must(t, 200, "GET", sale+"/dead", nil).Body["items"])
	})
}

// Proves G5.21.
func TestSaleClosesByTheClockOfItsLastAdmission(t *testing.T) {
	now, gates := clock.NewFake(world.Opening), clock.NewFake(world.Opening)
	client := redistest.Connect(t, redistest.SharedURL(t))
	queues := mq.NewRedis(client, fmt.Sprintf("clocks:%d:", rand.Uint64()), mq.Options{Clock: now})
	s := newMarket(storagetest.Tenant(t), t, storagetest.MariaDB(t), now, queues, gate.NewRedis(client, queues, gates))
	sale := s.open(t, nil)
	now.Advance(time.Hour + time.Minute)
	require.NoError(t, s.sales.Round(s.worker()))
	require.Equal(t, "open", s.must(t, 200, "GET", sale, nil).Body["status"], "the worker's clock is a minute ahead")
	require.Equal(t, 202, s.buy(t, sale, 7, 1).Status)
	gates.Advance(time.Hour)
	require.Equal(t, "ended", s.buy(t, sale, 7, 1).Body["reason"])
	require.NoError(t, s.sales.Round(s.worker()))
	require.Equal(t, "closed", s.must(t, 200, "GET", sale, nil).Body["status"])
}

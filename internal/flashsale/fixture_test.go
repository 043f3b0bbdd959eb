package flashsale_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/internal/lock"
	"interlock/internal/mq"
	"interlock/internal/orders"
	"interlock/test/shop"
	"interlock/test/world"
)

func TestMain(m *testing.M) {
	slog.SetLogLoggerLevel(slog.LevelError)
	goleak.VerifyTestMain(m)
}

type object = world.Object

// market is a shop with flash sales.
type market struct {
	*shop.Shop
	gate   gate.Gate
	queues mq.Broker
	sales  *flashsale.Service
	caller *httpapitest.Caller
}

// gateInSQL returns a test with the gate in SQL.
func gateInSQL(test func(t *testing.T, s *market)) storagetest.Test {
	return func(t *testing.T, ctx context.Context, db *storage.DB) {
		now := clock.NewFake(world.Opening)
		queues := mq.NewSQL(db, now, mq.Options{})
		test(t, newMarket(ctx, t, db, now, queues, gate.NewSQL(db, queues, now)))
	}
}

// gateInRedis runs a test with the gate in Redis.
func gateInRedis(t *testing.T, test func(t *testing.T, s *market)) {
	t.Run("redis", func(t *testing.T) {
		now := clock.NewFake(world.Opening)
		client := redistest.Connect(t, redistest.SharedURL(t))
		queues := mq.NewRedis(client, fmt.Sprintf("test:%d:", rand.Uint64()), mq.Options{Clock: now})
		test(t, newMarket(storagetest.Tenant(t), t, storagetest.MariaDB(t), now, queues, gate.NewRedis(client, queues, now)))
	})
}

// onTables runs a test with the gate in SQL; see [storagetest.Each].
func onTables(t *testing.T, test func(t *testing.T, s *market)) {
	storagetest.Each(t, gateInSQL(test))
}

// onAllTables is onTables on both engines, for races.
func onAllTables(t *testing.T, test func(t *testing.T, s *market)) {
	storagetest.Both(t, gateInSQL(test))
}

// eachMarket runs a test with the gate in SQL and in Redis.
func eachMarket(t *testing.T, test func(t *testing.T, s *market)) {
	onTables(t, test)
	gateInRedis(t, test)
}

// allMarkets is eachMarket on both engines, for races and for the full course of a sale.
func allMarkets(t *testing.T, test func(t *testing.T, s *market)) {
	onAllTables(t, test)
	gateInRedis(t, test)
}

func newMarket(ctx context.Context, t *testing.T, db *storage.DB, now *clock.Fake, queues mq.Broker, door gate.Gate) *market {
	t.Helper()
	s := &market{gate: door, queues: queues}
	s.Shop = shop.OpenWith(ctx, t, db, shop.Options{Clock: now, Sales: backTo{s}})
	s.sales = s.with(door)
	s.serve(s.sales)
	return s
}

// with returns the sales service of another process, which uses another gate value.
func (s *market) with(door gate.Gate) *flashsale.Service {
	return flashsale.New(s.deps(door, s.Orders))
}

// placedBy is with, but with other orders.
func (s *market) placedBy(placer flashsale.Orders) *flashsale.Service {
	return flashsale.New(s.deps(s.gate, placer))
}

// selling is with, with other orders and with routes.
func (s *market) selling(door gate.Gate, placer flashsale.Orders) *flashsale.Service {
	sales := flashsale.New(s.deps(door, placer))
	s.serve(sales)
	return sales
}

func (s *market) deps(door gate.Gate, placer flashsale.Orders) flashsale.Deps {
	return flashsale.Deps{
		DB: s.DB, Runner: s.Runner, Bus: s.Bus, Clock: s.Clock, Gate: door, Queues: s.queues, Items: s.Catalog, Inventory: s.Inventory, Orders: placer, Approvals: s.Approvals,
	}
}

func (s *market) serve(sales *flashsale.Service) {
	s.caller = httpapitest.NewFor(byHeader{s.Ctx}, s.Runner, func(r *httpapi.Router) {
		s.Routes(r)
		flashsale.Routes(r, sales)
	})
}

// backTo resolves the sales service at the time of a cancellation, because orders are built
// before it.
type backTo struct{ market *market }

func (b backTo) ReturnUnits(ctx context.Context, u *uow.Unit, sale int64, ticket, holder string, units int64) error {
	return b.market.sales.ReturnUnits(ctx, u, sale, ticket, holder, units)
}

// byHeader authenticates a request with a Customer header as that customer, and any other
// request as the admin of ctx.
type byHeader struct{ ctx context.Context }

func (b byHeader) Authenticate(r *http.Request) (principal.Principal, error) {
	p, _ := principal.From(b.ctx)
	if id := principal.CustomerID(r.Header.Get("Customer")); id.Valid() {
		return principal.Principal{Kind: principal.Customer, TenantID: p.TenantID, CustomerID: id, Name: "customer"}, nil
	}
	return p, nil
}

func (s *market) send(t *testing.T, method, path string, body any, headers ...string) httpapitest.Answer {
	t.Helper()
	return s.caller.SendContext(context.WithoutCancel(s.Ctx), t, method, path, body, headers...)
}

func (s *market) must(t *testing.T, status int, method, path string, body any, headers ...string) httpapitest.Answer {
	t.Helper()
	a := s.send(t, method, path, body, headers...)
	require.Equal(t, status, a.Status, "%s %s: %v", method, path, a.Body)
	return a
}

// plan plans a sale of TEA-1 with terms and returns its path.
func (s *market) plan(t *testing.T, terms object) string {
	t.Helper()
	a := s.must(t, 201, "POST", "/flash-sales", termsWith(terms))
	return fmt.Sprintf("/flash-sales/%d", int64(a.Body["id"].(float64)))
}

// termsWith returns the terms of a sale, with some replaced by the test.
func termsWith(own object) object {
	terms := object{
		"name": "Noon sale", "sku": "TEA-1", "price": 500, "quantity": 10, "perUserLimit": 2,
		"startsTime": world.Opening, "endsTime": world.Opening.Add(time.Hour),
	}
	maps.Copy(terms, own)
	return terms
}

// open opens a sale of TEA-1 with a stock of 1,000.
func (s *market) open(t *testing.T, terms object) string {
	t.Helper()
	s.Stock(t, "TEA-1", 900, 1000)
	path := s.plan(t, terms)
	s.must(t, 200, "POST", path+"/open", nil)
	return path
}

func idOf(path string) int64 {
	id, _ := strconv.ParseInt(path[len("/flash-sales/"):], 10, 64)
	return id
}

func (s *market) buy(t *testing.T, sale string, user int64, quantity int, headers ...string) httpapitest.Answer {
	t.Helper()
	return s.send(t, "POST", sale+"/orders", object{"quantity": quantity}, append(headers, "Customer", strconv.FormatInt(user, 10))...)
}

func (s *market) ticket(t *testing.T, sale string, user int64, ticket any) object {
	t.Helper()
	return s.must(t, 200, "GET", sale+"/tickets/"+ticket.(string), nil, "Customer", strconv.FormatInt(user, 10)).Body
}

// numbers returns the counters of a sale, which must be balanced.
func (s *market) numbers(t *testing.T, sale string) gate.Counts {
	t.Helper()
	c, err := s.gate.Counts(s.Ctx, idOf(sale))
	require.NoError(t, err)
	require.True(t, c.Balanced(), "%+v", c)
	return c
}

// consume handles the queue until it is empty.
func (s *market) consume(t *testing.T, sale string) {
	t.Helper()
	queue := s.queues.Queue(gate.QueueName(idOf(sale)))
	for {
		batch, err := queue.Claim(s.Ctx, 100, time.Minute)
		require.NoError(t, err)
		if batch == nil {
			return
		}
		outcomes := s.sales.Handler(idOf(sale))(s.worker(), batch.Messages)
		for i, outcome := range outcomes {
			if outcome.Err() != nil {
				outcomes[i] = retried(batch.Messages[i], outcome)
			}
		}
		require.NoError(t, queue.Settle(s.Ctx, batch, outcomes))
		s.numbers(t, sale)
	}
}

// retried returns a failed outcome without the consumer's delay, or the death of the
// message.
func retried(m mq.Message, outcome mq.Outcome) mq.Outcome {
	if m.Attempts+1 >= 5 {
		return mq.Dead(outcome.Err())
	}
	return mq.Retry(outcome.Err(), 0)
}

// cancel cancels an order without a lock of this process.
func (s *market) cancel(order int64) error {
	runner := uow.NewRunner(uow.Options{DB: s.DB, Locks: lock.NewInProcess(lock.Observer{}), Clock: s.Clock})
	return runner.Do(s.Ctx, func(ctx context.Context, u *uow.Unit) error {
		found, err := s.Orders.Order(ctx, order)
		if err != nil {
			return err
		}
		_, err = s.Orders.Transition(ctx, u, found, orders.Cancellation{Reason: "no"}, nil)
		return err
	})
}

// worker returns a context that acts as the program.
func (s *market) worker() context.Context {
	p, _ := principal.From(s.Ctx)
	return principal.With(s.Ctx, principal.System(p.TenantID, "flash sale"))
}

// available returns the numbers of available and reserved units of TEA-1.
func (s *market) available(t *testing.T) (available, reserved int64) {
	t.Helper()
	a := s.must(t, 200, "GET", "/inventory/TEA-1", nil)
	return int64(a.Body["available"].(float64)), int64(a.Body["reserved"].(float64))
}

// soldInSQL returns the sold and allotted units in SQL.
func (s *market) soldInSQL(t *testing.T, sale string) (sold, allotted int64) {
	t.Helper()
	var stock flashsale.Stock
	require.NoError(t, s.DB.Read(s.Ctx).Where("sale_id = ?", idOf(sale)).Take(&stock).Error)
	return stock.Sold, stock.Allotted
}

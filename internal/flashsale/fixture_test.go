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

	"interlock/internal/approvals"
	"interlock/internal/approvals/approvalstest"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/redisconn/redistest"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/catalog"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/events"
	"interlock/internal/flashsale"
	"interlock/internal/flashsale/gate"
	"interlock/internal/inventory"
	"interlock/internal/lock"
	"interlock/internal/mq"
	"interlock/internal/orders"
	"interlock/internal/refunds"
	"interlock/internal/wallets"
)

func TestMain(m *testing.M) {
	slog.SetLogLoggerLevel(slog.LevelError)
	goleak.VerifyTestMain(m)
}

type object = map[string]any

var opening = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// shop is the domains that a flash sale touches, wired as app wires them.
type shop struct {
	ctx     context.Context
	db      *storage.DB
	clock   *clock.Fake
	runner  *uow.Runner
	bus     *events.InProcess
	gate    gate.Gate
	queues  mq.Broker
	items   *catalog.Service
	stock   *inventory.Service
	orders  *orders.Service
	refunds *refunds.Service
	sales   *flashsale.Service
	votes   *approvals.Service
	caller  *httpapitest.Caller
}

// onTables runs a test with the gate in SQL, on both engines.
func onTables(t *testing.T, test func(t *testing.T, s *shop)) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		now := clock.NewFake(opening)
		queues := mq.NewSQL(db, now, mq.Options{})
		test(t, newShop(ctx, t, db, now, queues, gate.NewSQL(db, queues, now)))
	})
}

// eachShop runs a test with the gate in SQL, on both engines, and in Redis.
func eachShop(t *testing.T, test func(t *testing.T, s *shop)) {
	onTables(t, test)
	t.Run("redis", func(t *testing.T) {
		now := clock.NewFake(opening)
		client := redistest.Connect(t, redistest.SharedURL(t))
		queues := mq.NewRedis(client, fmt.Sprintf("test:%d:", rand.Uint64()), mq.Options{Clock: now})
		test(t, newShop(storagetest.Tenant(t), t, storagetest.MariaDB(t), now, queues, gate.NewRedis(client, queues, now)))
	})
}

func newShop(ctx context.Context, t *testing.T, db *storage.DB, now *clock.Fake, queues mq.Broker, door gate.Gate) *shop {
	t.Helper()
	s := &shop{ctx: ctx, db: db, clock: now, gate: door, queues: queues}
	s.runner = uow.NewRunner(uow.Options{DB: db, Locks: lock.NewInProcess(lock.Observer{}), Clock: now})
	s.bus = events.NewInProcess(64)
	t.Cleanup(s.bus.Close)
	items := catalog.New(catalog.Deps{DB: db, Bus: s.bus, InUse: []catalog.InUse{orders.ItemInUse}})
	s.stock = inventory.New(inventory.Deps{DB: db, Bus: s.bus, Items: items})
	s.votes = approvals.New(approvals.Deps{DB: db, Runner: s.runner, Bus: s.bus, Clock: now, Tenancy: approvalstest.OneVote{}})
	money := wallets.New(wallets.Deps{DB: db, Bus: s.bus, Approvals: s.votes})
	promos := coupons.New(coupons.Deps{DB: db, Runner: s.runner, Bus: s.bus, Clock: now})
	s.orders = orders.New(orders.Deps{
		DB: db, Runner: s.runner, Bus: s.bus, Catalog: items, Coupons: promos, Stock: s.stock, Wallets: money, Sales: backTo{s}, Refunds: backTo{s},
	})
	s.refunds = refunds.New(refunds.Deps{DB: db, Bus: s.bus, Orders: s.orders, Stock: s.stock, Wallets: money, Approvals: s.votes})
	s.items = items
	s.sales = s.with(door)
	s.serve(s.sales)
	return s
}

// with returns the sales of another process, which reaches the gate in its own way.
func (s *shop) with(door gate.Gate) *flashsale.Service {
	return flashsale.New(s.deps(door, s.orders))
}

// placedBy is with, with orders of the test's own.
func (s *shop) placedBy(placer flashsale.Orders) *flashsale.Service {
	return flashsale.New(s.deps(s.gate, placer))
}

// selling is with, with orders of the test's own and routes to it.
func (s *shop) selling(door gate.Gate, placer flashsale.Orders) *flashsale.Service {
	sales := flashsale.New(s.deps(door, placer))
	s.serve(sales)
	return sales
}

func (s *shop) deps(door gate.Gate, placer flashsale.Orders) flashsale.Deps {
	return flashsale.Deps{
		DB: s.db, Runner: s.runner, Bus: s.bus, Clock: s.clock, Gate: door, Queues: s.queues, Items: s.items, Inventory: s.stock, Orders: placer, Approvals: s.votes,
	}
}

func (s *shop) serve(sales *flashsale.Service) {
	s.caller = httpapitest.NewFor(byHeader{s.ctx}, s.runner, func(r *httpapi.Router) {
		catalog.Routes(r, s.items)
		inventory.Routes(r, s.stock)
		orders.Routes(r, s.orders)
		refunds.Routes(r, s.refunds)
		flashsale.Routes(r, sales)
	})
}

// backTo joins orders to sales as app joins them.
type backTo struct{ shop *shop }

func (b backTo) ReturnUnits(ctx context.Context, u *uow.Unit, sale int64, ticket, holder string, units int64) error {
	return b.shop.sales.ReturnUnits(ctx, u, sale, ticket, holder, units)
}

func (b backTo) RefundRest(ctx context.Context, u *uow.Unit, cancelled *orders.Order, rest int64) error {
	return b.shop.refunds.RefundRest(ctx, u, cancelled, rest)
}

// byHeader takes who names a customer for that customer and everybody else for the
// admin of ctx.
type byHeader struct{ ctx context.Context }

func (b byHeader) Authenticate(r *http.Request) (principal.Principal, error) {
	p, _ := principal.From(b.ctx)
	if id := principal.CustomerID(r.Header.Get("Customer")); id.Valid() {
		return principal.Principal{Kind: principal.Customer, TenantID: p.TenantID, CustomerID: id, Name: "customer"}, nil
	}
	return p, nil
}

func (s *shop) send(t *testing.T, method, path string, body any, headers ...string) httpapitest.Answer {
	t.Helper()
	return s.caller.SendContext(context.WithoutCancel(s.ctx), t, method, path, body, headers...)
}

func (s *shop) must(t *testing.T, status int, method, path string, body any, headers ...string) httpapitest.Answer {
	t.Helper()
	a := s.send(t, method, path, body, headers...)
	require.Equal(t, status, a.Status, "%s %s: %v", method, path, a.Body)
	return a
}

// stocked adds an item with pieces in stock.
func (s *shop) stocked(t *testing.T, sku string, pieces int64) {
	t.Helper()
	s.must(t, 201, "POST", "/items", object{"sku": sku, "name": "Item " + sku, "price": 900})
	s.must(t, 201, "POST", "/inventory/"+sku+"/adjustments", object{"delta": pieces, "reason": "opening stock", "reference": "opening"})
}

// plan plans a sale of TEA-1 on the terms given and returns its path.
func (s *shop) plan(t *testing.T, terms object) string {
	t.Helper()
	a := s.must(t, 201, "POST", "/flash-sales", termsWith(terms))
	return fmt.Sprintf("/flash-sales/%d", int64(a.Body["id"].(float64)))
}

// termsWith are those of a sale, with some of a test's own.
func termsWith(own object) object {
	terms := object{
		"name": "Noon sale", "sku": "TEA-1", "price": 500, "quantity": 10, "perUserLimit": 2,
		"startsTime": opening, "endsTime": opening.Add(time.Hour),
	}
	maps.Copy(terms, own)
	return terms
}

// open opens a sale of TEA-1, of which there are 1,000.
func (s *shop) open(t *testing.T, terms object) string {
	t.Helper()
	s.stocked(t, "TEA-1", 1000)
	path := s.plan(t, terms)
	s.must(t, 200, "POST", path+"/open", nil)
	return path
}

func idOf(path string) int64 {
	id, _ := strconv.ParseInt(path[len("/flash-sales/"):], 10, 64)
	return id
}

func (s *shop) buy(t *testing.T, sale string, user int64, quantity int, headers ...string) httpapitest.Answer {
	t.Helper()
	return s.send(t, "POST", sale+"/orders", object{"quantity": quantity}, append(headers, "Customer", strconv.FormatInt(user, 10))...)
}

func (s *shop) ticket(t *testing.T, sale string, user int64, ticket any) object {
	t.Helper()
	return s.must(t, 200, "GET", sale+"/tickets/"+ticket.(string), nil, "Customer", strconv.FormatInt(user, 10)).Body
}

// numbers are the counters of a sale, which must be balanced.
func (s *shop) numbers(t *testing.T, sale string) gate.Counts {
	t.Helper()
	c, err := s.gate.Counts(s.ctx, idOf(sale))
	require.NoError(t, err)
	require.True(t, c.Balanced(), "%+v", c)
	return c
}

// consume handles what is queued until nothing is.
func (s *shop) consume(t *testing.T, sale string) {
	t.Helper()
	queue := s.queues.Queue(gate.QueueName(idOf(sale)))
	for {
		batch, err := queue.Claim(s.ctx, 100, time.Minute)
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
		require.NoError(t, queue.Settle(s.ctx, batch, outcomes))
		s.numbers(t, sale)
	}
}

// retried is a failed outcome without the delay that a consumer gives it, or its death.
func retried(m mq.Message, outcome mq.Outcome) mq.Outcome {
	if m.Attempts+1 >= 5 {
		return mq.Dead(outcome.Err())
	}
	return mq.Retry(outcome.Err(), 0)
}

func (s *shop) tenant() int64 {
	p, _ := principal.From(s.ctx)
	return p.TenantID
}

// cancel cancels an order under no lock of this process.
func (s *shop) cancel(order int64) error {
	runner := uow.NewRunner(uow.Options{DB: s.db, Locks: lock.NewInProcess(lock.Observer{}), Clock: s.clock})
	return runner.Do(s.ctx, func(ctx context.Context, u *uow.Unit) error {
		found, err := s.orders.Order(ctx, order)
		if err != nil {
			return err
		}
		_, err = s.orders.Transition(ctx, u, found, orders.Cancellation{Reason: "no"}, nil)
		return err
	})
}

// worker is the context of the program working by itself.
func (s *shop) worker() context.Context {
	p, _ := principal.From(s.ctx)
	return principal.With(s.ctx, principal.System(p.TenantID, "flash sale"))
}

func (s *shop) count(t *testing.T, model any, condition string, args ...any) int64 {
	t.Helper()
	var n int64
	require.NoError(t, s.db.Read(s.ctx).Model(model).Where(condition, args...).Count(&n).Error)
	return n
}

// available is how many pieces of TEA-1 nobody was promised, and how many were.
func (s *shop) available(t *testing.T) (available, reserved int64) {
	t.Helper()
	a := s.must(t, 200, "GET", "/inventory/TEA-1", nil)
	return int64(a.Body["available"].(float64)), int64(a.Body["reserved"].(float64))
}

// soldInSQL is what SQL counts as sold and as allotted.
func (s *shop) soldInSQL(t *testing.T, sale string) (sold, allotted int64) {
	t.Helper()
	var stock flashsale.Stock
	require.NoError(t, s.db.Read(s.ctx).Where("sale_id = ?", idOf(sale)).Take(&stock).Error)
	return stock.Sold, stock.Allotted
}

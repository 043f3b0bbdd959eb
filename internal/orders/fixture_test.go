package orders_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/approvals"
	"interlock/internal/approvals/approvalstest"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/catalog"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/events"
	"interlock/internal/inventory"
	"interlock/internal/lock"
	"interlock/internal/orders"
	"interlock/internal/refunds"
	"interlock/internal/wallets"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shop is items, stock, wallets, coupons and orders, wired as app wires them, and called by the
// principal of ctx.
type shop struct {
	*httpapitest.Caller
	ctx     context.Context
	db      *storage.DB
	clock   *clock.Fake
	runner  *uow.Runner
	coupons *coupons.Service
	orders  *orders.Service
	refunds *refunds.Service
	stock   *inventory.Service
	wallets *wallets.Service
}

var opening = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

func open(ctx context.Context, t *testing.T, db *storage.DB) *shop {
	t.Helper()
	return openWith(ctx, t, db, lock.NewInProcess(lock.Observer{}))
}

func openWith(ctx context.Context, t *testing.T, db *storage.DB, locks lock.Locker) *shop {
	t.Helper()
	now := clock.NewFake(opening)
	runner := uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: now})
	bus := events.NewInProcess(16)
	t.Cleanup(bus.Close)
	s := &shop{ctx: ctx, db: db, clock: now, runner: runner}
	items := catalog.New(catalog.Deps{DB: db, Bus: bus, InUse: []catalog.InUse{orders.ItemInUse}})
	s.coupons = coupons.New(coupons.Deps{DB: db, Runner: runner, Bus: bus, Clock: now})
	s.stock = inventory.New(inventory.Deps{DB: db, Bus: bus, Items: items})
	votes := approvals.New(approvals.Deps{DB: db, Runner: runner, Bus: bus, Clock: now, Tenancy: approvalstest.OneVote{}})
	s.wallets = wallets.New(wallets.Deps{DB: db, Bus: bus, Approvals: votes})
	s.orders = orders.New(orders.Deps{
		DB: db, Runner: runner, Bus: bus, Catalog: items, Coupons: s.coupons, Stock: s.stock, Wallets: s.wallets, Refunds: refundsOf{s},
	})
	s.refunds = refunds.New(refunds.Deps{DB: db, Bus: bus, Orders: s.orders, Stock: s.stock, Wallets: s.wallets, Approvals: votes})
	s.Caller = httpapitest.New(ctx, runner, func(r *httpapi.Router) {
		catalog.Routes(r, items)
		coupons.Routes(r, s.coupons)
		orders.Routes(r, s.orders)
		refunds.Routes(r, s.refunds)
		inventory.Routes(r, s.stock)
		wallets.Routes(r, s.wallets)
	})
	return s
}

// refundsOf looks refunds up when an order is cancelled, as app does.
type refundsOf struct{ shop *shop }

func (r refundsOf) RefundRest(ctx context.Context, u *uow.Unit, cancelled *orders.Order, rest int64) error {
	return r.shop.refunds.RefundRest(ctx, u, cancelled, rest)
}

type object = map[string]any

func (s *shop) create(t *testing.T, path string, body any) object {
	t.Helper()
	a := s.Send(t, http.MethodPost, path, body)
	require.Equal(t, http.StatusCreated, a.Status, a.Body)
	return a.Body
}

// item adds an item of which there is plenty.
func (s *shop) item(t *testing.T, sku string, price int64) {
	t.Helper()
	s.scarce(t, sku, price, 1_000_000_000)
}

// scarce adds an item of which there are so many pieces.
func (s *shop) scarce(t *testing.T, sku string, price, pieces int64) {
	t.Helper()
	s.create(t, "/items", object{"sku": sku, "name": "Item " + sku, "price": price})
	s.create(t, "/inventory/"+sku+"/adjustments", object{"delta": pieces, "reason": "opening stock", "reference": "opening"})
}

// fund gives a user money.
func (s *shop) fund(t *testing.T, user principal.CustomerID, amount int64) {
	t.Helper()
	s.create(t, "/wallets/"+url.PathEscape(string(user))+"/entries", object{"amount": amount, "kind": "topup", "reference": "opening"})
}

// place places an order of one piece of one item.
func (s *shop) place(t *testing.T, sku string) object {
	t.Helper()
	return s.create(t, "/orders", object{"userId": buyer, "items": []object{{"sku": sku, "quantity": 1}}})
}

// coupon issues one coupon of a campaign of its own, on the terms given.
func (s *shop) coupon(t *testing.T, terms object, holder any) string {
	t.Helper()
	body := object{
		"name": "Spring", "kind": "amount", "value": 500, "minimumAmount": 0, "total": 10, "perUser": 10,
		"validFrom": opening, "validTo": opening.Add(time.Hour),
	}
	for name, value := range terms {
		body[name] = value
	}
	campaign := s.create(t, "/coupon-campaigns", body)
	asked := object{"count": 1}
	if holder != nil {
		asked = object{"userIds": []any{holder}}
	}
	issued := s.create(t, fmt.Sprintf("/coupon-campaigns/%d/coupons", idOf(campaign)), asked)
	return issued["codes"].([]any)[0].(string)
}

func (s *shop) count(t *testing.T, model any, condition string, args ...any) int64 {
	t.Helper()
	var n int64
	require.NoError(t, s.db.Read(s.ctx).Model(model).Where(condition, args...).Count(&n).Error)
	return n
}

func idOf(representation object) int64 { return int64(representation["id"].(float64)) }

func path(order object) string { return fmt.Sprintf("/orders/%d", idOf(order)) }

// as returns the context as another admin of the same tenant.
func (s *shop) as(id int64, name string) context.Context {
	p, _ := principal.From(s.ctx)
	p.UserID, p.Name = id, name
	return principal.With(s.ctx, p)
}

package refunds_test

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
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/catalog"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/edge/idempotency"
	"interlock/internal/events"
	"interlock/internal/inventory"
	"interlock/internal/lock"
	"interlock/internal/orders"
	"interlock/internal/refunds"
	"interlock/internal/wallets"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shop is refunds and what they stand on, wired as app wires them. The embedded caller is the
// principal of ctx, whose name is Tester; boss is somebody else, who may approve what the
// caller has requested.
type shop struct {
	*httpapitest.Caller
	boss    *httpapitest.Caller
	ctx     context.Context
	db      *storage.DB
	runner  *uow.Runner
	keeper  *idempotency.Keeper
	items   *catalog.Service
	coupons *coupons.Service
	orders  *orders.Service
	refunds *refunds.Service
	stock   *inventory.Service
	wallets *wallets.Service
	// above are the tenant's thresholds, which last changed at rulesSince.
	approvals  *approvals.Service
	above      map[string]int64
	rulesSince time.Time
}

var opening = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// buyer is the user of the orders here.
const buyer principal.CustomerID = "li/42@example.com"

func open(ctx context.Context, t *testing.T, db *storage.DB) *shop {
	t.Helper()
	return openWith(ctx, t, db, lock.NewInProcess(lock.Observer{}))
}

func openWith(ctx context.Context, t *testing.T, db *storage.DB, locks lock.Locker) *shop {
	t.Helper()
	now := clock.NewFake(opening)
	s := &shop{ctx: ctx, db: db, runner: uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: now})}
	s.keeper = idempotency.New(idempotency.Deps{DB: db, Locks: locks, Clock: now, Epochs: epoch.NewWatch(db, now)})
	bus := events.NewInProcess(16)
	t.Cleanup(bus.Close)
	s.items = catalog.New(catalog.Deps{DB: db, Bus: bus, InUse: []catalog.InUse{orders.ItemInUse}})
	s.coupons = coupons.New(coupons.Deps{DB: db, Runner: s.runner, Bus: bus, Clock: now})
	s.stock = inventory.New(inventory.Deps{DB: db, Bus: bus, Items: s.items})
	s.above = map[string]int64{}
	s.approvals = approvals.New(approvals.Deps{DB: db, Runner: s.runner, Bus: bus, Clock: now, Tenancy: approvalstest.OneVote{Above: s.above, Since: &s.rulesSince}})
	s.wallets = wallets.New(wallets.Deps{DB: db, Bus: bus, Approvals: s.approvals})
	s.orders = orders.New(orders.Deps{
		DB: db, Runner: s.runner, Bus: bus, Catalog: s.items, Coupons: s.coupons, Stock: s.stock, Wallets: s.wallets, Refunds: refundsOf{s},
	})
	s.refunds = refunds.New(refunds.Deps{DB: db, Bus: bus, Orders: s.orders, Stock: s.stock, Wallets: s.wallets, Approvals: s.approvals})
	s.Caller, s.boss = s.as(7, "Tester", "*"), s.as(8, "Ana", "*")
	return s
}

// refundsOf looks refunds up when an order is cancelled, as app does.
type refundsOf struct{ shop *shop }

func (r refundsOf) RefundRest(ctx context.Context, u *uow.Unit, cancelled *orders.Order, rest int64) error {
	return r.shop.refunds.RefundRest(ctx, u, cancelled, rest)
}

// as returns another user of the same tenant, with a token that holds so much.
func (s *shop) as(id int64, name string, permissions ...string) *httpapitest.Caller {
	p, _ := principal.From(s.ctx)
	p.Kind, p.UserID, p.Name, p.Permissions = principal.Token, id, name, permissions
	return httpapitest.NewKeyed(principal.With(s.ctx, p), s.runner, s.keeper, func(r *httpapi.Router) {
		catalog.Routes(r, s.items)
		coupons.Routes(r, s.coupons)
		orders.Routes(r, s.orders)
		refunds.Routes(r, s.refunds)
		inventory.Routes(r, s.stock)
		wallets.Routes(r, s.wallets)
		approvals.Routes(r, s.approvals)
	})
}

type object = map[string]any

func must(t *testing.T, c *httpapitest.Caller, status int, path string, body any, headers ...string) object {
	t.Helper()
	a := c.Send(t, http.MethodPost, path, body, headers...)
	require.Equal(t, status, a.Status, "POST %s: %v", path, a.Body)
	return a.Body
}

// item adds an item with so many pieces.
func (s *shop) item(t *testing.T, sku string, price, pieces int64) {
	t.Helper()
	must(t, s.Caller, 201, "/items", object{"sku": sku, "name": "Item " + sku, "price": price})
	must(t, s.Caller, 201, "/inventory/"+sku+"/adjustments", object{"delta": pieces, "reason": "opening stock", "reference": "opening"})
}

func (s *shop) fund(t *testing.T, amount int64) {
	t.Helper()
	must(t, s.Caller, 201, "/wallets/"+url.PathEscape(string(buyer))+"/entries", object{"amount": amount, "kind": "topup", "reference": "opening"})
}

// paid places an order of items by their quantities and pays it.
func (s *shop) paid(t *testing.T, method string, items ...object) object {
	t.Helper()
	order := must(t, s.Caller, 201, "/orders", object{"userId": buyer, "items": items})
	return must(t, s.Caller, 200, path(order)+"/pay", object{"method": method})
}

func of(sku string, quantity int) object { return object{"sku": sku, "quantity": quantity} }

// ofOrder reads the order of a refund, or an order again.
func (s *shop) read(t *testing.T, path string) object {
	t.Helper()
	a := s.Send(t, http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, a.Status, a.Body)
	return a.Body
}

// request requests a refund.
func (s *shop) request(t *testing.T, order object, body object) object {
	t.Helper()
	if body["reason"] == nil {
		body["reason"] = "broken"
	}
	return must(t, s.Caller, 201, path(order)+"/refunds", body)
}

// money is what an order says of its payment.
func money(order object) [4]float64 {
	return [4]float64{order["paid"].(float64), order["refundReserved"].(float64), order["refunded"].(float64), order["refundable"].(float64)}
}

func (s *shop) balance(t *testing.T) int64 {
	t.Helper()
	wallet, err := s.wallets.Wallet(s.ctx, buyer)
	require.NoError(t, err)
	return wallet.Balance
}

func (s *shop) available(t *testing.T, sku string) [2]float64 {
	t.Helper()
	stock := s.read(t, "/inventory/"+sku)
	return [2]float64{stock["onHand"].(float64), stock["reserved"].(float64)}
}

func (s *shop) count(t *testing.T, model any, condition string, args ...any) int64 {
	t.Helper()
	var n int64
	require.NoError(t, s.db.Read(s.ctx).Model(model).Where(condition, args...).Count(&n).Error)
	return n
}

func idOf(representation object) int64 { return int64(representation["id"].(float64)) }

func path(order object) string   { return fmt.Sprintf("/orders/%d", idOf(order)) }
func found(refund object) string { return fmt.Sprintf("/refunds/%d", idOf(refund)) }

// requireBooks holds the orders of the tenant against their refunds, those against the wallet
// entries and the movements of stock, and each version against its history.
func (s *shop) requireBooks(t *testing.T) {
	t.Helper()
	db := s.db.Read(s.ctx)
	var all []refunds.Refund
	require.NoError(t, db.Find(&all).Error)
	reserved, settled := map[int64]int64{}, map[int64]int64{}
	for _, refund := range all {
		switch name := refunds.Machine.Of(refund.Status).Name; name {
		case "requested", "approved", "unknown":
			reserved[refund.OrderID] += refund.Amount
		case "settled":
			settled[refund.OrderID] += refund.Amount
		}
		entries := int64(0)
		if refund.Method == "wallet" && refunds.Machine.Of(refund.Status).Name == "settled" {
			entries = 1
		}
		reference := fmt.Sprintf("@refunds/%d", refund.ID)
		require.Equal(t, entries, s.count(t, &wallets.Entry{}, "reference = ? AND kind = 'refund' AND amount = ?", reference, refund.Amount), "entries of %s", reference)
		require.Equal(t, entries, s.count(t, &wallets.Entry{}, "reference = ?", reference), "entries of %s", reference)
		require.Equal(t, refund.Version, s.count(t, &refunds.Event{}, "refund_id = ?", refund.ID), "each version has one row of history")
	}
	require.EqualValues(t, s.count(t, &wallets.Entry{}, "kind = 'refund'"), s.count(t, &refunds.Refund{}, "method = 'wallet' AND status = 3"))
	var rows []orders.Order
	require.NoError(t, db.Find(&rows).Error)
	for _, order := range rows {
		require.Equal(t, [2]int64{reserved[order.ID], settled[order.ID]}, [2]int64{order.RefundReserved, order.Refunded}, order.OrderNo)
		require.GreaterOrEqual(t, order.RefundReserved, int64(0))
		require.LessOrEqual(t, order.Refunded+order.RefundReserved, order.Paid, order.OrderNo)
		require.Equal(t, order.Version, s.count(t, &orders.Event{}, "order_id = ?", order.ID), "each version has one row of history")
	}
	var sums []struct{ Have, Ledger int64 }
	require.NoError(t, db.Model(&wallets.Wallet{}).
		Select("wallets.balance AS have, (SELECT SUM(e.amount) FROM wallet_entries e WHERE e.tenant_id = wallets.tenant_id AND e.user_id = wallets.user_id) AS ledger").Scan(&sums).Error)
	for _, sum := range sums {
		require.Equal(t, sum.Ledger, sum.Have)
	}
}

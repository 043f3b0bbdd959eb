// Package shop is a fixture of the domains that sell (catalog, inventory, wallets, coupons, orders,
// refunds, returns and their approvals), wired as package app wires them, and contains the tests of these
// domains over HTTP.
package shop

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"interlock/internal/approvals"
	"interlock/internal/approvals/approvalstest"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/catalog"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/edge/httpapi"
	"interlock/internal/inventory"
	"interlock/internal/lock"
	"interlock/internal/orders"
	"interlock/internal/payments"
	"interlock/internal/refunds"
	"interlock/internal/returns"
	"interlock/internal/views/promises"
	"interlock/internal/wallets"
	"interlock/test/world"
)

type object = world.Object

// Buyer is the customer of the orders that Place and Pay create.
const Buyer principal.CustomerID = "li/42@example.com"

// Shop is the services on one world and their routes.
type Shop struct {
	*world.World
	Approvals *approvals.Service
	Catalog   *catalog.Service
	Inventory *inventory.Service
	Wallets   *wallets.Service
	Coupons   *coupons.Service
	Payments  *payments.Service
	Orders    *orders.Service
	Refunds   *refunds.Service
	Returns   *returns.Service
	// Above has the approval thresholds of the tenant by kind. RulesSince is when they last changed.
	Above      map[string]int64
	RulesSince time.Time
	// SelfApproved are the kinds of changes that requesters decide on alone.
	SelfApproved []string
	// Unpaid is the time after which unpaid orders are cancelled; 0 for never.
	Unpaid time.Duration
}

// Options replaces parts of a shop.
type Options struct {
	// Locks and Clock are those of [world.Options].
	Locks lock.Locker
	Clock *clock.Fake
	// Sales receives the units of cancelled orders of flash sales; nil for none.
	Sales orders.Sales
}

// Open returns a shop on a database. Requests act as the principal of ctx.
func Open(ctx context.Context, t testing.TB, db *storage.DB) *Shop {
	t.Helper()
	return OpenWith(ctx, t, db, Options{})
}

// OpenWith is Open with some parts replaced.
func OpenWith(ctx context.Context, t testing.TB, db *storage.DB, o Options) *Shop {
	t.Helper()
	w := world.New(ctx, t, db, world.Options{Locks: o.Locks, Clock: o.Clock})
	s := &Shop{World: w, Above: map[string]int64{}}
	s.Approvals = approvals.New(approvals.Deps{
		DB: db, Runner: w.Runner, Bus: w.Bus, Clock: w.Clock, Tenancy: approvalstest.OneVote{Above: s.Above, Since: &s.RulesSince, SelfApproved: &s.SelfApproved},
	})
	s.Catalog = catalog.New(catalog.Deps{DB: db, Bus: w.Bus, InUse: []catalog.InUse{orders.ItemInUse, inventory.ItemInUse}})
	s.Inventory = inventory.New(inventory.Deps{DB: db, Bus: w.Bus, Items: s.Catalog})
	s.Wallets = wallets.New(wallets.Deps{DB: db, Bus: w.Bus, Clock: w.Clock, Approvals: s.Approvals})
	s.Coupons = coupons.New(coupons.Deps{DB: db, Runner: w.Runner, Bus: w.Bus, Clock: w.Clock, OrderOwner: orders.OwnerOf})
	s.Payments = payments.New(payments.Deps{DB: db, Bus: w.Bus, Approvals: s.Approvals})
	s.Orders = orders.New(s.orderDeps(o.Sales))
	s.Refunds = refunds.New(refunds.Deps{DB: db, Bus: w.Bus, Approvals: s.Approvals, Orders: s.Orders, Stock: s.Inventory, Wallets: s.Wallets})
	s.Returns = returns.New(returns.Deps{DB: db, Bus: w.Bus, Orders: s.Orders, Refunds: s.Refunds, Stock: s.Inventory})
	w.Serve(s.Routes)
	return s
}

func (s *Shop) orderDeps(sales orders.Sales) orders.Deps {
	return orders.Deps{
		DB: s.DB, Runner: s.Runner, Bus: s.Bus, Catalog: s.Catalog, Coupons: s.Coupons, Stock: s.Inventory, Wallets: s.Wallets,
		Payments: s.Payments, Sales: sales, Refunds: refundsOf{s}, Deadlines: s,
	}
}

// UnpaidAfter implements orders.Deadlines.
func (s *Shop) UnpaidAfter(context.Context) (time.Duration, error) { return s.Unpaid, nil }

// refundsOf finds the refunds at the time of a cancellation, because orders are built before them.
type refundsOf struct{ shop *Shop }

func (r refundsOf) TakeOver(ctx context.Context, u *uow.Unit, order *orders.Order) (map[int64]int64, error) {
	return r.shop.Refunds.TakeOver(ctx, u, order)
}

func (r refundsOf) RefundRest(ctx context.Context, u *uow.Unit, cancelled *orders.Order, payment *payments.Payment, rest int64) (int64, error) {
	return r.shop.Refunds.RefundRest(ctx, u, cancelled, payment, rest)
}

// Routes adds the routes of the shop.
func (s *Shop) Routes(r *httpapi.Router) {
	approvals.Routes(r, s.Approvals)
	catalog.Routes(r, s.Catalog)
	inventory.Routes(r, s.Inventory)
	wallets.Routes(r, s.Wallets)
	coupons.Routes(r, s.Coupons)
	payments.Routes(r, s.Payments)
	orders.Routes(r, s.Orders)
	refunds.Routes(r, s.Refunds)
	returns.Routes(r, s.Returns)
}

// RequirePromises requires that every promise of the domains that sell is true.
func (s *Shop) RequirePromises(t testing.TB) {
	t.Helper()
	totals, err := promises.Check(s.Ctx, s.DB, slices.Concat(
		inventory.Declaration.Promises, wallets.Declaration.Promises, coupons.Declaration.Promises, payments.Declaration.Promises,
		orders.Declaration.Promises, refunds.Declaration.Promises, returns.Declaration.Promises,
	), nil)
	require.NoError(t, err)
	for _, total := range totals {
		require.Empty(t, total.Found, total.Promise.Name)
	}
}

// Create sends a POST request that must create a resource, and returns its representation.
func (s *Shop) Create(t testing.TB, path string, body any) object {
	t.Helper()
	return s.Post(t, http.StatusCreated, path, body)
}

// Item adds an item without stock.
func (s *Shop) Item(t testing.TB, sku string, price int64) {
	t.Helper()
	s.Create(t, "/items", object{"sku": sku, "name": "Item " + sku, "price": price})
}

// Plenty is a quantity that no test uses up.
const Plenty = 1_000_000_000

// Stock adds an item with a quantity in stock.
func (s *Shop) Stock(t testing.TB, sku string, price, quantity int64) {
	t.Helper()
	s.Item(t, sku, price)
	if quantity > 0 {
		s.Create(t, "/inventory/"+sku+"/adjustments", object{"delta": quantity, "reason": "opening stock", "reference": "opening"})
	}
}

// Fund credits the wallet of a user.
func (s *Shop) Fund(t testing.TB, user principal.CustomerID, amount int64) {
	t.Helper()
	s.Create(t, "/wallets/"+url.PathEscape(string(user))+"/entries", object{"amount": amount, "kind": "topup", "reference": "opening"})
}

// Balance returns the balance of a user.
func (s *Shop) Balance(t testing.TB, user principal.CustomerID) int64 {
	t.Helper()
	wallet, err := s.Wallets.Wallet(s.Ctx, user)
	require.NoError(t, err)
	return wallet.Balance
}

// Line is a line of an order.
func Line(sku string, quantity int64) object { return object{"sku": sku, "quantity": quantity} }

// Place places an order of Buyer; without lines, of one TEA-1.
func (s *Shop) Place(t testing.TB, lines ...object) object {
	t.Helper()
	if len(lines) == 0 {
		lines = []object{Line("TEA-1", 1)}
	}
	return s.Create(t, "/orders", object{"userId": Buyer, "items": lines})
}

// paymentsOutside numbers the references of payments from outside.
var paymentsOutside atomic.Int64

// outside returns a payment from outside with a new reference.
func outside() orders.Payment {
	return orders.Payment{Method: "external", Reference: fmt.Sprintf("psp-%d", paymentsOutside.Add(1))}
}

// Outside is the request of a payment from outside with a new reference.
func Outside() object {
	p := outside()
	return object{"method": p.Method, "reference": p.Reference}
}

// CampaignSpec returns the request for a campaign that has started, with some members replaced.
func CampaignSpec(replaced object) object {
	spec := object{
		"name": "Spring", "kind": "amount", "value": 500, "minimumAmount": 0, "total": 100, "perUser": 100,
		"validFrom": world.Opening.Add(-time.Hour), "validTo": world.Opening.Add(time.Hour),
	}
	maps.Copy(spec, replaced)
	return spec
}

// Campaign creates a campaign; see [CampaignSpec].
func (s *Shop) Campaign(t testing.TB, replaced object) object {
	t.Helper()
	return s.Create(t, "/coupon-campaigns", CampaignSpec(replaced))
}

// Issue issues coupons of a campaign and returns their codes.
func (s *Shop) Issue(t testing.TB, campaign, request object) []string {
	t.Helper()
	var codes []string
	for _, code := range s.Create(t, CampaignPath(campaign)+"/coupons", request)["codes"].([]any) {
		codes = append(codes, code.(string))
	}
	return codes
}

// Coupon issues one coupon of a new campaign; see [CampaignSpec].
func (s *Shop) Coupon(t testing.TB, replaced object) string {
	t.Helper()
	return s.Issue(t, s.Campaign(t, replaced), object{"count": 1})[0]
}

// CampaignPath returns the path of a campaign.
func CampaignPath(campaign object) string {
	return fmt.Sprintf("/coupon-campaigns/%d", world.ID(campaign))
}

// OrderPath returns the path of an order.
func OrderPath(order object) string { return fmt.Sprintf("/orders/%d", world.ID(order)) }

// RefundPath returns the path of a refund.
func RefundPath(refund object) string { return fmt.Sprintf("/refunds/%d", world.ID(refund)) }

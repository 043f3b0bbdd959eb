package orders

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"strconv"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/events"
)

// Topic is where changes of orders are announced, keyed by id.
const Topic = "orders"

// Catalog is where prices come from.
type Catalog interface {
	// ForSale calls found once for each of the skus that can be ordered now, and
	// holds those items as they are until the unit ends. Prices are in minor units.
	ForSale(ctx context.Context, u *uow.Unit, skus []string, found func(sku, name string, price int64)) error
}

// Coupons is what an order does with a coupon, all in the order's own unit. A
// coupon that cannot be used is ValidationFailed at /couponCode.
type Coupons interface {
	// Quote returns the code in its own spelling and what the coupon takes off a
	// total for a user, in minor units: at least 0 and at most the total.
	Quote(ctx context.Context, u *uow.Unit, code string, user principal.CustomerID, total int64) (spelled string, discount int64, err error)
	// RedeemForOrder moves the coupon from unused to used.
	RedeemForOrder(ctx context.Context, u *uow.Unit, code string, user principal.CustomerID, orderID int64) error
	// ReturnFromOrder moves the coupon that the order used back to unused.
	ReturnFromOrder(ctx context.Context, u *uow.Unit, code string, orderID int64) error
}

// Stock is what an order does with the pieces of its items, all in the order's own unit.
// Each act has a reference, and does nothing when it was done before.
type Stock interface {
	// Lock takes the locks of the items' stock until the unit has ended, before its
	// transaction begins, and returns the context to go on with.
	Lock(ctx context.Context, u *uow.Unit, wait time.Duration, skus ...string) (context.Context, error)
	// Reserve promises pieces, by sku, to a holder, or is InsufficientStock.
	Reserve(ctx context.Context, u *uow.Unit, holder, reference string, quantities map[string]int64) error
	// Return and Consume end the promise, with nil for all that the holder holds: the
	// pieces become available again, or have left the house.
	Return(ctx context.Context, u *uow.Unit, holder, reference string, quantities map[string]int64) error
	Consume(ctx context.Context, u *uow.Unit, holder, reference string, quantities map[string]int64) error
}

// Wallets is what an order does with its user's money, all in the order's own unit.
// Amounts are positive, in minor units; a reference does nothing when it was done before.
type Wallets interface {
	// Lock takes the locks of the users' wallets until the unit has ended, before its
	// transaction begins and after those of stock, and returns the context to go on with.
	Lock(ctx context.Context, u *uow.Unit, wait time.Duration, users ...principal.CustomerID) (context.Context, error)
	// Debit is InsufficientBalance when there is not enough.
	Debit(ctx context.Context, u *uow.Unit, user principal.CustomerID, amount int64, kind, reference string) error
	Credit(ctx context.Context, u *uow.Unit, user principal.CustomerID, amount int64, kind, reference string) error
}

// Deps are what a Service stands on.
type Deps struct {
	DB      *storage.DB
	Runner  *uow.Runner
	Bus     events.Bus
	Catalog Catalog
	Coupons Coupons
	Stock   Stock
	Wallets Wallets
	Sales   Sales
	// Random is where order numbers come from; nil means crypto/rand.
	Random io.Reader
}

// Service is the use cases of orders. It is safe for concurrent use.
type Service struct {
	db      *storage.DB
	runner  *uow.Runner
	bus     events.Bus
	catalog Catalog
	coupons Coupons
	stock   Stock
	wallets Wallets
	sales   Sales
	random  io.Reader
}

// New returns a Service.
func New(d Deps) *Service {
	if d.Random == nil {
		d.Random = rand.Reader
	}
	return &Service{
		db: d.DB, runner: d.Runner, bus: d.Bus, catalog: d.Catalog, coupons: d.Coupons, stock: d.Stock, wallets: d.Wallets, sales: d.Sales, random: d.Random,
	}
}

// Order returns an order with its lines. Errors: NotFound.
func (s *Service) Order(ctx context.Context, id int64) (*Order, error) {
	order, err := find(s.db.Read(ctx), id)
	switch {
	case storage.IsNotFound(err):
		return nil, missing(id)
	case err != nil:
		return nil, fmt.Errorf("read order: %w", err)
	}
	return order, nil
}

// List returns one page of orders with their lines.
func (s *Service) List(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Order], error) {
	listing, err := storage.List[Order](narrow(s.db.Read(ctx), f), page, orderSorts)
	if err != nil || len(listing.Rows) == 0 {
		return listing, err
	}
	orders := make([]*Order, len(listing.Rows))
	for i := range listing.Rows {
		orders[i] = &listing.Rows[i]
	}
	return listing, withLines(s.db.Read(ctx), orders)
}

// History returns one page of an order's events, newest first. Errors: NotFound.
func (s *Service) History(ctx context.Context, id int64, page storage.Page) (storage.Listing[Event], error) {
	if _, err := s.Order(ctx, id); err != nil {
		return storage.Listing[Event]{}, err
	}
	return storage.List[Event](s.db.Read(ctx).Where("order_id = ?", id), page, historySorts)
}

// Step is a transition with what it brings: a Payment, a Shipment, a Completion
// or a Cancellation.
type Step interface {
	action() string
	// fill puts what the step brings into the order.
	fill(order *Order)
}

// fromWallet is the method of a payment from the user's wallet. The other is external:
// the money was taken elsewhere.
const fromWallet = "wallet"

// Payment says how an order was paid.
type Payment struct {
	Method    string `json:"method" validate:"required,oneof=external wallet"`
	Reference string `json:"reference,omitempty" validate:"max=100"`
}

// Shipment says how an order travels.
type Shipment struct {
	Carrier    string `json:"carrier" validate:"required,max=100"`
	TrackingNo string `json:"trackingNo" validate:"required,max=100"`
}

// Completion ends an order that has arrived.
type Completion struct{}

// Cancellation ends an order that has not been paid, or was paid from a wallet.
type Cancellation struct {
	Reason string `json:"reason" validate:"required,max=500"`
}

func (Payment) action() string      { return "pay" }
func (Shipment) action() string     { return "ship" }
func (Completion) action() string   { return "complete" }
func (Cancellation) action() string { return "cancel" }

func (p Payment) fill(o *Order)      { o.PaymentMethod, o.PaymentReference = p.Method, p.Reference }
func (s Shipment) fill(o *Order)     { o.Carrier, o.TrackingNo = s.Carrier, s.TrackingNo }
func (Completion) fill(*Order)       {}
func (c Cancellation) fill(o *Order) { o.CancelReason = c.Reason }

// Demand is VersionConflict when a precondition was given that does not hold.
func (s *Service) Demand(order *Order, ifMatch *guard.Precondition) error {
	return s.lifecycle().Demand(order, ifMatch)
}

// Transition moves an order that was just read, and what hangs on it, in one unit; see
// change.Lifecycle for what is refused and settle for what hangs on it. Errors, besides:
// InsufficientBalance; lock.ErrNotAcquired when stock or wallet were not had in time.
func (s *Service) Transition(ctx context.Context, u *uow.Unit, order *Order, step Step, ifMatch *guard.Precondition) (*Order, error) {
	ctx, err := s.lock(ctx, u, order, step)
	if err != nil {
		return nil, err
	}
	after, err := s.lifecycle().Transition(ctx, u, order, step.action(), ifMatch, func(to status.State) (*Order, error) {
		after := *order
		after.Status, after.PaymentDue = to.Code, nil
		step.fill(&after)
		if err := move(ctx, u, order, &after); err != nil {
			return nil, err
		}
		return &after, guard.Advance(ctx, u, &after)
	})
	if err != nil {
		return nil, explainKept(order, step, err)
	}
	if err := s.settle(ctx, u, order, after); err != nil {
		return nil, err
	}
	if err := insertEvent(ctx, u, after, step.action(), &order.Status, step); err != nil {
		return nil, err
	}
	s.trace(u, step.action(), after, map[string]any{
		"version": after.Version, "from": Machine.Of(order.Status).Name, "to": Machine.Of(after.Status).Name, "detail": step,
	})
	return after, nil
}

// trace leaves the unit's audit entry and announces the change after commit.
func (s *Service) trace(u *uow.Unit, verb string, order *Order, detail any) {
	id := strconv.FormatInt(order.ID, 10)
	u.Audit(uow.Entry{Action: "order." + verb, Resource: Topic + "/" + id, Detail: detail, Note: order.CancelReason})
	change.Announce(u, s.bus, Topic, id, events.Change{
		Version: order.Version, ETag: order.Ref().ETag(), Action: verb,
		Status: Machine.Of(order.Status).Name, Label: order.OrderNo,
	})
}

// lifecycle declares orders to package change.
func (s *Service) lifecycle() change.Lifecycle[Order, *Order] {
	return change.Lifecycle[Order, *Order]{
		Rows: change.Rows[Order, *Order]{
			DB: s.db, Label: (*Order).Label, View: func(order *Order) any { return represent(*order) }, Find: find,
		},
		Machine: Machine,
		State:   func(order *Order) status.State { return Machine.Of(order.Status) },
		Allowed: allowed,
	}
}

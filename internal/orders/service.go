package orders

import (
	"context"
	"crypto/rand"
	"io"
	"strconv"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/catalog"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/coupons"
	"interlock/internal/events"
	"interlock/internal/inventory"
	"interlock/internal/payments"
	"interlock/internal/wallets"
)

// Topic announces changes of orders, keyed by id.
const Topic = "orders"

// Deps are the dependencies of a Service.
type Deps struct {
	DB       *storage.DB
	Runner   *uow.Runner
	Bus      events.Bus
	Catalog  *catalog.Service
	Coupons  *coupons.Service
	Stock    *inventory.Service
	Wallets  *wallets.Service
	Payments *payments.Service
	Sales    Sales
	Refunds  Refunds
	// Deadlines returns the time that a new order has to be paid.
	Deadlines Deadlines
	// Random is the source of order numbers; nil means crypto/rand.
	Random io.Reader
}

// Service implements the use cases of orders. It is safe for concurrent use.
type Service struct {
	db       *storage.DB
	runner   *uow.Runner
	bus      events.Bus
	catalog  *catalog.Service
	coupons  *coupons.Service
	stock    *inventory.Service
	wallets  *wallets.Service
	payments *payments.Service
	sales    Sales
	refunds  Refunds
	random   io.Reader

	deadlines Deadlines
	// merges serializes the merges into one order.
	merges *change.RowQueues[*Order]
}

// New returns a Service.
func New(d Deps) *Service {
	if d.Random == nil {
		d.Random = rand.Reader
	}
	return &Service{
		db: d.DB, runner: d.Runner, bus: d.Bus, random: d.Random,
		catalog: d.Catalog, coupons: d.Coupons, stock: d.Stock, wallets: d.Wallets, payments: d.Payments, sales: d.Sales, refunds: d.Refunds,
		deadlines: d.Deadlines, merges: new(change.RowQueues[*Order]),
	}
}

// Order returns an order with its lines and payments. Errors: NotFound.
func (s *Service) Order(ctx context.Context, id int64) (*Order, error) {
	order, err := find(s.db.Read(ctx), id)
	return order, storage.Found(err, "order", strconv.FormatInt(id, 10))
}

// List returns one page of orders with their lines and payments.
func (s *Service) List(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Order], error) {
	caller, _ := principal.From(ctx)
	filters, sorts := f.filters(caller.TenantID)
	listing, err := storage.List[Order](s.db.Read(ctx), page, sorts, filters...)
	if err != nil || len(listing.Rows) == 0 {
		return listing, err
	}
	return listing, withParts(s.db.Read(ctx), listing.Pointers())
}

// Export calls write for each order of a list, oldest first.
func (s *Service) Export(ctx context.Context, f Filter, write func(Order) error) error {
	return storage.EachRow("id", func(page storage.Page) (storage.Listing[Order], error) { return s.List(ctx, f, page) }, write)
}

// History returns one page of an order's events, newest first.
func (s *Service) History(ctx context.Context, order *Order, page storage.Page) (storage.Listing[Event], error) {
	return storage.List[Event](s.db.Read(ctx), page, change.HistorySorts, storage.OwnedBy("order_id", order.ID))
}

// record writes the unit's audit entry, and publishes the change after commit.
func (s *Service) record(u *uow.Unit, verb string, order *Order, detail any) {
	note := order.CancelReason
	if verb == update {
		note = ""
	}
	change.AuditAndAnnounce(u, s.bus, change.RowChange{
		Kind: "order", Topic: Topic, Key: strconv.FormatInt(order.ID, 10), Detail: detail, Note: note,
		Change: events.Change{
			Version: order.Version, ETag: order.Ref().ETag(), Action: verb, Status: Machine.Of(order.Status).Name, Label: order.OrderNo,
		},
	})
}

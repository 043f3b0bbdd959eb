package flashsale

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"interlock/internal/base/apperr"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/catalog"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/flashsale/gate"
	"interlock/internal/inventory"
	"interlock/internal/lock"
	"interlock/internal/mq"
	"interlock/internal/orders"
)

// Topic is where changes of sales are announced, keyed by id. Their numbers come there
// too, as the action "stats".
const Topic = "flash-sales"

// Orders is what a sale uses of orders.Service. Tests put faults between the two.
type Orders interface {
	PlaceMany(ctx context.Context, u *uow.Unit, lot orders.SaleLot, tickets []orders.SaleTicket) ([]orders.SaleOrder, error)
	OfTickets(ctx context.Context, sale int64, tickets []string) (map[string]orders.SaleOrder, error)
	OfCustomers(ctx context.Context, sale int64, users []principal.CustomerID) ([]orders.SaleOrder, error)
	EachOfSale(ctx context.Context, sale int64, fn func(part []orders.SaleOrder) error) error
}

// Deps are what a Service stands on.
type Deps struct {
	DB     *storage.DB
	Runner *uow.Runner
	Bus    events.Bus
	Clock  clock.Clock
	Gate   gate.Gate
	Queues mq.Broker
	// Items name what is for sale, and Inventory has the pieces.
	Items     *catalog.Service
	Inventory *inventory.Service
	Orders    Orders
	// Registerer takes the metrics; nil keeps them unseen.
	Registerer prometheus.Registerer
	// Random is where tickets come from; nil means crypto/rand.
	Random io.Reader
}

const defaultPaymentTimeout = 15 * time.Minute

// Service is the use cases of flash sales. It is safe for concurrent use.
type Service struct {
	db             *storage.DB
	runner         *uow.Runner
	bus            events.Bus
	clock          clock.Clock
	gate           gate.Gate
	queues         mq.Broker
	items          *catalog.Service
	inventory      *inventory.Service
	orders         Orders
	paymentTimeout time.Duration
	random         io.Reader
	metrics        *metrics

	snapshots sync.Map // sale id → *snapshot
	loading   singleflight.Group
	exhausted sync.Map // sale id → soldOut
	tallies   sync.Map // sale id → *tally
	looks     sync.Map // sale id → *looks
	// nudge asks the worker of this process to look at all sales now.
	nudge chan struct{}
}

// New returns a Service.
func New(d Deps) *Service {
	if d.Random == nil {
		d.Random = rand.Reader
	}
	return &Service{
		db: d.DB, runner: d.Runner, bus: d.Bus, clock: d.Clock, gate: d.Gate, queues: d.Queues, items: d.Items,
		inventory: d.Inventory, orders: d.Orders, paymentTimeout: defaultPaymentTimeout, random: d.Random,
		metrics: newMetrics(d.Registerer), nudge: make(chan struct{}, 1),
	}
}

// PayWithin sets how long an order may stay unpaid, before the service is used; 0 leaves
// it as it is.
func (s *Service) PayWithin(timeout time.Duration) {
	if timeout > 0 {
		s.paymentTimeout = timeout
	}
}

// Sale returns a sale. Errors: NotFound.
func (s *Service) Sale(ctx context.Context, id int64) (*Sale, error) {
	sale, err := findSale(s.db.Read(ctx), id)
	switch {
	case storage.IsNotFound(err):
		return nil, missing(id)
	case err != nil:
		return nil, fmt.Errorf("read flash sale: %w", err)
	}
	return sale, nil
}

// Filter narrows a list of sales. Zero members do not narrow.
type Filter struct {
	// Search is looked for in the name, in either case.
	Search string
	// Status is nil for all.
	Status *status.State
	SKU    string
}

// Sales returns one page of sales.
func (s *Service) Sales(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Sale], error) {
	return storage.List[Sale](narrow(s.db.Read(ctx), f), page, saleSorts)
}

// History returns one page of a sale's versions, newest first.
func (s *Service) History(ctx context.Context, sale *Sale, page storage.Page) (storage.Listing[Revision], error) {
	return storage.List[Revision](s.db.Read(ctx).Where("sale_id = ?", sale.ID), page, historySorts)
}

// trace leaves the unit's audit entry and announces the change after commit.
func (s *Service) trace(u *uow.Unit, verb string, sale *Sale, detail any) {
	id := strconv.FormatInt(sale.ID, 10)
	u.Audit(uow.Entry{Action: "flash_sale." + verb, Resource: Topic + "/" + id, Detail: detail})
	what := events.Change{
		Version: sale.Version, ETag: sale.Ref().ETag(), Action: verb, Status: Machine.Of(sale.Status).Name, Label: sale.Name,
	}
	if verb == "delete" {
		what = what.Gone()
	}
	u.AfterCommit(func(context.Context) { s.forget(sale.ID) })
	change.Announce(u, s.bus, Topic, id, what)
}

// unavailable is what a caller is told when the gate or the queue cannot be reached.
func unavailable(err error) error {
	return apperr.New(apperr.Unavailable, "Flash sales are not available now. Try again.").After(time.Second).Because(err)
}

// purchaseUnknown is what a customer is told whose purchase was sent to the gate and not
// answered. The ticket tells later what became of it, with or without an idempotency key.
func purchaseUnknown(ticket string, err error) *apperr.Error {
	return apperr.New(apperr.OutcomeUnknown,
		"The purchase was sent and not answered: it may have been accepted. Look at its ticket, or send it again with the same idempotency key.").
		With("ticket", ticket).After(time.Second).Because(err)
}

// rebuilding is what a customer is told while the gate has to be built anew.
func rebuilding() *apperr.Error {
	return apperr.New(apperr.SaleNotOpen, "The sale is closed for a moment: its gate is being built anew from the database.").
		With("reason", "rebuilding").After(time.Second)
}

// gateError is err as a caller of the back office is told.
func gateError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, gate.ErrNoGate):
		return unavailable(err)
	case errors.Is(err, lock.ErrNotAcquired):
		return err
	}
	var known *apperr.Error
	if errors.As(err, &known) {
		return err
	}
	return unavailable(err)
}

func missing(id int64) *apperr.Error {
	return apperr.MissingRow("flash sale", strconv.FormatInt(id, 10))
}

// asProgram is the program acting on a sale by itself, for the tenant of ctx.
func asProgram(ctx context.Context) context.Context {
	p, _ := principal.From(ctx)
	return asProgramOf(ctx, p.TenantID)
}

func asProgramOf(ctx context.Context, tenant int64) context.Context {
	return principal.With(ctx, principal.System(tenant, "flash sale"))
}

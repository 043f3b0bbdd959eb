package flashsale

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"slices"
	"time"

	"interlock/internal/approvals"
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
	"interlock/internal/mq"
	"interlock/internal/orders"
)

// Topic announces changes of sales, keyed by id, and their numbers with the action "stats".
const Topic = "flash-sales"

// Orders is the part of orders.Service that a sale uses. Tests inject faults here.
type Orders interface {
	PlaceMany(ctx context.Context, u *uow.Unit, lot orders.SaleLot, tickets []orders.SaleTicket) ([]orders.SaleOrder, error)
	OfTickets(ctx context.Context, sale int64, tickets []string) (map[string]orders.SaleOrder, error)
	OfCustomers(ctx context.Context, sale int64, users []principal.CustomerID) ([]orders.SaleOrder, error)
	SaleOrdersOf(ctx context.Context, user principal.CustomerID, before int64, limit int) ([]orders.SaleOrder, error)
	CountSaleOrdersOf(ctx context.Context, user principal.CustomerID) (storage.Count, error)
	ByTicket(ctx context.Context, text string, limit int) ([]orders.Order, error)
	EachOfSale(ctx context.Context, sale int64, fn func(part []orders.SaleOrder) error) error
}

// Deps are the dependencies of a Service.
type Deps struct {
	DB     *storage.DB
	Runner *uow.Runner
	Bus    events.Bus
	Clock  clock.Clock
	Gate   gate.Gate
	Queues mq.Broker
	// Items names the items for sale, and Inventory has their units.
	Items     *catalog.Service
	Inventory *inventory.Service
	Orders    Orders
	// Approvals schedules changes of sales.
	Approvals *approvals.Service
	// PaymentTimeout is how long an order may stay unpaid; 0 means 15 minutes.
	PaymentTimeout time.Duration
	// Random is the source of tickets; nil means crypto/rand.
	Random io.Reader
}

// Service implements the use cases of flash sales, in one part per kind. It is safe for
// concurrent use.
type Service struct {
	*core        // shared by the parts
	*planner     // plans and edits
	*transitions // open, pause, resume, close, finish
	*purchases   // a customer's purchase and its ticket
	*consumer    // tickets into orders
	*deadLetters // tickets that are no longer handled
	*reconciler  // makes the gate and the queue match SQL
}

// New returns a Service, and registers changes of sales with approvals.
func New(d Deps) *Service {
	if d.Random == nil {
		d.Random = rand.Reader
	}
	if d.PaymentTimeout == 0 {
		d.PaymentTimeout = 15 * time.Minute
	}
	c := &core{
		db: d.DB, runner: d.Runner, bus: d.Bus, clock: d.Clock, gate: d.Gate, queues: d.Queues, items: d.Items,
		inventory: d.Inventory, orders: d.Orders, approvals: d.Approvals, random: d.Random, metrics: newMetrics(),
		wake: make(chan struct{}, 1), peers: newWorkerPeers(d.Clock),
	}
	ends, moves, plans := &ticketEnds{c}, &transitions{c}, &planner{c}
	d.Approvals.Offer(subject{plans})
	return &Service{
		core: c, planner: plans, transitions: moves, purchases: &purchases{ticketEnds: ends},
		consumer:    &consumer{ticketEnds: ends, paymentTimeout: d.PaymentTimeout},
		deadLetters: &deadLetters{ends}, reconciler: &reconciler{c, ends, moves},
	}
}

// PaymentTimeout is how long an order of a sale may stay unpaid.
func (s *Service) PaymentTimeout() time.Duration { return s.paymentTimeout }

// Filter narrows a list of sales. Fields with the zero value do not filter.
type Filter struct {
	// Search is matched against the name, ignoring case.
	Search string
	// Status is nil for all.
	Status *status.State
	SKU    string
}

// Sales returns one page of sales.
func (s *Service) Sales(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Sale], error) {
	return storage.List[Sale](s.db.Read(ctx), page, saleSorts, f.filters()...)
}

// History returns one page of a sale's versions, newest first.
func (s *Service) History(ctx context.Context, sale *Sale, page storage.Page) (storage.Listing[Revision], error) {
	return storage.List[Revision](s.db.Read(ctx), page, change.HistorySorts, storage.OwnedBy("sale_id", sale.ID))
}

// ByName returns at most limit sales with a name that starts with text.
func (s *Service) ByName(ctx context.Context, text string, limit int) ([]Sale, error) {
	sales, err := storage.ByPrefix[Sale](s.db.Read(ctx), "name", storage.Spellings(text), limit)
	if err != nil {
		return nil, fmt.Errorf("find flash sales by name: %w", err)
	}
	return sales, nil
}

// DeleteQueueNames deletes the queue names of the finished sales of all tenants, so that the queue
// metrics no longer query these queues. It reads at most limit sales per statement:
//
//	SELECT sale_id FROM flash_sale_stocks WHERE finished = 1 AND sale_id IN (…)
func (s *Service) DeleteQueueNames(ctx context.Context, limit int) error {
	names, err := s.queues.Names(ctx)
	if err != nil {
		return err
	}
	var sales []int64
	for _, name := range names {
		if sale, ok := gate.SaleOf(name); ok {
			sales = append(sales, sale)
		}
	}
	for part := range slices.Chunk(sales, limit) {
		var finished []int64
		err := s.db.Read(storage.AcrossTenants(ctx)).Model(&Stock{}).Where("finished = ? AND sale_id IN ?", true, part).Pluck("sale_id", &finished).Error
		if err != nil {
			return fmt.Errorf("read which sales are finished: %w", err)
		}
		for _, sale := range finished {
			if err := s.queues.Forget(ctx, gate.QueueName(sale)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Queues names the queues of the caller's tenant, and whether each is of a sale that is not
// closed:
//
//	SELECT id, status FROM flash_sales WHERE tenant_id = ?
func (s *Service) Queues(ctx context.Context) (map[string]bool, error) {
	var sales []Sale
	if err := s.db.Read(ctx).Select("id", "status").Find(&sales).Error; err != nil {
		return nil, fmt.Errorf("read the sales with queues: %w", err)
	}
	queues := make(map[string]bool, len(sales))
	for _, sale := range sales {
		queues[gate.QueueName(sale.ID)] = sale.Status != closed.Code
	}
	return queues, nil
}

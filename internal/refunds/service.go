package refunds

import (
	"context"
	"strconv"

	"interlock/internal/approvals"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/inventory"
	"interlock/internal/orders"
	"interlock/internal/wallets"
)

// Topic announces changes of refunds, keyed by id.
const Topic = "refunds"

// Deps are the dependencies of a Service.
type Deps struct {
	DB      *storage.DB
	Bus     events.Bus
	Orders  *orders.Service
	Stock   *inventory.Service
	Wallets *wallets.Service
	// Approvals stores the approvals of refunds above the tenant's threshold until they have their
	// votes.
	Approvals *approvals.Service
}

// Service implements the use cases of refunds. It is safe for concurrent use.
type Service struct {
	db      *storage.DB
	bus     events.Bus
	orders  *orders.Service
	stock   *inventory.Service
	wallets *wallets.Service

	approvals *approvals.Service
}

// New returns a Service, and registers the Subject of refunds with Approvals.
func New(d Deps) *Service {
	s := &Service{db: d.DB, bus: d.Bus, orders: d.Orders, stock: d.Stock, wallets: d.Wallets, approvals: d.Approvals}
	d.Approvals.Offer(subject{s})
	return s
}

// Refund returns a refund with its lines. Errors: NotFound.
func (s *Service) Refund(ctx context.Context, id int64) (*Refund, error) {
	refund, err := find(s.db.Read(ctx), id)
	return refund, storage.Found(err, "refund", strconv.FormatInt(id, 10))
}

// List returns one page of refunds with their lines.
func (s *Service) List(ctx context.Context, f Filter, page storage.Page) (storage.Listing[Refund], error) {
	filters, sorts := f.filters()
	listing, err := storage.List[Refund](s.db.Read(ctx), page, sorts, filters...)
	if err != nil || len(listing.Rows) == 0 {
		return listing, err
	}
	return listing, withLines(s.db.Read(ctx), listing.Pointers())
}

// History returns one page of a refund's events, newest first.
func (s *Service) History(ctx context.Context, refund *Refund, page storage.Page) (storage.Listing[Event], error) {
	return storage.List[Event](s.db.Read(ctx), page, change.HistorySorts, storage.OwnedBy("refund_id", refund.ID))
}

// record writes the unit's audit entry, and publishes the change after commit.
func (s *Service) record(u *uow.Unit, verb string, refund *Refund, detail any) {
	note := refund.StatusReason
	if verb == "request" {
		note = refund.Reason
	}
	change.AuditAndAnnounce(u, s.bus, change.RowChange{
		Kind: "refund", Topic: Topic, Key: strconv.FormatInt(refund.ID, 10), Detail: detail, Note: note, Change: changeOf(verb, refund),
	})
}

// announce publishes a change that the audit entry of another resource covers.
func (s *Service) announce(u *uow.Unit, verb string, refund *Refund) {
	change.Announce(u, s.bus, Topic, strconv.FormatInt(refund.ID, 10), changeOf(verb, refund))
}

func changeOf(verb string, refund *Refund) events.Change {
	return events.Change{
		Version: refund.Version, ETag: refund.Ref().ETag(), Action: verb, Status: Machine.Of(refund.Status).Name, Label: refund.OrderNo,
	}
}

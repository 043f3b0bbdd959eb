package workorders

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/events"
	"interlock/internal/module"
)

// Topic announces changes of work orders, keyed by id.
const Topic = "work-orders"

// lockWait bounds the wait of a claim-next request for earlier claim-next requests.
const lockWait = 3 * time.Second

// Deps are the dependencies of a Service.
type Deps struct {
	DB     *storage.DB
	Bus    events.Bus
	People People
}

// Service implements the use cases of work orders. It is safe for concurrent use.
type Service struct {
	flow   module.Flow[WorkOrder, *WorkOrder, Event]
	db     *storage.DB
	people People
}

// New returns a Service.
func New(d Deps) *Service {
	return &Service{db: d.DB, people: d.People, flow: module.Flow[WorkOrder, *WorkOrder, Event]{
		DB: d.DB, Bus: d.Bus, Topic: Topic, Kind: "work_order", Find: find, Owner: "work_order_id",
		Event: func(id int64, e change.Event) Event { return Event{WorkOrderID: id, Event: e} },
	}}
}

// WorkOrder returns a work order with its links. Errors: NotFound.
func (s *Service) WorkOrder(ctx context.Context, id int64) (*WorkOrder, error) {
	return s.flow.One(ctx, id)
}

// List returns one page of work orders with their links.
func (s *Service) List(ctx context.Context, f Filter, page storage.Page) (storage.Listing[WorkOrder], error) {
	caller, _ := principal.From(ctx)
	listing, err := storage.List[WorkOrder](s.db.Read(ctx), page, workOrderSorts, f.filters(caller.TenantID)...)
	if err != nil || len(listing.Rows) == 0 {
		return listing, err
	}
	return listing, withLinks(s.db.Read(ctx), listing.Pointers())
}

// Comments returns one page of a work order's comments, oldest first.
func (s *Service) Comments(ctx context.Context, order *WorkOrder, page storage.Page) (storage.Listing[Comment], error) {
	return storage.List[Comment](s.db.Read(ctx), page, change.CommentSorts, storage.OwnedBy("work_order_id", order.ID))
}

// Opening is a new work order. Each link names a record once.
type Opening struct {
	Title, Body string
	Priority    int
	DueTime     *time.Time
	Links       []Resource
}

// Open inserts a work order without a holder.
func (s *Service) Open(ctx context.Context, u *uow.Unit, o Opening) (*WorkOrder, error) {
	caller, _ := principal.From(ctx)
	order := &WorkOrder{
		CreatedBy: caller.UserID, CreatedByName: caller.Name, Title: o.Title, Body: o.Body, Priority: o.Priority, Status: opened.Code, DueTime: o.DueTime,
	}
	for _, resource := range o.Links {
		order.Links = append(order.Links, Link{Resource: string(resource)})
	}
	detail := map[string]any{"title": order.Title, "priority": priorities[order.Priority], "links": resourcesOf(*order)}
	if err := s.flow.Create(ctx, u, order, detail); err != nil {
		return nil, err
	}
	return order, insertLinks(ctx, u, order)
}

// Comment adds a comment of the caller, and claims an open work order for the caller. See
// change.Lifecycle.Comment.
func (s *Service) Comment(ctx context.Context, u *uow.Unit, order *WorkOrder, text string) (*Comment, error) {
	caller, _ := principal.From(ctx)
	if violations := change.CheckText("/text", text); len(violations) > 0 {
		return nil, apperr.Invalid(violations...)
	}
	before := order
	if Machine.Of(order.Status) == opened {
		var err error
		if order, err = s.applyStep(ctx, u, s.lifecycle(nil), order, Claim{}, caller.Person(), nil); err != nil {
			return nil, err
		}
	}
	comment := &Comment{WorkOrderID: order.ID, Comment: change.CommentOf(ctx, u, text)}
	return comment, s.flow.Comment(ctx, u, before, order, comment)
}

// CountByStatus returns the number of work orders per status, zeros included; see storage.Count.
func (s *Service) CountByStatus(ctx context.Context) (map[string]storage.Count, error) {
	return s.flow.CountByStatus(ctx)
}

// ByTitle returns at most limit work orders, without their links, with a title that starts with
// text.
func (s *Service) ByTitle(ctx context.Context, text string, limit int) ([]WorkOrder, error) {
	orders, err := storage.ByPrefix[WorkOrder](s.db.Read(ctx), "title", storage.Spellings(text), limit)
	if err != nil {
		return nil, fmt.Errorf("find work orders by title: %w", err)
	}
	return orders, nil
}

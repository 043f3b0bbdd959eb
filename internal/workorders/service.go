package workorders

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/uow"
	"interlock/internal/events"
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
	db     *storage.DB
	bus    events.Bus
	people People
}

// New returns a Service.
func New(d Deps) *Service { return &Service{db: d.DB, bus: d.Bus, people: d.People} }

// WorkOrder returns a work order with its links. Errors: NotFound.
func (s *Service) WorkOrder(ctx context.Context, id int64) (*WorkOrder, error) {
	order, err := find(s.db.Read(ctx), id)
	return order, storage.Found(err, "work order", strconv.FormatInt(id, 10))
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

// History returns one page of a work order's events, newest first.
func (s *Service) History(ctx context.Context, order *WorkOrder, page storage.Page) (storage.Listing[Event], error) {
	return storage.List[Event](s.db.Read(ctx), page, change.HistorySorts, storage.OwnedBy("work_order_id", order.ID))
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
	if err := insert(ctx, u, order); err != nil {
		return nil, err
	}
	detail := map[string]any{"title": order.Title, "priority": priorities[order.Priority], "links": resourcesOf(*order)}
	if err := insertHistory(ctx, u, order, "create", nil, detail); err != nil {
		return nil, err
	}
	s.record(u, "create", order, map[string]any{"version": order.Version, "detail": detail})
	return order, nil
}

// Comment adds a comment of the caller, and claims an open work order for the caller. See
// change.Lifecycle.Comment.
func (s *Service) Comment(ctx context.Context, u *uow.Unit, order *WorkOrder, text string) (*Comment, error) {
	caller, _ := principal.From(ctx)
	if violations := change.CheckText("/text", text); len(violations) > 0 {
		return nil, apperr.Invalid(violations...)
	}
	from, lifecycle := order.Status, s.lifecycle(nil)
	if Machine.Of(order.Status) == opened {
		var err error
		if order, err = s.applyStep(ctx, u, lifecycle, order, Claim{}, caller.Person(), nil); err != nil {
			return nil, err
		}
	}
	comment := &Comment{WorkOrderID: order.ID, Comment: change.CommentOf(ctx, u, text)}
	after, err := lifecycle.Comment(ctx, u, order, order.Status, comment)
	if err != nil {
		return nil, err
	}
	detail := map[string]any{"commentId": comment.ID, "text": text}
	if err := insertHistory(ctx, u, after, "comment", &after.Status, detail); err != nil {
		return nil, err
	}
	s.record(u, "comment", after, map[string]any{
		"version": after.Version, "from": Machine.Of(from).Name, "to": Machine.Of(after.Status).Name, "detail": detail,
	})
	return comment, nil
}

// CountByStatus returns the number of work orders per status, zeros included; see storage.Count.
func (s *Service) CountByStatus(ctx context.Context) (map[string]storage.Count, error) {
	return change.CountByStatus[WorkOrder](s.db.Read(ctx), Machine)
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

// record writes the unit's audit entry, and publishes the change after commit.
func (s *Service) record(u *uow.Unit, verb string, order *WorkOrder, detail any) {
	change.AuditAndAnnounce(u, s.bus, change.RowChange{
		Kind: "work_order", Topic: Topic, Key: strconv.FormatInt(order.ID, 10), Detail: detail,
		Change: events.Change{
			Version: order.Version, ETag: order.Ref().ETag(), Action: verb, Status: Machine.Of(order.Status).Name, Label: order.Title,
		},
	})
}

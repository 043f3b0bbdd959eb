package workorders

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/naming"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Routes registers the routes of work orders.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s, r}
	byID := httpapi.Numbered("work order", s.WorkOrder)
	httpapi.Get(r, "/work-orders", ReadPermission, h.list)
	httpapi.Mutation(r, http.MethodPost, "/work-orders", writePermission, h.open)
	httpapi.Mutation(r, http.MethodPost, "/work-orders/claim-next", writePermission, h.next)
	httpapi.GetOf(r, "/work-orders/:id", ReadPermission, byID, h.get)
	httpapi.GetOf(r, "/work-orders/:id/history", ReadPermission, byID, h.history)
	httpapi.GetOf(r, "/work-orders/:id/comments", ReadPermission, byID, h.comments)
	httpapi.MutationOf(r, http.MethodPost, "/work-orders/:id/comments", writePermission, byID, h.comment)
	httpapi.Transition(r, "/work-orders/:id", "claim", writePermission, byID, transition[Claim](s))
	httpapi.Transition(r, "/work-orders/:id", "release", writePermission, byID, transition[Release](s))
	httpapi.Transition(r, "/work-orders/:id", "assign", assignPermission, byID, transition[Assignment](s))
	httpapi.Transition(r, "/work-orders/:id", "resolve", writePermission, byID, transition[Resolution](s))
	httpapi.Transition(r, "/work-orders/:id", "reopen", writePermission, byID, transition[Reopening](s))
	httpapi.Transition(r, "/work-orders/:id", "close", writePermission, byID, transition[Closing](s))
}

type handler struct {
	service *Service
	router  *httpapi.Router
}

type listRequest struct {
	Search   httpapi.Search          `query:"q"`
	Status   status.Param[WorkOrder] `query:"status"`
	Priority priorityParam           `query:"priority"`
	HolderID int64                   `query:"holderId"`
	Link     string                  `query:"link"`
	DueBy    *time.Time              `query:"dueBy"`
	httpapi.Page
}

// priorityParam is a priority in a query.
type priorityParam struct{ code *int }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *priorityParam) UnmarshalText(text []byte) error {
	code := slices.Index(priorities, string(text))
	if code < 0 {
		return fmt.Errorf("must be one of %s", strings.Join(priorities, ", "))
	}
	p.code = &code
	return nil
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[workOrderView], error) {
	var none httpapi.List[workOrderView]
	listing, err := h.service.List(ctx, Filter{
		Search: string(in.Search), Status: in.Status.State, Priority: in.Priority.code, HolderID: in.HolderID, Link: in.Link, DueBy: in.DueBy,
	}, in.Page.Page())
	if err != nil {
		return none, err
	}
	unable, err := h.service.unableHolders(ctx, listing.Rows...)
	return httpapi.ListOf(listing, func(w WorkOrder) workOrderView { return viewOf(w, unable) }), err
}

type openRequest struct {
	Body struct {
		Title    string     `json:"title" validate:"required"`
		Body     string     `json:"body" validate:"max=5000"`
		Priority string     `json:"priority" validate:"omitempty,oneof=urgent high normal low"`
		DueTime  *time.Time `json:"dueTime"`
		Links    []Resource `json:"links" validate:"max=20,unique,dive,pattern"`
	}
}

// checkLinks returns ValidationFailed for links to records that do not exist, or that the caller
// may not read.
func (h handler) checkLinks(ctx context.Context, links []Resource) error {
	var violations apperr.Fields
	for i, link := range links {
		err := h.router.Exists(ctx, string(link))
		if err != nil && !apperr.Has(err, apperr.NotFound) {
			return err
		}
		violations.Check(err == nil, fmt.Sprintf("/links/%d", i), "not_a_record", "names no record that you can read")
	}
	if len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	return nil
}

// maxTitle is in characters.
const maxTitle = 200

// Check validates the title.
func (in *openRequest) Check() error {
	if violations := naming.Check("/title", in.Body.Title, maxTitle); len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	return nil
}

func (h handler) open(ctx context.Context, u *uow.Unit, in openRequest) (httpapi.Created[workOrderView], error) {
	if err := h.checkLinks(ctx, in.Body.Links); err != nil {
		return httpapi.Created[workOrderView]{}, err
	}
	opening := Opening{Title: in.Body.Title, Body: in.Body.Body, Priority: slices.Index(priorities, "normal"), DueTime: in.Body.DueTime, Links: in.Body.Links}
	if in.Body.Priority != "" {
		opening.Priority = slices.Index(priorities, in.Body.Priority)
	}
	order, err := h.service.Open(ctx, u, opening)
	if err != nil {
		return httpapi.Created[workOrderView]{}, err
	}
	return httpapi.Created[workOrderView]{Location: fmt.Sprintf("/work-orders/%d", order.ID), Body: viewOf(*order, nil)}, nil
}

func (h handler) next(ctx context.Context, u *uow.Unit, _ httpapi.None) (workOrderView, error) {
	order, err := h.service.Next(ctx, u)
	if err != nil {
		return workOrderView{}, err
	}
	return viewOf(*order, nil), nil
}

// get returns a work order. Its offered state depends on its holder's permissions, so it can change
// at the same version.
func (h handler) get(ctx context.Context, order *WorkOrder, _ httpapi.None) (httpapi.Fresh[workOrderView], error) {
	unable, err := h.service.unableHolders(ctx, *order)
	if err != nil {
		return httpapi.Fresh[workOrderView]{}, err
	}
	return httpapi.Fresh[workOrderView]{Body: viewOf(*order, unable), Changed: order.Status == claimed.Code}, nil
}

func (h handler) history(ctx context.Context, order *WorkOrder, in httpapi.Page) (httpapi.List[change.EventView], error) {
	listing, err := h.service.History(ctx, order, in.Page())
	return httpapi.ListOf(listing, eventViewOf), err
}

func (h handler) comments(ctx context.Context, order *WorkOrder, in httpapi.Page) (httpapi.List[commentView], error) {
	listing, err := h.service.Comments(ctx, order, in.Page())
	return httpapi.ListOf(listing, commentViewOf), err
}

type commentRequest struct {
	Body struct {
		Text string `json:"text"`
	}
}

func (h handler) comment(ctx context.Context, u *uow.Unit, order *WorkOrder, in commentRequest) (httpapi.Created[commentView], error) {
	comment, err := h.service.Comment(ctx, u, order, in.Body.Text)
	if err != nil {
		return httpapi.Created[commentView]{}, err
	}
	return httpapi.Created[commentView]{Location: fmt.Sprintf("/work-orders/%d/comments", order.ID), Body: commentViewOf(*comment)}, nil
}

type transitionRequest[S Step] struct {
	Body    httpapi.StepBody[S]
	IfMatch *guard.Precondition
}

// transition handles POST /work-orders/{id}/{action}.
func transition[S Step](s *Service) func(context.Context, *uow.Unit, *WorkOrder, transitionRequest[S]) (workOrderView, error) {
	return func(ctx context.Context, u *uow.Unit, order *WorkOrder, in transitionRequest[S]) (workOrderView, error) {
		after, err := s.Transition(ctx, u, order, in.Body.Step, in.IfMatch)
		if err != nil {
			return workOrderView{}, err
		}
		unable, err := s.unableHolders(ctx, *after)
		if err != nil {
			return workOrderView{}, err
		}
		return viewOf(*after, unable), nil
	}
}

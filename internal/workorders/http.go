package workorders

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Routes registers the routes of work orders.
func Routes(r *httpapi.Router, s *Service) {
	r = r.About(httpapi.Resource{Tag: "Work orders", Noun: "work order", Machine: Machine, Example: example, Refusal: refusalView{}})
	h := handler{s, r}
	byID := httpapi.Numbered("work order", s.WorkOrder)
	httpapi.Get(r, "/work-orders", ReadPermission, h.list).
		Doc("List work orders", "The newest first by default; with `sort=priority` the most urgent first.").
		With(httpapi.Contract{Sorts: workOrderSorts})
	httpapi.Mutation(r, http.MethodPost, "/work-orders", writePermission, h.open).
		Doc("Open a work order", "It has no holder until a user claims it, is assigned to it, or acts on it. "+
			"`links` are paths of records that exist and that the caller may read; 422 at `/links/<i>` for others.").
		With(httpapi.Contract{ID: "openWorkOrder", Success: "The new work order.", Body: openExample})
	httpapi.Mutation(r, http.MethodPost, "/work-orders/claim-next", writePermission, h.next).
		Doc("Claim the next work order", "Claims the oldest of the highest priority that is open, or whose holder is disabled or may not read work orders any more. "+
			"Concurrent callers get different ones. 404 if none is offered.").
		With(httpapi.Contract{Success: "The work order, which the caller now has.", Locks: true, MayMiss: true})
	httpapi.GetOf(r, "/work-orders/:id", ReadPermission, byID, h.get).Doc("Get a work order", "")
	httpapi.GetOf(r, "/work-orders/:id/history", ReadPermission, byID, h.history).
		Doc("List the history of a work order", "The newest first: one event for each version, comments included.").
		With(httpapi.Contract{Sorts: change.HistorySorts})
	httpapi.GetOf(r, "/work-orders/:id/comments", ReadPermission, byID, h.comments).
		Doc("List the comments on a work order", "The oldest first.").
		With(httpapi.Contract{Sorts: change.CommentSorts})
	httpapi.MutationOf(r, http.MethodPost, "/work-orders/:id/comments", writePermission, byID, h.comment).
		Doc("Comment on a work order", "A comment on an open work order claims it first.").
		With(httpapi.Contract{ID: "commentOnWorkOrder", Success: "The comment.", Body: commentCreate{"The courier has been called."}, ChecksStatus: true, Locks: true})
	module.Transition(r, "/work-orders/:id", writePermission, byID, transition[Claim](s)).
		Doc("Claim a work order", "Of concurrent claims one succeeds; the others get 409 with the `holder`. "+
			"A claimed work order can be claimed only while its holder is disabled or may not read work orders.")
	module.Transition(r, "/work-orders/:id", writePermission, byID, transition[Release](s)).
		Doc("Release a work order", "For its holder, and for users who may assign.")
	module.Transition(r, "/work-orders/:id", assignPermission, byID, transition[Assignment](s)).
		Doc("Assign a work order to a user", "Replaces the holder. 422 at `/userId` for a user who is disabled or may not read work orders.").
		With(httpapi.Contract{Body: Assignment{7}})
	module.Transition(r, "/work-orders/:id", writePermission, byID, transition[Resolution](s)).
		Doc("Resolve a work order", "For its holder, and for users who may assign. Resolving an open work order claims it first, in the same transaction.").
		With(httpapi.Contract{Body: Resolution{"A new one has been sent."}})
	module.Transition(r, "/work-orders/:id", writePermission, byID, transition[Reopening](s)).
		Doc("Reopen a work order", "It has no holder then.")
	module.Transition(r, "/work-orders/:id", writePermission, byID, transition[Closing](s)).Doc("Close a work order", "")
}

var openExample = workOrderCreate{
	Title: "A teapot arrived broken", Body: "See the picture in the mail of today.", Priority: "high", Links: []Resource{"orders/41"},
}

type handler struct {
	service *Service
	router  *httpapi.Router
}

type listRequest struct {
	// A part of the title, in either case.
	Search   httpapi.Search          `query:"q"`
	Status   status.Param[WorkOrder] `query:"status"`
	Priority httpapi.OneOf[Priority] `query:"priority"`
	// The user that has the work order, or had it when it was resolved.
	HolderID int64 `query:"holderId"`
	// A record that the work order is about, such as `orders/41`.
	Link string `query:"link"`
	// Only work orders that are due by this time.
	DueBy *time.Time `query:"dueBy"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[workOrderView], error) {
	var none httpapi.List[workOrderView]
	listing, err := h.service.List(ctx, Filter{
		Search: string(in.Search), Status: in.Status.State, Priority: in.Priority.Value.code(), HolderID: in.HolderID, Link: in.Link, DueBy: in.DueBy,
	}, in.Page.Page())
	if err != nil {
		return none, err
	}
	unable, err := h.service.unableHolders(ctx, listing.Rows...)
	return httpapi.ListOf(listing, func(w WorkOrder) workOrderView { return viewOf(w, unable) }), err
}

type openRequest struct{ Body workOrderCreate }

type workOrderCreate struct {
	Title    string     `json:"title" validate:"name=200"`
	Body     string     `json:"body" validate:"max=5000"`
	Priority Priority   `json:"priority" validate:"omitempty,enum" default:"normal"`
	DueTime  *time.Time `json:"dueTime"`
	Links    []Resource `json:"links" validate:"max=20,unique,dive,pattern"`
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

func (h handler) open(ctx context.Context, u *uow.Unit, in openRequest) (httpapi.Created[workOrderView], error) {
	if err := h.checkLinks(ctx, in.Body.Links); err != nil {
		return httpapi.Created[workOrderView]{}, err
	}
	opening := Opening{
		Title: in.Body.Title, Body: in.Body.Body, Priority: *cmp.Or(in.Body.Priority, "normal").code(), DueTime: in.Body.DueTime, Links: in.Body.Links,
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

// get returns a work order. The member offered depends on the holder's permissions, so the view can
// change at the same version.
func (h handler) get(ctx context.Context, order *WorkOrder, _ httpapi.None) (httpapi.Fresh[workOrderView], error) {
	unable, err := h.service.unableHolders(ctx, *order)
	if err != nil {
		return httpapi.Fresh[workOrderView]{}, err
	}
	return httpapi.Fresh[workOrderView]{Body: viewOf(*order, unable), Changed: order.Status == claimed.Code}, nil
}

func (h handler) history(ctx context.Context, order *WorkOrder, in httpapi.Page) (httpapi.List[change.EventView[WorkOrder]], error) {
	return h.service.flow.History(ctx, order, in)
}

func (h handler) comments(ctx context.Context, order *WorkOrder, in httpapi.Page) (httpapi.List[commentView], error) {
	listing, err := h.service.Comments(ctx, order, in.Page())
	return httpapi.ListOf(listing, commentViewOf), err
}

type commentRequest struct{ Body commentCreate }

type commentCreate struct {
	Text string `json:"text" validate:"required,max=5000"`
}

func (h handler) comment(ctx context.Context, u *uow.Unit, order *WorkOrder, in commentRequest) (httpapi.Created[commentView], error) {
	comment, err := h.service.Comment(ctx, u, order, in.Body.Text)
	if err != nil {
		return httpapi.Created[commentView]{}, err
	}
	return httpapi.Created[commentView]{Location: fmt.Sprintf("/work-orders/%d/comments", order.ID), Body: commentViewOf(*comment)}, nil
}

// transition handles POST /work-orders/{id}/{action}.
func transition[S Step](s *Service) func(context.Context, *uow.Unit, *WorkOrder, S, *guard.Precondition) (workOrderView, error) {
	return func(ctx context.Context, u *uow.Unit, order *WorkOrder, step S, ifMatch *guard.Precondition) (workOrderView, error) {
		after, err := s.Transition(ctx, u, order, step, ifMatch)
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

package refunds

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/orders"
)

// Routes registers the routes of refunds.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	r = r.Critical()
	httpapi.MutationOf(r, http.MethodPost, "/orders/:id/refunds", writePermission, httpapi.Numbered("order", s.orders.Order), h.request)
	byID := httpapi.Numbered("refund", s.Refund)
	httpapi.Get(r, "/refunds", ReadPermission, h.list)
	httpapi.GetOf(r, "/refunds/:id", ReadPermission, byID, h.get)
	httpapi.GetOf(r, "/refunds/:id/history", ReadPermission, byID, h.history)
	httpapi.Transition(r.SteppedUp(), "/refunds/:id", "approve", approvePermission, byID, transition[Approval](s))
	httpapi.Transition(r, "/refunds/:id", "reject", approvePermission, byID, transition[Rejection](s))
	httpapi.Transition(r, "/refunds/:id", "settle", approvePermission, byID, transition[Settlement](s))
	httpapi.Transition(r, "/refunds/:id", "fail", approvePermission, byID, transition[Failure](s))
	httpapi.Transition(r, "/refunds/:id", "unknown", approvePermission, byID, transition[UnknownOutcome](s))
}

type handler struct{ service *Service }

type listRequest struct {
	Status  status.Param[Refund] `query:"status"`
	OrderID int64                `query:"orderId"`
	UserID  principal.CustomerID `query:"userId"`
	From    *time.Time           `query:"from"`
	To      *time.Time           `query:"to"`
	httpapi.Page
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[refundView], error) {
	filter := Filter{Status: in.Status.State, OrderID: in.OrderID, UserID: in.UserID, From: in.From, To: in.To}
	listing, err := h.service.List(ctx, filter, in.Page.Page())
	return httpapi.ListOf(listing, func(refund Refund) refundView { return viewOf(ctx, refund) }), err
}

func (h handler) get(ctx context.Context, refund *Refund, _ httpapi.None) (httpapi.Fresh[readView], error) {
	view := readView{refundView: viewOf(ctx, *refund)}
	needs, changed, err := h.service.needs(ctx, refund)
	if needs != nil {
		view.ChangeNeeds = &changeNeeds{Approvals: needs.Approvals}
	}
	return httpapi.Fresh[readView]{Body: view, Changed: changed}, err
}

func (h handler) history(ctx context.Context, refund *Refund, in httpapi.Page) (httpapi.List[change.MoneyEventView[Refund]], error) {
	listing, err := h.service.History(ctx, refund, in.Page())
	return httpapi.ListOf(listing, func(e Event) change.MoneyEventView[Refund] { return change.MoneyEventViewOf[Refund](ctx, e.Event) }), err
}

type requestRequest struct {
	Body struct {
		Amount *int64        `json:"amount"`
		Reason string        `json:"reason" validate:"required,max=500"`
		Lines  []LineRequest `json:"lines" validate:"max=100,dive"`
	}
}

// Check validates the rules that need no order: an amount or lines are present, and each item once.
func (in *requestRequest) Check() error {
	if err := httpapi.Validate(&in.Body); err != nil {
		return err
	}
	var violations apperr.Fields
	violations.Check(in.Body.Amount != nil || len(in.Body.Lines) > 0, "/amount", "required", "is required when there are no lines")
	named := make(map[string]bool, len(in.Body.Lines))
	for i, line := range in.Body.Lines {
		violations.Check(!named[line.SKU], fmt.Sprintf("/lines/%d/sku", i), "unique", "is named by an earlier line; add the quantities up")
		named[line.SKU] = true
	}
	if len(violations) > 0 {
		return apperr.Invalid(violations...)
	}
	return nil
}

func (h handler) request(ctx context.Context, u *uow.Unit, order *orders.Order, in requestRequest) (httpapi.Created[refundView], error) {
	refund, err := h.service.Request(ctx, u, order, Request{Amount: in.Body.Amount, Reason: in.Body.Reason, Lines: in.Body.Lines})
	if err != nil {
		return httpapi.Created[refundView]{}, err
	}
	return httpapi.Created[refundView]{Location: fmt.Sprintf("/refunds/%d", refund.ID), Body: viewOf(ctx, *refund)}, nil
}

type transitionRequest[S Step] struct {
	Body    httpapi.StepBody[S]
	IfMatch *guard.Precondition
}

// transition handles POST /refunds/{id}/{action}.
func transition[S Step](s *Service) func(context.Context, *uow.Unit, *Refund, transitionRequest[S]) (refundView, error) {
	return func(ctx context.Context, u *uow.Unit, refund *Refund, in transitionRequest[S]) (refundView, error) {
		after, err := s.Transition(ctx, u, refund, in.Body.Step, in.IfMatch)
		if err != nil {
			return refundView{}, err
		}
		return viewOf(ctx, *after), nil
	}
}

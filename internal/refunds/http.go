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
	r = r.Critical().About(httpapi.Resource{Tag: "Refunds", Noun: "refund", Machine: Machine, Example: example})
	h := handler{s}
	httpapi.MutationOf(r, http.MethodPost, "/orders/:id/refunds", writePermission, httpapi.Numbered("order", s.orders.Order), h.request).
		Doc("Create a refund", "Creates the refund of one payment as `requested` and reserves its amount. Concurrent requests never reserve more than the rest of the payment: "+
			"an amount that no single payment has left returns 422 at `/amount`, with the largest possible amount as `refundable`; request one refund for each payment then.\n\n"+
			"The lines name the refunded units; `restock` returns them to stock at settlement. The default of `amount` is the value of the lines: their share of the payment, "+
			"with the discount divided among the lines in proportion (largest remainder method), and the remainder within a line assigned to its last units. "+
			"An explicit `amount` is refunded regardless of the value of the lines. 422 at `/lines/<i>/quantity` if other refunds already contain the units, "+
			"and at `/lines/<i>/restock` for units that a refund cannot restock: those of a cancelled order are already in stock, "+
			"and unshipped units of a flash sale return to the sale when the order is cancelled.").
		With(httpapi.Contract{ID: "requestRefund", Body: requestExample, Locks: true, Rejections: []httpapi.Rejection{NotRefundable}})
	byID := httpapi.Numbered("refund", s.Refund)
	httpapi.Get(r, "/refunds", ReadPermission, h.list).
		Doc("List refunds", "Newest first by default. Each refund contains its lines. With `from` or `to`, the sort by `id` becomes a sort by `createdTime`.").
		With(httpapi.Contract{Sorts: refundSorts})
	httpapi.GetOf(r, "/refunds/:id", ReadPermission, byID, h.get).Doc("Get a refund", "").With(httpapi.Contract{Reply: readView{refundView: example}})
	httpapi.GetOf(r, "/refunds/:id/history", ReadPermission, byID, h.history).
		Doc("List the history of a refund", "Newest first: one event for each version. `credit`: settled with the cancellation of its order. "+
			"`take-over`: rejected with it, because the cancellation refunds the rest.").
		With(httpapi.Contract{Sorts: change.HistorySorts})
	httpapi.Transition(r.SteppedUp(), "/refunds/:id", "approve", approvePermission, byID, transition[Approval](s)).
		Doc("Approve a refund", "Users cannot approve a refund that they requested, with any credential: 403. A wallet payment is credited to the wallet (reference `@refunds/{id}`) "+
			"and the refund is `settled` in the same transaction; a refund of an external payment waits for the provider's result. "+
			"A failed refund reserves its amount again: 409 if the remainder is too small.\n\n"+
			"Above the tenant's `refundApprovalThreshold` the approval waits for votes: 202, and the refund is unchanged until the last vote approves it. "+
			"Neither the author of that approval nor the user who requested the refund may vote.").
		With(httpapi.Contract{Proposes: true, Locks: true, Rejections: []httpapi.Rejection{
			{Code: apperr.LimitReached, Cause: "the change needs an approval, and you have 200 changes that wait for votes"},
		}})
	httpapi.Transition(r, "/refunds/:id", "reject", approvePermission, byID, transition[Rejection](s)).
		Doc("Reject a refund", "Releases the reserved amount, which can be refunded again.").
		With(httpapi.Contract{Body: Rejection{"The tracking shows that it arrived in time."}, Locks: true})
	httpapi.Transition(r, "/refunds/:id", "settle", approvePermission, byID, transition[Settlement](s)).
		Doc("Report a settled refund", "On the provider's confirmation; `reference` is the provider's name for it. The units of the lines with `restock` return to stock.\n\n"+
			"A reference settles one refund of a tenant and method. Repeating the same settlement of the same refund returns 200 with the refund and changes nothing.").
		With(httpapi.Contract{Body: Settlement{"re_3MmlLrLkdIwHu7ix"}, Locks: true, Rejections: []httpapi.Rejection{
			{Code: apperr.PayloadMismatch, Cause: "the reference settled another refund, which is `first`. Nothing was changed", Members: mismatch{}},
		}})
	httpapi.Transition(r, "/refunds/:id", "fail", approvePermission, byID, transition[Failure](s)).
		Doc("Report a failed refund", "As reported by the provider. Releases the reserved amount, which can be refunded again; the refund can be approved again.").
		With(httpapi.Contract{Body: Failure{"The card has expired."}, Locks: true})
	httpapi.Transition(r, "/refunds/:id", "unknown", approvePermission, byID, transition[UnknownOutcome](s)).
		Doc("Report an unknown refund outcome", "For example after a time-out. The refund retains its reservation until its provider reports the outcome.").
		With(httpapi.Contract{ID: "doubtRefund", Body: UnknownOutcome{"The provider did not answer in time."}, Locks: true})
}

type handler struct{ service *Service }

type listRequest struct {
	Status status.Param[Refund] `query:"status"`
	// Refunds of this order.
	OrderID int64 `query:"orderId"`
	// Refunds of this user's orders.
	UserID principal.CustomerID `query:"userId"`
	From   *time.Time           `query:"from"`
	To     *time.Time           `query:"to"`
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

type requestRequest struct{ Body refundRequest }

type refundRequest struct {
	// In minor units. If absent: the value of the lines.
	Amount *int64 `json:"amount,omitempty" min:"1"`
	Reason string `json:"reason" validate:"required,max=500"`
	// Each sku at most once. Required if `amount` is absent.
	Lines []LineRequest `json:"lines" validate:"max=100,dive"`
	// The payment to repay. If absent: the first received one that has the amount left.
	PaymentID *int64 `json:"paymentId,omitempty" min:"1"`
}

var requestExample = refundRequest{Reason: "One tin arrived open.", Lines: []LineRequest{{"TEA-100", 1, true}}}

// NotRefundable declares the rejection of an amount that cannot be refunded.
var NotRefundable = httpapi.Rejection{
	Code: apperr.ValidationFailed, Cause: "the request violates a rule. At `/amount` for an amount that cannot be refunded; `refundable` is the maximum", Members: invalid{},
}

// invalid has the members of NotRefundable.
type invalid struct {
	Refundable *int64 `json:"refundable,omitempty" validate:"min=0"`
	Currency   string `json:"currency,omitempty"`
}

// mismatch has the members of PayloadMismatch.
type mismatch struct {
	First refundView `json:"first"`
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
	request := Request{Amount: in.Body.Amount, Reason: in.Body.Reason, Lines: in.Body.Lines}
	if in.Body.PaymentID != nil {
		request.PaymentID = *in.Body.PaymentID
	}
	refund, err := h.service.Request(ctx, u, order, request)
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

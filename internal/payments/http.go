package payments

import (
	"context"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
)

// Resource describes payments in the contract.
var Resource = httpapi.Resource{Tag: "Payments", Noun: "payment", Machine: Machine, Example: Example}

// Routes registers the routes of payments. Package orders registers those that change an order.
func Routes(r *httpapi.Router, s *Service) {
	r = r.Critical().About(Resource)
	h := handler{s}
	byID := httpapi.Numbered("payment", s.Payment)
	httpapi.Get(r, "/payments", ReadPermission, h.list).
		Doc("List payments", "Newest first by default. `status=unmatched` is the inbox of money that no order could take. "+
			"With `from` or `to`, the sort by `id` becomes a sort by `createdTime`.").
		With(httpapi.Contract{Sorts: Sorts})
	httpapi.Export(r, "/payments/export", ReadPermission, "payments", h.export).
		Doc("Export payments", "All payments that match the filters, oldest first, as CSV or as JSON lines.").
		With(httpapi.Contract{ID: "exportPayments"})
	httpapi.GetOf(r, "/payments/:id", ReadPermission, byID, h.get).Doc("Get a payment", "")
	httpapi.GetOf(r, "/payments/:id/history", ReadPermission, byID, h.history).
		Doc("List the history of a payment", "Newest first: one event for each version. The actions of a refund change the status only if it repays the last part.").
		With(httpapi.Contract{Sorts: change.HistorySorts})
	httpapi.Transition(r.SteppedUp(), "/payments/:id", "refund", RefundPermission, byID, h.sendBack).
		Doc("Send back an unmatched payment", "Records that the money was sent back to the payer. Users cannot send back a payment that they recorded, with any credential: 403. "+
			"409 for an applied payment: its money is refunded with `POST /orders/{id}/refunds`.\n\n"+
			"Above the tenant's `refundApprovalThreshold` the request waits for votes: 202, and the payment is unchanged until the last vote approves it. "+
			"Neither the author of that approval nor the user who recorded the payment may vote.").
		With(httpapi.Contract{Body: Refund{"The customer paid twice."}, Proposes: true, Rejections: []httpapi.Rejection{
			{Code: apperr.LimitReached, Cause: "the change needs an approval, and you have 200 changes that wait for votes"},
		}})
}

type handler struct{ service *Service }

// filterParams are the parameters that filter payments.
type filterParams struct {
	// Prefix of the reference.
	ReferencePrefix string                `query:"q"`
	Status          status.Param[Payment] `query:"status"`
	// Payments of this order, and unmatched payments that name it.
	OrderID int64 `query:"orderId"`
	// Payments of this user's orders.
	UserID   principal.CustomerID   `query:"userId"`
	Method   httpapi.OneOf[methods] `query:"method"`
	Provider string                 `query:"provider"`
	From     *time.Time             `query:"from"`
	To       *time.Time             `query:"to"`
}

type listRequest struct {
	filterParams
	httpapi.Page
}

type exportRequest struct {
	filterParams
	httpapi.ExportRequest
}

// methods is a payment method.
type methods string

// Enum returns the values in the contract.
func (methods) Enum() []string { return []string{External, FromWallet} }

// SchemaName returns the name in the contract.
func (methods) SchemaName() string { return "PaymentMethod" }

func (in filterParams) filter() Filter {
	return Filter{
		Status: in.Status.State, OrderID: in.OrderID, UserID: in.UserID, Method: string(in.Method.Value), Provider: in.Provider,
		From: in.From, To: in.To, ReferencePrefix: in.ReferencePrefix,
	}
}

func (h handler) list(ctx context.Context, in listRequest) (httpapi.List[View], error) {
	listing, err := h.service.List(ctx, in.filter(), in.Page.Page())
	return httpapi.ListOf(listing, func(payment Payment) View { return ViewOf(ctx, payment) }), err
}

func (h handler) export(ctx context.Context, in exportRequest, write func(View) error) error {
	return h.service.Export(ctx, in.filter(), func(payment Payment) error { return write(ViewOf(ctx, payment)) })
}

func (h handler) get(ctx context.Context, payment *Payment, _ httpapi.None) (View, error) {
	return ViewOf(ctx, *payment), nil
}

func (h handler) history(ctx context.Context, payment *Payment, in httpapi.Page) (httpapi.List[change.MoneyEventView[Payment]], error) {
	listing, err := h.service.History(ctx, payment, in.Page())
	return httpapi.ListOf(listing, func(e Event) change.MoneyEventView[Payment] { return change.MoneyEventViewOf[Payment](ctx, e.Event) }), err
}

type refundRequest struct {
	Body    Refund
	IfMatch *guard.Precondition
}

func (h handler) sendBack(ctx context.Context, u *uow.Unit, payment *Payment, in refundRequest) (View, error) {
	after, err := h.service.SendBack(ctx, u, payment, in.Body, in.IfMatch)
	if err != nil {
		return View{}, err
	}
	return ViewOf(ctx, *after), nil
}

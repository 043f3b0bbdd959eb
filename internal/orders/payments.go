package orders

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/payments"
)

// paymentRoutes registers the routes of payments that change or read an order.
func paymentRoutes(r *httpapi.Router, s *Service) {
	r = r.About(payments.Resource)
	h := handler{s}
	byID := httpapi.Numbered("order", s.Order)
	httpapi.GetOf(r, "/orders/:id/payments", payments.ReadPermission, byID, h.payments).
		Doc("List the payments of an order", "Newest first, with unmatched payments that name the order.").
		With(httpapi.Contract{ID: "listOrderPayments", Sorts: payments.Sorts})
	httpapi.Mutation(r, http.MethodPost, "/orders/:id/payments", payments.WritePermission, h.receive).
		Doc("Record a payment of an order", "201: the payment is applied. It pays the order in part or in full; a pending order that is paid in full becomes `paid`. "+
			"`wallet` debits the wallet of the order's user in the same transaction.\n\n"+
			"202: the order does not exist, is cancelled or is paid in full, or `amount` exceeds `due`. No money from outside is rejected: "+
			"the whole payment is recorded as `unmatched`, with the `reason`, until it is applied to an order or sent back. A wallet payment, of which no money has moved, is rejected instead.\n\n"+
			"A reference is unique per tenant and provider. Repeating the same request returns 200 with the existing payment and changes nothing, so that a provider may repeat its callback.").
		With(httpapi.Contract{
			ID: "recordPayment", Success: "The applied payment.", Otherwise: "The unmatched payment.", Repeated: "The payment that the same request recorded earlier.",
			Body: receiptExample, Reply: payments.Example, Locks: true, MayMiss: true,
			Rejections: []httpapi.Rejection{
				{Code: apperr.TransitionNotAllowed, Cause: "the order, which is `current` for callers with `orders:read`, cannot take the wallet payment. Nothing was changed", Members: untaken{}},
				{Code: apperr.InsufficientBalance, Cause: "the user's wallet has less than the amount"},
				{Code: apperr.PayloadMismatch, Cause: "the reference belongs to another payment, which is `first`", Members: receiptMismatch{}},
			},
		})
	httpapi.Transition(r, "/payments/:id", "apply", payments.WritePermission, httpapi.Numbered("payment", h.payment), h.apply).
		Doc("Apply an unmatched payment to an order", "The order may be another one than the payment names, also of another user. 422 at `/orderId` if it does not exist; "+
			"409 if it is cancelled, paid in full, or less than the payment is due. The payment then stays unmatched.").
		With(httpapi.Contract{Body: Application{41}, Locks: true, Rejections: []httpapi.Rejection{
			{Code: apperr.TransitionNotAllowed, Cause: "the order cannot take the payment; `current` is the order, for callers with `orders:read`", Members: untaken{}},
		}})
}

var receiptExample = func() Receipt {
	amount := int64(1000)
	return Receipt{Method: payments.External, Provider: "stripe", Reference: "pi_3MmlLrLkdIwHu7ix", Amount: &amount}
}()

// untaken has the members of the rejection of a payment that an order cannot take. They describe the
// order, for a caller that may read it.
type untaken struct {
	Current            *orderView                 `json:"current,omitempty"`
	CurrentStatus      status.Name[Order]         `json:"currentStatus,omitempty"`
	CurrentVersion     int64                      `json:"currentVersion,omitempty"`
	CurrentETag        string                     `json:"currentEtag,omitempty"`
	AllowedTransitions []status.ActionName[Order] `json:"allowedTransitions,omitempty"`
	ChangedBy          *principal.Person          `json:"changedBy,omitempty"`
	ChangedTime        *time.Time                 `json:"changedTime,omitempty"`
}

// receiptMismatch has the members of PayloadMismatch.
type receiptMismatch struct {
	First payments.View `json:"first"`
}

func (h handler) payments(ctx context.Context, order *Order, in httpapi.Page) (httpapi.List[payments.View], error) {
	listing, err := h.service.payments.List(ctx, payments.Filter{OrderID: order.ID}, in.Page())
	return httpapi.ListOf(listing, func(p payments.Payment) payments.View { return payments.ViewOf(ctx, p) }), err
}

func (h handler) payment(ctx context.Context, id int64) (*payments.Payment, error) {
	return h.service.payments.Payment(ctx, id)
}

type receiveRequest struct {
	OrderID int64 `path:"id" of:"order"`
	Body    Receipt
}

type receiveReply = httpapi.Either[httpapi.Created[payments.View], httpapi.Accepted[payments.View]]

func (h handler) receive(ctx context.Context, u *uow.Unit, in receiveRequest) (receiveReply, error) {
	payment, existed, err := h.service.Receive(ctx, u, in.OrderID, in.Body)
	if err != nil {
		return receiveReply{}, err
	}
	view, location := payments.ViewOf(ctx, *payment), fmt.Sprintf("/payments/%d", payment.ID)
	if existed || payment.Applied() {
		return receiveReply{First: &httpapi.Created[payments.View]{Location: location, Body: view, Existed: existed}}, nil
	}
	return receiveReply{Second: &httpapi.Accepted[payments.View]{Location: location, Body: view}}, nil
}

type applyRequest struct {
	Body    Application
	IfMatch *guard.Precondition
}

func (h handler) apply(ctx context.Context, u *uow.Unit, payment *payments.Payment, in applyRequest) (payments.View, error) {
	after, err := h.service.ApplyPayment(ctx, u, payment, in.Body, in.IfMatch)
	if err != nil {
		return payments.View{}, err
	}
	return payments.ViewOf(ctx, *after), nil
}

package returns

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/change"
	"interlock/internal/core/guard"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
	"interlock/internal/orders"
	"interlock/internal/refunds"
)

var sorts = storage.Sorts{
	Columns: map[string]string{"id": "id", "createdTime": "created_time", "updatedTime": "updated_time"},
	Default: "-id",
}

// Routes registers the routes of returns.
func Routes(r *httpapi.Router, s *Service) {
	r = r.Critical().About(httpapi.Resource{Tag: "Returns", Noun: "return", Machine: Machine, Example: example})
	byID := httpapi.Numbered("return", s.Return)
	httpapi.MutationOf(r, http.MethodPost, "/orders/:id/returns", writePermission, httpapi.Numbered("order", s.order), s.Ask).
		Doc("Request a return", "For shipped units. 422 at `/lines/<i>/quantity` for units that were not shipped, or that another return or a refund with `restock` already has.").
		With(httpapi.Contract{ID: "requestReturn", Body: requestExample, Locks: true})
	myRoutes(r, s)
	httpapi.Get(r, "/returns", ReadPermission, s.list).
		Doc("List returns", "Newest first by default. Each return contains its lines. With `from` or `to`, the sort by `id` becomes a sort by `createdTime`.").
		With(httpapi.Contract{Sorts: sorts})
	httpapi.GetOf(r, "/returns/:id", ReadPermission, byID, func(_ context.Context, row *Return, _ httpapi.None) (View, error) { return viewOf(*row), nil }).
		Doc("Get a return", "")
	httpapi.GetOf(r, "/returns/:id/history", ReadPermission, byID, s.history).
		Doc("List the history of a return", "Newest first: one event for each version. `refund` and `comment` do not change the status.").
		With(httpapi.Contract{Sorts: change.HistorySorts})
	httpapi.GetOf(r, "/returns/:id/comments", ReadPermission, byID, s.comments).
		Doc("List the comments on a return", "The oldest first. Customers cannot read them.").
		With(httpapi.Contract{Sorts: change.CommentSorts})
	httpapi.MutationOf(r, http.MethodPost, "/returns/:id/comments", writePermission, byID, s.comment).
		Doc("Comment on a return", "A comment creates a version of the return.").
		With(httpapi.Contract{ID: "commentOnReturn", Success: "The comment.", Body: commentCreate{"The courier has been called."}})
	module.Transition(r, "/returns/:id", writePermission, byID, step(s.Receive)).
		Doc("Receive a return", "Records the units that arrived. Those with `restock` return to stock in the same transaction; the others are written off.").
		With(httpapi.Contract{Body: Receipt{[]ReceivedLine{{1, 1, true}}}, Locks: true})
	module.Transition(r, "/returns/:id", writePermission, byID, step(s.Close)).
		Doc("Close a return", "`exchangeOrderId` links the order that replaces the goods.").
		With(httpapi.Contract{Body: Closing{}})
	module.Transition(r, "/returns/:id", writePermission, byID, step(s.Reject)).
		Doc("Reject a return", "Its units can be returned or refunded otherwise. The customer can read the reason.").
		With(httpapi.Contract{Body: Rejection{"The goods were used."}})
	httpapi.MutationOf(r, http.MethodPost, "/returns/:id/refund", refundPermission, byID, s.refund).
		Doc("Refund a return", "Requests a refund of the received units, or of the requested ones before they arrive, and links it as `refundId`. The refund moves no goods. "+
			"The default of `amount` is the units' share of the payment. A return has one refund, unless the refund was rejected. The reply needs `returns:read` too.").
		With(httpapi.Contract{ID: "refundReturn", Success: "The return.", Body: refundBody{}, ChecksStatus: true, Locks: true, Rejections: []httpapi.Rejection{refunds.NotRefundable}})
}

func (s *Service) order(ctx context.Context, id int64) (*orders.Order, error) {
	return s.orders.Order(ctx, id)
}

func (s *Service) history(ctx context.Context, row *Return, in httpapi.Page) (httpapi.List[change.EventView[Return]], error) {
	return s.flow.History(ctx, row, in)
}

// step returns a handler that replies with the changed return.
func step[S any](do func(ctx context.Context, u *uow.Unit, row *Return, step S, ifMatch *guard.Precondition) (*Return, error)) func(context.Context, *uow.Unit, *Return, S, *guard.Precondition) (View, error) {
	return func(ctx context.Context, u *uow.Unit, row *Return, step S, ifMatch *guard.Precondition) (View, error) {
		after, err := do(ctx, u, row, step, ifMatch)
		if err != nil {
			return View{}, err
		}
		return viewOf(*after), nil
	}
}

var requestExample = Request{[]LineRequest{{1, 1}}, "One tin arrived open."}

// RequestInput is the input of a route that requests a return.
type RequestInput struct{ Body Request }

// Ask handles a request for a return of an order that the caller may read.
func (s *Service) Ask(ctx context.Context, u *uow.Unit, order *orders.Order, in RequestInput) (httpapi.Created[View], error) {
	row, err := s.Request(ctx, u, order, in.Body)
	if err != nil {
		return httpapi.Created[View]{}, err
	}
	return httpapi.Created[View]{Location: fmt.Sprintf("/returns/%d", row.ID), Body: viewOf(*row)}, nil
}

type refundRequest struct{ Body httpapi.StepBody[refundBody] }

type refundBody struct {
	// In minor units. If absent: the units' share of the payment.
	Amount *int64 `json:"amount,omitempty" min:"1"`
}

func (s *Service) refund(ctx context.Context, u *uow.Unit, row *Return, in refundRequest) (View, error) {
	if !httpapi.MayReveal(ctx, ReadPermission) {
		return View{}, apperr.New(apperr.Forbidden, "This also needs the permission %s, which you do not have.", ReadPermission)
	}
	after, err := s.Refund(ctx, u, row, in.Body.Step.Amount)
	if err != nil {
		return View{}, err
	}
	return viewOf(*after), nil
}

type listRequest struct {
	// Prefix of the order number, ignoring case.
	NumberPrefix string               `query:"q"`
	Status       status.Param[Return] `query:"status"`
	// Returns of this order.
	OrderID int64 `query:"orderId"`
	// Returns of this user's orders.
	UserID principal.CustomerID `query:"userId"`
	From   *time.Time           `query:"from"`
	To     *time.Time           `query:"to"`
	httpapi.Page
}

// filters returns the filters of a list, the most selective first, and its sorts.
func (in listRequest) filters() (filters []storage.Filter, within storage.Sorts) {
	if in.OrderID != 0 {
		filters = append(filters, storage.Equal("order_id", in.OrderID))
	}
	if in.NumberPrefix != "" {
		filters = append(filters, storage.HasPrefix("order_no", strings.ToUpper(in.NumberPrefix)))
	}
	if in.UserID != "" {
		filters = append(filters, storage.Equal("user_id", in.UserID))
	}
	period := storage.Created(in.From, in.To)
	filters = append(filters, period)
	if in.Status.State != nil {
		filters = append(filters, storage.Equal("status", in.Status.State.Code))
	}
	return filters, sorts.Within(period)
}

func (s *Service) list(ctx context.Context, in listRequest) (httpapi.List[View], error) {
	filters, within := in.filters()
	listing, err := s.page(ctx, in.Page.Page(), within, filters...)
	return httpapi.ListOf(listing, viewOf), err
}

// page returns one page of returns with their lines.
func (s *Service) page(ctx context.Context, page storage.Page, within storage.Sorts, filters ...storage.Filter) (storage.Listing[Return], error) {
	listing, err := storage.List[Return](s.flow.DB.Read(ctx), page, within, filters...)
	if err != nil || len(listing.Rows) == 0 {
		return listing, err
	}
	return listing, withLines(s.flow.DB.Read(ctx), listing.Pointers())
}

package returns

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"interlock/internal/base/status"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/orders"
)

// myRoutes registers the routes of customers, who return goods of their orders.
func myRoutes(r *httpapi.Router, s *Service) {
	mine := r.About(httpapi.Resource{Tag: "Customers", Noun: "my return", Example: myViewOf(exampleReturn)})
	httpapi.GetOf(mine, "/my/orders/:id/returns", "", s.myOrder, s.listMine).
		Doc("List the returns of my order", "Newest first by default.").
		With(httpapi.Contract{ID: "listMyReturns", Sorts: sorts, ForCustomers: true})
	httpapi.MutationOf(mine, http.MethodPost, "/my/orders/:id/returns", "", s.myOrder, s.requestMine).
		Doc("Request a return of my order", "For shipped units of an order of the calling customer, or of the customer that an API token acts for. "+
			"422 at `/lines/<i>/quantity` for units that were not shipped, or that another return or a refund with `restock` already has.").
		With(httpapi.Contract{ID: "requestMyReturn", Body: requestExample, Locks: true, ForCustomers: true})
}

// myOrder is orders.Service.Mine, for routes that are registered without a running program.
func (s *Service) myOrder(ctx context.Context, path httpapi.Path) (*orders.Order, error) {
	return s.orders.Mine(ctx, path)
}

type myLineView struct {
	// The number of the line in the order, from 1.
	LineID int64  `json:"lineId" validate:"min=1"`
	SKU    string `json:"sku" validate:"required"`
	Name   string `json:"name"`
	// Requested units.
	Quantity int64 `json:"quantity" validate:"min=1"`
	// Units that arrived.
	Received int64 `json:"received" validate:"min=0"`
}

// myReturnView is a return for its customer. It has no facts about the staff, the stock and the refund.
type myReturnView struct {
	ID      int64               `json:"id"`
	OrderID int64               `json:"orderId"`
	OrderNo string              `json:"orderNo" validate:"required"`
	Lines   []myLineView        `json:"lines" validate:"min=1"`
	Reason  string              `json:"reason"`
	Status  status.Name[Return] `json:"status"`
	// The reason of a rejection.
	StatusReason *string `json:"statusReason"`
	// The order that replaces the goods.
	ExchangeOrderID *int64    `json:"exchangeOrderId"`
	CreatedTime     time.Time `json:"createdTime"`
	UpdatedTime     time.Time `json:"updatedTime"`
}

func myViewOf(r Return) myReturnView {
	full := viewOf(r)
	v := myReturnView{
		ID: full.ID, OrderID: full.OrderID, OrderNo: full.OrderNo, Lines: make([]myLineView, len(full.Lines)), Reason: full.Reason, Status: full.Status,
		StatusReason: full.StatusReason, ExchangeOrderID: full.ExchangeOrderID, CreatedTime: r.CreatedTime, UpdatedTime: r.UpdatedTime,
	}
	for i, line := range full.Lines {
		v.Lines[i] = myLineView{line.LineID, line.SKU, line.Name, line.Quantity, line.Received}
	}
	return v
}

func (s *Service) requestMine(ctx context.Context, u *uow.Unit, order *orders.Order, in RequestInput) (httpapi.Created[myReturnView], error) {
	row, err := s.Request(ctx, u, order, in.Body)
	if err != nil {
		return httpapi.Created[myReturnView]{}, err
	}
	return httpapi.Created[myReturnView]{Location: fmt.Sprintf("/my/orders/%d/returns", order.ID), Body: myViewOf(*row)}, nil
}

func (s *Service) listMine(ctx context.Context, order *orders.Order, in httpapi.Page) (httpapi.List[myReturnView], error) {
	listing, err := s.page(ctx, in.Page(), sorts, storage.Equal("order_id", order.ID))
	return httpapi.ListOf(listing, myViewOf), err
}

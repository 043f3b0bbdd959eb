package orders

import (
	"context"
	"time"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/status"
	"interlock/internal/edge/httpapi"
)

// myRoutes registers the routes of customers, who read their orders.
func myRoutes(r *httpapi.Router, h handler) {
	mine := r.About(httpapi.Resource{Tag: "Customers", Noun: "my order", Example: myOrderExample})
	httpapi.GetOf(mine, "/my/orders", "", httpapi.Myself, h.listMine).
		Doc("List my orders", "The orders of the calling customer, or of the customer that an API token acts for. Newest first by default.").
		With(httpapi.Contract{ID: "listMyOrders", Sorts: orderSorts, ForCustomers: true})
	httpapi.GetOf(mine, "/my/orders/:id", "", h.service.Mine, h.getMine).
		Doc("Get my order", "`GET /my/orders/{id}/returns` lists its returns.").With(httpapi.Contract{ID: "getMyOrder", ForCustomers: true})
}

// myOrderView is an order for its customer. It has no facts about the staff and no notes.
type myOrderView struct {
	ID         int64        `json:"id"`
	OrderNo    string       `json:"orderNo" validate:"required"`
	Items      []myLineView `json:"items" validate:"min=1"`
	CouponCode *string      `json:"couponCode"`
	Currency   string       `json:"currency"`
	Subtotal   int64        `json:"subtotal" validate:"min=0"`
	Discount   int64        `json:"discount" validate:"min=0"`
	Shipping   int64        `json:"shipping" validate:"min=0"`
	Tax        int64        `json:"tax" validate:"min=0"`
	// The total: `subtotal` − `discount` + `shipping` + `tax`.
	Amount int64 `json:"amount" validate:"min=0"`
	Paid   int64 `json:"paid" validate:"min=0"`
	// The part of the total that was not paid; 0 for a cancelled order.
	Due              int64              `json:"due" validate:"min=0"`
	Refunded         int64              `json:"refunded" validate:"min=0"`
	Status           status.Name[Order] `json:"status"`
	PaymentStatus    PaymentStatus      `json:"paymentStatus"`
	FulfilmentStatus FulfilmentStatus   `json:"fulfilmentStatus"`
	PaymentTerms     Terms              `json:"paymentTerms"`
	Shipment         *shipmentView      `json:"shipment"`
	FlashSaleID      *int64             `json:"flashSaleId"`
	Ticket           *string            `json:"ticket"`
	// When the order is cancelled unless it is paid.
	PaymentDue      *time.Time `json:"paymentDue"`
	CreatedTime     time.Time  `json:"createdTime"`
	PaidTime        *time.Time `json:"paidTime"`
	ShippedTime     *time.Time `json:"shippedTime"`
	CompletedTime   *time.Time `json:"completedTime"`
	CancelledTime   *time.Time `json:"cancelledTime"`
	ExternalID      *string    `json:"externalId"`
	Email           *string    `json:"email"`
	ShippingAddress *Address   `json:"shippingAddress"`
	BillingAddress  *Address   `json:"billingAddress"`
}

type myLineView struct {
	LineID   int64  `json:"lineId"`
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Quantity int64  `json:"quantity" validate:"min=1"`
	// Price of one unit, in minor units.
	Price    int64 `json:"price" validate:"min=0"`
	Shipped  int64 `json:"shipped" validate:"min=0"`
	Returned int64 `json:"returned" validate:"min=0"`
}

func myViewOf(ctx context.Context, o Order) myOrderView {
	full := viewOf(ctx, o)
	v := myOrderView{
		ID: full.ID, OrderNo: full.OrderNo, Items: make([]myLineView, len(full.Items)), CouponCode: full.CouponCode, Currency: full.Currency,
		Subtotal: full.Subtotal, Discount: full.Discount, Shipping: full.Shipping, Tax: full.Tax, Amount: full.Amount,
		Paid: full.Paid, Due: full.Due, Refunded: full.Refunded,
		Status: full.Status, PaymentStatus: full.PaymentStatus, FulfilmentStatus: full.FulfilmentStatus, PaymentTerms: full.PaymentTerms,
		Shipment: full.Shipment, FlashSaleID: full.FlashSaleID, Ticket: full.Ticket, PaymentDue: full.PaymentDue, CreatedTime: full.CreatedTime,
		PaidTime: full.PaidTime, ShippedTime: full.ShippedTime, CompletedTime: full.CompletedTime, CancelledTime: full.CancelledTime,
		ExternalID: full.ExternalID, Email: full.Email, ShippingAddress: full.ShippingAddress, BillingAddress: full.BillingAddress,
	}
	for i, line := range full.Items {
		v.Items[i] = myLineView{line.LineID, line.SKU, line.Name, line.Quantity, line.Price, line.Shipped, line.Returned}
	}
	return v
}

type listMineRequest struct {
	Status status.Param[Order] `query:"status"`
	httpapi.Page
}

func (h handler) listMine(ctx context.Context, me principal.CustomerID, in listMineRequest) (httpapi.List[myOrderView], error) {
	listing, err := h.service.List(ctx, Filter{UserID: me, Status: in.Status.State}, in.Page.Page())
	return httpapi.ListOf(listing, func(order Order) myOrderView { return myViewOf(ctx, order) }), err
}

// Mine is the Find of an order of the calling customer. Errors: Forbidden; NotFound also for the order
// of another customer.
func (s *Service) Mine(ctx context.Context, path httpapi.Path) (*Order, error) {
	me, err := httpapi.Myself(ctx, path)
	if err != nil {
		return nil, err
	}
	id, err := path.ID("id", "order")
	if err != nil {
		return nil, err
	}
	order, err := s.Order(ctx, id)
	if err == nil && order.UserID != me {
		return nil, apperr.MissingRow("order", path.Text("id"))
	}
	return order, err
}

func (h handler) getMine(ctx context.Context, order *Order, _ httpapi.None) (myOrderView, error) {
	return myViewOf(ctx, *order), nil
}

// myOrderExample is an order for the contract.
var myOrderExample = myViewOf(principal.With(context.Background(), principal.Principal{Currency: "CNY"}), exampleOrder)

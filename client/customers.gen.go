// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"net/http"
	"time"
)

// Customers calls the operations on customers.
//
// What customers read about themselves, with their token or through an API token that acts for
// them.
type Customers struct{ client *Client }

// MyOrder is a row of [Customers.MyOrders].
type MyOrder struct {
	ID         int64           `json:"id"`
	OrderNo    string          `json:"orderNo"`
	Items      []MyOrderMyLine `json:"items"`
	CouponCode *string         `json:"couponCode"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	Subtotal int64  `json:"subtotal"`
	Discount int64  `json:"discount"`
	Shipping int64  `json:"shipping"`
	Tax      int64  `json:"tax"`
	// The total: `subtotal` − `discount` + `shipping` + `tax`.
	Amount int64 `json:"amount"`
	Paid   int64 `json:"paid"`
	// The part of the total that was not paid; 0 for a cancelled order.
	Due              int64                   `json:"due"`
	Refunded         int64                   `json:"refunded"`
	Status           OrderStatus             `json:"status"`
	PaymentStatus    OrderPaymentStatus      `json:"paymentStatus"`
	FulfilmentStatus MyOrderFulfilmentStatus `json:"fulfilmentStatus"`
	PaymentTerms     MyOrderTerms            `json:"paymentTerms"`
	Shipment         *MyOrderShipment        `json:"shipment"`
	FlashSaleID      *int64                  `json:"flashSaleId"`
	Ticket           *string                 `json:"ticket"`
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

// MyOrderMyLine is part of [MyOrder].
type MyOrderMyLine struct {
	LineID   int64  `json:"lineId"`
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
	// Price of one unit, in minor units.
	Price    int64 `json:"price"`
	Shipped  int64 `json:"shipped"`
	Returned int64 `json:"returned"`
}

// MyOrderFulfilmentStatus is part of [MyOrder].
type MyOrderFulfilmentStatus string

// The values of MyOrderFulfilmentStatus.
const (
	MyOrderFulfilmentStatusNone          MyOrderFulfilmentStatus = "none"
	MyOrderFulfilmentStatusPartlyShipped MyOrderFulfilmentStatus = "partly_shipped"
	MyOrderFulfilmentStatusShipped       MyOrderFulfilmentStatus = "shipped"
)

// MyOrderTerms is part of [MyOrder].
type MyOrderTerms string

// The values of MyOrderTerms.
const (
	MyOrderTermsPrepaid    MyOrderTerms = "prepaid"
	MyOrderTermsOnDelivery MyOrderTerms = "on_delivery"
	MyOrderTermsInvoice    MyOrderTerms = "invoice"
)

// MyOrderShipment is part of [MyOrder].
type MyOrderShipment struct {
	Carrier    string `json:"carrier"`
	TrackingNo string `json:"trackingNo"`
}

// MyOrderFilter selects rows of [Customers.MyOrders].
type MyOrderFilter struct {
	Paging
	Status OrderStatus
}

// Customer is a row of [Customers.List].
type Customer struct {
	// The shop's name of a customer, which is one of its users: 1 to 128 letters, digits and
	// `._:@+=/|-`. Compared byte for byte, so `Li` is not `li`. Percent-encoded in a path.
	UserID string `json:"userId"`
	// The email of the latest order.
	Email *string `json:"email"`
	// The number of orders, including cancelled ones; at most 10,000.
	Orders int64 `json:"orders"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// The sum of the payments of the orders without the settled refunds, in minor units. Null for a
	// customer with more than 10,000 orders.
	Spent *int64 `json:"spent"`
	// When the latest order was created.
	LastOrderTime time.Time `json:"lastOrderTime"`
	// The balance of the wallet, in minor units. Only for callers with `wallets:read`.
	Balance *int64 `json:"balance,omitzero"`
}

// CustomerFilter selects rows of [Customers.List].
type CustomerFilter struct {
	Paging
	// Prefix of the user's id.
	Q string
}

// MyReturn is a row of [Customers.MyReturns].
type MyReturn struct {
	ID      int64            `json:"id"`
	OrderID int64            `json:"orderId"`
	OrderNo string           `json:"orderNo"`
	Lines   []MyReturnMyLine `json:"lines"`
	Reason  string           `json:"reason"`
	Status  ReturnStatus     `json:"status"`
	// The reason of a rejection.
	StatusReason *string `json:"statusReason"`
	// The order that replaces the goods.
	ExchangeOrderID *int64    `json:"exchangeOrderId"`
	CreatedTime     time.Time `json:"createdTime"`
	UpdatedTime     time.Time `json:"updatedTime"`
}

// MyReturnMyLine is part of [MyReturn].
type MyReturnMyLine struct {
	// The number of the line in the order, from 1.
	LineID int64  `json:"lineId"`
	SKU    string `json:"sku"`
	Name   string `json:"name"`
	// Requested units.
	Quantity int64 `json:"quantity"`
	// Units that arrived.
	Received int64 `json:"received"`
}

// MyReturnRequest is the request body of [Customers.RequestMyReturn].
type MyReturnRequest struct {
	Lines  []MyReturnLineRequest `json:"lines"`
	Reason string                `json:"reason"`
}

// MyReturnLineRequest is part of [MyReturnRequest].
type MyReturnLineRequest struct {
	// The number of the line in its order, from 1.
	LineID   int64 `json:"lineId"`
	Quantity int64 `json:"quantity"`
}

// MyCoupon is a row of [Customers.MyCoupons].
type MyCoupon struct {
	Code string `json:"code"`
	// Whether `value` is in minor units or in percent.
	Kind          CampaignKind `json:"kind"`
	Value         int64        `json:"value"`
	MinimumAmount int64        `json:"minimumAmount"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency  string       `json:"currency"`
	ValidFrom time.Time    `json:"validFrom"`
	ValidTo   time.Time    `json:"validTo"`
	Status    CouponStatus `json:"status"`
	// The order that used it.
	OrderID *int64 `json:"orderId"`
}

// CouponStatus is part of [MyCoupon].
type CouponStatus string

// The values of CouponStatus.
const (
	CouponStatusUnused  CouponStatus = "unused"
	CouponStatusUsed    CouponStatus = "used"
	CouponStatusVoid    CouponStatus = "void"
	CouponStatusExpired CouponStatus = "expired"
)

// MyCouponFilter selects rows of [Customers.MyCoupons].
type MyCouponFilter struct {
	Paging
	Status CouponStatus
}

// MyTicket is a row of [Customers.MyTickets].
type MyTicket struct {
	Ticket   string                `json:"ticket"`
	Status   FlashSaleTicketStatus `json:"status"`
	Quantity *int64                `json:"quantity,omitzero"`
	OrderID  *int64                `json:"orderId,omitzero"`
	OrderNo  string                `json:"orderNo,omitzero"`
	// Why it was rejected: `sold_out`, `limit`, `discarded`, `lost`. Or `order_cancelled`: it was
	// confirmed, and its order is now cancelled.
	Reason      string `json:"reason,omitzero"`
	FlashSaleID int64  `json:"flashSaleId"`
	// When the gate accepted a waiting ticket, when the order of a confirmed ticket was created, or
	// when a ticket was rejected.
	CreatedTime time.Time `json:"createdTime"`
}

// MyWallet is returned by [Customers.MyWallet].
type MyWallet struct {
	// In minor units.
	Balance int64 `json:"balance"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
}

// MyOrders lists my orders.
//
// The orders of the calling customer, or of the customer that an API token acts for. Newest first
// by default.
func (s *Customers) MyOrders(f MyOrderFilter) List[MyOrder] {
	return List[MyOrder]{s.client, "/my/orders", f.parameters().set("status", f.Status)}
}

// MyOrder returns my order.
//
// `GET /my/orders/{id}/returns` lists its returns.
func (s *Customers) MyOrder(ctx context.Context, id int64, options ...CallOption) (MyOrder, error) {
	return call[MyOrder](ctx, s.client, request{method: http.MethodGet, path: "/my/orders/" + segment(id)}, options)
}

// List lists customers.
//
// The users who have orders, with the sums of their orders; the latest order first by default. A
// customer has no other record.
func (s *Customers) List(f CustomerFilter) List[Customer] {
	return List[Customer]{s.client, "/customers", f.parameters().set("q", f.Q)}
}

// MyReturns lists the returns of my order.
//
// Newest first by default.
func (s *Customers) MyReturns(id int64, p Paging) List[MyReturn] {
	return List[MyReturn]{s.client, "/my/orders/" + segment(id) + "/returns", p.parameters()}
}

// RequestMyReturn requests a return of my order.
//
// For shipped units of an order of the calling customer, or of the customer that an API token acts
// for. 422 at `/lines/<i>/quantity` for units that were not shipped, or that another return or a
// refund with `restock` already has.
func (s *Customers) RequestMyReturn(ctx context.Context, id int64, body MyReturnRequest, options ...CallOption) (MyReturn, error) {
	return call[MyReturn](ctx, s.client, request{method: http.MethodPost, path: "/my/orders/" + segment(id) + "/returns", body: body}, options)
}

// MyCoupons lists my coupons.
//
// The coupons that only the calling customer, or the customer that an API token acts for, can
// redeem.
func (s *Customers) MyCoupons(f MyCouponFilter) List[MyCoupon] {
	return List[MyCoupon]{s.client, "/my/coupons", f.parameters().set("status", f.Status)}
}

// MyTickets lists my tickets.
//
// The tickets of the calling customer, or of the customer that an API token acts for, in all flash
// sales. First those that wait, of which a sale has at most the latest; then the others, the latest
// first.
func (s *Customers) MyTickets(p Paging) List[MyTicket] {
	return List[MyTicket]{s.client, "/my/tickets", p.parameters()}
}

// MyWallet returns my wallet.
//
// The wallet of the calling customer, or of the customer that an API token acts for.
func (s *Customers) MyWallet(ctx context.Context, options ...CallOption) (MyWallet, error) {
	return call[MyWallet](ctx, s.client, request{method: http.MethodGet, path: "/my/wallet"}, options)
}

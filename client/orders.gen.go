// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Orders calls the operations on orders.
//
// `pending` → `paid` → `shipped` → `completed`, and `cancelled` from `pending` or `paid`. Each
// transition happens once.
type Orders struct{ client *Client }

// Order is a row of [Orders.List].
type Order struct {
	Stamp
	originState
	ID int64 `json:"id"`
	// For display: the day and a random part.
	OrderNo string `json:"orderNo"`
	// The shop's name of a customer, which is one of its users: 1 to 128 letters, digits and
	// `._:@+=/|-`. Compared byte for byte, so `Li` is not `li`. Percent-encoded in a path.
	UserID     string      `json:"userId"`
	Items      []OrderLine `json:"items"`
	CouponCode *string     `json:"couponCode"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// The sum of the lines before the discount, in minor units.
	Subtotal int64 `json:"subtotal"`
	// In minor units, subtracted from the sum of the lines.
	Discount int64 `json:"discount"`
	// In minor units, as the storefront stated it.
	Shipping int64 `json:"shipping"`
	// In minor units, as the storefront stated it.
	Tax int64 `json:"tax"`
	// The total, in minor units: `subtotal` − `discount` + `shipping` + `tax`.
	Amount int64 `json:"amount"`
	// The part of the total that was not paid, in minor units; 0 for a cancelled order.
	Due int64 `json:"due"`
	// The sum of the applied payments, in minor units.
	Paid int64 `json:"paid"`
	// The part of it that unsettled refunds reserve.
	RefundReserved int64 `json:"refundReserved"`
	// The part of it that refunds have repaid.
	Refunded int64 `json:"refunded"`
	// `paid` − `refundReserved` − `refunded`: the amount that can still be refunded.
	Refundable       int64                 `json:"refundable"`
	Status           OrderStatus           `json:"status"`
	PaymentStatus    OrderPaymentStatus    `json:"paymentStatus"`
	FulfilmentStatus OrderFulfilmentStatus `json:"fulfilmentStatus"`
	PaymentTerms     OrderTerms            `json:"paymentTerms"`
	// The actions that are possible now.
	AllowedTransitions []OrderAction `json:"allowedTransitions"`
	// The latest applied payment.
	Payment *Payment `json:"payment"`
	// The latest shipment.
	Shipment     *OrderShipment `json:"shipment"`
	CancelReason *string        `json:"cancelReason"`
	// The flash sale of the order.
	FlashSaleID *int64 `json:"flashSaleId"`
	// The ticket of the purchase that became the order.
	Ticket *string `json:"ticket"`
	// When the order is cancelled unless it is paid.
	PaymentDue *time.Time `json:"paymentDue"`
	// When the order was paid in full.
	PaidTime *time.Time `json:"paidTime"`
	// When no unit was left to ship or in an open refund.
	ShippedTime   *time.Time `json:"shippedTime"`
	CompletedTime *time.Time `json:"completedTime"`
	CancelledTime *time.Time `json:"cancelledTime"`
	// The order's id in the storefront.
	ExternalID      *string           `json:"externalId"`
	Email           *string           `json:"email"`
	ShippingAddress *Address          `json:"shippingAddress"`
	BillingAddress  *Address          `json:"billingAddress"`
	Note            string            `json:"note"`
	Tags            []string          `json:"tags"`
	Metadata        map[string]string `json:"metadata"`
	Merged          *Merged           `json:"merged,omitzero"`
}

func (*Order) editable() []string {
	return []string{"email", "shippingAddress", "billingAddress", "note", "tags", "metadata"}
}

// UnmarshalJSON decodes the value and stores it as the origin of the next Save.
func (v *Order) UnmarshalJSON(text []byte) error {
	type members Order
	var decoded members
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	*v = Order(decoded)
	return setOrigin(v)
}

// OrderLine is part of [Order].
type OrderLine struct {
	// The number of the line in its order, from 1.
	LineID int64  `json:"lineId"`
	SKU    string `json:"sku"`
	Name   string `json:"name"`
	// Units ordered.
	Quantity int64 `json:"quantity"`
	// Price of one unit when the order was created, in minor units.
	Price int64 `json:"price"`
	// The same as `price`.
	UnitPrice int64 `json:"unitPrice"`
	// The line's part of the order's discount, in minor units.
	Discount int64 `json:"discount"`
	// `unitPrice` × `quantity` − `discount`.
	Total int64 `json:"total"`
	// Units that can be shipped, without unshipped units of open refunds with `restock`.
	ToShip int64 `json:"toShip"`
	// Shipped units.
	Shipped int64 `json:"shipped"`
	// Shipped units that a return or a refund has brought back, whether or not they are in stock
	// again.
	Returned int64 `json:"returned"`
}

// OrderStatus is part of [Order].
type OrderStatus string

// The values of OrderStatus.
const (
	OrderStatusPending   OrderStatus = "pending"
	OrderStatusPaid      OrderStatus = "paid"
	OrderStatusShipped   OrderStatus = "shipped"
	OrderStatusCompleted OrderStatus = "completed"
	OrderStatusCancelled OrderStatus = "cancelled"
)

// OrderPaymentStatus is part of [Order].
type OrderPaymentStatus string

// The values of OrderPaymentStatus.
const (
	OrderPaymentStatusUnpaid         OrderPaymentStatus = "unpaid"
	OrderPaymentStatusPartlyPaid     OrderPaymentStatus = "partly_paid"
	OrderPaymentStatusPaid           OrderPaymentStatus = "paid"
	OrderPaymentStatusPartlyRefunded OrderPaymentStatus = "partly_refunded"
	OrderPaymentStatusRefunded       OrderPaymentStatus = "refunded"
)

// OrderFulfilmentStatus is part of [Order].
type OrderFulfilmentStatus string

// The values of OrderFulfilmentStatus.
const (
	OrderFulfilmentStatusNone          OrderFulfilmentStatus = "none"
	OrderFulfilmentStatusPartlyShipped OrderFulfilmentStatus = "partly_shipped"
	OrderFulfilmentStatusShipped       OrderFulfilmentStatus = "shipped"
)

// OrderTerms is part of [Order].
type OrderTerms string

// The values of OrderTerms.
const (
	OrderTermsPrepaid    OrderTerms = "prepaid"
	OrderTermsOnDelivery OrderTerms = "on_delivery"
	OrderTermsInvoice    OrderTerms = "invoice"
)

// OrderAction is part of [Order].
type OrderAction string

// The values of OrderAction.
const (
	OrderActionPay      OrderAction = "pay"
	OrderActionShip     OrderAction = "ship"
	OrderActionComplete OrderAction = "complete"
	OrderActionCancel   OrderAction = "cancel"
)

// Payment is part of [Order].
type Payment struct {
	// The payment method: external, or the user's wallet.
	Method PaymentMethod `json:"method"`
	// The payment provider, which scopes the reference. Not for `wallet`.
	Provider string `json:"provider,omitzero"`
	// The payment's name at its provider. Required for `external`.
	Reference string `json:"reference,omitzero"`
}

// PaymentMethod is part of [Payment].
type PaymentMethod string

// The values of PaymentMethod.
const (
	PaymentMethodExternal PaymentMethod = "external"
	PaymentMethodWallet   PaymentMethod = "wallet"
)

// OrderShipment is part of [Order].
type OrderShipment struct {
	Carrier    string `json:"carrier"`
	TrackingNo string `json:"trackingNo"`
}

// Address is part of [Order].
type Address struct {
	Name    string `json:"name"`
	Company string `json:"company,omitzero"`
	// Street and house number.
	Line1      string `json:"line1"`
	Line2      string `json:"line2,omitzero"`
	City       string `json:"city"`
	Region     string `json:"region,omitzero"`
	PostalCode string `json:"postalCode,omitzero"`
	// ISO 3166-1 alpha-2, such as DE.
	Country string `json:"country"`
	Phone   string `json:"phone,omitzero"`
}

// OrderFilter selects rows of [Orders.List].
type OrderFilter struct {
	Paging
	// Prefix of the order number, ignoring case.
	Q      string
	Status OrderStatus
	// Orders of this user.
	UserID string
	// Created at this time or later.
	From time.Time
	// Created before this time.
	To time.Time
	// The order with this id in the storefront.
	ExternalID string
	Email      string
	TrackingNo string
	// Only the one with this reference.
	Reference string
	// Orders with a line of this item.
	SKU string
	// Orders with this tag.
	Tag              string
	CouponCode       string
	FlashSaleID      int64
	PaymentStatus    OrderPaymentStatus
	FulfilmentStatus OrderFulfilmentStatus
	// `true`: orders with units to ship that are paid, or have other terms than `prepaid`. `false`:
	// the others.
	ToShip *bool
	// Orders that were paid in full at this time or later.
	PaidFrom time.Time
	PaidTo   time.Time
	// Orders of which the last units were shipped at this time or later.
	ShippedFrom time.Time
	ShippedTo   time.Time
}

// OrderCreate is the request body of [Orders.Place].
type OrderCreate struct {
	// A `CustomerId`. An integer is converted to its decimal text, `42` to `"42"`, and replies
	// contain the text.
	UserID string `json:"userId"`
	// Each sku at most once.
	Items      []OrderLineRequest `json:"items"`
	CouponCode *string            `json:"couponCode,omitzero"`
	// The order's id in the storefront. The same request again returns the order with status 200.
	ExternalID *string `json:"externalId,omitzero"`
	// The total that the customer accepted, in minor units.
	ExpectedTotal *int64 `json:"expectedTotal,omitzero"`
	// Part of the total, in minor units.
	Shipping int64 `json:"shipping,omitzero"`
	// Part of the total, in minor units.
	Tax int64 `json:"tax,omitzero"`
	// `prepaid`: the order is shipped after its payment, and cancelled if it is not paid within the
	// tenant's `unpaidOrderMinutes`.
	PaymentTerms OrderTerms `json:"paymentTerms,omitzero"`
	// The address for messages about the order; empty for none.
	Email string `json:"email,omitzero"`
	// The addresses are nil for none, which "not null" stores as an empty text. They do not change
	// after the first shipment.
	ShippingAddress *Address `json:"shippingAddress,omitzero"`
	BillingAddress  *Address `json:"billingAddress,omitzero"`
	Note            string   `json:"note,omitzero"`
	// Each once; they are stored in alphabetical order.
	Tags []string `json:"tags,omitzero"`
	// Names and values of the storefront.
	Metadata map[string]string `json:"metadata,omitzero"`
}

// OrderLineRequest is part of [OrderCreate].
type OrderLineRequest struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
}

// OrderEvent is a row of [Orders.History].
type OrderEvent struct {
	Version int64          `json:"version"`
	Action  OrderEventName `json:"action"`
	// Null for the event that created the resource.
	From *OrderStatus `json:"from"`
	To   OrderStatus  `json:"to"`
	// The fields of the request.
	Detail      json.RawMessage `json:"detail"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
}

// OrderEventName is part of [OrderEvent].
type OrderEventName string

// The values of OrderEventName.
const (
	OrderEventNameCreate        OrderEventName = "create"
	OrderEventNameUpdate        OrderEventName = "update"
	OrderEventNamePayment       OrderEventName = "payment"
	OrderEventNameShipment      OrderEventName = "shipment"
	OrderEventNameReserveRefund OrderEventName = "reserve-refund"
	OrderEventNameReleaseRefund OrderEventName = "release-refund"
	OrderEventNameSettleRefund  OrderEventName = "settle-refund"
	OrderEventNameRequestReturn OrderEventName = "request-return"
	OrderEventNameReceiveReturn OrderEventName = "receive-return"
	OrderEventNameRejectReturn  OrderEventName = "reject-return"
	OrderEventNamePay           OrderEventName = "pay"
	OrderEventNameShip          OrderEventName = "ship"
	OrderEventNameComplete      OrderEventName = "complete"
	OrderEventNameCancel        OrderEventName = "cancel"
)

// Shipment is the request body of [Orders.Ship].
type Shipment struct {
	Carrier    string `json:"carrier"`
	TrackingNo string `json:"trackingNo"`
	// Ships an order with a completely refunded payment.
	ShipRefunded bool `json:"shipRefunded,omitzero"`
}

// OrderParcel is a row of [Orders.Shipments].
type OrderParcel struct {
	ID          int64             `json:"id"`
	OrderID     int64             `json:"orderId"`
	Lines       []OrderParcelLine `json:"lines"`
	Carrier     string            `json:"carrier"`
	TrackingNo  string            `json:"trackingNo"`
	CreatedTime time.Time         `json:"createdTime"`
	CreatedBy   Person            `json:"createdBy"`
}

// OrderParcelLine is part of [OrderParcel].
type OrderParcelLine struct {
	// The number of the line in the order, from 1.
	LineID   int64  `json:"lineId"`
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
}

// ShipmentCreate is the request body of [Orders.CreateShipment].
type ShipmentCreate struct {
	// Default: all units in `toShip`. Each line at most once.
	Lines      []ShipmentLine `json:"lines,omitzero"`
	Carrier    string         `json:"carrier"`
	TrackingNo string         `json:"trackingNo"`
	// Ships an order with a completely refunded payment.
	ShipRefunded bool `json:"shipRefunded,omitzero"`
}

// ShipmentLine is part of [ShipmentCreate].
type ShipmentLine struct {
	// The number of the line in its order, from 1.
	LineID   int64 `json:"lineId"`
	Quantity int64 `json:"quantity"`
}

// Cancellation is the request body of [Orders.Cancel].
type Cancellation struct {
	Reason string `json:"reason"`
}

// OrderBatch is the request body of [Orders.Move].
type OrderBatch struct {
	Action OrderAction `json:"action"`
	IDs    []int64     `json:"ids"`
	// The payment method: external, or the user's wallet.
	Method OrderBatchMethod `json:"method,omitzero"`
	// The payment provider, which scopes the reference. Not for `wallet`.
	Provider string `json:"provider,omitzero"`
	// The payment's name at its provider. Required for `external`.
	Reference  string `json:"reference,omitzero"`
	Carrier    string `json:"carrier,omitzero"`
	TrackingNo string `json:"trackingNo,omitzero"`
	// Ships an order with a completely refunded payment.
	ShipRefunded bool   `json:"shipRefunded,omitzero"`
	Reason       string `json:"reason,omitzero"`
}

// OrderBatchMethod is part of [OrderBatch].
type OrderBatchMethod string

// The values of OrderBatchMethod.
const (
	OrderBatchMethodExternal OrderBatchMethod = "external"
	OrderBatchMethodWallet   OrderBatchMethod = "wallet"
)

// OrderBatchResult is returned by [Orders.Move].
type OrderBatchResult struct {
	Items []OrderVerdict `json:"items"`
}

// OrderVerdict is part of [OrderBatchResult].
type OrderVerdict struct {
	ID int64 `json:"id"`
	// `conflict`: the order's status does not allow the action, another request came first, the
	// wallet has too little, or the reference of the payment paid another order. `invalid`: the
	// order does not exist, or a rule is violated.
	Verdict OrderVerdictVerdict `json:"verdict"`
	Code    Code                `json:"code,omitzero"`
	Detail  string              `json:"detail,omitzero"`
	// The order's current status, if it was read.
	Status OrderStatus `json:"status,omitzero"`
}

// OrderVerdictVerdict is part of [OrderVerdict].
type OrderVerdictVerdict string

// The values of OrderVerdictVerdict.
const (
	OrderVerdictVerdictDone     OrderVerdictVerdict = "done"
	OrderVerdictVerdictConflict OrderVerdictVerdict = "conflict"
	OrderVerdictVerdictInvalid  OrderVerdictVerdict = "invalid"
)

// List lists orders.
//
// Newest first by default. Each order contains its lines. With `from` or `to`, the sort by `id`
// becomes a sort by `createdTime`.
func (s *Orders) List(f OrderFilter) List[Order] {
	return List[Order]{s.client, "/orders", f.parameters().set("q", f.Q).set("status", f.Status).set("userId", f.UserID).set("from", f.From).set("to", f.To).set("externalId", f.ExternalID).set("email", f.Email).set("trackingNo", f.TrackingNo).set("reference", f.Reference).set("sku", f.SKU).set("tag", f.Tag).set("couponCode", f.CouponCode).set("flashSaleId", f.FlashSaleID).set("paymentStatus", f.PaymentStatus).set("fulfilmentStatus", f.FulfilmentStatus).set("toShip", f.ToShip).set("paidFrom", f.PaidFrom).set("paidTo", f.PaidTo).set("shippedFrom", f.ShippedFrom).set("shippedTo", f.ShippedTo)}
}

// Place creates an order.
//
// The lines copy name and price from the catalog at this moment. One transaction creates the order,
// reserves the units and redeems the coupon. With an `externalId` that an order has: 200 with that
// order if the request has the same content, and nothing changes. 422 at `/items/<i>/sku` for an
// item that is not for sale or is listed twice, and at `/couponCode` for a coupon that cannot be
// used.
func (s *Orders) Place(ctx context.Context, body OrderCreate, options ...CallOption) (Order, error) {
	return call[Order](ctx, s.client, request{method: http.MethodPost, path: "/orders", body: body}, options)
}

// Get returns an order.
func (s *Orders) Get(ctx context.Context, id int64, options ...CallOption) (Order, error) {
	return call[Order](ctx, s.client, request{method: http.MethodGet, path: "/orders/" + segment(id)}, options)
}

// Save updates an order.
//
// Changes facts that affect no amount and no stock. The addresses change only before the first
// shipment (422 `shipped`). In a conflict, `base` has the earlier values of these members; its
// other members are current.
//
// It sends the changes of value since it was read, and replaces value with the reply. If another
// writer was first, it returns a [Conflict].
func (s *Orders) Save(ctx context.Context, value *Order, options ...CallOption) error {
	return save(ctx, s.client, "/orders/"+segment(value.ID), value, options)
}

// History lists the history of an order.
//
// Newest first: one event for each version. `payment`: a payment that left an amount due.
// `shipment`: a partial shipment. They do not change the status, nor do the actions of refunds,
// except that a `settle-refund` that returns the last units makes a partly shipped order `shipped`.
func (s *Orders) History(id int64, p Paging) List[OrderEvent] {
	return List[OrderEvent]{s.client, "/orders/" + segment(id) + "/history", p.parameters()}
}

// Pay pays an order.
//
// `pending` → `paid`, or unchanged `shipped`. Records a payment of all that is due. `wallet` debits
// the wallet of the order's user in the same transaction. `external`: the money was received
// outside, and `reference`, which is required, identifies the payment there. Of concurrent requests
// one succeeds; the others return 409 with the author of the successful one.
//
// A reference is unique per tenant and provider. Repeating the same payment of the same order
// returns 200 with the order and changes nothing, so that a provider may repeat its callback. This
// action rejects money that the order cannot take; `POST /orders/{id}/payments` records it.
func (s *Orders) Pay(ctx context.Context, id int64, body Payment, options ...CallOption) (Order, error) {
	return call[Order](ctx, s.client, request{method: http.MethodPost, path: "/orders/" + segment(id) + "/pay", body: body}, options)
}

// Ship ships an order.
//
// `pending` or `paid` → `shipped`. Sends all units in `toShip` as one shipment and removes them
// from stock. An order with the terms `prepaid` is shipped from `paid`. While an open refund
// contains units, the order is only partly shipped and its status is unchanged: the refund returns
// the units to stock, which makes the order `shipped`, or to `toShip`. `nothing_to_ship`: open
// refunds contain all units, or the whole payment was refunded and `shipRefunded` is not set.
func (s *Orders) Ship(ctx context.Context, id int64, body Shipment, options ...CallOption) (Order, error) {
	return call[Order](ctx, s.client, request{method: http.MethodPost, path: "/orders/" + segment(id) + "/ship", body: body}, options)
}

// Shipments lists the shipments of an order.
//
// Newest first by default.
func (s *Orders) Shipments(id int64, p Paging) List[OrderParcel] {
	return List[OrderParcel]{s.client, "/orders/" + segment(id) + "/shipments", p.parameters()}
}

// CreateShipment creates a shipment.
//
// Sends units of an order and removes them from stock; without `lines`, all units in `toShip`. An
// order can have several shipments. The shipment that leaves no unit to ship or in an open refund
// makes the order `shipped`; before that, the status is unchanged and `fulfilmentStatus` is
// `partly_shipped`. The status conditions and `nothing_to_ship` are those of `ship`. 422 at
// `/lines/<i>/quantity` for more units than `toShip`.
func (s *Orders) CreateShipment(ctx context.Context, id int64, body ShipmentCreate, options ...CallOption) (OrderParcel, error) {
	return call[OrderParcel](ctx, s.client, request{method: http.MethodPost, path: "/orders/" + segment(id) + "/shipments", body: body}, options)
}

// Complete completes an order.
//
// `shipped` → `completed`. `transition_not_allowed` while an amount is `due`.
func (s *Orders) Complete(ctx context.Context, id int64, options ...CallOption) (Order, error) {
	return call[Order](ctx, s.client, request{method: http.MethodPost, path: "/orders/" + segment(id) + "/complete"}, options)
}

// Cancel cancels an order.
//
// `pending` or `paid` or `shipped` → `cancelled`. Not while the customer has shipped units, and not
// after a shipment of a flash sale's units: `transition_not_allowed`. One transaction releases the
// units, returns the coupon to `unused`, and refunds the rest of each payment (`refundable`). A
// `wallet` payment is credited to the wallet; for an `external` payment a refund is `requested`,
// which another user approves.
func (s *Orders) Cancel(ctx context.Context, id int64, body Cancellation, options ...CallOption) (Order, error) {
	return call[Order](ctx, s.client, request{method: http.MethodPost, path: "/orders/" + segment(id) + "/cancel", body: body}, options)
}

// Move transitions many orders.
//
// Applies one transition to each order, in the order of `ids`, each in a separate transaction: the
// rejection of one order does not affect the others. The members of the transition (`reason`,
// `carrier`…) are siblings of `action` and `ids`, and apply to all orders. If the database fails
// during the batch, completed orders stay changed.
func (s *Orders) Move(ctx context.Context, body OrderBatch, options ...CallOption) (OrderBatchResult, error) {
	return call[OrderBatchResult](ctx, s.client, request{method: http.MethodPost, path: "/order-batches", body: body}, options)
}

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Orders are the customers' orders.
type Orders struct{ client *Client }

// OrderStatus is where an order stands.
type OrderStatus string

// The statuses of orders.
const (
	OrderPending   OrderStatus = "pending"
	OrderPaid      OrderStatus = "paid"
	OrderShipped   OrderStatus = "shipped"
	OrderCompleted OrderStatus = "completed"
	OrderCancelled OrderStatus = "cancelled"
)

// Order is one order. Amounts are in minor units.
type Order struct {
	Stamp
	ID         int64       `json:"id"`
	OrderNo    string      `json:"orderNo"`
	UserID     string      `json:"userId"`
	Items      []OrderLine `json:"items"`
	CouponCode *string     `json:"couponCode"`
	// Currency is of all amounts (ISO 4217).
	Currency string `json:"currency"`
	Discount int64  `json:"discount"`
	// Amount is what is to be paid.
	Amount int64 `json:"amount"`
	// Paid is what was paid, RefundReserved what refunds have reserved of it that are not
	// settled yet, Refunded what they gave back, and Refundable what is left.
	Paid               int64       `json:"paid"`
	RefundReserved     int64       `json:"refundReserved"`
	Refunded           int64       `json:"refunded"`
	Refundable         int64       `json:"refundable"`
	Status             OrderStatus `json:"status"`
	AllowedTransitions []string    `json:"allowedTransitions"`
	Payment            *Payment    `json:"payment"`
	Shipment           *Shipment   `json:"shipment"`
	CancelReason       *string     `json:"cancelReason"`
	// FlashSaleID is the flash sale that it is from, nil when it is from none, and Ticket the
	// purchase there that it was made of.
	FlashSaleID *int64  `json:"flashSaleId"`
	Ticket      *string `json:"ticket"`
	// PaymentDue is when an order of a flash sale is cancelled, unless it is paid by then.
	PaymentDue *time.Time `json:"paymentDue"`
}

// OrderLine is an item of an order at the price it had.
type OrderLine struct {
	// LineID is the number of the line in its order.
	LineID   int64  `json:"lineId"`
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
	// Price is that of one unit, in minor units.
	Price int64 `json:"price"`
	// ToShip are the units that the next shipment sends, Shipped those that were sent, and
	// Returned those of them that a refund has put back into stock.
	ToShip   int64 `json:"toShip"`
	Shipped  int64 `json:"shipped"`
	Returned int64 `json:"returned"`
}

// NewOrder is an order to place.
type NewOrder struct {
	UserID     string    `json:"userId"`
	Items      []NewLine `json:"items"`
	CouponCode string    `json:"couponCode,omitempty"`
}

// NewLine is how many pieces of an item are ordered.
type NewLine struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
}

// PaymentMethod is how an order is paid.
type PaymentMethod string

// The methods.
const (
	PayByWallet   PaymentMethod = "wallet"
	PayExternally PaymentMethod = "external"
)

// Payment is how an order is, or was, paid.
type Payment struct {
	Method PaymentMethod `json:"method"`
	// Reference names the payment where it was taken. It is required for PayExternally, and pays
	// one order; the same payment of the same order again changes nothing.
	Reference string `json:"reference,omitempty"`
}

// Shipment sends the units that an order has to ship.
type Shipment struct {
	Carrier    string `json:"carrier"`
	TrackingNo string `json:"trackingNo"`
	// ShipRefunded ships an order whose whole payment was refunded.
	ShipRefunded bool `json:"shipRefunded,omitempty"`
}

// OrderFilter narrows a list of orders.
type OrderFilter struct {
	Paging
	// Text is looked for in the order's number.
	Text   string
	Status OrderStatus
	UserID string
	// From and To bound the time of placing: from From on, before To.
	From, To time.Time
}

// OrderEvent is one change of an order. From is "" when it was placed.
type OrderEvent struct {
	Version     int64           `json:"version"`
	Action      string          `json:"action"`
	From        OrderStatus     `json:"from"`
	To          OrderStatus     `json:"to"`
	Detail      json.RawMessage `json:"detail"`
	Currency    string          `json:"currency"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
}

// OrderBatch moves many orders in the same way. What the action needs stands beside it.
type OrderBatch struct {
	// Action is pay, ship, complete or cancel.
	Action     string        `json:"action"`
	IDs        []int64       `json:"ids"`
	Method     PaymentMethod `json:"method,omitempty"`
	Reference  string        `json:"reference,omitempty"`
	Carrier    string        `json:"carrier,omitempty"`
	TrackingNo string        `json:"trackingNo,omitempty"`
	// ShipRefunded ships orders whose whole payment was refunded.
	ShipRefunded bool   `json:"shipRefunded,omitempty"`
	Reason       string `json:"reason,omitempty"`
}

// OrderVerdict is what became of one order: done, conflict or invalid.
type OrderVerdict struct {
	ID      int64       `json:"id"`
	Verdict string      `json:"verdict"`
	Code    Code        `json:"code"`
	Detail  string      `json:"detail"`
	Status  OrderStatus `json:"status"`
}

func orderPath(id int64) string { return "/orders/" + strconv.FormatInt(id, 10) }

// List lists orders, newest first, or as the filter's Sort says.
func (s *Orders) List(f OrderFilter) List[Order] {
	return List[Order]{s.client, "/orders", f.parameters().text("q", f.Text).text("status", string(f.Status)).
		text("userId", f.UserID).time("from", f.From).time("to", f.To)}
}

// Get reads an order.
func (s *Orders) Get(ctx context.Context, id int64, options ...CallOption) (Order, error) {
	return get[Order](ctx, s.client, orderPath(id), options)
}

// Place takes stock and coupon and places the order, all or nothing.
func (s *Orders) Place(ctx context.Context, o NewOrder, options ...CallOption) (Order, error) {
	return call[Order](ctx, s.client, request{method: http.MethodPost, path: "/orders", body: o}, options)
}

// History lists an order's changes, newest first.
func (s *Orders) History(id int64, p Paging) List[OrderEvent] {
	return List[OrderEvent]{s.client, orderPath(id) + "/history", p.parameters()}
}

// Pay pays a pending order. Like the others that follow it returns a
// [TransitionRejected] when the order's status does not allow it.
func (s *Orders) Pay(ctx context.Context, id int64, p Payment, options ...CallOption) (Order, error) {
	return transition[Order](ctx, s.client, orderPath(id)+"/pay", p, options)
}

// Ship sends a paid order.
func (s *Orders) Ship(ctx context.Context, id int64, sh Shipment, options ...CallOption) (Order, error) {
	return transition[Order](ctx, s.client, orderPath(id)+"/ship", sh, options)
}

// Complete closes a shipped order.
func (s *Orders) Complete(ctx context.Context, id int64, options ...CallOption) (Order, error) {
	return transition[Order](ctx, s.client, orderPath(id)+"/complete", struct{}{}, options)
}

// Cancel gives stock and coupon back and refunds the rest of the payment: to a wallet at once,
// and by a refund to be approved of what was paid outside.
func (s *Orders) Cancel(ctx context.Context, id int64, reason string, options ...CallOption) (Order, error) {
	return transition[Order](ctx, s.client, orderPath(id)+"/cancel", map[string]string{"reason": reason}, options)
}

// Move moves each order of a batch by itself and tells what became of it.
func (s *Orders) Move(ctx context.Context, b OrderBatch, options ...CallOption) ([]OrderVerdict, error) {
	moved, err := call[struct {
		Items []OrderVerdict `json:"items"`
	}](ctx, s.client, request{method: http.MethodPost, path: "/order-batches", body: b}, options)
	return moved.Items, err
}

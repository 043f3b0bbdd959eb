package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// Refunds are what goes back of the payments of orders.
type Refunds struct{ client *Client }

// RefundStatus is where a refund stands.
type RefundStatus string

// The statuses of refunds.
const (
	RefundRequested RefundStatus = "requested"
	RefundApproved  RefundStatus = "approved"
	RefundRejected  RefundStatus = "rejected"
	RefundSettled   RefundStatus = "settled"
	RefundFailed    RefundStatus = "failed"
	RefundUnknown   RefundStatus = "unknown"
)

// RefundOrigin is what a refund is the consequence of.
type RefundOrigin string

// The origins.
const (
	RefundByRequest      RefundOrigin = "request"
	RefundByCancellation RefundOrigin = "cancellation"
)

// Refund is one refund. Amounts are in minor units.
type Refund struct {
	Stamp
	ID                 int64         `json:"id"`
	OrderID            int64         `json:"orderId"`
	OrderNo            string        `json:"orderNo"`
	UserID             string        `json:"userId"`
	Amount             int64         `json:"amount"`
	Currency           string        `json:"currency"`
	Method             PaymentMethod `json:"method"`
	Origin             RefundOrigin  `json:"origin"`
	Lines              []RefundLine  `json:"lines"`
	Reason             string        `json:"reason"`
	Status             RefundStatus  `json:"status"`
	AllowedTransitions []string      `json:"allowedTransitions"`
	// StatusReason is why it was rejected, has failed or is unknown.
	StatusReason *string `json:"statusReason"`
	// Reference is what the movement of the money is called.
	Reference    *string    `json:"reference"`
	RequestedBy  Person     `json:"requestedBy"`
	ApprovedBy   *Person    `json:"approvedBy"`
	ApprovedTime *time.Time `json:"approvedTime"`
	// ChangeNeeds is what its approval needs; nil when that needs nothing, or is not possible now. In Get only.
	ChangeNeeds *ChangeNeeds `json:"changeNeeds,omitempty"`
}

// RefundLine is how many pieces of an item a refund is of.
type RefundLine struct {
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
	// Restock is true when the pieces come back.
	Restock bool `json:"restock"`
	// Worth is the pieces' part of what was paid.
	Worth int64 `json:"worth"`
}

// NewRefund is a refund to request.
type NewRefund struct {
	// Amount is 0 for what the lines are worth.
	Amount int64           `json:"amount,omitempty"`
	Reason string          `json:"reason"`
	Lines  []NewRefundLine `json:"lines,omitempty"`
}

// NewRefundLine is how many pieces of an item of the order are to be refunded.
type NewRefundLine struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
	Restock  bool   `json:"restock,omitempty"`
}

// RefundFilter narrows a list of refunds.
type RefundFilter struct {
	Paging
	Status  RefundStatus
	OrderID int64
	UserID  string
	// From and To bound the time of the request: from From on, before To.
	From, To time.Time
}

// RefundEvent is one change of a refund. From is "" when it was requested.
type RefundEvent struct {
	Version     int64           `json:"version"`
	Action      string          `json:"action"`
	From        RefundStatus    `json:"from"`
	To          RefundStatus    `json:"to"`
	Detail      json.RawMessage `json:"detail"`
	Currency    string          `json:"currency"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
}

func refundPath(id int64) string { return "/refunds/" + strconv.FormatInt(id, 10) }

// List lists refunds, newest first, or as the filter's Sort says.
func (s *Refunds) List(f RefundFilter) List[Refund] {
	return List[Refund]{s.client, "/refunds", f.parameters().text("status", string(f.Status)).number("orderId", f.OrderID).
		text("userId", f.UserID).time("from", f.From).time("to", f.To)}
}

// Get reads a refund.
func (s *Refunds) Get(ctx context.Context, id int64, options ...CallOption) (Refund, error) {
	return get[Refund](ctx, s.client, refundPath(id), options)
}

// History lists a refund's changes, newest first.
func (s *Refunds) History(id int64, p Paging) List[RefundEvent] {
	return List[RefundEvent]{s.client, refundPath(id) + "/history", p.parameters()}
}

// Request reserves a refund of an order for somebody else to approve. More than is left of
// the payment is validation_failed at /amount.
func (s *Refunds) Request(ctx context.Context, order int64, r NewRefund, options ...CallOption) (Refund, error) {
	return call[Refund](ctx, s.client, request{method: http.MethodPost, path: orderPath(order) + "/refunds", body: r}, options)
}

// Approve lets a refund go back: to a wallet at once, so that it is settled then. Nobody
// approves what they have requested. One above the tenant's threshold waits for votes: [Proposed].
// Like the others that follow it returns a
// [TransitionRejected] when the refund's status does not allow it.
func (s *Refunds) Approve(ctx context.Context, id int64, options ...CallOption) (Refund, error) {
	return transition[Refund](ctx, s.client, refundPath(id)+"/approve", struct{}{}, options)
}

// Reject ends a refund that is not to be.
func (s *Refunds) Reject(ctx context.Context, id int64, reason string, options ...CallOption) (Refund, error) {
	return s.because(ctx, id, "reject", reason, options)
}

// Settle says that the money went back, and what its provider calls that.
func (s *Refunds) Settle(ctx context.Context, id int64, reference string, options ...CallOption) (Refund, error) {
	return transition[Refund](ctx, s.client, refundPath(id)+"/settle", map[string]string{"reference": reference}, options)
}

// Fail says that the money did not go back.
func (s *Refunds) Fail(ctx context.Context, id int64, reason string, options ...CallOption) (Refund, error) {
	return s.because(ctx, id, "fail", reason, options)
}

// Unknown says that nobody knows whether the money went back. Settle or Fail end that.
func (s *Refunds) Unknown(ctx context.Context, id int64, reason string, options ...CallOption) (Refund, error) {
	return s.because(ctx, id, "unknown", reason, options)
}

func (s *Refunds) because(ctx context.Context, id int64, action, reason string, options []CallOption) (Refund, error) {
	return transition[Refund](ctx, s.client, refundPath(id)+"/"+action, map[string]string{"reason": reason}, options)
}

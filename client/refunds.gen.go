// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Refunds calls the operations on refunds.
//
// Repayments of an order's payment. A request reserves its amount, so that concurrent requests
// never reserve more than the remainder; `refundable` of an order is that remainder. Another user
// approves the refund. A wallet is credited in the same transaction. A refund of an external
// payment waits for the provider's result, and is `unknown` while the provider has none.
type Refunds struct{ client *Client }

// RefundRequest is the request body of [Refunds.Request].
type RefundRequest struct {
	// In minor units. If absent: the value of the lines.
	Amount *int64 `json:"amount,omitzero"`
	Reason string `json:"reason"`
	// Each sku at most once. Required if `amount` is absent.
	Lines []RefundLineRequest `json:"lines,omitzero"`
	// The payment to repay. If absent: the first received one that has the amount left.
	PaymentID *int64 `json:"paymentId,omitzero"`
}

// RefundLineRequest is part of [RefundRequest].
type RefundLineRequest struct {
	SKU      string `json:"sku"`
	Quantity int64  `json:"quantity"`
	Restock  bool   `json:"restock,omitzero"`
}

// Refund is returned by [Refunds.Request].
type Refund struct {
	Stamp
	ID      int64  `json:"id"`
	OrderID int64  `json:"orderId"`
	OrderNo string `json:"orderNo"`
	// The shop's name of a customer, which is one of its users: 1 to 128 letters, digits and
	// `._:@+=/|-`. Compared byte for byte, so `Li` is not `li`. Percent-encoded in a path.
	UserID string `json:"userId"`
	// The payment that it repays.
	PaymentID int64 `json:"paymentId"`
	// The refunded amount, in minor units.
	Amount int64 `json:"amount"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// The method of the payment, which is also the way of the refund.
	Method RefundMethod `json:"method"`
	// `cancellation`: the refund repays the rest of a cancelled order.
	Origin RefundOrigin `json:"origin"`
	Lines  []RefundLine `json:"lines"`
	Reason string       `json:"reason"`
	Status RefundStatus `json:"status"`
	// The actions that are possible now, for callers with their permissions.
	AllowedTransitions []RefundAction `json:"allowedTransitions"`
	// The reason of a rejection, a failure or an unknown outcome.
	StatusReason *string `json:"statusReason"`
	// The reference of the money movement: the wallet entry, or the provider's reference.
	Reference    *string    `json:"reference"`
	RequestedBy  Person     `json:"requestedBy"`
	ApprovedBy   *Person    `json:"approvedBy"`
	ApprovedTime *time.Time `json:"approvedTime"`
	// The requirements of its approval, because it is above the tenant's `refundApprovalThreshold`:
	// `approve` then proposes it. Absent if one user can approve it alone, and if it cannot be
	// approved now.
	ChangeNeeds *RefundChangeNeeds `json:"changeNeeds,omitzero"`
}

// RefundMethod is part of [Refund].
type RefundMethod string

// The values of RefundMethod.
const (
	RefundMethodExternal RefundMethod = "external"
	RefundMethodWallet   RefundMethod = "wallet"
)

// RefundOrigin is part of [Refund].
type RefundOrigin string

// The values of RefundOrigin.
const (
	RefundOriginRequest      RefundOrigin = "request"
	RefundOriginCancellation RefundOrigin = "cancellation"
)

// RefundLine is part of [Refund].
type RefundLine struct {
	SKU      string `json:"sku"`
	Name     string `json:"name"`
	Quantity int64  `json:"quantity"`
	// The units return to stock when the refund is settled. Unshipped units leave `toShip` at the
	// request, and return to it if the refund is rejected or fails.
	Restock bool `json:"restock"`
	// The units' share of the payment, in minor units.
	Worth int64 `json:"worth"`
}

// RefundStatus is part of [Refund].
type RefundStatus string

// The values of RefundStatus.
const (
	RefundStatusRequested RefundStatus = "requested"
	RefundStatusApproved  RefundStatus = "approved"
	RefundStatusRejected  RefundStatus = "rejected"
	RefundStatusSettled   RefundStatus = "settled"
	RefundStatusFailed    RefundStatus = "failed"
	RefundStatusUnknown   RefundStatus = "unknown"
)

// RefundAction is part of [Refund].
type RefundAction string

// The values of RefundAction.
const (
	RefundActionApprove RefundAction = "approve"
	RefundActionReject  RefundAction = "reject"
	RefundActionSettle  RefundAction = "settle"
	RefundActionFail    RefundAction = "fail"
	RefundActionUnknown RefundAction = "unknown"
)

// RefundFilter selects rows of [Refunds.List].
type RefundFilter struct {
	Paging
	Status RefundStatus
	// Refunds of this order.
	OrderID int64
	// Refunds of this user's orders.
	UserID string
	// Created at this time or later.
	From time.Time
	// Created before this time.
	To time.Time
}

// RefundChangeNeeds is part of [Refund].
type RefundChangeNeeds struct {
	// The number of votes of other users.
	Approvals int64 `json:"approvals"`
}

// RefundEvent is a row of [Refunds.History].
type RefundEvent struct {
	Version int64           `json:"version"`
	Action  RefundEventName `json:"action"`
	// Null for the event that created the resource.
	From *RefundStatus `json:"from"`
	To   RefundStatus  `json:"to"`
	// The fields of the request.
	Detail      json.RawMessage `json:"detail"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
}

// RefundEventName is part of [RefundEvent].
type RefundEventName string

// The values of RefundEventName.
const (
	RefundEventNameRequest  RefundEventName = "request"
	RefundEventNameApprove  RefundEventName = "approve"
	RefundEventNameReject   RefundEventName = "reject"
	RefundEventNameSettle   RefundEventName = "settle"
	RefundEventNameFail     RefundEventName = "fail"
	RefundEventNameUnknown  RefundEventName = "unknown"
	RefundEventNameTakeOver RefundEventName = "take-over"
	RefundEventNameCredit   RefundEventName = "credit"
)

// RefundRejection is the request body of [Refunds.Reject].
type RefundRejection struct {
	Reason string `json:"reason"`
}

// RefundSettlement is the request body of [Refunds.Settle].
type RefundSettlement struct {
	// A unique name. No leading or trailing spaces; names that start with `@` are reserved for the
	// service.
	Reference string `json:"reference"`
}

// RefundFailure is the request body of [Refunds.Fail].
type RefundFailure struct {
	Reason string `json:"reason"`
}

// RefundUnknownOutcome is the request body of [Refunds.Doubt].
type RefundUnknownOutcome struct {
	Reason string `json:"reason"`
}

// Request creates a refund.
//
// Creates the refund of one payment as `requested` and reserves its amount. Concurrent requests
// never reserve more than the rest of the payment: an amount that no single payment has left
// returns 422 at `/amount`, with the largest possible amount as `refundable`; request one refund
// for each payment then.
//
// The lines name the refunded units; `restock` returns them to stock at settlement. The default of
// `amount` is the value of the lines: their share of the payment, with the discount divided among
// the lines in proportion (largest remainder method), and the remainder within a line assigned to
// its last units. An explicit `amount` is refunded regardless of the value of the lines. 422 at
// `/lines/<i>/quantity` if other refunds already contain the units, and at `/lines/<i>/restock` for
// units that a refund cannot restock: those of a cancelled order are already in stock, and
// unshipped units of a flash sale return to the sale when the order is cancelled.
func (s *Refunds) Request(ctx context.Context, id int64, body RefundRequest, options ...CallOption) (Refund, error) {
	return call[Refund](ctx, s.client, request{method: http.MethodPost, path: "/orders/" + segment(id) + "/refunds", body: body}, options)
}

// List lists refunds.
//
// Newest first by default. Each refund contains its lines. With `from` or `to`, the sort by `id`
// becomes a sort by `createdTime`.
func (s *Refunds) List(f RefundFilter) List[Refund] {
	return List[Refund]{s.client, "/refunds", f.parameters().set("status", f.Status).set("orderId", f.OrderID).set("userId", f.UserID).set("from", f.From).set("to", f.To)}
}

// Get returns a refund.
func (s *Refunds) Get(ctx context.Context, id int64, options ...CallOption) (Refund, error) {
	return call[Refund](ctx, s.client, request{method: http.MethodGet, path: "/refunds/" + segment(id)}, options)
}

// History lists the history of a refund.
//
// Newest first: one event for each version. `credit`: settled with the cancellation of its order.
// `take-over`: rejected with it, because the cancellation refunds the rest.
func (s *Refunds) History(id int64, p Paging) List[RefundEvent] {
	return List[RefundEvent]{s.client, "/refunds/" + segment(id) + "/history", p.parameters()}
}

// Approve approves a refund.
//
// `requested` or `failed` → `approved`. Users cannot approve a refund that they requested, with any
// credential: 403. A wallet payment is credited to the wallet (reference `@refunds/{id}`) and the
// refund is `settled` in the same transaction; a refund of an external payment waits for the
// provider's result. A failed refund reserves its amount again: 409 if the remainder is too small.
//
// Above the tenant's `refundApprovalThreshold` the approval waits for votes: 202, and the refund is
// unchanged until the last vote approves it. Neither the author of that approval nor the user who
// requested the refund may vote.
func (s *Refunds) Approve(ctx context.Context, id int64, options ...CallOption) (Refund, error) {
	return call[Refund](ctx, s.client, request{method: http.MethodPost, path: "/refunds/" + segment(id) + "/approve"}, options)
}

// Reject rejects a refund.
//
// `requested` → `rejected`. Releases the reserved amount, which can be refunded again.
func (s *Refunds) Reject(ctx context.Context, id int64, body RefundRejection, options ...CallOption) (Refund, error) {
	return call[Refund](ctx, s.client, request{method: http.MethodPost, path: "/refunds/" + segment(id) + "/reject", body: body}, options)
}

// Settle reports a settled refund.
//
// `approved` or `unknown` → `settled`. On the provider's confirmation; `reference` is the
// provider's name for it. The units of the lines with `restock` return to stock.
//
// A reference settles one refund of a tenant and method. Repeating the same settlement of the same
// refund returns 200 with the refund and changes nothing.
func (s *Refunds) Settle(ctx context.Context, id int64, body RefundSettlement, options ...CallOption) (Refund, error) {
	return call[Refund](ctx, s.client, request{method: http.MethodPost, path: "/refunds/" + segment(id) + "/settle", body: body}, options)
}

// Fail reports a failed refund.
//
// `approved` or `unknown` → `failed`. As reported by the provider. Releases the reserved amount,
// which can be refunded again; the refund can be approved again.
func (s *Refunds) Fail(ctx context.Context, id int64, body RefundFailure, options ...CallOption) (Refund, error) {
	return call[Refund](ctx, s.client, request{method: http.MethodPost, path: "/refunds/" + segment(id) + "/fail", body: body}, options)
}

// Doubt reports an unknown refund outcome.
//
// `approved` → `unknown`. For example after a time-out. The refund retains its reservation until
// its provider reports the outcome.
func (s *Refunds) Doubt(ctx context.Context, id int64, body RefundUnknownOutcome, options ...CallOption) (Refund, error) {
	return call[Refund](ctx, s.client, request{method: http.MethodPost, path: "/refunds/" + segment(id) + "/unknown", body: body}, options)
}

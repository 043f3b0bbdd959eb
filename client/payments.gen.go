// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Payments calls the operations on payments.
//
// Receipts of money. An order can have several. Money that no order can take is `unmatched`, until
// it is applied to an order or sent back.
type Payments struct{ client *Client }

// PaymentRecord is a row of [Payments.Order].
type PaymentRecord struct {
	Stamp
	ID int64 `json:"id"`
	// The order that it pays, or while it is unmatched the order that its recorder named; null if
	// that order does not exist.
	OrderID *int64  `json:"orderId"`
	OrderNo *string `json:"orderNo"`
	// The shop's name of a customer, which is one of its users: 1 to 128 letters, digits and
	// `._:@+=/|-`. Compared byte for byte, so `Li` is not `li`. Percent-encoded in a path.
	UserID *string             `json:"userId"`
	Method PaymentRecordMethod `json:"method"`
	// The payment provider, which scopes the reference. Null for wallets and for an unnamed
	// provider.
	Provider *string `json:"provider"`
	// The payment's name at its provider.
	Reference *string `json:"reference"`
	// In minor units. It is 0 only for an order without an amount.
	Amount int64 `json:"amount"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// The part of it that unsettled refunds reserve.
	RefundReserved int64 `json:"refundReserved"`
	// The part of it that was repaid.
	Refunded int64 `json:"refunded"`
	// The part of an applied payment that can still be refunded.
	Refundable int64 `json:"refundable"`
	// `refunded`: refunds have repaid all of it, or it was sent back without an order.
	Status PaymentStatus `json:"status"`
	// The actions that are possible now, for callers with their permissions.
	AllowedTransitions []PaymentAction `json:"allowedTransitions"`
	// The reason why the payment is unmatched, or why it was sent back.
	Reason *string `json:"reason"`
	// The `reason` of an unmatched payment, for programs; null for other payments.
	ReasonCode *UnmatchedReason `json:"reasonCode"`
	// When it was applied to the order.
	AppliedTime *time.Time `json:"appliedTime"`
	RecordedBy  Person     `json:"recordedBy"`
}

// PaymentRecordMethod is part of [PaymentRecord].
type PaymentRecordMethod string

// The values of PaymentRecordMethod.
const (
	PaymentRecordMethodExternal PaymentRecordMethod = "external"
	PaymentRecordMethodWallet   PaymentRecordMethod = "wallet"
)

// PaymentStatus is part of [PaymentRecord].
type PaymentStatus string

// The values of PaymentStatus.
const (
	PaymentStatusUnmatched PaymentStatus = "unmatched"
	PaymentStatusApplied   PaymentStatus = "applied"
	PaymentStatusRefunded  PaymentStatus = "refunded"
)

// PaymentAction is part of [PaymentRecord].
type PaymentAction string

// The values of PaymentAction.
const (
	PaymentActionApply  PaymentAction = "apply"
	PaymentActionRefund PaymentAction = "refund"
)

// UnmatchedReason is part of [PaymentRecord].
type UnmatchedReason string

// The values of UnmatchedReason.
const (
	UnmatchedReasonUnknownOrder   UnmatchedReason = "unknown_order"
	UnmatchedReasonOrderCancelled UnmatchedReason = "order_cancelled"
	UnmatchedReasonAlreadyPaid    UnmatchedReason = "already_paid"
	UnmatchedReasonTooMuch        UnmatchedReason = "too_much"
)

// PaymentReceipt is the request body of [Payments.Record].
type PaymentReceipt struct {
	// The payment method: external, or the user's wallet.
	Method PaymentReceiptMethod `json:"method"`
	// The payment provider, which scopes the reference. Not for `wallet`.
	Provider string `json:"provider,omitzero"`
	// The payment's name at its provider.
	Reference string `json:"reference"`
	// In minor units. If absent: all that is due, or the order's amount if nothing is due.
	Amount *int64 `json:"amount,omitzero"`
}

// PaymentReceiptMethod is part of [PaymentReceipt].
type PaymentReceiptMethod string

// The values of PaymentReceiptMethod.
const (
	PaymentReceiptMethodExternal PaymentReceiptMethod = "external"
	PaymentReceiptMethodWallet   PaymentReceiptMethod = "wallet"
)

// PaymentApplication is the request body of [Payments.Apply].
type PaymentApplication struct {
	OrderID int64 `json:"orderId"`
}

// PaymentRecordFilter selects rows of [Payments.List].
type PaymentRecordFilter struct {
	Paging
	// Prefix of the reference.
	Q      string
	Status PaymentStatus
	// Payments of this order, and unmatched payments that name it.
	OrderID int64
	// Payments of this user's orders.
	UserID   string
	Method   PaymentMethod
	Provider string
	// Created at this time or later.
	From time.Time
	// Created before this time.
	To time.Time
}

// PaymentEvent is a row of [Payments.History].
type PaymentEvent struct {
	Version int64            `json:"version"`
	Action  PaymentEventName `json:"action"`
	// Null for the event that created the resource.
	From *PaymentStatus `json:"from"`
	To   PaymentStatus  `json:"to"`
	// The fields of the request.
	Detail      json.RawMessage `json:"detail"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
}

// PaymentEventName is part of [PaymentEvent].
type PaymentEventName string

// The values of PaymentEventName.
const (
	PaymentEventNameRecord        PaymentEventName = "record"
	PaymentEventNameReserveRefund PaymentEventName = "reserve-refund"
	PaymentEventNameReleaseRefund PaymentEventName = "release-refund"
	PaymentEventNameApply         PaymentEventName = "apply"
	PaymentEventNameRefund        PaymentEventName = "refund"
	PaymentEventNameSettleRefund  PaymentEventName = "settle-refund"
)

// PaymentRefund is the request body of [Payments.Refund].
type PaymentRefund struct {
	Reason string `json:"reason"`
}

// Order lists the payments of an order.
//
// Newest first, with unmatched payments that name the order.
func (s *Payments) Order(id int64, p Paging) List[PaymentRecord] {
	return List[PaymentRecord]{s.client, "/orders/" + segment(id) + "/payments", p.parameters()}
}

// Record records a payment of an order.
//
// 201: the payment is applied. It pays the order in part or in full; a pending order that is paid
// in full becomes `paid`. `wallet` debits the wallet of the order's user in the same transaction.
//
// 202: the order does not exist, is cancelled or is paid in full, or `amount` exceeds `due`. No
// money from outside is rejected: the whole payment is recorded as `unmatched`, with the `reason`,
// until it is applied to an order or sent back. A wallet payment, of which no money has moved, is
// rejected instead.
//
// A reference is unique per tenant and provider. Repeating the same request returns 200 with the
// existing payment and changes nothing, so that a provider may repeat its callback.
func (s *Payments) Record(ctx context.Context, id int64, body PaymentReceipt, options ...CallOption) (PaymentRecord, error) {
	return call[PaymentRecord](ctx, s.client, request{method: http.MethodPost, path: "/orders/" + segment(id) + "/payments", body: body}, options)
}

// Apply applies an unmatched payment to an order.
//
// `unmatched` → `applied`. The order may be another one than the payment names, also of another
// user. 422 at `/orderId` if it does not exist; 409 if it is cancelled, paid in full, or less than
// the payment is due. The payment then stays unmatched.
func (s *Payments) Apply(ctx context.Context, id int64, body PaymentApplication, options ...CallOption) (PaymentRecord, error) {
	return call[PaymentRecord](ctx, s.client, request{method: http.MethodPost, path: "/payments/" + segment(id) + "/apply", body: body}, options)
}

// List lists payments.
//
// Newest first by default. `status=unmatched` is the inbox of money that no order could take. With
// `from` or `to`, the sort by `id` becomes a sort by `createdTime`.
func (s *Payments) List(f PaymentRecordFilter) List[PaymentRecord] {
	return List[PaymentRecord]{s.client, "/payments", f.parameters().set("q", f.Q).set("status", f.Status).set("orderId", f.OrderID).set("userId", f.UserID).set("method", f.Method).set("provider", f.Provider).set("from", f.From).set("to", f.To)}
}

// Get returns a payment.
func (s *Payments) Get(ctx context.Context, id int64, options ...CallOption) (PaymentRecord, error) {
	return call[PaymentRecord](ctx, s.client, request{method: http.MethodGet, path: "/payments/" + segment(id)}, options)
}

// History lists the history of a payment.
//
// Newest first: one event for each version. The actions of a refund change the status only if it
// repays the last part.
func (s *Payments) History(id int64, p Paging) List[PaymentEvent] {
	return List[PaymentEvent]{s.client, "/payments/" + segment(id) + "/history", p.parameters()}
}

// Refund sends back an unmatched payment.
//
// `unmatched` → `refunded`. Records that the money was sent back to the payer. Users cannot send
// back a payment that they recorded, with any credential: 403. 409 for an applied payment: its
// money is refunded with `POST /orders/{id}/refunds`.
//
// Above the tenant's `refundApprovalThreshold` the request waits for votes: 202, and the payment is
// unchanged until the last vote approves it. Neither the author of that approval nor the user who
// recorded the payment may vote.
func (s *Payments) Refund(ctx context.Context, id int64, body PaymentRefund, options ...CallOption) (PaymentRecord, error) {
	return call[PaymentRecord](ctx, s.client, request{method: http.MethodPost, path: "/payments/" + segment(id) + "/refund", body: body}, options)
}

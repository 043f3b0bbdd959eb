// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Returns calls the operations on returns.
//
// Goods that a customer sends back: `requested` → `received` → `closed`, or `rejected` before they
// arrive. On receipt each unit returns to stock or is written off. The returns and refunds of an
// order never contain more units than it shipped. A refund of a return moves no goods; an exchange
// is a return with a new order.
type Returns struct{ client *Client }

// ReturnRequest is the request body of [Returns.Request].
type ReturnRequest struct {
	Lines  []ReturnLineRequest `json:"lines"`
	Reason string              `json:"reason"`
}

// ReturnLineRequest is part of [ReturnRequest].
type ReturnLineRequest struct {
	// The number of the line in its order, from 1.
	LineID   int64 `json:"lineId"`
	Quantity int64 `json:"quantity"`
}

// Return is returned by [Returns.Request].
type Return struct {
	Stamp
	ID      int64  `json:"id"`
	OrderID int64  `json:"orderId"`
	OrderNo string `json:"orderNo"`
	// The shop's name of a customer, which is one of its users: 1 to 128 letters, digits and
	// `._:@+=/|-`. Compared byte for byte, so `Li` is not `li`. Percent-encoded in a path.
	UserID             string         `json:"userId"`
	Lines              []ReturnLine   `json:"lines"`
	Reason             string         `json:"reason"`
	Status             ReturnStatus   `json:"status"`
	AllowedTransitions []ReturnAction `json:"allowedTransitions"`
	// The reason of a rejection.
	StatusReason *string `json:"statusReason"`
	// The refund of the goods.
	RefundID *int64 `json:"refundId"`
	// The order that replaces the goods.
	ExchangeOrderID *int64 `json:"exchangeOrderId"`
	// The number of comments.
	Comments int64 `json:"comments"`
}

// ReturnLine is part of [Return].
type ReturnLine struct {
	// The number of the line in the order, from 1.
	LineID int64  `json:"lineId"`
	SKU    string `json:"sku"`
	Name   string `json:"name"`
	// Requested units.
	Quantity int64 `json:"quantity"`
	// Units that arrived.
	Received int64 `json:"received"`
	// Arrived units that are in stock again; the others are written off.
	Restocked int64 `json:"restocked"`
}

// ReturnStatus is part of [Return].
type ReturnStatus string

// The values of ReturnStatus.
const (
	ReturnStatusRequested ReturnStatus = "requested"
	ReturnStatusReceived  ReturnStatus = "received"
	ReturnStatusClosed    ReturnStatus = "closed"
	ReturnStatusRejected  ReturnStatus = "rejected"
)

// ReturnAction is part of [Return].
type ReturnAction string

// The values of ReturnAction.
const (
	ReturnActionReceive ReturnAction = "receive"
	ReturnActionClose   ReturnAction = "close"
	ReturnActionReject  ReturnAction = "reject"
)

// ReturnFilter selects rows of [Returns.List].
type ReturnFilter struct {
	Paging
	// Prefix of the order number, ignoring case.
	Q      string
	Status ReturnStatus
	// Returns of this order.
	OrderID int64
	// Returns of this user's orders.
	UserID string
	// Created at this time or later.
	From time.Time
	// Created before this time.
	To time.Time
}

// ReturnEvent is a row of [Returns.History].
type ReturnEvent struct {
	Version int64           `json:"version"`
	Action  ReturnEventName `json:"action"`
	// Null for the event that created the resource.
	From *ReturnStatus `json:"from"`
	To   ReturnStatus  `json:"to"`
	// The fields of the request.
	Detail      json.RawMessage `json:"detail"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
}

// ReturnEventName is part of [ReturnEvent].
type ReturnEventName string

// The values of ReturnEventName.
const (
	ReturnEventNameCreate  ReturnEventName = "create"
	ReturnEventNameComment ReturnEventName = "comment"
	ReturnEventNameRefund  ReturnEventName = "refund"
	ReturnEventNameReceive ReturnEventName = "receive"
	ReturnEventNameClose   ReturnEventName = "close"
	ReturnEventNameReject  ReturnEventName = "reject"
)

// ReturnComment is a row of [Returns.Comments].
type ReturnComment struct {
	ID          int64     `json:"id"`
	Text        string    `json:"text"`
	CreatedBy   Person    `json:"createdBy"`
	CreatedTime time.Time `json:"createdTime"`
	ReturnID    int64     `json:"returnId"`
}

// ReturnCommentCreate is the request body of [Returns.CommentOn].
type ReturnCommentCreate struct {
	Text string `json:"text"`
}

// ReturnReceipt is the request body of [Returns.Receive].
type ReturnReceipt struct {
	// Each line at most once with `restock` and once without.
	Lines []ReturnReceivedLine `json:"lines"`
}

// ReturnReceivedLine is part of [ReturnReceipt].
type ReturnReceivedLine struct {
	// The number of the line in the order, from 1.
	LineID   int64  `json:"lineId"`
	Quantity *int64 `json:"quantity,omitzero"`
	// True if the units go back into stock, false if they are written off.
	Restock bool `json:"restock,omitzero"`
}

// ReturnClosing is the request body of [Returns.Close].
type ReturnClosing struct {
	// The order of the same user that replaces the goods.
	ExchangeOrderID *int64 `json:"exchangeOrderId,omitzero"`
}

// ReturnRejection is the request body of [Returns.Reject].
type ReturnRejection struct {
	Reason string `json:"reason"`
}

// ReturnRefund is the request body of [Returns.Refund].
type ReturnRefund struct {
	// In minor units. If absent: the units' share of the payment.
	Amount *int64 `json:"amount,omitzero"`
}

// Request requests a return.
//
// For shipped units. 422 at `/lines/<i>/quantity` for units that were not shipped, or that another
// return or a refund with `restock` already has.
func (s *Returns) Request(ctx context.Context, id int64, body ReturnRequest, options ...CallOption) (Return, error) {
	return call[Return](ctx, s.client, request{method: http.MethodPost, path: "/orders/" + segment(id) + "/returns", body: body}, options)
}

// List lists returns.
//
// Newest first by default. Each return contains its lines. With `from` or `to`, the sort by `id`
// becomes a sort by `createdTime`.
func (s *Returns) List(f ReturnFilter) List[Return] {
	return List[Return]{s.client, "/returns", f.parameters().set("q", f.Q).set("status", f.Status).set("orderId", f.OrderID).set("userId", f.UserID).set("from", f.From).set("to", f.To)}
}

// Get returns a return.
func (s *Returns) Get(ctx context.Context, id int64, options ...CallOption) (Return, error) {
	return call[Return](ctx, s.client, request{method: http.MethodGet, path: "/returns/" + segment(id)}, options)
}

// History lists the history of a return.
//
// Newest first: one event for each version. `refund` and `comment` do not change the status.
func (s *Returns) History(id int64, p Paging) List[ReturnEvent] {
	return List[ReturnEvent]{s.client, "/returns/" + segment(id) + "/history", p.parameters()}
}

// Comments lists the comments on a return.
//
// The oldest first. Customers cannot read them.
func (s *Returns) Comments(id int64, p Paging) List[ReturnComment] {
	return List[ReturnComment]{s.client, "/returns/" + segment(id) + "/comments", p.parameters()}
}

// CommentOn comments on a return.
//
// A comment creates a version of the return.
func (s *Returns) CommentOn(ctx context.Context, id int64, body ReturnCommentCreate, options ...CallOption) (ReturnComment, error) {
	return call[ReturnComment](ctx, s.client, request{method: http.MethodPost, path: "/returns/" + segment(id) + "/comments", body: body}, options)
}

// Receive receives a return.
//
// `requested` → `received`. Records the units that arrived. Those with `restock` return to stock in
// the same transaction; the others are written off.
func (s *Returns) Receive(ctx context.Context, id int64, body ReturnReceipt, options ...CallOption) (Return, error) {
	return call[Return](ctx, s.client, request{method: http.MethodPost, path: "/returns/" + segment(id) + "/receive", body: body}, options)
}

// Close closes a return.
//
// `received` → `closed`. `exchangeOrderId` links the order that replaces the goods.
func (s *Returns) Close(ctx context.Context, id int64, body ReturnClosing, options ...CallOption) (Return, error) {
	return call[Return](ctx, s.client, request{method: http.MethodPost, path: "/returns/" + segment(id) + "/close", body: body}, options)
}

// Reject rejects a return.
//
// `requested` → `rejected`. Its units can be returned or refunded otherwise. The customer can read
// the reason.
func (s *Returns) Reject(ctx context.Context, id int64, body ReturnRejection, options ...CallOption) (Return, error) {
	return call[Return](ctx, s.client, request{method: http.MethodPost, path: "/returns/" + segment(id) + "/reject", body: body}, options)
}

// Refund refunds a return.
//
// Requests a refund of the received units, or of the requested ones before they arrive, and links
// it as `refundId`. The refund moves no goods. The default of `amount` is the units' share of the
// payment. A return has one refund, unless the refund was rejected. The reply needs `returns:read`
// too.
func (s *Returns) Refund(ctx context.Context, id int64, body ReturnRefund, options ...CallOption) (Return, error) {
	return call[Return](ctx, s.client, request{method: http.MethodPost, path: "/returns/" + segment(id) + "/refund", body: body}, options)
}

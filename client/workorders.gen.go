// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// WorkOrders calls the operations on work orders.
//
// Tasks of the back office. A work order has at most one holder, until it is released, reassigned
// or resolved; resolving an open work order or commenting on it claims it. Work orders of a holder
// who is disabled or may not read work orders are offered again.
type WorkOrders struct{ client *Client }

// WorkOrder is a row of [WorkOrders.List].
type WorkOrder struct {
	Stamp
	ID       int64             `json:"id"`
	Title    string            `json:"title"`
	Body     string            `json:"body"`
	Priority WorkOrderPriority `json:"priority"`
	Status   WorkOrderStatus   `json:"status"`
	// The actions that the status allows, for callers with their permissions.
	AllowedTransitions []WorkOrderAction `json:"allowedTransitions"`
	// The time by which it should be resolved.
	DueTime *time.Time `json:"dueTime"`
	// The paths of the records that it is about, such as `orders/41`.
	Links  []string `json:"links"`
	Holder *Person  `json:"holder"`
	// The time at which the holder got it.
	HeldTime *time.Time `json:"heldTime"`
	// True if a user can claim it: it is open, or its holder is disabled or may not read work
	// orders any more.
	Offered    bool    `json:"offered"`
	Resolution *string `json:"resolution"`
	// The number of comments.
	Comments  int64  `json:"comments"`
	CreatedBy Person `json:"createdBy"`
}

// WorkOrderPriority is part of [WorkOrder].
type WorkOrderPriority string

// The values of WorkOrderPriority.
const (
	WorkOrderPriorityUrgent WorkOrderPriority = "urgent"
	WorkOrderPriorityHigh   WorkOrderPriority = "high"
	WorkOrderPriorityNormal WorkOrderPriority = "normal"
	WorkOrderPriorityLow    WorkOrderPriority = "low"
)

// WorkOrderStatus is part of [WorkOrder].
type WorkOrderStatus string

// The values of WorkOrderStatus.
const (
	WorkOrderStatusOpen     WorkOrderStatus = "open"
	WorkOrderStatusClaimed  WorkOrderStatus = "claimed"
	WorkOrderStatusResolved WorkOrderStatus = "resolved"
	WorkOrderStatusClosed   WorkOrderStatus = "closed"
)

// WorkOrderAction is part of [WorkOrder].
type WorkOrderAction string

// The values of WorkOrderAction.
const (
	WorkOrderActionClaim   WorkOrderAction = "claim"
	WorkOrderActionRelease WorkOrderAction = "release"
	WorkOrderActionAssign  WorkOrderAction = "assign"
	WorkOrderActionResolve WorkOrderAction = "resolve"
	WorkOrderActionReopen  WorkOrderAction = "reopen"
	WorkOrderActionClose   WorkOrderAction = "close"
)

// WorkOrderFilter selects rows of [WorkOrders.List].
type WorkOrderFilter struct {
	Paging
	// A part of the title, in either case.
	Q        string
	Status   WorkOrderStatus
	Priority WorkOrderPriority
	// The user that has the work order, or had it when it was resolved.
	HolderID int64
	// A record that the work order is about, such as `orders/41`.
	Link string
	// Only work orders that are due by this time.
	DueBy time.Time
}

// WorkOrderCreate is the request body of [WorkOrders.Open].
type WorkOrderCreate struct {
	Title    string            `json:"title"`
	Body     string            `json:"body,omitzero"`
	Priority WorkOrderPriority `json:"priority,omitzero"`
	DueTime  *time.Time        `json:"dueTime,omitzero"`
	Links    []string          `json:"links,omitzero"`
}

// WorkOrderEvent is a row of [WorkOrders.History].
type WorkOrderEvent struct {
	Version int64              `json:"version"`
	Action  WorkOrderEventName `json:"action"`
	// Null for the event that created the resource.
	From *WorkOrderStatus `json:"from"`
	To   WorkOrderStatus  `json:"to"`
	// The fields of the request.
	Detail      json.RawMessage `json:"detail"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
}

// WorkOrderEventName is part of [WorkOrderEvent].
type WorkOrderEventName string

// The values of WorkOrderEventName.
const (
	WorkOrderEventNameCreate  WorkOrderEventName = "create"
	WorkOrderEventNameComment WorkOrderEventName = "comment"
	WorkOrderEventNameClaim   WorkOrderEventName = "claim"
	WorkOrderEventNameRelease WorkOrderEventName = "release"
	WorkOrderEventNameAssign  WorkOrderEventName = "assign"
	WorkOrderEventNameResolve WorkOrderEventName = "resolve"
	WorkOrderEventNameReopen  WorkOrderEventName = "reopen"
	WorkOrderEventNameClose   WorkOrderEventName = "close"
)

// WorkOrderComment is a row of [WorkOrders.Comments].
type WorkOrderComment struct {
	ID          int64     `json:"id"`
	Text        string    `json:"text"`
	CreatedBy   Person    `json:"createdBy"`
	CreatedTime time.Time `json:"createdTime"`
	WorkOrderID int64     `json:"workOrderId"`
}

// WorkOrderCommentCreate is the request body of [WorkOrders.CommentOn].
type WorkOrderCommentCreate struct {
	Text string `json:"text"`
}

// WorkOrderAssignment is the request body of [WorkOrders.Assign].
type WorkOrderAssignment struct {
	UserID int64 `json:"userId"`
}

// WorkOrderResolution is the request body of [WorkOrders.Resolve].
type WorkOrderResolution struct {
	Resolution string `json:"resolution"`
}

// List lists work orders.
//
// The newest first by default; with `sort=priority` the most urgent first.
func (s *WorkOrders) List(f WorkOrderFilter) List[WorkOrder] {
	return List[WorkOrder]{s.client, "/work-orders", f.parameters().set("q", f.Q).set("status", f.Status).set("priority", f.Priority).set("holderId", f.HolderID).set("link", f.Link).set("dueBy", f.DueBy)}
}

// Open opens a work order.
//
// It has no holder until a user claims it, is assigned to it, or acts on it. `links` are paths of
// records that exist and that the caller may read; 422 at `/links/<i>` for others.
func (s *WorkOrders) Open(ctx context.Context, body WorkOrderCreate, options ...CallOption) (WorkOrder, error) {
	return call[WorkOrder](ctx, s.client, request{method: http.MethodPost, path: "/work-orders", body: body}, options)
}

// ClaimNext claims the next work order.
//
// Claims the oldest of the highest priority that is open, or whose holder is disabled or may not
// read work orders any more. Concurrent callers get different ones. 404 if none is offered.
func (s *WorkOrders) ClaimNext(ctx context.Context, options ...CallOption) (WorkOrder, error) {
	return call[WorkOrder](ctx, s.client, request{method: http.MethodPost, path: "/work-orders/claim-next"}, options)
}

// Get returns a work order.
func (s *WorkOrders) Get(ctx context.Context, id int64, options ...CallOption) (WorkOrder, error) {
	return call[WorkOrder](ctx, s.client, request{method: http.MethodGet, path: "/work-orders/" + segment(id)}, options)
}

// History lists the history of a work order.
//
// The newest first: one event for each version, comments included.
func (s *WorkOrders) History(id int64, p Paging) List[WorkOrderEvent] {
	return List[WorkOrderEvent]{s.client, "/work-orders/" + segment(id) + "/history", p.parameters()}
}

// Comments lists the comments on a work order.
//
// The oldest first.
func (s *WorkOrders) Comments(id int64, p Paging) List[WorkOrderComment] {
	return List[WorkOrderComment]{s.client, "/work-orders/" + segment(id) + "/comments", p.parameters()}
}

// CommentOn comments on a work order.
//
// A comment on an open work order claims it first.
func (s *WorkOrders) CommentOn(ctx context.Context, id int64, body WorkOrderCommentCreate, options ...CallOption) (WorkOrderComment, error) {
	return call[WorkOrderComment](ctx, s.client, request{method: http.MethodPost, path: "/work-orders/" + segment(id) + "/comments", body: body}, options)
}

// Claim claims a work order.
//
// `open` or `claimed` → `claimed`. Of concurrent claims one succeeds; the others get 409 with the
// `holder`. A claimed work order can be claimed only while its holder is disabled or may not read
// work orders.
func (s *WorkOrders) Claim(ctx context.Context, id int64, options ...CallOption) (WorkOrder, error) {
	return call[WorkOrder](ctx, s.client, request{method: http.MethodPost, path: "/work-orders/" + segment(id) + "/claim"}, options)
}

// Release releases a work order.
//
// `claimed` → `open`. For its holder, and for users who may assign.
func (s *WorkOrders) Release(ctx context.Context, id int64, options ...CallOption) (WorkOrder, error) {
	return call[WorkOrder](ctx, s.client, request{method: http.MethodPost, path: "/work-orders/" + segment(id) + "/release"}, options)
}

// Assign assigns a work order to a user.
//
// `open` or `claimed` → `claimed`. Replaces the holder. 422 at `/userId` for a user who is disabled
// or may not read work orders.
func (s *WorkOrders) Assign(ctx context.Context, id int64, body WorkOrderAssignment, options ...CallOption) (WorkOrder, error) {
	return call[WorkOrder](ctx, s.client, request{method: http.MethodPost, path: "/work-orders/" + segment(id) + "/assign", body: body}, options)
}

// Resolve resolves a work order.
//
// `open` or `claimed` → `resolved`. For its holder, and for users who may assign. Resolving an open
// work order claims it first, in the same transaction.
func (s *WorkOrders) Resolve(ctx context.Context, id int64, body WorkOrderResolution, options ...CallOption) (WorkOrder, error) {
	return call[WorkOrder](ctx, s.client, request{method: http.MethodPost, path: "/work-orders/" + segment(id) + "/resolve", body: body}, options)
}

// Reopen reopens a work order.
//
// `resolved` or `closed` → `open`. It has no holder then.
func (s *WorkOrders) Reopen(ctx context.Context, id int64, options ...CallOption) (WorkOrder, error) {
	return call[WorkOrder](ctx, s.client, request{method: http.MethodPost, path: "/work-orders/" + segment(id) + "/reopen"}, options)
}

// Close closes a work order.
//
// `resolved` → `closed`.
func (s *WorkOrders) Close(ctx context.Context, id int64, options ...CallOption) (WorkOrder, error) {
	return call[WorkOrder](ctx, s.client, request{method: http.MethodPost, path: "/work-orders/" + segment(id) + "/close"}, options)
}

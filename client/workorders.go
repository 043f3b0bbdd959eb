package client

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"time"
)

// WorkOrders are who does what in the back office.
type WorkOrders struct{ client *Client }

// WorkOrderStatus is where a work order stands.
type WorkOrderStatus string

// The statuses of work orders.
const (
	WorkOrderOpen     WorkOrderStatus = "open"
	WorkOrderClaimed  WorkOrderStatus = "claimed"
	WorkOrderResolved WorkOrderStatus = "resolved"
	WorkOrderClosed   WorkOrderStatus = "closed"
)

// WorkOrderPriority says which work order comes first.
type WorkOrderPriority string

// The priorities.
const (
	LowPriority    WorkOrderPriority = "low"
	NormalPriority WorkOrderPriority = "normal"
	HighPriority   WorkOrderPriority = "high"
	UrgentPriority WorkOrderPriority = "urgent"
)

// WorkOrder is one task.
type WorkOrder struct {
	Stamp
	ID                 int64             `json:"id"`
	Title              string            `json:"title"`
	Body               string            `json:"body"`
	Priority           WorkOrderPriority `json:"priority"`
	Status             WorkOrderStatus   `json:"status"`
	AllowedTransitions []string          `json:"allowedTransitions"`
	// DueTime is when it should be resolved, nil for no time.
	DueTime *time.Time `json:"dueTime"`
	// Links are the records that it is about, such as "orders/41".
	Links []string `json:"links"`
	// Holder is who has it since HeldTime, nil for nobody.
	Holder   *Person    `json:"holder"`
	HeldTime *time.Time `json:"heldTime"`
	// Offered is true when it waits for somebody: it is open, or its holder is disabled or may not
	// read work orders any more.
	Offered    bool    `json:"offered"`
	Resolution *string `json:"resolution"`
	Comments   int64   `json:"comments"`
	CreatedBy  Person  `json:"createdBy"`
}

// NewWorkOrder is a work order to open. Priority is "" for normal.
type NewWorkOrder struct {
	Title    string            `json:"title"`
	Body     string            `json:"body,omitempty"`
	Priority WorkOrderPriority `json:"priority,omitempty"`
	DueTime  *time.Time        `json:"dueTime,omitempty"`
	Links    []string          `json:"links,omitempty"`
}

// WorkOrderFilter narrows a list of work orders.
type WorkOrderFilter struct {
	Paging
	// Text is looked for in the title.
	Text     string
	Status   WorkOrderStatus
	Priority WorkOrderPriority
	HolderID int64
	// Link is a record that it is about.
	Link string
	// DueBy is when it is due at the latest.
	DueBy time.Time
}

// WorkOrderComment is what somebody said of a work order.
type WorkOrderComment struct {
	Comment
	WorkOrderID int64 `json:"workOrderId"`
}

// Comment is what somebody said.
type Comment struct {
	ID          int64     `json:"id"`
	Text        string    `json:"text"`
	CreatedBy   Person    `json:"createdBy"`
	CreatedTime time.Time `json:"createdTime"`
}

// WorkOrderEvent is one change of a work order. From is "" when it was opened.
type WorkOrderEvent struct {
	Version     int64           `json:"version"`
	Action      string          `json:"action"`
	From        WorkOrderStatus `json:"from"`
	To          WorkOrderStatus `json:"to"`
	Detail      json.RawMessage `json:"detail"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
}

func workOrderPath(id int64) string { return "/work-orders/" + strconv.FormatInt(id, 10) }

// List lists work orders, newest first, or as the filter's Sort says.
func (s *WorkOrders) List(f WorkOrderFilter) List[WorkOrder] {
	return List[WorkOrder]{s.client, "/work-orders", f.parameters().text("q", f.Text).text("status", string(f.Status)).
		text("priority", string(f.Priority)).number("holderId", f.HolderID).text("link", f.Link).time("dueBy", f.DueBy)}
}

// Get reads a work order.
func (s *WorkOrders) Get(ctx context.Context, id int64, options ...CallOption) (WorkOrder, error) {
	return get[WorkOrder](ctx, s.client, workOrderPath(id), options)
}

// History lists a work order's changes, newest first.
func (s *WorkOrders) History(id int64, p Paging) List[WorkOrderEvent] {
	return List[WorkOrderEvent]{s.client, workOrderPath(id) + "/history", p.parameters()}
}

// Comments lists what was said of a work order, oldest first.
func (s *WorkOrders) Comments(id int64, p Paging) List[WorkOrderComment] {
	return List[WorkOrderComment]{s.client, workOrderPath(id) + "/comments", p.parameters()}
}

// Open opens a work order that nobody holds.
func (s *WorkOrders) Open(ctx context.Context, w NewWorkOrder, options ...CallOption) (WorkOrder, error) {
	return call[WorkOrder](ctx, s.client, request{method: http.MethodPost, path: "/work-orders", body: w}, options)
}

// ClaimNext takes the oldest of the highest priority, never the same as anybody else;
// not_found when none is waiting.
func (s *WorkOrders) ClaimNext(ctx context.Context, options ...CallOption) (WorkOrder, error) {
	return call[WorkOrder](ctx, s.client, request{method: http.MethodPost, path: "/work-orders/claim-next"}, options)
}

// Comment says something of a work order; an open one is the caller's from then on.
func (s *WorkOrders) Comment(ctx context.Context, id int64, text string, options ...CallOption) (WorkOrderComment, error) {
	return comment[WorkOrderComment](ctx, s.client, workOrderPath(id), text, options)
}

// comment says something of a resource.
func comment[C any](ctx context.Context, c *Client, path, text string, options []CallOption) (C, error) {
	return call[C](ctx, c, request{method: http.MethodPost, path: path + "/comments", body: map[string]string{"text": text}}, options)
}

// Claim makes the caller the holder. Like the others that follow it returns a
// [TransitionRejected] if another user was first.
func (s *WorkOrders) Claim(ctx context.Context, id int64, options ...CallOption) (WorkOrder, error) {
	return s.step(ctx, id, "claim", struct{}{}, options)
}

// Release gives a work order back to all.
func (s *WorkOrders) Release(ctx context.Context, id int64, options ...CallOption) (WorkOrder, error) {
	return s.step(ctx, id, "release", struct{}{}, options)
}

// Assign gives a work order to a user, whoever holds it.
func (s *WorkOrders) Assign(ctx context.Context, id, userID int64, options ...CallOption) (WorkOrder, error) {
	return s.step(ctx, id, "assign", map[string]int64{"userId": userID}, options)
}

// Resolve says what was done; an open one is claimed first.
func (s *WorkOrders) Resolve(ctx context.Context, id int64, resolution string, options ...CallOption) (WorkOrder, error) {
	return s.step(ctx, id, "resolve", map[string]string{"resolution": resolution}, options)
}

// Reopen offers a work order again that was resolved or closed.
func (s *WorkOrders) Reopen(ctx context.Context, id int64, options ...CallOption) (WorkOrder, error) {
	return s.step(ctx, id, "reopen", struct{}{}, options)
}

// Close ends a work order that is resolved.
func (s *WorkOrders) Close(ctx context.Context, id int64, options ...CallOption) (WorkOrder, error) {
	return s.step(ctx, id, "close", struct{}{}, options)
}

func (s *WorkOrders) step(ctx context.Context, id int64, action string, body any, options []CallOption) (WorkOrder, error) {
	return transition[WorkOrder](ctx, s.client, workOrderPath(id)+"/"+action, body, options)
}

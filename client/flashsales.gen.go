// Code generated from api/openapi.yaml by api/clientgen; DO NOT EDIT.

package client

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// FlashSales calls the operations on flash sales.
//
// Limited quantities of one item for many concurrent buyers. A purchase is accepted immediately
// with a ticket; a queue turns tickets into orders. Customers buy with their shop's token; API
// tokens buy for customers with `X-On-Behalf-Of`.
type FlashSales struct{ client *Client }

// FlashSale is a row of [FlashSales.List].
type FlashSale struct {
	Stamp
	originState
	ID   int64  `json:"id"`
	Name string `json:"name"`
	SKU  string `json:"sku"`
	// The price of one unit, in minor units.
	Price int64 `json:"price"`
	// The number of units for sale.
	Quantity int64 `json:"quantity"`
	// The maximum number of units for one customer, in all tickets together.
	PerUserLimit int64 `json:"perUserLimit"`
	// Customers are admitted from this time on.
	StartsTime time.Time `json:"startsTime"`
	// Customers are admitted until just before this time; then the sale closes. After `startsTime`.
	EndsTime time.Time `json:"endsTime"`
	// The maximum number of waiting tickets; null for no limit.
	QueueCap *int64 `json:"queueCap"`
	// The maximum number of tickets of the sale that become orders in a second, regardless of the
	// number of workers; null for no limit.
	Rate *int64 `json:"rate"`
	// The number of Redis replicas that must have a purchase before it is accepted, so that a
	// failover does not lose it; null for none. While fewer replicas are available, purchases
	// return 503. Has no effect without Redis.
	Replicas *int64 `json:"replicas"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string `json:"currency"`
	// The item's name, as copied to orders.
	ItemName           string            `json:"itemName"`
	Status             FlashSaleStatus   `json:"status"`
	AllowedTransitions []FlashSaleAction `json:"allowedTransitions"`
	Merged             *Merged           `json:"merged,omitzero"`
}

func (*FlashSale) editable() []string {
	return []string{"name", "sku", "price", "quantity", "perUserLimit", "startsTime", "endsTime", "queueCap", "rate", "replicas"}
}

// UnmarshalJSON decodes the value and stores it as the origin of the next Save.
func (v *FlashSale) UnmarshalJSON(text []byte) error {
	type members FlashSale
	var decoded members
	if err := json.Unmarshal(text, &decoded); err != nil {
		return err
	}
	*v = FlashSale(decoded)
	return setOrigin(v)
}

// FlashSaleStatus is part of [FlashSale].
type FlashSaleStatus string

// The values of FlashSaleStatus.
const (
	FlashSaleStatusDraft  FlashSaleStatus = "draft"
	FlashSaleStatusOpen   FlashSaleStatus = "open"
	FlashSaleStatusPaused FlashSaleStatus = "paused"
	FlashSaleStatusClosed FlashSaleStatus = "closed"
)

// FlashSaleAction is part of [FlashSale].
type FlashSaleAction string

// The values of FlashSaleAction.
const (
	FlashSaleActionOpen   FlashSaleAction = "open"
	FlashSaleActionPause  FlashSaleAction = "pause"
	FlashSaleActionResume FlashSaleAction = "resume"
	FlashSaleActionClose  FlashSaleAction = "close"
)

// FlashSaleFilter selects rows of [FlashSales.List].
type FlashSaleFilter struct {
	Paging
	// Substring of the name, ignoring case.
	Q      string
	Status FlashSaleStatus
	// Sales of this item.
	SKU string
}

// FlashSaleCreate is the request body of [FlashSales.Plan].
type FlashSaleCreate struct {
	Name         string    `json:"name"`
	SKU          string    `json:"sku"`
	Price        int64     `json:"price"`
	Quantity     int64     `json:"quantity"`
	PerUserLimit int64     `json:"perUserLimit"`
	StartsTime   time.Time `json:"startsTime"`
	// After `startsTime`.
	EndsTime time.Time `json:"endsTime"`
	QueueCap *int64    `json:"queueCap,omitzero"`
	Rate     *int64    `json:"rate,omitzero"`
	Replicas *int64    `json:"replicas,omitzero"`
}

// FlashSaleRevision is a row of [FlashSales.History].
type FlashSaleRevision struct {
	Version int64              `json:"version"`
	Action  FlashSaleEventName `json:"action"`
	Name    string             `json:"name"`
	SKU     string             `json:"sku"`
	// The price of one unit, in minor units.
	Price int64 `json:"price"`
	// The number of units for sale.
	Quantity int64 `json:"quantity"`
	// The maximum number of units for one customer, in all tickets together.
	PerUserLimit int64 `json:"perUserLimit"`
	// Customers are admitted from this time on.
	StartsTime time.Time `json:"startsTime"`
	// Customers are admitted until just before this time; then the sale closes. After `startsTime`.
	EndsTime time.Time `json:"endsTime"`
	// The maximum number of waiting tickets; null for no limit.
	QueueCap *int64 `json:"queueCap"`
	// The maximum number of tickets of the sale that become orders in a second, regardless of the
	// number of workers; null for no limit.
	Rate *int64 `json:"rate"`
	// The number of Redis replicas that must have a purchase before it is accepted, so that a
	// failover does not lose it; null for none. While fewer replicas are available, purchases
	// return 503. Has no effect without Redis.
	Replicas *int64 `json:"replicas"`
	// The currency of the tenant's amounts (ISO 4217); amounts are in its minor units. It never
	// changes.
	Currency string          `json:"currency"`
	Status   FlashSaleStatus `json:"status"`
	// The message of the decision; empty otherwise.
	Note        string    `json:"note"`
	ChangedBy   Person    `json:"changedBy"`
	ChangedTime time.Time `json:"changedTime"`
}

// FlashSaleEventName is part of [FlashSaleRevision].
type FlashSaleEventName string

// The values of FlashSaleEventName.
const (
	FlashSaleEventNameCreate      FlashSaleEventName = "create"
	FlashSaleEventNameUpdate      FlashSaleEventName = "update"
	FlashSaleEventNameRetryDead   FlashSaleEventName = "retry_dead"
	FlashSaleEventNameDiscardDead FlashSaleEventName = "discard_dead"
	FlashSaleEventNameOpen        FlashSaleEventName = "open"
	FlashSaleEventNamePause       FlashSaleEventName = "pause"
	FlashSaleEventNameResume      FlashSaleEventName = "resume"
	FlashSaleEventNameClose       FlashSaleEventName = "close"
)

// FlashSaleStats is returned by [FlashSales.Stats].
type FlashSaleStats struct {
	// Units that belong to the sale.
	Allotted int64 `json:"allotted"`
	// Units for sale.
	Remaining int64 `json:"remaining"`
	// Units of queued tickets.
	Queued int64 `json:"queued"`
	// Units of tickets that a worker is turning into orders.
	Processing int64 `json:"processing"`
	// Units of dead letters, which wait for a decision.
	Dead int64 `json:"dead"`
	// Units of orders that are not cancelled.
	Confirmed int64 `json:"confirmed"`
	// Units of rejected tickets; they are for sale again.
	Rejected int64 `json:"rejected"`
	// Units of cancelled orders; they are for sale again.
	Returned int64 `json:"returned"`
	// Units, over the last five seconds.
	AcceptedPerSecond float64 `json:"acceptedPerSecond"`
	// Units, over the last five seconds.
	ConfirmedPerSecond float64 `json:"confirmedPerSecond"`
	// Accepted and rejected purchases, over the last five seconds.
	ArrivalsPerSecond float64 `json:"arrivalsPerSecond"`
	// Rejected purchases by code, over the last five seconds. Like `refusals` it is for display:
	// each process reports its replies a few times a second, and a crash loses its last quarter of
	// a second.
	RefusedPerSecond FlashSaleRefusals `json:"refusedPerSecond"`
	// Rejected purchases so far, by code.
	Refusals FlashSaleRefusalCounts `json:"refusals"`
	// `allotted == remaining + queued + processing + dead + confirmed`
	Balanced bool `json:"balanced"`
	// The age of the ticket at the head of the queue.
	OldestQueuedSeconds float64 `json:"oldestQueuedSeconds"`
	// Accepted tickets that were lost with the gate's store, for example by a Redis restored to an
	// older state: those that customers, the queue or the reconciler have detected. Each is
	// `rejected`, with the reason `lost`.
	Lost int64 `json:"lost"`
}

// FlashSaleRefusals is part of [FlashSaleStats].
type FlashSaleRefusals struct {
	SoldOut      float64 `json:"soldOut"`
	LimitReached float64 `json:"limitReached"`
	SaleNotOpen  float64 `json:"saleNotOpen"`
	QueueFull    float64 `json:"queueFull"`
}

// FlashSaleRefusalCounts is part of [FlashSaleStats].
type FlashSaleRefusalCounts struct {
	SoldOut      int64 `json:"soldOut"`
	LimitReached int64 `json:"limitReached"`
	SaleNotOpen  int64 `json:"saleNotOpen"`
	QueueFull    int64 `json:"queueFull"`
}

// FlashSaleSamples is returned by [FlashSales.Samples].
type FlashSaleSamples struct {
	// When the reply was created.
	Time  time.Time         `json:"time"`
	Items []FlashSaleSample `json:"items"`
}

// FlashSaleSample is part of [FlashSaleSamples].
type FlashSaleSample struct {
	// When the numbers were counted.
	Time  time.Time      `json:"time"`
	Stats FlashSaleStats `json:"stats"`
}

// FlashSaleReconciliation is returned by [FlashSales.Reconcile].
type FlashSaleReconciliation struct {
	// The gate was rebuilt from the database.
	Rebuilt bool `json:"rebuilt"`
	// The number of tickets that did not match their orders or rejections, or had no message in the
	// queue, and of dead letters without a ticket.
	Repaired int64 `json:"repaired"`
	// Unsold units of a closed sale that were returned to the item's stock.
	Released int64 `json:"released"`
	// Sold units in the database.
	Sold int64 `json:"sold"`
	// Units of orders that are not cancelled.
	LiveUnits int64 `json:"liveUnits"`
	// `sold` equals `liveUnits` and the gate's confirmed units, and the sale is balanced.
	Consistent bool           `json:"consistent"`
	Stats      FlashSaleStats `json:"stats"`
}

// FlashSaleDead is a row of [FlashSales.Dead].
type FlashSaleDead struct {
	// The ticket, or a generated id for a message that cannot be read.
	MessageID string `json:"messageId"`
	// Empty if the message cannot be read.
	UserID   string `json:"userId"`
	Quantity int64  `json:"quantity"`
	// Why the ticket became a dead letter, for display.
	Error        string    `json:"error"`
	Attempts     int64     `json:"attempts"`
	Crashes      int64     `json:"crashes"`
	EnqueuedTime time.Time `json:"enqueuedTime"`
	DeadTime     time.Time `json:"deadTime"`
	AgeSeconds   float64   `json:"ageSeconds"`
}

// FlashSalePurchase is the request body of [FlashSales.BuyIn].
type FlashSalePurchase struct {
	Quantity int64 `json:"quantity"`
}

// FlashSaleAccepted is returned by [FlashSales.BuyIn].
type FlashSaleAccepted struct {
	Ticket   string                `json:"ticket"`
	Status   FlashSaleTicketStatus `json:"status"`
	Quantity *int64                `json:"quantity,omitzero"`
	OrderID  *int64                `json:"orderId,omitzero"`
	OrderNo  string                `json:"orderNo,omitzero"`
	// Why it was rejected: `sold_out`, `limit`, `discarded`, `lost`. Or `order_cancelled`: it was
	// confirmed, and its order is now cancelled.
	Reason string `json:"reason,omitzero"`
	// The number of tickets that wait before it.
	Ahead int64 `json:"ahead"`
}

// FlashSaleTicketStatus is part of [FlashSaleAccepted].
type FlashSaleTicketStatus string

// The values of FlashSaleTicketStatus.
const (
	FlashSaleTicketStatusQueued    FlashSaleTicketStatus = "queued"
	FlashSaleTicketStatusConfirmed FlashSaleTicketStatus = "confirmed"
	FlashSaleTicketStatusRejected  FlashSaleTicketStatus = "rejected"
)

// FlashSaleTicket is returned by [FlashSales.Ticket].
type FlashSaleTicket struct {
	Ticket   string                `json:"ticket"`
	Status   FlashSaleTicketStatus `json:"status"`
	Quantity *int64                `json:"quantity,omitzero"`
	OrderID  *int64                `json:"orderId,omitzero"`
	OrderNo  string                `json:"orderNo,omitzero"`
	// Why it was rejected: `sold_out`, `limit`, `discarded`, `lost`. Or `order_cancelled`: it was
	// confirmed, and its order is now cancelled.
	Reason string `json:"reason,omitzero"`
}

// List lists flash sales.
func (s *FlashSales) List(f FlashSaleFilter) List[FlashSale] {
	return List[FlashSale]{s.client, "/flash-sales", f.parameters().set("q", f.Q).set("status", f.Status).set("sku", f.SKU)}
}

// Plan creates a flash sale.
//
// Creates a draft. `open` reserves its quantity of the item's stock and admits customers from
// `startsTime` on.
func (s *FlashSales) Plan(ctx context.Context, body FlashSaleCreate, options ...CallOption) (FlashSale, error) {
	return call[FlashSale](ctx, s.client, request{method: http.MethodPost, path: "/flash-sales", body: body}, options)
}

// Get returns a flash sale.
func (s *FlashSales) Get(ctx context.Context, id int64, options ...CallOption) (FlashSale, error) {
	return call[FlashSale](ctx, s.client, request{method: http.MethodGet, path: "/flash-sales/" + segment(id)}, options)
}

// Save updates a flash sale.
//
// A merge patch (RFC 7396). All members of a draft can change; of an opened sale `name`,
// `endsTime`, `queueCap`, `rate`, `replicas` and the quantity. `quantityDelta` increases or
// decreases the quantity. For an opened sale it reserves more of the item's stock, or releases
// unsold units to stock (409 `sold_out` if fewer remain).
//
// With `effectiveTime` the change is applied at that time; conditions on other data, such as the
// remaining units, are checked then.
//
// It sends the changes of value since it was read, and replaces value with the reply. If another
// writer was first, it returns a [Conflict].
func (s *FlashSales) Save(ctx context.Context, value *FlashSale, options ...CallOption) error {
	return save(ctx, s.client, "/flash-sales/"+segment(value.ID), value, options)
}

// Delete deletes a flash sale draft.
//
// Only before the sale is opened (409 `in_use` afterwards): close it instead.
func (s *FlashSales) Delete(ctx context.Context, read FlashSale, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodDelete, path: "/flash-sales/" + segment(read.ID), ifMatch: read.ETag}, nil, options)
}

// History lists a flash sale's versions.
//
// Newest first. Includes the decisions on dead letters, with the message as `note`.
func (s *FlashSales) History(id int64, p Paging) List[FlashSaleRevision] {
	return List[FlashSaleRevision]{s.client, "/flash-sales/" + segment(id) + "/history", p.parameters()}
}

// Open opens a flash sale.
//
// `draft` → `open`. Reserves the quantity of the item's stock (409 `insufficient_stock`) and
// creates the gate.
func (s *FlashSales) Open(ctx context.Context, id int64, options ...CallOption) (FlashSale, error) {
	return call[FlashSale](ctx, s.client, request{method: http.MethodPost, path: "/flash-sales/" + segment(id) + "/open"}, options)
}

// Pause pauses a flash sale.
//
// `open` → `paused`. Stops admitting purchases; accepted tickets are processed.
func (s *FlashSales) Pause(ctx context.Context, id int64, options ...CallOption) (FlashSale, error) {
	return call[FlashSale](ctx, s.client, request{method: http.MethodPost, path: "/flash-sales/" + segment(id) + "/pause"}, options)
}

// Resume resumes a flash sale.
//
// `paused` → `open`.
func (s *FlashSales) Resume(ctx context.Context, id int64, options ...CallOption) (FlashSale, error) {
	return call[FlashSale](ctx, s.client, request{method: http.MethodPost, path: "/flash-sales/" + segment(id) + "/resume"}, options)
}

// Close closes a flash sale.
//
// `open` or `paused` → `closed`. Stops admitting purchases; accepted tickets are processed. When
// the queue is empty, the unsold units return to the item's stock.
func (s *FlashSales) Close(ctx context.Context, id int64, options ...CallOption) (FlashSale, error) {
	return call[FlashSale](ctx, s.client, request{method: http.MethodPost, path: "/flash-sales/" + segment(id) + "/close"}, options)
}

// Stats returns a flash sale's counters.
//
// In units. `GET /events?topics=flash-sales` also delivers them, about once a second while they
// change.
func (s *FlashSales) Stats(ctx context.Context, id int64, options ...CallOption) (FlashSaleStats, error) {
	return call[FlashSaleStats](ctx, s.client, request{method: http.MethodGet, path: "/flash-sales/" + segment(id) + "/stats"}, options)
}

// Samples returns a flash sale's counter samples.
//
// One sample for each five seconds with a change, and one for ten seconds without, oldest first.
// Samples are retained for an hour during a sale; the last hour of a finished sale is retained.
func (s *FlashSales) Samples(ctx context.Context, id int64, minutes int64, options ...CallOption) (FlashSaleSamples, error) {
	return call[FlashSaleSamples](ctx, s.client, request{method: http.MethodGet, path: "/flash-sales/" + segment(id) + "/samples", query: parameters{}.set("minutes", minutes)}, options)
}

// Reconcile reconciles a flash sale.
//
// Compares the gate with the orders, ticket by ticket, and corrects the gate; rebuilds a gate after
// the loss of its store. The service also does this periodically. Accepted tickets without an order
// that their store lost are `rejected` with the reason `lost`.
func (s *FlashSales) Reconcile(ctx context.Context, id int64, options ...CallOption) (FlashSaleReconciliation, error) {
	return call[FlashSaleReconciliation](ctx, s.client, request{method: http.MethodPost, path: "/flash-sales/" + segment(id) + "/reconcile"}, options)
}

// Dead lists dead letters.
//
// Tickets of which each attempt failed, the oldest dead letter first. They do not block other
// tickets, and reserve their units until an operator decides.
func (s *FlashSales) Dead(id int64, p Paging) List[FlashSaleDead] {
	return List[FlashSaleDead]{s.client, "/flash-sales/" + segment(id) + "/dead", p.parameters()}
}

// RetryDead retries a dead letter.
//
// Appends the ticket to the queue with its attempts reset.
func (s *FlashSales) RetryDead(ctx context.Context, id int64, messageID string, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodPost, path: "/flash-sales/" + segment(id) + "/dead/" + segment(messageID) + "/retry"}, nil, options)
}

// DiscardDead discards a dead letter.
//
// Rejects the ticket, with the reason `discarded`; its units are for sale again.
func (s *FlashSales) DiscardDead(ctx context.Context, id int64, messageID string, options ...CallOption) error {
	return s.client.do(ctx, request{method: http.MethodPost, path: "/flash-sales/" + segment(id) + "/dead/" + segment(messageID) + "/discard"}, nil, options)
}

// BuyIn buies from a flash sale.
//
// For customers, and for API tokens that act for one. The reply contains a ticket: the purchase is
// queued and its units are reserved. An order that is not paid in time is cancelled, and its units
// are for sale again.
//
// The ticket is derived from the idempotency key, the principal and the customer, and is stored as
// long as the sale. A repeat under the key returns 202 with the first body, `status` `queued`,
// regardless of the ticket's current status: `GET` the ticket to read it. (`ahead` is 0 if the gate
// was rebuilt in between.) Rejections, 409 and 503, are not stored: a repeat may be admitted later.
func (s *FlashSales) BuyIn(ctx context.Context, id int64, body FlashSalePurchase, options ...CallOption) (FlashSaleAccepted, error) {
	return call[FlashSaleAccepted](ctx, s.client, request{method: http.MethodPost, path: "/flash-sales/" + segment(id) + "/orders", body: body}, options)
}

// Ticket returns a ticket.
//
// For the customer of the ticket, and for callers that may read sales (`flash-sales:read`).
func (s *FlashSales) Ticket(ctx context.Context, id int64, ticket string, options ...CallOption) (FlashSaleTicket, error) {
	return call[FlashSaleTicket](ctx, s.client, request{method: http.MethodGet, path: "/flash-sales/" + segment(id) + "/tickets/" + segment(ticket)}, options)
}

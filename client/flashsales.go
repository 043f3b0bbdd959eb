package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// FlashSales sell a limited number of pieces to a crowd.
type FlashSales struct{ client *Client }

// FlashSaleStatus is where a sale stands.
type FlashSaleStatus string

// The statuses of flash sales.
const (
	SaleDraft  FlashSaleStatus = "draft"
	SaleOpen   FlashSaleStatus = "open"
	SalePaused FlashSaleStatus = "paused"
	SaleClosed FlashSaleStatus = "closed"
)

// FlashSaleTerms are what a sale offers.
type FlashSaleTerms struct {
	Name string `json:"name"`
	SKU  string `json:"sku"`
	// Price is of a piece, in minor units.
	Price        int64     `json:"price"`
	Quantity     int64     `json:"quantity"`
	PerUserLimit int64     `json:"perUserLimit"`
	StartsTime   time.Time `json:"startsTime"`
	EndsTime     time.Time `json:"endsTime"`
	// QueueCap bounds the tickets that wait at once, Rate those of the sale that become
	// orders in a second; nil for any number.
	QueueCap *int64 `json:"queueCap"`
	Rate     *int64 `json:"rate"`
	// Replicas is how many replicas of Redis must have a purchase before it is accepted; nil
	// for none.
	Replicas *int64 `json:"replicas"`
}

// FlashSale is one sale. Read it, change its terms, and save it; the quantity of one
// that is not a draft is changed by [FlashSales.ChangeQuantity].
type FlashSale struct {
	Stamp
	originState
	FlashSaleTerms
	ID int64 `json:"id"`
	// Currency is of all amounts (ISO 4217).
	Currency           string          `json:"currency"`
	ItemName           string          `json:"itemName"`
	Status             FlashSaleStatus `json:"status"`
	AllowedTransitions []string        `json:"allowedTransitions"`
	Merged             *Merged         `json:"merged,omitempty"`
}

func (f *FlashSale) editable() []string {
	return []string{"name", "sku", "price", "quantity", "perUserLimit", "startsTime", "endsTime", "queueCap", "rate", "replicas"}
}

// UnmarshalJSON reads a sale and remembers how it was read.
func (f *FlashSale) UnmarshalJSON(text []byte) error {
	type members FlashSale
	var fresh members
	if err := json.Unmarshal(text, &fresh); err != nil {
		return err
	}
	*f = FlashSale(fresh)
	return setOrigin(f)
}

// FlashSaleFilter narrows a list of sales.
type FlashSaleFilter struct {
	Paging
	Text   string
	Status FlashSaleStatus
	SKU    string
}

// FlashSaleRevision is one version of a sale.
type FlashSaleRevision struct {
	FlashSaleTerms
	Version     int64           `json:"version"`
	Action      string          `json:"action"`
	Currency    string          `json:"currency"`
	Status      FlashSaleStatus `json:"status"`
	Note        string          `json:"note"`
	ChangedBy   Person          `json:"changedBy"`
	ChangedTime time.Time       `json:"changedTime"`
}

// FlashSaleStats count the pieces of a sale. Balanced is true when allotted is remaining
// + queued + processing + dead + confirmed.
type FlashSaleStats struct {
	Allotted            int64   `json:"allotted"`
	Remaining           int64   `json:"remaining"`
	Queued              int64   `json:"queued"`
	Processing          int64   `json:"processing"`
	Dead                int64   `json:"dead"`
	Confirmed           int64   `json:"confirmed"`
	Rejected            int64   `json:"rejected"`
	Returned            int64   `json:"returned"`
	Balanced            bool    `json:"balanced"`
	OldestQueuedSeconds float64 `json:"oldestQueuedSeconds"`
	AcceptedPerSecond   float64 `json:"acceptedPerSecond"`
	ConfirmedPerSecond  float64 `json:"confirmedPerSecond"`
	// ArrivalsPerSecond, RefusedPerSecond and Refusals are purchases, accepted or
	// refused, for display.
	ArrivalsPerSecond float64                    `json:"arrivalsPerSecond"`
	RefusedPerSecond  FlashSaleRefusals[float64] `json:"refusedPerSecond"`
	Refusals          FlashSaleRefusals[int64]   `json:"refusals"`
	// Lost is the number of tickets that were accepted and lost with the gate's store.
	Lost int64 `json:"lost"`
}

// FlashSaleRefusals are refused purchases by their code: a number, or a pace a second
// over the last five.
type FlashSaleRefusals[N int64 | float64] struct {
	SoldOut      N `json:"soldOut"`
	LimitReached N `json:"limitReached"`
	SaleNotOpen  N `json:"saleNotOpen"`
	QueueFull    N `json:"queueFull"`
}

// FlashSaleSamples are what the numbers of a sale were, oldest first. Time is when the service
// answered.
type FlashSaleSamples struct {
	Time  time.Time         `json:"time"`
	Items []FlashSaleSample `json:"items"`
}

// FlashSaleSample is what the numbers of a sale were at a time.
type FlashSaleSample struct {
	Time  time.Time      `json:"time"`
	Stats FlashSaleStats `json:"stats"`
}

// Reconciliation is what the books of a sale looked like and what was mended.
type Reconciliation struct {
	Rebuilt    bool           `json:"rebuilt"`
	Repaired   int64          `json:"repaired"`
	Released   int64          `json:"released"`
	Sold       int64          `json:"sold"`
	LiveUnits  int64          `json:"liveUnits"`
	Consistent bool           `json:"consistent"`
	Stats      FlashSaleStats `json:"stats"`
}

// DeadTicket is a purchase that could not be handled and waits for a decision.
type DeadTicket struct {
	MessageID string `json:"messageId"`
	// UserID is empty when the message cannot be read.
	UserID       string    `json:"userId"`
	Quantity     int64     `json:"quantity"`
	Error        string    `json:"error"`
	Attempts     int64     `json:"attempts"`
	Crashes      int64     `json:"crashes"`
	EnqueuedTime time.Time `json:"enqueuedTime"`
	DeadTime     time.Time `json:"deadTime"`
	AgeSeconds   float64   `json:"ageSeconds"`
}

// Ticket is a place in a sale's queue: queued, then confirmed with an order, or rejected
// with a reason.
type Ticket struct {
	Ticket   string `json:"ticket"`
	Status   string `json:"status"`
	Quantity int64  `json:"quantity"`
	OrderID  int64  `json:"orderId"`
	OrderNo  string `json:"orderNo"`
	Reason   string `json:"reason"`
	// Ahead is how many waited when it was bought.
	Ahead int64 `json:"ahead"`
}

// SaleRejected is a purchase that was not accepted: sold_out, or sale_not_open and then why.
type SaleRejected struct {
	*Problem   `json:"-"`
	Reason     string          `json:"reason"`
	SaleStatus FlashSaleStatus `json:"saleStatus"`
	StartsTime time.Time       `json:"startsTime"`
	EndsTime   time.Time       `json:"endsTime"`
}

// Unwrap returns the problem.
func (s *SaleRejected) Unwrap() error { return s.Problem }

func salePath(id int64) string { return "/flash-sales/" + strconv.FormatInt(id, 10) }

// List lists sales, newest first, or as the filter's Sort says.
func (s *FlashSales) List(f FlashSaleFilter) List[FlashSale] {
	return List[FlashSale]{s.client, "/flash-sales", f.parameters().
		text("q", f.Text).text("status", string(f.Status)).text("sku", f.SKU)}
}

// Get reads a sale.
func (s *FlashSales) Get(ctx context.Context, id int64, options ...CallOption) (FlashSale, error) {
	return get[FlashSale](ctx, s.client, salePath(id), options)
}

// Plan makes the draft of a sale.
func (s *FlashSales) Plan(ctx context.Context, t FlashSaleTerms, options ...CallOption) (FlashSale, error) {
	t.StartsTime, t.EndsTime = t.StartsTime.UTC(), t.EndsTime.UTC()
	return call[FlashSale](ctx, s.client, request{method: http.MethodPost, path: "/flash-sales", body: t}, options)
}

// Save sends what was changed in f since it was read and makes f the saved sale. A
// [Conflict] when somebody else saved meanwhile.
func (s *FlashSales) Save(ctx context.Context, f *FlashSale, options ...CallOption) error {
	f.StartsTime, f.EndsTime = f.StartsTime.UTC(), f.EndsTime.UTC()
	return save(ctx, s.client, salePath(f.ID), f, options)
}

// ChangeQuantity adds pieces to a sale, or takes some that are not sold, and makes f the
// saved sale. What was changed in f and not saved is dropped.
func (s *FlashSales) ChangeQuantity(ctx context.Context, f *FlashSale, delta int64, options ...CallOption) error {
	body := map[string]int64{"quantityDelta": delta}
	return s.client.do(ctx, request{method: http.MethodPatch, path: salePath(f.ID), body: body, ifMatch: f.ETag}, f, options)
}

// Delete deletes a draft as it was read. A [Conflict] when it was changed since.
func (s *FlashSales) Delete(ctx context.Context, f FlashSale, options ...CallOption) error {
	return remove(ctx, s.client, salePath(f.ID), f.ETag, options)
}

// History lists a sale's versions, newest first.
func (s *FlashSales) History(id int64, p Paging) List[FlashSaleRevision] {
	return List[FlashSaleRevision]{s.client, salePath(id) + "/history", p.parameters()}
}

// Open opens a draft. Like the others that follow it returns a [TransitionRejected] when
// the sale's status does not allow it.
func (s *FlashSales) Open(ctx context.Context, id int64, options ...CallOption) (FlashSale, error) {
	return transition[FlashSale](ctx, s.client, salePath(id)+"/open", nil, options)
}

// Pause takes no purchases until the sale is resumed.
func (s *FlashSales) Pause(ctx context.Context, id int64, options ...CallOption) (FlashSale, error) {
	return transition[FlashSale](ctx, s.client, salePath(id)+"/pause", nil, options)
}

// Resume goes on with a paused sale.
func (s *FlashSales) Resume(ctx context.Context, id int64, options ...CallOption) (FlashSale, error) {
	return transition[FlashSale](ctx, s.client, salePath(id)+"/resume", nil, options)
}

// Close ends a sale.
func (s *FlashSales) Close(ctx context.Context, id int64, options ...CallOption) (FlashSale, error) {
	return transition[FlashSale](ctx, s.client, salePath(id)+"/close", nil, options)
}

// Buy takes a place in the queue for a customer, whose token the client shows or for whom
// it acts ([Client.For]); [SaleRejected] when there is nothing to buy, [LimitReached] when the
// customer has all that one may have. When nobody knows whether the purchase was accepted
// ([OutcomeUnknown]), [TicketOf] finds its ticket, and [FlashSales.Ticket] what became of it;
// or call Buy again with the same key.
func (s *FlashSales) Buy(ctx context.Context, id, quantity int64, options ...CallOption) (Ticket, error) {
	body := map[string]int64{"quantity": quantity}
	return call[Ticket](ctx, s.client, request{method: http.MethodPost, path: salePath(id) + "/orders", body: body}, options)
}

// TicketOf returns the ticket that an error of [FlashSales.Buy] is about: of a purchase
// whose outcome is unknown, or the latest one of a customer who has all that one may have.
// It is empty when there is none.
func TicketOf(err error) string {
	var problem *Problem
	var gaveUp *GaveUp
	// A later attempt may have ended without a reply; its ticket is the same.
	if errors.As(err, &gaveUp) && gaveUp.undecided != nil {
		problem = gaveUp.undecided
	} else if !errors.As(err, &problem) {
		return ""
	}
	var about struct {
		Ticket string `json:"ticket"`
	}
	if json.Unmarshal(problem.Body, &about) != nil {
		return ""
	}
	return about.Ticket
}

// Ticket reads what became of a customer's purchase.
func (s *FlashSales) Ticket(ctx context.Context, id int64, ticket string, options ...CallOption) (Ticket, error) {
	return get[Ticket](ctx, s.client, salePath(id)+"/tickets/"+url.PathEscape(ticket), options)
}

// Stats count the pieces of a sale.
func (s *FlashSales) Stats(ctx context.Context, id int64, options ...CallOption) (FlashSaleStats, error) {
	return get[FlashSaleStats](ctx, s.client, salePath(id)+"/stats", options)
}

// Samples reads what the numbers of a sale were, up to so many minutes ago, from 1 to 60; of a
// closed sale the minutes are counted back from its newest ones.
func (s *FlashSales) Samples(ctx context.Context, id int64, minutes int, options ...CallOption) (FlashSaleSamples, error) {
	return get[FlashSaleSamples](ctx, s.client, salePath(id)+"/samples?minutes="+strconv.Itoa(minutes), options)
}

// Reconcile compares the books of a sale with its orders and mends what it can.
func (s *FlashSales) Reconcile(ctx context.Context, id int64, options ...CallOption) (Reconciliation, error) {
	return call[Reconciliation](ctx, s.client, request{method: http.MethodPost, path: salePath(id) + "/reconcile"}, options)
}

// Dead lists the purchases that wait for a decision.
func (s *FlashSales) Dead(id int64, p Paging) List[DeadTicket] {
	return List[DeadTicket]{s.client, salePath(id) + "/dead", p.parameters()}
}

// RetryDead puts a dead purchase back into the queue.
func (s *FlashSales) RetryDead(ctx context.Context, id int64, messageID string, options ...CallOption) error {
	return s.decide(ctx, id, messageID, "retry", options)
}

// DiscardDead drops a dead purchase and gives its pieces back to the sale.
func (s *FlashSales) DiscardDead(ctx context.Context, id int64, messageID string, options ...CallOption) error {
	return s.decide(ctx, id, messageID, "discard", options)
}

func (s *FlashSales) decide(ctx context.Context, id int64, messageID, verdict string, options []CallOption) error {
	path := salePath(id) + "/dead/" + url.PathEscape(messageID) + "/" + verdict
	return s.client.do(ctx, request{method: http.MethodPost, path: path}, nil, options)
}

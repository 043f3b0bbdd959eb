package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// SearchHit is something that a search found.
type SearchHit struct {
	Kind     string `json:"kind"`
	ID       string `json:"id"`
	Title    string `json:"title"`
	Subtitle string `json:"subtitle"`
	// Href is where the web admin shows it.
	Href string `json:"href"`
}

// Search looks for text as the beginning of order numbers, users, skus, coupon codes
// and more.
func (c *Client) Search(ctx context.Context, text string, options ...CallOption) ([]SearchHit, error) {
	found, err := call[struct {
		Items []SearchHit `json:"items"`
	}](ctx, c, request{method: http.MethodGet, path: "/search", query: url.Values{"q": {text}}}, options)
	return found.Items, err
}

// Queues are the queues and the locks that are held.
type Queues struct {
	Queues []Queue    `json:"queues"`
	Locks  []HeldLock `json:"locks"`
}

// Queue counts the messages of one queue.
type Queue struct {
	Name          string  `json:"name"`
	Pending       int64   `json:"pending"`
	Claimed       int64   `json:"claimed"`
	Delayed       int64   `json:"delayed"`
	Dead          int64   `json:"dead"`
	OldestSeconds float64 `json:"oldestSeconds"`
	Paused        bool    `json:"paused"`
}

// HeldLock is a lock that somebody holds.
type HeldLock struct {
	Key         string  `json:"key"`
	Owner       string  `json:"owner"`
	HeldSeconds float64 `json:"heldSeconds"`
	Waiters     int64   `json:"waiters"`
}

// Queues reads what waits and what is locked.
func (c *Client) Queues(ctx context.Context, options ...CallOption) (Queues, error) {
	return get[Queues](ctx, c, "/queues", options)
}

// Dashboard are figures of today. What the caller may not read is nil.
type Dashboard struct {
	// Currency is of the amounts (ISO 4217); "" without the orders.
	Currency       string                `json:"currency"`
	OrdersByStatus map[OrderStatus]int64 `json:"ordersByStatus"`
	// OrdersByDay are those of the last 14 days in UTC, today the last.
	OrdersByDay         []OrdersOfDay    `json:"ordersByDay"`
	PaymentsDueSoon     *PaymentsDueSoon `json:"paymentsDueSoon"`
	CouponsExpiringSoon *int64           `json:"couponsExpiringSoon"`
	// Approvals are those that wait.
	Approvals           *WaitingApprovals `json:"approvals"`
	ConflictsToday      []ConflictCount   `json:"conflictsToday"`
	ConflictsTodayTotal *int64            `json:"conflictsTodayTotal"`
	RecentChanges       []RecentChange    `json:"recentChanges"`
	WorkingNow          []Presence        `json:"workingNow"`
}

// WaitingApprovals counts the approvals that wait: for the caller's vote; the caller's own, for
// others; the caller's own, for a rebase; and what was made without the votes, for a review.
type WaitingApprovals struct {
	ToDecide int64 `json:"toDecide"`
	Mine     int64 `json:"mine"`
	Stale    int64 `json:"stale"`
	ToReview int64 `json:"toReview"`
}

// Presence is who is on a resource now.
type Presence struct {
	// Resource is its path, such as configs/checkout.tax.
	Resource string          `json:"resource"`
	People   []PresentPerson `json:"people"`
}

// PresentPerson is somebody on a resource.
type PresentPerson struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	// Field is the one that was chosen last; "" for none.
	Field string    `json:"field"`
	Since time.Time `json:"since"`
}

// OrdersOfDay is what came of the orders that were placed on one day in UTC.
type OrdersOfDay struct {
	// Day is such as 2026-01-31.
	Day    string `json:"day"`
	Placed int64  `json:"placed"`
	// Amount is that of those which are paid, shipped or completed.
	Amount int64 `json:"amount"`
}

// PaymentsDueSoon is how many pending orders are cancelled within an hour, and the most
// urgent of them.
type PaymentsDueSoon struct {
	Total int64      `json:"total"`
	Items []DueOrder `json:"items"`
}

// DueOrder is an order that is cancelled unless it is paid in time.
type DueOrder struct {
	ID         int64     `json:"id"`
	OrderNo    string    `json:"orderNo"`
	UserID     string    `json:"userId"`
	Amount     int64     `json:"amount"`
	PaymentDue time.Time `json:"paymentDue"`
}

// RecentChange is an entry of the audit log that may stand for older ones of its kind.
type RecentChange struct {
	AuditEntry
	// More is how many of them.
	More int64 `json:"more"`
}

// ConflictCount is how often somebody came second today.
type ConflictCount struct {
	Resource string `json:"resource"`
	Code     Code   `json:"code"`
	Count    int64  `json:"count"`
	// Records are the paths of the last records, newest first, as far as the server that
	// answered has seen them.
	Records []string `json:"records"`
}

// Dashboard reads the figures of the dashboard.
func (c *Client) Dashboard(ctx context.Context, options ...CallOption) (Dashboard, error) {
	return get[Dashboard](ctx, c, "/dashboard", options)
}

// Permission is something that a role or a token can be allowed.
type Permission struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	// Decides is true for a permission that is no scope of another user's token.
	Decides bool `json:"decides"`
}

// Permissions lists all permissions that there are.
func (c *Client) Permissions() List[Permission] {
	return List[Permission]{c, "/permissions", parameters{}}
}

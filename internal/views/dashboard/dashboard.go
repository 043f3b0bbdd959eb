// Package dashboard summarizes pending work and recent events on one page.
//
// Invariants:
//
//   - A part appears only for callers with permission to read the counted records.
//   - The numbers are queried, not stored, with two exceptions, and no count exceeds
//     storage.Bound. A rejected write leaves no row, so conflicts are counted with their
//     responses (conflicts.go). The orders by day read many rows, so a process caches them
//     for a minute.
package dashboard

import (
	"context"
	"fmt"
	"sync"
	"time"

	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/views/audit"
	"interlock/internal/views/realtime"
)

const (
	// soon is the maximum time before its expiry at which a coupon counts as expiring soon.
	soon = 7 * 24 * time.Hour
	// recent is the number of changes shown.
	recent = 10
	// days is the number of days for which orders are counted.
	days = 14
	// dueSoon is the maximum time before its cancellation at which an unpaid order counts as due
	// soon; dueShown is the number of such orders in the reply.
	dueSoon, dueShown = time.Hour, 5
	// trendTTL is the cache time of the orders by day. Only these numbers are computed by reading
	// rows, and every open page requests them.
	trendTTL = time.Minute
)

// Day summarizes the orders placed on one day of the tenant's time zone.
type Day struct {
	Day string `json:"day" validate:"datetime=2006-01-02"`
	// The number of created orders, including cancelled ones.
	Placed int64 `json:"placed" validate:"min=0"`
	// The total of those that are paid, shipped or completed, in minor units.
	Amount int64 `json:"amount" validate:"min=0"`
}

// Due is an unpaid order that will be cancelled soon.
type Due struct {
	ID         int64                `json:"id"`
	OrderNo    string               `json:"orderNo"`
	UserID     principal.CustomerID `json:"userId"`
	Amount     int64                `json:"amount" validate:"min=0"`
	PaymentDue time.Time            `json:"paymentDue"`
}

// ByStatus counts the rows of a resource that has a status.
type ByStatus interface {
	// CountByStatus returns a number for every status, by name.
	CountByStatus(ctx context.Context) (map[string]storage.Count, error)
}

// Orders counts orders.
type Orders interface {
	ByStatus
	// ByDay returns the days of the tenant's time zone up to the day of now, oldest first.
	ByDay(ctx context.Context, now time.Time, days int) ([]Day, error)
	// DueUntil returns the orders that will be cancelled unless they are paid by then, and
	// their number.
	DueUntil(ctx context.Context, until time.Time, limit int) ([]Due, storage.Count, error)
}

// Coupons counts coupons.
type Coupons interface {
	// CountExpiring counts the unused coupons that expire within the period.
	CountExpiring(ctx context.Context, within time.Duration) (storage.Count, error)
}

// Waiting counts the approvals that need the caller's vote, the caller's pending approvals, those
// that need a rebase, and those that need a review.
type Waiting struct{ ToDecide, Mine, Stale, ToReview storage.Count }

// Approvals counts approvals.
type Approvals interface {
	CountWaiting(ctx context.Context) (Waiting, error)
}

// Presence reports the users on each resource.
type Presence interface {
	// Presence returns the users on the resources that the context's caller may read.
	Presence(ctx context.Context) ([]realtime.Present, error)
}

// Deps are the dependencies of a Service.
type Deps struct {
	Orders     Orders
	Refunds    ByStatus
	WorkOrders ByStatus
	Coupons    Coupons
	Approvals  Approvals
	Audit      *audit.Log
	Conflicts  *ConflictLog
	Presence   Presence
	Clock      clock.Clock
	// Readers maps a resource, by the first segment of its paths, to the permission to read
	// it. Counts of other resources are shown to no caller.
	Readers map[string]string
}

// Service builds the dashboard. It is safe for concurrent use.
type Service struct {
	deps Deps

	mu sync.Mutex
	// trends caches the orders by day of each tenant.
	trends map[int64]trend
}

type trend struct {
	days []Day
	read time.Time
}

// New returns a Service.
func New(d Deps) *Service { return &Service{deps: d, trends: make(map[int64]trend)} }

// Overview is the dashboard. Parts that the caller may not see are nil.
type Overview struct {
	OrdersByStatus map[string]storage.Count
	// OrdersByDay covers the last days of the tenant's time zone, at most a minute old.
	OrdersByDay []Day
	// DueSoon are the most urgent of DueSoonTotal unpaid orders that will be cancelled
	// soon.
	DueSoon             []Due
	DueSoonTotal        storage.Count
	RefundsByStatus     map[string]storage.Count
	WorkOrdersByStatus  map[string]storage.Count
	CouponsExpiringSoon *storage.Count
	Approvals           *Waiting
	// ConflictsToday are the conflicts of the day in UTC, most frequent first.
	ConflictsToday []Conflicts
	RecentChanges  []audit.Folded
	// WorkingNow lists the users on each record; nil for a caller who may read none.
	WorkingNow []realtime.Present
}

// Overview returns the dashboard of the context's caller.
func (s *Service) Overview(ctx context.Context) (Overview, error) {
	caller, ok := principal.From(ctx)
	if !ok {
		return Overview{}, storage.ErrNoTenant
	}
	var o Overview
	var err error
	if s.mayRead(caller, "orders") {
		if o.OrdersByStatus, err = s.deps.Orders.CountByStatus(ctx); err != nil {
			return o, err
		}
		if o.OrdersByDay, err = s.trend(ctx, caller.TenantID); err != nil {
			return o, err
		}
		if o.DueSoon, o.DueSoonTotal, err = s.deps.Orders.DueUntil(ctx, s.deps.Clock.Now().Add(dueSoon), dueShown); err != nil {
			return o, err
		}
	}
	if s.mayRead(caller, "refunds") {
		if o.RefundsByStatus, err = s.deps.Refunds.CountByStatus(ctx); err != nil {
			return o, err
		}
	}
	if s.mayRead(caller, "work-orders") {
		if o.WorkOrdersByStatus, err = s.deps.WorkOrders.CountByStatus(ctx); err != nil {
			return o, err
		}
	}
	if s.mayRead(caller, "coupons") {
		count, err := s.deps.Coupons.CountExpiring(ctx, soon)
		if err != nil {
			return o, err
		}
		o.CouponsExpiringSoon = &count
	}
	if s.mayRead(caller, "approvals") {
		waiting, err := s.deps.Approvals.CountWaiting(ctx)
		if err != nil {
			return o, err
		}
		o.Approvals = &waiting
	}
	if o.ConflictsToday, err = s.conflicts(ctx, caller); err != nil {
		return o, err
	}
	if o.ConflictsToday != nil {
		if o.WorkingNow, err = s.deps.Presence.Presence(ctx); err != nil {
			return o, err
		}
	}
	if caller.May(audit.ReadPermission) {
		if o.RecentChanges, err = s.deps.Audit.Latest(ctx, recent); err != nil {
			return o, fmt.Errorf("read the latest changes: %w", err)
		}
	}
	return o, nil
}

// trend returns the orders by day of the context's tenant, at most a minute old. Concurrent
// callers may both read them.
func (s *Service) trend(ctx context.Context, tenant int64) ([]Day, error) {
	now := s.deps.Clock.Now()
	s.mu.Lock()
	cached, ok := s.trends[tenant]
	s.mu.Unlock()
	if ok && now.Sub(cached.read) < trendTTL {
		return cached.days, nil
	}
	read, err := s.deps.Orders.ByDay(ctx, now, days)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trends[tenant] = trend{days: read, read: now}
	return read, nil
}

func (s *Service) mayRead(caller principal.Principal, resource string) bool {
	permission, known := s.deps.Readers[resource]
	return known && caller.May(permission)
}

// conflicts returns today's conflicts on resources that the caller may read, or nil if
// there are no such resources.
func (s *Service) conflicts(ctx context.Context, caller principal.Principal) ([]Conflicts, error) {
	var resources []string
	for resource := range s.deps.Readers {
		if s.mayRead(caller, resource) {
			resources = append(resources, resource)
		}
	}
	if len(resources) == 0 {
		return nil, nil
	}
	return s.deps.Conflicts.Today(ctx, resources)
}

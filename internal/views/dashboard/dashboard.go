// Package dashboard says what waits and what happened of late, on one page.
//
// Invariants:
//
//   - A part appears only for callers who may read what it counts.
//   - The numbers are read, not kept, but for two; and no counting goes beyond storage.Bound. A
//     refused write leaves no row, so conflicts are counted as they are answered (conflicts.go).
//     The orders by day read many rows, so a process keeps them for a minute.
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
	// soon is how far ahead of the end of a coupon's time it expires soon.
	soon = 7 * 24 * time.Hour
	// recent is how many changes are shown.
	recent = 10
	// days is how many of them the orders are counted of.
	days = 14
	// dueSoon is how far ahead an order that is not paid is cancelled soon, and dueShown
	// how many of those are shown.
	dueSoon, dueShown = time.Hour, 5
	// trendKept is how long the orders by day are kept: they are the only numbers here that
	// read rows, and every open page asks for them.
	trendKept = time.Minute
)

// Day is what came of the orders that were placed on one day in UTC.
type Day struct {
	// Day is such as 2026-01-31.
	Day string `json:"day"`
	// Placed is how many there are, cancelled ones too.
	Placed int64 `json:"placed"`
	// Amount is that of those which were paid, in minor units.
	Amount int64 `json:"amount"`
}

// Due is an unpaid order that is cancelled soon.
type Due struct {
	ID         int64                `json:"id"`
	OrderNo    string               `json:"orderNo"`
	UserID     principal.CustomerID `json:"userId"`
	Amount     int64                `json:"amount"`
	PaymentDue *time.Time           `json:"paymentDue"`
}

// ByStatus counts the rows of a resource that has a status.
type ByStatus interface {
	// CountByStatus returns a number for every status, by its name.
	CountByStatus(ctx context.Context) (map[string]storage.Count, error)
}

// Orders counts orders.
type Orders interface {
	ByStatus
	// ByDay returns days in UTC up to that of now, oldest first.
	ByDay(ctx context.Context, now time.Time, days int) ([]Day, error)
	// DueUntil returns the orders that are cancelled unless they are paid by then, and how
	// many there are.
	DueUntil(ctx context.Context, until time.Time, limit int) ([]Due, storage.Count, error)
}

// Coupons counts coupons.
type Coupons interface {
	// CountExpiring counts the unused ones whose time ends within a while from now.
	CountExpiring(ctx context.Context, within time.Duration) (storage.Count, error)
}

// Waiting counts the approvals that wait for the caller: for their vote, for others, for a
// rebase, and for a review.
type Waiting struct{ ToDecide, Mine, Stale, ToReview storage.Count }

// Approvals counts approvals.
type Approvals interface {
	CountWaiting(ctx context.Context) (Waiting, error)
}

// Presence knows who is where now.
type Presence interface {
	// Presence returns the people on the resources that the context's caller may read.
	Presence(ctx context.Context) ([]realtime.Present, error)
}

// Deps are what a Service stands on.
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
	// Readers names the permission that it takes to read a resource, by the first segment
	// of its paths. What is counted of a resource that it does not name is shown to nobody.
	Readers map[string]string
}

// Service puts the dashboard together. It is safe for concurrent use.
type Service struct {
	deps Deps

	mu sync.Mutex
	// trends are the orders by day of each tenant, as they were read last.
	trends map[int64]trend
}

type trend struct {
	days []Day
	read time.Time
}

// New returns a Service.
func New(d Deps) *Service { return &Service{deps: d, trends: make(map[int64]trend)} }

// Overview is the dashboard. Nil parts are those that the caller may not see.
type Overview struct {
	OrdersByStatus map[string]storage.Count
	// OrdersByDay are those of the last days in UTC, at most a minute old.
	OrdersByDay []Day
	// DueSoon are unpaid orders that are cancelled soon, the most urgent of DueSoonTotal.
	DueSoon             []Due
	DueSoonTotal        storage.Count
	RefundsByStatus     map[string]storage.Count
	WorkOrdersByStatus  map[string]storage.Count
	CouponsExpiringSoon *storage.Count
	Approvals           *Waiting
	// ConflictsToday are those of the day in UTC, most first.
	ConflictsToday []Conflicts
	RecentChanges  []audit.Folded
	// WorkingNow is who is on which record; nil for who may read none.
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

// trend returns the orders by day of the context's tenant, read within the last minute. Two
// who ask at the same moment may both read them.
func (s *Service) trend(ctx context.Context, tenant int64) ([]Day, error) {
	now := s.deps.Clock.Now()
	s.mu.Lock()
	kept, ok := s.trends[tenant]
	s.mu.Unlock()
	if ok && now.Sub(kept.read) < trendKept {
		return kept.days, nil
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

// conflicts returns today's conflicts on what the caller may read, or nil when that
// is nothing.
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

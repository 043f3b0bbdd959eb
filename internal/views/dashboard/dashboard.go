// Package dashboard says what waits and what happened of late, on one page.
//
// Invariants:
//
//   - A part appears only for callers who may read what it counts.
//   - The numbers are read, not kept, but for the conflicts: a refused write leaves
//     no row, so conflicts are counted as they are answered (conflicts.go).
package dashboard

import (
	"context"
	"fmt"
	"time"

	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/views/audit"
)

const (
	// soon is how far ahead of the end of a coupon's time it expires soon.
	soon = 7 * 24 * time.Hour
	// recent is how many changes are shown.
	recent = 10
)

// Orders counts orders.
type Orders interface {
	// CountByStatus returns a number for every status, by its name.
	CountByStatus(ctx context.Context) (map[string]int64, error)
}

// Coupons counts coupons.
type Coupons interface {
	// CountExpiring counts the unused ones whose time ends within a while from now.
	CountExpiring(ctx context.Context, within time.Duration) (int64, error)
}

// Deps are what a Service stands on.
type Deps struct {
	Orders    Orders
	Coupons   Coupons
	Audit     *audit.Log
	Conflicts *ConflictLog
	// Readers names the permission that it takes to read a resource, by the first segment
	// of its paths. What is counted of a resource that it does not name is shown to nobody.
	Readers map[string]string
}

// Service puts the dashboard together. It is safe for concurrent use.
type Service struct{ deps Deps }

// New returns a Service.
func New(d Deps) *Service { return &Service{deps: d} }

// Overview is the dashboard. Nil parts are those that the caller may not see.
type Overview struct {
	OrdersByStatus      map[string]int64
	CouponsExpiringSoon *int64
	// ConflictsToday are those of the day in UTC, most first.
	ConflictsToday []Conflicts
	RecentChanges  []audit.Entry
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
	}
	if s.mayRead(caller, "coupons") {
		count, err := s.deps.Coupons.CountExpiring(ctx, soon)
		if err != nil {
			return o, err
		}
		o.CouponsExpiringSoon = &count
	}
	if o.ConflictsToday, err = s.conflicts(ctx, caller); err != nil {
		return o, err
	}
	if caller.May(audit.ReadPermission) {
		if o.RecentChanges, err = s.deps.Audit.Latest(ctx, recent); err != nil {
			return o, fmt.Errorf("read the latest changes: %w", err)
		}
	}
	return o, nil
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

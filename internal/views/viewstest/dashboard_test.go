// Package viewstest tests packages audit, dashboard, engines and ops with a database, in one binary.
package viewstest

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/apperr"
	"interlock/internal/base/background"
	"interlock/internal/base/clock"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/base/storage/storagetest"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/views/audit"
	"interlock/internal/views/dashboard"
	"interlock/internal/views/realtime"
)

func TestMain(m *testing.M) {
	storagetest.Covers("internal/views/audit", "internal/views/dashboard", "internal/views/engines", "internal/views/reports")
	goleak.VerifyTestMain(m)
}

var everything = []string{"configs", "orders", "items"}

func tenantOf(ctx context.Context) int64 {
	p, _ := principal.From(ctx)
	return p.TenantID
}

func today(t *testing.T, ctx context.Context, log *dashboard.ConflictLog, resources ...string) []dashboard.Conflicts {
	t.Helper()
	conflicts, err := log.Today(ctx, resources)
	require.NoError(t, err)
	return conflicts
}

func TestConflictsAreCountedByTenantDayResourceAndCode(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		now := clock.NewFake(time.Date(2026, 1, 31, 23, 59, 0, 0, time.UTC))
		log := dashboard.NewConflictLog(db, now)
		tenant, stranger := tenantOf(ctx), storagetest.Tenant(t)
		for range 3 {
			log.CountConflict(tenant, "configs", "configs/a", apperr.VersionConflict)
		}
		log.CountConflict(tenant, "orders", "", apperr.StatusChanged)
		log.CountConflict(tenantOf(stranger), "configs", "configs/a", apperr.VersionConflict)
		require.Empty(t, today(t, ctx, log, everything...), "nothing is written before the flush")
		require.NoError(t, log.Flush(ctx))
		log.CountConflict(tenant, "orders", "", apperr.StatusChanged)
		log.CountConflict(tenant, "orders", "orders/7", apperr.TransitionNotAllowed)
		require.NoError(t, log.Flush(ctx))
		require.NoError(t, log.Flush(ctx), "flushed counts are not added again")

		require.Equal(t, []dashboard.Conflicts{
			{Resource: "configs", Code: apperr.VersionConflict, Count: 3, Records: []string{"configs/a"}},
			{Resource: "orders", Code: apperr.StatusChanged, Count: 2, Records: []string{}},
			{Resource: "orders", Code: apperr.TransitionNotAllowed, Count: 1, Records: []string{"orders/7"}},
		}, today(t, ctx, log, everything...))
		require.Len(t, today(t, ctx, log, "configs"), 1)
		require.Equal(t, []dashboard.Conflicts{{Resource: "configs", Code: apperr.VersionConflict, Count: 1, Records: []string{"configs/a"}}}, today(t, stranger, log, everything...))

		now.Advance(time.Minute)
		require.Empty(t, today(t, ctx, log, everything...), "the next day begins with nothing")
		now.Advance(-time.Minute)
		require.NoError(t, log.Sweep(ctx, 10))
		require.Len(t, today(t, ctx, log, everything...), 3, "a day within the report is retained")
		day := now.Now()
		now.Advance(91 * 24 * time.Hour)
		require.NoError(t, log.Sweep(ctx, 10))
		now.Advance(day.Sub(now.Now()))
		require.Empty(t, today(t, ctx, log, everything...))
	})
}

func TestConflictsNameTheirLatestRecords(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		now := clock.NewFake(time.Date(2026, 1, 31, 23, 59, 0, 0, time.UTC))
		log := dashboard.NewConflictLog(db, now)
		for _, key := range []string{"a", "b", "c", "d", "a", "e", "a"} {
			log.CountConflict(tenantOf(ctx), "configs", "configs/"+key, apperr.VersionConflict)
		}
		require.NoError(t, log.Flush(ctx))
		require.Equal(t, []string{"configs/a", "configs/e", "configs/d", "configs/c", "configs/b"}, today(t, ctx, log, "configs")[0].Records)
		log.CountConflict(tenantOf(ctx), "configs", "configs/f", apperr.VersionConflict)
		require.Equal(t, []string{"configs/f", "configs/a", "configs/e", "configs/d", "configs/c"}, today(t, ctx, log, "configs")[0].Records)
		now.Advance(time.Minute)
		log.CountConflict(tenantOf(ctx), "configs", "configs/g", apperr.VersionConflict)
		require.NoError(t, log.Flush(ctx))
		require.Equal(t, []string{"configs/g"}, today(t, ctx, log, "configs")[0].Records)
	})
}

func TestConflictCountsOfProcessesAddUp(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		const processes, conflicts = 4, 50
		failures := make(chan error, processes*conflicts)
		var counting sync.WaitGroup
		services := make([]*background.Group, processes)
		for i := range services {
			log := dashboard.NewConflictLog(db, clock.System{})
			services[i] = background.NewGroup(clock.System{})
			require.NoError(t, services[i].Start(ctx, log.Background()))
			counting.Go(func() {
				for range conflicts {
					log.CountConflict(tenantOf(ctx), "configs", "configs/a", apperr.VersionConflict)
					failures <- log.Flush(ctx)
				}
				log.CountConflict(tenantOf(ctx), "configs", "configs/a", apperr.VersionConflict)
			})
		}
		counting.Wait()
		for _, group := range services {
			group.Stop(ctx)
		}
		for range processes * conflicts {
			require.NoError(t, <-failures)
		}
		counted := today(t, ctx, dashboard.NewConflictLog(db, clock.System{}), "configs")
		require.EqualValues(t, processes*(conflicts+1), counted[0].Count)
	})
}

func TestFailedFlushRetainsItsCounts(t *testing.T) {
	storagetest.Each(t, func(t *testing.T, ctx context.Context, db *storage.DB) {
		log := dashboard.NewConflictLog(db, clock.System{})
		for range 3 {
			log.CountConflict(tenantOf(ctx), "configs", "configs/a", apperr.VersionConflict)
		}
		gone, cancel := context.WithCancel(ctx)
		cancel()
		require.Error(t, log.Flush(gone))
		require.Empty(t, today(t, ctx, log, "configs"))
		for range 2 { // a flush leaves nothing for the next one
			require.NoError(t, log.Flush(ctx))
			require.EqualValues(t, 3, today(t, ctx, log, "configs")[0].Count)
		}
	})
}

// shop is a stub of the domains.
type shop struct {
	within time.Duration
	// read counts the queries of orders by day.
	read int
}

func (s *shop) ByDay(_ context.Context, _ time.Time, days int) ([]dashboard.Day, error) {
	s.read++
	return []dashboard.Day{{Day: "2026-01-30", Placed: int64(days)}, {Day: "2026-01-31", Placed: 3, Amount: 6000}}, nil
}

func (*shop) DueUntil(_ context.Context, until time.Time, limit int) ([]dashboard.Due, storage.Count, error) {
	return []dashboard.Due{{OrderNo: "O-1", UserID: "li", Amount: 990, PaymentDue: until}}, storage.Count{N: int64(limit) + 1}, nil
}

func (*shop) CountByStatus(context.Context) (map[string]storage.Count, error) {
	return map[string]storage.Count{"pending": {N: 2}, "paid": {}}, nil
}

func (*shop) Presence(context.Context) ([]realtime.Present, error) {
	return []realtime.Present{{Resource: "configs/a", People: []realtime.Person{}}}, nil
}

func (s *shop) CountWaiting(context.Context) (dashboard.Waiting, error) {
	return dashboard.Waiting{ToDecide: storage.Count{N: 3}, Mine: storage.Count{N: 2}, Stale: storage.Count{N: 1}}, nil
}

func (s *shop) CountExpiring(_ context.Context, within time.Duration) (storage.Count, error) {
	s.within = within
	return storage.Count{N: 4, More: true}, nil
}

func TestEachPartOfTheDashboardNeedsItsPermission(t *testing.T) {
	ctx, db := storagetest.Tenant(t), storagetest.SQLite(t)
	log := dashboard.NewConflictLog(db, clock.System{})
	for _, resource := range []string{"configs", "configs", "config-batches", "orders", "elsewhere"} {
		log.CountConflict(tenantOf(ctx), resource, "", apperr.VersionConflict)
	}
	require.NoError(t, log.Flush(ctx))
	played := &shop{}
	now := clock.NewFake(time.Date(2026, 1, 31, 10, 0, 0, 0, time.UTC))
	s := dashboard.New(dashboard.Deps{
		Clock: now, Presence: played, Orders: played, Refunds: played, WorkOrders: played, Coupons: played, Approvals: played, Audit: audit.NewLog(db), Conflicts: log,
		Readers: map[string]string{"configs": "configs:read", "config-batches": "configs:read", "orders": "orders:read", "coupons": "coupons:read", "refunds": "refunds:read", "work-orders": "work-orders:read", "approvals": "approvals:read"},
	})
	waiting := map[string]any{"toDecide": 3.0, "mine": 2.0, "stale": 1.0, "toReview": 0.0}
	byStatus := map[string]any{"pending": 2.0, "paid": 0.0}
	byDay := []any{map[string]any{"day": "2026-01-30", "placed": 14.0, "amount": 0.0}, map[string]any{"day": "2026-01-31", "placed": 3.0, "amount": 6000.0}}
	present := []any{map[string]any{"resource": "configs/a", "people": []any{}}}
	due := map[string]any{"total": 6.0, "items": []any{map[string]any{
		"id": 0.0, "orderNo": "O-1", "userId": "li", "amount": 990.0, "paymentDue": "2026-01-31T11:00:00.000000Z",
	}}}
	count := func(resource string, n float64) map[string]any {
		return map[string]any{"resource": resource, "code": "version_conflict", "count": n, "records": []any{}}
	}
	for permission, want := range map[string]map[string]any{
		"sign-in only":     {},
		"items:read":       {},
		"orders:read":      {"currency": "CNY", "ordersByStatus": byStatus, "ordersByDay": byDay, "paymentsDueSoon": due, "conflictsToday": []any{count("orders", 1)}, "workingNow": present, "conflictsTodayTotal": 1.0},
		"coupons:read":     {"couponsExpiringSoon": 4.0, "capped": []any{"/couponsExpiringSoon"}, "conflictsToday": []any{}, "workingNow": present, "conflictsTodayTotal": 0.0},
		"refunds:read":     {"refundsByStatus": byStatus, "conflictsToday": []any{}, "workingNow": present, "conflictsTodayTotal": 0.0},
		"work-orders:read": {"workOrdersByStatus": byStatus, "conflictsToday": []any{}, "workingNow": present, "conflictsTodayTotal": 0.0},
		"approvals:read":   {"approvals": waiting, "conflictsToday": []any{}, "workingNow": present, "conflictsTodayTotal": 0.0},
		"audit:read":       {"recentChanges": []any{}},
		"configs:read":     {"conflictsToday": []any{count("configs", 2), count("config-batches", 1)}, "workingNow": present, "conflictsTodayTotal": 3.0},
		"*": {
			"currency": "CNY", "ordersByStatus": byStatus, "ordersByDay": byDay, "paymentsDueSoon": due, "refundsByStatus": byStatus, "workOrdersByStatus": byStatus, "couponsExpiringSoon": 4.0, "capped": []any{"/couponsExpiringSoon"}, "approvals": waiting, "recentChanges": []any{}, "workingNow": present, "conflictsTodayTotal": 4.0,
			"conflictsToday": []any{count("configs", 2), count("config-batches", 1), count("orders", 1)},
		},
	} {
		p, _ := principal.From(ctx)
		p.Permissions = []string{permission}
		c := httpapitest.New(principal.With(ctx, p), nil, func(r *httpapi.Router) { dashboard.Routes(r, s) })
		a := c.Send(t, http.MethodGet, "/dashboard", nil)
		require.Equal(t, http.StatusOK, a.Status)
		require.Equal(t, want, a.Body, permission)
	}
	require.Equal(t, 7*24*time.Hour, played.within)
	require.Equal(t, 1, played.read, "a count over many rows is cached for a minute")
	now.Advance(time.Minute)
	_, err := s.Overview(ctx)
	require.NoError(t, err)
	require.Equal(t, 2, played.read)
}

package workorders_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"interlock/internal/base/clock"
	"interlock/internal/base/epoch"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/core/uow"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/edge/idempotency"
	"interlock/internal/events"
	"interlock/internal/lock"
	"interlock/internal/workorders"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var opening = time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC)

// office is work orders and the people who could hold them. li and ana may read and write, and
// boss may assign too.
type office struct {
	li, ana, boss *httpapitest.Caller
	ctx           context.Context
	db            *storage.DB
	clock         *clock.Fake
	runner        *uow.Runner
	keeper        *idempotency.Keeper
	service       *workorders.Service
	people        *people
}

// people are users by their ids; those who are disabled are listed.
type people struct {
	mu       sync.Mutex
	names    map[int64]string
	disabled []int64
}

func (p *people) DisabledAmong(_ context.Context, users []int64) ([]int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(users), func(id int64) bool { return !slices.Contains(p.disabled, id) }), nil
}

func (p *people) Person(_ context.Context, id int64) (principal.Person, bool, error) {
	name, there := p.names[id]
	return principal.Person{ID: id, Name: name}, there, nil
}

func (p *people) disable(ids ...int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.disabled = ids
}

func open(ctx context.Context, t *testing.T, db *storage.DB) *office {
	t.Helper()
	return openWith(ctx, t, db, lock.NewInProcess(lock.Observer{}))
}

func openWith(ctx context.Context, t *testing.T, db *storage.DB, locks lock.Locker) *office {
	t.Helper()
	now := clock.NewFake(opening)
	o := &office{ctx: ctx, db: db, clock: now, people: &people{names: map[int64]string{7: "Li", 8: "Ana", 9: "Boss"}}}
	o.runner = uow.NewRunner(uow.Options{DB: db, Locks: locks, Clock: now})
	o.keeper = idempotency.New(idempotency.Deps{DB: db, Locks: locks, Clock: now, Epochs: epoch.NewWatch(db, now)})
	bus := events.NewInProcess(16)
	t.Cleanup(bus.Close)
	o.service = workorders.New(workorders.Deps{DB: db, Bus: bus, People: o.people})
	o.li, o.ana = o.as(7, "Li", "work-orders:read", "work-orders:write"), o.as(8, "Ana", "work-orders:read", "work-orders:write")
	o.boss = o.as(9, "Boss", "work-orders:*")
	return o
}

func (o *office) as(id int64, name string, permissions ...string) *httpapitest.Caller {
	p, _ := principal.From(o.ctx)
	p.UserID, p.Name, p.Permissions = id, name, permissions
	return httpapitest.NewKeyed(principal.With(o.ctx, p), o.runner, o.keeper, func(r *httpapi.Router) { workorders.Routes(r, o.service) })
}

type object = map[string]any

func must(t *testing.T, c *httpapitest.Caller, status int, path string, body any, headers ...string) object {
	t.Helper()
	a := c.Send(t, http.MethodPost, path, body, headers...)
	require.Equal(t, status, a.Status, "POST %s: %v", path, a.Body)
	return a.Body
}

func read(t *testing.T, c *httpapitest.Caller, path string) httpapitest.Answer {
	t.Helper()
	a := c.Send(t, http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, a.Status, a.Body)
	return a
}

func (o *office) open(t *testing.T, body object) object {
	t.Helper()
	if body["title"] == nil {
		body["title"] = "Call the courier"
	}
	return must(t, o.boss, 201, "/work-orders", body)
}

func idOf(order object) int64 { return int64(order["id"].(float64)) }

func path(order object) string { return fmt.Sprintf("/work-orders/%d", idOf(order)) }

func members(of object, names ...string) []any {
	values := make([]any, len(names))
	for i, name := range names {
		values[i] = of[name]
	}
	return values
}

// requireHistories holds each version against its row of history and each status against the
// newest of them.
func (o *office) requireHistories(t *testing.T) {
	t.Helper()
	var broken int64
	p, _ := principal.From(o.ctx)
	require.NoError(t, o.db.Read(o.ctx).Raw(`SELECT COUNT(*) FROM work_orders w WHERE w.tenant_id = ? AND (
		version <> (SELECT COUNT(*) FROM work_order_histories h WHERE h.tenant_id = w.tenant_id AND h.work_order_id = w.id)
		OR status <> (SELECT h.to_status FROM work_order_histories h WHERE h.tenant_id = w.tenant_id AND h.work_order_id = w.id AND h.version = w.version)
		OR comments <> (SELECT COUNT(*) FROM work_order_comments c WHERE c.tenant_id = w.tenant_id AND c.work_order_id = w.id)
		OR (status = 1 AND holder_id IS NULL) OR (status = 0 AND holder_id IS NOT NULL))`, p.TenantID).Scan(&broken).Error)
	require.Zero(t, broken)
}

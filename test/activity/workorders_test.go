package activity

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"interlock/internal/base/apperr"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/httpapi/httpapitest"
	"interlock/internal/workorders"
	"interlock/test/world"
)

// office is the service of work orders and users that can hold them. li and ana may read and write,
// and boss may assign too.
type office struct {
	*world.World
	li, ana, boss *httpapitest.Caller
	service       *workorders.Service
	people        *people
}

func openOffice(ctx context.Context, t testing.TB, db *storage.DB) *office {
	t.Helper()
	return openOfficeWith(ctx, t, db, world.Options{})
}

func openOfficeWith(ctx context.Context, t testing.TB, db *storage.DB, options world.Options) *office {
	t.Helper()
	o := &office{World: world.New(ctx, t, db, options), people: &people{names: map[int64]string{7: "Li", 8: "Ana", 9: "Boss"}}}
	o.service = workorders.New(workorders.Deps{DB: db, Bus: o.Bus, People: o.people})
	o.Serve(func(r *httpapi.Router) {
		workorders.Routes(r, o.service)
		// Records of other domains, which work orders name: the orders 12 and 13.
		httpapi.GetOf(r, "/orders/:id", "orders:read", httpapi.Numbered("order", func(_ context.Context, id int64) (int64, error) {
			if id != 12 && id != 13 {
				return 0, apperr.MissingRow("order", fmt.Sprint(id))
			}
			return id, nil
		}), func(_ context.Context, id int64, _ httpapi.None) (object, error) { return object{"id": id}, nil })
	})
	o.li, o.ana = o.As(7, "Li", "work-orders:read", "work-orders:write"), o.As(8, "Ana", "work-orders:read", "work-orders:write")
	o.boss = o.As(9, "Boss", "work-orders:*", "orders:read")
	return o
}

// people are the names of users by their ids, and the ids of users who are disabled or may not read
// work orders.
type people struct {
	mu     sync.Mutex
	names  map[int64]string
	unable []int64
}

func (p *people) UnableAmong(_ context.Context, _ string, users ...int64) ([]int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(users), func(id int64) bool { return !slices.Contains(p.unable, id) }), nil
}

func (p *people) Person(_ context.Context, id int64) (principal.Person, bool, error) {
	name, there := p.names[id]
	return principal.Person{ID: id, Name: name}, there, nil
}

func (p *people) disable(ids ...int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.unable = ids
}

func (o *office) open(t *testing.T, body object) object {
	t.Helper()
	if body["title"] == nil {
		body["title"] = "Call the courier"
	}
	return o.boss.Post(t, 201, "/work-orders", body)
}

func workOrderPath(order object) string { return fmt.Sprintf("/work-orders/%d", world.ID(order)) }

// requireHistories requires that each version has one history row and that the status equals that of the
// newest row.
func (o *office) requireHistories(t *testing.T) {
	t.Helper()
	var broken int64
	require.NoError(t, o.DB.Read(o.Ctx).Raw(`SELECT COUNT(*) FROM work_orders w WHERE w.tenant_id = ? AND (
		version <> (SELECT COUNT(*) FROM work_order_histories h WHERE h.tenant_id = w.tenant_id AND h.work_order_id = w.id)
		OR status <> (SELECT h.to_status FROM work_order_histories h WHERE h.tenant_id = w.tenant_id AND h.work_order_id = w.id AND h.version = w.version)
		OR comments <> (SELECT COUNT(*) FROM work_order_comments c WHERE c.tenant_id = w.tenant_id AND c.work_order_id = w.id)
		OR (status = 1 AND holder_id IS NULL) OR (status = 0 AND holder_id IS NOT NULL))`, o.Tenant()).Scan(&broken).Error)
	require.Zero(t, broken)
}

package app

import (
	"context"
	"time"

	"interlock/internal/approvals"
	"interlock/internal/base/storage"
	"interlock/internal/module"
	"interlock/internal/orders"
	"interlock/internal/views/dashboard"
	"interlock/internal/views/realtime"
	"interlock/internal/views/reports"
	"interlock/internal/views/search"
)

// buildOverviews builds the services that read across domains.
func (sv *Services) buildOverviews() {
	modules := sv.modules()
	resources := collect(modules, func(m module.Module) []module.Resource { return m.Resources })
	sv.Realtime = realtime.New(realtime.Deps{Bus: sv.bus, Clock: sv.Clock, Topics: topics(resources)})
	sv.Search = search.New(collect(modules, func(m module.Module) []module.Kind { return m.Kinds })...)
	sv.Reports = reports.New(reports.Deps{DB: sv.DB, Clock: sv.Clock, Zones: sv.Access.Settings})
	sv.Conflicts = dashboard.NewConflictLog(sv.DB, sv.Clock)
	sv.Dashboard = dashboard.New(dashboard.Deps{
		Orders: dashboardOrders{sv.Orders, sv.Access.Settings}, Refunds: sv.Refunds, WorkOrders: sv.WorkOrders, Coupons: sv.Coupons, Approvals: dashboardApprovals{sv.Approvals}, Audit: sv.Audit, Conflicts: sv.Conflicts, Presence: sv.Realtime, Clock: sv.Clock,
		Readers: readers(resources),
	})
}

func topics(resources []module.Resource) (list []realtime.Topic) {
	for _, r := range resources {
		if r.Live {
			list = append(list, realtime.Topic{Name: r.Name, Permission: r.Read})
		}
	}
	return list
}

// readers returns the read permission of each resource, by name. Resources that every caller may
// read are absent.
func readers(resources []module.Resource) map[string]string {
	permissions := map[string]string{}
	for _, r := range resources {
		if r.Read != "" {
			permissions[r.Name] = r.Read
		}
	}
	return permissions
}

// dashboardApprovals adapts approvals to dashboard.Approvals.
type dashboardApprovals struct{ *approvals.Service }

// CountWaiting implements dashboard.Approvals.
func (a dashboardApprovals) CountWaiting(ctx context.Context) (dashboard.Waiting, error) {
	waiting, err := a.Service.CountWaiting(ctx)
	return dashboard.Waiting(waiting), err
}

// dashboardOrders adapts orders to dashboard.Orders.
type dashboardOrders struct {
	*orders.Service
	zones reports.Zones
}

// ByDay implements dashboard.Orders.
func (o dashboardOrders) ByDay(ctx context.Context, now time.Time, days int) ([]dashboard.Day, error) {
	zone, err := o.zones.Location(ctx)
	if err != nil {
		return nil, err
	}
	counted, err := o.Service.ByDay(ctx, now.In(zone), days)
	list := make([]dashboard.Day, len(counted))
	for i, day := range counted {
		list[i] = dashboard.Day(day)
	}
	return list, err
}

// DueUntil implements dashboard.Orders.
func (o dashboardOrders) DueUntil(ctx context.Context, until time.Time, limit int) ([]dashboard.Due, storage.Count, error) {
	due, total, err := o.Service.DueUntil(ctx, until, limit)
	list := make([]dashboard.Due, len(due))
	for i, order := range due {
		list[i] = dashboard.Due{ID: order.ID, OrderNo: order.OrderNo, UserID: order.UserID, Amount: order.Amount, PaymentDue: *order.PaymentDue}
	}
	return list, total, err
}

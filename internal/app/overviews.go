package app

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"interlock/internal/access"
	"interlock/internal/aggregates"
	"interlock/internal/approvals"
	"interlock/internal/base/principal"
	"interlock/internal/base/storage"
	"interlock/internal/catalog"
	"interlock/internal/config"
	"interlock/internal/coupons"
	"interlock/internal/edge/idempotency"
	"interlock/internal/flashsale"
	"interlock/internal/inventory"
	"interlock/internal/orders"
	"interlock/internal/refunds"
	"interlock/internal/views/dashboard"
	"interlock/internal/views/promises"
	"interlock/internal/views/realtime"
	"interlock/internal/views/search"
	"interlock/internal/wallets"
	"interlock/internal/workorders"
)

// buildOverviews builds the services that read across domains.
func (sv *Services) buildOverviews() {
	sv.Realtime = realtime.New(realtime.Deps{Bus: sv.bus, Clock: sv.Clock, Topics: []realtime.Topic{
		{Name: config.Topic, Permission: config.ReadPermission},
		{Name: approvals.Topic, Permission: approvals.ReadPermission},
		{Name: orders.Topic, Permission: orders.ReadPermission},
		{Name: refunds.Topic, Permission: refunds.ReadPermission},
		{Name: workorders.Topic, Permission: workorders.ReadPermission},
		{Name: catalog.Topic, Permission: catalog.ReadPermission},
		{Name: coupons.Topic, Permission: coupons.ReadPermission},
		{Name: coupons.CampaignTopic, Permission: coupons.ReadPermission},
		{Name: inventory.Topic, Permission: inventory.ReadPermission},
		{Name: wallets.Topic, Permission: wallets.ReadPermission},
		{Name: aggregates.Topic, Permission: aggregates.ReadPermission},
		{Name: flashsale.Topic, Permission: flashsale.ReadPermission},
		{Name: access.UserTopic, Permission: access.ReadUsersPermission},
		{Name: access.RoleTopic, Permission: access.ReadPermission},
		{Name: access.MenuTopic, Permission: access.ReadMenusPermission},
		{Name: promises.Topic, Permission: promises.ReadPermission},
		{Name: access.NavigationTopic},
	}})
	sv.Search = search.New(
		search.Kind{Name: "config", Permission: config.ReadPermission, Finder: search.FinderFunc(sv.findConfigs)},
		search.Kind{Name: "approval", Permission: approvals.ReadPermission, Finder: search.FinderFunc(sv.findApprovals)},
		search.Kind{Name: "order", Permission: orders.ReadPermission, Finder: search.FinderFunc(sv.findOrders)},
		search.Kind{Name: "refund", Permission: refunds.ReadPermission, Finder: search.FinderFunc(sv.findRefunds)},
		search.Kind{Name: "work-order", Permission: workorders.ReadPermission, Finder: search.FinderFunc(sv.findWorkOrders)},
		search.Kind{Name: "user", Permission: orders.ReadPermission, Finder: search.FinderFunc(sv.findUser)},
		search.Kind{Name: "item", Permission: catalog.ReadPermission, Finder: search.FinderFunc(sv.findItems)},
		search.Kind{Name: "coupon", Permission: coupons.ReadPermission, Finder: search.FinderFunc(sv.findCoupons)},
		search.Kind{Name: "coupon-campaign", Permission: coupons.ReadPermission, Finder: search.FinderFunc(sv.findCampaigns)},
		search.Kind{Name: "flash-sale", Permission: flashsale.ReadPermission, Finder: search.FinderFunc(sv.findSales)},
		search.Kind{Name: "ticket", Permission: flashsale.ReadPermission, Finder: search.FinderFunc(sv.findTickets)},
		search.Kind{Name: "wallet", Permission: wallets.ReadPermission, Finder: search.FinderFunc(sv.findWallet)},
		search.Kind{Name: "aggregate", Permission: aggregates.ReadPermission, Finder: search.FinderFunc(sv.findAggregates)},
		search.Kind{Name: "idempotency-key", Permission: idempotency.ReadPermission, Finder: search.FinderFunc(sv.findKeys)},
	)
	sv.Conflicts = dashboard.NewConflictLog(sv.DB, sv.Clock)
	sv.Dashboard = dashboard.New(dashboard.Deps{
		Orders: dashboardOrders{sv.Orders}, Refunds: sv.Refunds, WorkOrders: sv.WorkOrders, Coupons: sv.Coupons, Approvals: dashboardApprovals{sv.Approvals}, Audit: sv.Audit, Conflicts: sv.Conflicts, Presence: sv.Realtime, Clock: sv.Clock,
		Readers: map[string]string{
			"approvals": approvals.ReadPermission, "configs": config.ReadPermission, "config-batches": config.ReadPermission, "items": catalog.ReadPermission,
			"orders": orders.ReadPermission, "order-batches": orders.ReadPermission, "refunds": refunds.ReadPermission, "work-orders": workorders.ReadPermission, "coupons": coupons.ReadPermission, "coupon-campaigns": coupons.ReadPermission,
			"inventory": inventory.ReadPermission, "wallets": wallets.ReadPermission, "wallet-transfers": wallets.ReadPermission,
			"flash-sales": flashsale.ReadPermission, promises.Topic: promises.ReadPermission, "aggregates": aggregates.ReadPermission,
			access.UserTopic: access.ReadUsersPermission, access.RoleTopic: access.ReadPermission, access.MenuTopic: access.ReadMenusPermission,
		},
	})
}

func (sv *Services) findConfigs(ctx context.Context, text string, limit int) ([]search.Hit, error) {
	found, err := sv.Configs.ByKey(ctx, text, limit)
	return hits(found, err, func(c config.Found) search.Hit {
		return search.Hit{ID: c.Key, Title: c.Key, Subtitle: c.Remark, Path: page("configs", c.Key)}
	})
}

func (sv *Services) findApprovals(ctx context.Context, text string, limit int) ([]search.Hit, error) {
	found, err := sv.Approvals.ByResource(ctx, text, limit)
	return hits(found, err, func(a approvals.Found) search.Hit {
		id := strconv.FormatInt(a.ID, 10)
		return search.Hit{ID: id, Title: a.Resource, Subtitle: a.Status, Path: page("approvals", id)}
	})
}

// dashboardApprovals adapts approvals to dashboard.Approvals.
type dashboardApprovals struct{ *approvals.Service }

// CountWaiting implements dashboard.Approvals.
func (a dashboardApprovals) CountWaiting(ctx context.Context) (dashboard.Waiting, error) {
	waiting, err := a.Service.CountWaiting(ctx)
	return dashboard.Waiting(waiting), err
}

// dashboardOrders adapts orders to dashboard.Orders.
type dashboardOrders struct{ *orders.Service }

// ByDay implements dashboard.Orders.
func (o dashboardOrders) ByDay(ctx context.Context, now time.Time, days int) ([]dashboard.Day, error) {
	counted, err := o.Service.ByDay(ctx, now, days)
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

func (sv *Services) findOrders(ctx context.Context, text string, limit int) ([]search.Hit, error) {
	found, err := sv.Orders.ByNumber(ctx, text, limit)
	return hits(found, err, func(o orders.Order) search.Hit {
		id := strconv.FormatInt(o.ID, 10)
		return search.Hit{ID: id, Title: o.OrderNo, Subtitle: orders.Machine.Of(o.Status).Name, Path: page("orders", id)}
	})
}

// findRefunds finds refunds by the reference of the money's movement.
func (sv *Services) findRefunds(ctx context.Context, text string, limit int) ([]search.Hit, error) {
	found, err := sv.Refunds.ByReference(ctx, text, limit)
	return hits(found, err, func(r refunds.Refund) search.Hit {
		id := strconv.FormatInt(r.ID, 10)
		return search.Hit{ID: id, Title: *r.Reference, Subtitle: r.OrderNo, Path: page("refunds", id)}
	})
}

func (sv *Services) findWorkOrders(ctx context.Context, text string, limit int) ([]search.Hit, error) {
	found, err := sv.WorkOrders.ByTitle(ctx, text, limit)
	return hits(found, err, func(w workorders.WorkOrder) search.Hit {
		id := strconv.FormatInt(w.ID, 10)
		return search.Hit{ID: id, Title: w.Title, Subtitle: workorders.Machine.Of(w.Status).Name, Path: page("work-orders", id)}
	})
}

// findUser finds the customer with the id, if there is an order: customers exist only through their
// orders.
func (sv *Services) findUser(ctx context.Context, text string, _ int) ([]search.Hit, error) {
	user := principal.CustomerID(text)
	if !user.Valid() {
		return nil, nil
	}
	latest, err := sv.Orders.LatestOf(ctx, user)
	if err != nil || latest == nil {
		return nil, err
	}
	return []search.Hit{{ID: text, Title: text, Subtitle: latest.OrderNo, Path: page("customers", text)}}, nil
}

func (sv *Services) findItems(ctx context.Context, text string, limit int) ([]search.Hit, error) {
	found, err := sv.Catalog.Find(ctx, text, limit)
	return hits(found, err, func(i catalog.Item) search.Hit {
		return search.Hit{ID: i.SKU, Title: i.SKU, Subtitle: i.Name, Path: page("items", i.SKU)}
	})
}

func (sv *Services) findCoupons(ctx context.Context, text string, limit int) ([]search.Hit, error) {
	found, err := sv.Coupons.ByCode(ctx, text, limit)
	return hits(found, err, func(c coupons.Found) search.Hit {
		return search.Hit{ID: c.Code, Title: c.Code, Subtitle: c.Status, Path: page("coupons", c.Code)}
	})
}

func (sv *Services) findCampaigns(ctx context.Context, text string, limit int) ([]search.Hit, error) {
	const day = "2006-01-02"
	found, err := sv.Coupons.CampaignsByName(ctx, text, limit)
	return hits(found, err, func(c coupons.Campaign) search.Hit {
		id := strconv.FormatInt(c.ID, 10)
		return search.Hit{
			ID: id, Title: c.Name, Subtitle: c.ValidFrom.Format(day) + " – " + c.ValidTo.Format(day), Path: page("coupon-campaigns", id),
		}
	})
}

func (sv *Services) findSales(ctx context.Context, text string, limit int) ([]search.Hit, error) {
	found, err := sv.FlashSales.ByName(ctx, text, limit)
	return hits(found, err, func(s flashsale.Sale) search.Hit {
		id := strconv.FormatInt(s.ID, 10)
		return search.Hit{ID: id, Title: s.Name, Subtitle: flashsale.Machine.Of(s.Status).Name, Path: page("flash-sales", id)}
	})
}

// findTickets finds tickets by their orders, and a complete ticket id also in the queue.
func (sv *Services) findTickets(ctx context.Context, text string, limit int) ([]search.Hit, error) {
	found, err := sv.Orders.ByTicket(ctx, text, limit)
	if err != nil || len(found) > 0 {
		return hits(found, err, func(o orders.Order) search.Hit {
			return search.Hit{ID: *o.Ticket, Title: *o.Ticket, Subtitle: o.OrderNo, Path: ticketPage(*o.SaleID, *o.Ticket)}
		})
	}
	ticket, sale, err := sv.FlashSales.Waiting(ctx, strings.ToUpper(text))
	if err != nil || ticket == nil {
		return nil, err
	}
	return []search.Hit{{ID: ticket.ID, Title: ticket.ID, Subtitle: sale.Name, Path: ticketPage(sale.ID, ticket.ID)}}, nil
}

func ticketPage(sale int64, ticket string) string {
	return page("flash-sales", strconv.FormatInt(sale, 10)) + "?ticket=" + url.QueryEscape(ticket)
}

// findWallet finds the wallet of the customer with the id, if it has entries.
func (sv *Services) findWallet(ctx context.Context, text string, _ int) ([]search.Hit, error) {
	user := principal.CustomerID(text)
	if !user.Valid() {
		return nil, nil
	}
	wallet, err := sv.Wallets.Wallet(ctx, user)
	if err != nil || wallet.Version == 0 {
		return nil, err
	}
	return []search.Hit{{ID: text, Title: text, Path: page("wallets", text)}}, nil
}

func (sv *Services) findAggregates(ctx context.Context, text string, limit int) ([]search.Hit, error) {
	found, err := sv.Ledger.ByID(ctx, text, limit)
	return hits(found, err, func(a aggregates.Aggregate) search.Hit {
		return search.Hit{ID: a.Name, Title: a.Name, Subtitle: a.Type, Path: page("aggregates", a.Type) + "/" + url.PathEscape(a.Name)}
	})
}

func (sv *Services) findKeys(ctx context.Context, text string, limit int) ([]search.Hit, error) {
	found, err := sv.Idempotency.ByKey(ctx, text, limit)
	return hits(found, err, func(r idempotency.Record) search.Hit {
		return search.Hit{
			ID: strconv.FormatInt(r.ID, 10), Title: r.IdempotencyKey, Subtitle: r.Method + " " + r.Path,
			Path: "/idempotency-keys?key=" + url.QueryEscape(r.IdempotencyKey),
		}
	})
}

// hits converts the rows that a domain found.
func hits[T any](found []T, err error, show func(T) search.Hit) ([]search.Hit, error) {
	if err != nil {
		return nil, err
	}
	shown := make([]search.Hit, len(found))
	for i, row := range found {
		shown[i] = show(row)
	}
	return shown, nil
}

// page is the path of a row's page in the admin.
func page(resource, key string) string { return "/" + resource + "/" + url.PathEscape(key) }

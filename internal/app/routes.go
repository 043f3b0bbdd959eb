package app

import (
	"interlock/internal/access"
	"interlock/internal/actions"
	"interlock/internal/aggregates"
	"interlock/internal/approvals"
	"interlock/internal/catalog"
	"interlock/internal/config"
	"interlock/internal/coupons"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/idempotency"
	"interlock/internal/flashsale"
	"interlock/internal/inventory"
	"interlock/internal/orders"
	"interlock/internal/refunds"
	"interlock/internal/views/audit"
	"interlock/internal/views/dashboard"
	"interlock/internal/views/engines"
	"interlock/internal/views/ops"
	"interlock/internal/views/promises"
	"interlock/internal/views/realtime"
	"interlock/internal/views/search"
	"interlock/internal/wallets"
	"interlock/internal/workorders"
)

// routes registers the routes of the API.
func (sv *Services) routes(router *httpapi.Router) {
	// These replies contain tokens next to text of the caller.
	access.Routes(router.Uncompressed(), sv.Access)
	audit.Routes(router, sv.Audit)
	config.Routes(router, sv.Configs)
	approvals.Routes(router, sv.Approvals)
	catalog.Routes(router, sv.Catalog)
	orders.Routes(router, sv.Orders)
	refunds.Routes(router, sv.Refunds)
	workorders.Routes(router, sv.WorkOrders)
	coupons.Routes(router, sv.Coupons)
	actions.Routes(router, sv.Actions)
	idempotency.Routes(router, sv.Idempotency)
	inventory.Routes(router, sv.Inventory)
	wallets.Routes(router, sv.Wallets)
	aggregates.Routes(router, sv.Ledger)
	flashsale.Routes(router, sv.FlashSales)
	realtime.Routes(router, sv.Realtime)
	search.Routes(router, sv.Search)
	dashboard.Routes(router, sv.Dashboard)
	ops.Routes(router, sv.Queues)
	engines.Routes(router, sv.Engines)
	promises.Routes(router, sv.Promises)
}

// Routes returns the routes of the API without a running program, for the contract. They
// cannot serve requests.
func Routes() []httpapi.Route {
	sv := Services{FlashSales: &flashsale.Service{}, Inventory: &inventory.Service{}, Actions: actions.New(actions.Deps{}), Refunds: &refunds.Service{}}
	server := httpapi.NewServer(httpapi.Options{})
	sv.routes(server.Router())
	return server.Router().Routes()
}

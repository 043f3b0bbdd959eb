package app

import (
	"interlock/internal/actions"
	"interlock/internal/edge/httpapi"
	"interlock/internal/flashsale"
	"interlock/internal/inventory"
	"interlock/internal/refunds"
	"interlock/internal/views/dashboard"
	"interlock/internal/views/promises"
	"interlock/internal/views/realtime"
	"interlock/internal/views/search"
)

// routes registers the routes of the API.
func (sv *Services) routes(router *httpapi.Router) {
	for _, m := range sv.modules() {
		m.Routes(router)
	}
	realtime.Routes(router, sv.Realtime)
	search.Routes(router, sv.Search)
	dashboard.Routes(router, sv.Dashboard)
}

// Routes returns the routes of the API without a running program, for the contract. They
// cannot serve requests.
func Routes() []httpapi.Route {
	sv := Services{FlashSales: &flashsale.Service{}, Inventory: &inventory.Service{}, Actions: actions.New(actions.Deps{}), Refunds: &refunds.Service{},
		Promises: promises.New(promises.Deps{Promises: Promises()}),
	}
	server := httpapi.NewServer(httpapi.Options{})
	sv.routes(server.Router())
	return server.Router().Routes()
}

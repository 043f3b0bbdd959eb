package app

import (
	"interlock/internal/actions"
	"interlock/internal/edge/httpapi"
	"interlock/internal/flashsale"
	"interlock/internal/inventory"
	"interlock/internal/module"
	"interlock/internal/refunds"
	"interlock/internal/views/dashboard"
	"interlock/internal/views/imports"
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
	imports.Routes(router, collect(Declarations(), func(d *module.Declaration) []module.Import { return d.Imports })...)
	dashboard.Routes(router, sv.Dashboard)
}

// Routes returns the routes of the API without a running program, for the contract. They
// cannot serve requests.
func Routes() []httpapi.Route {
	sv := Services{FlashSales: &flashsale.Service{}, Inventory: &inventory.Service{}, Actions: actions.New(actions.Deps{}), Refunds: &refunds.Service{}}
	server := httpapi.NewServer(httpapi.Options{})
	sv.routes(server.Router())
	return server.Router().Routes()
}

// Enums returns the enumerations of the contract that follow from the modules, by the names of
// their schemas.
func Enums() map[string][]string {
	enums := map[string][]string{}
	for _, m := range new(Services).modules() {
		for _, resource := range m.Resources {
			if resource.Live {
				enums["EventTopic"] = append(enums["EventTopic"], resource.Name)
			}
		}
		for _, kind := range m.Kinds {
			enums["SearchKind"] = append(enums["SearchKind"], kind.Name)
		}
	}
	enums["ApprovalKind"] = collect(Declarations(), func(d *module.Declaration) []string { return d.Approvals })
	enums["EventTopic"] = append(enums["EventTopic"], realtime.Presence)
	for _, promise := range Promises() {
		enums["PromiseName"] = append(enums["PromiseName"], promise.Name)
	}
	return enums
}

package webhooks

import (
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "webhooks",
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See webhooks, their history and their deliveries."},
		{Name: writePermission, Meaning: "Send changes that you may read to other systems: create, edit, test, replay and delete webhooks."},
	},
	Roles: map[module.Role][]string{
		module.Operator: {ReadPermission},
		module.Auditor:  {ReadPermission},
	},
	Pages:     []module.Page{{Group: module.Govern, Path: "/webhooks", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: WebhookTopic, Read: ReadPermission, Live: true}},
	Tables:    tables,
	Promises:  promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
	}
}

package ops

import (
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "queues and locks",
	Permissions: []principal.Grant{
		{Name: readPermission, Meaning: "See the queues and the held locks."},
	},
	Roles: map[module.Role][]string{
		module.Operator: {readPermission},
	},
	Pages: []module.Page{{Group: module.Inspect, Path: "/system", Permission: readPermission}},
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
	}
}

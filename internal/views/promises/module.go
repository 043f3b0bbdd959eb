package promises

import (
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "promises",
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See the promises, the times of their checks, and their violations."},
	},
	Pages:     []module.Page{{Group: module.Inspect, Path: "/promises", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}},
	Tables:    tables,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
	}
}

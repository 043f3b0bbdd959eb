package inventory

import (
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "stock",
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See stock and its movements."},
		{Name: adjustPermission, Meaning: "Add, take out and count stock."},
	},
	Roles: map[module.Role][]string{
		module.Support:  {ReadPermission},
		module.Operator: {"inventory:*"},
	},
	Pages:     []module.Page{{Group: module.Sell, Path: "/inventory", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}},
	Tables:    tables,
	Imports:   []module.Import{importKind},
	Promises:  promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
	}
}

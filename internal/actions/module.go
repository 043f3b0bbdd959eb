package actions

import (
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "actions",
	Permissions: []principal.Grant{
		{Name: readPermission, Meaning: "See how often a thing is liked, disliked and bookmarked, and one's own actions."},
		{Name: writePermission, Meaning: "Like, dislike and bookmark items and coupons."},
	},
	Roles: map[module.Role][]string{
		module.Support:  {readPermission},
		module.Operator: {readPermission},
	},
	Tables:   tables,
	Promises: promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
	}
}

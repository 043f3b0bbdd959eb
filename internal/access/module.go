package access

import (
	"slices"

	"interlock/internal/access/factors"
	"interlock/internal/access/guesses"
	"interlock/internal/access/menus"
	"interlock/internal/access/sessions"
	"interlock/internal/access/tenants"
	"interlock/internal/access/tenantsettings"
	"interlock/internal/access/users"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name:        "users, roles and tokens",
	Permissions: slices.Concat(users.Permissions, menus.Permissions, tenantsettings.Permissions),
	Roles: map[module.Role][]string{
		module.Auditor: {users.ReadPermission, users.ReadUsersPermission, tenantsettings.ReadPermission},
	},
	Approvals: []string{tenantsettings.ApprovalKind},
	Pages: []module.Page{
		{Group: module.Govern, Path: "/users", Permission: users.ReadUsersPermission},
		{Group: module.Govern, Path: "/roles", Permission: users.ReadPermission},
		{Group: module.Govern, Path: "/menus", Permission: menus.ReadPermission},
		{Group: module.Govern, Path: "/tokens", Permission: users.ReadTokensPermission},
		{Group: module.Govern, Path: "/settings", Permission: tenantsettings.ReadPermission},
	},
	Resources: slices.Concat(users.Resources, menus.Resources),
	Tables:    slices.Concat(tables, users.Tables, menus.Tables, tenants.Tables, factors.Tables, sessions.Tables, guesses.Tables, tenantsettings.Tables),
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
	}
}

package access

import (
	"slices"

	"interlock/internal/access/factors"
	"interlock/internal/access/guesses"
	"interlock/internal/access/menus"
	"interlock/internal/access/sessions"
	"interlock/internal/access/tenants"
	"interlock/internal/access/tenantsettings"
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name:        "users, roles and tokens",
	Permissions: slices.Concat(permissions, menus.Permissions, tenantsettings.Permissions),
	Roles: map[module.Role][]string{
		module.Auditor: {ReadPermission, ReadUsersPermission, tenantsettings.ReadPermission},
	},
	Approvals: []string{tenantsettings.ApprovalKind},
	Pages: []module.Page{
		{Group: module.Govern, Path: "/users", Permission: ReadUsersPermission},
		{Group: module.Govern, Path: "/roles", Permission: ReadPermission},
		{Group: module.Govern, Path: "/menus", Permission: menus.ReadPermission},
		{Group: module.Govern, Path: "/tokens", Permission: readTokensPermission},
		{Group: module.Govern, Path: "/settings", Permission: tenantsettings.ReadPermission},
	},
	Resources: slices.Concat([]module.Resource{
		{Name: UserTopic, Read: ReadUsersPermission, Live: true},
		{Name: RoleTopic, Read: ReadPermission, Live: true},
	}, menus.Resources),
	Tables: slices.Concat(tables, menus.Tables, tenants.Tables, factors.Tables, sessions.Tables, guesses.Tables, tenantsettings.Tables),
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		// These replies contain tokens next to text of the caller.
		Routes: func(r *httpapi.Router) { Routes(r.Uncompressed(), s) },
	}
}

var permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See roles, their history, and the permissions that can be granted to roles and tokens."},
	{Name: writePermission, Meaning: "Create, edit and delete roles with permissions that the caller has."},
	{Name: ReadUsersPermission, Meaning: "See users, their roles and their history."},
	{Name: writeUsersPermission, Meaning: "Create users. Edit, disable, enable and reset the password of users without permissions that the caller lacks. Grant them roles with permissions that the caller has."},
	{Name: readTokensPermission, Meaning: "See the caller's API tokens without their secrets; with users:write, those of all users."},
	{Name: makeTokensPermission, Meaning: "Create API tokens with permissions that the caller has, and revoke them; with users:write, those of all users."},
	{Name: principal.Impersonate, Meaning: "Act for a customer with an API token; X-On-Behalf-Of names the customer."},
}

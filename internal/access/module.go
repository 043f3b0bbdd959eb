package access

import (
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "users, roles and tokens",
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See roles, their history, and the permissions that can be granted to roles and tokens."},
		{Name: writePermission, Meaning: "Create, edit and delete roles with permissions that the caller has."},
		{Name: ReadUsersPermission, Meaning: "See users, their roles and their history."},
		{Name: writeUsersPermission, Meaning: "Create users. Edit, disable, enable and reset the password of users without permissions that the caller lacks. Grant them roles with permissions that the caller has."},
		{Name: readTokensPermission, Meaning: "See the caller's API tokens without their secrets; with users:write, those of all users."},
		{Name: makeTokensPermission, Meaning: "Create API tokens with permissions that the caller has, and revoke them; with users:write, those of all users."},
		{Name: ReadMenusPermission, Meaning: "See all menus and their history, including menus that the caller's navigation hides."},
		{Name: writeMenusPermission, Meaning: "Create, edit, move, hide and delete menus of the navigation of all users."},
		{Name: readSettingsPermission, Meaning: "See the tenant's settings, such as the votes that a protected change needs."},
		{Name: writeSettingsPermission, Meaning: "Change the tenant's settings."},
		{Name: principal.Impersonate, Meaning: "Act for a customer with an API token; X-On-Behalf-Of names the customer."},
	},
	Roles: map[module.Role][]string{
		module.Auditor: {ReadPermission, ReadUsersPermission, readSettingsPermission},
	},
	Approvals: []string{kindSettings},
	Pages: []module.Page{
		{Group: module.Govern, Path: "/users", Permission: ReadUsersPermission},
		{Group: module.Govern, Path: "/roles", Permission: ReadPermission},
		{Group: module.Govern, Path: "/menus", Permission: ReadMenusPermission},
		{Group: module.Govern, Path: "/tokens", Permission: readTokensPermission},
		{Group: module.Govern, Path: "/settings", Permission: readSettingsPermission},
	},
	Resources: []module.Resource{
		{Name: UserTopic, Read: ReadUsersPermission, Live: true},
		{Name: RoleTopic, Read: ReadPermission, Live: true},
		{Name: MenuTopic, Read: ReadMenusPermission, Live: true},
		{Name: NavigationTopic, Live: true},
	},
	Tables: tables,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
	}
}

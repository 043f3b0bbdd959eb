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
		{Name: ReadPermission, Meaning: "See the roles, their history, and the permissions that roles and tokens can be given."},
		{Name: writePermission, Meaning: "Create, edit and delete roles, with permissions that one has oneself."},
		{Name: ReadUsersPermission, Meaning: "See the users of this service, their roles and their history."},
		{Name: writeUsersPermission, Meaning: "Create users, and edit, disable and enable those who may do no more than oneself, give them roles whose permissions one has oneself, and reset their passwords."},
		{Name: readTokensPermission, Meaning: "See one's own API tokens, without their secrets, and with users:write everybody's."},
		{Name: makeTokensPermission, Meaning: "Create API tokens that may do no more than oneself, and revoke them; with users:write everybody's."},
		{Name: ReadMenusPermission, Meaning: "See all menus, also those that are hidden or that one's own navigation does not show, and their history."},
		{Name: writeMenusPermission, Meaning: "Create, edit, move, hide and delete menus: what everybody's navigation shows."},
		{Name: readSettingsPermission, Meaning: "See what the tenant has set, such as how many approvals a protected change takes."},
		{Name: writeSettingsPermission, Meaning: "Change what the tenant has set."},
		{Name: principal.Impersonate, Meaning: "Act for a customer with an API token, named in X-On-Behalf-Of."},
	},
	Roles: map[module.Role][]string{
		module.Auditor: {ReadPermission, ReadUsersPermission, readSettingsPermission},
	},
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
		// These replies contain tokens next to text of the caller.
		Routes: func(r *httpapi.Router) { Routes(r.Uncompressed(), s) },
	}
}

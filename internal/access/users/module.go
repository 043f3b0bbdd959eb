package users

import (
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Permissions are the permissions of this package.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See roles, their history, and the permissions that can be granted to roles and tokens."},
	{Name: writePermission, Meaning: "Create, edit and delete roles with permissions that the caller has."},
	{Name: ReadUsersPermission, Meaning: "See users, their roles and their history."},
	{Name: WriteUsersPermission, Meaning: "Create users. Edit, disable, enable and reset the password of users without permissions that the caller lacks. Grant them roles with permissions that the caller has."},
	{Name: ReadTokensPermission, Meaning: "See the caller's API tokens without their secrets; with users:write, those of all users."},
	{Name: makeTokensPermission, Meaning: "Create API tokens with permissions that the caller has, and revoke them; with users:write, those of all users."},
	{Name: principal.Impersonate, Meaning: "Act for a customer with an API token; X-On-Behalf-Of names the customer."},
}

// Resources are the topics of this package.
var Resources = []module.Resource{
	{Name: UserTopic, Read: ReadUsersPermission, Live: true},
	{Name: RoleTopic, Read: ReadPermission, Live: true},
}

// Tables are the tables of this package.
var Tables = []module.Table{
	{Name: "users", Plain: "username display_name password_hash updated_by_name invitation_hash", Stays: module.Current},
	{Name: "user_histories", Plain: "action username display_name roles changed_by_name", Expires: module.Versions("user_histories", "user_id", "users")},
	{Name: "user_roles", Stays: module.Current},
	{Name: "user_links", Plain: "identity_hash issuer subject", Stays: module.Current},
	{Name: "roles", Plain: "name updated_by_name", Stays: module.Current},
	{Name: "role_permissions", Plain: "permission", Stays: module.Current},
	{Name: "role_histories", Plain: "action name permissions changed_by_name", Expires: module.Versions("role_histories", "role_id", "roles")},
	{Name: "api_tokens", Plain: "name token_hash scopes created_by_name updated_by_name", Stays: module.Current},
}

const (
	// UserTopic announces changes of users, keyed by id.
	UserTopic = "users"
	// RoleTopic announces changes of roles, keyed by id.
	RoleTopic = "roles"
)

// Routes registers the routes of users, roles and tokens.
func Routes(r *httpapi.Router, s *Service) {
	h := handler{s}
	// Replies of users and tokens contain secrets next to text of the caller.
	h.userRoutes(r.Uncompressed())
	h.roleRoutes(r)
	h.tokenRoutes(r.Uncompressed())
	r = r.About(httpapi.Resource{Tag: "Session"})
	httpapi.Get(r, "/permissions", ReadPermission, h.permissions).
		Doc("List permissions", "All permissions that a role or a token can have. A grant is one of these names, `<resource>:*`, or `*`.").
		With(httpapi.Contract{Success: "All permissions on one page."})
}

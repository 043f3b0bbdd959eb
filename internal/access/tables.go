package access

import "interlock/internal/module"

// tables are the tables of this package.
var tables = []module.Table{
	{Name: "users", Plain: "username display_name password_hash updated_by_name invitation_hash", Stays: module.Current},
	{Name: "user_histories", Plain: "action username display_name roles changed_by_name", Expires: module.Versions("user_histories", "user_id", "users")},
	{Name: "user_roles", Stays: module.Current},
	{Name: "user_links", Plain: "identity_hash issuer subject", Stays: module.Current},
	{Name: "roles", Plain: "name updated_by_name", Stays: module.Current},
	{Name: "role_permissions", Plain: "permission", Stays: module.Current},
	{Name: "role_histories", Plain: "action name permissions changed_by_name", Expires: module.Versions("role_histories", "role_id", "roles")},
	{Name: "api_tokens", Plain: "name token_hash scopes created_by_name updated_by_name", Stays: module.Current},
	{Name: "sign_in_challenges", Plain: "token_hash session_hash", Stays: module.OwnSweeper},
	{Name: "sign_in_flows", Plain: "state_hash browser_hash provider purpose tenant proof_hash nonce verifier", Stays: module.OwnSweeper},
}

package factors

import "interlock/internal/module"

// Tables are the tables of this package.
var Tables = []module.Table{
	{Name: "user_factors", Plain: "kind name secret_key", Stays: module.OwnSweeper},
	{Name: "user_passkeys", Plain: "site credential_hash transports model", Stays: module.Current},
	{Name: "recovery_codes", Plain: "code_hash", Stays: module.Current},
}

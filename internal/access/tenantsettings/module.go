package tenantsettings

import (
	"interlock/internal/base/principal"
	"interlock/internal/module"
)

// Permissions are the permissions of this package.
var Permissions = []principal.Grant{
	{Name: ReadPermission, Meaning: "See the tenant's settings, such as the votes that a protected change needs."},
	{Name: writePermission, Meaning: "Change the tenant's settings."},
}

// Tables are the tables of this package.
var Tables = []module.Table{
	{Name: "tenant_settings", Plain: "updated_by_name time_zone", Stays: module.Current},
	{Name: "tenant_setting_histories", Plain: "action changed_by_name time_zone", Expires: &module.Expiry{Kind: module.HistoryRows, When: "EXISTS (SELECT 1 FROM tenant_setting_histories n WHERE n.tenant_id = x.tenant_id AND n.version = x.version + 1 AND n.changed_time <= ?)"}},
}

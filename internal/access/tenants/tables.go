package tenants

import "interlock/internal/module"

// Tables are the tables of this package.
var Tables = []module.Table{
	{Name: "access_revisions", Stays: module.Current},
	{Name: "tenants", Plain: "name currency", Stays: module.Current},
}

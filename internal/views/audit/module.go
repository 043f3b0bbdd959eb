package audit

import (
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "audit log",
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "Read the audit log of all changes."},
	},
	Roles: map[module.Role][]string{
		module.Auditor: {ReadPermission},
	},
	Pages:  []module.Page{{Group: module.Govern, Path: "/audit-log", Permission: ReadPermission}},
	Tables: tables,
}

// Module returns the domain of a running program.
func (log *Log) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, log) },
	}
}

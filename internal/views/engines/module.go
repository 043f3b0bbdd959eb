package engines

import (
	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "engines",
	Permissions: []principal.Grant{
		{Name: readPermission, Meaning: "See the guarantees of the engines and the possible loss on a crash."},
	},
}

// Module returns the domain of a running program.
func (m *Monitor) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, m) },
	}
}

package engines

import (
	"context"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

const readPermission = "system:read"

// Permissions are the permissions of this package for roles and tokens.
var Permissions = []principal.Grant{
	{Name: readPermission, Meaning: "See the guarantees of the engines and the possible loss on a crash."},
}

// Routes registers the report.
func Routes(r *httpapi.Router, m *Monitor) {
	httpapi.Get(r, "/system", readPermission, func(context.Context, httpapi.None) (reportView, error) {
		return viewOf(m.Report()), nil
	})
}

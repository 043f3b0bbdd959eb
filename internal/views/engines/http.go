package engines

import (
	"context"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
)

const readPermission = "system:read"

// Permissions are what a role or a token can be given here.
var Permissions = []principal.Grant{
	{Name: readPermission, Meaning: "See what the engines promise and what a crash of them can lose."},
}

// Routes registers the report.
func Routes(r *httpapi.Router, m *Monitor) {
	httpapi.Get(r, "/system", readPermission, func(context.Context, httpapi.None) (reportView, error) {
		return viewOf(m.Report()), nil
	})
}

package engines

import (
	"context"

	"interlock/internal/edge/httpapi"
)

const readPermission = "system:read"

// Routes registers the report.
func Routes(r *httpapi.Router, m *Monitor) {
	httpapi.Get(r, "/system", readPermission, func(context.Context, httpapi.None) (reportView, error) {
		return viewOf(m.Report()), nil
	})
}

package reports

import (
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Module returns the reports. Their permission is that of orders.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: &module.Declaration{
			Name:  "reports",
			Pages: []module.Page{{Group: module.Operate, Path: "/reports/sales", Permission: readPermission}},
		},
		Routes: func(r *httpapi.Router) { Routes(r, s) },
	}
}

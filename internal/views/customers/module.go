package customers

import (
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Module returns the customers. Their permission is that of orders.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: &module.Declaration{
			Name:  "customers",
			Pages: []module.Page{{Group: module.Operate, Path: "/customers", Permission: readPermission}},
		},
		Routes: func(r *httpapi.Router) { Routes(r, s) },
	}
}

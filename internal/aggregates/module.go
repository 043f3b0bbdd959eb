package aggregates

import (
	"context"
	"net/url"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "aggregates",
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See aggregates and their events."},
		{Name: writePermission, Meaning: "Write events to aggregates."},
	},
	Roles: map[module.Role][]string{
		module.Auditor: {ReadPermission},
	},
	Pages:     []module.Page{{Group: module.Inspect, Path: "/aggregates", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}},
	Tables:    tables,
	Promises:  promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
		Kinds:       []module.Kind{{Name: "aggregate", Permission: ReadPermission, Find: s.find}},
	}
}

func (s *Service) find(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := s.ByID(ctx, text, limit)
	return module.Hits(found, err, func(a Aggregate) module.Hit {
		return module.Hit{ID: a.Name, Title: a.Name, Subtitle: a.Type, Path: module.Path("aggregates", a.Type) + "/" + url.PathEscape(a.Name)}
	})
}

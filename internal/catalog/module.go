package catalog

import (
	"context"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "items",
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See the items of the catalog and their history."},
		{Name: writePermission, Meaning: "Add, edit, archive and delete items of the catalog."},
	},
	Roles: map[module.Role][]string{
		module.Support:  {ReadPermission},
		module.Operator: {"items:*"},
	},
	Pages:     []module.Page{{Group: module.Sell, Path: "/items", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}},
	Tables:    tables,
	Imports:   []module.Import{importKind},
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
		Kinds:       []module.Kind{{Name: "item", Permission: ReadPermission, Find: s.find}},
	}
}

func (s *Service) find(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := s.Find(ctx, text, limit)
	return module.Hits(found, err, func(i Item) module.Hit {
		return module.Hit{ID: i.SKU, Title: i.SKU, Subtitle: i.Name, Path: module.Path("items", i.SKU)}
	})
}

package workorders

import (
	"context"
	"strconv"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "work orders", Machine: Machine,
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See work orders, their comments and their history."},
		{Name: writePermission, Meaning: "Open work orders, claim, resolve and comment on them."},
		{Name: assignPermission, Meaning: "Assign work orders to others, and release or resolve those of others."},
	},
	Roles: map[module.Role][]string{
		module.Support:  {ReadPermission, writePermission},
		module.Operator: {"work-orders:*"},
		module.Auditor:  {ReadPermission},
	},
	Pages:     []module.Page{{Group: module.Operate, Path: "/work-orders", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}},
	Tables:    tables,
	Promises:  promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
		Kinds:       []module.Kind{{Name: "work-order", Permission: ReadPermission, Find: s.find}},
	}
}

func (s *Service) find(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := s.ByTitle(ctx, text, limit)
	return module.Hits(found, err, func(w WorkOrder) module.Hit {
		id := strconv.FormatInt(w.ID, 10)
		return module.Hit{ID: id, Title: w.Title, Subtitle: Machine.Of(w.Status).Name, Path: module.Path("work-orders", id)}
	})
}

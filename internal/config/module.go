package config

import (
	"context"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "configs",
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "Read configs and their history, export them and watch them change."},
		{Name: overwritePermission, Meaning: "Overwrite, with a reason, changes of others in a config."},
		{Name: SecretsPermission, Meaning: "Read the values of secret configs, and make such configs readable."},
		{Name: writePermission, Meaning: "Create, edit, roll back and delete configs, one by one, in batches and by import."},
	},
	Roles: map[module.Role][]string{
		module.ConfigEditor: {ReadPermission, writePermission, overwritePermission},
		module.Approver:     {ReadPermission},
		module.Auditor:      {ReadPermission},
	},
	Approvals: []string{kindUpdate, kindDelete, kindRollback, kindBatch, kindImport},
	Pages:     []module.Page{{Group: module.Govern, Path: "/configs", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}, {Name: "config-batches", Read: ReadPermission}},
	Tables:    tables,
	Promises:  promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
		Kinds:       []module.Kind{{Name: "config", Permission: ReadPermission, Find: s.find}},
	}
}

func (s *Service) find(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := s.ByKey(ctx, text, limit)
	return module.Hits(found, err, func(c Found) module.Hit {
		return module.Hit{ID: c.Key, Title: c.Key, Subtitle: c.Remark, Path: module.Path("configs", c.Key)}
	})
}

package approvals

import (
	"context"
	"strconv"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "approvals", Machine: Machine,
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See approvals, their votes and their history. With the permission to write the changed resource also: edit and withdraw one's own, withdraw stale ones of disabled authors, rebase, and comment."},
		{Name: decidePermission, Meaning: "Approve, reject and comment on the proposals of others, and review changes that others made without the votes.", Decides: true},
		{Name: bypassPermission, Meaning: "Make a protected change without the votes, with a reason that others review."},
	},
	Roles: map[module.Role][]string{
		module.ConfigEditor: {ReadPermission},
		module.Approver:     {ReadPermission, decidePermission},
		module.Auditor:      {ReadPermission},
	},
	Pages:     []module.Page{{Group: module.Operate, Path: "/approvals", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}},
	Tables:    tables,
	Promises:  promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
		Kinds:       []module.Kind{{Name: "approval", Permission: ReadPermission, Find: s.find}},
	}
}

func (s *Service) find(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := s.ByResource(ctx, text, limit)
	return module.Hits(found, err, func(a Found) module.Hit {
		id := strconv.FormatInt(a.ID, 10)
		return module.Hit{ID: id, Title: a.Resource, Subtitle: a.Status, Path: module.Path("approvals", id)}
	})
}

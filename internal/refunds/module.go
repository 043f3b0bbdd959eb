package refunds

import (
	"context"
	"strconv"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "refunds", Machine: Machine,
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See refunds and their history."},
		{Name: writePermission, Meaning: "Request refunds of orders."},
		{Name: approvePermission, Meaning: "Approve and reject refunds that others have requested, and record the outcome of outside repayments.", Decides: true},
	},
	Roles: map[module.Role][]string{
		module.Support:  {ReadPermission, writePermission},
		module.Operator: {ReadPermission, writePermission},
		module.Approver: {ReadPermission, approvePermission},
		module.Auditor:  {ReadPermission},
	},
	Approvals: []string{kindApprove},
	Pages:     []module.Page{{Group: module.Operate, Path: "/refunds", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}},
	Tables:    tables,
	Promises:  promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
		Kinds:       []module.Kind{{Name: "refund", Permission: ReadPermission, Find: s.find}},
	}
}

func (s *Service) find(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := s.ByReference(ctx, text, limit)
	return module.Hits(found, err, func(r Refund) module.Hit {
		id := strconv.FormatInt(r.ID, 10)
		return module.Hit{ID: id, Title: *r.Reference, Subtitle: r.OrderNo, Path: module.Path("refunds", id)}
	})
}

package payments

import (
	"context"
	"strconv"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "payments", Machine: Machine,
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See payments and their history."},
		{Name: WritePermission, Meaning: "Record payments of orders, and apply unmatched payments to orders."},
		{Name: RefundPermission, Meaning: "Send back unmatched payments that others have recorded.", Decides: true},
	},
	Roles: map[module.Role][]string{
		module.Support:  {ReadPermission, WritePermission},
		module.Operator: {ReadPermission, WritePermission},
		module.Approver: {ReadPermission, RefundPermission},
		module.Auditor:  {ReadPermission},
	},
	Approvals: []string{kindRefund},
	Pages:     []module.Page{{Group: module.Operate, Path: "/payments", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}},
	Tables:    tables,
	Promises:  promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
		Kinds:       []module.Kind{{Name: "payment", Permission: ReadPermission, Find: s.find}},
	}
}

func (s *Service) find(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := s.ByReference(ctx, text, limit)
	return module.Hits(found, err, func(p Payment) module.Hit {
		id := strconv.FormatInt(p.ID, 10)
		return module.Hit{ID: id, Title: p.title(), Subtitle: p.OrderNo, Path: module.Path(Topic, id)}
	})
}

// title returns the payment's name in lists: its reference, or its number.
func (p *Payment) title() string {
	if p.Reference != nil {
		return *p.Reference
	}
	return strconv.FormatInt(p.ID, 10)
}

package orders

import (
	"context"
	"strconv"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "orders", Machine: Machine,
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See orders and their history."},
		{Name: writePermission, Meaning: "Place orders, and pay, ship, complete and cancel them. Cancelling a paid one refunds the rest."},
	},
	Roles: map[module.Role][]string{
		module.Support:  {"orders:*"},
		module.Operator: {"orders:*"},
		module.Approver: {ReadPermission},
		module.Auditor:  {ReadPermission},
	},
	Pages:     []module.Page{{Group: module.Operate, Path: "/orders", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}, {Name: "order-batches", Read: ReadPermission}},
	Tables:    tables,
	Promises:  promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
		Kinds: []module.Kind{
			{Name: "order", Permission: ReadPermission, Find: s.find},
			{Name: "user", Permission: ReadPermission, Find: s.findCustomer},
		},
	}
}

func (s *Service) find(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := s.ByName(ctx, text, limit)
	return module.Hits(found, err, func(o Order) module.Hit {
		id := strconv.FormatInt(o.ID, 10)
		return module.Hit{ID: id, Title: o.OrderNo, Subtitle: Machine.Of(o.Status).Name, Path: module.Path("orders", id)}
	})
}

// findCustomer finds the customer with the id, if there is an order: customers exist only through
// their orders.
func (s *Service) findCustomer(ctx context.Context, text string, _ int) ([]module.Hit, error) {
	customer := principal.CustomerID(text)
	if !customer.Valid() {
		return nil, nil
	}
	latest, err := s.LatestOf(ctx, customer)
	if err != nil || latest == nil {
		return nil, err
	}
	return []module.Hit{{ID: text, Title: text, Subtitle: latest.OrderNo, Path: module.Path("customers", text)}}, nil
}

package wallets

import (
	"context"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "wallets",
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See balances and their entries."},
		{Name: writePermission, Meaning: "Credit and debit wallets, and transfer between them."},
	},
	Roles: map[module.Role][]string{
		module.Support:  {ReadPermission},
		module.Operator: {ReadPermission},
		module.Approver: {ReadPermission},
		module.Auditor:  {ReadPermission},
	},
	Approvals: []string{kindEntry, kindTransfer},
	Pages:     []module.Page{{Group: module.Sell, Path: "/wallets", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}, {Name: "wallet-transfers", Read: ReadPermission}},
	Tables:    tables,
	Promises:  promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
		Kinds:       []module.Kind{{Name: "wallet", Permission: ReadPermission, Find: s.find}},
	}
}

// find finds the wallet of the customer with the id, if it has entries.
func (s *Service) find(ctx context.Context, text string, _ int) ([]module.Hit, error) {
	customer := principal.CustomerID(text)
	if !customer.Valid() {
		return nil, nil
	}
	wallet, err := s.Wallet(ctx, customer)
	if err != nil || wallet.Version == 0 {
		return nil, err
	}
	return []module.Hit{{ID: text, Title: text, Path: module.Path("wallets", text)}}, nil
}

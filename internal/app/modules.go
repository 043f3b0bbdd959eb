package app

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/edge/idempotency"
	"interlock/internal/module"
)

// modules returns the domains, in the order of the navigation. It is the only list of them.
func (sv *Services) modules() []module.Module {
	return []module.Module{
		sv.Orders.Module(),
		sv.Customers.Module(),
		sv.Payments.Module(),
		sv.Refunds.Module(),
		sv.Returns.Module(),
		sv.WorkOrders.Module(),
		sv.Approvals.Module(),
		sv.Reports.Module(),
		sv.Catalog.Module(),
		sv.Inventory.Module(),
		sv.Coupons.Module(),
		sv.FlashSales.Module(),
		sv.Wallets.Module(),
		sv.Configs.Module(),
		sv.Webhooks.Module(),
		sv.Access.Module(),
		sv.Audit.Module(),
		sv.keys(),
		sv.Ledger.Module(),
		sv.Queues.Module(),
		sv.Engines.Module(),
		sv.Promises.Module(),
		sv.Actions.Module(),
	}
}

// Declarations returns the declarations of the domains, in the order of the navigation. It calls
// Module on services that are nil, so no Module reads a field of its service.
func Declarations() []*module.Declaration {
	var list []*module.Declaration
	for _, m := range new(Services).modules() {
		list = append(list, m.Declaration)
	}
	return list
}

// Permissions returns every permission that a role or token can have.
func Permissions() []principal.Grant {
	return collect(Declarations(), func(d *module.Declaration) []principal.Grant { return d.Permissions })
}

// Tables returns the tables of all domains. A table precedes the tables that its condition
// Customer joins.
func Tables() []module.Table {
	domains := Declarations()
	slices.Reverse(domains)
	return collect(domains, func(d *module.Declaration) []module.Table { return d.Tables })
}

// collect returns the facts of all elements in one list.
func collect[E, F any](list []E, of func(E) []F) (facts []F) {
	for _, element := range list {
		facts = slices.Concat(facts, of(element))
	}
	return facts
}

// keys returns the module of the idempotency keys: package idempotency is in a lower stratum and
// cannot import package module.
func (sv *Services) keys() module.Module {
	const read = idempotency.ReadPermission
	return module.Module{
		Declaration: &module.Declaration{
			Name: "idempotency keys", Permissions: idempotency.Permissions,
			Roles: map[module.Role][]string{module.Auditor: {read}},
			Pages: []module.Page{{Group: module.Inspect, Path: "/idempotency-keys", Permission: read}},
		},
		Routes: func(r *httpapi.Router) { idempotency.Routes(r, sv.Idempotency) },
		Kinds:  []module.Kind{{Name: "idempotency-key", Permission: read, Find: sv.findKeys}},
	}
}

func (sv *Services) findKeys(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := sv.Idempotency.ByKey(ctx, text, limit)
	return module.Hits(found, err, func(r idempotency.Record) module.Hit {
		return module.Hit{
			ID: strconv.FormatInt(r.ID, 10), Title: r.IdempotencyKey, Subtitle: r.Method + " " + r.Path,
			Path: "/idempotency-keys?key=" + url.QueryEscape(r.IdempotencyKey),
		}
	})
}

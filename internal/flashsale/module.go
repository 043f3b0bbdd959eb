package flashsale

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"interlock/internal/base/principal"
	"interlock/internal/edge/httpapi"
	"interlock/internal/module"
	"interlock/internal/orders"
)

// Declaration declares this package to the rest of the program.
var Declaration = &module.Declaration{
	Name: "flash sales", Machine: Machine,
	Permissions: []principal.Grant{
		{Name: ReadPermission, Meaning: "See flash sales, their numbers, tickets and dead letters."},
		{Name: writePermission, Meaning: "Plan, open, pause, change and close flash sales, and handle their dead letters."},
	},
	Roles: map[module.Role][]string{
		module.Operator: {"flash-sales:*"},
	},
	Approvals: []string{kindUpdate},
	Pages:     []module.Page{{Group: module.Sell, Path: "/flash-sales", Permission: ReadPermission}},
	Resources: []module.Resource{{Name: Topic, Read: ReadPermission, Live: true}},
	Tables:    tables,
	Promises:  promises,
}

// Module returns the domain of a running program.
func (s *Service) Module() module.Module {
	return module.Module{
		Declaration: Declaration,
		Routes:      func(r *httpapi.Router) { Routes(r, s) },
		Kinds: []module.Kind{
			{Name: "flash-sale", Permission: ReadPermission, Find: s.find},
			{Name: "ticket", Permission: ReadPermission, Find: s.findTickets},
		},
	}
}

func (s *Service) find(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := s.ByName(ctx, text, limit)
	return module.Hits(found, err, func(sale Sale) module.Hit {
		id := strconv.FormatInt(sale.ID, 10)
		return module.Hit{ID: id, Title: sale.Name, Subtitle: Machine.Of(sale.Status).Name, Path: module.Path("flash-sales", id)}
	})
}

// findTickets finds tickets by their orders, and a complete ticket id also in the queue.
func (s *Service) findTickets(ctx context.Context, text string, limit int) ([]module.Hit, error) {
	found, err := s.orders.ByTicket(ctx, text, limit)
	if err != nil || len(found) > 0 {
		return module.Hits(found, err, func(o orders.Order) module.Hit {
			return module.Hit{ID: *o.Ticket, Title: *o.Ticket, Subtitle: o.OrderNo, Path: ticketPath(*o.SaleID, *o.Ticket)}
		})
	}
	ticket, sale, err := s.Waiting(ctx, strings.ToUpper(text))
	if err != nil || ticket == nil {
		return nil, err
	}
	return []module.Hit{{ID: ticket.ID, Title: ticket.ID, Subtitle: sale.Name, Path: ticketPath(sale.ID, ticket.ID)}}, nil
}

func ticketPath(sale int64, ticket string) string {
	return module.Path("flash-sales", strconv.FormatInt(sale, 10)) + "?ticket=" + url.QueryEscape(ticket)
}

package app

import (
	"context"
	"slices"

	"interlock/internal/base/principal"
	"interlock/internal/core/uow"
	"interlock/internal/flashsale"
	"interlock/internal/orders"
)

// ordersOfSales is where flash sales place their orders.
type ordersOfSales struct{ orders *orders.Service }

func (o ordersOfSales) PlaceMany(ctx context.Context, u *uow.Unit, lot flashsale.Lot, tickets []flashsale.Order) ([]flashsale.Order, error) {
	asked := make([]orders.SaleTicket, len(tickets))
	for i, t := range tickets {
		asked[i] = orders.SaleTicket{Ticket: t.Ticket, UserID: principal.CustomerID(t.User), Units: t.Units}
	}
	placed, err := o.orders.PlaceMany(ctx, u, orders.SaleLot{
		Sale: lot.Sale, SKU: lot.SKU, Name: lot.Name, Price: lot.Price, PaymentDue: lot.PaymentDue,
	}, asked)
	return ofSale(placed), err
}

func (o ordersOfSales) OfTickets(ctx context.Context, sale int64, tickets []string) (map[string]flashsale.Order, error) {
	found, err := o.orders.OfTickets(ctx, sale, tickets)
	made := make(map[string]flashsale.Order, len(found))
	for ticket, order := range found {
		made[ticket] = oneOfSale(order)
	}
	return made, err
}

func (o ordersOfSales) OfCustomers(ctx context.Context, sale int64, users map[string]bool) ([]flashsale.Order, error) {
	ids := make([]principal.CustomerID, 0, len(users))
	for user := range users {
		ids = append(ids, principal.CustomerID(user))
	}
	slices.Sort(ids)
	found, err := o.orders.OfCustomers(ctx, sale, ids)
	return ofSale(found), err
}

func (o ordersOfSales) EachOfSale(ctx context.Context, sale int64, fn func(part []flashsale.Order) error) error {
	return o.orders.EachOfSale(ctx, sale, func(part []orders.SaleOrder) error { return fn(ofSale(part)) })
}

func ofSale(found []orders.SaleOrder) []flashsale.Order {
	made := make([]flashsale.Order, len(found))
	for i, order := range found {
		made[i] = oneOfSale(order)
	}
	return made
}

func oneOfSale(o orders.SaleOrder) flashsale.Order {
	return flashsale.Order{
		Ticket: o.Ticket, User: string(o.UserID), Units: o.Units, ID: o.ID, Number: o.OrderNo,
		Holder: o.Holder, Live: o.Live, CreatedTime: o.CreatedTime,
	}
}

// salesOfOrders is where cancelled orders give flash sales their pieces back. Orders are
// built before flash sales, so it looks them up when it is asked.
type salesOfOrders struct{ services *Services }

func (s salesOfOrders) TakeBack(ctx context.Context, u *uow.Unit, sale int64, ticket, holder string, units int64) error {
	return s.services.FlashSales.TakeBack(ctx, u, sale, ticket, holder, units)
}

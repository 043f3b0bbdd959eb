package app

import (
	"context"

	"interlock/internal/core/uow"
	"interlock/internal/orders"
)

// refundsOfOrders is where cancelled orders have the rest of their payment refunded. Orders are
// built before refunds, so it looks them up when it is asked.
type refundsOfOrders struct{ services *Services }

func (r refundsOfOrders) TakeOver(ctx context.Context, u *uow.Unit, order *orders.Order) (int64, error) {
	return r.services.Refunds.TakeOver(ctx, u, order)
}

func (r refundsOfOrders) RefundRest(ctx context.Context, u *uow.Unit, cancelled *orders.Order, rest int64) error {
	return r.services.Refunds.RefundRest(ctx, u, cancelled, rest)
}

package app

import (
	"context"

	"interlock/internal/core/uow"
	"interlock/internal/orders"
	"interlock/internal/payments"
)

// refundsOfOrders refunds the rest of the payments of cancelled orders. Orders are built before
// refunds, so it resolves the service at each call.
type refundsOfOrders struct{ services *Services }

func (r refundsOfOrders) TakeOver(ctx context.Context, u *uow.Unit, order *orders.Order) (map[int64]int64, error) {
	return r.services.Refunds.TakeOver(ctx, u, order)
}

func (r refundsOfOrders) RefundRest(ctx context.Context, u *uow.Unit, cancelled *orders.Order, payment *payments.Payment, rest int64) (int64, error) {
	return r.services.Refunds.RefundRest(ctx, u, cancelled, payment, rest)
}

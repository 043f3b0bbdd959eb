package app

import (
	"context"

	"interlock/internal/core/uow"
)

// salesOfOrders returns the units of cancelled orders to flash sales. Orders are built before flash
// sales, so it resolves the service at each call.
type salesOfOrders struct{ services *Services }

func (s salesOfOrders) ReturnUnits(ctx context.Context, u *uow.Unit, sale int64, ticket, holder string, units int64) error {
	return s.services.FlashSales.ReturnUnits(ctx, u, sale, ticket, holder, units)
}
